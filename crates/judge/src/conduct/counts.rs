//! What is counted of one agent.

use std::collections::BTreeMap;

use contract::Timestamp;
use serde::{Deserialize, Serialize};

/// Different rules whose breaking is counted one by one; the others are counted together.
const MAX_RULES: usize = 100;

/// Counts of one agent over some time, for example a day.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentCounts {
    /// Requests from addresses that the operator publishes.
    pub verified: u64,
    /// Requests in its name from other addresses.
    pub forged: u64,
    /// Requests in its name that could not be checked.
    pub unverifiable: u64,
    /// The following are of verified requests only.
    pub robots_txt_fetches: u64,
    pub disallowed_fetches: u64,
    /// How often each rule of robots.txt was broken, by its pattern.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub broken_rules: BTreeMap<String, u64>,
    pub conditional: u64,
    pub peak: Option<Peak>,
    pub first_seen: Option<Timestamp>,
    pub last_seen: Option<Timestamp>,
}

/// The most requests within a minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peak {
    pub requests: u64,
    /// Minutes since 1970.
    pub minute: i64,
}

impl Peak {
    /// The minute as `2026-11-16T12:00Z`.
    #[must_use]
    pub fn minute_text(&self) -> String {
        let at = Timestamp::from_millis(self.minute.saturating_mul(60_000)).to_string();
        format!("{}Z", at.get(..16).unwrap_or(&at))
    }
}

impl AgentCounts {
    /// Adds the counts of another time, or of another process.
    pub fn merge(&mut self, other: &Self) {
        self.verified = self.verified.saturating_add(other.verified);
        self.forged = self.forged.saturating_add(other.forged);
        self.unverifiable = self.unverifiable.saturating_add(other.unverifiable);
        self.robots_txt_fetches = self.robots_txt_fetches.saturating_add(other.robots_txt_fetches);
        self.disallowed_fetches = self.disallowed_fetches.saturating_add(other.disallowed_fetches);
        self.conditional = self.conditional.saturating_add(other.conditional);
        for (rule, count) in &other.broken_rules {
            self.break_rule(rule, *count);
        }
        if let Some(peak) = other.peak {
            self.see_peak(peak);
        }
        for seen in [other.first_seen, other.last_seen].into_iter().flatten() {
            self.see_at(seen);
        }
    }

    /// Requests in the name of the agent.
    #[must_use]
    pub fn claimed(&self) -> u64 {
        self.verified.saturating_add(self.forged).saturating_add(self.unverifiable)
    }

    pub(super) fn break_rule(&mut self, rule: &str, count: u64) {
        if let Some(known) = self.broken_rules.get_mut(rule) {
            *known = known.saturating_add(count);
        } else if self.broken_rules.len() < MAX_RULES {
            self.broken_rules.insert(rule.to_owned(), count);
        }
    }

    /// The higher peak counts; of equal ones the earlier.
    pub(super) fn see_peak(&mut self, seen: Peak) {
        let is_higher = |peak: Peak| {
            (seen.requests, std::cmp::Reverse(seen.minute))
                > (peak.requests, std::cmp::Reverse(peak.minute))
        };
        if self.peak.is_none_or(is_higher) {
            self.peak = Some(seen);
        }
    }

    pub(super) fn see_at(&mut self, at: Timestamp) {
        self.first_seen = Some(self.first_seen.map_or(at, |seen| seen.min(at)));
        self.last_seen = Some(self.last_seen.map_or(at, |seen| seen.max(at)));
    }
}
