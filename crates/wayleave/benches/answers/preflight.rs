//! A preflight of an action on a site whose answer is cached: decided, signed and stored.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bench_table::{Goal, report_ratio};
use contract::Brand;
use contract::records::PreflightCheck;
use proof::{KeyPurpose, SigningKey};
use serde_json::{Value, json};
use service::answers::resolve::LivePolicy;

use crate::world::{World, cpu_seconds, permit};
use crate::{CALLERS, rate_alone};

pub(crate) async fn measure(world: &World, round: Duration) {
    world.ask_all(LivePolicy::Never).await;
    let checks: Arc<Vec<PreflightCheck>> = Arc::new(
        world
            .sites()
            .iter()
            .map(|domain| {
                let check =
                    json!({ "domain": domain, "action": "read", "agent": { "name": "GPTBot" } });
                serde_json::from_value(check).unwrap()
            })
            .collect(),
    );
    let sample = world.service.answers.preflight(&checks[0], permit()).await.unwrap();
    let (begun, before) = (Instant::now(), cpu_seconds());
    let callers = (0..CALLERS).map(|caller| {
        let (service, checks) = (Arc::clone(&world.service), Arc::clone(&checks));
        tokio::spawn(async move {
            let (mut made, mut at) = (0_u32, caller);
            while begun.elapsed() < round {
                let check = &checks[at % checks.len()];
                black_box(service.answers.preflight(check, permit()).await.unwrap());
                made += 1;
                at += CALLERS;
            }
            made
        })
    });
    let mut made = 0;
    for caller in callers.collect::<Vec<_>>() {
        made += caller.await.unwrap();
    }
    let rate = f64::from(made) / (cpu_seconds() - before).max(0.01);
    let bound = rate_of_signing(&sample, round);
    println!(
        "preflight: {made} receipts of {} bytes, {rate:.0} per CPU-second; canonical form and signature {bound:.0}/s",
        sample.len()
    );
    let path = "preflight on a hot answer per CPU-second";
    let limit = "one signature + canonical form of a receipt";
    report_ratio(path, limit, rate / bound, Goal::AtLeast(0.4));
}

fn rate_of_signing(receipt: &[u8], round: Duration) -> f64 {
    let at = contract::Timestamp::from_millis(0);
    let key = SigningKey::from_seed(&[7; 32], KeyPurpose::Decisions, at).unwrap();
    let value: Value = serde_json::from_slice(receipt).unwrap();
    rate_alone(round, |_| {
        let canonical = proof::canonical::value_to_vec(black_box(&value)).unwrap();
        let digest = proof::sha256(&canonical);
        let message = proof::signature::signed_message(&digest, &Brand::default());
        black_box(key.sign(message.as_bytes()).unwrap());
    })
}
