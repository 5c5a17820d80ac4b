//! Splits the markup between two start tags into text, end tags and comments.

use super::element_role::name;
use super::tag::{after_tag, ends_name, name_key};

#[derive(Debug, PartialEq, Eq)]
pub(super) enum MarkupPiece<'a> {
    Text(&'a str),
    /// The whole text of an element that contains raw text, with the key of its tag.
    Raw(u64, &'a str),
    End(u64),
    Comment(&'a str),
}

/// An iterator over the pieces of the markup between two start tags.
pub(super) struct MarkupPieces<'a> {
    rest: &'a str,
    raw: Option<u64>,
}

impl<'a> MarkupPieces<'a> {
    /// `raw` is the element that was opened last, if it contains raw text.
    pub(super) fn new(between: &'a str, raw: Option<u64>) -> Self {
        Self { rest: between, raw }
    }

    /// What was not split yet: empty, or from a start tag on.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }
}

impl<'a> Iterator for MarkupPieces<'a> {
    type Item = MarkupPiece<'a>;

    fn next(&mut self) -> Option<MarkupPiece<'a>> {
        if let Some(tag) = self.raw.take() {
            let end = raw_end(self.rest, tag);
            return Some(MarkupPiece::Raw(tag, self.take(end)));
        }
        loop {
            let mut bytes = self.rest.bytes();
            if bytes.next()? != b'<' {
                let length = find(self.rest, b'<').unwrap_or(self.rest.len());
                return Some(MarkupPiece::Text(self.take(length)));
            }
            match bytes.next() {
                Some(b'/') => match bytes.next() {
                    Some(letter) if letter.is_ascii_alphabetic() => {
                        let inner = self.rest.get(2..)?;
                        let end = inner.bytes().position(ends_name).unwrap_or(inner.len());
                        let (name, after) = inner.split_at_checked(end)?;
                        self.rest = after_tag(after);
                        return Some(MarkupPiece::End(name_key(name.as_bytes())));
                    }
                    Some(b'>') => {
                        self.take(3);
                    }
                    Some(_) => return Some(self.declaration()),
                    None => return Some(MarkupPiece::Text(self.take(2))),
                },
                Some(b'!') if self.rest.starts_with("<!--") => return Some(self.comment()),
                Some(b'!') => {
                    let is_doctype =
                        self.rest.get(2..9).is_some_and(|w| w.eq_ignore_ascii_case("doctype"));
                    let piece = self.declaration();
                    if !is_doctype {
                        return Some(piece);
                    }
                }
                Some(b'?') => return Some(self.declaration()),
                // An unfinished start tag at the end of the page.
                Some(letter) if letter.is_ascii_alphabetic() => return None,
                // A bracket that does not start a tag is text, like what follows it.
                _ => {
                    let inner = self.rest.get(1..).unwrap_or_default();
                    let length = find(inner, b'<').unwrap_or(inner.len()) + 1;
                    return Some(MarkupPiece::Text(self.take(length)));
                }
            }
        }
    }
}

impl<'a> MarkupPieces<'a> {
    /// `<!…>`, `<?…>` and similar, which browsers treat as comments.
    fn declaration(&mut self) -> MarkupPiece<'a> {
        let length = find(self.rest, b'>').map_or(self.rest.len(), |at| at + 1);
        let whole = self.take(length);
        MarkupPiece::Comment(whole.get(2..).unwrap_or_default().trim_end_matches('>'))
    }

    fn comment(&mut self) -> MarkupPiece<'a> {
        self.take(4);
        for empty in [">", "->"] {
            if self.rest.starts_with(empty) {
                self.take(empty.len());
                return MarkupPiece::Comment("");
            }
        }
        let mut from = 0;
        while let Some(at) = self.rest.get(from..).and_then(|rest| rest.find("--")) {
            let end = from + at;
            let after = self.rest.get(end + 2..).unwrap_or_default();
            let mark = if after.starts_with('>') {
                1
            } else if after.starts_with("!>") {
                2
            } else {
                from = end + 1;
                continue;
            };
            let text = self.take(end);
            self.take(2 + mark);
            return MarkupPiece::Comment(text);
        }
        MarkupPiece::Comment(self.take(self.rest.len()))
    }
}

fn find(text: &str, byte: u8) -> Option<usize> {
    memchr::memchr(byte, text.as_bytes())
}

