//! What the server answers in both eras.

use serde_json::{Value, json};

use super::exchange::{legacy, modern, send};
use crate::server::Server;

#[test]
fn both_eras_list_the_same_tools() {
    let server = Server::shared();
    let opened = legacy(
        server,
        "initialize",
        json!({ "protocolVersion": "2025-06-18", "capabilities": {} }),
    );
    assert_eq!(opened["result"]["protocolVersion"], "2025-06-18");
    let unknown = legacy(server, "initialize", json!({ "protocolVersion": "1999-01-01" }));
    assert_eq!(unknown["result"]["protocolVersion"], "2025-11-25");
    let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(send(server, "", &told).status, 202);
    let discovered = modern(server, "server/discover", json!({})).json();
    assert_eq!(discovered["result"]["supportedVersions"][0], "2026-07-28");
    assert_eq!(discovered["id"], "a");
    let tools = legacy(server, "tools/list", json!({}))["result"]["tools"].clone();
    assert_eq!(tools, modern(server, "tools/list", json!({})).json()["result"]["tools"]);
    let names: Vec<&str> =
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["resolve", "preflight", "check_visitor", "scan", "mcp_scan", "report_outcome", "verify"]
    );
    for tool in tools.as_array().unwrap() {
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{tool}");
            jsonschema::validator_for(&tool[schema]).unwrap();
        }
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        assert!(!properties.is_empty(), "{tool}");
    }
}

#[test]
fn a_tool_gives_the_signed_decision_of_the_api() {
    let server = Server::shared();
    let arguments = json!({ "domain": "open.lab", "action": "read" });
    let call = json!({ "name": "preflight", "arguments": arguments });
    let by_api = server.post_with("/api/v1/preflight", "", &arguments.to_string()).json();
    let legacy_result = legacy(server, "tools/call", call.clone())["result"].clone();
    let modern_result = modern(server, "tools/call", call).json()["result"].clone();
    assert_eq!(modern_result["resultType"], "complete");
    let tools = legacy(server, "tools/list", json!({}))["result"]["tools"].clone();
    let output = tools.as_array().unwrap().iter().find(|tool| tool["name"] == "preflight").unwrap();
    let output = jsonschema::validator_for(&output["outputSchema"]).unwrap();
    for result in [&legacy_result, &modern_result] {
        assert_eq!(result["isError"], false, "{result}");
        let record = &result["structuredContent"];
        assert!(output.is_valid(record));
        for member in ["kind", "decision", "domain", "action"] {
            assert_eq!(record[member], by_api[member], "{member}");
        }
        let text: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(&text, record);
        // The record is still what was signed.
        let verified = legacy(
            server,
            "tools/call",
            json!({
                "name": "verify", "arguments": { "document": record },
            }),
        );
        let verified = &verified["result"]["structuredContent"];
        assert_eq!(verified["accepted"], true, "{verified}");
        let mut forged = record.clone();
        forged["decision"] = json!("allow everything");
        let refused = legacy(
            server,
            "tools/call",
            json!({
                "name": "verify", "arguments": { "document": forged },
            }),
        );
        assert_eq!(refused["result"]["structuredContent"]["accepted"], false);
    }
}
