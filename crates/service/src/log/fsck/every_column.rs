//! Flips bytes in every column of every table of a real store, and looks whether they are found.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use bytes::Bytes;
use contract::mcp_evidence::McpEvidence;
use judge::mcp::surface_of_evidence;
use proof::{KeyPolicy, KeyPurpose, KeyStore, SignedRecord};
use rusqlite::types::Value as Sql;
use serde_json::{Value, json};
use store::{
    Accuracy, Audit, Conduct, ConductDay, ContradictingHead, Control, DeletedScan, Deletions,
    Dispute, Disputes, Feeds, Incidents, IssuedMcpLock, Log, McpScanExtras, McpScans, McpSurface,
    NewAuditEntry, NewControlEvent, NewRevocation, OwnerIncident, Readings, RegistrationChange,
    Registrations, Revocations, StoredClaim, StoredFeed, StoredMcpScan, StoredReading,
    StoredRegistration, WithheldActions,
};

use super::accuracy::tests::signed_accuracy;
use super::*;
use crate::log::mark::read_mark;
use crate::testing;

/// The data directory of an older build, with content in most tables.
const ARCHIVE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../wayleave/tests/fixtures/data-of-cafd2c4/data.tar.gz");
const README: &str = include_str!("../../../../store-sqlite/README.md");

/// Columns of which nothing can be flipped here: values that a constraint protects, and one that is
/// null.
const UNFLIPPED: [&str; 4] =
    ["anchors.stage", "anchors.block_height", "scans.visibility", "seals.leaves"];

pub(super) async fn run_fsck(dir: &Path) -> Result<FsckReport, StoreError> {
    let store = testing::try_open_store(dir)?;
    let brand = Brand::default();
    let keys = KeyStore::open(&dir.join("keys"), testing::now()).unwrap();
    let rotation = keys.rotation_record(&brand);
    let policy = KeyPolicy::from_directory(&keys.directory(&brand), Some(&rotation), &brand);
    let (policy, mark) = (policy.unwrap(), read_mark(&dir.join("keys")));
    let ask = FsckRequest {
        store: &store,
        brand: &brand,
        policy: &policy,
        origin: "old.example/svc-resolve-log-v1",
        witnesses: &[],
        mark: &mark,
    };
    fsck(ask, &mut |_| {}).await
}

