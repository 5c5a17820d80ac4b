//! `GET /api/v1/changes`: what became another from answer to answer.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    Timestamp,
    errors::{ErrorCode, ErrorV1},
    limits::{CHANGES_DEFAULT, CHANGES_MAX},
    records::{ChangeDirection, Changes},
};
use http::{HeaderMap, HeaderValue, Uri, header::LINK};
use service::{
    Service,
    changes::{ChangesError, ChangesWish},
};

use super::{log::count, scan::bad_domain};
use crate::{
    address,
    documents::{Document, FOR_A_MINUTE, JSON},
    errors::ApiError,
    limits::Feeds,
};

/// The longest name of a section that is looked for.
const SECTION_CHARS: usize = 64;

/// Read what changed
///
/// One entry for each field that has another value in a new answer than in the one before, with the
/// two readings between which it happened, whose doing it is, and what it does to decisions. The
/// newest first; with `cursor`, what was recorded after it, the oldest first. What we only did not
/// measure is never told as a change of the site. A domain nobody asked about has no entries.
#[utoipa::path(
    get,
    path = "/api/v1/changes",
    operation_id = "getChanges",
    tag = "resolve",
    params(
        ("domain" = Option<String>, Query, description = "Changes of this domain alone."),
        ("since" = Option<String>, Query,
            description = "Recorded then or later: a timestamp in UTC, or a day."),
        ("cursor" = Option<String>, Query, description = "From `cursor` of an earlier answer: what \
            was recorded after it. `0` begins with the oldest entry that is kept."),
        ("section" = Option<String>, Query, description = "Changes of this section alone.",
            example = "assurance"),
        ("direction" = Option<String>, Query,
            description = "`tightened`, `loosened` or `neutral` alone."),
        ("limit" = Option<u32>, Query, description = "Entries, 1 to 200; 50 when not given."),
    ),
    responses(
        (status = 200, description = "The signed list.", body = Changes,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`bad_request`, `bad_domain`, `unknown_field`.",
            body = ErrorV1),
        (status = 410, description = "What came after the cursor is no longer kept: \
            `cursor_expired`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_changes(
    State(service): State<Arc<Service>>,
    _: Feeds,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let known = ["domain", "since", "cursor", "section", "direction", "limit"];
    let asked = address::parameters(&uri, &known)?;
    let domain = asked.get("domain").map(|text| service.domain(text)).transpose();
    let wish = ChangesWish {
        domain: domain.map_err(bad_domain)?,
        since: asked.get("since").map(|text| moment(text)).transpose()?,
        section: asked.get("section").map(|text| section(text)).transpose()?,
        direction: asked.get("direction").map(|text| direction(text)).transpose()?,
        cursor: asked.get("cursor").cloned(),
        limit: count(&asked, "limit", CHANGES_MAX)?.unwrap_or(CHANGES_DEFAULT),
    };
    let listed = service.changes(wish).await.map_err(failed)?;
    let next = next_page(&uri, &listed.document.document);
    let document = Document::named(listed.document.bytes, &listed.name, JSON, FOR_A_MINUTE);
    let mut response = document.reply(&headers);
    if let Some(next) = next.and_then(|next| HeaderValue::from_str(&next).ok()) {
        response.headers_mut().insert(LINK, next);
    }
    Ok(response)
}

/// With a cursor, where the list goes on.
fn next_page(uri: &Uri, record: &serde_json::Value) -> Option<String> {
    let query: Vec<(String, String)> =
        url::form_urlencoded::parse(uri.query()?.as_bytes()).into_owned().collect();
    let goes_on =
        record.get("has_more")?.as_bool()? && query.iter().any(|(name, _)| name == "cursor");
    let cursor = record.get("cursor")?.as_str().filter(|_| goes_on)?;
    let mut next = url::form_urlencoded::Serializer::new(String::new());
    next.extend_pairs(query.iter().filter(|(name, _)| name != "cursor"));
    next.append_pair("cursor", cursor);
    Some(format!("</api/v1/changes?{}>; rel=\"next\"", next.finish()))
}

fn moment(text: &str) -> Result<Timestamp, ApiError> {
    let sentence = "`since` is a moment in UTC, as 2026-11-15T02:56:20Z, or a day, as 2026-11-15.";
    text.parse()
        .or_else(|_| format!("{text}T00:00:00Z").parse())
        .map_err(|_| ApiError::bad_request(sentence).param("since"))
}

fn section(text: &str) -> Result<String, ApiError> {
    let good = (1..=SECTION_CHARS).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let sentence = "`section` is the name of a section of an answer.";
    good.then(|| text.to_owned()).ok_or_else(|| ApiError::bad_request(sentence).param("section"))
}

fn direction(text: &str) -> Result<ChangeDirection, ApiError> {
    let sentence = || format!("`direction` is one of: {}.", ChangeDirection::WORDS.join(", "));
    ChangeDirection::known(text).ok_or_else(|| ApiError::bad_request(sentence()).param("direction"))
}

fn failed(error: ChangesError) -> ApiError {
    let said = error.to_string();
    match error {
        ChangesError::BadCursor => {
            ApiError::bad_request("`cursor` is not one that was given out here.").param("cursor")
        }
        ChangesError::CursorExpired => ApiError::new(
            ErrorCode::CursorExpired,
            "What came after this cursor is no longer kept; begin anew without one.",
        )
        .param("cursor"),
        ChangesError::Store(_) => {
            ApiError::new(ErrorCode::StoreUnreadable, "Changes cannot be read now; try again.")
                .retry_after(5)
                .because(said)
        }
        ChangesError::Signing(_) => {
            ApiError::new(ErrorCode::SigningUnavailable, "The list could not be signed.")
                .retry_after(30)
                .because(said)
        }
        ChangesError::Unreadable(_) => ApiError::internal(said),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_have_one_spelling() {
        assert_eq!(moment("2026-11-15").unwrap(), moment("2026-11-15T00:00:00Z").unwrap());
        for bad in ["", "yesterday", "2026-11-15T", "2026-11-15 00:00:00", "1763164800"] {
            assert_eq!(moment(bad).unwrap_err().status(), 400, "{bad}");
        }
        assert_eq!(section("crawl_policy").unwrap(), "crawl_policy");
        for bad in ["", "Crawl", "a'b", &"a".repeat(65)] {
            assert_eq!(section(bad).unwrap_err().status(), 400, "{bad}");
        }
        assert_eq!(direction("loosened").unwrap(), ChangeDirection::Loosened);
        assert_eq!(direction("up").unwrap_err().status(), 400);
    }

    #[test]
    fn the_next_page_is_named_where_a_list_is_walked() {
        let page = |query: &str, has_more: bool| {
            let uri: Uri = format!("/api/v1/changes{query}").parse().unwrap();
            next_page(&uri, &serde_json::json!({"has_more": has_more, "cursor": "c1-7-x"}))
        };
        assert_eq!(
            page("?cursor=0&limit=2", true).unwrap(),
            "</api/v1/changes?limit=2&cursor=c1-7-x>; rel=\"next\""
        );
        // What is newest first goes on by cursor into what is yet to come, not into the past.
        for none in [page("?cursor=0", false), page("?limit=2", true), page("", true)] {
            assert_eq!(none, None);
        }
    }
}
