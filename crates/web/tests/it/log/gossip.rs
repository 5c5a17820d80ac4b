//! Heads that somebody shows us.

use contract::Brand;
use proof::{
    Digest, KeyPurpose, SigningKey,
    keys::LogMark,
    merkle_tree::BatchTree,
    sign_document,
    tree_head::{ChainHead, HeadExtras, next_head},
};
use serde_json::{Value, json};
use store::Log;

use super::fixture::{BASE, TestServer, fits, keys, no_limits, start, start_in};

/// The head of a batch of one leaf behind `previous`, signed by this key.
fn forged(
    test_server: &TestServer,
    previous: Option<&Value>,
    leaf: &str,
    key: &SigningKey,
) -> Value {
    let previous = previous.map(|head| ChainHead::parse(head).unwrap());
    let tree = BatchTree::new([proof::sha256(leaf.as_bytes())]);
    let extras = HeadExtras::default();
    let now = test_server.service_time(0);
    let head = next_head(previous.as_ref(), &tree, now, extras, &Brand::default()).unwrap();
    sign(head, test_server, key)
}

fn sign(head: Value, test_server: &TestServer, key: &SigningKey) -> Value {
    let directory = format!("{BASE}/.well-known/http-message-signatures-directory");
    let at = test_server.service_time(0).whole_seconds();
    sign_document(head, key, &directory, &Brand::default(), at).unwrap().document
}

async fn found(test_server: &TestServer, heads: &[Value]) -> Vec<(String, String)> {
    let reply = test_server.gossip(heads).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let answer = reply.json();
    fits(&answer, "log-gossip");
    assert_eq!(answer["checked"], heads.len());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|result| (text(&result["state"]), text(&result["why"]))).collect()
}

fn states(found: &[(String, String)]) -> Vec<&str> {
    found.iter().map(|(state, _)| state.as_str()).collect()
}

#[tokio::test]
async fn our_own_heads_are_known() {
    let test_server = start().await;
    for number in 0..4 {
        test_server.decide(number).await;
    }
    let sths = test_server.json("/api/v1/log/sths", "log-sths").await["sths"].clone();
    let found = found(&test_server, sths.as_array().unwrap()).await;
    assert_eq!(states(&found), ["known"; 4]);
    assert_eq!(found[0].1, "This is the head of our batch 3.");
    assert!(test_server.store.contradicting_heads().await.unwrap().is_empty());
    assert_eq!(test_server.json("/api/v1/log", "log").await["contradictions"], 0);
}

#[tokio::test]
async fn heads_that_anybody_could_forge_raise_no_alarm() {
    let test_server = start().await;
    test_server.decide(0).await;
    let head = test_server.head();
    let at = test_server.service_time(0).whole_seconds();
    let stranger = SigningKey::from_seed(&[9; 32], KeyPurpose::LogHeads, at).unwrap();
    let mut changed = head.clone();
    changed["tree_root"] = json!(proof::sha256(b"x"));
    let mut unsigned = head.clone();
    unsigned.as_object_mut().unwrap().remove("signature");
    let mut other_log = head.clone();
    other_log["log_id"] = json!("svc-resolve-log-v2");
    let mut long = head.clone();
    long["note"] = json!("x".repeat(70_000));
    let mut borrowed = forged(&test_server, None, "fork", &stranger);
    borrowed["signature"]["key"] = head["signature"]["key"].clone();
    borrowed["signature"]["kid"] = head["signature"]["kid"].clone();
    // Another document of ours, in the clothes of a head.
    let mut record = test_server.json("/api/v1/log", "log").await;
    let plain = record.clone();
    record["kind"] = json!("svc-log-sth");
    let cases = [
        (forged(&test_server, None, "fork", &stranger), "not one of our log-heads keys"),
        (changed, "signature is not valid"),
        (unsigned, "signature is not valid"),
        (borrowed, "signature is not valid"),
        (other_log, "belongs to another log"),
        (long, "larger than 65536 bytes"),
        (plain, "not a svc-log-sth"),
        (record, "signature is not valid"),
        (json!({}), "not a svc-log-sth"),
        (json!({ "kind": "svc-log-sth", "log_id": "svc-resolve-log-v1" }), "is not valid"),
    ];
    let heads: Vec<Value> = cases.iter().map(|(head, _)| head.clone()).collect();
    for ((state, why), (_, word)) in found(&test_server, &heads).await.iter().zip(&cases) {
        assert_eq!(state, "not_ours", "{why}");
        assert!(why.contains(word), "{why} / {word}");
    }
    assert!(test_server.store.contradicting_heads().await.unwrap().is_empty());
    assert_eq!(test_server.json("/api/v1/log", "log").await["contradictions"], 0);
}

