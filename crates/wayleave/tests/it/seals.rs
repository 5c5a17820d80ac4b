//! A running server seals and anchors a past day by itself.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use contract::{Clock, Day};
use door::SystemClock;
use proof::opentimestamps::{Attestation, Op, OtsFile, Stamp};
use serde_json::json;
use store::{Deletions, Digest, Scan, ScanDeletion, Scans, Visibility};
use store_sqlite::{SqliteOptions, SqliteStore};

use crate::licence_api::DataDir;
use crate::server::Server;
use crate::tools;

/// A stored scan of a past day, with as much of a record as a seal needs.
pub(crate) fn scan_of(day: Day, id: &str, record: Digest) -> Scan {
    Scan {
        id: id.to_owned(),
        domain: store::scans::parse_stored_domain("open.lab").unwrap(),
        scanned_at: day.begins_at(),
        visibility: Visibility::Public,
        score_version: 1,
        grade: None,
        overall: None,
        record: json!({ "sha256": record }).to_string().into(),
        evidence: "{}".into(),
        artifacts: Vec::new(),
    }
}

#[test]
fn a_demo_brings_a_past_day_to_a_block_by_itself() {
    let data = DataDir::new();
    let day = Day::of(SystemClock.now()).previous().previous();
    let (digest, deleted) = (Digest::of(b"a record"), Digest::of(b"a deleted record"));
    {
        let store = SqliteStore::open(data.path(), SqliteOptions::default()).unwrap();
        let scan = scan_of(day, "past1", digest);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        // Deleted before its day was sealed.
        let gone = scan_of(day, "past2", deleted);
        let deletion = ScanDeletion {
            id: gone.id.clone(),
            deleted_at: day.ends_at(),
            reason: None,
            dry_run: false,
        };
        runtime.block_on(store.put_scan(scan)).unwrap();
        runtime.block_on(store.put_scan(gone)).unwrap();
        runtime.block_on(store.delete_scan(deletion)).unwrap();
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
    let of_deleted = server.get("/api/seal/lookup?id=past2").json();
    assert_eq!(of_deleted["state"], "sealed", "{of_deleted}");
    assert_eq!(of_deleted["subject_sha256"], json!(deleted));
    assert_eq!((&of_deleted["root"], &of_deleted["leaves"]), (&seal["root"], &json!(2)));
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

/// `docs/seals.md` says what the program `ots` exits with, and what it prints.
#[test]
fn ots_exits_as_documented() {
    let Some(python) = tools::python() else { return };
    let ots = Path::new(python.get_program()).with_file_name("ots");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("other.json"), "{}").unwrap();
    std::fs::write(folder.path().join("no.ots"), "not a timestamp").unwrap();
    let statement = br#"{"day":"2026-11-14"}"#;
    let write = |name: &str, attestation: Attestation| {
        let stamp = Stamp::from_attestation(attestation).preceded_by(Op::Sha256);
        let file = OtsFile { digest: Digest::of(statement), stamp };
        std::fs::write(folder.path().join(name), statement).unwrap();
        std::fs::write(folder.path().join(format!("{name}.ots")), file.to_bytes()).unwrap();
    };
    write("pending.json", Attestation::pending("https://calendar.example").unwrap());
    write("done.json", Attestation::Bitcoin(800_000));
    let manual = "To verify manually, check that Bitcoin block 800000 has merkleroot";
    for (arguments, code, says) in [
        (&["info", "pending.json.ots"][..], 0, "PendingAttestation"),
        (&["info", "done.json.ots"], 0, "BitcoinBlockHeaderAttestation(800000)"),
        (&["info", "no.ots"], 1, "is not a timestamp file"),
        (&["verify", "pending.json.ots"], 1, "Calendar not in whitelist"),
        (&["verify", "done.json.ots"], 1, "Could not connect to Bitcoin node"),
        (&["--no-bitcoin", "verify", "done.json.ots"], 1, manual),
        (&["--no-bitcoin", "verify", "-f", "other.json", "done.json.ots"], 1, "does not match"),
    ] {
        let output = Command::new(&ots)
            .args(arguments)
            .env("HOME", folder.path())
            .current_dir(folder.path())
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
        assert!(text.contains(says), "{arguments:?}: {text}");
    }
}
