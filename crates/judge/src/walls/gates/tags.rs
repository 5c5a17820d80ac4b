//! Tags and text of a page in their order, read in place. Not a parser: only what is needed to see
//! how a short page is built. Linear in the size of the page.

/// One piece of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Open { name: &'a str, attributes: Attributes<'a> },
    Close { name: &'a str },
    Text(&'a str),
}

/// Elements whose content is not markup.
const RAW_ELEMENTS: [&str; 8] =
    ["script", "style", "textarea", "title", "iframe", "xmp", "noembed", "template"];

pub(super) struct Tokens<'a> {
    rest: &'a str,
    /// The raw element that was opened last and whose content comes next.
    raw: Option<&'static str>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(html: &'a str) -> Self {
        Self { rest: html, raw: None }
    }

    /// Skips to the end tag of a raw element.
    fn skip_raw(&mut self, name: &str) {
        let mut rest = self.rest;
        while let Some((_, after)) = rest.split_once("</") {
            if starts_with_ignore_case(after, name) {
                self.rest = self.rest.get(self.rest.len() - after.len() - 2..).unwrap_or_default();
                return;
            }
            rest = after;
        }
        self.rest = "";
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        if let Some(name) = self.raw.take() {
            self.skip_raw(name);
        }
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let Some(inner) = self.rest.strip_prefix('<') else {
                let end = self.rest.find('<').unwrap_or(self.rest.len());
                let (text, rest) = self.rest.split_at_checked(end)?;
                self.rest = rest;
                return Some(Token::Text(text));
            };
            if let Some(comment) = inner.strip_prefix("!--") {
                self.rest = comment.split_once("-->").map_or("", |(_, after)| after);
                continue;
            }
            if inner.starts_with(['!', '?']) {
                self.rest = inner.split_once('>').map_or("", |(_, after)| after);
                continue;
            }
            let (closes, named) = match inner.strip_prefix('/') {
                Some(named) => (true, named),
                None => (false, inner),
            };
            if !named.starts_with(|c: char| c.is_ascii_alphabetic()) {
                // A bare `<` is text.
                self.rest = inner;
                return Some(Token::Text("<"));
            }
            let end = named.find(ends_name).unwrap_or(named.len());
            let (name, after) = named.split_at_checked(end)?;
            let (attributes, rest) = split_tag(after);
            self.rest = rest;
            if closes {
                return Some(Token::Close { name });
            }
            self.raw = RAW_ELEMENTS.into_iter().find(|raw| raw.eq_ignore_ascii_case(name));
            return Some(Token::Open { name, attributes: Attributes(attributes) });
        }
    }
}

fn ends_name(c: char) -> bool {
    c.is_ascii_whitespace() || matches!(c, '/' | '>')
}

fn starts_with_ignore_case(text: &str, start: &str) -> bool {
    text.as_bytes().get(..start.len()).is_some_and(|s| s.eq_ignore_ascii_case(start.as_bytes()))
}

/// Splits after the closing bracket of a tag. Brackets in quoted values do not end it.
fn split_tag(text: &str) -> (&str, &str) {
    let mut quote = None;
    let mut follows_equals = false;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(mark), byte) if byte == mark => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') if follows_equals => quote = Some(byte),
            (None, b'>') => {
                let attributes = text.get(..at).unwrap_or_default();
                return (attributes, text.get(at + 1..).unwrap_or_default());
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            follows_equals = byte == b'=';
        }
    }
    (text, "")
}

/// The attributes of a start tag, as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Attributes<'a>(&'a str);

/// The most attributes of one tag that are read.
const MAX_ATTRIBUTES: usize = 60;

impl<'a> Attributes<'a> {
    pub(super) fn iter(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        AttributeReader(self.0).take(MAX_ATTRIBUTES)
    }

    pub(super) fn get(self, wanted: &str) -> Option<&'a str> {
        self.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value)
    }
}

struct AttributeReader<'a>(&'a str);

impl<'a> Iterator for AttributeReader<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.0.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        let mut after_first = rest.char_indices().skip(1);
        let end = after_first
            .find(|(_, c)| c.is_ascii_whitespace() || matches!(c, '=' | '/'))
            .map_or(rest.len(), |(at, _)| at);
        let (name, after) = rest.split_at_checked(end).filter(|(name, _)| !name.is_empty())?;
        let Some(value) = after.trim_ascii_start().strip_prefix('=') else {
            self.0 = after;
            return Some((name, ""));
        };
        let value = value.trim_ascii_start();
        let quoted = value.strip_prefix(['"', '\'']);
        let (value, after) = match (quoted, value.chars().next()) {
            (Some(inner), Some(mark)) => inner.split_once(mark).unwrap_or((inner, "")),
            _ => {
                let end = value.find(|c: char| c.is_ascii_whitespace()).unwrap_or(value.len());
                value.split_at_checked(end).unwrap_or((value, ""))
            }
        };
        self.0 = after;
        Some((name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(html: &str) -> Vec<String> {
        Tokens::new(html)
            .map(|token| match token {
                Token::Open { name, .. } => format!("<{name}"),
                Token::Close { name } => format!("/{name}"),
                Token::Text(text) => text.to_owned(),
            })
            .collect()
    }

    #[test]
    fn tags_and_text_come_in_order() {
        assert_eq!(names("a<p title='x>y'>b</p>"), ["a", "<p", "b", "/p"]);
        assert_eq!(names("<script>if (a<b) '<p>'</SCRIPT>c"), ["<script", "/SCRIPT", "c"]);
        assert_eq!(names("1 < 2<!-- <p> -->3<!doctype html>"), ["1 ", "<", " 2", "3"]);
        assert_eq!(names("<script>never closed <p>"), ["<script"]);
        assert_eq!(names("<p"), ["<p"]);
    }

    #[test]
    fn attributes_are_read_as_written() {
        let html = "<input TYPE=password name = 'a b' required data-x=\"1\">";
        let Some(Token::Open { attributes, .. }) = Tokens::new(html).next() else { panic!() };
        assert_eq!(attributes.get("type"), Some("password"));
        assert_eq!(attributes.get("name"), Some("a b"));
        assert_eq!(attributes.get("required"), Some(""));
        assert_eq!(attributes.get("data-x"), Some("1"));
        assert_eq!(attributes.get("value"), None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_ends(parts in proptest::collection::vec(proptest::sample::select(vec![
            "<", ">", "</", "<script", "</script>", "'", "\"", "=", "<!--", "-->", "é", "input type", " ", "<p ", "/",
        ]), 0..120)) {
            let html = parts.concat();
            let count = Tokens::new(&html).map(|token| match token {
                Token::Open { attributes, .. } => attributes.iter().count(),
                _ => 0,
            }).count();
            proptest::prop_assert!(count <= html.len() + 1);
        }
    }
}
