//! A tool call is a call of the API: the same client, the same limits.

use serde_json::json;

use super::exchange::legacy;
use crate::server::Server;

#[test]
fn tool_calls_and_api_calls_share_a_limit() {
    let server = Server::start_demo_with_limits(&[
        "--limits-decide-per-minute",
        "3",
        "--targets-enabled",
        "false",
    ]);
    let arguments = json!({ "domain": "open.lab", "action": "read" });
    let call = || {
        let call = json!({ "name": "preflight", "arguments": arguments });
        legacy(&server, "tools/call", call)["result"].clone()
    };
    let ask = || server.post_with("/api/v1/preflight", "", &arguments.to_string()).status;
    assert_eq!((call()["isError"].clone(), ask()), (json!(false), 200));
    assert_eq!(call()["isError"], false);
    let refused = call();
    assert_eq!((refused["isError"].clone(), ask()), (json!(true), 429));
    // The model is told what the API says, and how long to wait.
    let told = refused["content"][0]["text"].as_str().unwrap();
    let told: serde_json::Value = serde_json::from_str(told).unwrap();
    assert_eq!(told["code"], "rate_limited");
    assert!(told["retry_after_s"].as_u64().is_some(), "{told}");
    // Lists and handshakes have a limit of their own.
    assert!(legacy(&server, "tools/list", json!({}))["result"]["tools"].is_array());
}

#[test]
fn verifying_counts_like_reading() {
    let server = Server::start_demo_with_limits(&["--limits-read-per-minute", "2"]);
    let verify = || {
        let call = json!({ "name": "verify", "arguments": { "document": {} } });
        legacy(&server, "tools/call", call)["result"]["isError"].clone()
    };
    assert_eq!([verify(), verify(), verify()], [json!(false), json!(false), json!(true)]);
}
