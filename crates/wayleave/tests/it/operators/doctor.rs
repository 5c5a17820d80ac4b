//! `wayleave doctor` on the certificate of the server.

use std::os::unix::fs::PermissionsExt;

use contract::Clock;
use door::SystemClock;

use super::*;

/// Year, month and day, so many days from now.
fn days_from_now(days: i64) -> (i32, u8, u8) {
    let then = contract::Timestamp::from_millis(SystemClock.now().as_millis() + days * 86_400_000);
    let text = then.to_string();
    let number = |range: std::ops::Range<usize>| text[range].parse::<i32>().unwrap();
    (number(0..4), number(5..7) as u8, number(8..10) as u8)
}

#[test]
fn doctor_checks_the_certificate_and_asks_a_server_that_speaks_tls() {
    let (authority, place) = (Authority::new(), Installation::new());
    place.configure(&place.tls_lines(), "");
    let doctor = |more: &[&str]| {
        let mut command = wayleave();
        command.args(["doctor", "--config"]).arg(place.file("wayleave.toml")).args(more);
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let line = |name: &str| {
        let (_, text) = doctor(&[]);
        let line = text.lines().find(|line| line.contains(&format!(" {name}: ")));
        line.unwrap_or_else(|| panic!("{name}: {text}")).to_owned()
    };
    let says = |name: &str, state: &str, part: &str| {
        let line = line(name);
        assert!(line.starts_with(state) && line.contains(part), "{state} {part}: {line}");
    };
    says("server.tls_cert", "FAILED", "cannot be read");
    for (pair, state, part) in [
        (authority.pair(), "ok", "for wayleave.test, until 2100-01-01T00:00:00Z"),
        (authority.pair_for(&[HOST], days_from_now(10)), "warning", "ends in 9 days"),
        (authority.pair_until(2020), "FAILED", "expired at 2020-01-01T00:00:00Z"),
        (
            authority.pair_for(&["a.test"], (2100, 1, 1)),
            "FAILED",
            "server.base_url is https://wayleave",
        ),
        (Pair { key: authority.pair().key, ..authority.pair() }, "FAILED", "does not belong"),
        (
            authority.pair_for(&[HOST, "10.0.0.1"], (2100, 1, 1)),
            "ok",
            "for wayleave.test, 10.0.0.1",
        ),
    ] {
        place.write_pair(&pair);
        says("server.tls_cert", state, part);
    }
    says("server.tls_key", "ok", "fits the certificate");
    fs::set_permissions(place.file("key.pem"), fs::Permissions::from_mode(0o644)).unwrap();
    says("server.tls_key", "warning", "chmod o=");
    // Behind a proxy that has the name, another certificate may be right.
    let lines = format!("{}trusted_proxies = [\"192.0.2.1/32\"]", place.tls_lines());
    place.configure(&lines, "");
    place.write_pair(&authority.pair_for(&["a.test"], (2100, 1, 1)));
    says("server.tls_cert", "warning", "a proxy in front");

    let server = place.start();
    let listen = ["--server-listen", &server.address.to_string()];
    let (code, ready) = doctor(&[&["--ready"], listen.as_slice()].concat());
    assert!(code == Some(0) && ready.contains("https://127.0.0.1"), "{ready}");
    let (_, whole) = doctor(&listen);
    assert!(whole.contains("ok      build: "), "{whole}");
    drop(server);
    let (code, ready) = doctor(&[&["--ready"], listen.as_slice()].concat());
    assert!(code == Some(1) && ready.contains("is the server running?"), "{ready}");
}
