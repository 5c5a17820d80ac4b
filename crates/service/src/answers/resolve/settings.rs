//! Settings of answers.

use std::sync::Arc;
use std::time::Duration;

use judge::lookalike::Ranking;

use super::upgrade_windows::UpgradeWindows;

/// What an operator can configure about answers.
#[derive(Debug, Clone)]
pub struct ResolveSettings {
    /// Time limit for a live answer, from the first read to the signature.
    pub live_budget: Duration,
    /// The part of `live_budget` that is reserved for judging, logging and signing.
    pub reserve: Duration,
    /// Memory for cached answers, with everything an entry holds, in bytes.
    pub cache_bytes: usize,
    /// Memory for the answers that are kept in parsed form, for decisions, in bytes.
    pub parsed_cache_bytes: usize,
    /// Memory for parsed robots.txt files, in bytes.
    pub robots_cache_bytes: usize,
    pub windows: UpgradeWindows,
    /// Full scans that may wait in the queue.
    pub queue_max: u32,
    /// Well-known domain names that others imitate; `None` for the built-in list.
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
            cache_bytes: 256 * 1024 * 1024,
            parsed_cache_bytes: 32 * 1024 * 1024,
            robots_cache_bytes: 32 * 1024 * 1024,
            windows: UpgradeWindows::default(),
            queue_max: contract::limits::SCAN_QUEUE_MAX,
            ranking: None,
        }
    }
}
