//! Callers that ask for the same answer at the same time share its making, and nothing else: each has its
//! own allowance of live reads and its own limit on age.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use contract::{Domain, NamePolicy, Timestamp};
use futures_util::future::join_all;
use service::answers::resolve::{CachedAnswer, LivePolicy, ResolveError, ResolveQuery};
use service::{LiveReadPermit, Service};

use crate::reached_site::answer_of_reached_site;
use crate::world::{HandClock, NOON, open, settings};

const HOUR: i64 = 3_600_000;

/// The allowance of one address.
struct Allowance {
    left: AtomicUsize,
    /// What this address is told if nothing is left.
    wait: Duration,
}

impl Allowance {
    fn new(left: usize, wait_seconds: u64) -> Arc<Self> {
        Arc::new(Self { left: AtomicUsize::new(left), wait: Duration::from_secs(wait_seconds) })
    }
}

impl LiveReadPermit for Allowance {
    fn acquire(&self) -> Result<(), Duration> {
        let take = |left: usize| left.checked_sub(1);
        match self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take) {
            Ok(_) => Ok(()),
            Err(_) => Err(self.wait),
        }
    }
}

async fn resolve(
    service: &Arc<Service>,
    name: &str,
    live: LivePolicy,
    max_age_hours: Option<u32>,
    permit: Arc<Allowance>,
) -> Result<Arc<CachedAnswer>, ResolveError> {
    let domain = Domain::parse(name, &NamePolicy::default()).unwrap();
    let query = ResolveQuery { domain, live, max_age_hours, live_read_permit: permit };
    service.answers.resolve(query).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_caller_gets_the_refusal_of_another() {
    const ADDRESSES: usize = 320;
    let dir = tempfile::tempdir().unwrap();
    let (service, opened) = open(dir.path(), settings(), HandClock::new(NOON)).await;
    opened.unwrap();
    for (round, used_up_first) in [1, 40, ADDRESSES - 1, ADDRESSES].into_iter().enumerate() {
        let name = format!("shared{round}.com");
        let allowances: Vec<Arc<Allowance>> = (0..ADDRESSES)
            .map(|number| Allowance::new(usize::from(number >= used_up_first), number as u64 + 1))
            .collect();
        let asked = allowances
            .iter()
            .map(|permit| resolve(&service, &name, LivePolicy::Auto, None, Arc::clone(permit)));
        let answers = join_all(asked).await;
        let mut refused = 0;
        for (number, answer) in answers.iter().enumerate() {
            match answer {
                Ok(_) => {}
                Err(ResolveError::LiveLimit { wait }) => {
                    refused += 1;
                    assert!(number < used_up_first, "round {round}: {number} has an allowance");
                    assert_eq!(wait.as_secs(), number as u64 + 1, "the wait of another address");
                }
                Err(error) => panic!("round {round}, address {number}: {error}"),
            }
        }
        let drawn = allowances
            .iter()
            .enumerate()
            .filter(|(number, permit)| {
                *number >= used_up_first && permit.left.load(Ordering::SeqCst) == 0
            })
            .count();
        let fresh = ADDRESSES - used_up_first;
        // One read serves everybody who waits, also those who could not have paid for it.
        assert_eq!(drawn, fresh.min(1), "round {round}");
        assert!(refused < ADDRESSES || fresh == 0, "round {round}");
    }
    service.log.close().await;
}

/// Whoever needs a younger answer does not get the one that satisfies the others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_caller_has_its_own_limit_on_age() {
    let dir = tempfile::tempdir().unwrap();
    let clock = HandClock::new(NOON);
    let (service, opened) = open(dir.path(), settings(), clock.clone()).await;
    opened.unwrap();
    let name = "aged.com";
    let at = Timestamp::from_millis(NOON);
    let domain = Domain::parse(name, &NamePolicy::default()).unwrap();
    service.log.seal_answer(answer_of_reached_site(name, at), domain).await.unwrap();
    clock.set(NOON + 5 * HOUR);
    let asked = (0..40).map(|number| {
        let max_age_hours = (number % 2 == 1).then_some(1);
        resolve(&service, name, LivePolicy::Auto, max_age_hours, Allowance::new(1, 1))
    });
    for (number, answer) in join_all(asked).await.into_iter().enumerate() {
        let answer = answer.unwrap();
        let age = answer.observed_at.map(|observed_at| observed_at.millis_since(at));
        // The site no longer answers, so a new reading observes nothing.
        assert!(number % 2 == 0 || age != Some(0), "{number}: {age:?}");
    }
    service.log.close().await;
}
