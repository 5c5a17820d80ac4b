//! HTML that cannot be broken out of: markup is written by us and fixed when we are compiled,
//! everything else is text.

use std::fmt::Display;

/// The longest piece of text shown in one place.
const LONGEST: usize = 2_000;

#[derive(Debug, Default)]
pub(crate) struct Html(String);

impl Html {
    pub(crate) fn new() -> Self {
        Self(String::with_capacity(8 * 1_024))
    }

    /// Markup of our own: only a literal fits.
    pub(crate) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Text, or the inside of a quoted attribute. What would be markup is escaped; characters
    /// that are not seen, or that turn the direction of reading, are shown by their number.
    pub(crate) fn text(&mut self, text: impl Display) -> &mut Self {
        let text = text.to_string();
        let mut letters = text.chars();
        for letter in letters.by_ref().take(LONGEST) {
            match letter {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\n' | '\t' => self.0.push(letter),
                hidden if is_hidden(hidden) => {
                    self.0.push_str(&format!("\\u{{{:04X}}}", u32::from(hidden)));
                }
                plain => self.0.push(plain),
            }
        }
        if letters.next().is_some() {
            self.0.push('…');
        }
        self
    }

    /// A piece made the same way.
    pub(crate) fn part(&mut self, part: &Self) -> &mut Self {
        self.0.push_str(&part.0);
        self
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

/// Controls, format and direction marks, fillers, tags, variation selectors, private use.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(u32::from(letter),
            0x00AD | 0x034F | 0x061C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
            | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F
            | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB | 0xE000..=0xF8FF | 0x1BCA0..=0x1BCA3
            | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF | 0xF0000..=0x10FFFF)
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
    fn what_is_not_seen_is_named() {
        assert_eq!(
            shown("a\u{202e}b\u{200b}\0\u{e0041}\u{1b}"),
            "a\\u{202E}b\\u{200B}\\u{0000}\\u{E0041}\\u{001B}"
        );
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(shown(&"é".repeat(5_000)).chars().count(), LONGEST + 1);
        assert_eq!(shown(&"é".repeat(LONGEST)).chars().count(), LONGEST);
    }
}
