//! One count: of a client, or of a network that it belongs to.

use super::{exact_window::ExactWindow, gcra::Gcra, rate::RateLimit};

/// A count and its limit. Times are nanoseconds since a fixed start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    Steady { rate: Gcra, arrival: u64 },
    Exact { limit: RateLimit, window: ExactWindow },
}

impl Count {
    /// The count with `items` more, or how long to wait until they are accepted.
    pub(super) fn take(self, items: u32, now: u64) -> Result<Self, u64> {
        Ok(match self {
            Self::Steady { rate, arrival } => {
                Self::Steady { rate, arrival: rate.take(arrival, items, now)? }
            }
            Self::Exact { limit, window } => {
                Self::Exact { limit, window: window.take(limit, items, now)? }
            }
        })
    }

    /// What [`Self::give_back`] needs of the request that was counted last.
    pub(super) fn last_mark(self) -> u64 {
        match self {
            Self::Steady { arrival, .. } => arrival,
            Self::Exact { window, .. } => window.last_leaves_at(),
        }
    }

    /// The count without one request, by its mark.
    pub(super) fn give_back(self, mark: u64, now: u64) -> Self {
        match self {
            Self::Steady { rate, arrival } => {
                Self::Steady { rate, arrival: rate.give_back(arrival, mark, now) }
            }
            Self::Exact { limit, window } => Self::Exact { limit, window: window.give_back(mark) },
        }
    }

    pub(super) fn remaining(self, now: u64) -> u32 {
        match self {
            Self::Steady { rate, arrival } => rate.remaining(arrival, now),
            Self::Exact { limit, window } => window.remaining(limit, now),
        }
    }

    pub(super) fn time_until_more(self, now: u64) -> u64 {
        match self {
            Self::Steady { rate, arrival } => rate.time_until_more(arrival, now),
            Self::Exact { window, .. } => window.time_until_more(now),
        }
    }
}
