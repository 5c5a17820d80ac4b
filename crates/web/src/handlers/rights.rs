//! `GET /api/v1/rights`: what a site's statements allow and forbid for uses of its content.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{errors::ErrorV1, records::RightsRecord};
use http::{HeaderMap, Uri};
use service::Service;

use super::error_mapping::{self, bad_domain_error};
use crate::{
    rate_limits::ReadLimit,
    request::{parameters::required, query_parameters},
    response::{ApiError, CACHE_FIVE_MINUTES, HttpDocument, JSON},
};

// The maximum lengths of the parameters `path` and `agent`.
const MAX_PATH_BYTES: usize = 2_048;
const MAX_TOKEN_BYTES: usize = 64;

/// Read what may be done with a site's content
///
/// For each of five uses: the result of the site's public statements (robots.txt, Content-Signal, AIPREF,
/// RSL, TDMRep, X-Robots-Tag and meta robots, tolls), which statement decides, and which ones
/// contradict it. With `path` and `agent`: the result for that page and that robots.txt token.
/// `unknown` neither grants nor forbids a use. For a site that was never read, `observed` is false.
#[utoipa::path(
    get,
    path = "/api/v1/rights",
    operation_id = "getRights",
    tag = "resolve",
    params(
        ("domain" = String, Query, description = "The domain.", example = "example.com"),
        ("path" = Option<String>, Query, description = "A path; default `/`."),
        ("agent" = Option<String>, Query, description = "A robots.txt token, such as `GPTBot`."),
    ),
    responses(
        (status = 200, description = "The signed record.", body = RightsRecord,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `bad_domain`, `unknown_field`.",
            body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_rights(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["domain", "path", "agent"])?;
    let domain = service
        .parse_domain(required(parameters.get("domain"), "domain")?)
        .map_err(bad_domain_error)?;
    let path = parameters.get("path").map_or(Ok("/"), |path| check_path(path))?;
    let agent = parameters.get("agent").map(|agent| check_agent(agent)).transpose()?;
    let signed = service
        .answers
        .rights(&domain, path, agent)
        .await
        .map_err(error_mapping::report_to_api_error)?;
    Ok(HttpDocument::with_etag(signed.bytes, &signed.digest, JSON, CACHE_FIVE_MINUTES)
        .reply(&headers))
}

fn check_path(path: &str) -> Result<&str, ApiError> {
    let good = path.starts_with('/')
        && path.len() <= MAX_PATH_BYTES
        && !path.contains(['#', '?'])
        && !path.chars().any(|c| c.is_control() || c.is_whitespace());
    let sentence = "`path` must begin with `/` and have no query, fragment or spaces.";
    good.then_some(path).ok_or_else(|| ApiError::bad_request(sentence).param("path"))
}

/// A product token (RFC 9309, 2.2.1); dots and digits are accepted as well, because some agents use them.
fn check_agent(agent: &str) -> Result<&str, ApiError> {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let good = (1..=MAX_TOKEN_BYTES).contains(&agent.len()) && agent.bytes().all(letter);
    let sentence = "`agent` must be a robots.txt token: letters, digits, `-`, `_` and `.`.";
    good.then_some(agent).ok_or_else(|| ApiError::bad_request(sentence).param("agent"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_tokens_are_validated() {
        for good in ["/", "/a/b.html", "/%C3%BC"] {
            assert_eq!(check_path(good).unwrap(), good);
        }
        for bad in ["", "a", "/a?b", "/a#b", "/a b", "/a\n", &format!("/{}", "a".repeat(2_048))] {
            assert_eq!(check_path(bad).unwrap_err().status(), 400, "{bad}");
        }
        assert_eq!(check_agent("Google-Extended").unwrap(), "Google-Extended");
        for bad in ["", "*", "a b", "a/1", &"a".repeat(65)] {
            assert_eq!(check_agent(bad).unwrap_err().status(), 400, "{bad}");
        }
    }
}
