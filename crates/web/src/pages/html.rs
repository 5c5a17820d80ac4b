//! An HTML writer that prevents injection: markup is fixed at compile time, everything else is escaped
//! text.

use std::fmt::Display;

use contract::text::mark_hidden;

/// Longer texts are truncated.
const MAX_TEXT_CHARS: usize = 2_000;

/// A piece of HTML under construction.
#[derive(Debug, Default)]
pub(crate) struct Html(String);

impl Html {
    pub(crate) fn new() -> Self {
        Self(String::with_capacity(8 * 1_024))
    }

    /// Appends markup. Only string literals are accepted.
    pub(crate) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Appends text, or the value of a quoted attribute. Markup is escaped. Invisible characters and
    /// those that change the reading direction are shown by their code point, except where writing
    /// needs them.
    pub(crate) fn text(&mut self, text: impl Display) -> &mut Self {
        let text = text.to_string();
        for (letter, hidden) in mark_hidden(text.chars().take(MAX_TEXT_CHARS)) {
            match letter {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\n' | '\t' => self.0.push(letter),
                _ if hidden => self.0.push_str(&format!("\\u{{{:04X}}}", u32::from(letter))),
                plain => self.0.push(plain),
            }
        }
        if text.chars().nth(MAX_TEXT_CHARS).is_some() {
            self.0.push('…');
        }
        self
    }

    /// Appends another piece.
    pub(crate) fn append(&mut self, part: &Self) -> &mut Self {
        self.0.push_str(&part.0);
        self
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let mut html = Html::new();
        html.text(text);
        html.into_string()
    }

    #[test]
    fn text_stays_text() {
        assert_eq!(
            shown("<script>alert('x')</script> & \"y\""),
            "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;y&quot;"
        );
        assert_eq!(shown("caf\u{e9} 日本 😀\n"), "café 日本 😀\n");
    }

    #[test]
    fn invisible_characters_are_shown_by_code_point() {
        assert_eq!(
            shown("a\u{202e}b\u{200b}\0\u{e0041}\u{1b}"),
            "a\\u{202E}b\\u{200B}\\u{0000}\\u{E0041}\\u{001B}"
        );
    }

    #[test]
    fn joiners_stay_where_writing_needs_them() {
        assert_eq!(shown("می\u{200c}خواهم ❤\u{fe0f}"), "می\u{200c}خواهم ❤\u{fe0f}");
        assert_eq!(shown("pay\u{200c}pal"), "pay\\u{200C}pal");
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(shown(&"é".repeat(5_000)).chars().count(), MAX_TEXT_CHARS + 1);
        assert_eq!(shown(&"é".repeat(MAX_TEXT_CHARS)).chars().count(), MAX_TEXT_CHARS);
    }
}
