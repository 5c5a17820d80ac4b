//! What a server that asks for credentials refers to: the metadata of the protected resource (RFC
//! 9728) and of its authorization server (RFC 8414). Both are read and checked; nobody logs in.

use contract::mcp_evidence::{
    McpAuth, McpAuthState, McpIssuerCheck, McpMetadataSource, McpMetadataState, McpResourceMetadata,
};
use door::AnswerHead;
use serde_json::Value;
use url::Url;

use super::challenge::Challenge;
use super::http_client::HttpClient;
use super::json_file::NoFile;

const RESOURCE_WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";
const MAX_SCOPES: usize = 64;
const MAX_SERVERS: usize = 16;
/// A longer text of the server is not recorded.
const MAX_TEXT_BYTES: usize = 2048;

pub(super) fn no_auth(http_status: Option<u16>) -> McpAuth {
    McpAuth {
        state: McpAuthState::None,
        http_status,
        scheme: None,
        scopes: Vec::new(),
        resource_metadata: None,
    }
}

pub(super) fn not_measured() -> McpAuth {
    McpAuth { state: McpAuthState::NotMeasured, ..no_auth(None) }
}

/// Reads what the challenge refers to.
pub(super) async fn read_auth(http: &mut HttpClient, url: &str, head: &AnswerHead) -> McpAuth {
    let challenge = head.header("www-authenticate").and_then(Challenge::parse);
    let scopes = challenge.as_ref().and_then(|challenge| challenge.param("scope"));
    let scopes = scopes.unwrap_or_default().split_ascii_whitespace();
    let scopes = scopes.filter(|scope| scope.len() <= MAX_TEXT_BYTES).take(MAX_SCOPES);
    let named = challenge.as_ref().and_then(|challenge| challenge.param("resource_metadata"));
    let metadata = match Url::parse(url) {
        Ok(server) => read_metadata(http, &server, named).await,
        Err(_) => unread("The address of the server is not valid."),
    };
    McpAuth {
        state: McpAuthState::Required,
        http_status: Some(head.status),
        scopes: scopes.map(str::to_owned).collect(),
        scheme: challenge.map(|challenge| challenge.scheme),
        resource_metadata: Some(metadata),
    }
}

fn unread(why: &str) -> McpResourceMetadata {
    McpResourceMetadata {
        state: McpMetadataState::NotMeasured,
        why: Some(why.to_owned()),
        url: None,
        source: None,
        foreign_host: false,
        resource: None,
        resource_matches: None,
        authorization_servers: Vec::new(),
        issuer: None,
    }
}

async fn read_metadata(
    http: &mut HttpClient,
    server: &Url,
    named: Option<&str>,
) -> McpResourceMetadata {
    let mut places = Vec::new();
    if let Some(named) = named {
        let recorded = named.get(..MAX_TEXT_BYTES).unwrap_or(named).to_owned();
        let place = server.join(named).ok();
        let is_own = place.as_ref().is_some_and(|place| place.origin() == server.origin());
        let Some(place) = place.filter(|_| is_own) else {
            return McpResourceMetadata {
                state: McpMetadataState::Faulty,
                url: Some(recorded),
                source: Some(McpMetadataSource::Header),
                foreign_host: true,
                ..unread("The challenge names metadata at another origin. They were not read.")
            };
        };
        places.push((place, McpMetadataSource::Header));
    } else {
        let path = server.path().trim_end_matches('/');
        let forms = [
            (format!("{RESOURCE_WELL_KNOWN}{path}"), McpMetadataSource::WellKnownPath),
            (RESOURCE_WELL_KNOWN.to_owned(), McpMetadataSource::WellKnownRoot),
        ];
        for (path, source) in forms {
            let mut place = server.clone();
            place.set_query(None);
            place.set_path(&path);
            if !places.iter().any(|(known, _)| *known == place) {
                places.push((place, source));
            }
        }
    }
    let mut last_why = "There are no metadata at the places where they may be.".to_owned();
    let mut state = McpMetadataState::Absent;
    for (place, source) in places {
        match read_metadata_file(http, &place).await {
            Ok(value) => return check_metadata(http, server, &place, source, &value).await,
            Err(NoFile::Absent(why) | NoFile::Faulty(why)) => last_why = why,
            Err(NoFile::Unread(why)) => (state, last_why) = (McpMetadataState::NotMeasured, why),
        }
    }
    McpResourceMetadata {
        state,
        url: named.map(|named| named.get(..MAX_TEXT_BYTES).unwrap_or(named).to_owned()),
        source: named.map(|_| McpMetadataSource::Header),
        ..unread(&last_why)
    }
}

