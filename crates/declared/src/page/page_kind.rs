//! The kind of document that was served as a page, by its content type and its first bytes.

use crate::sniff;

/// Bytes in which the root element of an XML document is searched.
const ROOT_BYTES: usize = 1_024;

/// What a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageKind {
    Html,
    Text,
    Markdown,
    Pdf,
    Json,
    Feed,
    Image,
    Other,
}

impl PageKind {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Text => "text",
            Self::Markdown => "markdown",
            Self::Pdf => "pdf",
            Self::Json => "json",
            Self::Feed => "feed",
            Self::Image => "image",
            Self::Other => "other",
        }
    }

    /// Whether the document has text that a client without a special program reads.
    #[must_use]
    pub fn is_readable(self) -> bool {
        matches!(self, Self::Html | Self::Text | Self::Markdown | Self::Feed)
    }

    /// The kind of a body. The first bytes win over the content type where they are certain.
    #[must_use]
    pub fn of(body: &[u8], content_type: Option<&str>) -> Self {
        if let Some(kind) = kind_by_signature(body) {
            return kind;
        }
        let essence = content_type.unwrap_or_default().split(';').next().unwrap_or_default();
        let essence = essence.trim().to_ascii_lowercase();
        let is_html = sniff::looks_like_html(body);
        match essence.as_str() {
            "text/markdown" | "text/x-markdown" => Self::Markdown,
            "text/plain" if starts_json(body) => Self::Json,
            "text/plain" => Self::Text,
            "text/html" | "application/xhtml+xml" if starts_json(body) => Self::Json,
            "text/html" | "application/xhtml+xml" => Self::Html,
            _ if is_html => Self::Html,
            json if json == "application/json" || json.ends_with("+json") => Self::Json,
            "application/pdf" => Self::Pdf,
            image if image.starts_with("image/") => Self::Image,
            xml if xml.ends_with("/xml") || xml.ends_with("+xml") => kind_of_xml(body),
            "" if starts_json(body) => Self::Json,
            // Without a type, browsers take markup that is not XML for HTML.
            "" if sniff::looks_like_xml(body) => match kind_of_xml(body) {
                PageKind::Other if !body.trim_ascii_start().starts_with(b"<?xml") => Self::Html,
                kind => kind,
            },
            "" if std::str::from_utf8(body).is_ok() && !body.contains(&0) => Self::Text,
            "text/csv"
            | "text/css"
            | "text/javascript"
            | "text/calendar"
            | "text/vcard"
            | "text/tab-separated-values" => Self::Other,
            text if text.starts_with("text/") => Self::Text,
            _ => Self::Other,
        }
    }
}

fn kind_by_signature(body: &[u8]) -> Option<PageKind> {
    const IMAGES: [&[u8]; 5] =
        [b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"\x00\x00\x01\x00"];
    if body.trim_ascii_start().starts_with(b"%PDF-") {
        return Some(PageKind::Pdf);
    }
    let webp = body.starts_with(b"RIFF") && body.get(8..12) == Some(b"WEBP");
    (webp || IMAGES.iter().any(|start| body.starts_with(start))).then_some(PageKind::Image)
}

/// Whether a body is one JSON document.
fn starts_json(body: &[u8]) -> bool {
    let start = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    matches!(start.first(), Some(b'{' | b'[')) && sniff::is_json_document(body)
}

/// The kind of an XML document by the first of the elements that tell.
fn kind_of_xml(body: &[u8]) -> PageKind {
    const ROOTS: [(&[u8], PageKind); 5] = [
        (b"<html", PageKind::Html),
        (b"<rss", PageKind::Feed),
        (b"<feed", PageKind::Feed),
        (b"<rdf:rdf", PageKind::Feed),
        (b"<svg", PageKind::Image),
    ];
    let opening = body.get(..ROOT_BYTES).unwrap_or(body).to_ascii_lowercase();
    let place = |name: &[u8]| opening.windows(name.len()).position(|window| window == name);
    let found = ROOTS.iter().filter_map(|(name, kind)| Some((place(name)?, *kind)));
    found.min_by_key(|(at, _)| *at).map_or(PageKind::Other, |(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_known_by_type_and_content() {
        for (content_type, body, kind) in [
            (Some("text/html; charset=utf-8"), "<!doctype html><p>x", "html"),
            (Some("text/html"), "just words", "html"),
            (Some("text/html"), "{\"ok\":true}", "json"),
            (Some("text/html"), "%PDF-1.7\n…", "pdf"),
            (Some("application/json"), "{}", "json"),
            (Some("application/ld+json"), "{}", "json"),
            (Some("application/json"), "<!doctype html><p>x", "html"),
            (Some("application/pdf"), "", "pdf"),
            (Some("text/plain"), "words", "text"),
            (Some("text/plain"), "[1]", "json"),
            (Some("text/markdown"), "# Words", "markdown"),
            (Some("application/rss+xml"), "<?xml version='1.0'?><rss><channel/>", "feed"),
            (Some("application/xml"), "<feed xmlns='http://www.w3.org/2005/Atom'>", "feed"),
            (Some("text/xml"), "<urlset/>", "other"),
            (Some("application/xhtml+xml"), "<?xml version='1.0'?><html>", "html"),
            (Some("image/png"), "", "image"),
            (Some("image/svg+xml"), "<svg/>", "image"),
            (Some("application/octet-stream"), "\u{1}\u{2}", "other"),
            (Some("application/octet-stream"), "<!doctype html>", "html"),
            (Some("video/mp4"), "", "other"),
            (Some("text/csv"), "a,b", "other"),
            (None, "words", "text"),
            (None, "<!doctype html>", "html"),
            (None, "<p>words", "html"),
            (None, "", "text"),
        ] {
            let found = PageKind::of(body.as_bytes(), content_type).as_str();
            assert_eq!(found, kind, "{content_type:?} {body}");
        }
        assert_eq!(PageKind::of(b"\x89PNG\r\n\x1a\n", Some("text/html")), PageKind::Image);
    }
}
