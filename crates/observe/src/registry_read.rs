//! Reads a registration from a registry by RDAP (RFC 7480), and the list of registries.
//!
//! Only the registry is asked, never the registrar that it may refer to: that one would add only data about
//! registrants. Redirects are followed one by one here, because the certificate of every server on the way
//! must be valid: a registration is used to tell whether a domain has a new owner.

use std::time::Duration;

use agents::{Catalogue, Role};
use bytes::Bytes;
use contract::evidence::{ExchangeOutcome, Response};
use contract::{Domain, Timestamp};
use declared::rdap::{
    Bootstrap, MAX_BOOTSTRAP_BYTES, MAX_RESPONSE_BYTES, RdapFault, Registration,
    parse_domain_object,
};
use door::{Door, FetchRequest, ReadKind, RedirectPolicy, Visit};
use url::Url;

use crate::retry_after::parse_retry_after;

const RDAP_TYPE: &str = "application/rdap+json";
const MAX_REDIRECTS: usize = 3;

/// Everything that a read of a registration needs to start.
#[derive(Debug)]
pub struct RegistrationRead<'a> {
    /// The registered domain.
    pub domain: &'a Domain,
    /// The address of the registry's server, which ends with `/`.
    pub server: &'a str,
    pub door: &'a Door,
    pub catalogue: &'a Catalogue,
    /// The deadline for the whole read, including redirects.
    pub deadline: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegistrationOutcome {
    Read {
        registration: Box<Registration>,
        /// The address of the response.
        source: String,
    },
    /// The registry has no such domain.
    NotFound { source: String },
    /// The registry does not answer now: too many requests (429), forbidden (403), unavailable (503).
    Refused { status: u16, retry_after: Option<Duration> },
    /// Nothing is known, for this reason.
    Failed(String),
}

impl RegistrationRead<'_> {
    pub async fn run(&self) -> RegistrationOutcome {
        let url = format!("{}domain/{}", self.server, self.domain);
        let read = RegistryFile { door: self.door, catalogue: self.catalogue };
        let max_bytes = MAX_RESPONSE_BYTES as u64;
        match read.fetch(&url, RDAP_TYPE, max_bytes, self.deadline).await {
            Ok(answer) => self.judge_answer(answer),
            Err(why) => RegistrationOutcome::Failed(why),
        }
    }

    fn judge_answer(&self, answer: RegistryAnswer) -> RegistrationOutcome {
        let RegistryAnswer { response, body, at } = answer;
        let (status, source) = (response.status, response.url.clone());
        if matches!(status, 403 | 429 | 503) {
            let retry_after = response.header("retry-after");
            let retry_after = retry_after.and_then(|value| parse_retry_after(value, at));
            return RegistrationOutcome::Refused { status, retry_after };
        }
        if let Some(cut) = &response.body.cut {
            return RegistrationOutcome::Failed(cut.detail.clone());
        }
        match status {
            200 => match parse_domain_object(&body, self.domain.as_str()) {
                Ok(registration) => {
                    RegistrationOutcome::Read { registration: Box::new(registration), source }
                }
                Err(RdapFault::ErrorObject(Some(404))) => RegistrationOutcome::NotFound { source },
                Err(fault) => RegistrationOutcome::Failed(fault.to_string()),
            },
            // A page would come from a server that does not serve RDAP at this address any more.
            404 if is_empty_or_json(&body) => RegistrationOutcome::NotFound { source },
            404 => RegistrationOutcome::Failed(
                "The registry's server answered 404 with something that is not RDAP.".to_owned(),
            ),
            status => RegistrationOutcome::Failed(describe_status(status)),
        }
    }
}

/// Everything that a read of the list of registries needs to start.
#[derive(Debug)]
pub struct BootstrapRead<'a> {
    pub url: &'a str,
    pub door: &'a Door,
    pub catalogue: &'a Catalogue,
    pub deadline: Duration,
}

