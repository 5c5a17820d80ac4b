//! A clock that jumps: every head is later than the previous one.

use contract::Timestamp;
use serde_json::{Value, json};

use crate::answers::{answer, domain};
use crate::world::{HandClock, NOON, assert_verifies, open, policy, settings};

/// The same as [`answer`], made at this time.
pub(crate) fn answer_at(number: u64, at: Timestamp) -> serde_json::Map<String, Value> {
    let mut answer = answer(number);
    answer.insert("answered_at".to_owned(), json!(at));
    answer["freshness"]["observed_at"] = json!(at);
    answer
}

#[tokio::test]
async fn every_head_is_later_than_the_one_before_whatever_the_clock_does() {
    let dir = tempfile::tempdir().unwrap();
    let clock = HandClock::new(NOON);
    let (service, opened) = open(dir.path(), settings(), clock.clone()).await;
    opened.unwrap();
    let hour = 3_600_000;
    let year = 365 * 24 * hour;
    let mut last = Timestamp::from_millis(0);
    // Back to just before now, stuck, forward, ten years forward, back again.
    for (n, at) in (0..).zip([0, 0, 0, -hour / 2, hour * 3, hour, 10 * year, 0, 0, hour]) {
        clock.set(NOON + at);
        let answer = answer_at(n, Timestamp::from_millis(NOON + at));
        let sealed = service.log.seal_answer(answer, domain(n)).await.unwrap();
        let head = service.log.head().unwrap().unwrap();
        assert!(head.chain.created_at > last, "{n}");
        last = head.chain.created_at;
        assert_verifies(&sealed, &policy(&service));
    }
    // Before the keys' start time nothing can be signed; the error says so and is not permanent.
    clock.set(NOON - 24 * hour);
    let refused = service.log.seal_answer(answer(50), domain(50)).await.unwrap_err();
    assert!(refused.to_string().contains("Check the clock."), "{refused}");
    clock.set(NOON + hour);
    service.log.seal_answer(answer(50), domain(50)).await.unwrap();
    assert_eq!(service.log.fault(), None);
    service.log.close().await;
    drop(service);
    let (service, opened) = open(dir.path(), settings(), clock).await;
    opened.unwrap();
    service.log.close().await;
}
