//! How agents behaved on a site: requests are counted by agent, and the counts become a record.
//!
//! The service counts on its own site as requests arrive, `wayleave conduct` counts an owner's logs. Only
//! counts are kept, never an address.

mod counts;
mod facts;
mod record;
mod site_rules;
mod tally;
#[cfg(test)]
mod tests;

pub use counts::{AgentCounts, Peak};
pub use record::{AgentFacts, CountedAgent, MIN_VERIFIED_REQUESTS, RecordInputs, build_record};
pub use site_rules::SiteRules;
pub use tally::{Claim, ConductTally, Sighting};
