//! Finds what is to be measured today, and measures it as leased jobs: one for each domain and engine.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{MutexGuard, PoisonError};

use bytes::Bytes;
use contract::{Day, Domain};
use judge::control::grants_access;
use store::{Job, NewJob, StoreError};

use super::{Accuracy, MeasureError};
use crate::stored_claims::HeldClaim;

const JOB_KIND: &str = "accuracy";
/// Longer than a measurement takes.
const LEASE_MS: i64 = 5 * 60_000;
/// The first wait after a failure; it doubles with each try.
const RETRY_MS: i64 = 10 * 60_000;
/// Tries in a day. Then the engine is asked again the next day.
const MAX_TRIES: u32 = 4;
/// Domains under one registrable domain that are measured. Whoever can make any number of subdomains cannot use up what
/// the engines may cost in a day.
const MAX_UNDER_ONE: usize = 10;
/// Claims that are read at once.
const PAGE: usize = 500;

/// The keys of the jobs of one day that were queued, or are not needed because their record exists.
#[derive(Debug, Default)]
pub(crate) struct QueuedToday {
    day: Option<Day>,
    keys: HashSet<String>,
}

impl QueuedToday {
    fn contains(&mut self, day: Day, key: &str) -> bool {
        if self.day != Some(day) {
            *self = Self { day: Some(day), keys: HashSet::new() };
        }
        self.keys.contains(key)
    }
}

impl Accuracy {
    /// Measures every claimed domain with every engine that was not asked about it today. Returns how many
    /// measurements were tried.
    pub async fn measure_due(&self) -> Result<usize, StoreError> {
        if self.settings.engines.is_empty() {
            return Ok(0);
        }
        self.queue_due().await?;
        let mut tried = 0;
        loop {
            let now = self.clock.now();
            let claimed = self.store.claim_job(JOB_KIND, now, now.plus_millis(LEASE_MS)).await?;
            let Some(job) = claimed else { return Ok(tried) };
            tried += 1;
            self.run_job(&job).await?;
        }
    }

    fn queued(&self) -> MutexGuard<'_, QueuedToday> {
        self.queued.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn queue_due(&self) -> Result<(), StoreError> {
        let now = self.clock.now();
        let day = Day::of(now);
        for domain in self.claimed_domains().await? {
            for engine in self.engine_names() {
                // With the day, so that a job that was given up today is another one than tomorrow's.
                let key = format!("{domain} {engine} {day}");
                if self.queued().contains(day, &key) {
                    continue;
                }
                let newest = self.newest_readable(&domain, engine).await?;
                if newest.is_none_or(|newest| newest.day() < day) {
                    let (kind, body) = (JOB_KIND.to_owned(), Bytes::new());
                    let job = NewJob { kind, key: key.clone(), due_at: now, body };
                    self.store.queue_job(job, now).await?;
                }
                self.queued().keys.insert(key);
            }
        }
        Ok(())
    }

    /// The domains whose owners have proven control.
    async fn claimed_domains(&self) -> Result<BTreeSet<Domain>, StoreError> {
        let now = self.clock.now();
        let (mut domains, mut after) = (BTreeSet::new(), None);
        loop {
            let page = self.store.claims(after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(few_of_each(domains)) };
            after = Some(last.id.clone());
            for stored in &page {
                match HeldClaim::from_stored(stored) {
                    Ok(held) if grants_access(&held.claim, now) => {
                        domains.insert(held.domain);
                    }
                    Ok(_) => {}
                    Err(error) => tracing::error!(%error, "a claim cannot be read"),
                }
            }
        }
    }

    async fn run_job(&self, job: &Job) -> Result<(), StoreError> {
        let now = self.clock.now();
        let mut words = job.key.split(' ');
        let (domain, engine, day) = (words.next(), words.next(), words.next());
        let engine = self.settings.engines.iter().find(|one| Some(one.name.as_str()) == engine);
        let domain = domain.and_then(|name| store::scans::parse_stored_domain(name).ok());
        let is_today = day.and_then(|day| day.parse().ok()) == Some(Day::of(now));
        let (Some(engine), Some(domain), true) = (engine, domain, is_today) else {
            // An engine that is not configured any more, or a day that is over.
            return self.store.finish_job(job.id).await;
        };
        // The claim may have ended since the job was queued.
        let claims = self.store.claims_of(&domain).await?;
        let is_held = |stored| {
            HeldClaim::from_stored(stored).is_ok_and(|held| grants_access(&held.claim, now))
        };
        if !claims.iter().any(is_held) {
            // It is queued again if control is proven again today.
            self.queued().keys.remove(&job.key);
            return self.store.finish_job(job.id).await;
        }
        let error = match self.measure(&domain, engine).await {
            Ok(_) => return self.store.finish_job(job.id).await,
            Err(error) => error,
        };
        tracing::warn!(%error, %domain, engine = engine.name, "an engine could not be measured");
        if job.tries >= MAX_TRIES {
            // It stays in the queue until the day is over, so that it is not queued again.
            let tomorrow = Day::of(now).ends_at();
            return self.store.postpone_job(job.id, tomorrow, &error.to_string()).await;
        }
        let doubled = RETRY_MS << job.tries.saturating_sub(1).min(8);
        let wait = match &error {
            MeasureError::BudgetSpent => Day::of(now).ends_at().millis_since(now),
            MeasureError::Engine(failure) => {
                let asked = failure.retry_after_s.map(|seconds| seconds.saturating_mul(1000));
                asked.and_then(|ms| i64::try_from(ms).ok()).map_or(doubled, |ms| ms.max(doubled))
            }
            _ => doubled,
        };
        self.store.postpone_job(job.id, now.plus_millis(wait), &error.to_string()).await
    }
}

/// At most [`MAX_UNDER_ONE`] domains under one registrable domain: itself, and the first in the alphabet.
fn few_of_each(domains: BTreeSet<Domain>) -> BTreeSet<Domain> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let (own, below): (Vec<Domain>, Vec<Domain>) =
        domains.into_iter().partition(|domain| domain.registrable() == domain.as_str());
    let mut is_kept = |domain: &Domain| {
        let count = counts.entry(domain.registrable().to_owned()).or_default();
        *count += 1;
        *count <= MAX_UNDER_ONE
    };
    own.into_iter().chain(below).filter(|domain| is_kept(domain)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domains(names: impl IntoIterator<Item = String>) -> BTreeSet<Domain> {
        names.into_iter().map(|name| store::scans::parse_stored_domain(&name).unwrap()).collect()
    }

    #[test]
    fn subdomains_cannot_use_up_the_calls() {
        let many = (0..50).map(|n| format!("a{n:02}.shop.example"));
        let names = many.chain(["shop.example".to_owned(), "other.example".to_owned()]);
        let kept = few_of_each(domains(names));
        assert_eq!(kept.len(), MAX_UNDER_ONE + 1);
        let expected = domains(["shop.example".to_owned(), "other.example".to_owned()]);
        assert!(kept.is_superset(&expected), "{kept:?}");
    }

    #[test]
    fn what_was_queued_is_forgotten_the_next_day() {
        let mut queued = QueuedToday::default();
        let (today, tomorrow) = (Day::from_number(20_000), Day::from_number(20_001));
        assert!(!queued.contains(today, "a"));
        queued.keys.insert("a".to_owned());
        assert!(queued.contains(today, "a"));
        assert!(!queued.contains(tomorrow, "a"));
    }
}
