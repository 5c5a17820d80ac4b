//! Whether a page comes as Markdown when an agent asks for it so.

use super::report::Report;
use super::{Kind, Served};
use crate::fault::Fault;
use crate::shape::looks_like_html;

/// What an answer to `Accept: text/markdown` showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Markdown {
    /// Whether Markdown came, under its own media type.
    pub offered: bool,
    /// Whether caches are told that the answer depends on what was asked for.
    pub vary_ok: bool,
    /// How many tokens the server says the text has.
    pub tokens: Option<u64>,
    /// Only what is wrong with an offer; not to offer Markdown is no fault.
    pub faults: Vec<Fault>,
}

/// Reads the answer to a request that asked for `text/markdown`.
#[must_use]
pub fn markdown_negotiation(served: &Served<'_>) -> Markdown {
    // The kind is only a name here; nothing of it is used.
    let mut report = Report::new(Kind::AgentsMd, served);
    let vary_ok = served.listed("vary").any(|name| name == "accept" || name == "*");
    let labelled = served.media_type().as_deref() == Some("text/markdown");
    let html = looks_like_html(served.body);
    let empty = served.body.trim_ascii().is_empty();
    let success = (200..300).contains(&served.status);
    let offered = success && labelled && !html && !empty;
    if success && labelled && html {
        report.error(
            "html_as_markdown",
            "Content-Type",
            "The answer is labelled text/markdown, and its body is an HTML page.",
            "Convert the page, or answer with Content-Type: text/html where you have no Markdown.",
        );
    }
    if success && labelled && empty {
        report.error(
            "empty",
            "",
            "The answer is labelled text/markdown and holds nothing.",
            "Send the text of the page, or the HTML page where you have no Markdown.",
        );
    }
    if offered && std::str::from_utf8(served.body).is_err() && !served.cut {
        report.warn(
            "not_utf8",
            "",
            "The Markdown is not valid UTF-8.",
            "Send UTF-8 and say so: Content-Type: text/markdown; charset=utf-8",
        );
    }
    if offered && !vary_ok {
        report.error(
            "no_vary",
            "Vary",
            "The answer does not say that it depends on Accept, so a cache may hand Markdown to browsers or HTML to agents.",
            "Send with both forms the header: Vary: Accept",
        );
    }
    let tokens = served.header("x-markdown-tokens").and_then(|value| value.trim().parse().ok());
    Markdown { offered, vary_ok, tokens, faults: report.finish(None).faults }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(status: u16, fields: &[(&str, &str)], body: &str) -> Markdown {
        let headers: Vec<(String, String)> =
            fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        markdown_negotiation(&Served {
            asked_url: "https://shop.example/",
            final_url: "https://shop.example/",
            redirects: 0,
            status,
            headers: &headers,
            body: body.as_bytes(),
            cut: false,
            read_at_s: 0,
        })
    }

    fn codes(markdown: &Markdown) -> Vec<&str> {
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
            let found = asked(status, &fields, body);
            assert_eq!((found.offered, found.vary_ok), (offered, vary_ok), "{fields:?} {body}");
            assert_eq!(codes(&found), expected, "{fields:?} {body}");
        }
        let counted = asked(200, &[md, ("vary", "accept"), ("x-markdown-tokens", "725")], "# x");
        assert_eq!(counted.tokens, Some(725));
    }
}
