//! What happens without being asked: one file for each kind of work.

mod sealing;
mod upkeep;

pub use sealing::sealing;
pub use upkeep::upkeep;
