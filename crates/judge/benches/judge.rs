//! Measures how long judging one scan takes, against a limit of 5 ms. `cargo bench -p judge`.
//!
//! Uses the evidence of two sites: one serves the same page of 30 KB to every identity, the other a
//! slightly different page to each, so that no two identities share a parsed page. Both include every
//! machine file and robots.txt for each identity.

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a bench prints, measures time, and may stop"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use agents::Catalogue;
use bench_table::{Goal, report_bare};
use contract::evidence::{
    BodyFacts, Evidence, Exchange, ExchangeOutcome, HeaderLine, Hop, Observer, ReadTarget, Reading,
    Response,
};
use contract::records::Visibility;
use contract::{Brand, Domain, Issuer, NamePolicy};
use judge::rulepack::Rulepack;
use judge::scan::{RecordMetadata, StorageMetadata, judge};

/// The same as in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ALIKE_GOAL_MS: f64 = 5.0;
const VARIED_GOAL_MS: f64 = 6.0;
const ROUNDS: usize = 200;

fn main() {
    let catalogue = Catalogue::built_in().expect("the catalogue reads");
    // Most sites serve the same bytes to everyone. These are parsed once.
    let alike = measure("same page for all identities", &catalogue, |_| 0);
    let varied = measure("different page for each identity", &catalogue, |n| n);
    for (path, time, goal) in [
        ("judging, all readers got the same page", alike, ALIKE_GOAL_MS),
        ("judging, each of 13 readers got another page", varied, VARIED_GOAL_MS),
    ] {
        report_bare(path, time.as_secs_f64() * 1e3, "ms", Goal::AtMost(goal));
    }
}

/// The median time of judging one scan.
fn measure(what: &str, catalogue: &Catalogue, page_of: fn(usize) -> usize) -> Duration {
    let (evidence, bodies) = scan(catalogue, page_of);
    let rules = Rulepack::current();
    let issuer = Issuer::new(Brand::default(), "https://svc.example");
    let metadata = RecordMetadata {
        issuer: &issuer,
        id: "abc",
        visibility: Visibility::Public,
        evidence_sha256: None,
        storage: StorageMetadata::default(),
    };
    let once = || {
        let started = Instant::now();
        let record = judge(&evidence, &bodies, catalogue, &rules, &metadata);
        (started.elapsed(), record.findings.len())
    };
    // The first run compiles the regular expressions that all later runs share.
    let (first, findings) = once();
    let mut times: Vec<Duration> = (0..ROUNDS).map(|_| once().0).collect();
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let worst = times.last().copied().unwrap_or_default();
    let bytes: usize = bodies.values().map(Vec::len).sum();
    println!(
        "{what}: {} reads, {} KiB of bodies, {findings} findings",
        evidence.reads.len(),
        bytes / 1024
    );
    println!("  first {first:?}, then median {median:?}, worst {worst:?} of {ROUNDS}");
    median
}

fn scan(
    catalogue: &Catalogue,
    page_of: fn(usize) -> usize,
) -> (Evidence, BTreeMap<String, Vec<u8>>) {
    let names = NamePolicy { allow_suffixes: vec!["lab".into()], allow_ports: vec![] };
    let at = "2026-11-15T10:00:00Z".parse().expect("a time");
    let mut evidence = Evidence {
        v: 1,
        domain: Domain::parse("ferry.lab", &names).expect("a name"),
        host: "ferry.lab".into(),
        started_at: at,
        finished_at: at,
        observer: Observer { name: "bench".into(), version: "0".into(), vantage: "here".into() },
        dns: vec![],
        reads: vec![],
        not_read: vec![],
    };
    let mut bodies = BTreeMap::new();
    let mut add = |target: ReadTarget, path: &str, identity: &str, status: u16, body: String| {
        let url = format!("https://ferry.lab{path}");
        let sha256 = proof::sha256(body.as_bytes()).to_string();
        let line = |name: &str, value: &str| HeaderLine { name: name.into(), value: value.into() };
        let response = Response {
            url: url.clone(),
            status,
            http: "2".into(),
            headers: vec![line("content-type", "text/html"), line("server", "nginx")],
            body: BodyFacts {
                sha256: sha256.clone(),
                bytes: body.len() as u64,
                wire_bytes: body.len() as u64,
                encoding: None,
                cut: None,
            },
            tls: None,
        };
        bodies.insert(sha256, body.into_bytes());
        let hop = Hop {
            url: url.clone(),
            address: None,
            status: Some(status),
            location: None,
            took_ms: 1,
            reused_connection: false,
        };
        let exchange = Exchange {
            method: "GET".into(),
            url,
            request_headers: vec![],
            started_at: at,
            took_ms: 1,
            hops: vec![hop],
            outcome: ExchangeOutcome::Response(Box::new(response)),
        };
        let id = format!("r{:02}", evidence.reads.len() + 1);
        let (path, identity) = (path.to_owned(), identity.to_owned());
        let chosen_from = None;
        evidence.reads.push(Reading { id, target, path, identity, chosen_from, exchange });
    };
    let robots =
        "User-agent: *\nAllow: /\nDisallow: /private\nContent-Signal: ai-train=no\n".to_owned();
    add(ReadTarget::Robots, "/robots.txt", "wayleave", 200, robots.clone());
    for (n, identity) in catalogue.compared_identities().enumerate() {
        add(ReadTarget::Home, "/", &identity.id, 200, page(page_of(n)));
        add(ReadTarget::RobotsAs, "/robots.txt", &identity.id, 200, robots.clone());
    }
    add(ReadTarget::Home, "/", "browser", 200, page(page_of(99)));
    for place in declared::files::FILE_LOCATIONS.iter().skip(1) {
        add(ReadTarget::MachineFile, place.path, "wayleave", 404, "<h1>Not found</h1>".to_owned());
    }
    add(ReadTarget::ControlPath, "/zz.html", "wayleave", 404, "<h1>Not found</h1>".to_owned());
    add(ReadTarget::Fresh, "/", "browser", 200, page(page_of(98)));
    (evidence, bodies)
}

/// A page of about 30 KB with markup, text, structured data and comments, and `n` in its heading.
fn page(n: usize) -> String {
    let mut page = format!(
        "<!doctype html><html lang=en><head><title>Ferry</title><meta name=description content='Times'>\
         <script type='application/ld+json'>{{\"@type\":\"Organization\",\"name\":\"North Quay Ferry\",\
         \"telephone\":\"+44 1632 960101\"}}</script></head><body><nav><a href=/>Home</a></nav><main><h1>Reader \
         {n}</h1>"
    );
    for paragraph in 0..120 {
        let _ = writeln!(
            page,
            "<p class=\"lead text-{paragraph}\">Crossing {paragraph} leaves the north quay at a quarter past, weather \
             allowing, and costs EUR {}.50 one way; bicycles, prams and dogs travel with their people, and the \
             kitchen on board serves soup until the far shore.<!-- block {paragraph} --></p>",
            paragraph % 9
        );
    }
    page.push_str("</main><footer><address>14 Harbour Lane</address></footer></body></html>");
    page
}
