//! MCP server cards, A2A agent cards, skills.

use serde_json::json;

use super::{Answer, Cost, each, right, wrong};
use crate::files::FileKind;

fn mcp() -> Answer {
    let body = json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
        "name": "example.shop/orders",
        "version": "1.4.0",
        "description": "Track and change orders.",
        "websiteUrl": "https://shop.example/",
        "remotes": [
            {"type": "streamable-http", "url": "https://mcp.shop.example/mcp", "supportedProtocolVersions": ["2026-07-28"]},
            {"type": "streamable-http", "url": "https://{tenant}.shop.example/mcp"}
        ]
    });
    Answer::new(FileKind::McpServerCard, "application/mcp-server-card+json", body.to_string())
        .with("access-control-allow-origin", "*")
}

#[test]
fn mcp_server_cards() {
    let found = right(&mcp(), &["not_the_place_to_be_found"]);
    assert_eq!(found.version.as_deref(), Some("SEP-2127"));
    assert_eq!(found.counts["remotes"], 2);
    assert_eq!(found.addresses, ["https://shop.example/", "https://mcp.shop.example/mcp"]);
    use Cost::*;
    each(
        &mcp(),
        &[
            ("/$schema", None, "missing_member", "/$schema", Whole),
            (
                "/$schema",
                Some(json!(
                    "https://static.modelcontextprotocol.io/schemas/2025-10-17/server-card.schema.json"
                )),
                "unknown_schema",
                "/$schema",
                Whole,
            ),
            ("/name", None, "missing_member", "/name", Whole),
            ("/name", Some(json!("orders")), "bad_name", "/name", Part),
            ("/name", Some(json!("a b/c")), "bad_name", "/name", Part),
            ("/name", Some(json!(7)), "wrong_type", "/name", Whole),
            ("/version", Some(json!("^1.2")), "bad_version", "/version", Part),
            ("/version", Some(json!("1.x")), "bad_version", "/version", Part),
            ("/description", Some(json!(" ")), "empty_value", "/description", Whole),
            ("/description", Some(json!("d".repeat(101))), "long_value", "/description", Part),
            ("/tools", Some(json!([])), "lists_primitives", "/tools", Warning),
            ("/remotes", None, "missing_member", "/remotes", Warning),
            ("/remotes/0/type", Some(json!("stdio")), "unknown_transport", "/remotes/0/type", Part),
            ("/remotes/0/url", Some(json!("/mcp")), "bad_url", "/remotes/0/url", Part),
            (
                "/remotes/0/url",
                Some(json!("http://mcp.shop.example/")),
                "not_https",
                "/remotes/0/url",
                Warning,
            ),
            (
                "/remotes/0/url",
                Some(json!("https://localhost:3000/mcp")),
                "not_public_host",
                "/remotes/0/url",
                Warning,
            ),
            (
                "/remotes/0/url",
                Some(json!("https://192.168.0.7/mcp")),
                "not_public_host",
                "/remotes/0/url",
                Warning,
            ),
            (
                "/remotes/0/url",
                Some(json!("https://mcp.example.com/mcp")),
                "placeholder_host",
                "/remotes/0/url",
                Warning,
            ),
            (
                "/remotes/0/supportedProtocolVersions/0",
                Some(json!("1.0")),
                "bad_protocol_version",
                "/remotes/0/supportedProtocolVersions",
                Warning,
            ),
        ],
    );
    let mut plain = mcp();
    plain.headers = vec![("content-type".into(), "application/json".into())];
    wrong(&plain, "wrong_media_type", "Content-Type", Note);
    wrong(&plain, "no_cors", "Access-Control-Allow-Origin", Note);
    let mut http = mcp();
    http.url = "http://shop.example/.well-known/mcp/server-card.json".into();
    wrong(&http, "not_over_https", "", Part);
}

#[test]
fn older_mcp_server_cards() {
    let body = json!({
        "serverInfo": {"name": "orders", "version": "1.0.0"},
        "protocolVersion": "2025-06-18",
        "transport": {"type": "streamable-http", "endpoint": "/mcp"},
        "tools": [{"name": "track"}]
    });
    let old = Answer::new(FileKind::McpServerCard, "application/json", body.to_string());
    wrong(&old, "old_shape", "/serverInfo", Cost::Warning);
    let found = old.look();
    assert_eq!(found.version.as_deref(), Some("SEP-1649"));
    assert_eq!(found.counts["tools"], 1);
    assert_eq!(found.addresses, ["https://shop.example/mcp"]);
    each(
        &old,
        &[
            ("/serverInfo/name", None, "missing_member", "/serverInfo/name", Cost::Part),
            ("/serverInfo", Some(json!("orders")), "wrong_type", "/serverInfo", Cost::Whole),
            (
                "/protocolVersion",
                Some(json!("1")),
                "bad_protocol_version",
                "/protocolVersion",
                Cost::Warning,
            ),
            ("/transport/endpoint", None, "missing_member", "/transport/endpoint", Cost::Part),
        ],
    );
    wrong(&old.body("{\"mcpServers\": {}}"), "unknown_shape", "", Cost::Whole);
}