async fn check_metadata(
    http: &mut HttpClient,
    server: &Url,
    place: &Url,
    source: McpMetadataSource,
    value: &Value,
) -> McpResourceMetadata {
    let resource = short_text(value.get("resource"));
    let resource_matches =
        resource.as_deref().map(|resource| Url::parse(resource).is_ok_and(|r| covers(&r, server)));
    let servers = value.get("authorization_servers").and_then(Value::as_array);
    let servers: Vec<String> = servers
        .map(|servers| {
            servers.iter().filter_map(|server| short_text(Some(server))).take(MAX_SERVERS).collect()
        })
        .unwrap_or_default();
    let issuer = match servers.first() {
        Some(first) => Some(check_issuer(http, first).await),
        None => None,
    };
    let why = if resource_matches != Some(true) {
        Some("The metadata are not about the address that was asked.")
    } else if servers.is_empty() {
        Some("The metadata name no authorization server.")
    } else if issuer.as_ref().is_some_and(|issuer| issuer.matches == Some(false)) {
        Some("The authorization server calls itself by another name.")
    } else {
        None
    };
    McpResourceMetadata {
        state: if why.is_some() { McpMetadataState::Faulty } else { McpMetadataState::Found },
        why: why.map(str::to_owned),
        url: Some(place.to_string()),
        source: Some(source),
        foreign_host: false,
        resource,
        resource_matches,
        authorization_servers: servers,
        issuer,
    }
}

/// Whether a resource is the server's address or an address above it.
fn covers(resource: &Url, server: &Url) -> bool {
    if resource.origin() != server.origin() {
        return false;
    }
    let (above, path) = (resource.path().trim_end_matches('/'), server.path());
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

async fn check_issuer(http: &mut HttpClient, asked: &str) -> McpIssuerCheck {
    let unknown = |why: &str| McpIssuerCheck {
        asked: asked.to_owned(),
        url: None,
        answered: None,
        matches: None,
        why: Some(why.to_owned()),
    };
    let Ok(issuer) = Url::parse(asked) else {
        return unknown("The issuer is not a valid address.");
    };
    if issuer.scheme() != "https" {
        return unknown("The issuer is not an https address, so it was not asked.");
    }
    let path = issuer.path().trim_end_matches('/');
    let forms = [
        format!("/.well-known/oauth-authorization-server{path}"),
        format!("/.well-known/openid-configuration{path}"),
        format!("{path}/.well-known/openid-configuration"),
    ];
    let mut last_why = String::new();
    let mut tried: Vec<Url> = Vec::new();
    for form in forms {
        let mut place = issuer.clone();
        place.set_query(None);
        place.set_path(&form);
        if tried.contains(&place) {
            continue;
        }
        tried.push(place.clone());
        match read_metadata_file(http, &place).await {
            Ok(value) => {
                let answered = short_text(value.get("issuer"));
                // Compared letter by letter, as RFC 8414 demands.
                let matches = Some(answered.as_deref() == Some(asked));
                let (asked, url) = (asked.to_owned(), Some(place.to_string()));
                return McpIssuerCheck { asked, url, answered, matches, why: None };
            }
            Err(NoFile::Absent(why) | NoFile::Faulty(why) | NoFile::Unread(why)) => last_why = why,
        }
    }
    unknown(&last_why)
}

async fn read_metadata_file(http: &mut HttpClient, place: &Url) -> Result<Value, NoFile> {
    let timeout = http.budget.request;
    http.read_json(place, "application/json", timeout).await
}

fn short_text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).filter(|text| text.len() <= MAX_TEXT_BYTES).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_covers_what_is_below_it() {
        let covers = |resource: &str, server: &str| {
            covers(&Url::parse(resource).unwrap(), &Url::parse(server).unwrap())
        };
        assert!(covers("https://a.lab/mcp", "https://a.lab/mcp"));
        assert!(covers("https://a.lab", "https://a.lab/mcp"));
        assert!(covers("https://a.lab/mcp/", "https://a.lab/mcp"));
        assert!(!covers("https://a.lab/mc", "https://a.lab/mcp"));
        assert!(!covers("https://b.lab/mcp", "https://a.lab/mcp"));
        assert!(!covers("http://a.lab/mcp", "https://a.lab/mcp"));
    }
}
