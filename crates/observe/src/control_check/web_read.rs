//! Reads a page or file of the domain itself, and says whether the response can be used.

use std::sync::Arc;

use agents::Identity;
use contract::evidence::{Exchange, ExchangeOutcome, Failure, FailureKind, FailurePhase, Response};
use door::{FetchRequest, FetchResult, ReadKind, RedirectPolicy, TARGET_LIMIT, Visit};
use url::Url;

use super::Verdict;
use super::own_hosts::OwnHosts;

/// A response from a cache that is older proves nothing about now.
const MAX_AGE_SECONDS: u64 = 3_600;

/// Reads of one check.
#[derive(Debug)]
pub(super) struct WebReader {
    pub(super) visit: Visit,
    pub(super) own_hosts: Arc<OwnHosts>,
}

impl WebReader {
    /// Requests a URL and asks caches on the way for a fresh copy.
    pub(super) async fn fetch(
        &self,
        identity: &Identity,
        url: String,
        kind: ReadKind,
        max_wire_bytes: Option<u64>,
    ) -> FetchResult {
        let mut headers = identity.headers();
        headers.retain(|(name, _)| name != "cache-control" && name != "pragma");
        headers.push(("cache-control".to_owned(), "no-cache".to_owned()));
        headers.push(("pragma".to_owned(), "no-cache".to_owned()));
        let request = FetchRequest {
            url,
            identity: identity.id.clone(),
            headers,
            kind,
            max_wire_bytes,
            timeout: None,
            fresh_connection: false,
            redirects: RedirectPolicy::IfAllowed(Arc::clone(&self.own_hosts) as _),
        };
        self.visit.fetch(request).await
    }

    /// The complete response with status 200, or why there is none.
    pub(super) fn usable_response<'r>(
        &self,
        fetched: &'r FetchResult,
    ) -> Result<&'r Response, Verdict> {
        let response = match &fetched.exchange.outcome {
            ExchangeOutcome::Response(response) => response,
            ExchangeOutcome::Failed(failure) => {
                return Err(self.judge_failure(&fetched.exchange, failure));
            }
        };
        match &response.tls {
            Some(tls) if tls.trusted => {}
            Some(tls) => {
                let errors = tls.errors.join(", ");
                return Err(Verdict::unreadable(format!(
                    "The certificate of the server is not valid ({errors})."
                )));
            }
            None => return Err(Verdict::unreadable("The server did not answer over https.")),
        }
        let status = response.status;
        if matches!(status, 200 | 404 | 410)
            && let Some(age) = age_seconds(response).filter(|age| *age > MAX_AGE_SECONDS)
        {
            return Err(Verdict::unreadable(format!(
                "The answer came from a cache and is {age} seconds old (header Age)."
            )));
        }
        match status {
            200 => match &response.body.cut {
                None => Ok(response),
                Some(cut) => Err(Verdict::unreadable(format!(
                    "The answer could not be read to its end. {}",
                    cut.detail
                ))),
            },
            404 | 410 => Err(Verdict::not_found(format!("The server answered {status}."))),
            _ => Err(Verdict::unreadable(format!(
                "The server answered {status}, so it is not known what it publishes."
            ))),
        }
    }

    /// A redirect that leaves the domain was read and proves nothing; any other failure hides what is
    /// published.
    fn judge_failure(&self, exchange: &Exchange, failure: &Failure) -> Verdict {
        let is_refused_redirect = failure.kind == FailureKind::RefusedByPolicy
            && failure.phase == FailurePhase::Redirect
            && failure.reason != TARGET_LIMIT;
        let target = exchange.hops.last().map(|hop| hop.url.as_str()).unwrap_or_default();
        match self.own_hosts.refusal(target).filter(|_| is_refused_redirect) {
            Some(refusal) => {
                let target = Url::parse(target).ok();
                let origin = target
                    .as_ref()
                    .and_then(|url| Some(format!("{}://{}", url.scheme(), url.host_str()?)));
                Verdict::not_found(match origin {
                    Some(origin) => format!("The server redirects to {origin}. {}", refusal.detail),
                    None => refusal.detail.to_owned(),
                })
            }
            None => Verdict::unreadable(failure.detail.clone()),
        }
    }
}

/// How old the response is by its own account. A number beyond all bounds is as old as can be; what is
/// not a number is ignored (RFC 9111 section 5.1).
fn age_seconds(response: &Response) -> Option<u64> {
    let values = response.headers_named("age").flat_map(|value| value.split(','));
    values
        .map(str::trim)
        .filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
        .map(|digits| digits.parse().unwrap_or(u64::MAX))
        .max()
}

/// The media type without parameters, in lower case.
pub(super) fn media_type(response: &Response) -> Option<String> {
    let value = response.header("content-type")?;
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use contract::evidence::{BodyFacts, HeaderLine};

    use super::*;

    fn response(headers: &[(&str, &str)]) -> Response {
        let line = |(name, value): &(&str, &str)| HeaderLine {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
        };
        Response {
            url: "https://a.lab/".to_owned(),
            status: 200,
            http: "2".to_owned(),
            headers: headers.iter().map(line).collect(),
            body: BodyFacts {
                sha256: String::new(),
                bytes: 0,
                wire_bytes: 0,
                encoding: None,
                cut: None,
            },
            tls: None,
        }
    }

    #[test]
    fn the_greatest_age_counts() {
        for (values, age) in [
            (&[][..], None),
            (&[("age", "12")], Some(12)),
            (&[("age", " 12 "), ("age", "7200")], Some(7200)),
            (&[("age", "7200, 3")], Some(7200)),
            (&[("age", "99999999999999999999999")], Some(u64::MAX)),
            (&[("age", "-5")], None),
            (&[("age", "soon")], None),
        ] {
            assert_eq!(age_seconds(&response(values)), age, "{values:?}");
        }
    }
}
