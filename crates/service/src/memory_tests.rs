//! Fills every cache to its bound with the content that takes most memory for its size, and compares
//! the memory of the process with the bounds.

use std::sync::Arc;

use contract::{Domain, NamePolicy, Timestamp};
use declared::robots::Robots;
use proof::Digest;
use store::StoredAnswer;

use crate::answers::resolve::memory_testing::{
    FilledCaches, answer_to_cache, fill_latest_parsed, fill_parsed_answers,
};
use crate::answers::revocations::memory_testing::fill_signed_lists;
use crate::scanning::fill_with_small_documents;

const MB: usize = 1024 * 1024;
/// The tests of one binary share a process, so the measurement runs in a process of its own.
const ALONE: &str = "memory_tests::measure_alone";
const CASE_VARIABLE: &str = "WAYLEAVE_MEMORY_CASE";

/// The memory of this process that no file backs.
fn resident_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<usize>().unwrap() * 1024
}

/// What the caches are filled with.
const CASES: [&str; 11] = [
    "parsed",
    "latest",
    "small",
    "large",
    "rules",
    "records",
    "sitemaps",
    "groups",
    "re-encoded",
    "lists",
    "documents",
];

#[test]
fn full_caches_take_no_more_memory_than_their_bounds() {
    let program = std::env::current_exe().unwrap();
    for case in CASES {
        let output = std::process::Command::new(&program)
            .args([ALONE, "--exact", "--ignored", "--nocapture", "--test-threads=1"])
            .env(CASE_VARIABLE, case)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{case}: {text}");
        text.lines().filter(|line| line.contains("bound")).for_each(|line| println!("{line}"));
    }
}

#[test]
#[ignore = "needs a process of its own; started by full_caches_take_no_more_memory_than_their_bounds"]
fn measure_alone() {
    let now = Timestamp::from_millis(1_790_000_000_000);
    let case = std::env::var(CASE_VARIABLE).unwrap_or_else(|_| "lists".to_owned());
    match case.as_str() {
        "small" => fill_with_answers(&case, 1, now),
        "large" => fill_with_answers(&case, 60_000, now),
        "rules" => fill_with_robots(&case, "Allow:/\n", now),
        "records" => fill_with_robots(&case, "a:\n", now),
        "sitemaps" => fill_with_robots(&case, "sitemap:a\n", now),
        "groups" => fill_with_robots(&case, "user-agent:a\nallow:/\n", now),
        "re-encoded" => fill_with_robots(&case, "allow:/\u{fc}\u{fc}\u{fc}\u{fc}\n", now),
        "parsed" => {
            let sample = sample_answer(now);
            check(&case, 16 * MB, || fill_parsed_answers(16 * MB, &sample, now));
        }
        "latest" => {
            let sample = sample_answer(now);
            check(&case, 16 * MB, || fill_latest_parsed(16 * MB, &sample, now));
        }
        "documents" => check(&case, 16 * MB, || fill_with_small_documents(16 * MB, now)),
        _ => check(&case, 16 * MB, || fill_signed_lists(now)),
    }
}

fn fill_with_answers(case: &str, bytes: usize, now: Timestamp) {
    check(case, 16 * MB, || {
        let caches = FilledCaches::new(16 * MB, MB);
        for number in 0..32 * MB / (bytes + 4_000) {
            caches.put_answer(worst_answer(number, bytes, now), now);
        }
        caches
    });
}

fn fill_with_robots(case: &str, line: &str, now: Timestamp) {
    check(case, 16 * MB, || {
        let caches = FilledCaches::new(MB, 16 * MB);
        for number in 0..100_usize {
            let file = format!("user-agent: *\n{}", line.repeat(100_000 / line.len()));
            let digest = Digest::of(&number.to_be_bytes());
            caches.put_robots(digest, Arc::new(Robots::parse(file.as_bytes())), now);
        }
        caches
    });
}

/// Fails if what `fill` returns takes more memory than the bound and a tenth.
fn check<T>(what: &str, bound: usize, fill: impl FnOnce() -> T) {
    let before = resident_bytes();
    let filled = fill();
    let grown = resident_bytes().saturating_sub(before);
    println!("{what}: bound {} MB, memory {:.1} MB", bound / MB, grown as f64 / MB as f64);
    // What parsing and building took and gave back may stay with the allocator.
    assert!(grown <= bound + bound / 5 + 2 * MB, "{what}: {grown} bytes for a bound of {bound}");
    assert!(grown >= bound / 4, "{what}: {grown} bytes: the cache was not filled");
    drop(filled);
}

/// An answer with the largest prepared response.
fn worst_answer(number: usize, bytes: usize, now: Timestamp) -> StoredAnswer {
    let names = NamePolicy { allow_suffixes: vec!["lab".to_owned()], ..NamePolicy::default() };
    // The longest names that are allowed.
    let label = "a".repeat(60);
    let name = format!("n{number}.{label}.{label}.{label}.lab");
    StoredAnswer {
        sha256: Digest::of(name.as_bytes()),
        domain: Domain::parse(&name, &names).unwrap(),
        answered_at: now,
        log_index: 0,
        bytes: vec![b'x'; bytes].into(),
    }
}

/// An answer of an earlier build, as it is stored.
fn sample_answer(now: Timestamp) -> StoredAnswer {
    let sample = include_bytes!("../../store/dictionaries/answer-1.dict");
    let mut answers = serde_json::Deserializer::from_slice(sample).into_iter::<serde_json::Value>();
    let first = answers.next().unwrap().unwrap();
    StoredAnswer { bytes: first.to_string().into(), ..worst_answer(0, 1, now) }
}

#[test]
fn the_worst_answer_is_an_answer() {
    let now = Timestamp::from_millis(1);
    assert_eq!(answer_to_cache(&worst_answer(1, 10, now), now).bytes.len(), 10);
}
