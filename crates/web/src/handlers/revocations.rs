//! `GET /api/v1/revocations`: what no longer stands.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    limits::{REVOCATIONS_PAGE, REVOCATIONS_PAGE_MAX},
    records::{RevocationList, RevocationTargetKind, RevocationType},
};
use http::{HeaderMap, Uri};
use service::{
    Service,
    revocations::{RevocationsAsked, RevocationsError, RevocationsFrom},
};

use crate::{
    address,
    documents::{Document, FOR_A_MINUTE_AND_ONE, JSON},
    errors::{ApiError, sentence},
    limits::Feeds,
};

/// Read what no longer stands
///
/// `revoked` are the domains for which connecting, transacting or administering is withheld now;
/// reading and citing never are. `entries` are a page of a hash chain: each names the digest of the
/// one before, so whoever reads from cursor to cursor can prove that nothing was left out.
///
/// Without parameters: the whole list and the newest entries. With `since`: what changed since a
/// list with that `generated_at`; `delta_complete` says whether that reaches back. With `cursor`:
/// the whole list, and the entries after the cursor. Made anew at least every 15 minutes, and at
/// once when an entry comes.
#[utoipa::path(
    get,
    path = "/api/v1/revocations",
    operation_id = "revocations",
    tag = "decisions",
    params(
        ("cursor" = Option<String>, Query, description = "`cursor` of an earlier list."),
        ("since" = Option<String>, Query, description = "`generated_at` of an earlier list."),
        ("limit" = Option<usize>, Query, description = "Entries: 1 to 500, 100 if not given."),
        ("domain" = Option<String>, Query, description = "Only entries about this domain."),
        ("type" = Option<RevocationType>, Query, description = "Only entries of this type."),
        ("target_kind" = Option<RevocationTargetKind>, Query,
            description = "Only entries about such things."),
    ),
    responses(
        (status = 200, description = "The signed list.", body = RevocationList,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still the newest."),
        (status = 400, description = "A cursor of another list, or a parameter that is not \
            understood: `bad_request`, `bad_domain`, `unknown_field`.", body = ErrorV1),
        (status = 410, description = "What came after the cursor is no longer kept: \
            `cursor_expired`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn revocations(
    State(service): State<Arc<Service>>,
    _: Feeds,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let known = ["cursor", "since", "limit", "domain", "type", "target_kind"];
    let asked = address::parameters(&uri, &known)?;
    let from = match (asked.get("cursor"), asked.get("since")) {
        (Some(_), Some(_)) => {
            return Err(ApiError::bad_request("Give either `cursor` or `since`.").param("since"));
        }
        (Some(cursor), None) => RevocationsFrom::Cursor(cursor.clone()),
        (None, Some(since)) => RevocationsFrom::Since(since.parse().map_err(|_| {
            ApiError::bad_request("`since` is a time such as 2026-11-15T10:00:00Z.").param("since")
        })?),
        (None, None) => RevocationsFrom::Newest,
    };
    let limit = asked.get("limit").map_or(Ok(REVOCATIONS_PAGE), |text| {
        let good = text.parse().ok().filter(|limit| (1..=REVOCATIONS_PAGE_MAX).contains(limit));
        good.ok_or_else(|| ApiError::bad_request("`limit` is 1 to 500.").param("limit"))
    })?;
    let domain = asked.get("domain").map(|name| {
        service.domain(name).map_err(|refusal| {
            ApiError::new(ErrorCode::BadDomain, sentence(&refusal.to_string())).param("domain")
        })
    });
    let word = |name: &'static str, words: &[&str]| match asked.get(name) {
        Some(word) if !words.contains(&word.as_str()) => {
            let sentence = format!("`{name}` is one of: {}.", words.join(", "));
            Err(ApiError::bad_request(sentence).param(name))
        }
        word => Ok(word.cloned()),
    };
    let ask = RevocationsAsked {
        from,
        limit,
        domain: domain.transpose()?,
        what: word("type", RevocationType::WORDS)?,
        target_kind: word("target_kind", RevocationTargetKind::WORDS)?,
    };
    let list = service.revocation_list(ask).await.map_err(failed)?;
    let document = Document::named(list.bytes.clone(), &list.digest, JSON, FOR_A_MINUTE_AND_ONE);
    Ok(document.reply(&headers))
}

fn failed(error: RevocationsError) -> ApiError {
    let said = error.to_string();
    match error {
        RevocationsError::BadCursor => ApiError::bad_request(sentence(&said)).param("cursor"),
        RevocationsError::CursorExpired(_) => {
            ApiError::new(ErrorCode::CursorExpired, sentence(&said)).param("cursor")
        }
        RevocationsError::NotYet => ApiError::bad_request(sentence(&said)).param("since"),
        RevocationsError::Store(_) => {
            ApiError::new(ErrorCode::StoreUnreadable, "What is kept cannot be read now; try again.")
                .retry_after(5)
                .because(said)
        }
        RevocationsError::Signing(_) => {
            ApiError::new(ErrorCode::SigningUnavailable, "This could not be signed.")
                .retry_after(30)
                .because(said)
        }
    }
}
