//! Scans of the servers that the files of a domain declare.

use std::sync::Arc;
use std::time::Duration;

use contract::records::{
    Capabilities, McpDeclaredEndpoint, McpDomainScans, McpDomainState, McpEndpointState, McpScan,
    ResolveAnswer,
};
use contract::{Domain, Timestamp};
use judge::mcp::untrusted_text;
use proof::KeyPurpose;

use super::{LiveWalk, McpAnswer, McpError, McpServers, McpUrl, ScanParts};
use crate::access::LiveReadPermit;

/// The most servers of a domain that are scanned for one request.
const MAX_SERVERS: usize = 3;

/// A request for the scans of the servers that a domain declares.
#[allow(missing_debug_implementations, reason = "holds a callback")]
pub struct DomainScansRequest {
    pub domain: Domain,
    pub live: LiveWalk,
    pub parts: ScanParts,
    pub live_read_permit: Arc<dyn LiveReadPermit>,
}

/// What the latest reading of the domain says about its servers.
#[derive(Debug, Default, PartialEq, Eq)]
struct Declarations {
    at: Option<Timestamp>,
    servers: Vec<DeclaredServer>,
    /// Why nothing is known.
    unknown: Option<String>,
}

/// A server as a file declares it.
#[derive(Debug, PartialEq, Eq)]
struct DeclaredServer {
    address: String,
    source: String,
}

impl McpServers {
    /// Scans the declared servers one after the other. They are those of the latest stored answer about the
    /// domain: the domain itself is not read here.
    pub async fn scan_domain(
        &self,
        request: DomainScansRequest,
    ) -> Result<McpAnswer<McpDomainScans>, McpError> {
        let declared = self.declared_servers(&request.domain).await?;
        let (servers, left_out) = self.distinct_servers(declared.servers);
        let mut endpoints = Vec::new();
        let mut refusal = None;
        for (server, source) in servers {
            let endpoint = match server {
                Err(endpoint) => endpoint,
                Ok(server) => {
                    let permit = &*request.live_read_permit;
                    let scan = self.scan_server(&server, request.live, request.parts, permit).await;
                    let (url, why) = match scan {
                        Ok(answer) => {
                            endpoints.push(scanned(server.url, source, answer.bytes).await?);
                            continue;
                        }
                        Err(error) => match retry_after(&error) {
                            Some(wait) => {
                                refusal.get_or_insert(error);
                                (server.url, limit_sentence(wait))
                            }
                            None => return Err(error),
                        },
                    };
                    not_scanned(Some(url), None, source, why)
                }
            };
            endpoints.push(endpoint);
        }
        let has_scan = endpoints.iter().any(|endpoint| endpoint.scan.is_some());
        if let Some(refusal) = refusal.filter(|_| !has_scan) {
            return Err(refusal);
        }
        let state = match (&declared.unknown, endpoints.is_empty()) {
            (Some(_), _) => McpDomainState::NotMeasured,
            (None, true) => McpDomainState::NoneDeclared,
            (None, false) => McpDomainState::Observed,
        };
        let record = McpDomainScans {
            kind: self.issuer.brand.kind("mcp-domain-scans"),
            v: 1,
            schema: self.schema("mcp-domain-scans"),
            domain: request.domain,
            scanned_at: self.clock.now().whole_seconds(),
            state,
            why: declared.unknown,
            declared_at: declared.at,
            endpoints,
            left_out: u32::try_from(left_out).unwrap_or(u32::MAX),
            sha256: None,
            signature: None,
        };
        let signed = self.keys.sign_record(&record, KeyPurpose::Documents)?;
        Ok(McpAnswer { record, bytes: signed.bytes, sha256: signed.digest })
    }

    async fn declared_servers(&self, domain: &Domain) -> Result<Declarations, McpError> {
        let Some(stored) = self.store.latest_answer(domain).await? else {
            let base = &self.issuer.base_url;
            return Ok(Declarations {
                unknown: Some(format!(
                    "This service has not read the domain yet. Ask {base}/api/v1/resolve?domain={domain} \
                     first, then repeat this request."
                )),
                ..Declarations::default()
            });
        };
        // An answer of an earlier build may have another structure.
        let Ok(answer) = serde_json::from_slice::<ResolveAnswer>(&stored.bytes) else {
            return Ok(Declarations {
                unknown: Some(
                    "The stored answer about the domain is of an earlier form. Resolve the domain again."
                        .to_owned(),
                ),
                ..Declarations::default()
            });
        };
        Ok(declarations(&answer))
    }

