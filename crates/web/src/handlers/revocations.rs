//! `GET /api/v1/revocations`: the feed of revoked decisions.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    limits::{REVOCATIONS_PAGE_DEFAULT, REVOCATIONS_PAGE_MAX},
    records::{RevocationList, RevocationTargetKind, RevocationType},
};
use http::{HeaderMap, Uri};
use service::{
    Service,
    answers::revocations::{RevocationsError, RevocationsPageQuery, RevocationsStart},
};

use crate::{
    rate_limits::FeedLimit,
    request::query_parameters,
    response::{ApiError, CACHE_ONE_MINUTE_STALE_OK, HttpDocument, JSON, to_sentence},
};

/// Read the feed of revocations
///
/// `revoked` lists the domains for which connecting, transacting or administering is withheld now.
/// Reading and citing are never withheld. `entries` is a page of a hash chain: each entry has the digest
/// of the entry before it, so a client that reads from cursor to cursor can prove that no entry is
/// missing.
///
/// Without parameters: the whole list and the newest entries. With `since`: the changes since the list
/// with that `generated_at`; `delta_complete` says whether all of them are still stored. With `cursor`:
/// the whole list, and the entries after the cursor. The list is regenerated at least every 15 minutes,
/// and at once when an entry is added.
#[utoipa::path(
    get,
    path = "/api/v1/revocations",
    operation_id = "revocations",
    tag = "decisions",
    params(
        ("cursor" = Option<String>, Query, description = "The `cursor` of an earlier list."),
        ("since" = Option<String>, Query, description = "The `generated_at` of an earlier list."),
        ("limit" = Option<usize>, Query, description = "Maximum number of entries, 1 to 500; default 100."),
        ("domain" = Option<String>, Query, description = "Only entries about this domain."),
        ("type" = Option<RevocationType>, Query, description = "Only entries of this type."),
        ("target_kind" = Option<RevocationTargetKind>, Query,
            description = "Only entries with this kind of target."),
    ),
    responses(
        (status = 200, description = "The signed list.", body = RevocationList,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "An invalid cursor or another invalid \
            parameter: `bad_request`, `bad_domain`, `unknown_field`.", body = ErrorV1),
        (status = 410, description = "The entries after the cursor are no longer stored: \
            `cursor_expired`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`, `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn revocations(
    State(service): State<Arc<Service>>,
    _: FeedLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let known = ["cursor", "since", "limit", "domain", "type", "target_kind"];
    let parameters = query_parameters(&uri, &known)?;
    let from = match (parameters.get("cursor"), parameters.get("since")) {
        (Some(_), Some(_)) => {
            return Err(
                ApiError::bad_request("Use either `cursor` or `since`, not both.").param("since")
            );
        }
        (Some(cursor), None) => RevocationsStart::Cursor(cursor.clone()),
        (None, Some(since)) => RevocationsStart::Since(since.parse().map_err(|_| {
            ApiError::bad_request("`since` must be a time such as 2026-11-15T10:00:00Z.")
                .param("since")
        })?),
        (None, None) => RevocationsStart::Newest,
    };
    let limit = parameters.get("limit").map_or(Ok(REVOCATIONS_PAGE_DEFAULT), |text| {
        let good = text.parse().ok().filter(|limit| (1..=REVOCATIONS_PAGE_MAX).contains(limit));
        good.ok_or_else(|| {
            ApiError::bad_request("`limit` must be a number from 1 to 500.").param("limit")
        })
    })?;
    let domain = parameters.get("domain").map(|name| {
        service.parse_domain(name).map_err(|refusal| {
            ApiError::new(ErrorCode::BadDomain, to_sentence(&refusal.to_string())).param("domain")
        })
    });
    let word = |name: &'static str, words: &[&str]| match parameters.get(name) {
        Some(word) if !words.contains(&word.as_str()) => {
            let sentence = format!("`{name}` must be one of: {}.", words.join(", "));
            Err(ApiError::bad_request(sentence).param(name))
        }
        word => Ok(word.cloned()),
    };
    let query = RevocationsPageQuery {
        from,
        limit,
        domain: domain.transpose()?,
        entry_type: word("type", RevocationType::WORDS)?,
        target_kind: word("target_kind", RevocationTargetKind::WORDS)?,
    };
    let list = service.answers.revocation_list(query).await.map_err(to_api_error)?;
    let document =
        HttpDocument::with_etag(list.bytes.clone(), &list.digest, JSON, CACHE_ONE_MINUTE_STALE_OK);
    Ok(document.reply(&headers))
}

fn to_api_error(error: RevocationsError) -> ApiError {
    let message = error.to_string();
    match error {
        RevocationsError::BadCursor => ApiError::bad_request(to_sentence(&message)).param("cursor"),
        RevocationsError::CursorExpired(_) => {
            ApiError::new(ErrorCode::CursorExpired, to_sentence(&message)).param("cursor")
        }
        RevocationsError::FutureTime => ApiError::bad_request(to_sentence(&message)).param("since"),
        RevocationsError::Store(_) => ApiError::new(
            ErrorCode::StoreUnreadable,
            "The stored data cannot be read at the moment. Try again in 5 s.",
        )
        .retry_after(5)
        .with_internal_message(message),
        RevocationsError::Signing(_) => ApiError::new(
            ErrorCode::SigningUnavailable,
            "The response could not be signed. Try again in 30 s.",
        )
        .retry_after(30)
        .with_internal_message(message),
    }
}