/// Where raw text ends: before its own end tag, or at the end of the text.
fn raw_end(text: &str, tag: u64) -> usize {
    match tag {
        name::PLAINTEXT => return text.len(),
        name::SCRIPT => return script_end(text),
        _ => {}
    }
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("</")) {
        let start = from + at;
        from = start + 2;
        let inner = text.get(from..).unwrap_or_default();
        // `plaintext` is the longest name of such an element.
        let length = inner.bytes().take(12).position(ends_name);
        let name = length.and_then(|length| inner.get(..length)).unwrap_or_default();
        if name_key(name.as_bytes()) == tag {
            return start;
        }
    }
    text.len()
}

/// Where a script ends. Inside `<!-- <script> …` an end tag ends only the inner script, and `-->` ends
/// both (the escaped states of the HTML standard).
fn script_end(text: &str) -> usize {
    #[derive(PartialEq)]
    enum State {
        Plain,
        Escaped,
        Doubly,
    }
    let bytes = text.as_bytes();
    let follows = |at: usize, mark: &[u8]| {
        let word = bytes.get(at..at + mark.len());
        word.is_some_and(|word| word.eq_ignore_ascii_case(mark))
            && bytes.get(at + mark.len()).copied().is_some_and(ends_name)
    };
    let mut state = State::Plain;
    for at in memchr::memchr2_iter(b'<', b'>', bytes) {
        if bytes.get(at) == Some(&b'>') {
            let dashes = at.checked_sub(2).and_then(|from| bytes.get(from..at));
            if dashes == Some(b"--") {
                state = State::Plain;
            }
            continue;
        }
        match state {
            State::Plain | State::Escaped if follows(at, b"</script") => return at,
            State::Plain if bytes.get(at..at + 4) == Some(b"<!--") => state = State::Escaped,
            State::Escaped if follows(at, b"<script") => state = State::Doubly,
            State::Doubly if follows(at, b"</script") => state = State::Escaped,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(between: &str, raw: Option<&str>) -> Vec<String> {
        MarkupPieces::new(between, raw.map(|name| name_key(name.as_bytes())))
            .map(|piece| match piece {
                MarkupPiece::Text(text) => format!("text {text}"),
                MarkupPiece::Raw(_, text) => format!("raw {text}"),
                MarkupPiece::End(tag) if tag == name_key(b"p") => "end p".to_owned(),
                MarkupPiece::End(_) => "end".to_owned(),
                MarkupPiece::Comment(text) => format!("comment {text}"),
            })
            .collect()
    }

    #[test]
    fn markup_between_start_tags_is_cut_as_browsers_cut_it() {
        for (between, raw, expected) in [
            ("a</p>b", None, vec!["text a", "end p", "text b"]),
            ("</P a='>'>x", None, vec!["end p", "text x"]),
            ("a < b <3", None, vec!["text a ", "text < b ", "text <3"]),
            (
                "<!-- a --><!---->b<!--x--!>c<!-->d",
                None,
                vec![
                    "comment  a ",
                    "comment ",
                    "text b",
                    "comment x",
                    "text c",
                    "comment ",
                    "text d",
                ],
            ),
            ("<!-- a", None, vec!["comment  a"]),
            (
                "<!DOCTYPE html>a<?x y>b</ c>d</>e",
                None,
                vec!["text a", "comment x y", "text b", "comment  c", "text d", "text e"],
            ),
            ("a<b never ends", None, vec!["text a"]),
            ("if (a</b) x</SCRIPT >y", Some("script"), vec!["raw if (a</b) x", "end", "text y"]),
            (
                "<!--<script></script>--></script>y",
                Some("script"),
                vec!["raw <!--<script></script>-->", "end", "text y"],
            ),
            (
                "<!--<script><!--</script>x</script>y",
                Some("script"),
                vec!["raw <!--<script><!--</script>x", "end", "text y"],
            ),
            ("<!--><script></script>y", Some("script"), vec!["raw <!--><script>", "end", "text y"]),
            ("never", Some("style"), vec!["raw never"]),
            ("", Some("style"), vec!["raw "]),
            ("</", None, vec!["text </"]),
        ] {
            assert_eq!(pieces(between, raw), expected, "{between}");
        }
    }
}
