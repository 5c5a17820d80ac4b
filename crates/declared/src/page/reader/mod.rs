//! Reads a page in a single pass.
//!
//! `start_tags` finds the start tags and their positions. Text, end tags and comments between two start
//! tags are parsed in place (`markup_pieces`).

mod describing_elements;
mod end_tag;
mod fallback_text;
mod start_tag;

use super::blocks::Blocks;
use super::css::{self, ElementStack, PresentationHints, StyleRules, StyleSource, StyleState};
use super::element_role::{bit, name};
use super::h_card::{CardCollector, CardScope, CardSlot};
use super::hidden_texts::HiddenTexts;
use super::markup_pieces::{MarkupPiece, MarkupPieces};
use super::microdata::{MicrodataCollector, PendingValue};
use super::model::{Page, TextSurface};
use super::rdfa::{RdfaCollector, RdfaScope};
use super::start_tags::StartTags;
use super::text::{self, TextBuffer};
use super::text_spans::TextSpans;
use crate::charset;

/// How much text of one page is kept. Longer pages are marked as truncated.
pub(super) const MAX_TEXT_BYTES: usize = 1 << 20;
/// How many open elements are tracked. Deeper elements count as part of the deepest one.
const MAX_DEPTH: usize = 256;
/// Limit for text that is not part of the page's own: templates, titles of drawings.
const MAX_UNSEEN_BYTES: usize = 128 << 10;
/// Bytes kept of one block of structured data.
pub(crate) const MAX_DATA_BYTES: usize = 256 << 10;
const MAX_VALUE: usize = 2_048;
/// A page with this many words is not an app shell, whatever its elements are called.
const SHELL_WORDS: usize = 50;
const MAX_STYLE_SHEETS: usize = 5;

impl Page {
    /// Reads a page. Any bytes are accepted; unreadable parts are skipped. Of its style sheets only
    /// the embedded ones count.
    #[must_use]
    pub fn read(body: &[u8], content_type: Option<&str>) -> Self {
        Self::read_with_styles(body, content_type, &|_| None)
    }

    /// Reads a page with its linked style sheets. `linked` returns the text of a sheet by its `href` as
    /// written in the page.
    #[must_use]
    pub fn read_with_styles<'s>(
        body: &[u8],
        content_type: Option<&str>,
        linked: &dyn Fn(&str) -> Option<&'s str>,
    ) -> Self {
        read_html(&charset::decode(body, content_type), linked)
    }
}

/// Reads a decoded page.
fn read_html<'s>(html: &str, linked: &dyn Fn(&str) -> Option<&'s str>) -> Page {
    let mut reader = PageReader::new(html, linked);
    let mut tags = StartTags::new(html);
    for place in &mut tags {
        reader.start_tag(place);
    }
    reader.finish(!tags.gave_up())
}

/// An open element.
struct OpenElement {
    tag: u64,
    bits: u32,
    /// The length of the text when the element was opened.
    opened: usize,
    surface: Option<TextSurface>,
    slot: Option<PendingValue>,
    /// The microdata item that properties inside belong to.
    item: Option<usize>,
    rdfa: RdfaScope,
    rdfa_slot: Option<PendingValue>,
    card: CardScope,
    card_slot: Option<CardSlot>,
    /// The byte range of its `id` in the page.
    id: Option<(usize, usize)>,
    is_app_root: bool,
    /// What its style passes on to its content.
    style: StyleState,
    /// Why people do not see its text, or see it only when they open it.
    concealed: Option<TextSurface>,
    /// Whether it is in the stack of styled elements.
    is_styled: bool,
    /// Whether it contains an image or a control, which people see without any text.
    has_image: bool,
}

/// The format of a script element that contains data.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScriptData {
    JsonLd,
    Rsl,
}

struct PageReader<'a> {
    html: &'a str,
    /// The offset up to which the page was read.
    at: usize,
    open_elements: Vec<OpenElement>,
    /// Number of open elements below [`MAX_DEPTH`].
    depth_beyond_limit: usize,
    text: TextBuffer,
    unseen: TextBuffer,
    title: TextBuffer,
    titled: bool,
    blocks: Blocks,
    hidden_texts: HiddenTexts,
    microdata: MicrodataCollector,
    rdfa: RdfaCollector,
    cards: CardCollector,
    /// The open element that contains raw text, in which only its own end tag is a tag.
    raw: Option<u64>,
    data: Option<ScriptData>,
    empty_root: bool,
    rules: StyleRules,
    styled: ElementStack<'a>,
    /// The state of the page outside of all elements.
    document_style: StyleState,
    spans: TextSpans,
    noscript: String,
    /// The text for clients that show no frames, of a page that consists of frames.
    noframes: String,
    has_frameset: bool,
    page: Page,
}

