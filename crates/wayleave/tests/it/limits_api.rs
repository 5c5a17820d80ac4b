//! The limits of free scans, through the API.

use std::time::Duration;

use serde_json::json;

use crate::licence_api::{DataDir, licence};
use crate::server::{HttpReply, Server};
use crate::utc_day::{seconds_until_midnight, wait_if_day_ends_within};

/// Trusts the forwarded header of 127.0.0.1, so that a test can use many client addresses.
const PROXY: [&str; 2] = ["--server-trusted-proxies", "127.0.0.1/32"];
/// High rates, so that only the daily limits matter.
const NO_RATES: [&str; 4] = ["--limits-scan-per-10s", "10000", "--limits-scan-per-minute", "10000"];

fn ask(server: &Server, address: &str, domain: &str) -> HttpReply {
    let from = format!("x-forwarded-for: {address}\r\n");
    server.post_with("/api/scan", &from, &json!({ "domain": domain }).to_string())
}

#[track_caller]
fn refused(answer: &HttpReply, status: u16, code: &str) -> u64 {
    assert_eq!((answer.status, answer.error_code().as_str()), (status, code), "{}", answer.text());
    let wait = answer.header("retry-after").expect("Retry-After").parse().unwrap();
    assert_eq!(answer.json()["retry_after_s"], wait);
    wait
}

#[test]
fn five_in_ten_seconds_of_one_address() {
    let server = Server::start_demo_with_limits(&PROXY);
    // Names that do not exist: each is a scan that ends at once.
    let scans = |address: &str, range: std::ops::RangeInclusive<u8>| {
        for number in range {
            let answer = ask(&server, address, &format!("no-such-{number}.lab"));
            assert_eq!(answer.status, 200, "{address}: {}", answer.text());
        }
    };
    // What is refused as malformed, or answered with an earlier report, does not count.
    for _ in 0..8 {
        assert_eq!(ask(&server, "203.0.113.1", "localhost").status, 400);
        let from = "x-forwarded-for: 203.0.113.1\r\n";
        assert_eq!(server.post_with("/api/scan", from, "{").status, 400);
    }
    assert_eq!(ask(&server, "203.0.113.9", "open.lab").status, 200);
    for _ in 0..8 {
        let answer = ask(&server, "203.0.113.1", "open.lab");
        assert_eq!(answer.json()["cached"], true, "{}", answer.text());
        let quota = answer.header("ratelimit").unwrap();
        assert!(quota.contains("\"scan-10s\";r=5"), "{quota}");
    }
    scans("203.0.113.1", 1..=5);
    let answer = ask(&server, "203.0.113.1", "no-such-6.lab");
    let wait = refused(&answer, 429, "rate_limited");
    assert!((1..=10).contains(&wait), "{wait}");
    assert!(answer.text().contains(&format!("Try again in {wait} s.")), "{}", answer.text());
    scans("203.0.113.2", 7..=7);
    // An IPv6 /64 network counts as one client.
    for number in 1..=5 {
        scans(&format!("2001:db8:0:7::{number}"), 10 + number..=10 + number);
    }
    refused(&ask(&server, "2001:db8:0:7:ffff::1", "no-such-20.lab"), 429, "rate_limited");
    scans("2001:db8:0:8::1", 21..=21);
    // The rate is checked before the body.
    let from = "x-forwarded-for: 203.0.113.1\r\n";
    refused(&server.post_with("/api/scan", from, "{"), 429, "rate_limited");
}

#[test]
fn six_in_a_minute_of_one_address() {
    let server = Server::start_demo_with_limits(&["--limits-scan-per-10s", "1000"]);
    let scan = |number: u8| {
        server.post_scan(format!("{{\"domain\":\"no-such-{number}.lab\"}}").as_bytes())
    };
    for number in 0..6 {
        assert_eq!(scan(number).status, 200);
    }
    let wait = refused(&scan(6), 429, "rate_limited");
    assert!((1..=60).contains(&wait), "{wait}");
}

