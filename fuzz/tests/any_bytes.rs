//! The fallback on a stable compiler: every target over arbitrary bytes and over mutated seeds.
//!
//! `FUZZ_SECONDS` runs each target for this long; without it each runs `FUZZ_CASES` cases (256).
//! `FUZZ_TARGETS` names the targets to run, separated by spaces. A failing input is written to
//! `artifacts/<target>/`.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io, panic};

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use wayleave_fuzz::{TARGETS, Target};

/// Cases between two looks at the clock.
const BATCH: u32 = 64;

#[test]
fn no_bytes_break_a_parser() {
    let asked = std::env::var("FUZZ_TARGETS").unwrap_or_default();
    let asked: Vec<&str> = asked.split_whitespace().collect();
    for name in &asked {
        assert!(TARGETS.iter().any(|target| target.name == *name), "there is no target {name}");
    }
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seconds = number("FUZZ_SECONDS").map(Duration::from_secs);
    let cases = number("FUZZ_CASES").unwrap_or(256);
    let mut failed = Vec::new();
    // A failing input panics many times while a smaller one is looked for. The last reason is printed.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    for target in TARGETS {
        if !asked.is_empty() && !asked.contains(&target.name) {
            continue;
        }
        let (runs, finding) = run_target(target, seconds, cases);
        match finding {
            None => println!("{:<20} {runs:>9} runs  ok", target.name),
            Some((why, input)) => {
                let file = write_artifact(target.name, &input).unwrap();
                println!("{:<20} {runs:>9} runs  FAILED, input in {}", target.name, file.display());
                println!("{why}");
                failed.push(target.name);
            }
        }
    }
    panic::set_hook(hook);
    assert!(failed.is_empty(), "findings in {}", failed.join(", "));
}

/// How many inputs were run, and the reason and smallest input of a failure.
fn run_target(
    target: &Target,
    seconds: Option<Duration>,
    cases: u64,
) -> (u64, Option<(String, Vec<u8>)>) {
    let runs = Cell::new(0);
    for seed in target.seeds {
        if let Some(finding) = run_batch(1, &Just(seed.to_vec()), target, &runs) {
            return (runs.get(), Some(finding));
        }
    }
    let input = prop_oneof![1 => arbitrary_bytes(), 3 => mutated_seed(target.seeds)];
    let started = Instant::now();
    while seconds.map_or(runs.get() < cases, |limit| started.elapsed() < limit) {
        if let Some(finding) = run_batch(BATCH, &input, target, &runs) {
            return (runs.get(), Some(finding));
        }
    }
    (runs.get(), None)
}

fn run_batch(
    cases: u32,
    input: &impl Strategy<Value = Vec<u8>>,
    target: &Target,
    runs: &Cell<u64>,
) -> Option<(String, Vec<u8>)> {
    let run = |bytes: Vec<u8>| {
        runs.set(runs.get() + 1);
        // The runner catches a panic and then looks for a smaller input.
        (target.run)(&bytes);
        Ok::<(), TestCaseError>(())
    };
    // A runner runs its cases once. Failing inputs are kept as files, not in proptest's own format.
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    match TestRunner::new(config).run(input, run) {
        Ok(()) => None,
        Err(TestError::Fail(why, smallest)) => Some((why.to_string(), smallest)),
        Err(TestError::Abort(why)) => Some((why.to_string(), Vec::new())),
    }
}

fn arbitrary_bytes() -> BoxedStrategy<Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..600),
        "\\PC{0,120}".prop_map(String::into_bytes),
        "[\\x20-\\x7e\n\t]{0,200}".prop_map(String::into_bytes),
    ]
    .boxed()
}

/// A change of a seed at a position, given as a share of its length.
#[derive(Debug, Clone)]
enum Mutation {
    Replace(u8),
    Flip(u8),
    Insert(Vec<u8>),
    Remove(usize),
    Repeat(usize, usize),
    Truncate,
}

fn mutation() -> impl Strategy<Value = Mutation> {
    prop_oneof![
        any::<u8>().prop_map(Mutation::Replace),
        (0_u8..8).prop_map(Mutation::Flip),
        prop::collection::vec(any::<u8>(), 1..5).prop_map(Mutation::Insert),
        // Characters with a meaning in one of the formats.
        "[\"'<>\\[\\]{}():;,=.@#?&%/\\\\+*$| \n\r\t\0-]{1,3}"
            .prop_map(|text| Mutation::Insert(text.into_bytes())),
        "[\u{80}-\u{10ffff}]{1,2}".prop_map(|text| Mutation::Insert(text.into_bytes())),
        (1_usize..12).prop_map(Mutation::Remove),
        (1_usize..40, 1_usize..60).prop_map(|(length, times)| Mutation::Repeat(length, times)),
        Just(Mutation::Truncate),
    ]
}

fn mutated_seed(seeds: &'static [&'static [u8]]) -> BoxedStrategy<Vec<u8>> {
    let two = (select(seeds), select(seeds), any::<bool>());
    (two, prop::collection::vec((0.0..1.0_f64, mutation()), 0..6))
        .prop_map(|((first, second, both), mutations)| {
            let mut bytes = first.to_vec();
            if both {
                bytes.extend_from_slice(second);
            }
            for (share, mutation) in mutations {
                let at = ((share * bytes.len() as f64) as usize).min(bytes.len());
                mutation.apply(&mut bytes, at);
            }
            bytes
        })
        .boxed()
}

impl Mutation {
    fn apply(self, bytes: &mut Vec<u8>, at: usize) {
        match self {
            Self::Replace(byte) => bytes.iter_mut().skip(at).take(1).for_each(|old| *old = byte),
            Self::Flip(bit) => bytes.iter_mut().skip(at).take(1).for_each(|old| *old ^= 1 << bit),
            Self::Insert(more) => drop(bytes.splice(at..at, more)),
            Self::Remove(length) => drop(bytes.drain(at..(at + length).min(bytes.len()))),
            Self::Repeat(length, times) => {
                let piece: Vec<u8> = bytes.iter().copied().skip(at).take(length).collect();
                bytes.splice(at..at, piece.repeat(times));
            }
            Self::Truncate => bytes.truncate(at),
        }
    }
}

/// Named by its digest, so that one input is one file.
fn write_artifact(target: &str, input: &[u8]) -> io::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("artifacts").join(target);
    fs::create_dir_all(&folder)?;
    let digest: String = proof::sha256(input).to_hex().chars().take(16).collect();
    let file = folder.join(format!("proptest-{digest}"));
    fs::write(&file, input)?;
    Ok(file)
}

#[test]
fn every_target_has_a_file_for_libfuzzer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let mut files: Vec<String> = fs::read_dir(root.join("fuzz_targets"))
        .unwrap()
        .map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    files.sort_unstable();
    let mut names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    names.sort_unstable();
    assert_eq!(files, names);
    for name in names {
        assert!(manifest.contains(&format!("name = \"{name}\"\n")), "{name} is not in Cargo.toml");
        let file = fs::read_to_string(root.join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(file.contains(&format!("write_seeds(\"{name}\")")), "{name} uses other seeds");
        assert!(file.contains(&format!("wayleave_fuzz::{name}(data)")), "{name} runs another one");
    }
}
