//! Guesses the format of a body from its first bytes, whatever its Content-Type says.

/// How many bytes of a body are searched for the first markup.
const SNIFF_BYTES: usize = 1_024;

/// Whether a body starts like an HTML page, after a byte order mark, white space and comments.
#[must_use]
pub fn looks_like_html(body: &[u8]) -> bool {
    let mut rest = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    while let Some(comment) = rest.strip_prefix(b"<!--") {
        match comment.windows(3).take(SNIFF_BYTES).position(|w| w == b"-->") {
            Some(end) => rest = comment.get(end + 3..).unwrap_or_default().trim_ascii_start(),
            None => return true,
        }
    }
    ["<!doctype html", "<html", "<head", "<body"].iter().any(|opening| {
        rest.get(..opening.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(opening.as_bytes()))
    })
}

/// Whether a body parses as one JSON object or array.
#[must_use]
pub fn is_json_document(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    matches!(
        contract::json::parse_value(body),
        Ok(serde_json::Value::Object(_) | serde_json::Value::Array(_))
    )
}

/// Whether a body starts like an XML document: with a declaration or an element that is not HTML.
#[must_use]
pub fn looks_like_xml(body: &[u8]) -> bool {
    let rest = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    rest.starts_with(b"<") && !looks_like_html(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_known_by_its_opening() {
        for html in [
            "<!DOCTYPE HTML>",
            " \n<html lang=en>",
            "\u{feff}<head>",
            "<!-- x --> <body>",
            "<!-- x",
        ] {
            assert!(looks_like_html(html.as_bytes()), "{html}");
        }
        for other in
            ["", "# llms", "User-agent: *", "<?xml version='1.0'?>", "<htm", "{}", "<urlset>"]
        {
            assert!(!looks_like_html(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn json_is_a_whole_document() {
        assert!(is_json_document(b"\xef\xbb\xbf{\"a\":[1]}"));
        for other in ["", "1", "\"x\"", "{", "{}x", "<html>"] {
            assert!(!is_json_document(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn xml_is_not_html() {
        assert!(looks_like_xml(b"<?xml version=\"1.0\"?><urlset/>"));
        assert!(!looks_like_xml(b"<!doctype html><p>"));
        assert!(!looks_like_xml(b"plain"));
    }
}
