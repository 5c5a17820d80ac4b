//! Preflight receipts, their later state, and staples, through the API.

use serde_json::{Value, json};

use crate::server::{HttpReply, Server, wayleave};

fn preflight(server: &Server, body: &Value) -> HttpReply {
    server.post_with("/api/v1/preflight", "", &body.to_string())
}

fn receipt(server: &Server, body: &Value) -> Value {
    let answer = preflight(server, body);
    assert_eq!(answer.status, 200, "{body}: {}", answer.text());
    answer.json()
}

fn verified(server: &Server, bytes: &[u8]) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let output =
        wayleave().args(["verify", "--keys", &server.base()]).arg(file.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn a_receipt_is_signed_stored_and_accepted_by_its_host() {
    // Not the shared server: a scan by another test would replace the answer meanwhile.
    let server = &Server::start_demo(&[]);
    server.scan("open.lab");
    let operation = json!({"method": "GET", "url": "https://open.lab/"});
    let request = json!({
        "domain": "open.lab", "action": "read", "agent": "ExampleBot",
        "nonce": "0123", "operation": operation,
    });
    let answer = preflight(server, &request);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    verified(server, &answer.body);
    let receipt = answer.json();
    assert_eq!(receipt["kind"], "svc-decision");
    assert_eq!((&receipt["nonce"], &receipt["operation"]), (&json!("0123"), &operation));
    assert!(["allow", "warn"].contains(&receipt["decision"].as_str().unwrap()), "{receipt}");
    let resolved = server.get("/api/v1/resolve?domain=open.lab").json();
    assert_eq!(receipt["resolve"]["sha256"], resolved["sha256"]);
    assert_eq!(receipt["resolve"]["kid"], resolved["signature"]["kid"]);

    let sha256 = receipt["sha256"].as_str().unwrap();
    let check = server.get(&format!("/api/v1/decisions/{sha256}?host=www.open.lab"));
    assert_eq!((check.status, check.header("cache-control")), (200, Some("public, max-age=60")));
    verified(server, &check.body);
    let check = check.json();
    assert_eq!((&check["accept"], &check["state"]), (&json!(true), &json!("standing")), "{check}");
    assert_eq!(check["receipt"], receipt);
    let other = server.get(&format!("/api/v1/decisions/{sha256}?host=minimal.lab")).json();
    assert_eq!((&other["accept"], &other["stands"]), (&json!(false), &json!(true)));
    // `held` asks about a receipt the caller already has.
    let held = self::receipt(
        server,
        &json!({"domain": "open.lab", "action": "read", "held": {"decision_sha256": sha256}}),
    );
    assert_eq!(held["held"]["stands"], true);
}

#[test]
fn a_decision_against_the_caller_is_an_answer_and_no_policy_loosens_it() {
    let server = Server::shared();
    // A live reading has one second, and a busy machine may not finish it.
    server.scan("robots-closed.lab");
    let closed = receipt(server, &json!({"domain": "robots-closed.lab", "action": "read"}));
    assert_eq!(closed["decision"], "block");
    let sha256 = closed["sha256"].as_str().unwrap();
    let check = server.get(&format!("/api/v1/decisions/{sha256}?host=robots-closed.lab")).json();
    assert_eq!(check["accept"], false, "{check}");
    for action in ["administer", "transact", "connect"] {
        let decided = receipt(server, &json!({"domain": "open.lab", "action": action}));
        assert_ne!(decided["decision"], "allow", "{action}");
    }
    let denied = json!({"domain": "open.lab", "action": "read", "policy": {"deny": ["open.lab"]}});
    assert_eq!(receipt(server, &denied)["decision"], "block");
    let loose = json!({"domain": "open.lab", "action": "read", "policy": {"max_age_hours": 9999}});
    assert_eq!(preflight(server, &loose).status, 400);
    let mcp = json!({
        "domain": "open.lab", "action": "connect",
        "mcp": {"url": "https://open.lab/mcp", "tools_sha256": "0".repeat(64)},
    });
    let mcp = receipt(server, &mcp);
    assert_eq!(mcp["mcp"]["state"], "unreachable");
    assert!(!["allow", "warn"].contains(&mcp["decision"].as_str().unwrap()), "{mcp}");
}

#[test]
fn a_batch_is_decided_in_order_and_each_receipt_stands_alone() {
    let server = Server::shared();
    let body = json!({"action": "read", "checks": [
        {"domain": "open.lab"},
        {"domain": "127.0.0.1"},
        {"url": "https://robots-closed.lab/a?b=c"},
        {"domain": "open.lab", "action": "administer"},
    ]});
    let answer = preflight(server, &body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    verified(server, &answer.body);
    let batch = answer.json();
    assert_eq!((&batch["count"], &batch["worst"]), (&json!(4), &json!("block")));
    assert_eq!(batch["results"][1]["error"]["code"], "bad_domain");
    let closed = &batch["results"][2]["result"];
    assert_eq!(closed["subject"]["path"], "/a");
    assert!(!closed.to_string().contains("b=c"), "a query is never kept");
    for index in [0, 2, 3] {
        let one = &batch["results"][index]["result"];
        verified(server, one.to_string().as_bytes());
        let sha256 = one["sha256"].as_str().unwrap();
        assert_eq!(server.get(&format!("/api/v1/decisions/{sha256}")).status, 200);
    }
    for (checks, code) in [(0, "batch_size"), (51, "batch_size")] {
        let many = json!({"action": "read", "checks": vec![json!({"domain": "open.lab"}); checks]});
        let refused = preflight(server, &many);
        assert_eq!((refused.status, &refused.json()["code"]), (400, &json!(code)));
    }
    let nothing = json!({"domain": "drips-body.lab", "action": "read", "live_ms": 0});
    assert_eq!(preflight(server, &nothing).status, 404);
}

#[test]
fn a_staple_agrees_with_the_answer() {
    // Not the shared server: a scan by another test would replace the answer meanwhile.
    let server = &Server::start_demo(&[]);
    let resolved = server.get("/api/v1/resolve?domain=open.lab").json();
    let answer = server.get("/api/v1/staple?domain=open.lab");
    assert_eq!(answer.status, 200, "{}", answer.text());
    verified(server, &answer.body);
    let staple = answer.json();
    let line = staple["staple"].as_str().unwrap();
    let read = resolved["actions"]["read"]["decision"].as_str().unwrap();
    assert!(line.starts_with(&format!("v=ccr1;d=open.lab;read={read};")), "{line}");
    assert_eq!(staple["header"], "Svc-Staple");
    assert_eq!(staple["answer"]["answer_sha256"], resolved["sha256"]);
}
