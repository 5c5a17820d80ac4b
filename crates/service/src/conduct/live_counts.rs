//! What was counted since the last write, together with what is stored of the same day.

use std::collections::{BTreeMap, HashMap};

use agents::{AgentIndex, KnownAgents};
use contract::records::SiteChecks;
use contract::{Day, Timestamp};
use judge::conduct::{ConductTally, Sighting};

use crate::log::daily_seals::DayCounts;

/// Days that are counted at once: the current one and one that is not written yet. More of them mean that
/// nothing can be written, or that the clock jumps.
const MAX_DAYS: usize = 3;

/// The counts in memory. Their size depends on the catalogue alone, whatever requests come.
#[derive(Debug, Default)]
pub(super) struct LiveCounts {
    days: BTreeMap<Day, LiveDay>,
}

#[derive(Debug, Default)]
struct LiveDay {
    /// What was stored of this day when its counting began; `None` until it is read.
    stored: Option<StoredPart>,
    tally: ConductTally<AgentIndex>,
    checks: HashMap<AgentIndex, SiteChecks>,
    /// How often something was counted, and how much of it is written.
    changes: u64,
    written: u64,
}

#[derive(Debug)]
pub(super) struct StoredPart {
    pub(super) since: Timestamp,
    pub(super) counts: DayCounts,
}

/// The totals of a day, to be written.
pub(super) struct DayTotals {
    pub(super) since: Timestamp,
    pub(super) counts: DayCounts,
    changes: u64,
}

impl LiveCounts {
    pub(super) fn add(&mut self, day: Day, agent: AgentIndex, sighting: &Sighting<'_>) {
        if let Some(live) = self.day(day) {
            live.tally.add(agent, sighting);
        }
    }

    pub(super) fn add_checks(&mut self, day: Day, agent: AgentIndex, new: SiteChecks) {
        let Some(live) = self.day(day) else { return };
        let checks = live.checks.entry(agent).or_default();
        checks.checked = checks.checked.saturating_add(new.checked);
        checks.verified = checks.verified.saturating_add(new.verified);
        checks.spoofed = checks.spoofed.saturating_add(new.spoofed);
    }

    /// `None` if there is no room for another day; then the request is not counted.
    fn day(&mut self, day: Day) -> Option<&mut LiveDay> {
        if self.days.len() >= MAX_DAYS && !self.days.contains_key(&day) {
            return None;
        }
        let live = self.days.entry(day).or_default();
        live.changes += 1;
        Some(live)
    }

    /// The days with something that is not written yet.
    pub(super) fn unwritten_days(&self) -> Vec<Day> {
        let unwritten = self.days.iter().filter(|(_, live)| live.changes > live.written);
        unwritten.map(|(day, _)| *day).collect()
    }

    pub(super) fn needs_stored_part(&self, day: Day) -> bool {
        self.days.get(&day).is_some_and(|live| live.stored.is_none())
    }

    pub(super) fn set_stored_part(&mut self, day: Day, stored: StoredPart) {
        if let Some(live) = self.days.get_mut(&day) {
            live.stored.get_or_insert(stored);
        }
    }

    /// The totals of a day: what was stored, and what was counted since. `None` while it is not known what is
    /// stored.
    pub(super) fn totals(&self, day: Day, known: &KnownAgents) -> Option<DayTotals> {
        let live = self.days.get(&day)?;
        let StoredPart { since, counts } = live.stored.as_ref()?;
        let mut counts = counts.clone();
        for (agent, counted) in live.tally.counts_so_far() {
            let Some(agent) = known.agent(*agent) else { continue };
            counts.agent(&agent.name).requests.merge(&counted);
        }
        for (agent, new) in &live.checks {
            let Some(agent) = known.agent(*agent) else { continue };
            let checks = &mut counts.agent(&agent.name).checks;
            checks.checked = checks.checked.saturating_add(new.checked);
            checks.verified = checks.verified.saturating_add(new.verified);
            checks.spoofed = checks.spoofed.saturating_add(new.spoofed);
        }
        Some(DayTotals { since: *since, counts, changes: live.changes })
    }

    /// These totals are stored.
    pub(super) fn set_written(&mut self, day: Day, totals: &DayTotals) {
        if let Some(live) = self.days.get_mut(&day) {
            live.written = live.written.max(totals.changes);
        }
    }

    pub(super) fn discard(&mut self, day: Day) {
        self.days.remove(&day);
    }

    /// Frees what is no longer needed: other days that are written, and minutes that are over.
    pub(super) fn tidy(&mut self, now: Timestamp) {
        let today = Day::of(now);
        self.days.retain(|day, live| *day == today || live.changes > live.written);
        let minute = now.as_millis().div_euclid(60_000);
        for live in self.days.values_mut() {
            live.tally.end_minutes_before(minute.saturating_sub(1));
        }
    }
}
