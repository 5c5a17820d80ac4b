//! A hundred answers that are cached, put into one signed response.

use std::hint::black_box;
use std::time::Duration;

use bench_table::{Goal, report_ratio};
use contract::records::{BatchLiveReads, BatchResult, BatchState, ResolveBatch};
use service::answers::resolve::{LivePolicy, ResolveBatchQuery};

use crate::rate_alone;
use crate::world::{World, cpu_seconds, permit};

/// As many domains as one call may name.
const DOMAINS: usize = 100;

pub(crate) async fn measure(world: &World, round: Duration) {
    let cached = world.ask_all(LivePolicy::Never).await;
    let domains: Vec<String> =
        world.sites().iter().take(DOMAINS).map(ToString::to_string).collect();
    let mut bytes = 0;
    let (begun, before, mut made) = (std::time::Instant::now(), cpu_seconds(), 0_u32);
    while begun.elapsed() < round {
        bytes = black_box(make_batch(world, &domains).await);
        made += 1;
    }
    let rate = f64::from(made) / (cpu_seconds() - before).max(0.01);
    let answers = || cached.iter().take(DOMAINS).map(|answer| &answer.bytes);
    let copy = || {
        answers().fold(Vec::with_capacity(bytes), |mut all, bytes| {
            all.extend_from_slice(black_box(bytes));
            all
        })
    };
    let copying = rate_alone(round, |_| drop(black_box(copy())));
    let hashing = rate_alone(round, |_| {
        black_box(proof::sha256(&copy()));
    });
    println!(
        "batch: {made} batches of {bytes} bytes, {rate:.0} per CPU-second; copying {copying:.0}/s; copying and \
         SHA-256 {hashing:.0}/s"
    );
    let path = "batch resolve of 100 hot domains";
    report_ratio(path, "copying the bytes", rate / copying, Goal::AtLeast(0.3));
    // The signature is over the SHA-256 of the whole record.
    report_ratio(path, "copying the bytes and SHA-256", rate / hashing, Goal::AtLeast(0.7));
}

/// What the server does for `POST /api/v1/resolve`; returns the length of the response.
async fn make_batch(world: &World, domains: &[String]) -> usize {
    let answers = &world.service.answers;
    let query = ResolveBatchQuery {
        domains: domains.to_vec(),
        live: LivePolicy::Never,
        max_age_hours: None,
        live_read_permit: permit(),
    };
    let found = answers.resolve_batch(query).await;
    let found: Vec<_> = found.0.into_iter().map(Result::unwrap).collect();
    let count = u32::try_from(found.len()).unwrap();
    let results = (0..).zip(&found).map(|(index, answer)| BatchResult {
        index,
        domain: answer.domain.to_string(),
        state: BatchState::Answered,
        answer_sha256: Some(answer.sha256.to_hex()),
        excerpt: None,
        address: Some(format!("https://svc.example/api/v1/resolve?domain={}", answer.domain)),
    });
    let record = ResolveBatch {
        kind: "svc-resolve-batch".to_owned(),
        v: 1,
        schema: "https://svc.example/api/v1/schema?kind=svc-resolve-batch".to_owned(),
        answered_at: world.service.now(),
        live: BatchLiveReads {
            asked: count,
            done: count,
            budget_ms: 5_000,
            not_read_in_budget: vec![],
        },
        count,
        answers: vec![],
        results: results.collect(),
        errors: vec![],
        sha256: None,
        signature: None,
    };
    answers.sign_resolve_batch(&record, &found).unwrap().len()
}
