//! The service as an MCP server.

use serde_json::{Value, json};

use crate::server::{HttpReply, Server};

const BOTH: &str = "accept: application/json, text/event-stream\r\n";

fn post(server: &Server, headers: &str, body: &str) -> HttpReply {
    // A server of the local machine answers for local names only.
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\n{headers}content-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    server.send(head.as_bytes())
}

fn send(server: &Server, headers: &str, message: &Value) -> HttpReply {
    post(server, &format!("{BOTH}{headers}"), &message.to_string())
}

/// A question of the era with a handshake.
fn legacy(server: &Server, method: &str, params: Value) -> Value {
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let reply = send(server, "mcp-protocol-version: 2025-11-25\r\n", &message);
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

/// A question of the era without one.
fn modern(server: &Server, method: &str, mut params: Value) -> HttpReply {
    let name = params["name"].as_str().map(|name| format!("mcp-name: {name}\r\n"));
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = json!({ "jsonrpc": "2.0", "id": "a", "method": method, "params": params });
    let headers = format!(
        "mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n{}",
        name.unwrap_or_default()
    );
    send(server, &headers, &message)
}

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

#[test]
fn bad_messages_are_refused_with_the_right_code() {
    let server = Server::shared();
    let code = |reply: HttpReply| (reply.status, reply.json()["error"]["code"].clone());
    let raw = |body: &str| code(post(server, BOTH, body));
    assert_eq!(raw("{"), (400, json!(-32700)));
    assert_eq!(raw("[]"), (400, json!(-32600)));
    assert_eq!(raw("{}"), (400, json!(-32600)));
    assert_eq!(raw("7"), (400, json!(-32600)));
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    assert_eq!(raw(&deep), (400, json!(-32700)));
    let unknown = legacy(server, "tools/call", json!({ "name": "rm", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602);
    let wrong = legacy(server, "tools/call", json!({ "name": "resolve", "arguments": [1] }));
    assert_eq!(wrong["error"]["code"], -32602);
    assert_eq!(legacy(server, "prompts/list", json!({}))["error"]["code"], -32601);
    let reply = modern(server, "prompts/list", json!({}));
    assert_eq!(code(reply), (404, json!(-32601)));
    // Wrong arguments of a tool are told to the model, so that it can correct them.
    for (tool, arguments) in [
        ("resolve", json!({ "domain": { "a": 1 } })),
        ("resolve", json!({ "domain": "not a domain" })),
        ("resolve", json!({ "surprise": 1 })),
        ("preflight", json!({ "domain": "open.lab", "action": "fly" })),
        ("preflight", json!({ "domain": "open.lab", "action": "read", "surprise": 1 })),
        ("verify", json!({ "document": "text" })),
    ] {
        let call = json!({ "name": tool, "arguments": arguments });
        let result = legacy(server, "tools/call", call)["result"].clone();
        assert_eq!(result["isError"], true, "{tool} {arguments}");
        assert!(result.get("structuredContent").is_none());
    }
    let other_version = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let reply = send(server, "mcp-protocol-version: 2020-01-01\r\n", &other_version);
    assert_eq!(code(reply), (400, json!(-32022)));
    let mismatch = send(server, "mcp-protocol-version: 2026-07-28\r\n", &other_version);
    assert_eq!(code(mismatch), (400, json!(-32020)));
    for method in ["GET", "DELETE"] {
        let request =
            format!("{method} /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        assert_eq!(server.send(request.as_bytes()).status, 405, "{method}");
    }
    let other_version = other_version.to_string();
    let only_json = "accept: application/json\r\n";
    assert_eq!(post(server, only_json, &other_version).status, 406);
    // A page whose own name leads to this machine.
    assert_eq!(server.post_with("/mcp", BOTH, &other_version).status, 403);
    let origin = format!("{BOTH}origin: https://evil.example\r\n");
    assert_eq!(post(server, &origin, &other_version).status, 403);
    let large =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}", "x".repeat(1_100_000));
    assert_eq!(post(server, BOTH, &large).status, 413);
}
