//! `GET /api/v1/resolve`: what way an agent has at a domain.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::ResolveAnswer,
};
use http::{HeaderMap, Uri};
use service::{
    Service,
    resolve::{Live, ResolveAsk, ResolveError},
};

use super::scan::bad_domain;
use crate::{
    address,
    documents::{Document, FOR_A_MINUTE, JSON},
    errors::{ApiError, sentence},
    limits::{Decides, LiveReads, no_live_read},
};

/// Resolve a domain
///
/// One signed answer: what the site declares, what we observed, what was not measured, and a
/// decision for each action. There is no overall score. A domain that nobody read is read now,
/// within 1000 milliseconds for all reads together (`status` `partial`); what was cut off is in
/// `basis.not_read_in_budget` and is reported neither absent nor refused. A live reading is kept
/// and served for up to 6 hours; an answer is fresh for 168 hours.
///
/// `live=never` reads nothing and answers 404 when nothing is kept; `live=always` reads the site
/// unless that was done within the last ten minutes. `max_age_hours` asks for younger evidence.
#[utoipa::path(
    get,
    path = "/api/v1/resolve",
    operation_id = "resolveDomainV1",
    tag = "resolve",
    params(
        ("domain" = String, Query, description = "A bare domain or a full http(s) address.",
            example = "shop.example"),
        ("live" = Option<String>, Query, description = "Whether the site is read: `auto` (when \
            nothing fresh is kept), `never`, `always`."),
        ("max_age_hours" = Option<u32>, Query, description = "Older evidence is read anew."),
    ),
    responses(
        (status = 200, description = "The signed answer.", body = ResolveAnswer,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`bad_domain`, `bad_request`, `unknown_field`.",
            body = ErrorV1),
        (status = 404, description = "With `live=never`: nothing is kept of this domain: \
            `not_tracked`.", body = ErrorV1),
        (status = 429, description = "Too many requests, or too many live readings: \
            `rate_limited`.", body = ErrorV1),
        (status = 503, description = "`cannot_answer`, `store_unreadable`, \
            `signing_unavailable`, `overloaded`.", body = ErrorV1),
    )
)]
pub(crate) async fn resolve_domain_v1(
    State(service): State<Arc<Service>>,
    _: Decides,
    live_reads: LiveReads,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let asked = address::parameters(&uri, &["domain", "live", "max_age_hours"])?;
    let input = asked
        .get("domain")
        .ok_or_else(|| ApiError::bad_request("`domain` is missing.").param("domain"))?;
    let domain = service.domain(input).map_err(bad_domain)?;
    let live = match asked.get("live").map(String::as_str) {
        None | Some("auto") => Live::Auto,
        Some("never") => Live::Never,
        Some("always") => Live::Always,
        Some(_) => {
            let sentence = "`live` is one of: auto, never, always.";
            return Err(ApiError::bad_request(sentence).param("live"));
        }
    };
    let max_age_hours = asked.get("max_age_hours").map(|text| hours(text)).transpose()?;
    let may_read = Arc::new(live_reads);
    let ask = ResolveAsk { domain, live, max_age_hours, may_read };
    let hot = service.resolve(ask).await.map_err(failed)?;
    let document =
        Document::known(hot.bytes.clone(), &hot.content_sha256, &hot.sha256, JSON, FOR_A_MINUTE);
    Ok(document.reply(&headers))
}

fn hours(text: &str) -> Result<u32, ApiError> {
    let plain = text.len() <= 5 && text.bytes().all(|digit| digit.is_ascii_digit());
    text.parse().ok().filter(|_| plain).ok_or_else(|| {
        ApiError::bad_request("`max_age_hours` is a whole number of hours.").param("max_age_hours")
    })
}

/// What the caller is told when there is no answer.
pub(super) fn failed(error: ResolveError) -> ApiError {
    let said = error.to_string();
    match error {
        ResolveError::BadDomain(refusal) => bad_domain(refusal),
        ResolveError::NothingKept => {
            ApiError::new(ErrorCode::NotTracked, sentence(&said)).param("domain")
        }
        ResolveError::LiveLimit { wait } => no_live_read(wait),
        ResolveError::Store(_) => {
            ApiError::new(ErrorCode::StoreUnreadable, "What is kept cannot be read now; try again.")
                .retry_after(5)
                .because(said)
        }
        ResolveError::Seal(error) => super::log::failed(error),
        ResolveError::Internal(_) => ApiError::internal(said),
    }
}
