//! Resolve: how a website treats AI agents, as one signed answer.
//!
//! A cached answer that is still valid is returned as it is (`cached_answers`). Otherwise one task
//! builds the answer for all callers that ask at the same time (`single_flight`): from a scan that is
//! newer than the last answer, from the last answer while its reading is usable, or from a live read
//! of the site (`build_answer`). Every answer is in the log before it is returned.

mod answer_parts;
mod build_answer;
mod cached_answers;
mod kept_answer;
mod latest_parsed;
mod load_robots;
mod local;
#[cfg(test)]
pub(crate) mod memory_testing;
#[cfg(test)]
mod order_tests;
mod owner_facts;
mod prefix_lookup;
mod publish_scan;
mod query;
mod resolve_batch;
mod scan_queue;
mod seal_answer;
mod settings;
mod shared_permits;
mod single_flight;
mod state;
mod stored_facts;
mod stored_robots;
mod upgrade_windows;

use std::sync::Arc;

use contract::Domain;

pub(crate) use answer_parts::AnswerParts;
pub use cached_answers::CachedAnswer;
pub use judge::lookalike::Ranking;
pub use prefix_lookup::{AnswersByPrefix, PrefixError};
pub use query::{LivePolicy, ResolveError, ResolveQuery};
pub use resolve_batch::{BatchItemError, ResolveBatchQuery, ResolveBatchResults};
pub(crate) use scan_queue::QueuedScan;
pub use settings::ResolveSettings;
pub(crate) use state::ResolveState;
pub use store::HexPrefix;
pub use stored_robots::StoredRobots;
pub(crate) use upgrade_windows::UPGRADE_JOB;
pub use upgrade_windows::UpgradeWindows;

use self::shared_permits::SharedPermits;
use self::state::FlightResult;
use crate::answers::Answers;

/// Counts answers by their source, label `from`. The caller that returns a cached answer counts
/// `memory`.
pub const ANSWERS_TOTAL: &str = "wayleave_answers_total";

/// How often a caller joins others before it asks by itself.
const SHARED_ATTEMPTS: usize = 4;

impl Answers {
    /// A valid cached answer about the domain.
    #[must_use]
    pub fn cached_answer(&self, domain: &Domain) -> Option<Arc<CachedAnswer>> {
        self.cached_answer_by_name(domain.as_str())
    }

    /// The same by text that was not parsed as a domain: only the canonical spelling is found.
    #[must_use]
    pub fn cached_answer_by_name(&self, name: &str) -> Option<Arc<CachedAnswer>> {
        self.resolve_state.cache.get(name, self.clock.now())
    }

    /// A cached answer taken apart; `None` if this build cannot parse it.
    pub(crate) fn answer_parts(&self, cached: &CachedAnswer) -> Option<Arc<AnswerParts>> {
        self.resolve_state.parts.get_or_parse(cached, self.clock.now())
    }

    /// The signed answer about a domain.
    pub async fn resolve(
        self: &Arc<Self>,
        query: ResolveQuery,
    ) -> Result<Arc<CachedAnswer>, ResolveError> {
        if query.live != LivePolicy::Always
            && let Some(cached) = self.cached_answer(&query.domain)
            && self.is_young_enough(&cached, query.max_age_hours)
        {
            metrics::counter!(ANSWERS_TOTAL, "from" => "memory").increment(1);
            return Ok(cached);
        }
        for _ in 0..SHARED_ATTEMPTS {
            let answers = Arc::clone(self);
            let task = query.clone();
            let key = (query.domain.clone(), query.live, query.max_age_hours);
            let join = |permits: &SharedPermits| permits.add(Arc::clone(&query.live_read_permit));
            let start = |permits| async move { answers.build_answer(task, permits).await };
            let flights = &self.resolve_state.single_flight;
            let (own, built) = flights.start_or_join(key, join, start).await;
            let Some(FlightResult { answer, lacked_permit }) = built else {
                let why = "the task that builds the answer panicked".to_owned();
                return Err(ResolveError::Internal(why));
            };
            match (answer, own.wait()) {
                // Nobody had an allowance, but this caller came too late to be asked.
                (_, None) if lacked_permit => {}
                (Err(ResolveError::LiveLimit { .. }), Some(wait)) => {
                    return Err(ResolveError::LiveLimit { wait });
                }
                (answer, _) => return answer,
            }
        }
        let permits = Arc::new(SharedPermits::default());
        permits.add(Arc::clone(&query.live_read_permit));
        let built = tokio::spawn(Arc::clone(self).build_answer(query, permits)).await;
        built.map_err(|e| ResolveError::Internal(e.to_string()))?.answer
    }

    fn is_young_enough(&self, cached: &CachedAnswer, max_age_hours: Option<u32>) -> bool {
        let Some(max_age_hours) = max_age_hours else { return true };
        cached.observed_at.is_some_and(|observed_at| {
            let age_ms = self.clock.now().millis_since(observed_at);
            age_ms <= i64::from(max_age_hours) * judge::resolve::HOUR_MS
        })
    }
}