#[tokio::test]
async fn a_fork_under_our_key_is_stored_counted_and_reported() {
    let test_server = start().await;
    for number in 0..3 {
        test_server.decide(number).await;
    }
    let sths = test_server.json("/api/v1/log/sths", "log-sths").await["sths"].clone();
    let key = keys(test_server.dir.path());
    let key =
        key.signer(KeyPurpose::LogHeads, test_server.service_time(0).whole_seconds()).unwrap();
    let fork = forged(&test_server, Some(&sths[2]), "fork", &key);
    assert_eq!(fork["batch"], 1);
    let ahead = forged(&test_server, Some(&sths[0]), "ahead", &key);
    assert_eq!(ahead["batch"], 3);
    // Signed by us, and not even a head by its own sums.
    let mut odd = fork.clone();
    odd.as_object_mut().unwrap().remove("sha256");
    odd.as_object_mut().unwrap().remove("signature");
    odd["tree_size"] = json!(77);
    let odd = sign(odd, &test_server, &key);

    let heads = [fork.clone(), sths[1].clone(), ahead.clone(), odd];
    let all = found(&test_server, &heads).await;
    assert_eq!(states(&all), ["contradicts", "known", "ahead", "contradicts"]);
    assert!(all[0].1.contains(sths[1]["sha256"].as_str().unwrap()), "{}", all[0].1);
    assert!(all[2].1.contains("has no batch 3"), "{}", all[2].1);
    // The same again is the same, kept once.
    assert_eq!(states(&found(&test_server, &heads[..1]).await), ["contradicts"]);
    let stored = test_server.store.contradicting_heads().await.unwrap();
    assert_eq!(stored.len(), 3);
    let seen = |head: &Value| {
        let digest: Digest = head["sha256"].as_str().unwrap().parse().unwrap();
        let stored = stored.iter().find(|stored| stored.sth_sha256 == digest).unwrap();
        let shown: Value = serde_json::from_slice(&stored.sth).unwrap();
        assert_eq!(shown, *head, "whole, so that it proves something");
        stored.clone()
    };
    assert_eq!(seen(&fork).batch, 1);
    assert_eq!(seen(&ahead).batch, 3);
    assert_eq!(test_server.json("/api/v1/log", "log").await["contradictions"], 3);
    // Nothing is signed until an operator decides.
    let ready = test_server.get("/readyz").await;
    assert_eq!((ready.status, ready.code().as_str()), (503, "signing_unavailable"));
    assert!(
        ready.text().contains("that our key signed and that are not in this log"),
        "{}",
        ready.text()
    );
    let halted = test_server.service.log.seal_entry("svc-test", "{}".into()).await.unwrap_err();
    assert!(halted.to_string().contains("wayleave log mark --accept"), "{halted}");
    assert!(test_server.get("/log").await.text().contains("role=\"alert\""));
    let metrics = test_server.get("/metrics").await;
    assert!(metrics.text().contains("log_contradicting_heads_total"));
    assert!(metrics.text().contains("log_gossip_heads_total{found=\"ahead\"}"));

    // A new start does not forget, also where the log is not open.
    let TestServer { dir, service, store, server, .. } = test_server;
    service.log.close().await;
    drop((service, store, server));
    let test_server = start_again(dir).await;
    let answer = test_server.gossip(std::slice::from_ref(&fork)).await.json();
    assert_eq!(answer["results"][0]["state"], "contradicts");
    assert_eq!(answer["head"], Value::Null);
    assert_eq!(test_server.service.log.count_contradicting_heads().await.unwrap(), 3);
    let keys_dir = test_server.dir.path().join("keys");
    std::fs::remove_file(keys_dir.join(proof::keys::PLACE_FILE_NAME)).unwrap();
    let (mark, marked) = LogMark::open(&keys_dir).unwrap();
    let fault = test_server.service.log.open(mark, marked).await.unwrap_err();
    assert!(matches!(fault, service::LogFault::Contradicted { .. }), "{fault}");
    assert!(fault.to_string().contains("2 further ones are stored"), "{fault}");

    // After the decision of an operator, the heads dated before it stop nothing.
    let TestServer { dir, service, store, server, .. } = test_server;
    let now = service.now();
    service::log::decide_to_continue(store.as_ref(), now).await.unwrap();
    drop((service, store, server));
    let test_server = start_opened(dir).await;
    test_server.decide(4).await;
    assert_eq!(states(&found(&test_server, &[fork, ahead]).await), ["contradicts"; 2]);
    assert_eq!(test_server.get("/readyz").await.status, 200);
    test_server.decide(5).await;
    // One that is dated later does: the other log still signs.
    test_server.pass(3_600_000);
    let later = forged(&test_server, Some(&sths[2]), "later", &key);
    assert_eq!(states(&found(&test_server, &[later]).await), ["contradicts"]);
    assert_eq!(test_server.get("/readyz").await.status, 503);
}

