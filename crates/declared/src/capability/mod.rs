//! What a site says it can do: the capabilities that its machine files declare.
//!
//! [`read`] takes the bytes of one file and gives what it declares, as claims: a name, an address
//! and the signs by which `judge` tells what calling it could do. Nothing is called and nothing is
//! believed. Only for files that were found to be what they should be.

mod agents;
mod catalogs;
mod commerce;
mod openapi;
#[cfg(test)]
mod tests;
mod words;

use serde_json::Value;
use url::Url;

use crate::files::{Kind, quietly};
use crate::shown::shown;

pub use words::Words;

/// How many capabilities are read out of one file.
pub const MAX_ITEMS: usize = 200;

/// How much of a name is kept, in characters.
const NAME_CHARS: usize = 128;

/// Longer addresses are not taken for one.
const MAX_ADDRESS_BYTES: usize = 1_024;

/// How many scopes of one capability are kept, and how much of each.
const MAX_SCOPES: usize = 20;

/// One thing that a file says can be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    /// As the site wrote it, cut and made harmless to look at.
    pub name: String,
    /// Where it is said to answer, absolute; nothing when that is not said, or only as a template.
    pub endpoint: Option<String>,
    pub signs: Signs,
}

impl Capability {
    /// Whether it is said to answer over https at this name or one below it.
    #[must_use]
    pub fn answers_within(&self, domain: &str) -> bool {
        let Some(url) = self.url().filter(|url| url.scheme() == "https") else { return false };
        url.host_str().is_some_and(|host| {
            host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    }

    /// Whether its address lies at or below another.
    #[must_use]
    pub fn lies_under(&self, address: &str) -> bool {
        let (Some(own), Some(other)) = (self.url(), Url::parse(address).ok()) else { return false };
        let prefix = other.path().trim_end_matches('/');
        own.origin() == other.origin()
            && own
                .path()
                .strip_prefix(prefix)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn url(&self) -> Option<Url> {
        Url::parse(self.endpoint.as_deref()?).ok()
    }
}

/// By what the effect of a call may be told. All of it is the site's word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signs {
    /// The method, where the file describes single requests.
    pub method: Option<Method>,
    /// Whether a request must carry a body.
    pub needs_body: bool,
    pub credential: Credential,
    pub scopes: Vec<String>,
    /// Whether it is said to cost something.
    pub priced: bool,
    /// Whether the file is about buying.
    pub commerce: bool,
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    /// What its names and its path are made of.
    pub words: Words,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// GET, HEAD, OPTIONS and QUERY: meant to change nothing.
    Safe,
    /// POST, PUT and PATCH.
    Write,
    Delete,
    /// One that no rule is about.
    Other,
}

impl Method {
    fn named(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "get" | "head" | "options" | "query" => Self::Safe,
            "post" | "put" | "patch" => Self::Write,
            "delete" => Self::Delete,
            "trace" => Self::Other,
            _ => return None,
        })
    }
}

/// Whether a caller must show who it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Credential {
    NotNeeded,
    Needed,
    /// The file does not say, or not so that it can be read.
    #[default]
    Untold,
}

/// What one file declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declared {
    /// At most [`MAX_ITEMS`], in the order of the file.
    pub items: Vec<Capability>,
    /// Whether the file declares more than that.
    pub more: bool,
}

/// Whether files of this kind declare capabilities.
#[must_use]
pub fn declares(kind: Kind) -> bool {
    match kind {
        Kind::AgentSkills
        | Kind::McpServerCard
        | Kind::ApiCatalog
        | Kind::AgentCard
        | Kind::AiCatalog
        | Kind::Ard
        | Kind::Ucp
        | Kind::Acp
        | Kind::X402
        | Kind::OpenApi => true,
        Kind::RobotsTxt
        | Kind::Sitemap
        | Kind::LlmsTxt
        | Kind::LlmsFullTxt
        | Kind::AgentsMd
        | Kind::OauthResource
        | Kind::OauthServer
        | Kind::SecurityTxt
        | Kind::BotAuthDirectory
        | Kind::Tdmrep
        | Kind::AiTxt => false,
    }
}