/// Puts something into the tables that the old directory has nothing in.
async fn fill_empty_tables(dir: &Path) {
    let store = testing::open_store(dir);
    let at = testing::now();
    let withheld = |name: &str, causes: &[&str]| WithheldActions {
        domain: store::scans::parse_stored_domain(name).unwrap(),
        actions: vec!["connect".to_owned(), "transact".to_owned()],
        causes: causes.iter().map(|cause| (*cause).to_owned()).collect(),
        state: "withheld".to_owned(),
        since: at,
        updated_at: at,
    };
    let standings = vec![withheld("a.lab", &["incident"]), withheld("b.lab", &[])];
    let entry = |kind: &str| NewRevocation {
        at,
        effective_from: at,
        kind: kind.to_owned(),
        target_kind: "domain".to_owned(),
        target_id: "a.lab".to_owned(),
        domain: Some(store::scans::parse_stored_domain("a.lab").unwrap()),
        actions: vec!["connect".to_owned()],
        reason: "incident".to_owned(),
        why: "a test".to_owned(),
        replaced_by: Some(Digest::of(kind.as_bytes())),
    };
    let entries = vec![entry("suspended"), entry("reinstated")];
    store.append_revocations(entries, standings).await.unwrap();
    // The readings of the archive have no fingerprint without the record.
    for id in ["reading-one", "reading-two"] {
        let reading = StoredReading {
            id: id.to_owned(),
            domain: store::scans::parse_stored_domain("a.lab").unwrap(),
            observed_at: at,
            network: "here".to_owned(),
            basis: "just_in_time".to_owned(),
            scan_id: None,
            completed: true,
            fields: "{}".into(),
            record: "{}".into(),
        };
        store.put_reading(reading).await.unwrap();
    }
    for id in ["deleted-one", "deleted-two"] {
        let deleted = DeletedScan {
            id: id.to_owned(),
            record_sha256: Some(Digest::of(id.as_bytes())),
            day: Some(contract::Day::of(at)),
            deleted_at: at,
            reason: Some(id.to_owned()),
        };
        store.put_deleted_scan(deleted).await.unwrap();
    }
    for number in 0..2 {
        let entry = NewAuditEntry {
            at,
            actor: format!("operator {number}"),
            action: "licence.create".to_owned(),
            subject: format!("licence {number}"),
            detail: format!("{{\"number\":{number}}}"),
        };
        store.append_audit(entry).await.unwrap();
    }
    for (id, number) in [("bot-one", 1), ("bot-two", 2)] {
        let feed = StoredFeed {
            id: id.to_owned(),
            url: format!("https://{id}.lab/ranges.json"),
            fetched_at: Some(at),
            changed_at: Some(at),
            etag: Some(format!("\"{id}\"")),
            last_modified: Some("Sun, 15 Nov 2026 02:16:20 GMT".to_owned()),
            prefixes: Bytes::from(format!("192.0.{number}.0/24\n")),
            prefix_count: number,
            attempted_at: at,
            failures: number,
            last_fault: Some(format!("a test of {id}")),
            next_attempt_at: at,
        };
        store.put_feed(feed).await.unwrap();
    }
    for (name, field) in [("a.lab", "registrar"), ("b.lab", "status")] {
        let domain = store::scans::parse_stored_domain(name).unwrap();
        let registration = StoredRegistration {
            domain: domain.clone(),
            first_read_at: Some(at),
            read_at: Some(at),
            source: Some(format!("https://rdap.lab/domain/{name}")),
            registration: Bytes::from(format!("{{\"registrar\":\"{name}\"}}")),
            attempted_at: at,
            outcome: "failed".to_owned(),
            why: Some(format!("a test of {name}")),
            next_attempt_at: at,
        };
        let change = RegistrationChange {
            domain,
            at,
            since: at,
            field: field.to_owned(),
            from: Some(format!("before {name}")),
            to: Some(format!("after {name}")),
        };
        store.put_registration(registration, vec![change]).await.unwrap();
    }
    for (id, name) in [("one", "a.lab"), ("two", "b.lab")] {
        let domain = store::scans::parse_stored_domain(name).unwrap();
        let event = || NewControlEvent { at, body: Bytes::from(format!("{{\"event\":\"{id}\"}}")) };
        let claim = StoredClaim {
            id: id.to_owned(),
            domain: domain.clone(),
            secret_sha256: Digest::of(id.as_bytes()),
            next_check_at: Some(at),
            body: Bytes::from(format!("{{\"claim\":\"{id}\"}}")),
        };
        assert_eq!(store.put_claim(claim, None, vec![event()]).await, Ok(true));
        let incident = OwnerIncident {
            id: id.to_owned(),
            domain: domain.clone(),
            claim_id: id.to_owned(),
            what: format!("a test of {name}"),
            since: at,
            reported_at: at,
            ends_at: at.plus_millis(1),
            ended_at: Some(at),
            ended_by: Some("its owner".to_owned()),
        };
        store.put_incident(incident, event()).await.unwrap();
        let dispute = Dispute {
            id: id.to_owned(),
            domain,
            claim_id: id.to_owned(),
            scan_id: format!("scan {id}"),
            reason: format!("a test of {name}"),
            filed_at: at,
            fresh_scan_id: Some(format!("fresh {id}")),
            closed_at: Some(at),
            changed: Some(true),
            outcome: Some("another grade".to_owned()),
        };
        store.put_dispute(dispute).await.unwrap();
    }
    for number in [20_000, 20_001] {
        let day = contract::Day::from_number(number);
        let counts = Bytes::from_static(
            br#"{"GPTBot":{"requests":{"verified":7,"forged":1,"unverifiable":0,"robots_txt_fetches":1,
                "disallowed_fetches":0,"conditional":2,"peak":null,"first_seen":null,"last_seen":null},
                "checks":{"checked":3,"verified":2,"spoofed":1}}}"#,
        );
        store.put_conduct_day(ConductDay { day, since: day.begins_at(), counts }).await.unwrap();
    }
    for name in ["a.lab", "b.lab"] {
        let accuracy = signed_accuracy(dir, name);
        assert_eq!(store.put_accuracy(accuracy, Vec::new()).await, Ok(true));
        let scan = signed_mcp_scan(dir, name);
        store.put_mcp_scan(scan.clone(), McpScanExtras::default()).await.unwrap();
        let lock = IssuedMcpLock {
            lock_sha256: Digest::of(format!("lock of {name}").as_bytes()),
            url: scan.url,
            domain: scan.domain,
            surface_sha256: scan.surface_sha256.unwrap(),
            scan_sha256: Some(scan.scan_sha256),
            issued_at: at,
        };
        store.put_mcp_lock(lock).await.unwrap();
    }
    // A head under our key that is not in our chain, as it could come from a copy: one of our own.
    let head = store.batch(3).await.unwrap().unwrap();
    let sighting = ContradictingHead {
        sth_sha256: head.sth_sha256,
        batch: head.batch,
        seen_at: at,
        sth: head.sth,
        why: "a test".to_owned(),
    };
    store.put_contradicting_head(sighting).await.unwrap();
}