#[test]
fn a_licence_lifts_the_rates_of_reads_decisions_and_scans() {
    let data = DataDir::new();
    let rates = [
        "--limits-read-per-minute",
        "2",
        "--limits-decide-per-minute",
        "2",
        "--limits-live-per-minute",
        "1",
        "--limits-scan-per-minute",
        "1",
    ];
    let server = Server::start_demo_with_limits(&[&rates[..], &data.flags()].concat());
    // A plan that has the limits per licence once.
    let terms = ["--domain", "open.lab", "--plan", "free"];
    let key = format!("x-svc-key: {}\r\n", licence(&data, &terms));
    let key_for_all = format!("x-svc-key: {}\r\n", licence(&data, &["--all-domains"]));
    let wrong = format!("x-svc-key: wl_{}\r\n", "a".repeat(43));
    let resolve = |number: u8, with: &str| {
        server.get_with(&format!("/api/v1/resolve?domain=no-such-{number}.lab"), with)
    };
    // With the key: more than the address has, also of live readings.
    for number in 0..4 {
        let answer = resolve(number, &key);
        assert_eq!(answer.status, 200, "{}", answer.text());
        let policy = answer.header("ratelimit-policy").unwrap();
        assert!(
            policy.contains("\"keyed-decide\";q=3000") && policy.contains("keyed-live"),
            "{policy}"
        );
    }
    for _ in 0..4 {
        assert_eq!(server.get_with("/api/v1/observers-of-nothing", &key).status, 404);
        assert_eq!(server.get_with("/api/v1/rights?domain=open.lab", &key).status, 200);
    }
    for number in 0..3 {
        let body = format!("{{\"domain\":\"no-such-{number}.lab\"}}");
        let answer = server.post_with("/api/scan", &key_for_all, &body);
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    // The licence is for open.lab. Scans of other domains count by the address.
    let other = |number: u8| format!("{{\"domain\":\"no-such-{number}.lab\"}}");
    assert_eq!(server.post_with("/api/scan", &key, &other(4)).status, 200);
    refused(&server.post_with("/api/scan", &key, &other(5)), 429, "rate_limited");
    // A wrong key lifts nothing, and the refusal says so.
    assert_eq!(resolve(0, &wrong).status, 200);
    assert_eq!(resolve(0, &wrong).status, 200);
    let answer = resolve(0, &wrong);
    refused(&answer, 429, "rate_limited");
    assert!(
        answer.text().contains("the licence key of this request is not valid"),
        "{}",
        answer.text()
    );
    let answer = resolve(0, "");
    refused(&answer, 429, "rate_limited");
    assert!(answer.text().contains("too many decisions from this address."), "{}", answer.text());
    assert_eq!(resolve(0, &key).status, 200, "the key still has its own rate");
}

#[test]
fn the_days_scans_of_one_address_are_counted_and_survive_a_kill() {
    wait_if_day_ends_within(Duration::from_secs(120));
    let data = DataDir::new();
    let flags =
        [PROXY.as_slice(), &NO_RATES, &["--limits-scan-per-day", "2"], &data.flags()].concat();
    let mut server = Server::start_demo_with_limits(&flags);
    let (one, two) = ("203.0.113.77", "203.0.113.78");
    assert_eq!(ask(&server, one, "open.lab").json()["cached"], json!(null));
    // Neither of these starts a scan.
    assert_eq!(ask(&server, one, "open.lab").json()["cached"], true);
    assert_eq!(ask(&server, one, "localhost").status, 400);
    assert_eq!(ask(&server, one, "minimal.lab").status, 200);
    let wait = refused(&ask(&server, one, "spa-shell.lab"), 429, "rate_limited");
    let midnight = seconds_until_midnight();
    assert!(midnight.abs_diff(wait) <= 30, "{wait} until midnight, {midnight} by our own clock");
    assert_eq!(
        ask(&server, one, "open.lab").json()["cached"],
        true,
        "costs nothing, so it goes on"
    );
    assert_eq!(ask(&server, two, "no-such-site.lab").status, 200, "somebody else");

    // SIGKILL, so that nothing is flushed.
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let server = Server::start_demo_with_limits(&flags);
    refused(&ask(&server, one, "spa-shell.lab"), 429, "rate_limited");
    assert_eq!(ask(&server, two, "no-such-site.lab").status, 200, "the second of two");
    refused(&ask(&server, two, "no-such-site.lab"), 429, "rate_limited");

    // No client address is stored.
    drop(server);
    for file in ["wayleave.db", "wayleave.db-wal"] {
        let bytes = std::fs::read(data.path().join(file)).unwrap_or_default();
        assert!(!bytes.windows(one.len()).any(|part| part == one.as_bytes()), "{file}");
    }
}

#[test]
fn the_day_has_a_total_that_keys_are_free_of() {
    wait_if_day_ends_within(Duration::from_secs(120));
    let data = DataDir::new();
    let flags =
        [PROXY.as_slice(), &NO_RATES, &["--limits-scans-daily-total", "1"], &data.flags()].concat();
    let server = Server::start_demo_with_limits(&flags);
    assert_eq!(ask(&server, "203.0.113.1", "no-such-site.lab").status, 200);
    refused(&ask(&server, "203.0.113.2", "no-such-site.lab"), 429, "daily_budget");
    let key = licence(&data, &["--all-domains"]);
    let keyed = format!("x-svc-key: {key}\r\n");
    let answer = server.post_with("/api/v1/scan", &keyed, r#"{"domain":"no-such-site.lab"}"#);
    assert_eq!(answer.status, 200, "{}", answer.text());
}

#[test]
fn an_operator_pauses_free_scans_on_a_running_server() {
    let data = DataDir::new();
    let server = Server::start_demo(&data.flags());
    let key = format!("x-svc-key: {}\r\n", licence(&data, &["--domain", "open.lab"]));
    let says = |command: &str| data.command(&["scans", command, "--json"]);
    assert_eq!(says("status")["paused"], false);
    assert_eq!(server.post_scan(br#"{"domain":"minimal.lab"}"#).status, 200);

    assert_eq!(says("pause")["by_switch"], true);
    refused(&server.post_scan(br#"{"domain":"open.lab"}"#), 503, "scans_paused");
    // Stored reports and scans with a key still work.
    assert_eq!(server.scan("minimal.lab")["cached"], true);
    let keyed = server.post_with("/api/v1/scan", &key, r#"{"domain":"open.lab"}"#);
    assert_eq!(keyed.status, 200, "{}", keyed.text());

    assert_eq!(says("resume")["paused"], false);
    assert_eq!(server.post_scan(br#"{"domain":"spa-shell.lab"}"#).status, 200);

    let server = Server::start_demo(&["--limits-scans-paused", "true"]);
    refused(&server.post_scan(br#"{"domain":"open.lab"}"#), 503, "scans_paused");
}

#[test]
fn the_form_of_our_own_page_is_not_counted_by_the_day() {
    let none = ["--limits-scan-per-day", "0"];
    let server = Server::start_demo_with_limits(&[PROXY.as_slice(), &NO_RATES, &none].concat());
    let from = |address: &str| format!("x-forwarded-for: {address}\r\n");
    let page = server.get_with("/", &from("203.0.113.1")).text();
    let token = page.split("name=\"token\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let send = |address: &str, token: &str| {
        let body = format!("domain=no-such-site.lab&token={token}");
        let head = format!(
            "POST /scan HTTP/1.1\r\nhost: x\r\n{}content-length: {}\r\n\
             content-type: application/x-www-form-urlencoded\r\nconnection: close\r\n\r\n",
            from(address),
            body.len()
        );
        server.send(format!("{head}{body}").as_bytes())
    };
    let shown = send("203.0.113.1", token);
    assert_eq!(shown.status, 303, "{}", shown.text());
    let changed = format!("{}A", token.strip_suffix(|_: char| true).unwrap());
    let forged = if changed == token { format!("{changed}B") } else { changed };
    for (address, token) in
        [("203.0.113.2", token), ("203.0.113.1", forged.as_str()), ("203.0.113.1", "")]
    {
        let refused = send(address, token);
        assert_eq!(refused.status, 403, "{address} {token}");
        assert!(refused.text().contains("role=\"alert\""), "the form comes back");
    }
    // One form is good for five scans; the page that refuses the sixth has a new form.
    for _ in 1..5 {
        assert_eq!(send("203.0.113.1", token).status, 303);
    }
    let spent = send("203.0.113.1", token);
    assert_eq!(spent.status, 403);
    let page = spent.text();
    let next = page.split("name=\"token\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    // A form that was issued in the same second is the same form.
    assert_eq!(send("203.0.113.1", next).status, if next == token { 403 } else { 303 });
    refused(&ask(&server, "203.0.113.1", "no-such-other.lab"), 429, "rate_limited");
}

#[test]
fn disabled_limits_are_logged_as_a_warning() {
    let loud = Server::start_demo(&["--log-filter", "warn,web=info"]);
    for _ in 0..12 {
        assert_eq!(loud.post_scan(br#"{"domain":"localhost"}"#).status, 400);
    }
    // The warning comes before the server is ready, so start another one and read its standard error.
    let folder = tempfile::tempdir().unwrap();
    let mut child = crate::server::wayleave()
        .args(["serve", "--server-listen", "127.0.0.1:0", "--limits-enabled", "false", "--json"])
        .args(["--store-data-dir", folder.path().join("data").to_str().unwrap()])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut ready = String::new();
    std::io::BufRead::read_line(
        &mut std::io::BufReader::new(child.stdout.take().unwrap()),
        &mut ready,
    )
    .unwrap();
    child.kill().unwrap();
    let stderr = child.wait_with_output().unwrap().stderr;
    assert!(String::from_utf8_lossy(&stderr).contains("ADDRESS LIMITS ARE OFF"), "{ready}");
}
