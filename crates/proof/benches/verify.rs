//! Offline verification of whole answers against its bound in the same run: one Ed25519 verification,
//! parsing, writing the canonical form and hashing it, each once for the same bytes.
//!
//! The contenders run alternately in short rounds, so that other load affects all of them; the
//! result is the median of the rounds. Only the ratios are meaningful on a machine with other work.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a program for the terminal"
)]

#[path = "../../service/tests/it/answers.rs"]
mod answers;

use std::hint::black_box;
use std::time::{Duration, Instant};

use bench_table::{Goal, report_bare, report_ratio};
use contract::{Brand, Timestamp};
use data_encoding::BASE64URL_NOPAD;
use proof::decision_content::{decision_leaf, transparency};
use proof::merkle_tree::BatchTree;
use proof::tree_head::{ChainHead, HeadExtras, next_head};
use proof::{
    Digest, KeyPolicy, KeyPurpose, PublicKey, SigningKey, Verifier, canonical, sha256,
    sign_document, verify_document,
};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

const ANSWERS: u64 = 200;
/// Answers of one batch of the log share its head.
const BATCH: u64 = 40;
const DIRECTORY: &str = "https://svc.example/.well-known/http-message-signatures-directory";

/// One way to go through one answer.
type Contender<'a> = (&'static str, Box<dyn FnMut(&Sample) -> bool + 'a>);

/// A signed answer, and what a program that does the bare minimum would need to know about it.
struct Sample {
    bytes: Vec<u8>,
    /// The same document as people write it.
    spaced: Vec<u8>,
    /// The bytes that the digest covers.
    canonical: Vec<u8>,
    document: Map<String, Value>,
    message: String,
    signature: Vec<u8>,
}

fn main() {
    // `cargo test --all-targets` runs this too; one round is enough then.
    let measured = std::env::args().any(|arg| arg == "--bench");
    let (rounds, round) =
        if measured { (31, Duration::from_millis(60)) } else { (1, Duration::from_millis(1)) };
    let brand = Brand::default();
    let (samples, documents_key, policy) = samples(&brand);
    let bytes: usize = samples.iter().map(|sample| sample.bytes.len()).sum();
    println!(
        "{ANSWERS} answers in batches of {BATCH}, {} bytes on average, {rounds} rounds",
        bytes / samples.len()
    );
    if std::env::args().any(|arg| arg == "--profile") {
        return verify_for_a_profile(&samples, &policy, &brand);
    }
    let key = documents_key.public();
    let mut contenders: Vec<Contender<'_>> = vec![
        ("Verifier", {
            let mut verifier = Verifier::new(&policy, &brand);
            Box::new(move |sample| verifier.verify(&sample.bytes).accepted())
        }),
        ("verify_document, each for itself", {
            let (policy, brand) = (&policy, &brand);
            Box::new(move |sample| verify_document(&sample.bytes, policy, brand).accepted())
        }),
        ("the same with white space between", {
            let (policy, brand) = (&policy, &brand);
            Box::new(move |sample| verify_document(&sample.spaced, policy, brand).accepted())
        }),
        ("bound: the four parts below in one go", Box::new(|sample| bound(sample, key))),
        ("part: Ed25519", Box::new(|sample| ed25519(sample, key))),
        ("part: parse", Box::new(|sample| canonical::parse_strict(&sample.bytes).is_ok())),
        (
            "part: canonical form and hash",
            Box::new(|sample| canonical::document_digest(&sample.document).is_ok()),
        ),
        ("part of it: hash", Box::new(|sample| sha256(&sample.canonical).0 != [0; 32])),
        (
            "for comparison: serde_json::from_slice",
            Box::new(|sample| serde_json::from_slice::<Value>(&sample.bytes).is_ok()),
        ),
        (
            "the same, building nothing",
            Box::new(|sample| serde_json::from_slice::<IgnoredAny>(&sample.bytes).is_ok()),
        ),
    ];
    let rates = median_rates(&mut contenders, &samples, rounds, round);
    for ((name, _), rate) in contenders.iter().zip(&rates) {
        println!("  {name:<42} {rate:>9.0} /s  {:>6.1} us", 1e6 / rate);
    }
    let (ours, bound) = (rates[0], rates[3]);
    // Nothing built and nothing written: below the bound, and out of reach.
    let least = 1.0 / (1.0 / rates[4] + 1.0 / rates[7] + 1.0 / rates[9]);
    println!("Ed25519, hash and a parser that builds nothing: {:.2} of that", ours / least);
    let limit = "one Ed25519 verification + parse + canonical form + hash";
    report_ratio("verify one answer offline", limit, ours / bound, Goal::AtLeast(0.7));
    report_bare("answers verified offline", ours, "per second and core", Goal::AtLeast(5_000.0));
}

