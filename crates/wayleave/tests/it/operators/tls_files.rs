//! Certificates from files, which change while the server runs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::*;

/// Waits until new connections get this certificate.
#[track_caller]
fn wait_for_certificate(authority: &Authority, server: &Server, pair: &Pair) {
    let until = Instant::now() + Duration::from_secs(25);
    while authority.get(server.address, "/healthz").unwrap().1 != pair.der() {
        assert!(Instant::now() < until, "the new certificate is not taken");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn new_files_are_taken_and_bad_ones_are_not() {
    let (authority, place) = (Authority::new(), Installation::new());
    let first = authority.pair();
    place.write_pair(&first);
    place.configure(&place.tls_lines(), "");
    let server = place.start();
    let get = |path: &str| authority.get(server.address, path).unwrap();
    let (reply, presented) = get("/healthz");
    assert_eq!((reply.status, presented), (200, first.der()));
    assert_eq!(reply.header("strict-transport-security"), Some("max-age=31536000"));
    let name = "wayleave_tls_certificate_seconds_left ";
    let left = || {
        let text = get("/metrics").0.text();
        let value = text.lines().find_map(|line| line.strip_prefix(name))?.parse::<f64>();
        value.ok()
    };
    // Set by the first look at the files, which may come a moment after the start.
    let until = Instant::now() + Duration::from_secs(10);
    while left().is_none_or(|seconds| seconds < 2_000_000_000.0) {
        assert!(Instant::now() < until, "{:?}", left());
        std::thread::sleep(Duration::from_millis(100));
    }
    // Over plain HTTP.
    let reply = server.get("/healthz");
    assert_eq!(reply.status, 400, "{}", reply.text());
    assert!(reply.text().contains("https://"), "{}", reply.text());

    // A key that does not fit, an expired certificate, no file, no PEM: each is named, the first stays.
    let (second, expired) = (authority.pair(), authority.pair_until(2020));
    let refused = "the TLS files were not taken";
    for (number, (certificate, key, why)) in [
        (
            first.certificate.as_str(),
            second.key.as_str(),
            "does not belong to the first certificate",
        ),
        (&expired.certificate, &expired.key, "expired at 2020-01-01T00:00:00Z"),
        ("", &first.key, "contains no certificate"),
        (&first.certificate, "-----BEGIN PRIVATE KEY-----\nAAAA", "key file is not valid PEM"),
    ]
    .into_iter()
    .enumerate()
    {
        place.write_secret("key.pem", key);
        fs::write(place.file("cert.pem"), certificate).unwrap();
        send_hangup(&server);
        place.wait_for_lines(refused, number + 1);
        place.wait_for_lines(why, 1);
        assert_eq!(get("/healthz").1, first.der(), "{why}");
    }
    fs::remove_file(place.file("key.pem")).unwrap();
    send_hangup(&server);
    place.wait_for_lines("key.pem cannot be read", 1);
    assert_eq!(get("/healthz").1, first.der());

    // Without a signal. Whoever can read the key is noticed.
    place.write_pair(&second);
    fs::set_permissions(place.file("key.pem"), fs::Permissions::from_mode(0o644)).unwrap();
    wait_for_certificate(&authority, &server, &second);
    place.wait_for_lines("every user of this machine can access the private key", 1);
    // Other files, by the configuration.
    let third = authority.pair();
    place.write_secret("other-key.pem", &third.key);
    fs::write(place.file("other-cert.pem"), &third.certificate).unwrap();
    let lines = place.tls_lines().replace("cert.pem", "other-cert.pem");
    place.configure(&lines.replace("key.pem", "other-key.pem"), "");
    send_hangup(&server);
    wait_for_certificate(&authority, &server, &third);
    place.wait_for_lines("server.tls_cert, server.tls_key", 1);
    // TLS itself is not switched off while clients use it.
    place.configure("", "");
    send_hangup(&server);
    place.wait_for_lines("needs a restart", 1);
    assert_eq!(get("/healthz").1, third.der());

    let log = place.log();
    for pair in [&first, &second, &third, &expired] {
        for line in pair.key.lines().filter(|line| line.len() > 20) {
            assert!(!log.contains(line), "the key is in the log");
        }
    }
}

#[test]
fn replacing_files_under_load_loses_no_request() {
    let (authority, place) = (Authority::new(), Installation::new());
    place.write_pair(&authority.pair());
    place.configure(&place.tls_lines(), "[limits]\nenabled = false");
    let server = place.start();
    let (done, answered) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let (reply, _) = authority.get(server.address, "/api/v1/log").unwrap();
                    assert_eq!(reply.status, 200);
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for _ in 0..8 {
            let pair = authority.pair();
            // First one file, then the other: between them the pair does not fit.
            place.write_pair(&pair);
            send_hangup(&server);
            wait_for_certificate(&authority, &server, &pair);
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(answered.load(Ordering::Relaxed) > 20);
    let metrics = authority.get(server.address, "/metrics").unwrap().0.text();
    let failed = "http_tls_handshakes_total{result=\"failed\"}";
    assert!(!metrics.contains(failed), "{metrics}");
}

#[test]
fn a_server_does_not_start_without_a_usable_pair() {
    let (authority, place) = (Authority::new(), Installation::new());
    let (one, other) = (authority.pair(), authority.pair());
    let start = |expected: &str| {
        let output = place.command().output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", place.log());
        assert!(output.stdout.is_empty() && place.log().contains(expected), "{}", place.log());
        assert!(!place.file("data").exists(), "nothing was created");
    };
    place.configure("tls_cert = \"cert.pem\"", "");
    start("server.tls_cert is set and server.tls_key is not");
    place.configure(&place.tls_lines(), "");
    start("cert.pem cannot be read");
    place.write_pair(&Pair { key: other.key, ..one });
    start("does not belong to the first certificate");
}

/// An expired certificate is served: clients say what is wrong, and the files may be replaced.
#[test]
fn an_expired_certificate_is_served_and_said_to_be_expired() {
    let (authority, place) = (Authority::new(), Installation::new());
    place.write_pair(&authority.pair_until(2020));
    place.configure(&place.tls_lines(), "");
    let server = place.start();
    let refused = authority.get(server.address, "/healthz").unwrap_err();
    assert!(refused.contains("expired"), "{refused}");
    place.wait_for_lines("THE TLS CERTIFICATE HAS EXPIRED", 1);
    let good = authority.pair();
    place.write_pair(&good);
    send_hangup(&server);
    place.wait_for_lines("new connections get the new TLS certificate", 1);
    assert_eq!(authority.get(server.address, "/healthz").unwrap().1, good.der());
}
