//! How often rules are applied, and what is served in place of a walk.

use std::path::Path;

use contract::Domain;
use contract::mcp_evidence::McpEvidence;
use contract::records::McpHistory;
use judge::mcp::{ScanInputs, build_scan, compare_card, judge_evidence};
use proof::KeyPurpose;
use serde_json::json;
use store::{McpScanExtras, StoredMcpScan};

use super::*;
use crate::access::LiveReadPermit;
use crate::testing;

const URL: &str = "https://shop.org/mcp";

/// Refuses every live reading.
struct NoPermit;

impl LiveReadPermit for NoPermit {
    fn acquire(&self) -> Result<(), Duration> {
        Err(Duration::from_secs(7))
    }
}

fn evidence(state: &str, budget_ms: u32) -> McpEvidence {
    let at = testing::now();
    let page = json!({"tools": [{"name": "add", "description": "Adds two numbers."}]}).to_string();
    let why = (state != "observed").then(
        || json!({"reason": "timeout", "detail": "The server did not answer.", "failure": null}),
    );
    serde_json::from_value(json!({
        "v": 1, "url": URL, "observer": {"name": "x", "version": "1", "vantage": "here"},
        "started_at": at, "finished_at": at, "budget_ms": budget_ms, "took_ms": 1, "state": state,
        "why": why,
        "transport": {"form": "streamable_http", "era": "modern", "protocol_version": null,
            "supported_versions": [], "response_form": null, "session_issued": false,
            "session_ended": null, "https": true, "tls": null, "redirect_location": null},
        "server": null,
        "auth": {"state": "none", "http_status": null, "scheme": null, "scopes": [],
            "resource_metadata": null},
        "lists": [{"list": "tools", "declared": true, "complete": state == "observed",
            "why": why, "pages": [{"result": page, "items": 1}], "items": 1}],
        "stability": {"stable_content": true, "stable_order": true, "why": null},
        "requests": [],
    }))
    .unwrap()
}

/// The servers of a new deployment in which a scan of one server is stored.
async fn with_scan(dir: &Path, evidence: &McpEvidence) -> Arc<McpServers> {
    let servers = Arc::clone(&testing::build_service(dir, Vec::new()).mcp);
    let domain = Domain::parse("shop.org", &contract::NamePolicy::default()).unwrap();
    let judged = judge_evidence(evidence, &[]);
    let inputs = ScanInputs {
        kind: "svc-mcp-scan".to_owned(),
        schema: servers.schema("mcp-scan"),
        domain: Some(domain.clone()),
        client_name: servers.client_name(),
        history: McpHistory {
            first_observed: None,
            last_changed_at: None,
            changes: 0,
            address: None,
        },
        card: compare_card(evidence, &judged.surface),
        verified: false,
        code: None,
    };
    let scan = build_scan(inputs, evidence, &judged);
    let signed = servers.keys.sign_record(&scan, KeyPurpose::Documents).unwrap();
    let surface = judged.surface.digests.surface.as_ref();
    let stored = StoredMcpScan {
        url: URL.to_owned(),
        domain,
        scan_sha256: signed.digest,
        observed_at: evidence.started_at,
        state: scan.state.as_str().to_owned(),
        surface_sha256: surface.map(|digest| digest.parse().unwrap()),
        document: signed.bytes.into(),
        lists: serde_json::to_vec(evidence).unwrap().into(),
    };
    servers.store.put_mcp_scan(stored, McpScanExtras::default()).await.unwrap();
    servers
}

