//! How a value becomes part of a page: as escaped text, with invisible characters shown and long texts cut.
//! Templates pass every value through it (`askama.toml`), and so does the HTML writer.

use std::fmt::{self, Write};

use contract::text::mark_hidden;

/// Longer texts are cut.
pub(crate) const MAX_TEXT_CHARS: usize = 2_000;
/// The limit of texts that are of no use if they are cut: commands, and the values of form fields. An
/// address has at most 2,048 bytes.
const MAX_WHOLE_CHARS: usize = 8_000;

/// Escapes text for HTML and for quoted attributes. Invisible characters and those that change the reading
/// direction are shown by their code point, except where writing needs them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PageText;

impl askama::filters::Escaper for PageText {
    fn write_escaped_str<W: Write>(&self, mut page: W, text: &str) -> fmt::Result {
        let mut letters = mark_hidden(text.chars().take(MAX_TEXT_CHARS)).peekable();
        while let Some((letter, hidden)) = letters.next() {
            match letter {
                // Half of a line break.
                '\r' if letters.peek().is_some_and(|(next, _)| *next == '\n') => {}
                '&' => page.write_str("&amp;")?,
                '<' => page.write_str("&lt;")?,
                '>' => page.write_str("&gt;")?,
                '"' => page.write_str("&quot;")?,
                '\'' => page.write_str("&#39;")?,
                '\n' | '\t' => page.write_char(letter)?,
                _ if hidden => write!(page, "\\u{{{:04X}}}", u32::from(letter))?,
                plain => page.write_char(plain)?,
            }
        }
        if text.chars().nth(MAX_TEXT_CHARS).is_some() {
            page.write_char('…')?;
        }
        Ok(())
    }
}

/// A text that is of no use if it is cut. The escaper cuts what it gets in one piece, so it gets pieces.
pub(crate) struct WholeText<'a>(&'a str);

impl fmt::Display for WholeText<'_> {
    fn fmt(&self, page: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut letters = self.0.chars();
        for _ in 0..MAX_WHOLE_CHARS / MAX_TEXT_CHARS {
            let piece: String = letters.by_ref().take(MAX_TEXT_CHARS).collect();
            page.write_str(&piece)?;
        }
        if letters.next().is_some() {
            page.write_char('…')?;
        }
        Ok(())
    }
}

/// For templates: `{{ crate::pages::page_text::whole(text) }}`.
pub(crate) fn whole(text: &(impl AsRef<str> + ?Sized)) -> WholeText<'_> {
    WholeText(text.as_ref())
}

#[cfg(test)]
mod tests {
    use askama::filters::Escaper;

    use super::*;

    fn shown(text: &str) -> String {
        let mut page = String::new();
        PageText.write_escaped_str(&mut page, text).unwrap();
        page
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
    fn line_breaks_of_other_systems_are_line_breaks() {
        assert_eq!(shown("a\r\nb\rc\r"), "a\nb\\u{000D}c\\u{000D}");
    }

    #[test]
    fn commands_are_whole() {
        let command = format!("curl 'https://a.example/?{}'<", "x".repeat(5_000));
        assert_eq!(whole(&command).to_string(), command);
        #[derive(askama::Template)]
        #[template(
            source = "<i title=\"{{ crate::pages::page_text::whole(command) }}\">",
            ext = "html"
        )]
        struct Page {
            command: String,
        }
        let page = askama::Template::render(&Page { command }).unwrap();
        assert!(page.ends_with("x&#39;&lt;\">") && page.len() > 5_000, "{page:.80}");
        assert!(whole(&"x".repeat(9_000)).to_string().ends_with('…'));
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(shown(&"é".repeat(5_000)).chars().count(), MAX_TEXT_CHARS + 1);
        assert_eq!(shown(&"é".repeat(MAX_TEXT_CHARS)).chars().count(), MAX_TEXT_CHARS);
    }

    /// `safe` switches the escaper off. Only what the HTML writer made may use it.
    #[test]
    fn templates_use_safe_only_for_finished_html() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/templates");
        let mut templates = 0;
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            // The name of the SVG vocabulary is not loaded.
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.replace("http://www.w3.org/2000/svg", "");
            templates += 1;
            let mut parts: Vec<&str> = text.split("safe").collect();
            parts.pop();
            for before in parts {
                let value = before.trim_end().trim_end_matches('|').trim_end();
                assert!(value.ends_with("_html"), "{}: {before}", path.display());
            }
            for attribute in [" style=", " onclick", "javascript:", "<style", "http://", "src=\"//"]
            {
                assert!(!text.contains(attribute), "{}: {attribute}", path.display());
            }
        }
        assert!(templates > 5);
    }
}