/// The scan of a server that lists nothing but has instructions, signed with the keys in `dir`.
fn signed_mcp_scan(dir: &Path, name: &str) -> StoredMcpScan {
    let (at, url) = (testing::now(), format!("https://{name}/mcp"));
    let evidence: McpEvidence = serde_json::from_value(json!({
        "v": 1, "url": url, "observer": {"name": "x", "version": "1", "vantage": "here"},
        "started_at": at, "finished_at": at, "budget_ms": 9, "took_ms": 1, "state": "observed",
        "why": null,
        "transport": {"form": "streamable_http", "era": "modern", "protocol_version": null,
            "supported_versions": [], "response_form": null, "session_issued": false,
            "session_ended": null, "https": true, "tls": null, "redirect_location": null},
        "server": {"name": null, "version": null, "title": null,
            "instructions": format!("This is {name}."), "capabilities": "{}", "result": "{}"},
        "auth": {"state": "none", "http_status": null, "scheme": null, "scopes": [],
            "resource_metadata": null},
        "lists": [], "requests": [],
        "stability": {"stable_content": null, "stable_order": null, "why": null},
    }))
    .unwrap();
    let surface = surface_of_evidence(&evidence).digests.surface.unwrap();
    let record = json!({
        "kind": "svc-mcp-scan", "v": 1, "url": url, "domain": name, "state": "observed",
        "scanned_at": at.whole_seconds(), "surface": {"surface_sha256": surface},
    });
    let signed = sign_record(dir, &record);
    StoredMcpScan {
        url,
        domain: store::scans::parse_stored_domain(name).unwrap(),
        scan_sha256: signed.digest,
        observed_at: at,
        state: "observed".to_owned(),
        surface_sha256: Some(surface.parse().unwrap()),
        document: signed.bytes.into(),
        lists: serde_json::to_vec(&evidence).unwrap().into(),
    }
}

/// Signs a record with the keys in `dir`.
pub(super) fn sign_record(dir: &Path, record: &Value) -> SignedRecord {
    let at = testing::now();
    let keys = KeyStore::open(&dir.join("keys"), at).unwrap();
    // The keys of the old directory began to sign after the time of these tests.
    let signed_at = at.plus_millis(100 * 24 * 3_600_000).whole_seconds();
    let key = keys.signer(KeyPurpose::Documents, signed_at).unwrap();
    let directory = "https://old.example/.well-known/http-message-signatures-directory";
    proof::sign_record(record, &key, directory, &Brand::default(), signed_at).unwrap()
}

