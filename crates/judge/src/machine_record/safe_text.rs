//! Text of a site inside a file: bounded, in one line, and unable to become structure of the file.

use contract::text::{display_safe, is_hidden};
use serde_json::Value;
use url::Url;

/// A text in one line without hidden characters, at most `max_chars` long; `None` if nothing is left.
pub(super) fn one_line(text: &str, max_chars: usize) -> Option<String> {
    let shown = display_safe(text, max_chars);
    let words: Vec<&str> = shown
        .split(|letter: char| letter.is_whitespace() || letter == char::REPLACEMENT_CHARACTER)
        .filter(|word| !word.is_empty())
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// A text that stays plain text within a Markdown line.
pub(super) fn markdown_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let last = text.chars().count().saturating_sub(1);
    let mut before = ' ';
    for (at, letter) in text.chars().enumerate() {
        let is_mark = matches!(letter, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~')
            || letter == '#' && (at == 0 || at == last)
            // Simple readers look for `](`, and do not know that the bracket is escaped.
            || letter == '(' && before == ']';
        if is_mark {
            escaped.push('\\');
        }
        escaped.push(letter);
        before = letter;
    }
    escaped
}

/// The same for a text at the beginning of a block, where it could become a list or a heading.
pub(super) fn markdown_block(text: &str) -> String {
    let escaped = markdown_text(text);
    if escaped.starts_with(['-', '+', '=', ':']) {
        return format!("\\{escaped}");
    }
    let rest = escaped.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let digits = escaped.len() - rest.len();
    match escaped.split_at_checked(digits) {
        Some((number, rest)) if digits > 0 && rest.starts_with(['.', ')']) => {
            format!("{number}\\{rest}")
        }
        _ => escaped,
    }
}

/// An http or https address without credentials, as the target of a Markdown link.
pub(super) fn link_target(url: &str) -> Option<String> {
    const MAX_CHARS: usize = 2_000;
    let url = web_url(url)?;
    let mut target = String::with_capacity(url.as_str().len());
    for letter in url.as_str().chars() {
        match letter {
            '(' => target.push_str("%28"),
            ')' => target.push_str("%29"),
            '`' => target.push_str("%60"),
            '\\' => target.push_str("%5C"),
            '<' => target.push_str("%3C"),
            '>' => target.push_str("%3E"),
            other => target.push(other),
        }
    }
    (target.len() <= MAX_CHARS && target.bytes().all(|byte| byte.is_ascii_graphic()))
        .then_some(target)
}

/// A full http or https address without credentials.
pub(super) fn web_url(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_plain = url.username().is_empty() && url.password().is_none();
    (is_plain && matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

/// JSON that can be put into a script element as it is. Hidden characters are written as escapes.
pub(super) fn json_text(value: &Value) -> String {
    // Values that came from JSON can be written as JSON.
    let plain = serde_json::to_string_pretty(value).unwrap_or_default();
    let mut text = String::with_capacity(plain.len() + 1);
    for letter in plain.chars() {
        let in_markup = matches!(letter, '<' | '>' | '&');
        if in_markup || letter != '\n' && is_hidden(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            text.push(letter);
        }
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn text_stays_text() {
        for (text, expected) in [
            ("plain (text), C# and a_b", "plain (text), C# and a\\_b"),
            ("[a](https://b)", "\\[a\\]\\(https://b)"),
            ("# title #", "\\# title \\#"),
            ("<script>", "\\<script\\>"),
        ] {
            assert_eq!(markdown_text(text), expected);
        }
        for (text, expected) in [
            ("- item", "\\- item"),
            ("1. item", "1\\. item"),
            ("2026 was good", "2026 was good"),
            ("=== x", "\\=== x"),
        ] {
            assert_eq!(markdown_block(text), expected);
        }
        assert_eq!(one_line(" a\nb\u{202e}\r\nc\t", 80).as_deref(), Some("a b c"));
        assert_eq!(one_line("\n\u{200b}\r", 80), None);
    }

    #[test]
    fn link_targets_are_full_addresses() {
        assert_eq!(
            link_target("https://a.example/x y(1)").as_deref(),
            Some("https://a.example/x%20y%281%29")
        );
        for bad in ["/x", "javascript:alert(1)", "https://u:p@a.example/", "mailto:a@b.example"] {
            assert_eq!(link_target(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_text_leaves_its_line(text: String) {
            if let Some(line) = one_line(&text, 100) {
                let is_break = |letter: char| letter.is_control() || letter == '\u{2028}';
                prop_assert!(!line.contains(is_break));
                prop_assert!(line.chars().count() <= 100);
            }
        }

        #[test]
        fn json_is_the_same_value_without_markup(text: String) {
            let value = json!({ "a": text });
            let written = json_text(&value);
            let marks = ['<', '>', '&', '\u{2028}', '\u{202e}'];
            prop_assert!(!written.contains(marks));
            prop_assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), value);
        }
    }
}
