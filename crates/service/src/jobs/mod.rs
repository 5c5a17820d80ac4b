//! What happens without being asked: one file for each kind of work.

mod upkeep;

pub use upkeep::upkeep;
