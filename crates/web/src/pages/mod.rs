//! HTML pages: rendered on the server from the templates in `templates/`, without foreign resources. The one
//! script (`assets/pages.js`) adds copy buttons and live progress; every page works without it.

pub(crate) mod accuracy;
pub(crate) mod agents;
mod board;
pub(crate) mod claim;
pub(crate) mod conduct;
pub(crate) mod daily_seals;
mod dates;
pub(crate) mod dispute;
pub(crate) mod docs;
pub(crate) mod error;
pub(crate) mod free_keys;
pub(crate) mod home;
mod html;
pub(crate) mod log;
pub(crate) mod manage;
pub(crate) mod manage_webhooks;
mod markdown;
pub(crate) mod method;
pub(crate) mod owner;
pub(crate) mod page_text;
pub(crate) mod pictures;
pub(crate) mod preflight;
pub(crate) mod registry;
pub(crate) mod report;
pub(crate) mod running_scan;
mod status;
pub(crate) mod visitor;
pub(crate) mod visitor_spec;

use askama::Template;
use http::{
    HeaderMap, HeaderValue,
    header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY},
};

/// The files that all pages use.
pub(crate) const STYLE: &str = include_str!("../../assets/style.css");
pub(crate) const SCRIPT: &str = include_str!("../../assets/pages.js");
pub(crate) const FAVICON: &str = include_str!("../../assets/favicon.svg");

/// Nothing from other origins, no inline scripts or styles, and forms only to this server.
const PAGE_SECURITY_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; \
     connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Adds the headers that every page has.
pub(crate) fn add_page_headers(headers: &mut HeaderMap) {
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_SECURITY_POLICY));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

/// A picture is no page: nothing in it may load or run, even if it is opened by itself.
pub(crate) fn add_picture_headers(headers: &mut HeaderMap) {
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'"));
}

/// Writing to a string cannot fail; should it, the page is empty and the log says so.
fn render(page: &impl Template) -> String {
    page.render().unwrap_or_else(|error| {
        tracing::error!(%error, "a page could not be rendered");
        String::new()
    })
}