#[tokio::test]
async fn a_head_of_a_compromised_key_stops_nothing() {
    let test_server = start().await;
    test_server.decide(0).await;
    let mut ours = keys(test_server.dir.path());
    let now = test_server.service_time(0).whole_seconds();
    let old = ours.signer(KeyPurpose::LogHeads, now).unwrap();
    ours.mark_compromised(old.kid(), now, now).unwrap();
    test_server.service.keys.reload().unwrap();
    let fork = forged(&test_server, None, "fork", &old);
    let all = found(&test_server, &[fork]).await;
    assert_eq!(states(&all), ["contradicts"]);
    assert!(all[0].1.contains("compromised"), "{}", all[0].1);
    assert_eq!(test_server.get("/readyz").await.status, 200);
    test_server.decide(1).await;
}

/// Like `start_again`, with the log open.
async fn start_opened(dir: tempfile::TempDir) -> TestServer {
    let copy = tempfile::tempdir().unwrap();
    copy_all(dir.path(), copy.path());
    let place = copy.path().join("keys").join(proof::keys::PLACE_FILE_NAME);
    let _ = std::fs::remove_file(place);
    start_in(copy, no_limits(), true).await
}

/// The server of a test lives until the runtime ends and holds the store, so the data move.
async fn start_again(dir: tempfile::TempDir) -> TestServer {
    let copy = tempfile::tempdir().unwrap();
    copy_all(dir.path(), copy.path());
    start_in(copy, no_limits(), false).await
}

fn copy_all(from: &std::path::Path, to: &std::path::Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir(&target).unwrap();
            let mode = std::fs::metadata(entry.path()).unwrap().permissions();
            std::fs::set_permissions(&target, mode).unwrap();
            copy_all(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[tokio::test]
async fn a_retired_key_still_speaks_for_us() {
    let test_server = start().await;
    test_server.decide(0).await;
    let mut ours = keys(test_server.dir.path());
    let old =
        ours.signer(KeyPurpose::LogHeads, test_server.service_time(0).whole_seconds()).unwrap();
    let known = test_server.head();
    let fork = forged(&test_server, None, "fork", &old);
    test_server.pass(60_000);
    ours.rotate(KeyPurpose::LogHeads, test_server.service_time(0)).unwrap();
    test_server.service.keys.reload().unwrap();
    test_server.decide(1).await;
    assert_ne!(test_server.head()["signature"]["kid"], known["signature"]["kid"]);
    test_server.pass(60_000);
    let later = forged(&test_server, None, "later", &old);
    let all = found(&test_server, &[known, fork, later]).await;
    assert_eq!(states(&all), ["known", "contradicts", "contradicts"]);
    assert!(!all[1].1.contains("About its key"), "{}", all[1].1);
    assert!(all[2].1.contains("About its key"), "{}", all[2].1);
}

#[tokio::test]
async fn gossip_is_read_strictly() {
    let test_server = start().await;
    test_server.decide(0).await;
    let head = test_server.head();
    let many = vec![head.clone(); 51];
    assert_eq!(test_server.gossip(&many).await.code(), "batch_size");
    assert_eq!(test_server.gossip(&[]).await.code(), "batch_size");
    assert_eq!(test_server.gossip(&many[..2]).await.code(), "bad_request", "the same head twice");
    let different: Vec<Value> = (0..50).map(|number| json!({ "batch": number })).collect();
    assert_eq!(test_server.gossip(&different).await.status, 200);
    assert_eq!(test_server.gossip(&[json!("a head")]).await.code(), "bad_request");
    assert_eq!(test_server.gossip(&[json!([head])]).await.code(), "bad_request");
    let big = json!({ "kind": "x".repeat(1_100_000) });
    assert_eq!(test_server.gossip(&[big]).await.code(), "body_too_large");
    let post = async |media_type: &str, body: &str| {
        let request = format!(
            "POST /api/v1/log/gossip HTTP/1.1\r\nHost: x\r\nContent-Type: {media_type}\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let reply = test_server.server.ask(&request).await;
        (reply.status, reply.code())
    };
    let json = "application/json";
    for (media_type, body, status, code) in [
        (json, "{}", 400, "bad_request"),
        (json, "[]", 400, "bad_request"),
        (json, "{\"sths\":{}}", 400, "bad_request"),
        (json, "{\"sths\":[{}],\"note\":1}", 400, "unknown_field"),
        (json, "{\"sths\":[{\"a\":1,\"a\":1}]}", 400, "bad_request"),
        (json, "{\"sths\":[", 400, "bad_request"),
        ("text/plain", "{\"sths\":[{}]}", 415, "unsupported_media_type"),
    ] {
        assert_eq!(post(media_type, body).await, (status, code.to_owned()), "{body}");
    }
    let deep = format!("{{\"sths\":[{{\"a\":{}{}}}]}}", "[".repeat(500), "]".repeat(500));
    assert_eq!(post(json, &deep).await, (400, "bad_request".to_owned()));
}
