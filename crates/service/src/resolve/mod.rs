//! Resolve: what way an agent has at a domain, as one signed answer.
//!
//! What is hot is given as it is ([`hot`]). Else one making for all who ask at once ([`flights`]):
//! from a scan that is newer than the last answer, from the last answer while its reading is kept,
//! or from a live reading ([`making`]). Every answer passes the log before anybody is given it.

mod flights;
mod hot;
mod landing;
mod local;
mod making;
mod many;
mod moment;
mod prefix;
mod robots;
mod windows;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use contract::{Domain, NameRefusal};
use store::StoreError;

pub use hot::HotAnswer;
pub use judge::lookalike::Ranking;
pub(crate) use making::UPGRADE;
pub use many::{Many, ManyAsk, NotAnswered};
pub use prefix::{Bucket, PrefixError};
pub use robots::KnownRobots;
pub use store::HexPrefix;
pub use windows::UpgradeWindows;

use crate::scan::ScanError;
use crate::{MayRead, SealError, Service};

/// Counts answers by what they were made `from`; `memory` is counted by whoever gives them.
pub const ANSWERS_TOTAL: &str = "wayleave_answers_total";

/// What an operator decides about answers.
#[derive(Debug, Clone)]
pub struct ResolveSettings {
    /// For all reads of a live answer together.
    pub live_budget: Duration,
    /// Kept free of reading, so that the answer is judged, logged and out within the budget.
    pub reserve: Duration,
    /// Answers in memory.
    pub hot_bytes: usize,
    pub windows: UpgradeWindows,
    /// Names that others imitate; nothing for the list that is built in.
    pub ranking: Option<Arc<Ranking>>,
}

impl ResolveSettings {
    pub(crate) fn ranking(&self) -> &Ranking {
        self.ranking.as_deref().unwrap_or_else(|| Ranking::built_in())
    }
}

impl Default for ResolveSettings {
    fn default() -> Self {
        Self {
            live_budget: contract::limits::LIVE_READ_BUDGET,
            reserve: Duration::from_millis(100),
            hot_bytes: 256 * 1024 * 1024,
            windows: UpgradeWindows::default(),
            ranking: None,
        }
    }
}

/// What a caller asks for.
#[derive(Clone)]
#[allow(missing_debug_implementations, reason = "holds a callback")]
pub struct ResolveAsk {
    pub domain: Domain,
    pub live: Live,
    /// Older evidence than this is read anew, when it may be.
    pub max_age_hours: Option<u32>,
    /// Asked when a live reading is about to begin.
    pub may_read: Arc<dyn MayRead>,
}

/// Whether the site itself is read for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Live {
    /// When nothing fresh is kept.
    Auto,
    Never,
    /// Unless it was read within the last minutes.
    Always,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum ResolveError {
    #[error(transparent)]
    BadDomain(#[from] NameRefusal),
    /// Nothing is kept, and nothing was to be read.
    #[error("nothing is kept of this domain")]
    NothingKept,
    #[error("this address has had as many live readings as it may for now")]
    LiveLimit { wait: Duration },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Seal(#[from] SealError),
    #[error("the answer failed on our side: {0}")]
    Internal(String),
}

impl From<ScanError> for ResolveError {
    fn from(error: ScanError) -> Self {
        match error {
            ScanError::BadDomain(refusal) => Self::BadDomain(refusal),
            ScanError::Store(error) => Self::Store(error),
            other => Self::Internal(other.to_string()),
        }
    }
}

/// What resolving holds in memory.
pub(crate) struct Resolving {
    hot: hot::HotAnswers,
    flights: flights::Flights<(Domain, Live), Result<Arc<HotAnswer>, ResolveError>>,
    /// Live readings under way.
    readings: Arc<AtomicUsize>,
}

/// A live reading under way.
struct ReadingNow {
    readings: Arc<AtomicUsize>,
    others: usize,
}

impl ReadingNow {
    /// How many were under way when it began.
    fn others(&self) -> usize {
        self.others
    }
}

impl Drop for ReadingNow {
    fn drop(&mut self) {
        self.readings.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Resolving {
    pub(crate) fn new(settings: &ResolveSettings) -> Self {
        Self {
            hot: hot::HotAnswers::new(settings.hot_bytes),
            flights: flights::Flights::default(),
            readings: Arc::default(),
        }
    }

    /// Counts a live reading for as long as what is given is held.
    fn begin_reading(&self) -> ReadingNow {
        let others = self.readings.fetch_add(1, Ordering::Relaxed);
        ReadingNow { readings: Arc::clone(&self.readings), others }
    }
}

impl Service {
    /// An answer that can be given as it is.
    #[must_use]
    pub fn hot_answer(&self, domain: &Domain) -> Option<Arc<HotAnswer>> {
        self.hot_answer_named(domain.as_str())
    }

    /// The same by a name that nobody has read as a domain: only a domain's own name finds it.
    #[must_use]
    pub fn hot_answer_named(&self, name: &str) -> Option<Arc<HotAnswer>> {
        self.resolving.hot.get(name, self.clock.now())
    }

    /// The signed answer about a domain.
    pub async fn resolve(
        self: &Arc<Self>,
        ask: ResolveAsk,
    ) -> Result<Arc<HotAnswer>, ResolveError> {
        if ask.live != Live::Always
            && let Some(hot) = self.hot_answer(&ask.domain)
            && self.is_young_enough(&hot, ask.max_age_hours)
        {
            metrics::counter!(ANSWERS_TOTAL, "from" => "memory").increment(1);
            return Ok(hot);
        }
        let service = Arc::clone(self);
        let key = (ask.domain.clone(), ask.live);
        let made = self.resolving.flights.join(key, move || async move { service.make(ask).await });
        made.await.unwrap_or_else(|| Err(ResolveError::Internal("the making broke off".to_owned())))
    }

    fn is_young_enough(&self, hot: &HotAnswer, max_age_hours: Option<u32>) -> bool {
        let Some(most) = max_age_hours else { return true };
        let answer = hot.answer();
        let observed_at = answer.and_then(|answer| answer.freshness.observed_at);
        observed_at.is_some_and(|then| {
            self.clock.now().millis_since(then) <= i64::from(most) * judge::resolve::HOUR_MS
        })
    }
}