/// Nothing but verifying for some seconds: `perf record … --profile`.
fn verify_for_a_profile(samples: &[Sample], policy: &KeyPolicy, brand: &Brand) {
    let mut verifier = Verifier::new(policy, brand);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(8) {
        for sample in samples {
            assert!(verifier.verify(&sample.bytes).accepted());
        }
    }
}

/// What no verification of these bytes can do without.
fn bound(sample: &Sample, key: &PublicKey) -> bool {
    let Ok(Value::Object(document)) = canonical::parse_strict(&sample.bytes) else { return false };
    let digest = canonical::document_digest(&document).unwrap();
    black_box(digest);
    ed25519(sample, key)
}

fn ed25519(sample: &Sample, key: &PublicKey) -> bool {
    key.verifies(sample.message.as_bytes(), &sample.signature)
}

fn median_rates(
    contenders: &mut [Contender<'_>],
    samples: &[Sample],
    rounds: usize,
    round: Duration,
) -> Vec<f64> {
    let mut rates = vec![Vec::with_capacity(rounds); contenders.len()];
    let mut order = samples.iter().cycle();
    for _ in 0..rounds {
        for ((name, run), rates) in contenders.iter_mut().zip(&mut rates) {
            let (start, cpu_start) = (Instant::now(), cpu_time());
            let mut runs = 0_u32;
            while start.elapsed() < round {
                for sample in order.by_ref().take(8) {
                    assert!(black_box(run(black_box(sample))), "{name}");
                }
                runs += 8;
            }
            let used = cpu_start.and_then(|before| cpu_time()?.checked_sub(before));
            let used = used.filter(|used| !used.is_zero()).unwrap_or_else(|| start.elapsed());
            rates.push(f64::from(runs) / used.as_secs_f64());
        }
    }
    rates
        .into_iter()
        .map(|mut rates| {
            rates.sort_by(f64::total_cmp);
            rates[rates.len() / 2]
        })
        .collect()
}

/// How long this thread has had a core so far, where the system tells: a rate per core must not depend on
/// how many others want the core.
fn cpu_time() -> Option<Duration> {
    // A thread that waits for its turn brings its account up to date.
    std::thread::yield_now();
    let account = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    account.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// Answers sealed as the service seals them: logged in batches, then signed.
fn samples(brand: &Brand) -> (Vec<Sample>, SigningKey, KeyPolicy) {
    let at: Timestamp = "2026-11-15T09:00:00Z".parse().unwrap();
    let key = |seed, purpose| {
        SigningKey::from_seed(&[seed; 32], purpose, at.plus_millis(-86_400_000)).unwrap()
    };
    let (documents, heads) = (key(1, KeyPurpose::Documents), key(2, KeyPurpose::LogHeads));
    let published: Vec<Value> = [&documents, &heads]
        .into_iter()
        .map(|key| {
            let mut jwk = key.public().jwk();
            jwk[brand.member("purpose")] = key.purpose().as_str().into();
            jwk[brand.member("signs_from")] = json!(key.signs_from());
            jwk
        })
        .collect();
    let policy = KeyPolicy::from_directory(&json!({ "keys": published }), None, brand).unwrap();
    let mut samples = Vec::new();
    let mut previous: Option<ChainHead> = None;
    for first in (0..ANSWERS).step_by(BATCH as usize) {
        let batch: Vec<_> = (first..first + BATCH).map(answers::answer).collect();
        let leaves: Vec<Digest> =
            batch.iter().map(|answer| decision_leaf(answer, brand).unwrap()).collect();
        let tree = BatchTree::new(leaves.iter().copied());
        let extras = HeadExtras { code: None, tree_root: Some(tree.root()) };
        let head = next_head(previous.as_ref(), &tree, at, extras, brand).unwrap();
        let head = sign_document(head, &heads, DIRECTORY, brand, at).unwrap().document;
        previous = Some(ChainHead::parse(&head).unwrap());
        for (mut answer, leaf) in batch.into_iter().zip(leaves) {
            let place = transparency(&leaf, &tree, &head, "https://svc.example/witnesses").unwrap();
            answer.insert("transparency".to_owned(), place);
            samples.push(sample(answer, &documents, brand, at));
        }
    }
    (samples, documents, policy)
}

fn sample(answer: Map<String, Value>, key: &SigningKey, brand: &Brand, at: Timestamp) -> Sample {
    let canonical = canonical::value_to_vec(&Value::Object(answer.clone())).unwrap();
    let signed = sign_document(Value::Object(answer), key, DIRECTORY, brand, at).unwrap();
    let block = &signed.document["signature"];
    Sample {
        canonical,
        message: block["message"].as_str().unwrap().to_owned(),
        signature: BASE64URL_NOPAD.decode(block["sig"].as_str().unwrap().as_bytes()).unwrap(),
        document: signed.document.as_object().unwrap().clone(),
        spaced: serde_json::to_vec_pretty(&signed.document).unwrap(),
        bytes: signed.bytes,
    }
}
