//! Reads a list of address ranges that an operator publishes, and a directory of keys. Both are files for
//! machines at addresses that their operators publish for this use.

use std::time::Duration;

use agents::{Catalogue, Role};
use bytes::Bytes;
use contract::evidence::{ExchangeOutcome, Response};
use door::{Door, FetchRequest, FetchResult, ReadKind, RedirectPolicy};

/// Where a site publishes the keys that its agents sign requests with.
const DIRECTORY_PATH: &str = "/.well-known/http-message-signatures-directory";
const DIRECTORY_TYPE: &str = "application/http-message-signatures-directory+json";

/// Everything that a read of a feed needs to start.
#[derive(Debug)]
pub struct FeedRead<'a> {
    pub url: &'a str,
    pub door: &'a Door,
    pub catalogue: &'a Catalogue,
    /// The deadline for the whole read, including redirects.
    pub deadline: Duration,
    /// The ETag of the copy that is stored.
    pub etag: Option<&'a str>,
    /// Its Last-Modified date; used only if there is no ETag.
    pub last_modified: Option<&'a str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeedReadOutcome {
    /// The stored copy is current.
    NotModified,
    Content {
        body: Bytes,
        etag: Option<String>,
        last_modified: Option<String>,
    },
    /// Why there is no content, as a sentence.
    Failed(String),
}

impl FeedRead<'_> {
    pub async fn run(&self) -> FeedReadOutcome {
        let mut headers = Vec::new();
        match (self.etag, self.last_modified) {
            (Some(etag), _) => headers.push(("if-none-match".to_owned(), etag.to_owned())),
            (None, Some(date)) => headers.push(("if-modified-since".to_owned(), date.to_owned())),
            (None, None) => {}
        }
        let is_conditional = !headers.is_empty();
        let read =
            MachineRead { door: self.door, catalogue: self.catalogue, deadline: self.deadline };
        let fetched = match read.fetch(self.url, headers, RedirectPolicy::All).await {
            Ok(fetched) => fetched,
            Err(why) => return FeedReadOutcome::Failed(why),
        };
        let response = match complete_response(&fetched) {
            Ok(response) => response,
            Err(why) => return FeedReadOutcome::Failed(why),
        };
        let header = |name: &str| response.header(name).map(str::to_owned);
        match response.status {
            304 if is_conditional => FeedReadOutcome::NotModified,
            200 => FeedReadOutcome::Content {
                etag: header("etag"),
                last_modified: header("last-modified"),
                body: fetched.body.clone(),
            },
            status => FeedReadOutcome::Failed(format!("The server answered with status {status}.")),
        }
    }
}

/// Everything that a read of a key directory needs to start.
#[derive(Debug)]
pub struct KeyDirectoryRead<'a> {
    /// `https://host`, without a path.
    pub origin: &'a str,
    pub door: &'a Door,
    pub catalogue: &'a Catalogue,
    pub deadline: Duration,
}

impl KeyDirectoryRead<'_> {
    /// The directory, or why it could not be read. Redirects are not followed: the keys must be at the
    /// origin that the signature names.
    pub async fn run(&self) -> Result<Bytes, String> {
        let read =
            MachineRead { door: self.door, catalogue: self.catalogue, deadline: self.deadline };
        let url = format!("{}{DIRECTORY_PATH}", self.origin);
        let accept = vec![("accept".to_owned(), DIRECTORY_TYPE.to_owned())];
        let fetched = read.fetch(&url, accept, RedirectPolicy::Never).await?;
        let response = complete_response(&fetched)?;
        if response.status != 200 {
            return Err(format!("The server answered with status {}.", response.status));
        }
        let media_type = response.header("content-type").unwrap_or_default();
        let media_type = media_type.split(';').next().unwrap_or_default().trim();
        if !media_type.eq_ignore_ascii_case(DIRECTORY_TYPE) {
            return Err(format!("The media type is not {DIRECTORY_TYPE}."));
        }
        Ok(fetched.body.clone())
    }
}

/// A read as our own identity, in a visit of its own.
struct MachineRead<'a> {
    door: &'a Door,
    catalogue: &'a Catalogue,
    deadline: Duration,
}

impl MachineRead<'_> {
    async fn fetch(
        &self,
        url: &str,
        more_headers: Vec<(String, String)>,
        redirects: RedirectPolicy,
    ) -> Result<FetchResult, String> {
        let own = self.catalogue.identity_with_role(Role::Own);
        let own = own.ok_or("The catalogue has no identity for our own reader.")?;
        let mut headers = own.headers();
        headers.retain(|(name, _)| !more_headers.iter().any(|(other, _)| other == name));
        headers.extend(more_headers);
        let request = FetchRequest {
            url: url.to_owned(),
            identity: own.id.clone(),
            headers,
            kind: ReadKind::Json,
            max_wire_bytes: None,
            timeout: None,
            fresh_connection: false,
            redirects,
        };
        Ok(self.door.visit(self.deadline).fetch(request).await)
    }
}

/// The response, if there is one and its body was read to the end.
fn complete_response(fetched: &FetchResult) -> Result<&Response, String> {
    match &fetched.exchange.outcome {
        ExchangeOutcome::Failed(failure) => Err(failure.detail.clone()),
        ExchangeOutcome::Response(response) => match &response.body.cut {
            Some(cut) => Err(cut.detail.clone()),
            None => Ok(response),
        },
    }
}
