//! Shows what is published on a site that serves correct pages.

use bytes::Bytes;

use super::{ProofKind, PublishedProof};
use crate::http::reply::{Reply, ReplyBody, Scheme, SiteRequest};

/// The reply of a site, with what is published for it: meta elements at the end of the head of its home
/// page, and files.
pub(crate) fn show_proofs(request: &SiteRequest<'_>, reply: Reply) -> Reply {
    if request.published.is_empty() || request.scheme != Scheme::Https {
        return reply;
    }
    let of_kind = |kind: ProofKind| request.published.iter().filter(move |p| p.kind == kind);
    let lines: String = of_kind(ProofKind::File)
        .filter(|file| file.name == request.path)
        .map(|file| file.value() + "\n")
        .collect();
    if !lines.is_empty() {
        return Reply::text(200, lines);
    }
    if request.path != "/" || reply.status != 200 {
        return reply;
    }
    let elements: String = of_kind(ProofKind::Meta).map(meta_element).collect();
    let body = match &reply.body {
        ReplyBody::Bytes(body) => insert_into_head(body, &elements),
        ReplyBody::Repeat { .. } | ReplyBody::Channel(_) | ReplyBody::Drip { .. } => None,
    };
    match body {
        Some(body) => reply.with_body(ReplyBody::Bytes(body)),
        None => reply,
    }
}

fn meta_element(proof: &PublishedProof) -> String {
    let (name, content) = (escape_html(&proof.name), escape_html(&proof.value()));
    format!("<meta name=\"{name}\" content=\"{content}\">\n")
}

/// `None` for bodies that are not HTML, such as compressed ones.
fn insert_into_head(body: &Bytes, elements: &str) -> Option<Bytes> {
    let html = std::str::from_utf8(body).ok()?;
    let (before, after) = html.split_at_checked(html.to_ascii_lowercase().find("</head>")?)?;
    Some(Bytes::from(format!("{before}{elements}{after}")))
}

pub(crate) fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
