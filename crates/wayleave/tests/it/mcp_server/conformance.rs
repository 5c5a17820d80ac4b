//! The conformance suite of the MCP project runs against the server. What fails is listed with its reason in
//! `tests/interop/mcp_conformance_failures.json`; anything else that fails, and anything listed that passes, is an
//! error.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::server::Server;
use crate::tools;

/// Name of the run, package, further arguments.
const RUNS: [(&str, &str, &[&str]); 3] = [
    ("stable", "mcp-conformance-stable", &[]),
    ("2025-11-25", "@modelcontextprotocol/conformance", &["--requirements", "2025-11-25"]),
    ("2026-07-28", "@modelcontextprotocol/conformance", &["--requirements", "2026-07-28"]),
];

/// `run scenario check` for every check that failed.
fn failures_of(run: &str, results: &Path) -> BTreeSet<String> {
    let mut failures = BTreeSet::new();
    let mut scenarios = 0;
    for entry in std::fs::read_dir(results).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        // `server-ping-2026-11-17T07-50-30-695Z`
        let scenario = name.strip_prefix("server-").unwrap();
        let scenario = &scenario[..scenario.len() - "-2026-11-17T07-50-30-695Z".len()];
        let checks = std::fs::read_to_string(folder.join("checks.json")).unwrap();
        let checks: Vec<Value> = serde_json::from_str(&checks).unwrap();
        scenarios += 1;
        let failed = checks.iter().filter(|check| check["status"] == "FAILURE");
        failures.extend(
            failed.map(|check| format!("{run} {scenario} {}", check["id"].as_str().unwrap())),
        );
    }
    assert!(scenarios > 20, "{run}: only {scenarios} scenarios ran");
    failures
}

#[test]
fn the_conformance_suite_finds_only_what_is_explained() {
    let Some(modules) = tools::node_modules() else { return };
    let node = modules.join("node/bin/node");
    if !node.exists() {
        let _: Option<()> = tools::skip_test("the Node packages have no newer node");
        return;
    }
    let server = Server::start_demo(&[]);
    let mut found = BTreeSet::new();
    for (run, package, arguments) in RUNS {
        let results = tempfile::tempdir().unwrap();
        let mut suite = Command::new(&node);
        suite.arg(modules.join(package).join("dist/index.js"));
        suite.args(["server", "--url", &format!("{}/mcp", server.base()), "--output-dir"]);
        // Its exit code only says that something failed.
        suite.arg(results.path()).args(arguments).output().unwrap();
        found.append(&mut failures_of(run, results.path()));
    }
    let listed = std::fs::read(tools::script("mcp_conformance_failures.json")).unwrap();
    let listed: Vec<Value> = serde_json::from_slice(&listed).unwrap();
    let mut explained = BTreeSet::new();
    for group in &listed {
        assert!(group["reason"].as_str().is_some_and(|reason| reason.len() > 20), "{group}");
        for check in group["checks"].as_array().unwrap() {
            assert!(explained.insert(check.as_str().unwrap().to_owned()), "twice: {check}");
        }
    }
    let unexplained: Vec<_> = found.difference(&explained).collect();
    assert!(unexplained.is_empty(), "failed without a reason: {unexplained:#?}");
    let mended: Vec<_> = explained.difference(&found).collect();
    assert!(mended.is_empty(), "listed, but they pass: {mended:#?}");
}
