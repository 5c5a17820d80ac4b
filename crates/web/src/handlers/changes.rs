//! `GET /api/v1/changes`: what changed between answers.

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
    answers::changes::{ChangesError, ChangesPageQuery},
};

use super::error_mapping::bad_domain_error;
use crate::{
    rate_limits::FeedLimit,
    request::{parameters::count_parameter, query_parameters},
    response::{ApiError, CACHE_ONE_MINUTE, HttpDocument, JSON},
};

/// The maximum length of a section name.
const MAX_SECTION_CHARS: usize = 64;

/// Read what changed
///
/// One entry for each field whose value differs between a new answer and the previous one: the two
/// readings between which it changed, who caused it, and its effect on decisions. The newest entry is
/// first. With `cursor`: the entries recorded after it, the oldest first. A field that we failed to
/// measure is never reported as a change of the site. A domain that was never resolved has no entries.
#[utoipa::path(
    get,
    path = "/api/v1/changes",
    operation_id = "getChanges",
    tag = "resolve",
    params(
        ("domain" = Option<String>, Query, description = "Only changes of this domain."),
        ("since" = Option<String>, Query,
            description = "Only changes recorded at or after this UTC timestamp or day."),
        ("cursor" = Option<String>, Query, description = "The `cursor` of an earlier response: \
            only changes recorded after it. `0` starts with the oldest stored entry."),
        ("section" = Option<String>, Query, description = "Only changes of this section.",
            example = "assurance"),
        ("direction" = Option<String>, Query,
            description = "Only changes of this direction: `tightened`, `loosened` or `neutral`."),
        ("limit" = Option<u32>, Query, description = "Maximum number of entries, 1 to 200; default 50."),
    ),
    responses(
        (status = 200, description = "The signed list.", body = Changes,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `bad_domain`, `unknown_field`.",
            body = ErrorV1),
        (status = 410, description = "The entries after the cursor are no longer stored: \
            `cursor_expired`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_changes(
    State(service): State<Arc<Service>>,
    _: FeedLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let known = ["domain", "since", "cursor", "section", "direction", "limit"];
    let parameters = query_parameters(&uri, &known)?;
    let domain = parameters.get("domain").map(|text| service.parse_domain(text)).transpose();
    let query = ChangesPageQuery {
        domain: domain.map_err(bad_domain_error)?,
        since: parameters.get("since").map(|text| parse_since(text)).transpose()?,
        section: parameters.get("section").map(|text| parse_section(text)).transpose()?,
        direction: parameters.get("direction").map(|text| parse_direction(text)).transpose()?,
        cursor: parameters.get("cursor").cloned(),
        limit: count_parameter(&parameters, "limit", CHANGES_MAX)?.unwrap_or(CHANGES_DEFAULT),
    };
    let listed = service.answers.changes(query).await.map_err(to_api_error)?;
    let next = next_page_link(&uri, &listed.document.document);
    let document =
        HttpDocument::with_etag(listed.document.bytes, &listed.etag, JSON, CACHE_ONE_MINUTE);
    let mut response = document.reply(&headers);
    if let Some(next) = next.and_then(|next| HeaderValue::from_str(&next).ok()) {
        response.headers_mut().insert(LINK, next);
    }
    Ok(response)
}

/// The `Link` to the next page, if the list is read with a cursor and has more entries.
fn next_page_link(uri: &Uri, record: &serde_json::Value) -> Option<String> {
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

fn parse_since(text: &str) -> Result<Timestamp, ApiError> {
    let sentence =
        "`since` must be a UTC time such as 2026-11-15T02:56:20Z, or a day such as 2026-11-15.";
    text.parse()
        .or_else(|_| format!("{text}T00:00:00Z").parse())
        .map_err(|_| ApiError::bad_request(sentence).param("since"))
}

fn parse_section(text: &str) -> Result<String, ApiError> {
    let good = (1..=MAX_SECTION_CHARS).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let sentence = "`section` must be the name of a section of an answer.";
    good.then(|| text.to_owned()).ok_or_else(|| ApiError::bad_request(sentence).param("section"))
}

fn parse_direction(text: &str) -> Result<ChangeDirection, ApiError> {
    let sentence = || format!("`direction` must be one of: {}.", ChangeDirection::WORDS.join(", "));
    ChangeDirection::from_word(text)
        .ok_or_else(|| ApiError::bad_request(sentence()).param("direction"))
}

fn to_api_error(error: ChangesError) -> ApiError {
    let message = error.to_string();
    match error {
        ChangesError::BadCursor => {
            ApiError::bad_request("`cursor` is invalid. Use the `cursor` of an earlier response.")
                .param("cursor")
        }
        ChangesError::CursorExpired => ApiError::new(
            ErrorCode::CursorExpired,
            "The entries after this cursor are no longer stored. Start again without a cursor.",
        )
        .param("cursor"),
        ChangesError::Store(_) => ApiError::new(
            ErrorCode::StoreUnreadable,
            "The changes cannot be read at the moment. Try again in 5 s.",
        )
        .retry_after(5)
        .with_internal_message(message),
        ChangesError::Signing(_) => ApiError::new(
            ErrorCode::SigningUnavailable,
            "The list could not be signed. Try again in 30 s.",
        )
        .retry_after(30)
        .with_internal_message(message),
        ChangesError::Unreadable(_) => ApiError::internal(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_one_spelling() {
        assert_eq!(
            parse_since("2026-11-15").unwrap(),
            parse_since("2026-11-15T00:00:00Z").unwrap()
        );
        for bad in ["", "yesterday", "2026-11-15T", "2026-11-15 00:00:00", "1763164800"] {
            assert_eq!(parse_since(bad).unwrap_err().status(), 400, "{bad}");
        }
        assert_eq!(parse_section("crawl_policy").unwrap(), "crawl_policy");
        for bad in ["", "Crawl", "a'b", &"a".repeat(65)] {
            assert_eq!(parse_section(bad).unwrap_err().status(), 400, "{bad}");
        }
        assert_eq!(parse_direction("loosened").unwrap(), ChangeDirection::Loosened);
        assert_eq!(parse_direction("up").unwrap_err().status(), 400);
    }

    #[test]
    fn a_list_read_with_a_cursor_links_to_its_next_page() {
        let page = |query: &str, has_more: bool| {
            let uri: Uri = format!("/api/v1/changes{query}").parse().unwrap();
            next_page_link(&uri, &serde_json::json!({"has_more": has_more, "cursor": "c1-7-x"}))
        };
        assert_eq!(
            page("?cursor=0&limit=2", true).unwrap(),
            "</api/v1/changes?limit=2&cursor=c1-7-x>; rel=\"next\""
        );
        // Without a cursor the list is newest first, and its cursor leads to later entries, so there is
        // no next page.
        for none in [page("?cursor=0", false), page("?limit=2", true), page("", true)] {
            assert_eq!(none, None);
        }
    }
}
