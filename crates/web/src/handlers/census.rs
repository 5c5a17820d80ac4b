//! `GET /api/census/records`: the results of a scan run over a ranked list of domains.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    limits::{CENSUS_PAGE_DEFAULT, CENSUS_PAGE_MAX},
    records::{Action, CensusPage, Decision},
};
use http::{HeaderMap, HeaderValue, Uri, header::LINK};
use service::{
    Service,
    scanning::census::{CensusCursor, CensusError, CensusPageQuery},
};

use super::error_mapping::{self, bad_domain_error};
use crate::{
    rate_limits::FeedLimit,
    request::{
        QueryParameters,
        parameters::{count_parameter, number_parameter},
        query_parameters,
    },
    response::{
        ApiError, CACHE_FIVE_MINUTES, CACHE_ONE_DAY_IMMUTABLE, HttpDocument, JSON, JSON_LINES,
    },
};

const PARAMETERS: [&str; 8] =
    ["run", "cursor", "limit", "rank_max", "domain", "decision", "section_state", "format"];
/// The maximum length of the parameter `section_state`.
const MAX_WORD_BYTES: usize = 40;

/// Read the records of a census
///
/// The result for each domain of a ranked list in one run: its decisions, the state of its crawl policy,
/// how many identities were served, which machine-readable files exist, and the answer it is taken from.
/// Read it page by page with `cursor`, or up to 10,000 lines at once with `format=ndjson`; the last line
/// is signed and has the digest of all others. A census has no unlisted or private scans.
#[utoipa::path(
    get,
    path = "/api/census/records",
    operation_id = "getCensusRecords",
    tag = "resolve",
    params(
        ("run" = Option<String>, Query, description = "The number of a run, or `latest`."),
        ("cursor" = Option<String>, Query, description = "The `cursor` of the previous page."),
        ("limit" = Option<u32>, Query, description = "Maximum number of records, 1 to 1000; default 100."),
        ("rank_max" = Option<u64>, Query, description = "Only ranks up to this one."),
        ("domain" = Option<String>, Query, description = "Only this domain."),
        ("decision" = Option<String>, Query, description = "Only this decision, such as \
            `read:block`. Actions: `read`, `cite`, `connect`."),
        ("section_state" = Option<String>, Query,
            description = "Only this state of the crawl policy, such as `declared`."),
        ("format" = Option<String>, Query, description = "`json` or `ndjson`."),
    ),
    responses(
        (status = 200, description = "The signed page, or signed lines.", content(
            (CensusPage = "application/json"),
            (String = "application/jsonl"),
        )),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `bad_domain`, `unknown_field`.",
            body = ErrorV1),
        (status = 404, description = "There is no such run: `not_found`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_census_records(
    State(service): State<Arc<Service>>,
    _: FeedLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &PARAMETERS)?;
    let domain = parameters.get("domain").map(|text| service.parse_domain(text)).transpose();
    let query = CensusPageQuery {
        run: parse_run(&parameters)?,
        cursor: parameters.get("cursor").map(|text| parse_cursor(text)).transpose()?,
        limit: count_parameter(&parameters, "limit", CENSUS_PAGE_MAX)?
            .unwrap_or(CENSUS_PAGE_DEFAULT),
        rank_max: number_parameter(&parameters, "rank_max")?,
        domain: domain.map_err(bad_domain_error)?,
        decision: parameters.get("decision").map(|text| parse_decision(text)).transpose()?,
        section_state: parameters
            .get("section_state")
            .map(|text| parse_section_state(text))
            .transpose()?,
    };
    let lines = match parameters.get("format").map(String::as_str) {
        None | Some("json") => false,
        Some("ndjson") => true,
        Some(_) => {
            return Err(ApiError::bad_request("`format` must be json or ndjson.").param("format"));
        }
    };
    let document = match lines {
        true => service.census.census_lines(&query).await,
        false => service.census.census_page(&query).await,
    };
    let document = document.map_err(to_api_error)?;
    let cache = if document.finished { CACHE_ONE_DAY_IMMUTABLE } else { CACHE_FIVE_MINUTES };
    let media_type = if lines { JSON_LINES } else { JSON };
    let mut reply =
        HttpDocument::with_etag(document.bytes, &document.etag, media_type, cache).reply(&headers);
    let next = document.cursor.and_then(|cursor| next_page_link(&uri, cursor));
    if let Some(next) = next.and_then(|next| HeaderValue::from_str(&next).ok()) {
        reply.headers_mut().insert(LINK, next);
    }
    Ok(reply)
}

