//! The resolve answer and the answers behind it (rights, claims, read equivalence, content clock,
//! changes, corroboration).
//!
//! The way of a resolve answer: `build_sections` turns one judged reading into sections, `refresh`
//! updates what depends on the time of the request, `assemble_answer` decides on the sections and
//! assembles the answer. The sections of a stored answer can be refreshed later: that gives the next
//! answer from the same reading.

mod assemble_answer;
mod build_sections;
mod capabilities;
mod capability_calls;
mod carried_calls;
pub mod census;
pub mod changes;
pub mod claims;
pub mod clock;
mod comparable_fields;
mod compared_sections;
mod contradictions;
pub mod corroboration;
mod crawl_policy;
pub(crate) mod delivery;
pub mod dns_and_tls;
mod entity;
pub mod equivalence;
pub mod high_risk;
mod judged_reading;
pub mod machine_files;
mod refresh;
pub mod rights;
pub(crate) mod sections;
#[cfg(test)]
pub(crate) mod testing;
pub mod urls;

pub use assemble_answer::assemble_answer;
pub use build_sections::{build_sections, unclaimed_control};
pub use capabilities::capabilities;
pub use carried_calls::carry_calls;
pub use contradictions::contradictions;
pub use corroboration::vantage_state_meanings;
pub use entity::entity;
pub use judged_reading::{JudgedReading, ReadingKind};
pub use refresh::{
    HOUR_MS, PlannedUpgrade, ReadingsSummary, RefreshInputs, TimedLookup, refresh_sections,
};
pub use sections::Sections;

#[cfg(test)]
mod section_tests;
