//! The suite every engine must pass, unchanged.
//!
//! An engine's test gives an [`Engine`] and unwraps what [`run`] says. Cases know the traits and
//! nothing else, so they hold for a file on disk as for a database across the network.

mod answers;
mod artifacts;
mod beside;
mod census;
mod chain;
mod clocks;
mod copying;
mod copying_log;
mod decisions;
mod health;
mod jobs;
mod licences;
mod limits;
mod log;
mod once;
mod outcomes;
mod readings;
mod samples;
mod scans;
mod seals;
mod switches;

use std::fmt;
use std::sync::Arc;

use crate::{BoxFuture, Day, Digest, Store};

/// The engine under test.
pub trait Engine: Sync {
    /// A place for a new, empty store.
    fn new_place(&self) -> BoxFuture<'_, Box<dyn Place>>;
}

/// Where one store lives. The place outlives the store that is opened in it.
pub trait Place: Send + Sync {
    /// Opens the store. Called again only after the store opened before was dropped.
    fn open(&self) -> BoxFuture<'_, Arc<dyn Store>>;

    /// Changes kept bytes of an artefact behind the store's back, as a failing disk would.
    fn damage_artifact(&self, sha256: Digest) -> BoxFuture<'_, ()>;

    /// Changes kept bytes of a scan's record behind the store's back. The store is closed.
    fn damage_scan<'a>(&'a self, id: &'a str) -> BoxFuture<'a, ()>;

    /// Changes kept bytes of the log or of an answer behind the store's back. The store is closed.
    fn damage_log(&self, part: LogPart) -> BoxFuture<'_, ()>;

    /// Changes kept bytes of a seal's statement behind the store's back. The store is closed.
    fn damage_seal(&self, day: Day) -> BoxFuture<'_, ()>;
}

/// What a failing disk changes of the log.
#[derive(Debug, Clone, Copy)]
pub enum LogPart {
    /// The signed head of a batch.
    Head {
        batch: u64,
    },
    Leaves {
        batch: u64,
    },
    Contents {
        batch: u64,
    },
    Tile {
        level: u8,
        index: u64,
    },
    Answer {
        sha256: Digest,
    },
    /// An entry of the chain of revocations.
    Revocation {
        seq: u64,
    },
}

/// The cases that failed, and why.
#[derive(Debug)]
pub struct Failures(Vec<(&'static str, String)>);

type CaseResult = Result<(), String>;
type Case = for<'a> fn(&'a dyn Engine) -> BoxFuture<'a, CaseResult>;

/// Runs every case, each in places of its own, and returns how many there were.
pub async fn run(engine: &dyn Engine) -> Result<usize, Failures> {
    let cases: Vec<(&'static str, Case)> = [
        scans::CASES,
        artifacts::CASES,
        seals::CASES,
        licences::CASES,
        limits::CASES,
        switches::CASES,
        log::CASES,
        answers::CASES,
        outcomes::CASES,
        jobs::CASES,
        once::CASES,
        clocks::CASES,
        census::CASES,
        readings::CASES,
        beside::CASES,
        decisions::CASES,
        copying::CASES,
        copying_log::CASES,
        health::CASES,
    ]
    .concat();
    let mut failures = Vec::new();
    for (name, case) in &cases {
        if let Err(why) = case(engine).await {
            failures.push((*name, why));
        }
    }
    if failures.is_empty() { Ok(cases.len()) } else { Err(Failures(failures)) }
}

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (case, why) in &self.0 {
            writeln!(f, "{case}: {why}")?;
        }
        Ok(())
    }
}

/// Fails the case when two values differ. Not a panic: the other cases still run.
macro_rules! same {
    ($left:expr, $right:expr, $($why:tt)+) => {
        match (&$left, &$right) {
            (left, right) => {
                if left != right {
                    return Err(format!(
                        "{}: got {}, expected {}",
                        format_args!($($why)+),
                        $crate::conformance::samples::shown(left),
                        $crate::conformance::samples::shown(right),
                    ));
                }
            }
        }
    };
}

/// Fails the case when a condition does not hold.
macro_rules! holds {
    ($condition:expr, $($why:tt)+) => {
        if !$condition {
            return Err(format!($($why)+));
        }
    };
}

/// A failure of the store where the case expects none.
fn text(error: impl fmt::Display) -> String {
    format!("unexpected error: {error}")
}

use {holds, same};
