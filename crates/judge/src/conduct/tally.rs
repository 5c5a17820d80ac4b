//! Counts requests as they come, or as a log has them.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use contract::Timestamp;

use super::counts::{AgentCounts, Peak};

/// Minutes of one agent that are counted at once. Lines of a log are not always in order: a server writes a
/// line when the response ends, and files of several servers are read one after the other.
const MAX_OPEN_MINUTES: usize = 2048;

/// Who a request really came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    Verified,
    Forged,
    Unverifiable,
}

/// One request in the name of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sighting<'a> {
    pub claim: Claim,
    /// `None`: the log line has no time.
    pub at: Option<Timestamp>,
    pub is_robots_txt: bool,
    pub is_conditional: bool,
    /// The pattern of robots.txt that forbids the request to this agent.
    pub broken_rule: Option<&'a str>,
}

/// The counts of several agents, by whatever names them.
#[derive(Debug, Clone)]
pub struct ConductTally<K> {
    agents: HashMap<K, Counted>,
}

#[derive(Debug, Clone, Default)]
struct Counted {
    counts: AgentCounts,
    /// Requests of each minute that may still grow.
    open_minutes: BTreeMap<i64, u64>,
}

impl<K> Default for ConductTally<K> {
    fn default() -> Self {
        Self { agents: HashMap::new() }
    }
}

impl<K: Eq + Hash> ConductTally<K> {
    pub fn add(&mut self, agent: K, sighting: &Sighting<'_>) {
        self.agents.entry(agent).or_default().add(sighting);
    }

    /// Adds what another thread counted.
    pub fn merge(&mut self, other: Self) {
        for (agent, counted) in other.agents {
            let own = self.agents.entry(agent).or_default();
            own.counts.merge(&counted.counts);
            for (minute, requests) in counted.open_minutes {
                own.count_minute(minute, requests);
            }
        }
    }

    /// Ends the minutes before this one, so that they take no more memory. A request of such a minute that
    /// comes later is counted as if it were alone in it.
    pub fn end_minutes_before(&mut self, minute: i64) {
        for counted in self.agents.values_mut() {
            let open = counted.open_minutes.split_off(&minute);
            for (minute, requests) in std::mem::replace(&mut counted.open_minutes, open) {
                counted.counts.see_peak(Peak { requests, minute });
            }
        }
    }

    /// The counts of each agent so far.
    pub fn counts_so_far(&self) -> impl Iterator<Item = (&K, AgentCounts)> {
        self.agents.iter().map(|(agent, counted)| (agent, counted.clone().finish()))
    }

    /// The counts of each agent.
    pub fn finish(self) -> impl Iterator<Item = (K, AgentCounts)> {
        self.agents.into_iter().map(|(agent, counted)| (agent, counted.finish()))
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.agents.is_empty()
    }
}

impl Counted {
    fn add(&mut self, sighting: &Sighting<'_>) {
        let counts = &mut self.counts;
        match sighting.claim {
            Claim::Verified => counts.verified += 1,
            Claim::Forged => counts.forged += 1,
            Claim::Unverifiable => counts.unverifiable += 1,
        }
        // What somebody does in the name of an agent says nothing about the agent.
        if sighting.claim != Claim::Verified {
            return;
        }
        counts.robots_txt_fetches += u64::from(sighting.is_robots_txt);
        counts.conditional += u64::from(sighting.is_conditional);
        if let Some(rule) = sighting.broken_rule {
            counts.disallowed_fetches += 1;
            counts.break_rule(rule, 1);
        }
        if let Some(at) = sighting.at {
            counts.see_at(at);
            self.count_minute(at.as_millis().div_euclid(60_000), 1);
        }
    }

    fn count_minute(&mut self, minute: i64, requests: u64) {
        *self.open_minutes.entry(minute).or_default() += requests;
        if self.open_minutes.len() > MAX_OPEN_MINUTES
            && let Some((minute, requests)) = self.open_minutes.pop_first()
        {
            self.counts.see_peak(Peak { requests, minute });
        }
    }

    fn finish(mut self) -> AgentCounts {
        for (minute, requests) in self.open_minutes {
            self.counts.see_peak(Peak { requests, minute });
        }
        self.counts
    }
}
