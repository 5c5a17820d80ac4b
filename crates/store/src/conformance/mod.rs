//! The conformance suite that every engine must pass unchanged.
//!
//! An engine's test passes an [`Engine`] to [`run`] and unwraps the result. The cases use only the
//! store traits, so they apply to a file on disk and to a remote database alike.

mod accuracy;
mod allowances;
mod answer_inputs;
mod answers;
mod append_extras;
mod artifacts;
mod audit;
mod census;
mod clocks;
mod conduct;
mod copying;
mod copying_accounts;
mod copying_log;
mod decisions;
mod deletions;
mod deliveries;
mod feeds;
mod harness;
mod health;
mod idempotency;
mod jobs;
mod key_requests;
mod licence_data;
mod licence_scans;
mod licences;
mod log;
mod mcp_locks;
mod mcp_pruning;
mod mcp_scans;
mod outcomes;
mod owners;
mod pruning;
mod readings;
mod registrations;
mod sample_log;
mod sample_values;
mod scans;
mod seals;
mod sessions;
mod switches;
mod usage;
mod webhooks;

use std::fmt;

pub use harness::{Engine, LogPart, StoreLocation};

use harness::Case;

/// The failed cases, with the reason for each.
#[derive(Debug)]
pub struct Failures(Vec<(&'static str, String)>);

/// Runs every case, each in its own locations, and returns how many there were.
pub async fn run(engine: &dyn Engine) -> Result<usize, Failures> {
    let cases: Vec<(&'static str, Case)> = [
        scans::CASES,
        artifacts::CASES,
        seals::CASES,
        licences::CASES,
        allowances::CASES,
        usage::CASES,
        licence_scans::CASES,
        sessions::CASES,
        audit::CASES,
        webhooks::CASES,
        deliveries::CASES,
        key_requests::CASES,
        licence_data::CASES,
        switches::CASES,
        log::CASES,
        answers::CASES,
        answer_inputs::CASES,
        outcomes::CASES,
        jobs::CASES,
        idempotency::CASES,
        clocks::CASES,
        census::CASES,
        feeds::CASES,
        registrations::CASES,
        accuracy::CASES,
        mcp_scans::CASES,
        mcp_locks::CASES,
        mcp_pruning::CASES,
        conduct::CASES,
        owners::CASES,
        readings::CASES,
        append_extras::CASES,
        decisions::CASES,
        pruning::CASES,
        deletions::CASES,
        copying::CASES,
        copying_accounts::CASES,
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
