//! How a page is built: how much text it has outside forms, menus and overlays, which forms, and what
//! a visitor can press. Gates are recognised by this as well as by words.

use declared::page::Page;

use super::element_context::{self as context, Bits};
use super::folded_text::{count_words, fold};
use super::form_fields::FormFields;
use super::tags::{Attributes, Token, Tokens};

/// A page with more words than this is not a gate.
pub(super) const MAX_WORDS: usize = 700;
/// The most open elements that are tracked.
const MAX_DEPTH: usize = 200;
const MAX_FORMS: usize = 12;
const MAX_ACTIONS: usize = 40;
const MAX_ACTION_BYTES: usize = 160;
const MAX_URLS: usize = 300;
const MAX_URL_BYTES: usize = 300;
const MAX_PASSAGES: usize = 100;
const MAX_PASSAGE_BYTES: usize = 2_000;
const MAX_CLASSES: usize = 600;

#[derive(Debug, Default)]
pub(super) struct PageStructure {
    /// Words of text, without those of `noscript`, hidden elements and lists of options.
    pub(super) words: usize,
    /// Of these, words outside forms, menus, headers, footers and overlays.
    pub(super) content_words: usize,
    /// Words in dialogs, pop-ups and banners.
    pub(super) overlay_words: usize,
    pub(super) noscript_words: usize,
    /// The passages outside forms, menus and overlays, as written.
    pub(super) passages: Vec<String>,
    /// Words of the longest passage outside forms, menus and overlays.
    pub(super) longest_passage: usize,
    /// `<a href>` anywhere, and outside menus, footers and overlays.
    pub(super) links: usize,
    pub(super) content_links: usize,
    pub(super) images: usize,
    /// Frames, players, drawings: content that is not text.
    pub(super) embeds: usize,
    pub(super) scripts: usize,
    pub(super) forms: Vec<FormFacts>,
    /// What buttons and links say, folded.
    pub(super) actions: Vec<String>,
    /// Addresses in the markup, in lower case.
    pub(super) urls: Vec<String>,
    pub(super) frame_urls: Vec<String>,
    /// Class names and ids, in lower case.
    pub(super) classes: Vec<String>,
    /// A `meta` element leads to another address.
    pub(super) refreshes: bool,
}

/// A form, or the fields outside any form taken together.
#[derive(Debug, Default)]
pub(super) struct FormFacts {
    pub(super) fields: FormFields,
    /// In a menu, header, footer, side bar or overlay.
    pub(super) is_aside: bool,
    pub(super) is_hidden: bool,
}

impl PageStructure {
    /// Reads a page. None if it has too many words to be a gate.
    pub(super) fn read(html: &str) -> Option<Self> {
        let mut reader = StructureReader::default();
        for token in Tokens::new(html) {
            match token {
                Token::Open { name, attributes } => reader.open(name, attributes),
                Token::Close { name } => reader.close(name),
                Token::Text(text) => reader.text(text),
            }
            if reader.page.words > MAX_WORDS {
                return None;
            }
        }
        Some(reader.finish())
    }

    /// The class names and ids of a page of any length.
    pub(super) fn read_classes(html: &str) -> Vec<String> {
        let mut reader = StructureReader::default();
        for token in Tokens::new(html) {
            if let Token::Open { attributes, .. } = token {
                reader.collect_names(attributes);
            }
        }
        reader.page.classes
    }

    pub(super) fn has_class(&self, known: &[String]) -> Option<&str> {
        self.classes.iter().find(|class| known.contains(class)).map(String::as_str)
    }

    /// Whether there is nothing beside text that a visitor would see or that a script would fill in.
    pub(super) fn is_bare(&self) -> bool {
        self.noscript_words == 0
            && self.images == 0
            && self.embeds == 0
            && self.scripts == 0
            && self.forms.is_empty()
            && !self.refreshes
    }
}

#[derive(Default)]
struct StructureReader<'a> {
    page: PageStructure,
    open: Vec<(&'a str, Bits)>,
    /// The index in `forms` of the open form, and of the fields outside any form.
    form: Option<usize>,
    loose_fields: Option<usize>,
    /// What the open link or button says so far.
    action: Option<String>,
    raw_actions: Vec<String>,
    passage: usize,
    passage_text: String,
}

