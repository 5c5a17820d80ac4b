//! The bounds of all tables together, with small limits.

use bytes::Bytes;
use contract::Timestamp;
use rusqlite::Connection;

use super::room::{ScanLimits, superseded};
use super::surfaces::SurfaceLimits;
use super::*;

const SCANS: ScanLimits = ScanLimits { per_url: 4, scans: 6, bytes: u64::MAX };
const SURFACES: SurfaceLimits = SurfaceLimits { per_url: 3, total: 10 };

fn database() -> Connection {
    let mut connection = Connection::open_in_memory().unwrap();
    crate::migrate::migrate(&mut connection, "memory").unwrap();
    connection
}

fn at(number: u64) -> Timestamp {
    Timestamp::from_millis(i64::try_from(number).unwrap())
}

fn scan(server: &str, number: u64, surface: Option<&str>) -> StoredMcpScan {
    StoredMcpScan {
        url: format!("https://{server}.lab/mcp"),
        domain: store::scans::parse_stored_domain(&format!("{server}.lab")).unwrap(),
        scan_sha256: Digest::of(format!("{server} {number}").as_bytes()),
        observed_at: at(number),
        state: String::from("observed"),
        surface_sha256: surface.map(|name| Digest::of(name.as_bytes())),
        document: Bytes::from(format!("document {number}")),
        lists: Bytes::new(),
    }
}

fn put(connection: &Connection, scan: StoredMcpScan, limits: &ScanLimits) {
    let packed = PackedScan::new(scan, McpScanExtras::default()).unwrap();
    packed.put_within(connection, limits, &SURFACES).unwrap();
}

fn is_stored(connection: &Connection, scan: &StoredMcpScan) -> bool {
    let sha256 = scan.scan_sha256.as_bytes();
    read::find_scan(connection, read::BY_DIGEST, params![sha256]).unwrap().is_some()
}

fn rows(connection: &Connection, table: &str) -> u64 {
    let sql = format!("SELECT count(*) FROM {table}");
    let count: i64 = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
    count.unsigned_abs()
}

#[test]
fn the_newest_scans_of_a_url_are_kept_and_the_newest_complete_one_among_them() {
    // Every sequence of complete and incomplete scans, newest first.
    for length in 0..=8_u32 {
        for bits in 0..1_u32 << length {
            let scans: Vec<(i64, bool)> =
                (0..length).map(|n| (i64::from(100 - n), bits >> n & 1 == 1)).collect();
            let removed = superseded(&scans, 4);
            let kept: Vec<&(i64, bool)> =
                scans.iter().filter(|(position, _)| !removed.contains(position)).collect();
            assert_eq!(kept.len(), scans.len().min(4), "{scans:?}");
            assert_eq!(kept.first().copied(), scans.first());
            let complete = |scan: &&(i64, bool)| scan.1;
            assert_eq!(kept.iter().copied().find(complete), scans.iter().find(complete));
            assert_eq!(
                kept.iter().take(3).copied().collect::<Vec<_>>(),
                scans.iter().take(3).collect::<Vec<_>>()
            );
        }
    }
}

#[test]
fn the_oldest_scans_of_other_urls_make_room_for_a_new_one() {
    let connection = database();
    let old = [scan("a", 1, Some("x")), scan("b", 2, None), scan("a", 3, Some("x"))];
    let others: Vec<StoredMcpScan> = (4..8).map(|n| scan(&format!("c{n}"), n, None)).collect();
    for scan in old.iter().chain(&others) {
        put(&connection, scan.clone(), &SCANS);
    }
    assert_eq!(rows(&connection, "mcp_scans"), 6);
    assert_eq!(old.each_ref().map(|scan| is_stored(&connection, scan)), [false, true, true]);
    // The oldest one of all is of the URL that is written, and stays.
    let newest = scan("b", 9, None);
    put(&connection, newest.clone(), &SCANS);
    assert_eq!(rows(&connection, "mcp_scans"), 6);
    assert_eq!(old.each_ref().map(|scan| is_stored(&connection, scan)), [false, true, false]);
    assert!(is_stored(&connection, &newest));
    // The surfaces of a server whose scans are gone stay: they are few bytes.
    assert_eq!(surfaces::find_surfaces(&connection, "https://a.lab/mcp", 9).unwrap().len(), 1);
}

#[test]
fn bytes_are_bounded_as_they_are_stored() {
    let connection = database();
    // Digests hardly compress.
    let large = |server: &str, number: u64| {
        let digests = (0..32).map(|n| Digest::of(format!("{number} {n}").as_bytes()));
        let document: Vec<u8> = digests.flat_map(|digest| *digest.as_bytes()).collect();
        StoredMcpScan { document: Bytes::from(document), ..scan(server, number, None) }
    };
    let limits = ScanLimits { bytes: 3_500, ..SCANS };
    let all: Vec<StoredMcpScan> = (0..6_u64).map(|n| large(&format!("s{n}"), n)).collect();
    for scan in &all {
        put(&connection, scan.clone(), &limits);
        let sql = "SELECT sum(length(document) + length(lists)) FROM mcp_scans";
        let stored: i64 = connection.query_row(sql, [], |row| row.get(0)).unwrap();
        assert!(stored <= 3_500, "{stored}");
    }
    let kept: Vec<bool> = all.iter().map(|scan| is_stored(&connection, scan)).collect();
    assert_eq!(kept, [false, false, false, true, true, true]);
}

