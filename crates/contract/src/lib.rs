//! Every record on the wire, as types with schemas.
//!
//! The ground floor: no I/O, nothing of ours underneath. What leaves the process is defined here
//! and nowhere else, so that a reader of this crate has read the whole interface.

pub mod brand;
pub mod clock;
pub mod core_ops;
pub mod day;
pub mod domain;
pub mod errors;
pub mod evidence;
pub mod limits;
pub mod open_enum;
pub mod ratio;
pub mod records;
pub mod schema;
pub mod time;

pub use brand::Brand;
pub use clock::Clock;
pub use day::Day;
pub use domain::{Domain, HostName, NamePolicy, NameRefusal};
pub use errors::{ErrorCode, ErrorV1};
pub use ratio::{Quotient, Ratio};
pub use time::Timestamp;
