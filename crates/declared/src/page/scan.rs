//! The one pass over a page: tokens in, gathered facts out.
//!
//! The tokeniser tells of start tags and where they stand. What stands between two of them, text,
//! end tags and comments, is read in place (`between`), which costs less than asking to be called
//! for each.

use std::cell::RefCell;

use lol_html::{HtmlRewriter, MemorySettings, Settings, element};

use super::between::{Piece, Pieces};
use super::blocks::Blocks;
use super::microdata::{Gathered, Marks, Slot};
use super::notes::Notes;
use super::role::{self, bit, name};
use super::tag::{self, Attributes, key};
use super::text::{self, Words};
use super::{Page, PageLink, Surface};

/// Text kept of one page. Longer pages are compared by their beginning, and say so.
pub(super) const MAX_TEXT_BYTES: usize = 1 << 20;
/// What the tokeniser may hold while it reads one page.
const MAX_PARSER_MEMORY: usize = 8 << 20;
/// Open elements that are kept apart. What is nested deeper counts to the deepest of them.
const MAX_DEPTH: usize = 256;
/// Text that is not part of the page's own: templates, titles of drawings.
const MAX_UNSEEN_BYTES: usize = 128 << 10;
const MAX_HEADINGS: usize = 50;
const MAX_META: usize = 100;
const MAX_LINKS: usize = 200;
const MAX_BLOCKS_OF_DATA: usize = 20;
/// Bytes kept of one block of structured data.
pub(crate) const MAX_DATA_BYTES: usize = 256 << 10;
const MAX_CONTACTS: usize = 50;
const MAX_VALUE: usize = 2_048;
/// A page with more words than this is no empty shell, whatever its elements are called.
const SHELL_WORDS: usize = 50;

/// Reads a decoded page.
pub(super) fn read(html: &str) -> Page {
    let scan = RefCell::new(Scan::new(html));
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
    // A rewriter that failed must not be asked again.
    let finished = if rewriter.write(html.as_bytes()).is_ok() {
        rewriter.end().is_ok()
    } else {
        drop(rewriter);
        false
    };
    scan.into_inner().finish(finished)
}

/// An open element.
struct Frame {
    tag: u64,
    bits: u32,
    /// How long the text was when it began.
    opened: usize,
    surface: Option<Surface>,
    slot: Option<Slot>,
    /// The microdata item that properties inside belong to.
    item: Option<usize>,
    /// Where its `id` stands in the page.
    id: Option<(usize, usize)>,
    is_app_root: bool,
}

/// What a script element holds, when it is not a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Data {
    JsonLd,
    Rsl,
}

struct Scan<'a> {
    html: &'a str,
    /// Everything before this place was read.
    at: usize,
    frames: Vec<Frame>,
    /// Elements open beyond the depth that is kept.
    beyond: usize,
    text: Words,
    unseen: Words,
    title: Words,
    titled: bool,
    blocks: Blocks,
    notes: Notes,
    microdata: Gathered,
    /// The element that is open and holds raw text: nothing in it is a tag but its own end.
    raw: Option<u64>,
    data: Option<Data>,
    empty_root: bool,
    page: Page,
}

impl<'a> Scan<'a> {
    fn new(html: &'a str) -> Self {
        let mut text = Words::up_to(MAX_TEXT_BYTES);
        text.reserve(html.len() / 3);
        Self {
            html,
            at: 0,
            frames: Vec::with_capacity(32),
            beyond: 0,
            text,
            unseen: Words::up_to(MAX_UNSEEN_BYTES),
            title: Words::up_to(1_000),
            titled: false,
            blocks: Blocks::default(),
            notes: Notes::default(),
            microdata: Gathered::default(),
            raw: None,
            data: None,
            empty_root: false,
            page: Page::default(),
        }
    }

    fn bits(&self) -> u32 {
        self.frames.last().map_or(0, |frame| frame.bits)
    }

