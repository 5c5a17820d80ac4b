//! Runs every call of an unchanged, independently published client against the demo.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::server::{Server, wayleave};
use crate::tools;

/// The brand that the published client expects.
const BRAND: [&str; 2] = ["--server-brand", "crawlcheck"];

const CHECKS: [&str; 57] = [
    "published_key_ids",
    "published_key_policy",
    "resolve",
    "resolve_keeps_the_head",
    "resolve_refuses_bad_names",
    "resolve_for_asks_the_network",
    "resolve_for_takes_a_staple",
    "resolve_for_leaves_a_bad_staple_aside",
    "resolve_batch",
    "resolve_private",
    "resolve_private_knows_what_it_does_not_know",
    "resolve_private_goes_on_where_a_bucket_is_full",
    "private_lookups",
    "preflight_each_action",
    "preflight_each_template",
    "preflight_each_policy",
    "preflight_for_an_agent",
    "preflight_gives_the_operation_back",
    "preflight_judges_the_address_of_the_operation",
    "preflight_names_the_mcp_server",
    "preflight_refuses_what_it_cannot_read",
    "guard_allow",
    "guard_warn",
    "guard_confirm",
    "guard_block",
    "guard_expired",
    "guard_replayed",
    "guard_of_another_matter",
    "guard_tampered",
    "guard_foreign_key",
    "guard_unreachable",
    "guard_revoked",
    "guard_forked_log",
    "guarded_fetch_over_redirects",
    "guarded_fetch_stops_before_a_refused_hop",
    "guarded_fetch_asks_about_the_path",
    "guarded_fetch_by_a_transport",
    "verify_online",
    "verify_offline",
    "verify_refuses_what_was_changed",
    "sync_revocations_with_deltas",
    "sync_revocations_takes_no_other_list",
    "sync_revocations_from_before_the_beginning",
    "check_receipt_header_accepts",
    "check_receipt_header_refuses",
    "staple_check",
    "staple_check_refuses",
    "log_check",
    "log_gossip",
    "log_walk",
    "outcome",
    "changes",
    "domain",
    "tool_check_site",
    "tool_fetch",
    "tools_for_each_framework",
    "mcp_preflight",
];

/// Checks that do not depend on the brand.
const FOR_ANY_BRAND: [&str; 5] = [
    "guard_unreachable",
    "preflight_refuses_what_it_cannot_read",
    "published_key_ids",
    "resolve_private_knows_what_it_does_not_know",
    "resolve_refuses_bad_names",
];

/// The result of each check: `None` if it passed, else why it failed.
fn run_client_checks(
    mut python: Command,
    servers: [&Server; 3],
) -> BTreeMap<String, Option<String>> {
    python.arg(tools::script("client_calls.py")).args(servers.map(Server::base));
    let output = python.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let checks: BTreeMap<String, Value> = serde_json::from_slice(&output.stdout).unwrap();
    let why = |one: &Value| (one["ok"] != true).then(|| one["why"].to_string());
    checks.iter().map(|(name, one)| (name.clone(), why(one))).collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    // The server refuses keys in a folder that others can read.
    std::fs::set_permissions(to, std::fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn the_published_client_can_do_all_that_it_can() {
    let Some(python) = tools::python() else { return };
    // A service, and a copy of its data that continues separately: a log with two histories.
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    let started = |data: &Path| {
        Server::start_demo(&[&BRAND[..], &["--store-data-dir", data.to_str().unwrap()]].concat())
    };
    let first = started(&one);
    assert_eq!(first.get("/api/v1/resolve?domain=open.lab").status, 200);
    drop(first);
    copy(&one, &other);
    // A copy signs nothing until an operator has accepted it.
    let mut accept = wayleave();
    accept.args(["log", "mark", "--accept", "--store-data-dir"]).arg(&other);
    assert!(accept.args(BRAND).output().unwrap().status.success());
    let (base, foreign, forked) = (started(&one), Server::start_demo(&BRAND), started(&other));

    let results = run_client_checks(python, [&base, &foreign, &forked]);
    let wrong: Vec<_> =
        results.iter().filter_map(|(name, why)| Some((name, why.as_ref()?))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let mut names: Vec<&str> = results.keys().map(String::as_str).collect();
    let mut expected = CHECKS.to_vec();
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert!(
        base.stderr_so_far().contains("ALARM"),
        "two histories are told to whoever runs the service"
    );
}

/// Shows that the checks can fail: with another brand nothing signed is accepted.
#[test]
fn the_published_client_takes_nothing_of_another_brand() {
    let Some(python) = tools::python() else { return };
    let server = Server::start_demo(&[]);
    let results = run_client_checks(python, [&server, &server, &server]);
    assert_eq!(results.len(), CHECKS.len());
    let good: Vec<_> =
        results.iter().filter(|(_, why)| why.is_none()).map(|(name, _)| name.as_str()).collect();
    assert_eq!(good, FOR_ANY_BRAND);
}
