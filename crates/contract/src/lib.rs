//! Every record on the wire, as types with JSON Schemas.
//!
//! The lowest crate: no I/O, and no dependency on another crate of the workspace. Every type that
//! leaves the process is defined here and nowhere else, so this crate shows the whole interface.
//! [`json`] and [`text`] parse and show what strangers send; every other crate uses them.

pub mod brand;
pub mod clock;
pub mod control_proof;
pub mod core_contract;
pub mod day;
pub mod domain;
pub mod engine_evidence;
pub mod errors;
pub mod evidence;
mod issuer;
pub mod json;
pub mod limits;
pub mod mcp_evidence;
pub mod month;
pub mod open_enum;
pub mod policies;
pub mod ratio;
pub mod records;
pub mod schema;
mod schema_address;
pub mod schema_bounds;
pub mod text;
pub mod time;

pub use brand::Brand;
pub use clock::Clock;
pub use day::Day;
pub use domain::{Domain, HostName, NamePolicy, NameRefusal};
pub use errors::{ErrorCode, ErrorV1};
pub use issuer::Issuer;
pub use month::Month;
pub use ratio::{Quotient, Ratio};
pub use time::Timestamp;
