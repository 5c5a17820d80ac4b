//! Comparing two writings of a fact: the labelled pairs of the tests, and the longest texts, chosen to be
//! slow. What people write must take less than a millisecond, and nothing more than a few.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for the terminal")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use bench_table::{Goal, report_bare};
use declared::entity::{WrittenField, compare_written};

/// The longest text that is compared; an address may have half of it.
const BYTES: usize = 2 << 10;
const LABELLED_GOAL_MS: f64 = 1.0;
const HOSTILE_GOAL_MS: f64 = 5.0;
/// The fastest of so many runs counts: other work on the machine only makes them slower.
const RUNS: usize = 9;
const REGIONS: [Option<&str>; 4] = [None, Some("GB"), Some("DE"), Some("JP")];
/// Pieces that are repeated up to the limit.
const PIECES: &[&str] = &[
    "+",
    "+1",
    "1",
    "1 ",
    "0/",
    "(0)",
    "a",
    "a ",
    "é",
    "\u{202e}",
    "x1",
    "1-",
    "1/2",
    "12-14, ",
    "www.",
    "a.b ",
    "http://",
    "http://a.example/ ",
    "a@b.c ",
    "Mo ",
    "Mo-Fr 9-5 ",
    "monday ",
    "9-5 ",
    "12:30",
    "12:30-13:30 ",
    "月",
    "土日 ",
    "24/7 ",
    "st ",
    "hauptstr. 5, ",
    "LS6 2AB ",
    "[",
    "{\"a\":",
    "\"",
    "\n",
    "$1 ",
    "€",
    "a, ",
    "Müller & ",
    "丁目",
    "ß",
    "sur rendez-vous ",
    "sur ",
    "new ",
    "united states of ",
    "%41",
    "/%2e%2e",
    "?a=1&",
    "-",
    "１",
    "\u{300}",
    "가",
    "ﷺ",
    "020 7946 0018 ",
    "1-800-FLOWERS ",
    "within 20 miles of a, ",
    "a",
    "\u{1f600}",
];

fn main() {
    // `cargo test --all-targets` also runs this; then one run without a limit is enough.
    let measured = std::env::args().any(|arg| arg == "--bench");
    let runs = if measured { RUNS } else { 1 };
    let ordinary = slowest_labelled(runs);
    let hostile = slowest_hostile(runs);
    if measured {
        for (path, time, goal) in [
            ("slowest comparison of a labelled pair of facts", ordinary, LABELLED_GOAL_MS),
            ("slowest comparison of two hostile texts", hostile, HOSTILE_GOAL_MS),
        ] {
            report_bare(path, time.as_secs_f64() * 1e3, "ms", Goal::AtMost(goal));
        }
    }
}

/// Of all pairs of the tests, which are written as people write.
fn slowest_labelled(runs: usize) -> Duration {
    let mut times = Vec::new();
    for field in WrittenField::ALL {
        for part in ["tuning", "held_out"] {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/written_facts");
            let path = format!("{folder}/{}.{part}.tsv", field.as_str());
            let Ok(text) = std::fs::read_to_string(path) else { continue };
            for line in text.lines().skip(1) {
                let columns: Vec<String> =
                    line.split('\t').map(|text| text.replace("\\n", "\n")).collect();
                let [_, region, _, one, other, _] = columns.as_slice() else { continue };
                let region = Some(region.as_str()).filter(|region| *region != "-");
                times.push(fastest(runs, field, one, other, region));
            }
        }
    }
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap();
    let slowest = times.last().copied().unwrap();
    println!("{} labelled pairs: median {median:.1?}, slowest {slowest:.1?}", times.len());
    slowest
}

fn slowest_hostile(runs: usize) -> Duration {
    let mut slowest = Duration::ZERO;
    for field in WrittenField::ALL {
        let bytes = if field == WrittenField::Address { BYTES / 2 } else { BYTES };
        let texts: Vec<String> =
            PIECES.iter().map(|piece| piece.repeat(bytes / piece.len())).collect();
        let mut worst = (Duration::ZERO, "", "");
        for ((piece, one), (other_piece, other)) in PIECES
            .iter()
            .zip(&texts)
            .zip(PIECES.iter().zip(&texts).cycle().skip(1))
            .chain(PIECES.iter().zip(&texts).zip(PIECES.iter().zip(&texts)))
        {
            for region in REGIONS {
                let fastest = fastest(runs, field, one, other, region);
                worst = worst.max((fastest, *piece, *other_piece));
            }
        }
        slowest = slowest.max(worst.0);
        println!("{:<13} {:>9.1?}  {:?} / {:?}", field.as_str(), worst.0, worst.1, worst.2);
    }
    slowest
}

fn fastest(
    runs: usize,
    field: WrittenField,
    one: &str,
    other: &str,
    region: Option<&str>,
) -> Duration {
    let times = (0..runs).map(|_| {
        let start = Instant::now();
        black_box(compare_written(field, black_box(one), black_box(other), region));
        start.elapsed()
    });
    times.min().unwrap_or_default()
}