pub(super) fn parse_run(parameters: &QueryParameters) -> Result<Option<u64>, ApiError> {
    if parameters.get("run").is_some_and(|text| text == "latest") {
        return Ok(None);
    }
    number_parameter(parameters, "run")
}

fn parse_cursor(text: &str) -> Result<CensusCursor, ApiError> {
    let sentence = "`cursor` is invalid. Use the `cursor` of an earlier page.";
    CensusCursor::parse(text).ok_or_else(|| ApiError::bad_request(sentence).param("cursor"))
}

fn parse_decision(text: &str) -> Result<(Action, Decision), ApiError> {
    let read = text.split_once(':').and_then(|(action, decision)| {
        let action = Action::from_word(action)
            .filter(|action| matches!(action, Action::Read | Action::Cite | Action::Connect))?;
        Some((action, Decision::from_word(decision)?))
    });
    let sentence = || {
        format!(
            "`decision` must be ACTION:DECISION, such as read:block. Actions: read, cite, connect. \
             Decisions: {}.",
            Decision::WORDS.join(", ")
        )
    };
    read.ok_or_else(|| ApiError::bad_request(sentence()).param("decision"))
}

fn parse_section_state(text: &str) -> Result<String, ApiError> {
    let good = (1..=MAX_WORD_BYTES).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let sentence = "`section_state` must be a word such as declared or not_measured.";
    good.then(|| text.to_owned())
        .ok_or_else(|| ApiError::bad_request(sentence).param("section_state"))
}

/// The `Link` to the next page: the same query with the cursor.
fn next_page_link(uri: &Uri, cursor: CensusCursor) -> Option<String> {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
        if name != "cursor" {
            query.append_pair(&name, &value);
        }
    }
    query.append_pair("cursor", &cursor.text());
    Some(format!("<{}?{}>; rel=\"next\"", uri.path(), query.finish()))
}

pub(super) fn to_api_error(error: CensusError) -> ApiError {
    let message = error.to_string();
    match error {
        CensusError::Unknown => {
            ApiError::new(ErrorCode::NotFound, "There is no census run with this number.")
                .param("run")
        }
        CensusError::Store(_) => error_mapping::store_unreadable().with_internal_message(message),
        CensusError::Signing(_) => {
            error_mapping::signing_unavailable().with_internal_message(message)
        }
        CensusError::Unreadable(_) => ApiError::internal(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_validated() {
        assert_eq!(parse_decision("read:block").unwrap(), (Action::Read, Decision::Block));
        for bad in ["read", "read:", "transact:block", "read:maybe", ":block"] {
            assert_eq!(parse_decision(bad).unwrap_err().status(), 400, "{bad}");
        }
        assert_eq!(parse_section_state("not_measured").unwrap(), "not_measured");
        assert_eq!(parse_section_state("Not measured").unwrap_err().status(), 400);
        assert_eq!(parse_cursor("n7-4").unwrap(), CensusCursor { run: 7, rank: 4 });
    }

    #[test]
    fn the_next_page_asks_the_same_from_the_cursor_on() {
        let uri: Uri =
            "/api/census/records?limit=5&cursor=n1-1&decision=read%3Ablock".parse().unwrap();
        assert_eq!(
            next_page_link(&uri, CensusCursor { run: 1, rank: 6 }).unwrap(),
            "</api/census/records?limit=5&decision=read%3Ablock&cursor=n1-6>; rel=\"next\""
        );
    }
}
