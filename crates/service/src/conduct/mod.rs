//! Conduct: how agents behave on this service's own site.
//!
//! Every answered request whose user agent names a known agent is counted ([`tap`](self)), in memory; a job
//! looks up the names of addresses where only they can tell, and writes the totals of the day every few seconds. The signed record is made from what is written, so it never
//! says something that a crash takes back. Only counts by agent and day are kept: no address, no user agent.

mod flush;
mod live_counts;
mod named_agents;
mod record;
mod tap;
#[cfg(test)]
mod tests;
mod waiting;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use agents::SearchableAgents;
use contract::{Clock, Issuer, Timestamp};
use judge::conduct::SiteRules;
use store::Store;

pub use record::{ConductAnswer, ConductError};
pub use tap::AnsweredRequest;

use self::live_counts::LiveCounts;
use self::named_agents::RememberedUserAgents;
use self::record::PastDays;
use self::waiting::WaitingRequest;
use crate::own_reads::OwnReads;
use crate::scanner::Scanner;
use crate::signing_keys::SigningKeys;
use crate::visitors::Visitors;

/// The state of the group. `live` and `waiting` are locked for moments, never across an await. `writing` lets one task at a
/// time write, and `building` one at a time make a record.
pub struct Conduct {
    issuer: Issuer,
    store: Arc<dyn Store>,
    keys: Arc<SigningKeys>,
    clock: Arc<dyn Clock>,
    visitors: Arc<Visitors>,
    agents: Arc<SearchableAgents>,
    user_agents: RememberedUserAgents,
    own_reads: Arc<OwnReads>,
    site_rules: OnceLock<SiteRules>,
    /// Since when this process counts.
    started_at: Timestamp,
    live: Mutex<LiveCounts>,
    waiting: Mutex<Vec<WaitingRequest>>,
    writing: tokio::sync::Mutex<()>,
    building: tokio::sync::Mutex<Option<PastDays>>,
    answer: Mutex<Option<Arc<ConductAnswer>>>,
}

impl Conduct {
    pub(crate) fn new(
        issuer: Issuer,
        scanner: &Scanner,
        store: Arc<dyn Store>,
        keys: Arc<SigningKeys>,
        clock: Arc<dyn Clock>,
        visitors: Arc<Visitors>,
    ) -> Self {
        Self {
            issuer,
            store,
            keys,
            agents: visitors.known_agents(),
            visitors,
            user_agents: RememberedUserAgents::default(),
            own_reads: scanner.own_reads(),
            site_rules: OnceLock::new(),
            started_at: clock.now(),
            clock,
            live: Mutex::default(),
            waiting: Mutex::default(),
            writing: tokio::sync::Mutex::default(),
            building: tokio::sync::Mutex::default(),
            answer: Mutex::default(),
        }
    }

    /// What our own site tells agents in robots.txt. The first call counts.
    pub fn set_robots_txt(&self, robots_txt: &str) {
        self.site_rules.get_or_init(|| SiteRules::parse(robots_txt.as_bytes()));
    }

    fn lock_live(&self) -> MutexGuard<'_, LiveCounts> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