impl<'a> PageReader<'a> {
    fn new<'s>(html: &'a str, linked: &dyn Fn(&str) -> Option<&'s str>) -> Self {
        let sources = css::find_sources(html);
        let mut all_read = true;
        let mut page = Page::default();
        let sheets: Vec<(&str, &str)> = sources
            .iter()
            .filter_map(|source| match *source {
                StyleSource::Embedded { css, media } => Some((css, media)),
                StyleSource::Linked { href, media } => {
                    let href = text::clean_text(href, MAX_VALUE);
                    let sheet = linked(&href);
                    let is_for_screen = css::is_for_screen(media);
                    // A sheet for printers says nothing about what the screen shows.
                    all_read &= sheet.is_some() || !is_for_screen;
                    if is_for_screen && page.style_sheets.len() < MAX_STYLE_SHEETS {
                        page.style_sheets.push(href);
                    }
                    sheet.map(|sheet| (sheet, media))
                }
            })
            .collect();
        let mut rules = StyleRules::read(sheets);
        let styled = ElementStack::new(rules.asks_for_siblings());
        let hints = PresentationHints::default();
        let document_style = StyleState::initial(all_read)
            .inside_document_element(&mut rules, &styled, false, hints)
            .inside_document_element(&mut rules, &styled, true, hints);
        let mut text = TextBuffer::with_limit(MAX_TEXT_BYTES);
        text.reserve(html.len() / 3);
        Self {
            html,
            at: 0,
            open_elements: Vec::with_capacity(32),
            depth_beyond_limit: 0,
            text,
            unseen: TextBuffer::with_limit(MAX_UNSEEN_BYTES),
            title: TextBuffer::with_limit(1_000),
            titled: false,
            blocks: Blocks::default(),
            hidden_texts: HiddenTexts::default(),
            microdata: MicrodataCollector::default(),
            rdfa: RdfaCollector::default(),
            cards: CardCollector::default(),
            raw: None,
            data: None,
            empty_root: false,
            rules,
            styled,
            document_style,
            spans: TextSpans::default(),
            noscript: String::new(),
            noframes: String::new(),
            has_frameset: false,
            page,
        }
    }

    fn bits(&self) -> u32 {
        self.open_elements.last().map_or(0, |frame| frame.bits)
    }

    /// Reads everything before a start tag and moves behind the tag.
    fn advance(&mut self, start: usize, end: usize) {
        if start > self.at {
            let html = self.html;
            let between = html.get(self.at..start).unwrap_or_default();
            for piece in MarkupPieces::new(between, self.raw.take()) {
                match piece {
                    MarkupPiece::Text(raw) => self.text(raw),
                    MarkupPiece::Raw(tag, raw) => self.raw_text(tag, raw),
                    MarkupPiece::End(tag) => self.end_tag(tag),
                    MarkupPiece::Comment(raw) => {
                        self.hidden_texts.add_raw(TextSurface::Comment, raw)
                    }
                }
            }
        }
        self.at = self.at.max(end);
    }

    fn text(&mut self, raw: &str) {
        let bits = self.bits();
        if bits & bit::UNSEEN != 0 {
            self.unseen.push(raw);
        } else {
            let before = self.text.len();
            self.text.push(raw);
            self.blocks.add_text(self.text.len() - before, bits);
        }
    }

    fn raw_text(&mut self, tag: u64, raw: &str) {
        match tag {
            name::TITLE if !self.titled => self.title.push(raw),
            name::SCRIPT => self.script(raw),
            name::NOSCRIPT => self.noscript(raw),
            name::NOFRAMES => self.noframes(raw),
            _ => {}
        }
    }

    fn finish(mut self, finished: bool) -> Page {
        // If the search for tags was given up, the rest of the page cannot be interpreted.
        if finished {
            self.advance(self.html.len(), self.html.len());
        }
        while !self.open_elements.is_empty() {
            self.close_top();
        }
        let mut page = self.page;
        page.truncated = self.text.is_full() || !finished;
        let text = self.text.into_text();
        page.visible = self.blocks.visible(&text, &self.spans);
        page.quoted = self.spans.into_quoted();
        (page.main, page.header_footer) = self.blocks.into_main_and_edges(&text);
        page.text = text;
        if self.has_frameset {
            // Clients that show no frames read this text. There is no other.
            append_text(&mut page.text, &self.noframes);
            append_text(&mut page.main, &self.noframes);
        }
        let few_words = page.count_words(SHELL_WORDS) < SHELL_WORDS;
        // Clients that run no scripts read `noscript`. A short notice is not the content of the page.
        page.noscript_counts = few_words && page.noscript_words as usize >= SHELL_WORDS;
        if page.noscript_counts {
            append_text(&mut page.text, &self.noscript);
            append_text(&mut page.main, &self.noscript);
        }
        page.title = Some(self.title.into_text()).filter(|title| !title.is_empty());
        let named = |wanted: &str| {
            let found = page.meta.iter().find(|(called, _)| called == wanted);
            found.map(|(_, content)| content.clone()).filter(|content| !content.is_empty())
        };
        page.description = named("description").or_else(|| named("og:description"));
        page.generator = named("generator");
        page.microdata = self.microdata.finish();
        page.rdfa = self.rdfa.finish();
        page.h_cards = self.cards.finish();
        (page.hidden, page.hidden_truncated) = self.hidden_texts.finish();
        page.is_app_shell =
            self.empty_root && page.scripts > 0 && few_words && !page.noscript_counts;
        page
    }
}

fn append_text(text: &mut String, more: &str) {
    let more = more.trim_end();
    if !text.is_empty() && !more.is_empty() {
        text.push(' ');
    }
    text.push_str(more);
}