fn a2a() -> Answer {
    let body = json!({
        "name": "Order helper",
        "description": "Answers questions about orders.",
        "version": "2.0.0",
        "supportedInterfaces": [
            {"url": "https://shop.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        ],
        "capabilities": {"streaming": false, "extensions": [{"uri": "https://shop.example/ext"}]},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "track", "name": "Track", "description": "Where is it", "tags": ["orders"]}],
        "provider": {"organization": "Shop", "url": "https://shop.example/"},
        "securitySchemes": {"key": {}},
        "securityRequirements": [{"schemes": {"key": {"list": []}}}],
        "signatures": [{"protected": "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsxIn0", "signature": "AAAA"}]
    });
    Answer::new(FileKind::AgentCard, "application/json", body.to_string())
}

#[test]
fn agent_cards_of_version_one() {
    let found = right(&a2a(), &[]);
    assert_eq!(found.version.as_deref(), Some("A2A 1.0"));
    assert_eq!(
        (found.counts["skills"], found.counts["interfaces"], found.counts["signatures"]),
        (1, 1, 1)
    );
    use Cost::*;
    each(
        &a2a(),
        &[
            ("/name", None, "missing_member", "/name", Whole),
            ("/capabilities", None, "missing_member", "/capabilities", Whole),
            (
                "/capabilities/streaming",
                Some(json!("no")),
                "wrong_type",
                "/capabilities/streaming",
                Part,
            ),
            (
                "/capabilities/extensions/0/uri",
                None,
                "missing_member",
                "/capabilities/extensions/0/uri",
                Part,
            ),
            (
                "/defaultInputModes",
                Some(json!("text/plain")),
                "wrong_type",
                "/defaultInputModes",
                Whole,
            ),
            ("/defaultInputModes", Some(json!([])), "empty_value", "/defaultInputModes", Warning),
            (
                "/defaultOutputModes/0",
                Some(json!("text")),
                "bad_media_type",
                "/defaultOutputModes",
                Warning,
            ),
            ("/skills", Some(json!([])), "no_skills", "/skills", Warning),
            ("/skills", None, "missing_member", "/skills", Whole),
            ("/skills/0/tags", None, "missing_member", "/skills/0/tags", Part),
            ("/skills/0/id", Some(json!("")), "empty_value", "/skills/0/id", Part),
            (
                "/supportedInterfaces",
                Some(json!([])),
                "no_interfaces",
                "/supportedInterfaces",
                Whole,
            ),
            ("/supportedInterfaces", None, "unknown_shape", "", Whole),
            (
                "/supportedInterfaces/0",
                Some(
                    json!({"url": "https://shop.example/a2a", "transport": "JSONRPC", "protocolVersion": "1.0"}),
                ),
                "transport_for_binding",
                "/supportedInterfaces/0/transport",
                Part,
            ),
            (
                "/supportedInterfaces/0/protocolBinding",
                Some(json!("REST")),
                "unknown_binding",
                "/supportedInterfaces/0/protocolBinding",
                Warning,
            ),
            (
                "/supportedInterfaces/0/protocolVersion",
                Some(json!("v1")),
                "bad_version",
                "/supportedInterfaces/0/protocolVersion",
                Warning,
            ),
            ("/provider/url", None, "missing_member", "/provider/url", Part),
            (
                "/preferredTransport",
                Some(json!("JSONRPC")),
                "removed_member",
                "/preferredTransport",
                Note,
            ),
            (
                "/securityRequirements/0/schemes",
                Some(json!({"oauth": {}})),
                "unknown_scheme",
                "/securityRequirements/0/schemes/oauth",
                Part,
            ),
            (
                "/signatures/0/protected",
                Some(json!("@@")),
                "bad_signature",
                "/signatures/0/protected",
                Part,
            ),
            (
                "/signatures/0/protected",
                Some(json!("eyJhbGciOiJub25lIiwia2lkIjoiayJ9")),
                "bad_signature",
                "/signatures/0/protected",
                Part,
            ),
            // {"alg":"ES256","kid":"k","jku":"https://evil.example/k"}
            (
                "/signatures/0/protected",
                Some(json!(
                    "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsiLCJqa3UiOiJodHRwczovL2V2aWwuZXhhbXBsZS9rIn0"
                )),
                "keys_elsewhere",
                "/signatures/0/protected",
                Warning,
            ),
        ],
    );
}

