//! Wrong, huge and hostile messages.

use serde_json::json;

use super::exchange::{BOTH, legacy, modern, post, send};
use crate::server::{HttpReply, Server};

#[test]
fn bad_messages_are_refused_with_the_right_code() {
    let server = Server::shared();
    let code = |reply: HttpReply| (reply.status, reply.json()["error"]["code"].clone());
    let raw = |body: &str| code(post(server, BOTH, body));
    assert_eq!(raw("{"), (400, json!(-32700)));
    assert_eq!(raw("[]"), (400, json!(-32600)));
    assert_eq!(raw("{}"), (400, json!(-32600)));
    assert_eq!(raw("7"), (400, json!(-32600)));
    // What is checked must be what is used.
    let twice = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"ping"}"#;
    assert_eq!(raw(twice), (400, json!(-32700)));
    let twice = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"resolve",
        "arguments":{"domain":"open.lab","domain":"other.lab"}}}"#;
    assert_eq!(raw(twice), (400, json!(-32700)));
    let many = format!("[{}1]", "1,".repeat(400_000));
    assert_eq!(raw(&many), (400, json!(-32700)));
    assert_eq!(raw(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#), (400, json!(-32600)));
    assert_eq!(
        raw(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#),
        (400, json!(-32602))
    );
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
        ("preflight", json!({ "checks": [{ "domain": "open.lab", "action": "read" }] })),
        (
            "preflight",
            json!({ "domain": "open.lab", "action": "read", "nonce": "x".repeat(900_000) }),
        ),
        ("resolve", json!({ "domain": "x".repeat(900_000) })),
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
    let without_meta = send(server, "mcp-protocol-version: 2026-07-28\r\n", &other_version);
    assert_eq!(code(without_meta), (400, json!(-32602)));
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {} });
    let list =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } });
    for headers in ["", "mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\n"] {
        assert_eq!(code(send(server, headers, &list)), (400, json!(-32020)), "{headers}");
    }
    for method in ["GET", "DELETE"] {
        let request =
            format!("{method} /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        assert_eq!(server.send(request.as_bytes()).status, 405, "{method}");
    }
    let other_version = other_version.to_string();
    assert_eq!(post(server, "accept: application/json\r\n", &other_version).status, 200);
    assert_eq!(post(server, "accept: text/event-stream\r\n", &other_version).status, 406);
    // A page whose own name leads to this machine.
    assert_eq!(server.post_with("/mcp", BOTH, &other_version).status, 403);
    let origin = format!("{BOTH}origin: https://evil.example\r\n");
    assert_eq!(post(server, &origin, &other_version).status, 403);
    let large =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}", "x".repeat(1_100_000));
    assert_eq!(post(server, BOTH, &large).status, 413);
}

#[test]
fn batches_exist_only_in_the_version_that_has_them() {
    let server = Server::shared();
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let told = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let batch = format!("[{ping},{told},{{}}]");
    let reply = post(server, BOTH, &batch);
    assert_eq!(reply.status, 200);
    let answers = reply.json();
    assert_eq!(answers.as_array().unwrap().len(), 2, "{answers}");
    assert_eq!(answers[0]["result"], json!({}));
    assert_eq!(answers[1]["error"]["code"], -32600);
    assert_eq!(post(server, BOTH, &format!("[{told}]")).status, 202);
    let newer = format!("{BOTH}mcp-protocol-version: 2025-06-18\r\n");
    assert_eq!(post(server, &newer, &batch).status, 400);
    let many = format!("[{}]", vec![ping; 21].join(","));
    assert_eq!(post(server, BOTH, &many).status, 400);
}

#[test]
fn a_client_that_leaves_takes_nothing_with_it() {
    use std::io::Write;
    let server = Server::shared();
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "resolve", "arguments": { "domain": "slow-body.lab", "live": true } } });
    let body = call.to_string();
    for _ in 0..5 {
        #[expect(clippy::disallowed_methods, reason = "a test speaks to its own server")]
        let mut stream = std::net::TcpStream::connect(server.address).unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\n{BOTH}content-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
    }
    let unrelated = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": { "requestId": 1 } });
    assert_eq!(send(server, "", &unrelated).status, 202);
    assert_eq!(legacy(server, "ping", json!({}))["result"], json!({}));
}