async fn scan(
    servers: &McpServers,
    live: LiveWalk,
) -> Result<McpAnswer<contract::records::McpScan>, McpError> {
    let server = McpUrl::parse(URL, &contract::NamePolicy::default()).unwrap();
    let live_read_permit = Arc::new(NoPermit);
    let parts = ScanParts { lock: true, ..ScanParts::default() };
    servers.scan(ScanRequest { server, live, parts, live_read_permit }).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_servings_of_a_stored_scan_apply_the_rules_once() {
    let dir = tempfile::tempdir().unwrap();
    let servers = with_scan(dir.path(), &evidence("observed", 10_000)).await;
    let all = (0..20).map(|_| scan(&servers, LiveWalk::IfNeeded));
    for answer in futures_util::future::join_all(all).await {
        let lock = answer.unwrap().record.lock.unwrap();
        assert_eq!(lock.tools.len(), 1);
    }
    assert_eq!(servers.judging.applied(), 1);
    scan(&servers, LiveWalk::Never).await.unwrap();
    assert_eq!(servers.judging.applied(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_walk_with_little_time_does_not_decide_for_callers_with_more() {
    for (state, budget_ms, is_served) in [
        ("observed", 100, true),
        ("auth_required", 100, true),
        ("incomplete", 10_000, true),
        ("incomplete", 100, false),
        ("unreachable", 100, false),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let servers = with_scan(dir.path(), &evidence(state, budget_ms)).await;
        let answer = scan(&servers, LiveWalk::IfNeeded).await;
        match answer {
            Ok(_) => assert!(is_served, "{state} {budget_ms}"),
            Err(McpError::LiveLimit { retry_after }) => {
                assert!(!is_served && retry_after.as_secs() == 7, "{state} {budget_ms}");
            }
            Err(other) => panic!("{state} {budget_ms}: {other}"),
        }
        assert!(scan(&servers, LiveWalk::Never).await.is_ok(), "{state}: it is stored");
    }
}

#[tokio::test(start_paused = true)]
async fn only_so_many_servers_are_read_and_judged_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let servers = Arc::clone(&testing::build_service(dir.path(), Vec::new()).mcp);
    let all = Arc::clone(&servers.walks).acquire_many_owned(WALKS_AT_ONCE as u32).await.unwrap();
    let before = tokio::time::Instant::now();
    let refused = scan(&servers, LiveWalk::IfNeeded).await;
    assert!(matches!(refused, Err(McpError::Busy { .. })), "{:?}", refused.map(|_| ()));
    assert!(before.elapsed() <= Duration::from_secs(12), "{:?}", before.elapsed());
    drop(all);
    let next = scan(&servers, LiveWalk::IfNeeded).await;
    assert!(matches!(next, Err(McpError::LiveLimit { .. })), "{:?}", next.map(|_| ()));
}

#[tokio::test(flavor = "multi_thread")]
async fn declared_servers_get_what_is_stored_of_them() {
    use contract::records::{Capabilities, CapabilitiesSection, CapabilityMcpScan};
    let dir = tempfile::tempdir().unwrap();
    let servers = with_scan(dir.path(), &evidence("observed", 10_000)).await;
    let item = |endpoint: Option<&str>, is_server: bool| {
        json!({"untrusted_name": "x", "untrusted_endpoint": endpoint, "declared_in": "/card",
            "safety_class": "unknown", "as_declared": null,
            "mcp_scan": is_server.then(|| CapabilityMcpScan::not_measured("Not looked up."))})
    };
    let mut items = vec![
        item(Some(URL), true),
        item(Some("https://other.org/mcp"), true),
        item(Some("http://127.0.0.1/mcp"), true),
        item(Some(URL), false),
        item(None, true),
    ];
    for number in 0..9 {
        items.push(item(Some(&format!("https://more.org/{number}")), true));
    }
    let body: Capabilities = serde_json::from_value(json!({"declared": 5, "by_safety_class": {},
        "verified": 0, "mismatches": 0, "invocation_rule": "", "certificate": null,
        "items": items, "declared_files": [], "note": ""}))
    .unwrap();
    let mut section = CapabilitiesSection::Declared { observed_at: testing::now(), body };
    servers.add_stored_scans(&mut section).await;
    let CapabilitiesSection::Declared { body, .. } = section else { panic!("another section") };
    let shown = |at: usize| body.items[at].mcp_scan.clone();
    let stored = servers.store.latest_mcp_scan(URL).await.unwrap().unwrap();
    let found = shown(0).unwrap();
    assert_eq!((&*found.state, &found.why), ("observed", &None));
    assert_eq!(found.scan_sha256, Some(stored.scan_sha256.to_string()));
    assert_eq!(found.surface_sha256, stored.surface_sha256.map(|digest| digest.to_string()));
    assert_eq!(found.scanned_at, Some(stored.observed_at.whole_seconds()));
    assert!(found.connect.is_some());
    let encoded = "https://svc.example/api/v1/mcp/scan?url=https%3A%2F%2Fshop.org%2Fmcp";
    assert_eq!(found.address.as_deref(), Some(encoded));
    let why = |at: usize| shown(at).and_then(|scan| scan.why).unwrap_or_default();
    assert_eq!(why(1), "No scan of this server is stored.");
    assert!(shown(1).unwrap().address.is_some() && shown(1).unwrap().connect.is_none());
    assert!(why(2).contains("not one of a public server"), "{}", why(2));
    assert_eq!(shown(3), None);
    assert_eq!(why(4), "Not looked up.");
    assert_eq!(why(9), "No scan of this server is stored.");
    assert!(why(13).contains("first eight"), "{}", why(13));
}