#[test]
fn a_damaged_number_of_bytes_neither_fails_writes_nor_empties_the_table() {
    let connection = database();
    let limits = ScanLimits { per_url: 4, ..ScanLimits::DEFAULT };
    for number in 0..5 {
        put(&connection, scan(&format!("s{number}"), number, None), &limits);
    }
    let sql = "UPDATE mcp_scans SET stored_bytes = ?1 WHERE position IN (2, 3)";
    for damaged in [i64::MAX, i64::MIN, -1, 1 << 62] {
        connection.execute(sql, [damaged]).unwrap();
        let number = damaged.unsigned_abs();
        put(&connection, scan("s9", number % 1_000, None), &limits);
    }
    assert_eq!(rows(&connection, "mcp_scans"), 9);
}

#[test]
fn a_surface_that_is_still_seen_stays_while_others_come_and_go() {
    let connection = database();
    for number in 1..200 {
        put(&connection, scan("stable", number, Some("same")), &SCANS);
        put(&connection, scan(&format!("s{number}"), number, Some("other")), &SCANS);
        assert!(rows(&connection, "mcp_surfaces") <= SURFACES.total);
    }
    let expected =
        McpSurface { surface_sha256: Digest::of(b"same"), first_seen: at(1), last_seen: at(199) };
    let stable = surfaces::find_surfaces(&connection, "https://stable.lab/mcp", 9).unwrap();
    assert_eq!(stable, [expected]);
    let newest = surfaces::find_surfaces(&connection, "https://s199.lab/mcp", 9).unwrap();
    assert_eq!(newest.len(), 1);
    assert_eq!(surfaces::find_surfaces(&connection, "https://s1.lab/mcp", 9).unwrap(), []);
}

#[test]
fn servers_that_do_not_change_push_nothing_out() {
    let connection = database();
    put(&connection, scan("first", 1, Some("before")), &SCANS);
    put(&connection, scan("first", 2, Some("after")), &SCANS);
    for number in 3..300 {
        put(&connection, scan(&format!("s{}", number % 4), number, Some("same")), &SCANS);
    }
    let first = surfaces::find_surfaces(&connection, "https://first.lab/mcp", 9).unwrap();
    assert_eq!(first.len(), 2, "{first:?}");
    assert_eq!(rows(&connection, "mcp_surfaces"), 6);
}

#[test]
fn a_server_that_changes_all_the_time_keeps_its_newest_surfaces() {
    let connection = database();
    for number in 0..50 {
        put(&connection, scan("a", number, Some(&number.to_string())), &SCANS);
    }
    let found = surfaces::find_surfaces(&connection, "https://a.lab/mcp", usize::MAX).unwrap();
    let names = [49, 48, 47].map(|number: u64| Digest::of(number.to_string().as_bytes()));
    assert_eq!(found.iter().map(|surface| surface.surface_sha256).collect::<Vec<_>>(), names);
}

#[test]
fn a_damaged_current_surface_is_replaced() {
    let connection = database();
    put(&connection, scan("a", 1, Some("x")), &SCANS);
    put(&connection, scan("a", 2, Some("y")), &SCANS);
    connection.execute("UPDATE mcp_surfaces SET first_seen = 7 WHERE position = 2", []).unwrap();
    assert!(surfaces::find_surfaces(&connection, "https://a.lab/mcp", 9).is_err());
    put(&connection, scan("a", 3, Some("y")), &SCANS);
    let found = surfaces::find_surfaces(&connection, "https://a.lab/mcp", 9).unwrap();
    let times: Vec<_> =
        found.iter().map(|surface| (surface.first_seen, surface.last_seen)).collect();
    assert_eq!(times, [(at(3), at(3)), (at(1), at(1))]);
}

#[test]
fn the_oldest_locks_make_room() {
    let connection = database();
    let lock = |number: u64| IssuedMcpLock {
        lock_sha256: Digest::of(&number.to_be_bytes()),
        url: String::from("https://a.lab/mcp"),
        domain: store::scans::parse_stored_domain("a.lab").unwrap(),
        surface_sha256: Digest::of(b"x"),
        scan_sha256: None,
        issued_at: at(number),
    };
    for number in 0..20 {
        locks::put_lock(&connection, &lock(number), 3).unwrap();
        // The same one again takes no room.
        locks::put_lock(&connection, &lock(number), 3).unwrap();
        assert_eq!(rows(&connection, "mcp_locks"), 3.min(number + 1));
    }
    let found = |number| locks::find_lock(&connection, &lock(number).lock_sha256).unwrap();
    assert_eq!([16, 17, 18, 19].map(|n| found(n).is_some()), [false, true, true, true]);
    // A position that is damaged does not empty the table.
    connection.execute("UPDATE mcp_locks SET position = 1000000 WHERE position = 20", []).unwrap();
    locks::put_lock(&connection, &lock(20), 3).unwrap();
    assert_eq!(rows(&connection, "mcp_locks"), 3);
}
