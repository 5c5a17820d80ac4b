//! `GET /api/census/records`: what a run over a ranked list of domains measured.

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
    census::{CensusCursor, CensusError, CensusWanted},
};

use super::{
    kept,
    log::{count, number},
    scan::bad_domain,
};
use crate::{
    address::{self, Parameters},
    documents::{Document, FOR_A_DAY_UNCHANGED, FOR_MINUTES, JSON, JSON_LINES},
    errors::ApiError,
    limits::Feeds,
};

const PARAMETERS: [&str; 8] =
    ["run", "cursor", "limit", "rank_max", "domain", "decision", "section_state", "format"];
/// The longest word asked for.
const WORD_BYTES: usize = 40;

/// Read the records of a census
///
/// What each domain of a ranked list came to in one run: its decisions, its crawl policy's state, how
/// many identities were served, which machine files are there, and the answer behind it. Page by page
/// with `cursor`, or up to 10,000 lines at once with `format=ndjson`, whose last line is signed and
/// names all others by their digest. Unlisted and private scans are in no census.
#[utoipa::path(
    get,
    path = "/api/census/records",
    operation_id = "getCensusRecords",
    tag = "resolve",
    params(
        ("run" = Option<String>, Query, description = "The number of a run, or `latest`."),
        ("cursor" = Option<String>, Query, description = "From `cursor` of the page before."),
        ("limit" = Option<u32>, Query, description = "Records, 1 to 1000; 100 when not given."),
        ("rank_max" = Option<u64>, Query, description = "Only ranks up to this one."),
        ("domain" = Option<String>, Query, description = "Only this domain."),
        ("decision" = Option<String>, Query, description = "Only this decision, as `read:block`; \
            of `read`, `cite` and `connect`."),
        ("section_state" = Option<String>, Query,
            description = "Only this state of the crawl policy, as `declared`."),
        ("format" = Option<String>, Query, description = "`json` or `ndjson`."),
    ),
    responses(
        (status = 200, description = "The signed page, or signed lines.", body = CensusPage,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`bad_request`, `bad_domain`, `unknown_field`.",
            body = ErrorV1),
        (status = 404, description = "There is no such run: `not_found`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_census_records(
    State(service): State<Arc<Service>>,
    _: Feeds,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let asked = address::parameters(&uri, &PARAMETERS)?;
    let domain = asked.get("domain").map(|text| service.domain(text)).transpose();
    let wanted = CensusWanted {
        run: run(&asked)?,
        cursor: asked.get("cursor").map(|text| cursor(text)).transpose()?,
        limit: count(&asked, "limit", CENSUS_PAGE_MAX)?.unwrap_or(CENSUS_PAGE_DEFAULT),
        rank_max: number(&asked, "rank_max")?,
        domain: domain.map_err(bad_domain)?,
        decision: asked.get("decision").map(|text| decision(text)).transpose()?,
        section_state: asked.get("section_state").map(|text| state(text)).transpose()?,
    };
    let lines = match asked.get("format").map(String::as_str) {
        None | Some("json") => false,
        Some("ndjson") => true,
        Some(_) => {
            return Err(ApiError::bad_request("`format` is json or ndjson.").param("format"));
        }
    };
    let paper = match lines {
        true => service.census_lines(&wanted).await,
        false => service.census_page(&wanted).await,
    };
    let paper = paper.map_err(failed)?;
    let cache = if paper.finished { FOR_A_DAY_UNCHANGED } else { FOR_MINUTES };
    let media_type = if lines { JSON_LINES } else { JSON };
    let mut reply = Document::named(paper.bytes, &paper.name, media_type, cache).reply(&headers);
    let next = paper.cursor.and_then(|cursor| next(&uri, cursor));
    if let Some(next) = next.and_then(|next| HeaderValue::from_str(&next).ok()) {
        reply.headers_mut().insert(LINK, next);
    }
    Ok(reply)
}

fn run(asked: &Parameters) -> Result<Option<u64>, ApiError> {
    if asked.get("run").is_some_and(|text| text == "latest") {
        return Ok(None);
    }
    number(asked, "run")
}

fn cursor(text: &str) -> Result<CensusCursor, ApiError> {
    let sentence = "`cursor` is one that an earlier page gave.";
    CensusCursor::read(text).ok_or_else(|| ApiError::bad_request(sentence).param("cursor"))
}

fn decision(text: &str) -> Result<(Action, Decision), ApiError> {
    let read = text.split_once(':').and_then(|(action, decision)| {
        let action = Action::known(action)
            .filter(|action| matches!(action, Action::Read | Action::Cite | Action::Connect))?;
        Some((action, Decision::known(decision)?))
    });
    let sentence = || {
        format!(
            "`decision` is read, cite or connect, a colon, and one of: {}.",
            Decision::WORDS.join(", ")
        )
    };
    read.ok_or_else(|| ApiError::bad_request(sentence()).param("decision"))
}

fn state(text: &str) -> Result<String, ApiError> {
    let good = (1..=WORD_BYTES).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let sentence = "`section_state` is a word such as declared or not_measured.";
    good.then(|| text.to_owned())
        .ok_or_else(|| ApiError::bad_request(sentence).param("section_state"))
}

/// The same question from the cursor on.
fn next(uri: &Uri, cursor: CensusCursor) -> Option<String> {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
        if name != "cursor" {
            query.append_pair(&name, &value);
        }
    }
    query.append_pair("cursor", &cursor.text());
    Some(format!("<{}?{}>; rel=\"next\"", uri.path(), query.finish()))
}

fn failed(error: CensusError) -> ApiError {
    let said = error.to_string();
    match error {
        CensusError::Unknown => {
            ApiError::new(ErrorCode::NotFound, "There is no such run of the census.").param("run")
        }
        CensusError::Store(_) => kept::store_unreadable().because(said),
        CensusError::Signing(_) => kept::not_signed().because(said),
        CensusError::Unreadable(_) => ApiError::internal(said),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_held_to_their_words() {
        assert_eq!(decision("read:block").unwrap(), (Action::Read, Decision::Block));
        for bad in ["read", "read:", "transact:block", "read:maybe", ":block"] {
            assert_eq!(decision(bad).unwrap_err().status(), 400, "{bad}");
        }
        assert_eq!(state("not_measured").unwrap(), "not_measured");
        assert_eq!(state("Not measured").unwrap_err().status(), 400);
        assert_eq!(cursor("n7-4").unwrap(), CensusCursor { run: 7, rank: 4 });
    }

    #[test]
    fn the_next_page_asks_the_same_from_the_cursor_on() {
        let uri: Uri =
            "/api/census/records?limit=5&cursor=n1-1&decision=read%3Ablock".parse().unwrap();
        assert_eq!(
            next(&uri, CensusCursor { run: 1, rank: 6 }).unwrap(),
            "</api/census/records?limit=5&decision=read%3Ablock&cursor=n1-6>; rel=\"next\""
        );
    }
}
