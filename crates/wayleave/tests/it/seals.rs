//! A running server seals and anchors a past day by itself.

use std::time::{Duration, Instant};

use contract::{Clock, Day};
use door::SystemClock;
use serde_json::json;
use store::{Digest, Scan, Scans, Visibility};
use store_sqlite::{SqliteOptions, SqliteStore};

use crate::licence_api::DataDir;
use crate::server::Server;

#[test]
fn a_demo_brings_a_past_day_to_a_block_by_itself() {
    let data = DataDir::new();
    let day = Day::of(SystemClock.now()).previous().previous();
    let digest = Digest::of(b"a record");
    {
        let store = SqliteStore::open(data.path(), SqliteOptions::default()).unwrap();
        let scan = Scan {
            id: "past1".to_owned(),
            domain: store::scans::parse_stored_domain("open.lab").unwrap(),
            scanned_at: day.begins_at(),
            visibility: Visibility::Public,
            score_version: 1,
            grade: None,
            overall: None,
            record: json!({ "sha256": digest }).to_string().into(),
            evidence: "{}".into(),
            artifacts: Vec::new(),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(store.put_scan(scan)).unwrap();
    }
    let server = Server::start_demo(&data.flags());
    let begun = Instant::now();
    let seal = loop {
        let seal = server.get(&format!("/api/seal/lookup?sha256={digest}")).json();
        if seal["anchors"][0]["state"] == "confirmed" {
            break seal;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "{seal}");
        std::thread::sleep(Duration::from_millis(300));
    };
    assert_eq!((&seal["state"], &seal["day"]), (&json!("sealed"), &json!(day)));
    let page = server.get("/proof").text();
    assert!(page.contains(&day.to_string()) && page.contains("confirmed"), "{page}");
    assert_eq!(server.get(&format!("/proof/{day}.ots")).status, 200);
    // A seal stays the same after a kill and a restart.
    let file = format!("/proof/{day}.json");
    let before = server.get(&file).json()["statement"].clone();
    let mut server = server;
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let server = Server::start_demo(&data.flags());
    assert_eq!(server.get(&file).json()["statement"], before);
}
