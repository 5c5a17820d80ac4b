//! The rules, one file for each section: what was read in, rulings, caps and findings out.

mod caching;
mod content;
mod equivalence;
mod identity;
mod machine_files;
mod policy;
mod reach;
mod transport;

use contract::records::{
    AgentView, CachingReading, Check, ContentReading, FactLineage, PolicyReading, TransportReading,
};

use super::look::Look;
use super::verdicts::Verdicts;

/// Everything that was read, by topic.
pub(super) struct Readings<'a> {
    pub(super) look: &'a Look<'a>,
    pub(super) view: &'a AgentView,
    pub(super) policy: &'a PolicyReading,
    pub(super) checks: &'a [Check],
    pub(super) content: &'a ContentReading,
    pub(super) lineage: Option<&'a FactLineage>,
    pub(super) caching: &'a CachingReading,
    pub(super) transport: &'a TransportReading,
}

pub(super) fn judge(readings: &Readings<'_>) -> Verdicts {
    let mut verdicts = Verdicts::default();
    reach::judge(readings, &mut verdicts);
    policy::judge(readings, &mut verdicts);
    machine_files::judge(readings, &mut verdicts);
    content::judge(readings, &mut verdicts);
    identity::judge(readings, &mut verdicts);
    equivalence::judge(readings, &mut verdicts);
    caching::judge(readings, &mut verdicts);
    transport::judge(readings, &mut verdicts);
    verdicts
}