#[test]
fn agent_cards_of_older_versions_and_of_both() {
    let old = json!({
        "protocolVersion": "0.3.0", "name": "Order helper", "description": "d", "version": "1",
        "url": "https://shop.example/a2a", "preferredTransport": "JSONRPC",
        "additionalInterfaces": [{"url": "https://shop.example/grpc", "transport": "GRPC"}],
        "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "t", "name": "T", "description": "d", "tags": ["x"]}],
        "securitySchemes": {"key": {}}, "security": [{"key": []}]
    });
    let old = Answer::new(FileKind::AgentCard, "application/json", old.to_string());
    let found = right(&old, &["older_version"]);
    assert_eq!(found.version.as_deref(), Some("A2A 0.3"));
    assert_eq!(found.counts["interfaces"], 2);
    let older = old.changed("/protocolVersion", None);
    wrong(&older, "old_shape", "/protocolVersion", Cost::Warning);
    assert_eq!(older.look().version.as_deref(), Some("A2A before 0.3"));
    let both = a2a().changed("/url", Some(json!("https://shop.example/a2a")));
    wrong(&both, "removed_member", "/url", Cost::Note);
    assert_eq!(both.look().version.as_deref(), Some("A2A 1.0"), "half of 0.3 is not 0.3");
    let both = both.changed("/protocolVersion", Some(json!("0.3.0")));
    let found = right(&both, &[]);
    assert_eq!(found.version.as_deref(), Some("A2A 1.0 and 0.3 (hybrid)"));
    each(
        &old,
        &[
            ("/url", Some(json!("shop.example")), "bad_url", "/url", Cost::Part),
            (
                "/preferredTransport",
                Some(json!("REST")),
                "unknown_binding",
                "/preferredTransport",
                Cost::Warning,
            ),
            (
                "/additionalInterfaces/0/transport",
                None,
                "missing_member",
                "/additionalInterfaces/0/transport",
                Cost::Part,
            ),
            (
                "/security/0",
                Some(json!({"none": []})),
                "unknown_scheme",
                "/security/0/none",
                Cost::Part,
            ),
        ],
    );
}

#[test]
fn skills() {
    let body = json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [
            {"name": "track-order", "type": "skill-md", "description": "Track an order.", "url": "track-order/SKILL.md", "digest": format!("sha256:{}", "0a".repeat(32))},
            {"name": "returns", "type": "archive", "description": "Send things back.", "url": "/returns.tar.gz", "digest": format!("sha256:{}", "1b".repeat(32))}
        ]
    });
    let index = Answer::new(FileKind::AgentSkills, "application/json", body.to_string());
    let found = right(&index, &[]);
    assert_eq!(found.counts["skills"], 2);
    assert_eq!(
        found.addresses,
        [
            "https://shop.example/.well-known/agent-skills/track-order/SKILL.md",
            "https://shop.example/returns.tar.gz"
        ]
    );
    use Cost::*;
    let hex = "0A".repeat(32);
    each(
        &index,
        &[
            ("/$schema", None, "missing_member", "/$schema", Part),
            (
                "/$schema",
                Some(json!("https://schemas.agentskills.io/discovery/0.3.0/schema.json")),
                "unknown_schema",
                "/$schema",
                Whole,
            ),
            ("/skills", None, "missing_member", "/skills", Whole),
            ("/skills", Some(json!([])), "no_skills", "/skills", Warning),
            ("/skills/0", Some(json!("x")), "wrong_type", "/skills/0", Part),
            ("/skills/0/name", Some(json!("Track_Order")), "bad_name", "/skills/0/name", Part),
            ("/skills/0/name", Some(json!("a--b")), "bad_name", "/skills/0/name", Part),
            ("/skills/0/name", Some(json!("-a")), "bad_name", "/skills/0/name", Part),
            ("/skills/1/name", Some(json!("track-order")), "doubled_skill", "/skills/1/name", Part),
            ("/skills/0/type", Some(json!("markdown")), "unknown_type", "/skills/0/type", Part),
            (
                "/skills/0/description",
                Some(json!("d".repeat(1_025))),
                "long_value",
                "/skills/0/description",
                Part,
            ),
            ("/skills/0/url", None, "missing_member", "/skills/0/url", Part),
            ("/skills/0/url", Some(json!("javascript:alert(1)")), "bad_url", "/skills/0/url", Part),
            ("/skills/0/digest", None, "missing_member", "/skills/0/digest", Part),
            (
                "/skills/0/digest",
                Some(json!(format!("sha256:{hex}"))),
                "bad_digest",
                "/skills/0/digest",
                Part,
            ),
            (
                "/skills/0/digest",
                Some(json!("0a".repeat(32))),
                "bad_digest",
                "/skills/0/digest",
                Part,
            ),
        ],
    );
    let old = index.body(
        json!({"skills": [{"name": "a", "description": "d", "files": ["SKILL.md"]}]}).to_string(),
    );
    wrong(&old, "old_shape", "/skills", Warning);
    assert_eq!(old.look().version.as_deref(), Some("0.1"));
}