/// Reads what a file declares. `url` is where it was served from in the end.
#[must_use]
pub fn read(kind: Kind, url: &str, body: &[u8]) -> Declared {
    let mut found = Found { base: Url::parse(url).ok(), declared: Declared::default() };
    let Some(root) = declares(kind).then(|| quietly(body)).flatten() else {
        return found.declared;
    };
    match kind {
        Kind::AgentSkills => agents::skills(&root, &mut found),
        Kind::McpServerCard => agents::mcp_card(&root, &mut found),
        Kind::AgentCard => agents::agent_card(&root, &mut found),
        Kind::ApiCatalog => catalogs::api_catalog(&root, &mut found),
        Kind::AiCatalog | Kind::Ard => catalogs::ai_catalog(&root, &mut found),
        Kind::Ucp => commerce::ucp(&root, &mut found),
        Kind::Acp => commerce::acp(&root, &mut found),
        Kind::X402 => commerce::x402(&root, &mut found),
        Kind::OpenApi => openapi::operations(&root, &mut found),
        _ => {}
    }
    found.declared
}

/// The address that an OAuth protected resource metadata file (RFC 9728) speaks for: what lies
/// under it needs a token.
#[must_use]
pub fn protected_resource(body: &[u8]) -> Option<String> {
    let root = quietly(body)?;
    let resource = text(&root, "resource")?;
    absolute(None, resource).map(String::from)
}

/// What is found in a file, and where the file came from.
struct Found {
    base: Option<Url>,
    declared: Declared,
}

impl Found {
    /// Takes one capability in; false once there is no room for another.
    fn add(&mut self, name: &str, endpoint: Option<Url>, signs: Signs) -> bool {
        if self.declared.items.len() >= MAX_ITEMS {
            self.declared.more = true;
            return false;
        }
        let endpoint = endpoint.map(String::from);
        self.declared.items.push(Capability { name: shown(name, NAME_CHARS), endpoint, signs });
        true
    }

    fn address(&self, text: Option<&str>) -> Option<Url> {
        absolute(self.base.as_ref(), text?)
    }
}

/// A web address without credentials, and not one that still has to be filled in.
fn absolute(base: Option<&Url>, text: &str) -> Option<Url> {
    if text.len() > MAX_ADDRESS_BYTES || text.contains(['{', '}']) {
        return None;
    }
    let url = match base {
        Some(base) => base.join(text),
        None => Url::parse(text),
    }
    .ok()?;
    let plain = matches!(url.scheme(), "https" | "http")
        && url.username().is_empty()
        && url.password().is_none()
        && url.as_str().len() <= MAX_ADDRESS_BYTES;
    plain.then_some(url)
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str().filter(|text| !text.trim().is_empty())
}

fn items<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn texts<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v str> + use<'v> {
    items(value, name).filter_map(Value::as_str)
}

fn members(value: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    value
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value))
}

/// Security requirements as OpenAPI writes them and A2A after it: a list of choices, each naming the
/// schemes it needs. An empty list and an empty choice mean that nothing is needed.
fn security(requirements: &Value) -> (Credential, Vec<String>) {
    let Some(choices) = requirements.as_array() else { return (Credential::Untold, Vec::new()) };
    let mut scopes = Vec::new();
    let mut free = choices.is_empty();
    for choice in choices {
        // Version 1.0 of A2A puts the names one level deeper, under schemes.
        let names = choice.get("schemes").filter(|inner| inner.is_object()).unwrap_or(choice);
        let Some(names) = names.as_object() else { return (Credential::Untold, Vec::new()) };
        free |= names.is_empty();
        for scope in names.values().filter_map(Value::as_array).flatten().filter_map(Value::as_str)
        {
            if scopes.len() < MAX_SCOPES {
                scopes.push(shown(scope, NAME_CHARS));
            }
        }
    }
    (if free { Credential::NotNeeded } else { Credential::Needed }, scopes)
}
