//! Comparing the longest texts, chosen to be slow: every pair must take less than a millisecond.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use bench_table::{Goal, report_bare};
use declared::entity::{WrittenField, compare_written};

/// The longest text that is compared.
const BYTES: usize = 2 << 10;
const MOST: Duration = Duration::from_millis(1);
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
    let texts: Vec<String> = PIECES.iter().map(|piece| piece.repeat(BYTES / piece.len())).collect();
    let mut slowest = Duration::ZERO;
    let mut slow = 0;
    for field in WrittenField::ALL {
        let mut worst = (Duration::ZERO, "", "");
        for ((piece, one), (other_piece, other)) in PIECES
            .iter()
            .zip(&texts)
            .zip(PIECES.iter().zip(&texts).cycle().skip(1))
            .chain(PIECES.iter().zip(&texts).zip(PIECES.iter().zip(&texts)))
        {
            for region in REGIONS {
                let runs = (0..if measured { RUNS } else { 1 }).map(|_| {
                    let start = Instant::now();
                    black_box(compare_written(field, black_box(one), black_box(other), region));
                    start.elapsed()
                });
                let fastest = runs.min().unwrap_or_default();
                slow += usize::from(fastest > MOST);
                slowest = slowest.max(fastest);
                worst = worst.max((fastest, *piece, *other_piece));
            }
        }
        println!("{:<13} {:>9.1?}  {:?} / {:?}", field.as_str(), worst.0, worst.1, worst.2);
    }
    if measured {
        let goal = Goal::AtMost(MOST.as_secs_f64() * 1e3);
        report_bare(
            "slowest comparison of two written facts",
            slowest.as_secs_f64() * 1e3,
            "ms",
            goal,
        );
        assert_eq!(slow, 0, "pairs that took too long");
    }
}
