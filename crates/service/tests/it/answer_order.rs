//! Which answer about a domain is the latest: the one that the log stored last, whatever the clock said.

use contract::Timestamp;
use serde_json::{Map, Value, json};
use service::Service;
use service::answers::resolve::HexPrefix;
use store::answers::domain_digest;

use crate::answers::{answer, domain};
use crate::world::{HandClock, NOON, open, settings};

const HOUR: i64 = 3_600_000;

/// An answer about a domain with a decision of its own for each version.
fn version(number: u64, version: u64, at: Timestamp) -> Map<String, Value> {
    let mut answer = answer(number);
    answer.insert("answered_at".to_owned(), json!(at.whole_seconds()));
    answer["actions"]["read"]["doubts"] = json!([format!("version_{version}")]);
    answer
}

/// The digest of the answer that is found by the prefix of the domain.
async fn by_prefix(service: &Service, number: u64) -> String {
    let digits: String = domain_digest(&domain(number)).to_hex().chars().take(8).collect();
    let found = service.answers.resolve_prefix(HexPrefix::parse(&digits).unwrap()).await.unwrap();
    assert_eq!(found.answers.len(), 1);
    let found: Value = serde_json::from_slice(&found.answers[0].1).unwrap();
    found["sha256"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_latest_answer_is_the_one_that_was_stored_last() {
    const DOMAINS: u64 = 70;
    let dir = tempfile::tempdir().unwrap();
    let clock = HandClock::new(NOON);
    let (service, opened) = open(dir.path(), settings(), clock.clone()).await;
    opened.unwrap();
    let mut last = Vec::new();
    for number in 0..DOMAINS {
        // The first half gets its answers within one second. For the rest, the clock ran ahead once.
        let times = match number % 2 {
            0 => [0, 100, 200],
            _ => [0, 5 * HOUR, 1_000],
        };
        let mut sealed = None;
        for (number_of_version, at) in (0..).zip(times) {
            let at = Timestamp::from_millis(NOON + at);
            let answer = version(number, number_of_version, at);
            sealed = Some(service.log.seal_answer(answer, domain(number)).await.unwrap());
        }
        last.push(sealed.unwrap().sha256.to_hex());
    }
    service.log.close().await;
    drop(service);
    let (service, opened) = open(dir.path(), settings(), clock).await;
    opened.unwrap();
    let mut wrong = 0;
    for (number, last) in (0..).zip(&last) {
        wrong += usize::from(by_prefix(&service, number).await != *last);
    }
    assert_eq!(wrong, 0, "of {DOMAINS} domains got a superseded answer");
    service.log.close().await;
}

/// A decision that returns to what it was has the log index of its first time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_with_an_earlier_log_index_can_be_the_latest() {
    let dir = tempfile::tempdir().unwrap();
    let (service, opened) = open(dir.path(), settings(), HandClock::new(NOON)).await;
    opened.unwrap();
    let mut sealed = Vec::new();
    for (second, decision) in (0..).zip([1, 2, 1]) {
        let answer = version(7, decision, Timestamp::from_millis(NOON + second * 1_000));
        sealed.push(service.log.seal_answer(answer, domain(7)).await.unwrap());
    }
    assert_eq!(sealed[0].log_index, sealed[2].log_index);
    assert_eq!(by_prefix(&service, 7).await, sealed[2].sha256.to_hex());
    service.log.close().await;
}