impl<'a> StructureReader<'a> {
    fn bits(&self) -> Bits {
        self.open.last().map_or(0, |(_, bits)| *bits)
    }

    fn open(&mut self, name: &'a str, attributes: Attributes<'a>) {
        if !context::is_inline(name) {
            self.end_passage();
        }
        self.collect_names(attributes);
        self.collect_urls(name, attributes);
        let bits = self.bits() | context::bits_of(name, attributes);
        let lower = name.to_ascii_lowercase();
        match lower.as_str() {
            "form" => self.form = self.add_form(bits),
            "input" | "select" | "textarea" => self.field(&lower, attributes, bits),
            "a" if attributes.get("href").is_some() => {
                self.page.links += 1;
                if bits & context::APART == 0 {
                    self.page.content_links += 1;
                }
                self.begin_action();
            }
            "button" => self.begin_action(),
            "img" | "picture" => self.page.images += 1,
            "iframe" | "frame" | "video" | "audio" | "object" | "embed" | "canvas" | "svg" => {
                self.page.embeds += 1;
            }
            "script" => {
                let kind = attributes.get("type").unwrap_or_default().to_ascii_lowercase();
                let is_data = kind.contains("json") || kind.contains("xml");
                self.page.scripts += usize::from(!is_data);
            }
            "meta" => {
                let equivalent = attributes.get("http-equiv").unwrap_or_default();
                self.page.refreshes |= equivalent.eq_ignore_ascii_case("refresh");
            }
            _ => {}
        }
        if !context::is_void(&lower) && self.open.len() < MAX_DEPTH {
            self.open.push((name, bits));
        }
    }

    fn close(&mut self, name: &str) {
        if !context::is_inline(name) {
            self.end_passage();
        }
        if name.eq_ignore_ascii_case("form") {
            self.form = None;
        }
        if name.eq_ignore_ascii_case("a") || name.eq_ignore_ascii_case("button") {
            self.end_action();
        }
        let opened = self.open.iter().rposition(|(open, _)| open.eq_ignore_ascii_case(name));
        if let Some(at) = opened {
            self.open.truncate(at);
        }
    }

    fn text(&mut self, text: &str) {
        let bits = self.bits();
        if let Some(action) = &mut self.action
            && action.len() < MAX_ACTION_BYTES
        {
            action.push_str(super::super::text::truncate_at_char(text, MAX_ACTION_BYTES));
        }
        if bits & (context::HIDDEN | context::OPTIONS) != 0 {
            return;
        }
        let words = count_words(text);
        if bits & context::NOSCRIPT != 0 {
            self.page.noscript_words += words;
            return;
        }
        self.page.words += words;
        if bits & context::OVERLAY != 0 {
            self.page.overlay_words += words;
        }
        if bits & (context::APART | context::FORM) == 0 {
            self.page.content_words += words;
            self.passage += words;
            if self.passage_text.len() < MAX_PASSAGE_BYTES {
                let more = super::super::text::truncate_at_char(text, MAX_PASSAGE_BYTES);
                self.passage_text.push_str(more);
            }
        }
    }

    fn end_passage(&mut self) {
        self.page.longest_passage = self.page.longest_passage.max(self.passage);
        if self.passage > 0 && self.page.passages.len() < MAX_PASSAGES {
            self.page.passages.push(std::mem::take(&mut self.passage_text));
        }
        self.passage = 0;
        self.passage_text.clear();
    }

    fn add_form(&mut self, bits: Bits) -> Option<usize> {
        if self.page.forms.len() >= MAX_FORMS {
            return None;
        }
        self.page.forms.push(FormFacts {
            fields: FormFields::default(),
            is_aside: bits & context::APART != 0,
            is_hidden: bits & context::HIDDEN != 0,
        });
        Some(self.page.forms.len() - 1)
    }

