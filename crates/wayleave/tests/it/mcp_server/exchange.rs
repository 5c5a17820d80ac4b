//! Messages to `/mcp`, written by hand.

use serde_json::{Value, json};

use crate::server::{HttpReply, Server};

pub(super) const BOTH: &str = "accept: application/json, text/event-stream\r\n";

pub(super) fn post(server: &Server, headers: &str, body: &str) -> HttpReply {
    // A server of the local machine answers for local names only.
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\n{headers}content-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    server.send(head.as_bytes())
}

pub(super) fn send(server: &Server, headers: &str, message: &Value) -> HttpReply {
    post(server, &format!("{BOTH}{headers}"), &message.to_string())
}

/// A question of the era with a handshake.
pub(super) fn legacy(server: &Server, method: &str, params: Value) -> Value {
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let reply = send(server, "mcp-protocol-version: 2025-11-25\r\n", &message);
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

/// A question of the era without one.
pub(super) fn modern(server: &Server, method: &str, mut params: Value) -> HttpReply {
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
