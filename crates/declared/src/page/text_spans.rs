//! Which parts of a page's text people do not see, and which are quoted.

use super::hidden_texts::HiddenTexts;
use super::model::TextSurface;

/// Parts that are remembered. Text behind them counts as visible.
const MAX_SPANS: usize = 20_000;
/// Quoted text that is kept.
const MAX_QUOTED_BYTES: usize = 256 << 10;

/// What is special about a part of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpanKind {
    Concealed(TextSurface),
    Quoted,
}

#[derive(Debug, Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
}

/// The parts of the text read so far, in their order.
#[derive(Debug, Default)]
pub(super) struct TextSpans {
    spans: Vec<Span>,
    open: Option<(SpanKind, usize)>,
    quoted: String,
}

impl TextSpans {
    /// Says what the text from its end on is. `text` is all text so far.
    pub(super) fn switch_to(
        &mut self,
        kind: Option<SpanKind>,
        text: &str,
        hidden_texts: &mut HiddenTexts,
    ) {
        if self.open.map(|(open, _)| open) == kind {
            return;
        }
        if let Some((open, start)) = self.open.take() {
            let inside = text.get(start..).unwrap_or_default();
            if !inside.trim().is_empty() {
                self.spans.push(Span { start, end: text.len() });
                match open {
                    SpanKind::Concealed(surface) => hidden_texts.add_long(surface, inside.trim()),
                    SpanKind::Quoted if self.quoted.len() + inside.len() <= MAX_QUOTED_BYTES => {
                        self.quoted.push_str(inside.trim());
                        self.quoted.push('\n');
                    }
                    SpanKind::Quoted => {}
                }
            }
        }
        if self.spans.len() < MAX_SPANS {
            self.open = kind.map(|kind| (kind, text.len()));
        }
    }

    /// The parts of a range of the text that people see and that are not quoted.
    pub(super) fn visible_in<'t>(
        &self,
        text: &'t str,
        start: usize,
        end: usize,
    ) -> impl Iterator<Item = &'t str> {
        let first = self.spans.partition_point(|span| span.end <= start);
        let inside = self.spans.iter().skip(first).take_while(move |span| span.start < end);
        let mut from = start;
        let stops = inside.map(|span| (span.start, span.end)).chain([(end, end)]);
        stops.filter_map(move |(stop, next)| {
            let visible = text.get(from..stop.min(end)).unwrap_or_default();
            from = next.max(from);
            (!visible.trim().is_empty()).then_some(visible)
        })
    }

    /// The quoted text.
    pub(super) fn into_quoted(self) -> String {
        self.quoted
    }
}
