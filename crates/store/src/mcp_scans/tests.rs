use super::*;
use crate::MAX_VALUE_BYTES;
use crate::scans::parse_stored_domain;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms)
}

fn scan() -> StoredMcpScan {
    StoredMcpScan {
        url: "https://a.lab/mcp".into(),
        domain: parse_stored_domain("a.lab").unwrap(),
        scan_sha256: Digest::of(b"scan"),
        observed_at: at(1),
        state: "observed".into(),
        surface_sha256: Some(Digest::of(b"surface")),
        document: Bytes::from_static(b"document"),
        lists: Bytes::from_static(b"lists"),
    }
}

type Change = fn(&mut StoredMcpScan);

fn fingerprint(scan: &StoredMcpScan, position: u64) -> Digest {
    scan.summary().fingerprint(&scan.domain, position, &scan.content_digest())
}

#[test]
fn every_field_of_a_scan_moves_the_fingerprint() {
    let changes: [Change; 10] = [
        |s| s.url = "https://a.lab/mcq".into(),
        |s| s.domain = parse_stored_domain("b.lab").unwrap(),
        |s| s.scan_sha256 = Digest::of(b"another"),
        |s| s.observed_at = at(2),
        |s| s.state = "incomplete".into(),
        |s| s.surface_sha256 = None,
        |s| s.surface_sha256 = Some(Digest::of(b"another")),
        |s| s.document = Bytes::from_static(b"documen"),
        |s| s.lists = Bytes::new(),
        |s| (s.document, s.lists) = (Bytes::from_static(b"documentl"), Bytes::from_static(b"ists")),
    ];
    let mut seen = vec![fingerprint(&scan(), 7), fingerprint(&scan(), 8)];
    assert_ne!(seen[0], seen[1]);
    for change in changes {
        let mut after = scan();
        change(&mut after);
        assert!(!seen.contains(&fingerprint(&after, 7)), "{after:?}");
        seen.push(fingerprint(&after, 7));
    }
    assert_eq!(fingerprint(&scan(), 7), seen[0]);
}

#[test]
fn every_field_of_a_surface_moves_the_fingerprint() {
    let before =
        McpSurface { surface_sha256: Digest::of(b"a"), first_seen: at(1), last_seen: at(2) };
    let expected = before.fingerprint("u", 3);
    assert_ne!(before.fingerprint("v", 3), expected);
    assert_ne!(before.fingerprint("u", 4), expected);
    let changes: [fn(&mut McpSurface); 3] = [
        |s| s.surface_sha256 = Digest::of(b"b"),
        |s| s.first_seen = at(2),
        |s| s.last_seen = at(3),
    ];
    for change in changes {
        let mut after = before;
        change(&mut after);
        assert_ne!(after.fingerprint("u", 3), expected, "{after:?}");
    }
}

#[test]
fn every_field_of_a_lock_moves_the_fingerprint() {
    let before = IssuedMcpLock {
        lock_sha256: Digest::of(b"lock"),
        url: "https://a.lab/mcp".into(),
        domain: parse_stored_domain("a.lab").unwrap(),
        surface_sha256: Digest::of(b"surface"),
        scan_sha256: Some(Digest::of(b"scan")),
        issued_at: at(1),
    };
    let expected = before.fingerprint(3);
    assert_ne!(before.fingerprint(4), expected);
    let changes: [fn(&mut IssuedMcpLock); 6] = [
        |l| l.lock_sha256 = Digest::of(b"another"),
        |l| l.url = "https://a.lab/mcq".into(),
        |l| l.domain = parse_stored_domain("b.lab").unwrap(),
        |l| l.surface_sha256 = Digest::of(b"another"),
        |l| l.scan_sha256 = None,
        |l| l.issued_at = at(2),
    ];
    for change in changes {
        let mut after = before.clone();
        change(&mut after);
        assert_ne!(after.fingerprint(3), expected, "{after:?}");
    }
}

#[test]
fn a_clock_that_was_set_back_does_not_end_a_surface_before_it_began() {
    let surface =
        McpSurface { surface_sha256: Digest::of(b"a"), first_seen: at(5), last_seen: at(5) };
    assert_eq!(surface.seen_again(at(3)), surface);
    assert_eq!(surface.seen_again(at(9)).last_seen, at(9));
}

#[test]
fn what_is_too_large_is_refused_by_name() {
    scan().check_size().unwrap();
    let changes: [(Change, &str); 4] = [
        (|s| s.url = "u".repeat(MAX_MCP_URL_BYTES + 1), "URL of an MCP server"),
        (|s| s.state = "s".repeat(MAX_STATE_BYTES + 1), "state of an MCP server"),
        (|s| s.document = Bytes::from(vec![0; MAX_VALUE_BYTES + 1]), "scan of an MCP server"),
        (|s| s.lists = Bytes::from(vec![0; MAX_VALUE_BYTES + 1]), MCP_LISTS),
    ];
    for (change, expected) in changes {
        let mut large = scan();
        change(&mut large);
        match large.check_size() {
            Err(StoreError::TooLarge { what, .. }) => assert_eq!(what, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
    let surface =
        McpSurface { surface_sha256: Digest::of(b"a"), first_seen: at(5), last_seen: at(5) };
    let many = vec![surface; MCP_SURFACES_PER_URL + 1];
    assert!(check_imported_surfaces("u", &many).is_err());
    check_imported_surfaces("u", &many[1..]).unwrap();
}
