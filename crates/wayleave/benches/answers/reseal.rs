//! An answer whose age in hours changed: it is made again from the kept reading, decided, logged, signed and
//! stored.

use std::hint::black_box;
use std::time::{Duration, Instant};

use bench_table::{Goal, report_ratio};
use contract::Brand;
use proof::{KeyPurpose, SigningKey};
use serde_json::Value;
use service::answers::resolve::LivePolicy;

use crate::rate_alone;
use crate::storing::{WITH_STORING, rate_with_storing};
use crate::world::{World, cpu_seconds};

const HOUR_MS: i64 = 3_600_000;

pub(crate) async fn measure(world: &World, round: Duration) {
    let mut previous = world.ask_all(LivePolicy::Never).await;
    let (begun, before, mut made) = (Instant::now(), cpu_seconds(), 0_u32);
    while begun.elapsed() < round {
        world.advance(HOUR_MS);
        let answers = world.ask_all(LivePolicy::Never).await;
        for (before, after) in previous.iter().zip(&answers) {
            assert_ne!(before.sha256, after.sha256, "{}: made again", after.domain);
        }
        made += u32::try_from(answers.len()).unwrap();
        previous = answers;
    }
    let spent = (cpu_seconds() - before).max(0.01);
    let rate = f64::from(made) / spent;
    let wall = f64::from(made) / begun.elapsed().as_secs_f64();
    let bytes = &previous[0].bytes;
    let at = contract::Timestamp::from_millis(0);
    let key = SigningKey::from_seed(&[7; 32], KeyPurpose::Documents, at).unwrap();
    let parsed: Vec<Value> =
        previous.iter().map(|answer| serde_json::from_slice(&answer.bytes).unwrap()).collect();
    let bound = rate_alone(round, |run| drop(unavoidable_work(&parsed, &key, run)));
    let insert = "INSERT INTO answers (sha256, domain, answered_at, log_index, fingerprint, answer, position)
                  VALUES (?1, 'shop.example', ?3, ?3, zeroblob(32), ?2, ?3)";
    let stored = rate_with_storing(round, insert, |run| unavoidable_work(&parsed, &key, run));
    println!(
        "reseal: {made} answers of {} bytes, {rate:.0} per CPU-second ({wall:.0}/s); canonical form, digest and \
         two signatures {bound:.0}/s, stored by SQLite alone {stored:.0}/s",
        bytes.len()
    );
    one_caller(world).await;
    let path = "re-sealed answer per CPU-second";
    let limit = "canonical JSON + SHA-256 + two signatures of the same bytes";
    report_ratio(path, limit, rate / bound, Goal::AtLeast(0.5));
    report_ratio(path, WITH_STORING, rate / stored, Goal::AtLeast(0.3));
}

/// How long a single caller waits.
async fn one_caller(world: &World) {
    let mut waits = Vec::new();
    for _ in 0..5 {
        world.advance(HOUR_MS);
        for domain in world.sites().iter().take(4) {
            let begun = Instant::now();
            world.ask(domain, LivePolicy::Never).await;
            waits.push(begun.elapsed());
        }
    }
    waits.sort();
    println!("  one caller alone waits {:?} at the median", waits[waits.len() / 2]);
}

/// Every answer is another one, as in the service.
fn unavoidable_work(answers: &[Value], key: &SigningKey, run: usize) -> Vec<u8> {
    let answer = &answers[run % answers.len()];
    let canonical = proof::canonical::value_to_vec(black_box(answer)).unwrap();
    let digest = proof::sha256(&canonical);
    let message = proof::signature::signed_message(&digest, &Brand::default());
    for _ in 0..2 {
        black_box(key.sign(black_box(message.as_bytes())).unwrap());
    }
    canonical
}
