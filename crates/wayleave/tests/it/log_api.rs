//! The transparency log of a running service, as seen by outsiders.

use contract::Brand;
use proof::{KeyPolicy, verify_document};
use serde_json::{Value, json};

use crate::server::Server;

fn policy(server: &Server) -> KeyPolicy {
    let (keys, rotation) = (server.get("/log/keys.json"), server.get("/log/rotation.json"));
    KeyPolicy::from_directory(&keys.json(), Some(&rotation.json()), &Brand::default()).unwrap()
}

#[test]
fn a_service_opens_its_log_and_describes_it() {
    let server = Server::shared();
    let ready = server.get("/readyz");
    assert_eq!((ready.status, &ready.json()["log"]["state"]), (200, &json!("open")));
    assert_eq!(ready.json()["log"]["contradictions"], 0);

    let reply = server.get("/api/v1/log");
    assert_eq!(reply.status, 200, "{}", reply.text());
    let verdict = verify_document(reply.text().as_bytes(), &policy(server), &Brand::default());
    assert!(verdict.accepted(), "{verdict:?}");
    let log = reply.json();
    let schema = contract::schema::schema_for("log", &Brand::default(), &server.base()).unwrap();
    assert!(jsonschema::draft202012::is_valid(&schema, &log), "{log}");
    let address = format!("{}/log/checkpoint", server.base());
    assert_eq!(log["checkpoint"]["address"], json!(address));
    assert_eq!(log["head"].is_null(), log["tree_size"] == json!(0));

    let page = server.get("/log");
    assert_eq!(page.status, 200);
    assert!(page.text().contains("The transparency log") && !page.text().contains("<script>"));
}

#[test]
fn heads_of_strangers_raise_no_alarm() {
    let server = Server::shared();
    let head = json!({ "kind": "svc-log-sth", "log_id": "svc-resolve-log-v1", "batch": 7 });
    let body = json!({ "sths": [head, {}] }).to_string();
    let answer = server.post_with("/api/v1/log/gossip", "", &body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let results: Vec<Value> = answer.json()["results"].as_array().unwrap().clone();
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(|result| result["state"] == "not_ours"), "{results:?}");
    assert_eq!(answer.json()["contradictions"], 0);
    assert!(!server.stderr_so_far().contains("ALARM"));
}

#[test]
fn readers_are_held_to_their_rate() {
    let server = Server::start_demo_with_limits(&[]);
    for _ in 0..30 {
        assert_eq!(server.get("/api/v1/log/sths").status, 200);
    }
    // One comes back every two seconds, so a slow machine gets some more.
    let refused = (0..30)
        .map(|_| server.get("/api/v1/log"))
        .find(|reply| reply.status != 200)
        .expect("a refusal");
    assert_eq!((refused.status, refused.error_code().as_str()), (429, "rate_limited"));
    assert_eq!(server.get("/log/keys.json").status, 200, "files have a higher limit");
}
