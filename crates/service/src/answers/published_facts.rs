//! What a site publishes about the business behind it: from the newest reading that has it, or from a new one.

use std::sync::Arc;

use contract::{Domain, Timestamp};
use judge::business::PublishedFacts;

use super::{Answers, LivePolicy, ResolveError, ResolveQuery};
use crate::access::LiveReadPermit;
use crate::bounded_cache::BoundedCache;

/// How long facts are used without looking for a newer reading.
const VALID_MS: i64 = 60_000;
const MAX_BYTES: usize = 8 << 20;
/// What one value takes beside its texts, roughly.
const VALUE_OVERHEAD: usize = 200;

/// The facts of recently requested domains; `None` for a domain whose site could not be read. The cache has a lock of
/// its own.
#[derive(Debug)]
pub(crate) struct FactsCache(BoundedCache<Domain, Option<Arc<PublishedFacts>>>);

impl FactsCache {
    pub(crate) fn new() -> Self {
        Self(BoundedCache::new("published_facts", MAX_BYTES))
    }

    fn put(&self, domain: &Domain, facts: Option<Arc<PublishedFacts>>, now: Timestamp) {
        let bytes = facts.as_ref().map_or(0, |facts| facts.text_bytes(VALUE_OVERHEAD));
        let bytes = bytes + domain.as_str().len() + VALUE_OVERHEAD;
        self.0.put(domain.clone(), facts, bytes, now.plus_millis(VALID_MS), now, |_| true);
    }

    pub(crate) fn evict_expired(&self, now: Timestamp) {
        self.0.evict_expired(now);
    }

    pub(crate) fn clear(&self) {
        self.0.clear();
    }

    pub(crate) fn report_size(&self) {
        self.0.report_size();
    }
}

impl Answers {
    /// What the site publishes. It is read if no reading is stored that is younger than `max_age_hours` (any age
    /// without it) and the caller may have it read. `None` if it could not be read.
    pub(crate) async fn published_facts(
        self: &Arc<Self>,
        domain: &Domain,
        max_age_hours: Option<u32>,
        permit: Arc<dyn LiveReadPermit>,
    ) -> Result<Option<Arc<PublishedFacts>>, ResolveError> {
        let now = self.clock.now();
        let is_young = |facts: &PublishedFacts| {
            let age_ms = now.millis_since(facts.read_at);
            max_age_hours.is_none_or(|hours| age_ms <= i64::from(hours) * judge::resolve::HOUR_MS)
        };
        if let Some(found) = self.facts.0.get(domain, now)
            && found.as_ref().is_none_or(|facts| is_young(facts))
        {
            return Ok(found);
        }
        let mut facts = self.stored_facts_of(domain).await?;
        if !facts.as_ref().is_some_and(&is_young) {
            let query = ResolveQuery {
                domain: domain.clone(),
                live: LivePolicy::Auto,
                max_age_hours,
                live_read_permit: permit,
            };
            match self.resolve(query).await {
                Ok(_) => facts = self.stored_facts_of(domain).await?,
                // The older reading is told with its age.
                Err(ResolveError::LiveLimit { .. } | ResolveError::TargetLimit { .. })
                    if facts.is_some() => {}
                Err(error) => return Err(error),
            }
        }
        let facts = facts.map(Arc::new);
        self.facts.put(domain, facts.clone(), now);
        Ok(facts)
    }

    /// Of the newest stored reading in which the home page was read.
    async fn stored_facts_of(
        &self,
        domain: &Domain,
    ) -> Result<Option<PublishedFacts>, ResolveError> {
        let readings = self.earlier_readings(domain).await?;
        let found = readings.iter().find(|reading| reading.record.fact_lineage.is_some());
        Ok(found.map(|reading| PublishedFacts::of(&reading.record)))
    }
}