    fn field(&mut self, element: &str, attributes: Attributes<'_>, bits: Bits) {
        let kind = attributes.get("type").unwrap_or_default().to_ascii_lowercase();
        if element == "input" && matches!(kind.as_str(), "submit" | "button" | "reset") {
            if let Some(value) = attributes.get("value")
                && self.raw_actions.len() < MAX_ACTIONS
            {
                let value = super::super::text::truncate_at_char(value, MAX_ACTION_BYTES);
                self.raw_actions.push(value.to_owned());
            }
            return;
        }
        let at = match self.form.or(self.loose_fields) {
            Some(at) => Some(at),
            None => {
                self.loose_fields = self.add_form(bits);
                self.loose_fields
            }
        };
        if let Some(form) = at.and_then(|at| self.page.forms.get_mut(at)) {
            form.fields.add(element, &kind, attributes);
        }
    }

    fn begin_action(&mut self) {
        self.end_action();
        self.action = Some(String::new());
    }

    fn end_action(&mut self) {
        if let Some(action) = self.action.take()
            && !action.trim().is_empty()
            && self.raw_actions.len() < MAX_ACTIONS
        {
            self.raw_actions.push(action);
        }
    }

    fn collect_names(&mut self, attributes: Attributes<'_>) {
        for wanted in ["class", "id"] {
            let value = attributes.get(wanted).unwrap_or_default();
            for word in value.split_ascii_whitespace() {
                if self.page.classes.len() >= MAX_CLASSES || word.len() > 80 {
                    return;
                }
                self.page.classes.push(word.to_ascii_lowercase());
            }
        }
    }

    fn collect_urls(&mut self, name: &str, attributes: Attributes<'_>) {
        let is_frame = name.eq_ignore_ascii_case("iframe") || name.eq_ignore_ascii_case("frame");
        for wanted in ["src", "href", "action", "content"] {
            let Some(url) = attributes.get(wanted) else { continue };
            let is_address = wanted != "content" || url.contains("://");
            if url.is_empty() || !is_address || self.page.urls.len() >= MAX_URLS {
                continue;
            }
            let url = super::super::text::truncate_at_char(url, MAX_URL_BYTES).to_lowercase();
            if is_frame {
                self.page.frame_urls.push(url.clone());
            }
            self.page.urls.push(url);
        }
    }

    fn finish(mut self) -> PageStructure {
        self.end_action();
        self.end_passage();
        self.page.actions = decode_actions(&self.raw_actions);
        self.page
    }
}

/// The texts with their character references resolved. The page reader knows all of them, so they
/// are given to it as headings.
fn decode_actions(raw: &[String]) -> Vec<String> {
    let html: String = raw.iter().map(|text| format!("<h2>{text}</h2>")).collect();
    let page = Page::read(html.as_bytes(), Some("text/html; charset=utf-8"));
    page.headings.iter().map(|(_, text)| fold(text, MAX_ACTION_BYTES * 2)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_counted_by_where_it_stands() {
        let page = PageStructure::read(
            "<header>Three words here</header><main><p>One <b>two</b> three</p><p>four</p></main>\
             <form><label>Name</label><select><option>Peru<option>Chad</select></form>\
             <div class='cookie-banner'>We use cookies</div><div hidden>not seen</div>\
             <noscript>Please enable scripts</noscript>",
        )
        .unwrap();
        assert_eq!((page.words, page.content_words, page.noscript_words), (11, 4, 3));
        assert_eq!(page.longest_passage, 3);
    }

    #[test]
    fn forms_and_actions_are_found() {
        let page = PageStructure::read(
            "<nav><form><input type=search></form></nav><form><input name=user><input type=PASSWORD>\
             <input type=submit value='S&#39;identifier'></form><a href=/x>Mot de passe oubli&eacute;</a>\
             <button>Yes</button>",
        )
        .unwrap();
        assert_eq!(page.forms.len(), 2);
        assert!(page.forms[0].is_aside && !page.forms[1].is_aside);
        assert_eq!(page.forms[1].fields.passwords, 1);
        assert_eq!(page.actions, ["s'identifier", "mot de passe oublie", "yes"]);
        assert_eq!(page.content_links, 1);
    }

    #[test]
    fn a_long_page_is_not_read_to_its_end() {
        assert!(PageStructure::read(&"<p>a word</p>".repeat(400)).is_none());
    }
}