    /// Takes what stands before a start tag, and moves behind the tag.
    fn advance(&mut self, start: usize, end: usize) {
        if start > self.at {
            let html = self.html;
            let between = html.get(self.at..start).unwrap_or_default();
            for piece in Pieces::new(between, self.raw.take()) {
                match piece {
                    Piece::Text(raw) => self.text(raw),
                    Piece::Raw(tag, raw) => self.raw_text(tag, raw),
                    Piece::End(tag) => self.end_tag(tag),
                    Piece::Comment(raw) => self.notes.raw(Surface::Comment, raw),
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
            self.blocks.grown(self.text.len() - before, bits);
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
        let tag = key(tag_name.as_bytes());
        if role::closes_itself(tag) && self.frames.last().is_some_and(|top| top.tag == tag) {
            self.close_top();
        }
        let inline = role::is_inline(tag);
        if !inline {
            self.part();
        }
        let around = self.bits();
        let parent = self.frames.last();
        let in_body = parent.is_none_or(|parent| parent.tag == name::BODY);
        let outer_item = parent.and_then(|parent| parent.item);
        let mut bits = role::by_name(tag, around, in_body);
        let mut surface = (tag == name::TEMPLATE).then_some(Surface::Template);
        let mut marks = Marks::default();
        let mut id = None;
        if attributes.len() > 1 {
            for (attribute, value) in Attributes(attributes) {
                match key(attribute.as_bytes()) {
                    attribute::CLASS if !inline && !is_whole(tag) => bits |= role::by_class(value),
                    attribute::ID => {
                        id = id.or(Some(value));
                        if !inline && !is_whole(tag) {
                            bits |= role::by_class(value);
                        }
                    }
                    attribute::STYLE if super::style::hides(value) => {
                        surface = surface.or(Some(Surface::CssHidden));
                    }
                    attribute::HIDDEN => surface = surface.or(Some(Surface::HiddenAttribute)),
                    attribute::ROLE => bits |= role::by_role(value),
                    attribute::ALT
                    | attribute::TITLE
                    | attribute::ARIA_LABEL
                    | attribute::ARIA_DESCRIPTION
                    | attribute::PLACEHOLDER => self.notes.raw(Surface::Attribute, value),
                    attribute::VALUE if tag == name::INPUT => {
                        self.notes.raw(Surface::Attribute, value);
                    }
                    attribute::ITEMSCOPE => marks.scope = true,
                    attribute::ITEMPROP => marks.property = Some(value),
                    attribute::ITEMTYPE => marks.types = Some(value),
                    attribute::ITEMID => marks.id = Some(value),
                    attribute::ITEMREF => marks.references = Some(value),
                    _ => {}
                }
            }
            self.particular(tag, attributes);
        } else {
            self.particular(tag, "");
        }
        if surface.is_some() {
            bits |= bit::HIDDEN;
        }
        bits |= match bits & bit::MAIN {
            0 => around,
            // The main part stays the main part, whatever it is wrapped in.
            _ => around & !(bit::CHROME | bit::ASIDE | bit::EDGE),
        };
        if tag == name::FOREIGN_OBJECT {
            bits &= !bit::SVG;
        }
        // Only the outermost of hidden elements is noted: it holds the others.
        let surface = surface.filter(|_| around & bit::HIDDEN == 0).or_else(|| {
            let drawn = matches!(tag, name::TEXT | name::TITLE | name::DESC);
            (around & bit::SVG != 0 && drawn).then_some(Surface::SvgText)
        });

        let mut frame = Frame {
            tag,
            bits,
            opened: if bits & bit::UNSEEN == 0 { self.text.len() } else { self.unseen.len() },
            surface,
            slot: None,
            item: outer_item,
            id: id.and_then(|id| span(html, id)),
            is_app_root: tag == name::APP_ROOT || id.is_some_and(role::is_app_root),
        };
        if marks.scope || marks.property.is_some() {
            self.mark(&mut frame, &marks, attributes, outer_item);
        }
        let closed = role::is_void(tag) || (bits & bit::SVG != 0 && raw.ends_with("/>"));
        if closed {
            return;
        }
        // In drawings a title is text like any other.
        if role::holds_raw_text(tag) && (tag != name::TITLE || around & bit::SVG == 0) {
            self.raw = Some(tag);
        }
        if self.frames.len() >= MAX_DEPTH {
            self.beyond += 1;
            return;
        }
        if (bits ^ around) & bit::SETS_APART != 0 {
            self.blocks.end(self.text.len());
        }
        self.frames.push(frame);
    }

    /// Microdata on one element.
    fn mark(
        &mut self,
        frame: &mut Frame,
        marks: &Marks<'_>,
        attributes: &str,
        outer: Option<usize>,
    ) {
        if marks.scope {
            frame.item = self.microdata.open(marks, outer);
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
        let (html, frames, own) = (self.html, &self.frames, frame.id);
        frame.slot = self.microdata.property(names, value, outer, || {
            let spans = frames.iter().filter_map(|frame| frame.id).chain(own);
            spans.filter_map(|(start, end)| html.get(start..end)).map(str::to_owned).collect()
        });
    }

    /// What single kinds of elements say in their own attributes.
    fn particular(&mut self, tag: u64, attributes: &str) {
        let attribute = |wanted| tag::attribute(attributes, wanted);
        match tag {
            name::A => {
                if let Some(href) = attribute("href") {
                    self.anchor(href);
                }
            }
            name::HTML => {
                let language = attribute("lang").map(|lang| text::clean(lang, 35));
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
                }
            }
            name::LINK => self.link(attributes),
            name::SCRIPT => {
                let kind = attribute("type").unwrap_or_default();
                let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
                self.data = match kind.as_str() {
                    "application/ld+json" => Some(Data::JsonLd),
                    "application/rsl+xml" => Some(Data::Rsl),
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
        self.blocks.anchor();
        let scheme = href.trim_start().as_bytes().get(..7).unwrap_or_default();
        let (list, length) = if scheme.get(..4).is_some_and(|s| s.eq_ignore_ascii_case(b"tel:")) {
            (&mut self.page.telephones, 4)
        } else if scheme.eq_ignore_ascii_case(b"mailto:") {
            (&mut self.page.mails, 7)
        } else {
            return;
        };
        let value = href.trim_start().get(length..).unwrap_or_default();
        let value = value.split('?').next().unwrap_or_default();
        let value = percent_decoded(&text::clean(value, 300));
        let value = value.trim();
        if !value.is_empty() && list.len() < MAX_CONTACTS && !list.iter().any(|v| v == value) {
            list.push(value.to_owned());
        }
    }

    fn meta(&mut self, called: &str, content: &str) {
        let called = text::clean(called, 100).to_ascii_lowercase();
        let content = text::clean(content, MAX_VALUE);
        let robots = called == "robots" || called.ends_with("bot");
        if robots && self.page.meta_robots.len() < 20 {
            let content = content.chars().take(300).collect();
            self.page.meta_robots.push((called.clone(), content));
        }
        if called == "description" || called.starts_with("og:") || called.starts_with("twitter:") {
            self.notes.clean(Surface::Meta, &content);
        }
        if self.page.meta.len() < MAX_META && !called.is_empty() {
            self.page.meta.push((called, content));
        }
    }

    fn link(&mut self, attributes: &str) {
        let Some(href) = tag::attribute(attributes, "href") else { return };
        let rel = text::clean(tag::attribute(attributes, "rel").unwrap_or_default(), 200);
        let href = text::clean(href, MAX_VALUE);
        let is_canonical = rel.split(' ').any(|word| word.eq_ignore_ascii_case("canonical"));
        if is_canonical && self.page.canonical.is_none() && !href.is_empty() {
            self.page.canonical = Some(href.clone());
        }
        if self.page.links.len() < MAX_LINKS {
            let media_type = tag::attribute(attributes, "type").map(|t| text::clean(t, 200));
            self.page.links.push(PageLink { rel, href, media_type });
        }
    }

    fn end_tag(&mut self, tag: u64) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        let Some(depth) = self.frames.iter().rposition(|frame| frame.tag == tag) else {
            // `</p>` and `</br>` without a start still part words; others do no harm.
            if !role::is_inline(tag) {
                self.part();
            }
            return;
        };
        while self.frames.len() > depth {
            self.close_top();
        }
    }

    /// A boundary between two blocks of text.
    fn part(&mut self) {
        self.text.part();
        self.unseen.part();
        self.blocks.end(self.text.len());
    }

    fn close_top(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        let outside = self.bits();
        if !role::is_inline(frame.tag) {
            self.part();
        } else if (frame.bits ^ outside) & bit::SETS_APART != 0 {
            self.blocks.end(self.text.len());
        }
        let words = if frame.bits & bit::UNSEEN == 0 { &self.text } else { &self.unseen };
        if let Some(surface) = frame.surface {
            self.notes.clean(surface, words.since(frame.opened));
        }
        if let Some(slot) = frame.slot {
            self.microdata.fill(slot, words.since(frame.opened));
        }
        if let Some(level) = role::heading_level(frame.tag)
            && self.page.headings.len() < MAX_HEADINGS
            && !words.since(frame.opened).is_empty()
        {
            let heading = text::cut(words.since(frame.opened), 300).to_owned();
            self.page.headings.push((level, heading));
        }
        if frame.is_app_root && words.since(frame.opened).is_empty() {
            self.empty_root = true;
        }
        match frame.tag {
            name::ADDRESS if self.page.address_blocks.len() < MAX_CONTACTS => {
                let address = text::cut(words.since(frame.opened), 500);
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
            Data::JsonLd => &mut self.page.json_ld,
            Data::Rsl => &mut self.page.rsl,
        };
        if list.len() < MAX_BLOCKS_OF_DATA && !raw.trim().is_empty() {
            list.push(text::cut(raw, MAX_DATA_BYTES).to_owned());
        }
    }

    fn noscript(&mut self, raw: &str) {
        let words = without_tags(text::cut(raw, MAX_UNSEEN_BYTES));
        let count = words.split(' ').filter(|word| super::is_word(word)).count();
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.page.noscript_words = self.page.noscript_words.saturating_add(count);
        self.notes.clean(Surface::Noscript, &words);
    }

    fn finish(mut self, finished: bool) -> Page {
        // Where the tokeniser gave up nobody knows what the rest is.
        if finished {
            self.advance(self.html.len(), self.html.len());
        }
        while !self.frames.is_empty() {
            self.close_top();
        }
        let mut page = self.page;
        page.cut = self.text.is_full() || !finished;
        let text = self.text.into_text();
        (page.main, page.edges) = self.blocks.split(&text);
        page.text = text;
        page.title = Some(self.title.into_text()).filter(|title| !title.is_empty());
        let named = |wanted: &str| {
            let found = page.meta.iter().find(|(called, _)| called == wanted);
            found.map(|(_, content)| content.clone()).filter(|content| !content.is_empty())
        };
        page.description = named("description").or_else(|| named("og:description"));
        page.generator = named("generator");
        page.microdata = self.microdata.finish();
        (page.hidden, page.hidden_cut) = self.notes.finish();
        page.app_root = self.empty_root
            && page.scripts > 0
            && page.words().take(SHELL_WORDS).count() < SHELL_WORDS;
        page
    }
}

/// Elements that hold the whole page: their class names speak of its state, not of their role.
fn is_whole(tag: u64) -> bool {
    matches!(tag, name::HTML | name::BODY | name::MAIN | name::ARTICLE)
}

/// Where a part of the page stands in it.
fn span(html: &str, part: &str) -> Option<(usize, usize)> {
    let start = (part.as_ptr() as usize).checked_sub(html.as_ptr() as usize)?;
    Some((start, start + part.len()))
}

/// Raw markup without its tags.
fn without_tags(raw: &str) -> String {
    let mut words = Words::up_to(MAX_UNSEEN_BYTES);
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('<') {
        words.push(before);
        words.part();
        rest = after.split_once('>').map_or("", |(_, after)| after);
    }
    words.push(rest);
    words.into_text()
}

/// Undoes percent-encoding; what is not valid UTF-8 then stays as it was.
fn percent_decoded(value: &str) -> String {
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

/// Keys of the attribute names that may stand on any element.
mod attribute {
    use super::key;

    pub(super) const CLASS: u64 = key(b"class");
    pub(super) const ID: u64 = key(b"id");
    pub(super) const STYLE: u64 = key(b"style");
    pub(super) const HIDDEN: u64 = key(b"hidden");
    pub(super) const ROLE: u64 = key(b"role");
    pub(super) const ALT: u64 = key(b"alt");
    pub(super) const TITLE: u64 = key(b"title");
    pub(super) const VALUE: u64 = key(b"value");
    pub(super) const PLACEHOLDER: u64 = key(b"placeholder");
    pub(super) const ARIA_LABEL: u64 = key(b"aria-label");
    pub(super) const ARIA_DESCRIPTION: u64 = key(b"aria-description");
    pub(super) const ITEMSCOPE: u64 = key(b"itemscope");
    pub(super) const ITEMPROP: u64 = key(b"itemprop");
    pub(super) const ITEMTYPE: u64 = key(b"itemtype");
    pub(super) const ITEMID: u64 = key(b"itemid");
    pub(super) const ITEMREF: u64 = key(b"itemref");
}
