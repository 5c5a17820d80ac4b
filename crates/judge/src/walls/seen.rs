//! An answer made ready for looking: bounded, in lower case, the text apart from the source.

use std::borrow::Cow;

use contract::evidence::Response;
use declared::page::Page;

use super::WallKind;
use super::table::{Limits, folded};

/// Header fields looked at, and characters of each.
const MAX_FIELDS: usize = 200;
const MAX_FIELD_CHARS: usize = 4_096;
/// Characters of the other side's text shown in a mark.
const EXCERPT_CHARS: usize = 80;

pub(super) struct Seen {
    pub(super) status: u16,
    pub(super) fields: Vec<Field>,
    /// Names alone; what a cookie holds is nobody's business here.
    pub(super) cookies: Vec<String>,
    pub(super) title: Option<String>,
    /// What a reader without scripts sees.
    pub(super) text: String,
    /// The source, as sent: a page *about* marks writes them with character references.
    pub(super) markup: String,
    pub(super) is_html: bool,
    /// Whether all of the body is in `markup`.
    pub(super) whole: bool,
    /// None: too long to count.
    words: Option<usize>,
}

pub(super) struct Field {
    pub(super) name: String,
    pub(super) folded: String,
    pub(super) shown: String,
}

impl Seen {
    /// `known` is the page of this very body, when somebody has read it already.
    pub(super) fn read(
        response: &Response,
        body: &[u8],
        known: Option<&Page>,
        limits: &Limits,
    ) -> Self {
        let content_type = response.header("content-type");
        let opening = body.get(..limits.body_bytes).unwrap_or(body);
        // Words are counted further on than marks are looked for: behind a long style sheet a
        // page would look empty.
        let counted = body.get(..limits.long_page_bytes).unwrap_or(body);
        let all = counted.len() == body.len();
        let page = match known.filter(|_| all) {
            Some(page) => Cow::Borrowed(page),
            None => Cow::Owned(Page::read(counted, content_type)),
        };
        let words = (all && !page.cut).then(|| page.words().count());
        // On a page of many words that was served, no mark of the body counts: none is looked for.
        let long = response.status == 200 && words.is_none_or(|words| words > limits.most_words());
        let opening = if long { &[][..] } else { opening };
        let fields = response
            .headers
            .iter()
            .take(MAX_FIELDS)
            .map(|line| {
                let value: String = line.value.trim().chars().take(MAX_FIELD_CHARS).collect();
                let shown = excerpt(&value);
                Field { name: line.name.to_ascii_lowercase(), folded: folded(&value), shown }
            })
            .collect();
        let cookies = response
            .headers_named("set-cookie")
            .take(MAX_FIELDS)
            .filter_map(|line| line.split(['=', ';']).next())
            .map(|name| name.trim().chars().take(EXCERPT_CHARS).collect())
            .collect();
        let said_html =
            content_type.is_some_and(|value| value.to_ascii_lowercase().contains("html"));
        Self {
            status: response.status,
            fields,
            cookies,
            title: page.title.as_deref().map(folded),
            text: if long { String::new() } else { folded(cut(&page.text, limits.body_bytes)) },
            markup: folded(&declared::charset::decode(opening, content_type)),
            is_html: said_html || declared::shape::looks_like_html(body),
            whole: opening.len() == body.len() && response.body.cut.is_none(),
            words,
        }
    }

    pub(super) fn has_at_most(&self, words: usize) -> bool {
        self.words.is_some_and(|count| count <= words)
    }

    pub(super) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Fields that say more about a wall of this kind.
    pub(super) fn particulars(&self, kind: WallKind) -> Option<String> {
        let shown = |name: &str| {
            self.field(name)
                .filter(|field| !field.shown.is_empty())
                .map(|field| format!("header {name}: {}", field.shown))
        };
        match kind {
            WallKind::RateLimit => shown("retry-after"),
            WallKind::Login => shown("www-authenticate"),
            WallKind::Legal => self
                .fields
                .iter()
                .find(|field| field.name == "link" && field.folded.contains("blocked-by"))
                .map(|field| format!("header link: {}", field.shown)),
            _ => None,
        }
    }
}

/// The beginning of a text, at a character's border.
fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

/// Text of the other side, made harmless to show: short, on one line, nothing that hides or turns
/// the direction of what follows.
pub(super) fn excerpt(text: &str) -> String {
    let hides = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
            || matches!(c, '\u{feff}' | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}')
    };
    let mut shown: String = text
        .chars()
        .take(EXCERPT_CHARS)
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .map(|c| if hides(c) { char::REPLACEMENT_CHARACTER } else { c })
        .collect();
    if text.chars().nth(EXCERPT_CHARS).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_short_and_hides_nothing() {
        assert_eq!(excerpt("a\r\nb\u{202e}c\u{0}"), "a  b\u{fffd}c\u{fffd}");
        assert_eq!(excerpt(&"ü".repeat(200)).chars().count(), EXCERPT_CHARS + 1);
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(cut("aüb", 2), "a");
        assert_eq!(cut("aüb", 3), "aü");
        assert_eq!(cut("aüb", 99), "aüb");
    }
}