/// Content that no flipped byte explains: every fingerprint is right, and the scan is not.
#[tokio::test(flavor = "multi_thread")]
async fn a_scan_of_an_mcp_server_that_is_not_what_it_says_is_found() {
    type Change = fn(&mut StoredMcpScan);
    let cases: [(&str, Change); 7] = [
        ("", |_| {}),
        ("lists have another digest", |scan| {
            let lists = String::from_utf8(scan.lists.to_vec()).unwrap();
            scan.lists = lists.replace("This is", "That is").into();
        }),
        ("lists cannot be parsed", |scan| scan.lists = Bytes::from_static(b"[]")),
        ("not its own", |scan| scan.url.push('x')),
        ("not its own", |scan| scan.state = "incomplete".to_owned()),
        ("not its own", |scan| scan.scan_sha256 = Digest::of(b"another")),
        ("digest", |scan| {
            let document = String::from_utf8(scan.document.to_vec()).unwrap();
            scan.document = document.replace("observed", "observer").into();
        }),
    ];
    for (expected, change) in cases {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let store = testing::open_store(dir.path());
        let mut scan = signed_mcp_scan(dir.path(), "a.lab");
        change(&mut scan);
        store.put_mcp_scan(scan, McpScanExtras::default()).await.unwrap();
        drop(store);
        let faults = run_fsck(dir.path()).await.unwrap().faults;
        let found = faults.iter().any(|fault| fault.detail.contains(expected));
        assert_eq!(faults.is_empty(), expected.is_empty(), "{expected}: {faults:?}");
        assert!(expected.is_empty() || found, "{expected}: {faults:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_surface_that_its_scan_did_not_see_is_found() {
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let store = testing::open_store(dir.path());
    let scan = signed_mcp_scan(dir.path(), "a.lab");
    store.put_mcp_scan(scan.clone(), McpScanExtras::default()).await.unwrap();
    let at = scan.observed_at;
    let other = McpSurface { surface_sha256: Digest::of(b"other"), first_seen: at, last_seen: at };
    store.import_mcp_surfaces(scan.url, vec![other]).await.unwrap();
    drop(store);
    let faults = run_fsck(dir.path()).await.unwrap().faults;
    assert!(matches!(&faults[..], [fault] if fault.part == StorePart::McpSurfaces), "{faults:?}");
}

/// The columns that the README of the engine lists as not checked: table and column, or all.
fn listed_columns() -> BTreeSet<(String, Option<String>)> {
    let section = README.split("## What `wayleave fsck` cannot find").nth(1).unwrap();
    let section = section.split("Nor can it find").next().unwrap();
    let names = |cell: &str| -> Vec<String> {
        cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let mut listed = BTreeSet::new();
    for line in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split('|').collect();
        for table in names(cells[1]) {
            if cells[2].trim() == "all" {
                listed.insert((table.clone(), None));
            }
            listed.extend(names(cells[2]).into_iter().map(|column| (table.clone(), Some(column))));
        }
    }
    listed
}

fn tables_and_columns(db: &rusqlite::Connection) -> Vec<(String, Vec<String>)> {
    let texts = |sql: &str| -> Vec<String> {
        let mut statement = db.prepare(sql).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let tables = texts(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1",
    );
    let columns = |table: &str| texts(&format!("SELECT name FROM pragma_table_info('{table}')"));
    tables.into_iter().map(|table| (table.clone(), columns(&table))).collect()
}

/// Flips a bit of the n-th value of a column that is not null. `None` if there is no such value, or
/// the table refuses the change.
fn flip(database: &Path, table: &str, column: &str, n: usize) -> Option<String> {
    let db = rusqlite::Connection::open(database).unwrap();
    // A failing disk knows neither foreign keys nor triggers.
    let drop_triggers = "PRAGMA foreign_keys = OFF; DROP TRIGGER IF EXISTS audit_is_not_changed;";
    db.execute_batch(drop_triggers).unwrap();
    let mut statement = db
        .prepare(&format!(
            "SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY 1"
        ))
        .unwrap();
    let values: Vec<Sql> =
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let value = values.get(n * values.len().saturating_sub(1))?.clone();
    let flip_byte = |bytes: &mut Vec<u8>, bit: u8| -> Option<()> {
        let at = (bytes.len() * (1 + n)) / 3;
        *bytes.get_mut(at)? ^= bit;
        Some(())
    };
    let changed = match value.clone() {
        Sql::Integer(number) => Sql::Integer(number ^ (1 << (n * 6))),
        Sql::Blob(mut bytes) => {
            flip_byte(&mut bytes, 0x10)?;
            Sql::Blob(bytes)
        }
        Sql::Text(text) => {
            let mut bytes = text.into_bytes();
            flip_byte(&mut bytes, 1)?;
            Sql::Text(String::from_utf8(bytes).ok()?)
        }
        other => panic!("{other:?}"),
    };
    let sql = format!(
        "UPDATE {table} SET {column} = ?1 WHERE {column} IS ?2 AND {column} IN
         (SELECT {column} FROM {table} WHERE {column} IS ?2 LIMIT 1)"
    );
    let changed_rows = db.execute(&sql, rusqlite::params![changed, value]).ok()?;
    assert!(changed_rows > 0);
    Some(format!("{table}.{column}: {value:.40?} became {changed:.40?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flipped_byte_of_any_column_is_found_or_listed() {
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let unpacked = Command::new("tar").args(["-xzf", ARCHIVE, "-C"]).arg(dir.path()).status();
    assert!(unpacked.unwrap().success());
    fill_empty_tables(dir.path()).await;
    let sound = run_fsck(dir.path()).await.unwrap();
    assert_eq!(sound.faults, []);
    let database = dir.path().join("wayleave.db");
    let db = rusqlite::Connection::open(&database).unwrap();
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    let schema = tables_and_columns(&db);
    drop(db);
    let good = std::fs::read(&database).unwrap();
    let listed = listed_columns();
    let (mut flips, mut empty, mut missed) = (0, Vec::new(), Vec::new());
    let mut unknown: BTreeSet<(String, Option<String>)> = listed.clone();
    for (table, columns) in schema {
        unknown.remove(&(table.clone(), None));
        for column in columns {
            unknown.remove(&(table.clone(), Some(column.clone())));
            let is_listed = listed.contains(&(table.clone(), None))
                || listed.contains(&(table.clone(), Some(column.clone())));
            if is_listed {
                continue;
            }
            let mut flipped = false;
            for n in 0..2 {
                for side in ["wayleave.db-wal", "wayleave.db-shm"] {
                    let _ = std::fs::remove_file(dir.path().join(side));
                }
                std::fs::write(&database, &good).unwrap();
                let Some(what) = flip(&database, &table, &column, n) else { continue };
                (flips, flipped) = (flips + 1, true);
                // A store that is not opened has been found out as well.
                if run_fsck(dir.path()).await.is_ok_and(|report| report.is_sound()) {
                    missed.push(what);
                }
            }
            if !flipped {
                empty.push(format!("{table}.{column}"));
            }
        }
    }
    assert_eq!(missed, Vec::<String>::new(), "{} of {flips} were not found", missed.len());
    assert_eq!(unknown, BTreeSet::new(), "listed, but there is no such column");
    // `a_thousand_flipped_bits_are_a_thousand_faults` flips these; they have no content here.
    empty.retain(|name| !name.starts_with("log_tiles.") && !name.starts_with("log_cosignatures."));
    eprintln!("{flips} flips found");
    assert_eq!(empty, UNFLIPPED, "they have no content, or the table refuses the flipped value");
}