impl BootstrapRead<'_> {
    /// The list, or why there is none.
    pub async fn run(&self) -> Result<Bootstrap, String> {
        let read = RegistryFile { door: self.door, catalogue: self.catalogue };
        let max_bytes = MAX_BOOTSTRAP_BYTES as u64;
        let answer = read.fetch(self.url, "application/json", max_bytes, self.deadline).await?;
        if let Some(cut) = &answer.response.body.cut {
            return Err(cut.detail.clone());
        }
        if answer.response.status != 200 {
            return Err(describe_status(answer.response.status));
        }
        Bootstrap::parse(&answer.body).map_err(|fault| fault.to_string())
    }
}

fn describe_status(status: u16) -> String {
    format!("The server answered with status {status}.")
}

fn is_empty_or_json(body: &[u8]) -> bool {
    body.iter().all(u8::is_ascii_whitespace) || contract::json::parse_value(body).is_ok()
}

struct RegistryAnswer {
    response: Response,
    body: Bytes,
    /// When the request was sent.
    at: Timestamp,
}

/// A read as our own identity, in a visit of its own.
struct RegistryFile<'a> {
    door: &'a Door,
    catalogue: &'a Catalogue,
}

impl RegistryFile<'_> {
    /// The answer of the last server, after redirects.
    async fn fetch(
        &self,
        url: &str,
        accept: &str,
        max_bytes: u64,
        deadline: Duration,
    ) -> Result<RegistryAnswer, String> {
        let visit = self.door.visit(deadline);
        let mut url = url.to_owned();
        for _ in 0..=MAX_REDIRECTS {
            let answer = self.fetch_once(&visit, &url, accept, max_bytes).await?;
            let Some(location) = redirect_location(&answer.response) else { return Ok(answer) };
            url = join_location(&answer.response.url, location)?;
        }
        Err("The server sent more redirects than we follow.".to_owned())
    }

    async fn fetch_once(
        &self,
        visit: &Visit,
        url: &str,
        accept: &str,
        max_bytes: u64,
    ) -> Result<RegistryAnswer, String> {
        let own = self.catalogue.identity_with_role(Role::Own);
        let own = own.ok_or("The catalogue has no identity for our own reader.")?;
        let mut headers = own.headers();
        headers.retain(|(name, _)| name != "accept");
        headers.push(("accept".to_owned(), accept.to_owned()));
        let request = FetchRequest {
            url: url.to_owned(),
            identity: own.id.clone(),
            headers,
            kind: ReadKind::Json,
            max_wire_bytes: Some(max_bytes),
            timeout: None,
            fresh_connection: false,
            redirects: RedirectPolicy::Never,
        };
        let fetched = visit.fetch(request).await;
        let at = fetched.exchange.started_at;
        match fetched.exchange.outcome {
            ExchangeOutcome::Failed(failure) => Err(failure.detail),
            ExchangeOutcome::Response(response) => {
                if response.tls.as_ref().is_some_and(|tls| !tls.trusted) {
                    return Err("The server's certificate is not valid.".to_owned());
                }
                Ok(RegistryAnswer { response: *response, body: fetched.body, at })
            }
        }
    }
}

fn redirect_location(response: &Response) -> Option<&str> {
    matches!(response.status, 301 | 302 | 303 | 307 | 308).then(|| response.header("location"))?
}

/// Where a redirect leads. What was asked with TLS is not asked without it.
fn join_location(from: &str, location: &str) -> Result<String, String> {
    let from = Url::parse(from).map_err(|_| "The address of the server is not valid.")?;
    let to = from.join(location).map_err(|_| "The redirect has no valid address.")?;
    if from.scheme() == "https" && to.scheme() != "https" {
        return Err("The server redirects to an address without TLS.".to_owned());
    }
    Ok(to.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_keep_tls() {
        let from = "https://rdap.lab/lab/domain/a.lab";
        assert_eq!(join_location(from, "/x").as_deref(), Ok("https://rdap.lab/x"));
        assert_eq!(join_location(from, "https://b.lab/").as_deref(), Ok("https://b.lab/"));
        assert!(join_location(from, "http://rdap.lab/x").is_err());
        assert!(join_location("http://rdap.lab/", "https://rdap.lab/x").is_ok());
        assert!(join_location(from, "https://").is_err());
    }
}
