//! Checks whether a page is served as Markdown when an agent asks for it.

use super::kind::FileKind;
use super::model::ServedFile;
use super::report::Report;
use crate::fault::Fault;
use crate::sniff::looks_like_html;

/// The response to a request with `Accept: text/markdown`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkdownOffer {
    /// Whether Markdown was served, with the right media type.
    pub offered: bool,
    /// Whether `Vary` tells caches that the response depends on `Accept`.
    pub vary_ok: bool,
    /// The number of tokens of the text, as the server states it.
    pub tokens: Option<u64>,
    /// Faults of the Markdown response. Not offering Markdown is not a fault.
    pub faults: Vec<Fault>,
}

/// Checks the response to a request that asked for `text/markdown`.
#[must_use]
pub fn check_markdown_negotiation(served: &ServedFile<'_>) -> MarkdownOffer {
    // The kind is required by `Report` and has no effect here.
    let mut report = Report::new(FileKind::AgentsMd, served);
    let vary_ok = served.list_elements("vary").any(|name| name == "accept" || name == "*");
    let labelled = served.media_type().as_deref() == Some("text/markdown");
    let html = looks_like_html(served.body);
    let empty = served.body.trim_ascii().is_empty();
    let success = (200..300).contains(&served.status);
    let offered = success && labelled && !html && !empty;
    if success && labelled && html {
        report.error(
            "html_as_markdown",
            "Content-Type",
            "The response is labelled text/markdown, but its body is an HTML page.",
            "Convert the page to Markdown, or send Content-Type: text/html if you have no Markdown.",
        );
    }
    if success && labelled && empty {
        report.error(
            "empty",
            "",
            "The response is labelled text/markdown but is empty.",
            "Send the text of the page, or the HTML page if you have no Markdown.",
        );
    }
    if offered && std::str::from_utf8(served.body).is_err() && !served.truncated {
        report.warn(
            "not_utf8",
            "",
            "The Markdown is not valid UTF-8.",
            "Send UTF-8 with the header: Content-Type: text/markdown; charset=utf-8",
        );
    }
    if offered && !vary_ok {
        report.error(
            "no_vary",
            "Vary",
            "The response lacks Vary: Accept, so a cache may serve Markdown to browsers or HTML to agents.",
            "Send this header with both the HTML and the Markdown response: Vary: Accept",
        );
    }
    let tokens = served.header("x-markdown-tokens").and_then(|value| value.trim().parse().ok());
    MarkdownOffer { offered, vary_ok, tokens, faults: report.finish(None).faults }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_offer(status: u16, fields: &[(&str, &str)], body: &str) -> MarkdownOffer {
        let headers: Vec<(String, String)> =
            fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        check_markdown_negotiation(&ServedFile {
            requested_url: "https://shop.example/",
            final_url: "https://shop.example/",
            redirects: 0,
            status,
            headers: &headers,
            body: body.as_bytes(),
            truncated: false,
            read_at_s: 0,
        })
    }

    fn codes(markdown: &MarkdownOffer) -> Vec<&str> {
        markdown.faults.iter().map(|fault| fault.code).collect()
    }

    #[test]
    fn an_offer_is_known_by_type_and_body() {
        let md = ("content-type", "text/markdown; charset=utf-8");
        for (status, fields, body, offered, vary_ok, expected) in [
            (200, vec![md, ("vary", "Accept-Encoding, Accept")], "# Shop", true, true, vec![]),
            (200, vec![md, ("vary", "origin"), ("vary", "ACCEPT")], "# Shop", true, true, vec![]),
            (200, vec![md, ("vary", "*")], "# Shop", true, true, vec![]),
            (200, vec![md, ("vary", "accept-encoding")], "# Shop", true, false, vec!["no_vary"]),
            (200, vec![md], "<!doctype html><p>", false, false, vec!["html_as_markdown"]),
            (200, vec![md], " \n", false, false, vec!["empty"]),
            (200, vec![("content-type", "text/html")], "<html>", false, false, vec![]),
            (406, vec![md], "# No", false, false, vec![]),
            (200, vec![], "# Shop", false, false, vec![]),
        ] {
            let found = read_offer(status, &fields, body);
            assert_eq!((found.offered, found.vary_ok), (offered, vary_ok), "{fields:?} {body}");
            assert_eq!(codes(&found), expected, "{fields:?} {body}");
        }
        let counted =
            read_offer(200, &[md, ("vary", "accept"), ("x-markdown-tokens", "725")], "# x");
        assert_eq!(counted.tokens, Some(725));
    }
}
