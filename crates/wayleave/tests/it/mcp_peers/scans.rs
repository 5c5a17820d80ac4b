//! What a scan says of each real server.

use serde_json::{Value, json};

use super::peer::{Kind, Peer, ask, service_for};
use crate::tools::McpPython::{First, Second};

/// A server, and what the scan must say of it.
struct Expected {
    kind: Kind,
    form: &'static str,
    eras: &'static [&'static str],
    /// Of tools, prompts, resources and resource templates.
    counts: [u64; 4],
}

const MODERN: &[&str] = &["both", "modern"];
const LEGACY: &[&str] = &["legacy"];

const SERVERS: [Expected; 7] = [
    expected(Kind::Everything("streamableHttp"), "streamable_http", LEGACY, [13, 4, 7, 2]),
    expected(Kind::Everything("sse"), "http_sse", LEGACY, [13, 4, 7, 2]),
    expected(Kind::Python(Second, "sdk"), "streamable_http", MODERN, [2, 1, 1, 0]),
    expected(Kind::Python(Second, "sdk-sse"), "http_sse", LEGACY, [2, 1, 1, 0]),
    expected(Kind::Python(Second, "fastmcp"), "streamable_http", MODERN, [2, 1, 1, 0]),
    expected(Kind::Python(First, "sdk"), "streamable_http", LEGACY, [2, 1, 1, 0]),
    expected(Kind::Python(First, "sdk-sse"), "http_sse", LEGACY, [2, 1, 1, 0]),
];

const fn expected(
    kind: Kind,
    form: &'static str,
    eras: &'static [&'static str],
    counts: [u64; 4],
) -> Expected {
    Expected { kind, form, eras, counts }
}

/// All of them, started at the same time because their libraries take long to load.
fn start(kinds: &[Kind]) -> Option<Vec<Peer>> {
    std::thread::scope(|scope| {
        let started: Vec<_> = kinds.iter().map(|kind| scope.spawn(|| Peer::start(*kind))).collect();
        started.into_iter().map(|peer| peer.join().unwrap()).collect()
    })
}

#[test]
fn real_servers_are_read_in_full_and_nothing_is_called() {
    let kinds = SERVERS.map(|server| server.kind);
    let Some(peers) = start(&kinds) else { return };
    let lab = service_for(&peers);
    for (expected, peer) in SERVERS.iter().zip(&peers) {
        let scan = ask(&lab.server, "scan", peer, "&live=1");
        let name = format!("{:?}", expected.kind);
        assert_eq!(scan["state"], "observed", "{name}: {}", scan["why"]);
        assert_eq!(scan["transport"]["form"], expected.form, "{name}");
        let era = scan["transport"]["era"].as_str().unwrap();
        assert!(expected.eras.contains(&era), "{name}: {era}");
        let surface = &scan["surface"];
        let counts =
            ["tools", "prompts", "resources", "resource_templates"].map(|list| &surface[list]);
        assert_eq!(counts.map(Value::as_u64), expected.counts.map(Some), "{name}");
        assert_eq!(scan["tools"].as_array().unwrap().len() as u64, expected.counts[0], "{name}");
        assert_eq!(surface["complete"], true, "{name}");
        assert_eq!(surface["stable_content"], true, "{name}");
        assert_eq!(surface["surface_sha256"].as_str().map(str::len), Some(64), "{name}");
        assert_eq!(scan["auth"]["state"], "none", "{name}");
        assert_eq!(scan["invocation"]["tools_called"], 0, "{name}");
        // The instructions of the reference server are harmless, and so is everything else here.
        let hard = |finding: &&Value| finding["tier"] == "hard";
        let found = scan["findings"].as_array().unwrap();
        assert_eq!(found.iter().find(hard), None, "{name}");
        peer.must_have_listed_only(true);
        let ended = peer.asked().iter().any(|[method, _, _]| method == "DELETE");
        assert!(ended || scan["transport"]["session_issued"] == false, "{name} keeps a session");
    }
    // The same server in both forms has the same lists.
    let digest =
        |at: usize| ask(&lab.server, "scan", &peers[at], "")["surface"]["surface_sha256"].clone();
    assert_eq!(digest(0), digest(1));
    assert_eq!(digest(2), digest(3));
    assert_eq!(digest(5), digest(6));
}

#[test]
fn a_real_server_behind_oauth_says_where_tokens_come_from() {
    let kinds = [Kind::Python(Second, "sdk-oauth"), Kind::Python(First, "sdk-oauth")];
    let Some(peers) = start(&kinds) else { return };
    let lab = service_for(&peers);
    for peer in &peers {
        let scan = ask(&lab.server, "scan", peer, "&live=1");
        assert_eq!(scan["state"], "auth_required", "{}", scan["why"]);
        let auth = &scan["auth"];
        assert_eq!(
            (&auth["state"], &auth["http_status"], &auth["scheme"]),
            (&json!("required"), &json!(401), &json!("Bearer"))
        );
        let metadata = &auth["resource_metadata"];
        assert_eq!(
            (&metadata["state"], &metadata["source"], &metadata["resource"]),
            (&json!("observed"), &json!("header"), &json!(peer.url()))
        );
        assert_eq!(metadata["authorization_servers"], json!(["https://issuer.lab/"]));
        assert_eq!(scan["surface"]["surface_sha256"], Value::Null);
        assert_eq!(scan["invocation"]["tools_called"], 0);
        peer.must_have_listed_only(false);
        let metadata = "/.well-known/oauth-protected-resource/mcp";
        assert!(peer.asked().iter().any(|[_, path, _]| path == metadata), "{:?}", peer.asked());
    }
}
