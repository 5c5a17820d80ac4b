//! The census: a ranked list of domains, each measured once in a run, and what is shown of it.

mod list;
mod run;
mod shown;

pub use list::CensusList;
pub use run::{CensusDone, CensusProgress, CensusRunError};
pub use shown::{CensusCursor, CensusError, CensusPaper, CensusWanted};
