//! Answers kept in memory as the very bytes that were signed: served without being read, written or
//! signed again.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use bytes::Bytes;
use contract::records::ResolveAnswer;
use contract::{Domain, Timestamp};
use proof::Digest;
use tokio::sync::OnceCell;

use super::robots::KnownRobots;

/// A signed answer, and until when it may be given as it is.
#[derive(Debug)]
pub struct HotAnswer {
    pub domain: Domain,
    pub bytes: Bytes,
    pub sha256: Digest,
    /// Over the bytes.
    pub content_sha256: Digest,
    pub answered_at: Timestamp,
    /// From then on something in it is no longer so: an hour of age, the end of a kept reading.
    pub good_until: Timestamp,
    read: OnceLock<Option<Arc<ResolveAnswer>>>,
    pub(super) robots: OnceCell<KnownRobots>,
}

impl HotAnswer {
    pub(super) fn new(kept: &store::KeptAnswer, good_until: Timestamp) -> Self {
        Self {
            domain: kept.domain.clone(),
            bytes: kept.bytes.clone(),
            sha256: kept.sha256,
            content_sha256: proof::sha256(&kept.bytes),
            answered_at: kept.answered_at,
            good_until,
            read: OnceLock::new(),
            robots: OnceCell::new(),
        }
    }

    /// What it says. Read once, when somebody first asks; nothing for an answer of another version
    /// that cannot be read.
    #[must_use]
    pub fn answer(&self) -> Option<Arc<ResolveAnswer>> {
        let read = || match serde_json::from_slice(&self.bytes) {
            Ok(answer) => Some(Arc::new(answer)),
            Err(error) => {
                tracing::error!(%error, "an answer cannot be read");
                None
            }
        };
        self.read.get_or_init(read).clone()
    }

    /// A clock that was put back must not keep an answer for longer than it was meant to be.
    fn is_good(&self, now: Timestamp) -> bool {
        now < self.good_until && now.millis_since(self.answered_at) > -CLOCK_SLACK_MS
    }
}

const CLOCK_SLACK_MS: i64 = 60_000;

/// Bounded in bytes: the oldest go first.
#[derive(Debug)]
pub(super) struct HotAnswers {
    most_bytes: usize,
    held: RwLock<Held>,
}

#[derive(Debug, Default)]
struct Held {
    answers: HashMap<Domain, Arc<HotAnswer>>,
    /// In the order they were put, with those that were replaced since.
    order: VecDeque<(Domain, Digest)>,
    bytes: usize,
}

impl HotAnswers {
    pub(super) fn new(most_bytes: usize) -> Self {
        Self { most_bytes, held: RwLock::default() }
    }

    /// By the domain's own name, as it is kept: another way of writing it is not found.
    pub(super) fn get(&self, domain: &str, now: Timestamp) -> Option<Arc<HotAnswer>> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        held.answers.get(domain).filter(|answer| answer.is_good(now)).cloned()
    }

    /// An answer that was given before is not put in the place of a later one.
    pub(super) fn put(&self, answer: Arc<HotAnswer>) {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        let later = held.answers.get(&answer.domain).is_some_and(|known| {
            known.answered_at > answer.answered_at
                && known.answered_at.millis_since(answer.answered_at) < CLOCK_SLACK_MS
        });
        if later {
            return;
        }
        held.bytes += answer.bytes.len();
        held.order.push_back((answer.domain.clone(), answer.sha256));
        if let Some(replaced) = held.answers.insert(answer.domain.clone(), answer) {
            held.bytes = held.bytes.saturating_sub(replaced.bytes.len());
        }
        while held.bytes > self.most_bytes || held.order.len() > 2 * held.answers.len() + 1_024 {
            let Some((domain, sha256)) = held.order.pop_front() else { break };
            if held.answers.get(&domain).is_some_and(|known| known.sha256 == sha256)
                && let Some(gone) = held.answers.remove(&domain)
            {
                held.bytes = held.bytes.saturating_sub(gone.bytes.len());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::NamePolicy;

    use super::*;

    fn hot(number: usize, bytes: usize, at: i64, until: i64) -> Arc<HotAnswer> {
        let names = NamePolicy { allow_suffixes: vec!["lab".to_owned()], ..NamePolicy::default() };
        let domain = Domain::parse(&format!("site{number}.lab"), &names).unwrap();
        let bytes = Bytes::from(vec![b'x'; bytes]);
        let sha256 = proof::sha256(format!("{number} {at}").as_bytes());
        let answered_at = Timestamp::from_millis(at);
        let kept = store::KeptAnswer { sha256, domain, answered_at, log_index: 0, bytes };
        Arc::new(HotAnswer::new(&kept, Timestamp::from_millis(until)))
    }

    fn found(answers: &HotAnswers, number: usize, now: i64) -> bool {
        answers.get(hot(number, 0, 0, 0).domain.as_str(), Timestamp::from_millis(now)).is_some()
    }

    #[test]
    fn an_answer_is_given_until_it_is_no_longer_so() {
        let answers = HotAnswers::new(1_000);
        answers.put(hot(1, 10, 1_000_000, 2_000_000));
        assert!(found(&answers, 1, 1_000_000) && found(&answers, 1, 1_999_999));
        assert!(!found(&answers, 1, 2_000_000) && !found(&answers, 2, 1_000_000));
        // A little before it was given is a clock's jitter; more is a clock that was put back.
        assert!(found(&answers, 1, 999_000) && !found(&answers, 1, 900_000));
    }

    #[test]
    fn the_room_is_bounded_and_the_oldest_go_first() {
        let answers = HotAnswers::new(1_000);
        for number in 0..50 {
            answers.put(hot(number, 100, 1_000_000, 2_000_000));
            answers.put(hot(number, 100, 1_000_001, 2_000_000));
        }
        let held: Vec<usize> = (0..50).filter(|n| found(&answers, *n, 1_500_000)).collect();
        assert_eq!(held, (40..50).collect::<Vec<_>>());
        let inside = answers.held.read().unwrap();
        assert_eq!((inside.bytes, inside.answers.len()), (1_000, 10));
    }

    #[test]
    fn a_slow_maker_does_not_put_the_past_back() {
        let answers = HotAnswers::new(1_000);
        answers.put(hot(1, 10, 1_000_500, 2_000_000));
        answers.put(hot(1, 20, 1_000_000, 2_000_000));
        let domain = hot(1, 0, 0, 0).domain.clone();
        let held = answers.get(domain.as_str(), Timestamp::from_millis(1_500_000)).unwrap();
        assert_eq!(held.bytes.len(), 10);
    }
}
