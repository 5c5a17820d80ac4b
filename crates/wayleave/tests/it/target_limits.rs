//! What a site, its address and the queue of scans see of many requests at once.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::lab_server::{Extension, LabServer, run_all};
use crate::server::{HttpReply, Server};

/// Trusts the forwarded header of 127.0.0.1, so that a test can use many client addresses.
const PROXY: [&str; 2] = ["--server-trusted-proxies", "127.0.0.1/32"];

fn resolve_from(server: &Server, address: &str, domain: &str) -> HttpReply {
    let from = format!("x-forwarded-for: {address}\r\n");
    server.get_with(&format!("/api/v1/resolve?domain={domain}"), &from)
}

#[track_caller]
fn assert_refused(reply: &HttpReply) -> u64 {
    assert_eq!((reply.status, reply.error_code().as_str()), (429, "rate_limited"));
    let wait = reply.header("retry-after").expect("Retry-After").parse().unwrap();
    assert_eq!(reply.json()["retry_after_s"], wait);
    wait
}

#[test]
fn a_hundred_names_of_one_address_get_what_one_address_may() {
    let lab = LabServer::start_configured(&[], "");
    let names: Vec<&str> = lab::shared_address_sites().iter().map(|site| site.name).collect();
    let start = Instant::now();
    let replies =
        run_all(&names, 100, |name| lab.server.get(&format!("/api/v1/resolve?domain={name}")));
    // A busy machine may need more than a minute for them. What may be read comes back bit by bit.
    let minutes = 1 + start.elapsed().as_secs().div_ceil(60) as usize;
    let answered = replies.iter().filter(|reply| reply.status == 200).count();
    // Six readings of an address at a time, and fifteen in a minute: each counts twenty requests ahead.
    assert!((1..=15 * minutes).contains(&answered), "{answered} of 100 were read");
    for reply in replies.iter().filter(|reply| reply.status != 200) {
        let wait = assert_refused(reply);
        assert!((1..=65).contains(&wait), "{wait}");
    }
    let requests = lab.lab.hits(names[0]).len();
    assert!(requests <= 300 * minutes, "{requests} requests");
    // Before these limits a hundred names made 235 connections within two seconds.
    let connections = lab.lab.connections(names[0]);
    println!("{answered} answers, {connections} connections, {requests} requests");
    assert!(connections <= 120 * minutes as u64, "{connections} connections");
    // What was read is told as usual, and what was not read is not called absent: a hundred requests at
    // once can leave a lookup without an answer in its time.
    let answers: Vec<Value> =
        replies.iter().filter(|reply| reply.status == 200).map(HttpReply::json).collect();
    assert!(answers.iter().any(|answer| answer["dns"]["exists"] == true), "{:?}", answers.first());
    for answer in &answers {
        assert_ne!(answer["dns"]["exists"], false, "{answer}");
        assert_ne!(answer["delivery"]["state"], "absent");
    }
    // Other addresses are read as before.
    assert_eq!(lab.server.get("/api/v1/resolve?domain=open.lab").status, 200);
    let metrics = lab.server.get("/metrics").text();
    let refused = "wayleave_target_refusals_total{limit=\"address\",of=\"visits\"}";
    assert!(metrics.contains(refused), "{metrics}");
    assert!(metrics.contains("wayleave_targets_tracked"));
}

