//! Recognises pages with a success status that stand in for the content: login pages, age gates,
//! cookie walls, region notices, parked domains, maintenance notices, placeholders, empty pages.
//!
//! Words alone are not enough, because ordinary pages use them too: a gate is a page on which there is
//! hardly anything else, or which has a second mark that does not depend on the words. Long pages are
//! never gates. The words (`data/gates.json`, part of the rules) cover at least sixteen languages.

mod element_context;
mod folded_text;
mod form_fields;
mod gate_page;
mod login;
mod phrases;
mod structure;
mod tags;
#[cfg(test)]
mod tests;
mod vacant;
mod visitor_checks;

use std::borrow::Cow;

use contract::evidence::Response;
use declared::page::Page;

use self::gate_page::{Gate, GatePage};
pub(crate) use self::phrases::{GateTable, PhraseGroup};
use self::structure::PageStructure;
use super::wall::{Wall, WallKind};

/// A larger body is not searched: it is not the body of a gate, or not to be told from one.
const MAX_BODY_BYTES: usize = 512 << 10;
/// With this many words in `noscript`, the page has content for clients without scripts.
const NOSCRIPT_CONTENT: usize = 60;
/// The most class names of a paywall or other marks that are reported.
pub(crate) const MAX_REPORTED: usize = 8;

/// All of a response by which a gate is recognised: responses that are alike in it are the same gate.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GateKey<'r> {
    body_sha256: &'r str,
    is_cut: bool,
    status: u16,
    content_type: Option<&'r str>,
    url: &'r str,
}

impl<'r> GateKey<'r> {
    pub(crate) fn of(response: &'r Response) -> Self {
        Self {
            body_sha256: &response.body.sha256,
            is_cut: response.body.cut.is_some(),
            status: response.status,
            content_type: response.header("content-type"),
            url: &response.url,
        }
    }
}

/// The gate that this response is, if it is one. `body` is the decoded body.
pub(crate) fn recognise_gate(
    response: &Response,
    body: &[u8],
    known: Option<&Page>,
) -> Option<Wall> {
    let success = (200..300).contains(&response.status);
    if (!success && !matches!(response.status, 403 | 451 | 503)) || response.body.cut.is_some() {
        return None;
    }
    if success && (matches!(response.status, 204 | 205) || body.trim_ascii().is_empty()) {
        return Some(to_wall(
            Gate {
                kind: WallKind::Empty,
                certain: true,
                marks: vec![format!("the body has {} bytes", body.len())],
            },
            response.status,
        ));
    }
    let content_type = response.header("content-type");
    let declares_html =
        content_type.is_none_or(|value| value.to_ascii_lowercase().contains("html"));
    if body.len() > MAX_BODY_BYTES || !(declares_html || declared::sniff::looks_like_html(body)) {
        return None;
    }
    let html = declared::charset::decode(body, content_type);
    let page = known.map_or_else(|| Cow::Owned(Page::read(body, content_type)), Cow::Borrowed);
    let gate_page = GatePage::new(GateTable::built_in(), response, &html, &page)?;
    if gate_page.structure.noscript_words > NOSCRIPT_CONTENT {
        return None;
    }
    let gate = detect(&gate_page)?;
    // A refusing status keeps its own meaning unless the page says more.
    let fits = match response.status {
        451 => gate.kind == WallKind::Region,
        403 => matches!(
            gate.kind,
            WallKind::Region | WallKind::Age | WallKind::Login | WallKind::Placeholder
        ),
        503 => gate.kind == WallKind::Maintenance,
        _ => true,
    };
    fits.then(|| to_wall(gate, response.status))
}

fn detect(page: &GatePage<'_>) -> Option<Gate> {
    if page.is_blank() {
        let marks = vec!["the page has no text, picture, form or script".to_owned()];
        return Some(Gate { kind: WallKind::Empty, certain: true, marks });
    }
    // A notice may have a login for its owner.
    let announced = page.front.has(PhraseGroup::Maintenance) && !page.front.has(PhraseGroup::Login);
    let hosted = page.front.has(PhraseGroup::Placeholder) && page.status != 503;
    vacant::detect_default_page(page)
        .or_else(|| vacant::detect_parked(page))
        .or_else(|| vacant::detect_placeholder_notice(page).filter(|_| hosted))
        .or_else(|| vacant::detect_maintenance(page).filter(|_| announced))
        .or_else(|| login::detect(page))
        .or_else(|| visitor_checks::detect_region(page))
        .or_else(|| visitor_checks::detect_age(page))
        .or_else(|| visitor_checks::detect_consent(page))
        .or_else(|| vacant::detect_placeholder_notice(page).filter(|_| page.status != 503))
        .or_else(|| vacant::detect_maintenance(page))
}

fn to_wall(gate: Gate, status: u16) -> Wall {
    Wall {
        vendor: None,
        vendor_id: None,
        kind: gate.kind,
        certain: gate.certain,
        marks: gate.marks.into_iter().chain([format!("status {status}")]).collect(),
        price: None,
    }
}

/// The class names and ids of a page that are in this list. Empty for long pages that cannot be
/// walls of any kind.
pub(crate) fn find_classes(html: &str, known: &[String]) -> Vec<String> {
    let mut found: Vec<String> = PageStructure::read_classes(html)
        .into_iter()
        .filter(|class| known.contains(class))
        .collect();
    found.sort();
    found.dedup();
    found.truncate(MAX_REPORTED);
    found
}
