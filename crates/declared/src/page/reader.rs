//! Reads a page in a single pass.
//!
//! The tokeniser reports start tags and their positions. Text, end tags and comments between two start
//! tags are parsed in place (`markup_pieces`), which is faster than a callback for each of them.

use std::cell::RefCell;

use lol_html::{HtmlRewriter, MemorySettings, Settings, element};

use super::blocks::Blocks;
use super::css::{
    self, ElementStack, PresentationHints, StyleRules, StyleSource, StyleState, StyledElement,
};
use super::element_role::{self, bit, name};
use super::hidden_texts::HiddenTexts;
use super::markup_pieces::{MarkupPiece, MarkupPieces};
use super::microdata::{MicrodataAttributes, MicrodataCollector, PendingValue};
use super::model::{MetaRefresh, Page, PageLink, TextSurface};
use super::tag::{self, Attributes, name_key};
use super::text::{self, TextBuffer};
use super::text_spans::{SpanKind, TextSpans};
use super::word_segments;
use crate::charset;

/// How much text of one page is kept. Longer pages are marked as truncated.
pub(super) const MAX_TEXT_BYTES: usize = 1 << 20;
/// Memory limit of the tokeniser.
const MAX_PARSER_MEMORY: usize = 8 << 20;
/// How many open elements are tracked. Deeper elements count as part of the deepest one.
const MAX_DEPTH: usize = 256;
/// Limit for text that is not part of the page's own: templates, titles of drawings.
const MAX_UNSEEN_BYTES: usize = 128 << 10;
const MAX_HEADINGS: usize = 50;
const MAX_META: usize = 100;
const MAX_LINKS: usize = 200;
const MAX_BLOCKS_OF_DATA: usize = 20;
/// Bytes kept of one block of structured data.
pub(crate) const MAX_DATA_BYTES: usize = 256 << 10;
const MAX_CONTACTS: usize = 50;
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
    let scan = RefCell::new(PageReader::new(html, linked));
    let settings = Settings::new()
        .with_memory_settings(
            MemorySettings::new().with_max_allowed_memory_usage(MAX_PARSER_MEMORY),
        )
        .with_strict(false)
        .append_element_content_handler(element!("*", |el| {
            scan.borrow_mut().start_tag(el.source_location().bytes());
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    // A rewriter that failed must not be used again.
    let finished = if rewriter.write(html.as_bytes()).is_ok() {
        rewriter.end().is_ok()
    } else {
        drop(rewriter);
        false
    };
    scan.into_inner().finish(finished)
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
    /// The byte range of its `id` in the page.
    id: Option<(usize, usize)>,
    is_app_root: bool,
    /// What its style passes on to its content.
    style: StyleState,
    /// Why people do not see its text, or see it only when they open it.
    concealed: Option<TextSurface>,
    /// Whether it is in the stack of styled elements.
    is_styled: bool,
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
                    all_read &= sheet.is_some();
                    if css::is_for_screen(media) && page.style_sheets.len() < MAX_STYLE_SHEETS {
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
            raw: None,
            data: None,
            empty_root: false,
            rules,
            styled,
            document_style,
            spans: TextSpans::default(),
            noscript: String::new(),
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
            _ => {}
        }
    }

    fn start_tag(&mut self, place: std::ops::Range<usize>) {
        self.advance(place.start, place.end);
        let html = self.html;
        let raw = html.get(place.clone()).unwrap_or_default();
        let (tag_name, attributes) = tag::split_start(raw);
        let tag = name_key(tag_name.as_bytes());
        if element_role::closes_itself(tag)
            && self.open_elements.last().is_some_and(|top| top.tag == tag)
        {
            self.close_top();
        }
        if element_role::ends_paragraph(tag)
            && self.open_elements.last().is_some_and(|top| top.tag == name::P)
        {
            self.close_top();
        }
        let inline = element_role::is_inline(tag);
        if !inline {
            self.end_block();
        }
        let around = self.bits();
        let parent = self.open_elements.last();
        let in_body = parent.is_none_or(|parent| parent.tag == name::BODY);
        let outer_item = parent.and_then(|parent| parent.item);
        let mut bits = element_role::bits_by_name(tag, around, in_body);
        let surface = (tag == name::TEMPLATE).then_some(TextSurface::Template);
        let mut marks = MicrodataAttributes::default();
        let mut id = None;
        let mut hints = PresentationHints {
            own_colour: element_role::has_own_colour(tag),
            ..PresentationHints::default()
        };
        let (mut aria_hidden, mut is_open) = (false, false);
        if attributes.len() > 1 {
            for (attribute, value) in Attributes(attributes) {
                match name_key(attribute.as_bytes()) {
                    attribute::CLASS if !inline && !is_page_wrapper(tag) => {
                        bits |= element_role::bits_by_class(value)
                    }
                    attribute::ID => {
                        id = id.or(Some(value));
                        if !inline && !is_page_wrapper(tag) {
                            bits |= element_role::bits_by_class(value);
                        }
                    }
                    attribute::STYLE => {
                        hints.style = hints.style.or(Some(value));
                        if css::hides_alone(value) {
                            bits |= bit::HIDDEN;
                        }
                    }
                    attribute::HIDDEN => {
                        hints.hidden_attribute = true;
                        bits |= bit::HIDDEN;
                    }
                    attribute::BGCOLOR => hints.background = Some(value),
                    attribute::COLOR if tag == name::FONT => hints.colour = Some(value),
                    attribute::TEXT if tag == name::BODY => hints.colour = Some(value),
                    attribute::ARIA_HIDDEN => aria_hidden |= value.trim() == "true",
                    attribute::OPEN => is_open = true,
                    attribute::ROLE => bits |= element_role::bits_by_role_attribute(value),
                    attribute::ALT
                    | attribute::TITLE
                    | attribute::ARIA_LABEL
                    | attribute::ARIA_DESCRIPTION
                    | attribute::PLACEHOLDER => {
                        self.hidden_texts.add_raw(TextSurface::Attribute, value)
                    }
                    attribute::VALUE if tag == name::INPUT => {
                        self.hidden_texts.add_raw(TextSurface::Attribute, value);
                    }
                    attribute::ITEMSCOPE => marks.scope = true,
                    attribute::ITEMPROP => marks.property = Some(value),
                    attribute::ITEMTYPE => marks.types = Some(value),
                    attribute::ITEMID => marks.id = Some(value),
                    attribute::ITEMREF => marks.references = Some(value),
                    _ if is_data_attribute(attribute) && is_prose(value) => {
                        self.hidden_texts.add_raw(TextSurface::Attribute, value);
                    }
                    _ => {}
                }
            }
            self.read_element_attributes(tag, attributes);
        } else {
            self.read_element_attributes(tag, "");
        }
        let (style, concealed, is_styled) =
            self.style_of(tag, tag_name, attributes, hints, aria_hidden, is_open);
        bits |= match bits & bit::MAIN {
            0 => around,
            // The main part keeps its role, whatever element contains it.
            _ => around & !(bit::CHROME | bit::ASIDE | bit::EDGE),
        };
        if tag == name::FOREIGN_OBJECT {
            bits &= !bit::SVG;
        }
        // Of nested templates only the outermost is recorded, because it contains the others.
        let surface = surface.filter(|_| around & bit::UNSEEN == 0).or_else(|| {
            let drawn = matches!(tag, name::TEXT | name::TITLE | name::DESC);
            (around & bit::SVG != 0 && drawn).then_some(TextSurface::SvgText)
        });

        let mut frame = OpenElement {
            tag,
            bits,
            opened: if bits & bit::UNSEEN == 0 { self.text.len() } else { self.unseen.len() },
            surface,
            slot: None,
            item: outer_item,
            id: id.and_then(|id| byte_range(html, id)),
            is_app_root: tag == name::APP_ROOT || id.is_some_and(element_role::is_app_root),
            style,
            concealed,
            is_styled,
        };
        if marks.scope || marks.property.is_some() {
            self.read_microdata(&mut frame, &marks, attributes, outer_item);
        }
        let closed = element_role::is_void(tag) || (bits & bit::SVG != 0 && raw.ends_with("/>"));
        if closed {
            self.close_styled(is_styled);
            return;
        }
        // In SVG, `title` contains ordinary text.
        if element_role::holds_raw_text(tag) && (tag != name::TITLE || around & bit::SVG == 0) {
            self.raw = Some(tag);
        }
        if self.open_elements.len() >= MAX_DEPTH {
            self.depth_beyond_limit += 1;
            self.close_styled(is_styled);
            return;
        }
        if (bits ^ around) & bit::SETS_APART != 0 {
            self.blocks.end_block(self.text.len());
        }
        self.open_elements.push(frame);
        self.update_span();
    }

    /// The style inside an element, why its text is not seen, and whether it was added to the stack of
    /// styled elements.
    fn style_of(
        &mut self,
        tag: u64,
        tag_name: &'a str,
        attributes: &'a str,
        hints: PresentationHints<'_>,
        aria_hidden: bool,
        is_open: bool,
    ) -> (StyleState, Option<TextSurface>, bool) {
        let parent = self.open_elements.last();
        let around = parent.map_or(self.document_style, |parent| parent.style);
        let above = parent.and_then(|parent| parent.concealed);
        let in_details = parent.is_some_and(|parent| parent.tag == name::DETAILS);
        let is_document = matches!(tag, name::HTML | name::BODY);
        let is_styled = !(is_document || tag == name::HEAD || self.rules.is_empty());
        let style = if is_document {
            self.styled.set_document_element(StyledElement::new(tag_name, attributes));
            let body = tag == name::BODY;
            around.inside_document_element(&mut self.rules, &self.styled, body, hints)
        } else {
            if is_styled {
                self.styled.push(StyledElement::new(tag_name, attributes));
            }
            around.inside_top(&mut self.rules, &self.styled, is_styled, hints)
        };
        let concealed = if style.hides() {
            match above {
                Some(TextSurface::CssHidden | TextSurface::HiddenAttribute) => above,
                _ if hints.hidden_attribute => Some(TextSurface::HiddenAttribute),
                _ => Some(TextSurface::CssHidden),
            }
        } else if tag == name::SUMMARY && in_details && above == Some(TextSurface::ClosedDetails) {
            None
        } else if tag == name::DETAILS && !is_open {
            Some(TextSurface::ClosedDetails)
        } else if aria_hidden {
            above
                .filter(|above| *above == TextSurface::ClosedDetails)
                .or(Some(TextSurface::AriaHidden))
        } else {
            // A descendant may be shown again by its style, but not out of these two.
            above.filter(|above| {
                matches!(above, TextSurface::ClosedDetails | TextSurface::AriaHidden)
            })
        };
        (style, concealed, is_styled)
    }

    fn close_styled(&mut self, is_styled: bool) {
        if is_styled {
            self.styled.pop();
        }
    }

    /// Notes whether the text from here on is seen, hidden or quoted.
    fn update_span(&mut self) {
        let top = self.open_elements.last();
        let kind = top.and_then(|top| match top.concealed {
            Some(surface) => Some(SpanKind::Concealed(surface)),
            None => (top.bits & bit::QUOTED != 0).then_some(SpanKind::Quoted),
        });
        self.spans.switch_to(kind, self.text.as_str(), &mut self.hidden_texts);
    }

    /// Reads the microdata attributes of one element.
    fn read_microdata(
        &mut self,
        frame: &mut OpenElement,
        marks: &MicrodataAttributes<'_>,
        attributes: &str,
        outer: Option<usize>,
    ) {
        if marks.scope {
            frame.item = self.microdata.open_item(marks, outer);
            return;
        }
        let Some(names) = marks.property else { return };
        let attribute = |wanted| tag::attribute(attributes, wanted);
        use name::*;
        let value = attribute("content").or_else(|| match frame.tag {
            A | LINK | AREA => attribute("href"),
            IMG | AUDIO | VIDEO | SOURCE | EMBED | IFRAME | TRACK => attribute("src"),
            OBJECT => attribute("data"),
            DATA | METER => attribute("value"),
            TIME => attribute("datetime"),
            META => Some(""),
            _ => None,
        });
        let (html, frames, own) = (self.html, &self.open_elements, frame.id);
        frame.slot = self.microdata.add_property(names, value, outer, || {
            let spans = frames.iter().filter_map(|frame| frame.id).chain(own);
            spans.filter_map(|(start, end)| html.get(start..end)).map(str::to_owned).collect()
        });
    }

    /// Reads the attributes that matter for specific elements (links, meta, scripts).
    fn read_element_attributes(&mut self, tag: u64, attributes: &str) {
        let attribute = |wanted| tag::attribute(attributes, wanted);
        match tag {
            name::A => {
                if let Some(href) = attribute("href") {
                    self.anchor(href);
                }
            }
            name::HTML => {
                let language = attribute("lang").map(|lang| text::clean_text(lang, 35));
                self.page.language =
                    self.page.language.take().or(language.filter(|lang| !lang.is_empty()));
            }
            name::META => {
                if let Some(content) = attribute("content") {
                    for wanted in ["name", "property"] {
                        if let Some(called) = attribute(wanted) {
                            self.meta(called, content);
                        }
                    }
                    if self.page.refresh.is_none()
                        && attribute("http-equiv")
                            .is_some_and(|field| field.trim().eq_ignore_ascii_case("refresh"))
                    {
                        self.page.refresh = parse_refresh(&text::clean_text(content, MAX_VALUE));
                    }
                }
            }
            name::LINK => self.link(attributes),
            name::BASE if self.page.base.is_none() => {
                self.page.base = attribute("href").map(|href| text::clean_text(href, MAX_VALUE));
            }
            name::SCRIPT => {
                let kind = attribute("type").unwrap_or_default();
                let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
                self.data = match kind.as_str() {
                    "application/ld+json" => Some(ScriptData::JsonLd),
                    "application/rsl+xml" => Some(ScriptData::Rsl),
                    _ => None,
                };
                if matches!(kind.as_str(), "" | "module") || kind.ends_with("script") {
                    self.page.scripts = self.page.scripts.saturating_add(1);
                }
            }
            _ => {}
        }
    }

    fn anchor(&mut self, href: &str) {
        self.page.anchors = self.page.anchors.saturating_add(1);
        self.blocks.count_anchor();
        let scheme = href.trim_start().as_bytes().get(..7).unwrap_or_default();
        let (list, length) = if scheme.get(..4).is_some_and(|s| s.eq_ignore_ascii_case(b"tel:")) {
            (&mut self.page.telephones, 4)
        } else if scheme.eq_ignore_ascii_case(b"mailto:") {
            (&mut self.page.emails, 7)
        } else {
            return;
        };
        let value = href.trim_start().get(length..).unwrap_or_default();
        let value = value.split('?').next().unwrap_or_default();
        let value = percent_decode(&text::clean_text(value, 300));
        let value = value.trim();
        if !value.is_empty() && list.len() < MAX_CONTACTS && !list.iter().any(|v| v == value) {
            list.push(value.to_owned());
        }
    }

    fn meta(&mut self, called: &str, content: &str) {
        let called = text::clean_text(called, 100).to_ascii_lowercase();
        let content = text::clean_text(content, MAX_VALUE);
        let robots = called == "robots" || called.ends_with("bot");
        if robots && self.page.meta_robots.len() < 20 {
            let content = content.chars().take(300).collect();
            self.page.meta_robots.push((called.clone(), content));
        }
        if called == "description" || called.starts_with("og:") || called.starts_with("twitter:") {
            self.hidden_texts.add_clean(TextSurface::Meta, &content);
        }
        if self.page.meta.len() < MAX_META && !called.is_empty() {
            self.page.meta.push((called, content));
        }
    }

    fn link(&mut self, attributes: &str) {
        let Some(href) = tag::attribute(attributes, "href") else { return };
        let rel = text::clean_text(tag::attribute(attributes, "rel").unwrap_or_default(), 200);
        let href = text::clean_text(href, MAX_VALUE);
        let is_canonical = rel.split(' ').any(|word| word.eq_ignore_ascii_case("canonical"));
        if is_canonical && self.page.canonical.is_none() && !href.is_empty() {
            self.page.canonical = Some(href.clone());
        }
        if self.page.links.len() < MAX_LINKS {
            let media_type = tag::attribute(attributes, "type").map(|t| text::clean_text(t, 200));
            self.page.links.push(PageLink { rel, href, media_type });
        }
    }

    fn end_tag(&mut self, tag: u64) {
        if self.depth_beyond_limit > 0 {
            self.depth_beyond_limit -= 1;
            return;
        }
        let Some(depth) = self.open_elements.iter().rposition(|frame| frame.tag == tag) else {
            // `</p>` and `</br>` without a start tag still separate words; others have no effect.
            if !element_role::is_inline(tag) {
                self.end_block();
            }
            return;
        };
        while self.open_elements.len() > depth {
            self.close_top();
        }
    }

    /// Ends the current block of text.
    fn end_block(&mut self) {
        self.text.mark_break();
        self.unseen.mark_break();
        self.blocks.end_block(self.text.len());
    }

    fn close_top(&mut self) {
        let Some(frame) = self.open_elements.pop() else { return };
        let outside = self.bits();
        if !element_role::is_inline(frame.tag) {
            self.end_block();
        } else if (frame.bits ^ outside) & bit::SETS_APART != 0 {
            self.blocks.end_block(self.text.len());
        }
        self.close_styled(frame.is_styled);
        self.update_span();
        let words = if frame.bits & bit::UNSEEN == 0 { &self.text } else { &self.unseen };
        if let Some(surface) = frame.surface {
            self.hidden_texts.add_clean(surface, words.text_since(frame.opened));
        }
        if let Some(slot) = frame.slot {
            self.microdata.fill_value(slot, words.text_since(frame.opened));
        }
        if let Some(level) = element_role::heading_level(frame.tag)
            && self.page.headings.len() < MAX_HEADINGS
            && !words.text_since(frame.opened).is_empty()
        {
            let heading = text::truncate_str(words.text_since(frame.opened), 300).to_owned();
            self.page.headings.push((level, heading));
        }
        if frame.is_app_root && element_role::is_loading_text(words.text_since(frame.opened)) {
            self.empty_root = true;
        }
        match frame.tag {
            name::ADDRESS if self.page.address_blocks.len() < MAX_CONTACTS => {
                let address = text::truncate_str(words.text_since(frame.opened), 500);
                if !address.is_empty() {
                    self.page.address_blocks.push(address.to_owned());
                }
            }
            name::TITLE if frame.bits & bit::SVG == 0 => self.titled = true,
            _ => {}
        }
    }

    fn script(&mut self, raw: &str) {
        let Some(kind) = self.data.take() else { return };
        let list = match kind {
            ScriptData::JsonLd => &mut self.page.json_ld,
            ScriptData::Rsl => &mut self.page.rsl,
        };
        if list.len() < MAX_BLOCKS_OF_DATA && !raw.trim().is_empty() {
            list.push(text::truncate_str(raw, MAX_DATA_BYTES).to_owned());
        }
    }

    fn noscript(&mut self, raw: &str) {
        let words = strip_tags(text::truncate_str(raw, MAX_UNSEEN_BYTES));
        let count = u32::try_from(word_segments::words(&words).count()).unwrap_or(u32::MAX);
        self.page.noscript_words = self.page.noscript_words.saturating_add(count);
        self.hidden_texts.add_long(TextSurface::Noscript, &words);
        if self.noscript.len() + words.len() <= MAX_UNSEEN_BYTES {
            self.noscript.push_str(&words);
            self.noscript.push(' ');
        }
    }

    fn finish(mut self, finished: bool) -> Page {
        // If the tokeniser failed, the rest of the page cannot be interpreted.
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
        let few_words = page.words().take(SHELL_WORDS).count() < SHELL_WORDS;
        // Clients that run no scripts read `noscript`. A short notice is not the content of the page.
        page.noscript_counts = few_words && page.noscript_words as usize >= SHELL_WORDS;
        if page.noscript_counts {
            for text in [&mut page.text, &mut page.main] {
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(self.noscript.trim_end());
            }
        }
        page.title = Some(self.title.into_text()).filter(|title| !title.is_empty());
        let named = |wanted: &str| {
            let found = page.meta.iter().find(|(called, _)| called == wanted);
            found.map(|(_, content)| content.clone()).filter(|content| !content.is_empty())
        };
        page.description = named("description").or_else(|| named("og:description"));
        page.generator = named("generator");
        page.microdata = self.microdata.finish();
        (page.hidden, page.hidden_truncated) = self.hidden_texts.finish();
        page.is_app_shell =
            self.empty_root && page.scripts > 0 && few_words && !page.noscript_counts;
        page
    }
}

fn is_data_attribute(name: &str) -> bool {
    name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data-"))
}

/// Whether a value reads like sentences: most data attributes contain names, settings or markup.
fn is_prose(value: &str) -> bool {
    const LEAST_BYTES: usize = 30;
    const LEAST_WORDS: usize = 5;
    value.len() >= LEAST_BYTES
        && !value.trim_start().starts_with(['{', '[', '<', '&', '/', '#', '.', '$'])
        && value.split_ascii_whitespace().take(LEAST_WORDS).count() == LEAST_WORDS
}

/// Elements that contain the whole page: their class names describe its state, not their role.
fn is_page_wrapper(tag: u64) -> bool {
    matches!(tag, name::HTML | name::BODY | name::MAIN | name::ARTICLE)
}

/// The byte range of a slice of the page.
fn byte_range(html: &str, part: &str) -> Option<(usize, usize)> {
    let start = (part.as_ptr() as usize).checked_sub(html.as_ptr() as usize)?;
    Some((start, start + part.len()))
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

/// `5; url=/next`, with the liberties that browsers allow.
fn parse_refresh(content: &str) -> Option<MetaRefresh> {
    let content = content.trim();
    let digits = content.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = content.split_at_checked(digits)?;
    if number.is_empty() && !rest.starts_with('.') {
        return None;
    }
    let seconds = if number.is_empty() { 0 } else { number.parse().unwrap_or(u32::MAX) };
    let fraction = |c: char| c.is_ascii_digit() || c == '.';
    let rest = rest.trim_start_matches(fraction).trim_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_start();
    let unnamed = rest
        .get(..3)
        .filter(|name| name.eq_ignore_ascii_case("url"))
        .and_then(|_| rest.get(3..)?.trim_start().strip_prefix('='))
        .unwrap_or(rest)
        .trim();
    let target = match unnamed.chars().next() {
        Some(mark @ ('"' | '\'')) => {
            let inner = unnamed.strip_prefix(mark).unwrap_or(unnamed);
            inner.split(mark).next().unwrap_or_default()
        }
        _ => unnamed,
    };
    let target = target.trim();
    Some(MetaRefresh { seconds, target: (!target.is_empty()).then(|| target.to_owned()) })
}

/// Decodes percent-encoding; returns the value unchanged if the result is not valid UTF-8.
fn percent_decode(value: &str) -> String {
    if !value.contains('%') {
        return value.to_owned();
    }
    let mut out = Vec::with_capacity(value.len());
    let mut bytes = value.bytes();
    while let Some(byte) = bytes.next() {
        let mut ahead = bytes.clone();
        let digit = |byte: Option<u8>| byte.and_then(|b| char::from(b).to_digit(16));
        match (byte, digit(ahead.next()), digit(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or(b'%'));
                bytes = ahead;
            }
            _ => out.push(byte),
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| value.to_owned())
}

/// Keys of the attribute names that may appear on any element.
mod attribute {
    use super::name_key;

    pub(super) const CLASS: u64 = name_key(b"class");
    pub(super) const ID: u64 = name_key(b"id");
    pub(super) const STYLE: u64 = name_key(b"style");
    pub(super) const HIDDEN: u64 = name_key(b"hidden");
    pub(super) const ARIA_HIDDEN: u64 = name_key(b"aria-hidden");
    pub(super) const OPEN: u64 = name_key(b"open");
    pub(super) const BGCOLOR: u64 = name_key(b"bgcolor");
    pub(super) const COLOR: u64 = name_key(b"color");
    pub(super) const TEXT: u64 = name_key(b"text");
    pub(super) const ROLE: u64 = name_key(b"role");
    pub(super) const ALT: u64 = name_key(b"alt");
    pub(super) const TITLE: u64 = name_key(b"title");
    pub(super) const VALUE: u64 = name_key(b"value");
    pub(super) const PLACEHOLDER: u64 = name_key(b"placeholder");
    pub(super) const ARIA_LABEL: u64 = name_key(b"aria-label");
    pub(super) const ARIA_DESCRIPTION: u64 = name_key(b"aria-description");
    pub(super) const ITEMSCOPE: u64 = name_key(b"itemscope");
    pub(super) const ITEMPROP: u64 = name_key(b"itemprop");
    pub(super) const ITEMTYPE: u64 = name_key(b"itemtype");
    pub(super) const ITEMID: u64 = name_key(b"itemid");
    pub(super) const ITEMREF: u64 = name_key(b"itemref");
}
