//! An answer whose age in hours changed: it is made again from the kept reading, decided, logged, signed and
//! stored.

use std::hint::black_box;
use std::time::{Duration, Instant};

use contract::Brand;
use proof::{KeyPurpose, SigningKey};
use service::answers::resolve::LivePolicy;

use crate::world::{World, cpu_seconds};
use crate::{rate_alone, report};

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
    let bound = rate_alone(round, || unavoidable_work(bytes));
    println!(
        "reseal: {made} answers of {} bytes, {rate:.0} per CPU-second ({wall:.0}/s); canonical form, digest and \
         two signatures {bound:.0}/s",
        bytes.len()
    );
    one_caller(world).await;
    report(
        "re-sealed answer per CPU-second",
        "canonical JSON + SHA-256 + two signatures of the same bytes",
        rate / bound,
        0.5,
    );
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

fn unavoidable_work(bytes: &[u8]) {
    thread_local! {
        static KEY: SigningKey = SigningKey::from_seed(
            &[7; 32],
            KeyPurpose::Documents,
            contract::Timestamp::from_millis(0),
        )
        .unwrap();
        static PARSED: std::cell::OnceCell<serde_json::Value> = const { std::cell::OnceCell::new() };
    }
    PARSED.with(|parsed| {
        let value = parsed.get_or_init(|| serde_json::from_slice(bytes).unwrap());
        let canonical = proof::canonical::value_to_vec(black_box(value)).unwrap();
        let digest = proof::sha256(&canonical);
        let message = proof::signature::signed_message(&digest, &Brand::default());
        KEY.with(|key| {
            for _ in 0..2 {
                black_box(key.sign(black_box(message.as_bytes())).unwrap());
            }
        });
    });
}
