//! The same preflight by the API and as a tool call of our MCP server.

use serde_json::json;

use crate::server::Server;
use crate::{client, report_goal, wrk};

/// CPU time of a tool call, compared with that of the API call.
const MAX_CALL_RATIO: f64 = 1.3;
const ROUNDS: usize = 3;

pub(crate) fn measure(server: &Server, load: &wrk::Load) {
    if !wrk::is_installed() {
        println!("mcp: not measured because wrk is not installed");
        return;
    }
    // Reads the site, so that no request of the measurement does.
    client::get_blocking(server.address, "/api/v1/resolve?domain=n001.lab");
    let question = json!({ "domain": "n001.lab", "action": "read" });
    let call = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": { "name": "preflight", "arguments": question },
    });
    let ask = |load: &wrk::Load, path: &str, body: &str| {
        wrk::run_post(load, server.address, path, body, || server.cpu())
    };
    let (question, call) = (question.to_string(), call.to_string());
    ask(&load.short(), "/api/v1/preflight", &question);
    ask(&load.short(), "/mcp", &call);
    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        let api = ask(load, "/api/v1/preflight", &question);
        let tool = ask(load, "/mcp", &call);
        println!("preflight by the API    {api}");
        println!("preflight as a tool     {tool}");
        assert_eq!((api.failed, tool.failed), (0, 0), "requests failed");
        ratios.push(api.per_cpu_second / tool.per_cpu_second);
    }
    ratios.sort_by(f64::total_cmp);
    report_goal("  work compared with the API", ratios[ROUNDS / 2], MAX_CALL_RATIO, false);
}
