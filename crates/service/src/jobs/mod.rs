//! What happens without being asked: one file for each kind of work.

mod sealing;
mod upgrades;
mod upkeep;
mod witness;

pub use sealing::sealing;
pub use upgrades::upgrades;
pub use upkeep::upkeep;
pub use witness::{NotAWitness, WitnessPeer, witnesses};
