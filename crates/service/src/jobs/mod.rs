//! What happens without being asked: one file for each kind of work.

mod clocks;
mod sealing;
mod upgrades;
mod upkeep;
mod witness;

pub use clocks::clocks;
pub use sealing::sealing;
pub use upgrades::upgrades;
pub use upkeep::upkeep;
pub use witness::{NotAWitness, WitnessPeer, witnesses};
