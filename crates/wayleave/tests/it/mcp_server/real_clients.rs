//! The official clients ask whether they may read a site, and get the signed decision of the API.

use std::process::Command;

use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientLifecycleMode, ClientServiceExt};
use serde_json::{Value, json};

use super::stdio;
use crate::lab_server::LabServer;
use crate::server::{Server, wayleave};
use crate::tools::{self, McpPython};

const TOOLS: [&str; 7] =
    ["resolve", "preflight", "check_visitor", "scan", "mcp_scan", "report_outcome", "verify"];

/// What every client is told to call.
fn calls() -> Value {
    json!([
        ["preflight", { "domain": "open.lab", "action": "read" }],
        ["preflight", { "domain": "blocks-ai.lab", "action": "read", "agent": "GPTBot" }],
        ["resolve", { "domain": "open.lab" }],
        ["check_visitor", { "ua": "GPTBot/1.2", "ip": "44.1.0.7" }],
    ])
}

/// Compares the results with the API of the service that gave them, and has the records verified without it.
fn must_be_the_answers_of(server: &Server, results: &[Value]) {
    let records: Vec<&Value> = results.iter().map(|result| &result["structuredContent"]).collect();
    for (result, record) in results.iter().zip(&records) {
        assert_ne!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(&serde_json::from_str::<Value>(text).unwrap(), *record);
    }
    for (record, call) in records.iter().zip(calls().as_array().unwrap()).take(2) {
        let by_api = server.post_with("/api/v1/preflight", "", &call[1].to_string()).json();
        for member in ["kind", "decision", "domain", "action", "assurance", "evidence"] {
            assert_eq!(record[member], by_api[member], "{member}");
        }
    }
    assert_ne!(records[0]["decision"], records[1]["decision"]);
    let by_api = server.get("/api/v1/resolve?domain=open.lab").json();
    assert_eq!(records[2]["sha256"], by_api["sha256"], "not the same answer");
    assert_eq!(records[3]["verdict"], "verified", "{}", records[3]);

    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys.json");
    let directory = server.get("/.well-known/http-message-signatures-directory");
    std::fs::write(&keys, directory.text()).unwrap();
    for record in records.iter().take(3) {
        let file = folder.path().join("record.json");
        std::fs::write(&file, record.to_string()).unwrap();
        let mut verify = wayleave();
        let output = verify.arg("verify").arg(&file).arg("--keys").arg(&keys).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

/// The tools and the results of the calls, by the Rust SDK.
fn ask_by_rust_sdk(url: &str, mode: ClientLifecycleMode) -> (Vec<String>, Vec<Value>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let transport = StreamableHttpClientTransport::from_uri(url);
        let client = ().serve_with_lifecycle(transport, mode).await.unwrap();
        let tools = client.list_all_tools().await.unwrap();
        let mut results = Vec::new();
        for call in calls().as_array().unwrap() {
            let name = call[0].as_str().unwrap().to_owned();
            let arguments = call[1].as_object().unwrap().clone();
            let call = CallToolRequestParams::new(name).with_arguments(arguments);
            let result = client.call_tool(call).await.unwrap();
            results.push(serde_json::to_value(result).unwrap());
        }
        client.cancel().await.unwrap();
        (tools.iter().map(|tool| tool.name.to_string()).collect(), results)
    })
}

#[test]
fn the_rust_sdk_gets_the_signed_decision_of_the_api() {
    let server = Server::shared();
    let url = format!("{}/mcp", server.base());
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    for mode in
        [ClientLifecycleMode::Initialize, ClientLifecycleMode::Discover { preferred_versions }]
    {
        let (tools, results) = ask_by_rust_sdk(&url, mode);
        assert_eq!(tools, TOOLS);
        must_be_the_answers_of(server, &results);
    }
}

fn ask_by_python(python: McpPython, url: &str, program: Option<&Command>) -> Option<Value> {
    let mut client = python.command()?;
    client.arg(tools::script("mcp_tools_client.py")).arg(url).arg(calls().to_string());
    if let Some(program) = program {
        client.arg(program.get_program()).args(program.get_args());
    }
    let output = client.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["tools"], json!(TOOLS));
    Some(answer)
}

fn python_gets_the_decision(python: McpPython, version: &str) {
    let server = Server::shared();
    let url = format!("{}/mcp", server.base());
    let Some(answer) = ask_by_python(python, &url, None) else { return };
    assert_eq!(answer["version"], version);
    must_be_the_answers_of(server, answer["results"].as_array().unwrap());
}

#[test]
fn the_earlier_python_sdk_gets_the_signed_decision_of_the_api() {
    python_gets_the_decision(McpPython::First, "2025-11-25");
}

#[test]
fn the_later_python_sdk_gets_the_signed_decision_of_the_api() {
    python_gets_the_decision(McpPython::Second, "2026-07-28");
}

fn python_asks_over_stdio(python: McpPython, version: &str) {
    let lab = LabServer::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    let program = stdio::command(&lab, folder.path());
    let Some(answer) = ask_by_python(python, "-", Some(&program)) else { return };
    assert_eq!(answer["version"], version);
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results[0]["structuredContent"]["decision"], "allow");
    assert_eq!(results[2]["structuredContent"]["domain"], "open.lab");
}

#[test]
fn the_earlier_python_sdk_asks_over_standard_input_and_output() {
    python_asks_over_stdio(McpPython::First, "2025-11-25");
}

#[test]
fn the_later_python_sdk_asks_over_standard_input_and_output() {
    python_asks_over_stdio(McpPython::Second, "2026-07-28");
}
