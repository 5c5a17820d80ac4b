//! `GET /api/v1/rights`: what a site's statements say about uses of its content.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{errors::ErrorV1, records::RightsRecord};
use http::{HeaderMap, Uri};
use service::Service;

use super::{kept, log::needed, scan::bad_domain};
use crate::{
    address,
    documents::{Document, FOR_MINUTES, JSON},
    errors::ApiError,
    limits::Reads,
};

/// The longest path and the longest robots.txt token asked about.
const PATH_BYTES: usize = 2_048;
const TOKEN_BYTES: usize = 64;

/// Read what may be done with a site's content
///
/// For each of five uses what the site's public statements come to (robots.txt, Content-Signal,
/// AIPREF, RSL, TDMRep, X-Robots-Tag and meta robots, tolls), which of them decides, and which say
/// otherwise. With `path` and `agent` for that page and that robots.txt token. Unknown grants nothing
/// and forbids nothing. A site nobody asked about is answered with `observed` false.
#[utoipa::path(
    get,
    path = "/api/v1/rights",
    operation_id = "getRights",
    tag = "resolve",
    params(
        ("domain" = String, Query, description = "The domain.", example = "example.com"),
        ("path" = Option<String>, Query, description = "A path; `/` when not given."),
        ("agent" = Option<String>, Query, description = "A robots.txt token, as `GPTBot`."),
    ),
    responses(
        (status = 200, description = "The signed record.", body = RightsRecord,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`bad_request`, `bad_domain`, `unknown_field`.",
            body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_rights(
    State(service): State<Arc<Service>>,
    _: Reads,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let asked = address::parameters(&uri, &["domain", "path", "agent"])?;
    let domain = service.domain(needed(asked.get("domain"), "domain")?).map_err(bad_domain)?;
    let path = asked.get("path").map_or(Ok("/"), |path| good_path(path))?;
    let agent = asked.get("agent").map(|agent| good_agent(agent)).transpose()?;
    let signed = service.rights(&domain, path, agent).await.map_err(kept::failed)?;
    Ok(Document::named(signed.bytes, &signed.digest, JSON, FOR_MINUTES).reply(&headers))
}

fn good_path(path: &str) -> Result<&str, ApiError> {
    let good = path.starts_with('/')
        && path.len() <= PATH_BYTES
        && !path.contains(['#', '?'])
        && !path.chars().any(|c| c.is_control() || c.is_whitespace());
    let sentence = "`path` begins with `/` and has neither a query nor a fragment.";
    good.then_some(path).ok_or_else(|| ApiError::bad_request(sentence).param("path"))
}

/// A product token (RFC 9309, 2.2.1), or what some agents use for one.
fn good_agent(agent: &str) -> Result<&str, ApiError> {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let good = (1..=TOKEN_BYTES).contains(&agent.len()) && agent.bytes().all(letter);
    let sentence = "`agent` is a robots.txt token: letters, digits, `-`, `_` and `.`.";
    good.then_some(agent).ok_or_else(|| ApiError::bad_request(sentence).param("agent"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_tokens_are_held_to_their_form() {
        for good in ["/", "/a/b.html", "/%C3%BC"] {
            assert_eq!(good_path(good).unwrap(), good);
        }
        for bad in ["", "a", "/a?b", "/a#b", "/a b", "/a\n", &format!("/{}", "a".repeat(2_048))] {
            assert_eq!(good_path(bad).unwrap_err().status(), 400, "{bad}");
        }
        assert_eq!(good_agent("Google-Extended").unwrap(), "Google-Extended");
        for bad in ["", "*", "a b", "a/1", &"a".repeat(65)] {
            assert_eq!(good_agent(bad).unwrap_err().status(), 400, "{bad}");
        }
    }
}
