//! What happens without being asked: one file for each kind of work.

mod sealing;
mod upkeep;
mod witness;

pub use sealing::sealing;
pub use upkeep::upkeep;
pub use witness::{NotAWitness, WitnessPeer, witnesses};
