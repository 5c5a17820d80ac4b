//! The text of a web page.

use std::cell::RefCell;

use lol_html::html_content::TextType;
use lol_html::{HtmlRewriter, MemorySettings, Settings, doc_text};

use super::fault::FeedFault;

/// Memory limit of the tokeniser.
const MAX_PARSER_MEMORY: usize = 16 << 20;

/// Which text of a page is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextPieces {
    /// What people see. A tag separates the words before and after it.
    Visible,
    /// Also scripts, which may contain data. A tag separates nothing: highlighted code is full of
    /// tags.
    Joined,
}

/// The text of a page, character references decoded.
pub(super) fn page_text(html: &str, pieces: TextPieces) -> Result<String, FeedFault> {
    let text = RefCell::new(String::new());
    // A text may arrive in several chunks, and a reference may be divided between two.
    let raw = RefCell::new(String::new());
    let settings = Settings::new()
        .with_memory_settings(
            MemorySettings::new().with_max_allowed_memory_usage(MAX_PARSER_MEMORY),
        )
        .with_strict(false)
        .append_document_content_handler(doc_text!(|chunk| {
            let kind = chunk.text_type();
            let is_wanted = match pieces {
                TextPieces::Visible => kind == TextType::Data,
                TextPieces::Joined => kind != TextType::RawText,
            };
            if is_wanted {
                let (mut text, mut raw) = (text.borrow_mut(), raw.borrow_mut());
                raw.push_str(chunk.as_str());
                if chunk.last_in_text_node() {
                    if kind.allows_html_entities() {
                        push_decoded(&mut text, &raw);
                    } else {
                        text.push_str(&raw);
                    }
                    raw.clear();
                    if pieces == TextPieces::Visible {
                        text.push(' ');
                    }
                }
            }
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(html.as_bytes()).map_err(|_| FeedFault::UnreadablePage)?;
    rewriter.end().map_err(|_| FeedFault::UnreadablePage)?;
    Ok(text.into_inner())
}

/// Appends text with its character references decoded. Unknown references stay as they are.
fn push_decoded(text: &mut String, raw: &str) {
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('&') {
        text.push_str(before);
        let reference = after.bytes().take(MAX_REFERENCE).position(|byte| byte == b';');
        let decoded = reference.and_then(|end| {
            let (name, rest) = after.split_at_checked(end)?;
            Some((decode_reference(name)?, rest.strip_prefix(';')?))
        });
        if let Some((character, after)) = decoded {
            text.push(character);
            rest = after;
        } else {
            text.push('&');
            rest = after;
        }
    }
    text.push_str(rest);
}

/// The longest reference that is decoded, with its semicolon.
const MAX_REFERENCE: usize = 16;

/// The characters that JSON and prefixes consist of, and the spaces around them.
fn decode_reference(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        return code.ok().and_then(char::from_u32);
    }
    Some(match name {
        "quot" | "QUOT" => '"',
        "apos" => '\'',
        "amp" | "AMP" => '&',
        "lt" | "LT" => '<',
        "gt" | "GT" => '>',
        "nbsp" => '\u{a0}',
        "ZeroWidthSpace" => '\u{200b}',
        "shy" => '\u{ad}',
        "colon" => ':',
        "comma" => ',',
        "period" => '.',
        "sol" => '/',
        "lbrace" | "lcub" => '{',
        "rbrace" | "rcub" => '}',
        "lbrack" | "lsqb" => '[',
        "rbrack" | "rsqb" => ']',
        "NewLine" => '\n',
        "Tab" => '\t',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_without_tags_scripts_and_comments() {
        let html = "<!doctype html><title>1.1.1.1</title><style>a{}</style><p id='2.2.2.2'>a<br>b&amp;c\
            <!-- 3.3.3.3 --><script>var d = 1;</script><pre>e<b>f</b></pre>";
        let visible = page_text(html, TextPieces::Visible).unwrap();
        assert_eq!(visible.split_whitespace().collect::<Vec<_>>(), ["a", "b&c", "e", "f"]);
        assert_eq!(page_text(html, TextPieces::Joined).unwrap(), "1.1.1.1ab&cvar d = 1;ef");
    }

    #[test]
    fn references_are_decoded_once() {
        for (raw, text) in [
            ("&quot;a&quot;", "\"a\""),
            ("&#34;&#x22;&#X22;", "\"\"\""),
            ("5&period;6&#46;7.8&sol;32", "5.6.7.8/32"),
            ("&amp;quot;", "&quot;"),
            ("a&nbsp;b", "a\u{a0}b"),
            ("&", "&"),
            ("&&lt;", "&<"),
            ("&;&unknown;&#;&#x110000;&#xzz;", "&;&unknown;&#;&#x110000;&#xzz;"),
            ("&é;&quot", "&é;&quot"),
        ] {
            let mut decoded = String::new();
            push_decoded(&mut decoded, raw);
            assert_eq!(decoded, text, "{raw}");
        }
    }
}
