//! Cards about the MCP server and the agent interface.

use serde_json::json;

use super::site_facts::SiteFacts;
use crate::mcp_server::SUPPORTED_VERSIONS;

const DESCRIPTION: &str = "Whether an agent is welcome at a website, with evidence; signed answers";
const SERVER_CARD_SCHEMA: &str =
    "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
const SERVER_CARD_PATH: &str = "/.well-known/mcp/server-card.json";

pub(super) fn server_card(facts: &SiteFacts) -> String {
    json!({
        "$schema": SERVER_CARD_SCHEMA,
        "name": server_name(facts),
        "title": "Wayleave",
        "version": facts.version,
        "description": DESCRIPTION,
        "websiteUrl": facts.url("/"),
        "remotes": [{
            "type": "streamable-http",
            "url": facts.url("/mcp"),
            "supportedProtocolVersions": SUPPORTED_VERSIONS,
        }],
    })
    .to_string()
}

/// The domain in reverse order, and a name: `example.svc/wayleave`.
fn server_name(facts: &SiteFacts) -> String {
    let host = host(facts);
    format!("{}/wayleave", host.split('.').rev().collect::<Vec<_>>().join("."))
}

/// The host name of this service. An address has no place in the names of cards.
fn host(facts: &SiteFacts) -> String {
    let url = url::Url::parse(&facts.issuer.base_url).ok();
    match url.as_ref().and_then(url::Url::host) {
        Some(url::Host::Domain(name)) => name.to_owned(),
        _ => "localhost".to_owned(),
    }
}

/// The service has no A2A interface: its interface is the MCP server, and the card says so.
pub(super) fn agent_card(facts: &SiteFacts) -> String {
    let mut card = json!({
        "name": "Wayleave",
        "description": DESCRIPTION,
        "version": facts.version,
        "supportedInterfaces": [{
            "url": facts.url("/mcp"),
            "protocolBinding": "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports",
            "protocolVersion": "1.0",
        }],
        "documentationUrl": facts.url("/docs"),
        "capabilities": { "streaming": false, "pushNotifications": false },
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [
            {
                "id": "preflight",
                "name": "Ask before an action",
                "description": "Whether an agent may read, cite, connect, transact or administer at a site now.",
                "tags": ["policy", "permission"],
            },
            {
                "id": "resolve",
                "name": "Look up a site",
                "description": "What a site declares and what was observed there, with a decision for each action.",
                "tags": ["policy", "evidence"],
            },
            {
                "id": "mcp-scan",
                "name": "Scan an MCP server",
                "description": "What an MCP server lists, and what the rules found in it. No tool is called.",
                "tags": ["mcp", "security"],
            },
        ],
    });
    if let (Some(operator), Some(card)) = (&facts.operator, card.as_object_mut()) {
        let provider = json!({ "organization": operator, "url": facts.url("/") });
        card.insert("provider".to_owned(), provider);
    }
    card.to_string()
}

/// Where clients of the current draft look for server cards.
pub(super) fn ai_catalog(facts: &SiteFacts) -> String {
    json!({
        "specVersion": "1.0",
        "host": { "displayName": "Wayleave", "documentationUrl": facts.url("/docs") },
        "entries": [{
            "identifier": format!("urn:air:{}:wayleave", host(facts)),
            "displayName": "Wayleave",
            "description": DESCRIPTION,
            "type": "application/mcp-server-card+json",
            "url": facts.url(SERVER_CARD_PATH),
        }],
    })
    .to_string()
}
