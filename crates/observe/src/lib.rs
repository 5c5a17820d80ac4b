//! Reading plans that turn a domain into Evidence.
//!
//! A plan decides what is read, as whom and in which order; `door` does the reading; what the bytes
//! mean is `judge`'s business. Nothing is kept here.

mod clock;
mod scan;

pub use clock::{ClockPlan, ClockRead};
pub use scan::{Depth, Progress, Read, ScanPlan, Step, StepRead};