    /// Each server once, at most [`MAX_SERVERS`], and how many there are beyond.
    #[allow(clippy::type_complexity, reason = "a server or the entry that says why it is none")]
    fn distinct_servers(
        &self,
        declared: Vec<DeclaredServer>,
    ) -> (Vec<(Result<McpUrl, McpDeclaredEndpoint>, String)>, usize) {
        let mut seen = std::collections::BTreeSet::new();
        let mut servers = Vec::new();
        let mut left_out = 0_usize;
        for DeclaredServer { address, source } in declared {
            let server = McpUrl::parse(&address, self.scanner.name_policy());
            if !seen.insert(server.as_ref().map_or(address.clone(), |server| server.url.clone())) {
                continue;
            }
            if servers.len() >= MAX_SERVERS {
                left_out = left_out.saturating_add(1);
                continue;
            }
            let server = server.map_err(|error| {
                let why = format!("The file declares an address that is not read: {error}");
                not_scanned(None, Some(untrusted_text(&address)), source.clone(), why)
            });
            servers.push((server, source));
        }
        (servers, left_out)
    }
}

fn declarations(answer: &ResolveAnswer) -> Declarations {
    let section = &answer.capabilities;
    let at = section.observed_at().map(|at| at.whole_seconds());
    let Some(body) = section.body() else {
        return Declarations {
            at: None,
            servers: Vec::new(),
            unknown: Some(
                "The files of the domain that declare servers could not be read. Resolve the domain \
                 again, or name the server in `url`."
                    .to_owned(),
            ),
        };
    };
    let servers = mcp_servers(body);
    let is_cut = usize::try_from(body.declared).is_ok_and(|declared| declared > body.items.len());
    let unknown = (servers.is_empty() && is_cut).then(|| {
        "The domain declares more than is listed, and no MCP server is among what is listed. Name the \
         server in `url`."
            .to_owned()
    });
    Declarations { at, servers, unknown }
}

fn mcp_servers(declared: &Capabilities) -> Vec<DeclaredServer> {
    // Whatever is an MCP server, wherever it is declared, is shown with what is stored of it.
    let servers = declared.items.iter().filter(|item| item.mcp_scan.is_some());
    servers
        .filter_map(|item| {
            let address = item.untrusted_endpoint.clone()?;
            Some(DeclaredServer { address, source: item.declared_in.clone() })
        })
        .collect()
}

async fn scanned(
    url: String,
    source: String,
    signed: Vec<u8>,
) -> Result<McpDeclaredEndpoint, McpError> {
    // As it is served: with its digest and signature, so that it can be verified alone.
    let scan: McpScan =
        super::read::run_blocking(move || super::read::parse_scan(&signed)).await??;
    let state = McpEndpointState::from_word(scan.state.as_str());
    Ok(McpDeclaredEndpoint {
        url: Some(url),
        untrusted_url: None,
        source,
        state: state.unwrap_or(McpEndpointState::NotMeasured),
        why: scan.why.clone(),
        scan: Some(Box::new(scan)),
    })
}

fn not_scanned(
    url: Option<String>,
    untrusted_url: Option<String>,
    source: String,
    why: String,
) -> McpDeclaredEndpoint {
    McpDeclaredEndpoint {
        url,
        untrusted_url,
        source,
        state: McpEndpointState::NotMeasured,
        why: Some(why),
        scan: None,
    }
}

/// How long to wait, if a limit is the reason.
fn retry_after(error: &McpError) -> Option<Duration> {
    match error {
        McpError::LiveLimit { retry_after } | McpError::TargetLimit { retry_after } => {
            Some(*retry_after)
        }
        _ => None,
    }
}

fn limit_sentence(retry_after: Duration) -> String {
    let seconds = retry_after.as_secs().max(1);
    format!("The limit of live reads is reached. Repeat the request in {seconds} seconds.")
}

#[cfg(test)]
mod tests {
    use contract::records::{Capability, SafetyClass};

    use super::*;

    #[test]
    fn cards_of_mcp_servers_declare_servers_wherever_they_are() {
        let item = |path: &str, endpoint: Option<&str>| Capability {
            untrusted_name: "x".to_owned(),
            untrusted_endpoint: endpoint.map(str::to_owned),
            declared_in: path.to_owned(),
            safety_class: SafetyClass::Unknown,
            as_declared: None,
            declaration_sha256: None,
            call: None,
            mcp_scan: (!path.contains("agent-card"))
                .then(|| contract::records::CapabilityMcpScan::not_measured("No scan.")),
        };
        let card = "/.well-known/mcp/server-card.json";
        let declared = Capabilities {
            declared: 4,
            by_safety_class: Default::default(),
            verified: 0,
            mismatches: 0,
            invocation_rule: String::new(),
            certificate: None,
            items: vec![
                item(card, Some("https://a.example/mcp")),
                item(card, None),
                item("/.well-known/agent-card.json", Some("https://a.example/agent")),
                item("/cards/b.json", Some("https://b.example/mcp")),
            ],
            declared_files: vec![],
            note: String::new(),
        };
        let found: Vec<String> =
            mcp_servers(&declared).into_iter().map(|server| server.address).collect();
        assert_eq!(found, ["https://a.example/mcp", "https://b.example/mcp"]);
    }

    #[test]
    fn a_limit_says_when_to_come_back() {
        assert!(limit_sentence(Duration::from_millis(20)).ends_with("in 1 seconds."));
        assert!(limit_sentence(Duration::from_secs(90)).ends_with("in 90 seconds."));
    }
}
