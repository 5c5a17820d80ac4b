//! Text for clients that run no scripts or show no frames, which stands in the page as raw markup.

use super::{MAX_UNSEEN_BYTES, PageReader};
use crate::page::element_role;
use crate::page::markup_pieces::{MarkupPiece, MarkupPieces};
use crate::page::model::TextSurface;
use crate::page::tag::{self, name_key};
use crate::page::text::{self, TextBuffer};
use crate::page::word_segments;

impl PageReader<'_> {
    /// Reads the text for clients that show no frames. People see it nowhere: browsers show frames, and
    /// ignore the element in other pages.
    pub(super) fn noframes(&mut self, raw: &str) {
        let words = strip_tags(text::truncate_str(raw, MAX_UNSEEN_BYTES));
        self.hidden_texts.add_long(TextSurface::Noscript, &words);
        if self.noframes.len() + words.len() <= MAX_UNSEEN_BYTES {
            self.noframes.push_str(&words);
            self.noframes.push(' ');
        }
    }

    pub(super) fn noscript(&mut self, raw: &str) {
        let words = strip_tags(text::truncate_str(raw, MAX_UNSEEN_BYTES));
        let count = u32::try_from(word_segments::words(&words).count()).unwrap_or(u32::MAX);
        self.page.noscript_words = self.page.noscript_words.saturating_add(count);
        self.hidden_texts.add_long(TextSurface::Noscript, &words);
        if self.noscript.len() + words.len() <= MAX_UNSEEN_BYTES {
            self.noscript.push_str(&words);
            self.noscript.push(' ');
        }
    }
}

/// The text of raw markup: without tags, scripts and styles.
fn strip_tags(raw: &str) -> String {
    let mut words = TextBuffer::with_limit(MAX_UNSEEN_BYTES);
    let mut rest = raw;
    while !rest.is_empty() {
        let mut pieces = MarkupPieces::new(rest, None);
        for piece in pieces.by_ref() {
            match piece {
                MarkupPiece::Text(text) => words.push(text),
                MarkupPiece::End(tag) if element_role::is_inline(tag) => {}
                _ => words.mark_break(),
            }
        }
        let (tag_name, after) = tag::split_start(pieces.rest());
        let tag = name_key(tag_name.as_bytes());
        if !element_role::is_inline(tag) {
            words.mark_break();
        }
        rest = tag::after_tag(after);
        if element_role::holds_raw_text(tag)
            && let Some(MarkupPiece::Raw(_, inner)) = MarkupPieces::new(rest, Some(tag)).next()
        {
            rest = rest.get(inner.len()..).unwrap_or_default();
        }
    }
    words.into_text()
}
