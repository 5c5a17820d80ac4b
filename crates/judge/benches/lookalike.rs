//! The time to compare one name with a ranking of a million names. `cargo bench -p judge`.

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a bench prints, measures time, and may panic"
)]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use bench_table::{Goal, report_bare};
use contract::{Domain, NamePolicy};
use judge::lookalike::{ObservedSite, Ranking, impersonation};

const LIMIT: Duration = Duration::from_micros(500);
const ROUNDS: u32 = 2_000;

fn main() {
    let started = Instant::now();
    let ranking = Ranking::parse(&names()).expect("a ranking of good lines");
    println!("{} names read and indexed in {:?}", ranking.len(), started.elapsed());
    let longest = format!("{}.{}.{}.lab", "a1-".repeat(20) + "x", "paypal-login", "b".repeat(63));
    let mut slowest = Duration::ZERO;
    for name in ["shop.lab", "brand12345word-login.lab", "brand12345w0rd.lab", &longest] {
        let policy = NamePolicy { allow_suffixes: vec!["lab".into()], ..NamePolicy::default() };
        let domain = Domain::parse(name, &policy).expect("a domain");
        let started = Instant::now();
        let mut found = 0;
        for _ in 0..ROUNDS {
            found += impersonation(&domain, &ranking, &ObservedSite::default()).likeness.len();
        }
        let each = started.elapsed() / ROUNDS;
        println!("{each:?} per look-up, {} likenesses found: {name}", found / ROUNDS as usize);
        slowest = slowest.max(each);
    }
    let goal = Goal::AtMost(LIMIT.as_secs_f64() * 1e6);
    let is_met = report_bare("one look-alike check", slowest.as_secs_f64() * 1e6, "µs", goal);
    std::process::exit(i32::from(!is_met));
}

fn names() -> String {
    let mut lines = String::new();
    for n in 0..Ranking::MAX_LINES {
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "brand{n}word.lab");
    }
    lines
}