#[test]
fn the_names_of_a_domain_are_read_six_times_an_hour() {
    let server = Server::start_demo_with_limits(&PROXY);
    for number in 1..=6 {
        // Every reading for another client; the names do not exist, but each is looked up.
        let from = format!("203.0.113.{number}");
        let reply = resolve_from(&server, &from, &format!("x{number}.nowhere.lab"));
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
    let wait = assert_refused(&resolve_from(&server, "203.0.113.7", "x7.nowhere.lab"));
    assert!((3_500..=3_600).contains(&wait), "{wait}");
    assert_eq!(resolve_from(&server, "203.0.113.8", "open.lab").status, 200, "another domain");
    // What was read before is still answered.
    assert_eq!(resolve_from(&server, "203.0.113.9", "x1.nowhere.lab").status, 200);
    let batch = json!({ "domains": ["x8.nowhere.lab", "open.lab"] }).to_string();
    let batch = server.post_with("/api/v1/resolve", "", &batch);
    assert_eq!(batch.status, 200, "{}", batch.text());
    assert!(batch.text().contains("rate_limited"), "{}", batch.text());
}

/// However many clients ask for a site at once, it is read once.
#[test]
fn one_live_reading_of_a_site_for_many_clients() {
    let proxies =
        Extension { server: "trusted_proxies = [\"127.0.0.1/32\"]", ..Extension::default() };
    let lab = LabServer::start_extended(&[], "", &proxies);
    assert_eq!(resolve_from(&lab.server, "203.0.113.1", "n001.lab").status, 200);
    let clients: Vec<String> = (2..=9).map(|number| format!("203.0.113.{number}")).collect();
    let replies = run_all(&clients, 8, |from| resolve_from(&lab.server, from, "n002.lab"));
    for reply in &replies {
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert_eq!(reply.body, replies[0].body, "one answer for all");
    }
    let (one, many) = (lab.lab.hits("n001.lab").len(), lab.lab.hits("n002.lab").len());
    assert!(one > 0 && many <= one + 2, "{many} requests for eight clients, {one} for one");
}

#[test]
fn an_unlisted_scan_keeps_the_two_minute_window() {
    let server = Server::start_demo_with_limits(&["--limits-enabled", "false"]);
    let scan = |domain: &str, visibility: &str| {
        server
            .post_scan(json!({ "domain": domain, "visibility": visibility }).to_string().as_bytes())
    };
    let unlisted = scan("minimal.lab", "unlisted");
    assert_eq!((unlisted.status, &unlisted.json()["visibility"]), (200, &json!("unlisted")));
    let wait = assert_refused(&scan("minimal.lab", "unlisted"));
    assert!((1..=120).contains(&wait), "{wait}");
    // The unlisted report is given to nobody else.
    let public = scan("minimal.lab", "public").json();
    assert_eq!(public["cached"], Value::Null);
    assert_ne!(public["id"], unlisted.json()["id"]);
    // A recent public report is what everybody gets.
    let again = scan("minimal.lab", "unlisted").json();
    assert_eq!((&again["cached"], &again["id"]), (&json!(true), &public["id"]));
}

#[test]
fn a_full_queue_is_told() {
    let server = Server::start_demo(&["--resolve-queue-max", "1"]);
    let upgrade = |domain: &str| {
        let reply = server.get(&format!("/api/v1/resolve?domain={domain}"));
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()["upgrade"].clone()
    };
    assert_eq!(upgrade("n001.lab")["state"], "queued");
    let full = upgrade("n002.lab");
    assert_eq!(full["state"], "queue_full", "{full}");
    assert!(full["how"].as_str().unwrap().contains("queue of full scans is full"), "{full}");
    assert!(full["expected"].as_str().unwrap().ends_with('Z'));
    assert!(full["scan_now"].as_str().unwrap().ends_with("/api/scan"));
}

/// Sixty stalling sites, asked for by six clients, and then a good one by another client. Its queued scan
/// must not wait for theirs.
#[test]
fn stalling_sites_do_not_delay_the_queued_scan_of_a_good_one() {
    let every_minute = (0..60).map(|minute| minute.to_string()).collect::<Vec<_>>().join(",");
    let flags = ["--resolve-upgrade-minutes", &every_minute, "--targets-enabled", "false"];
    let server = Server::start_demo_with_limits(&[&PROXY, flags.as_slice()].concat());
    let stalling: Vec<usize> = (1..=60).collect();
    let replies = run_all(&stalling, 60, |number| {
        let from = format!("203.0.113.{}", 1 + (number - 1) / 10);
        resolve_from(&server, &from, &format!("s{number:03}.lab"))
    });
    let queued = replies
        .iter()
        .filter(|reply| reply.status == 200 && reply.json()["upgrade"]["state"] == "queued");
    assert_eq!(queued.count(), 60);
    let good = resolve_from(&server, "203.0.113.99", "n001.lab").json();
    let due: contract::Timestamp = good["upgrade"]["expected"].as_str().unwrap().parse().unwrap();
    let start = Instant::now();
    let full = loop {
        let answer = resolve_from(&server, "203.0.113.100", "n001.lab").json();
        if answer["assurance"] == "full" {
            break answer;
        }
        assert!(start.elapsed() < Duration::from_secs(150), "never scanned: {}", answer["upgrade"]);
        std::thread::sleep(Duration::from_millis(1_100));
    };
    let scanned: contract::Timestamp =
        full["freshness"]["observed_at"].as_str().unwrap().parse().unwrap();
    let delay = scanned.millis_since(due) / 1000;
    println!("the good site was scanned {delay} s after its window");
    // Before, the queue ran in order: 60 scans of 10 s, four at a time. Now at most one scan, and the
    // next look at the queue, come first.
    assert!(delay <= 20, "{delay} s after its window");
}
