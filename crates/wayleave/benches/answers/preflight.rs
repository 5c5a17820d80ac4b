//! A preflight of an action on a site whose answer is cached: decided, signed and stored. Each check has a nonce
//! of its own, so that every receipt is another one: a receipt that is stored already is not stored again.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bench_table::{Goal, report_ratio};
use contract::Brand;
use contract::records::PreflightCheck;
use proof::{KeyPurpose, SigningKey};
use serde_json::{Value, json};
use service::answers::resolve::LivePolicy;

use crate::storing::{WITH_STORING, rate_with_storing};
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
    let first =
        PreflightCheck { nonce: Some("nonce-of-the-first".to_owned()), ..checks[0].clone() };
    let sample = world.service.answers.preflight(&first, permit()).await.unwrap();
    let (begun, before) = (Instant::now(), cpu_seconds());
    let callers = (0..CALLERS).map(|caller| {
        let (service, checks) = (Arc::clone(&world.service), Arc::clone(&checks));
        tokio::spawn(async move {
            let (mut made, mut at) = (0_u32, caller);
            while begun.elapsed() < round {
                let nonce = Some(format!("nonce-{at:012}"));
                let check = PreflightCheck { nonce, ..checks[at % checks.len()].clone() };
                black_box(service.answers.preflight(&check, permit()).await.unwrap());
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
    let at = contract::Timestamp::from_millis(0);
    let key = SigningKey::from_seed(&[7; 32], KeyPurpose::Decisions, at).unwrap();
    let receipt: Value = serde_json::from_slice(&sample).unwrap();
    let bound = rate_alone(round, |_| drop(write_and_sign(&receipt, &key)));
    let insert = "INSERT INTO decisions (lookup, domain, action, decision, answer_sha256, decided_at, expires_at,
                                         fingerprint, sealed)
                  VALUES (?1, 'shop.example', 'read', 'allow', zeroblob(32), ?3, ?3, zeroblob(32), ?2)";
    let stored = rate_with_storing(round, insert, |_| write_and_sign(&receipt, &key));
    println!(
        "preflight: {made} receipts of {} bytes, {rate:.0} per CPU-second; canonical form and signature {bound:.0}/s, \
         stored by SQLite alone {stored:.0}/s",
        sample.len()
    );
    let path = "preflight on a hot answer per CPU-second";
    let limit = "one signature + canonical form of a receipt";
    report_ratio(path, limit, rate / bound, Goal::AtLeast(0.4));
    report_ratio(path, WITH_STORING, rate / stored, Goal::AtLeast(0.5));
}

fn write_and_sign(receipt: &Value, key: &SigningKey) -> Vec<u8> {
    let canonical = proof::canonical::value_to_vec(black_box(receipt)).unwrap();
    let digest = proof::sha256(&canonical);
    let message = proof::signature::signed_message(&digest, &Brand::default());
    black_box(key.sign(message.as_bytes()).unwrap());
    canonical
}
