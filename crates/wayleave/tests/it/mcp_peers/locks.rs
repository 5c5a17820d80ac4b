//! A lock of a real server, and what is said when its description was edited.

use serde_json::{Value, json};

use super::peer::{Kind, Peer, ask, service_for};
use crate::lab_server::LabServer;
use crate::tools::McpPython::{First, Second};

fn check(lab: &LabServer, lock: &Value, peer: &Peer) -> Value {
    let body = json!({ "lock": lock, "url": peer.url() }).to_string();
    let reply = lab.server.post_with("/api/v1/mcp/lock/check", "", &body);
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

fn preflight(lab: &LabServer, lock: &Value, peer: &Peer) -> Value {
    let mcp = json!({ "url": peer.url(), "lock_sha256": lock["sha256"] });
    let body = json!({ "domain": "open.lab", "action": "connect", "mcp": mcp }).to_string();
    let reply = lab.server.post_with("/api/v1/preflight", "", &body);
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

/// Approve a server, edit one description in its script, start it again, and ask before connecting.
fn edited_description_is_told(kind: Kind) {
    let Some(mut peer) = Peer::start(kind) else { return };
    let lab = service_for(std::slice::from_ref(&peer));
    let lock = ask(&lab.server, "lock", &peer, "");
    assert_eq!((&lock["kind"], &lock["count"]), (&json!("svc-mcp-lock"), &json!(2)));
    let same = check(&lab, &lock, &peer);
    assert_eq!(
        (&same["state"], &same["verdict"], &same["exit_code"]),
        (&json!("match"), &json!("unchanged"), &json!(0))
    );
    let receipt = preflight(&lab, &lock, &peer);
    assert_eq!(receipt["mcp"]["state"], "match");
    assert_ne!(receipt["decision"], "block", "{}", receipt["steps"]);

    peer.redescribe("Adds two numbers and keeps them.");
    let drift = check(&lab, &lock, &peer);
    assert_eq!(
        (&drift["state"], &drift["verdict"], &drift["decision"], &drift["exit_code"]),
        (&json!("drift"), &json!("changed"), &json!("block"), &json!(1))
    );
    assert_eq!(drift["modified"], json!(["add"]));
    let entries = drift["drift"].as_array().unwrap();
    assert_eq!(entries.len(), 1, "{entries:?}");
    assert_eq!(
        (&entries[0]["name"], &entries[0]["change"], &entries[0]["fields"]),
        (&json!("add"), &json!("description_changed"), &json!(["description"]))
    );
    let receipt = preflight(&lab, &lock, &peer);
    assert_eq!(
        (&receipt["decision"], &receipt["mcp"]["state"]),
        (&json!("block"), &json!("drift"))
    );
    assert!(receipt.to_string().contains("mcp_lock_drift"), "{receipt}");
    let step = receipt["steps"].as_array().unwrap().iter().find(|step| step["rule"] == "mcp.lock");
    assert_eq!(step.unwrap()["effect"], "block");
    peer.must_have_listed_only(true);
}

#[test]
fn an_edited_description_on_the_second_sdk_is_drift() {
    edited_description_is_told(Kind::Python(Second, "sdk"));
}

#[test]
fn an_edited_description_on_the_first_sdk_is_drift() {
    edited_description_is_told(Kind::Python(First, "sdk"));
}

#[test]
fn an_edited_description_on_fastmcp_is_drift() {
    edited_description_is_told(Kind::Python(Second, "fastmcp"));
}
