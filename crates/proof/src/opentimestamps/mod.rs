//! OpenTimestamps: proofs that a message existed before a block of a public blockchain.
//!
//! A [`Stamp`] is a tree that starts from a message both sides know: each branch applies an [`Op`]
//! to the message, each leaf is an [`Attestation`] about the result. Stamps come from calendar
//! servers, so parsing is bounded in depth, size and count. Nothing here uses the network:
//! [`Stamp::evaluate`] computes the attested messages, and the caller compares them with a block.

mod attestation;
mod bytes;
mod error;
mod file;
mod limits;
mod op;
mod stamp;

pub use attestation::Attestation;
pub use error::OtsError;
pub use file::{MEDIA_TYPE, OtsFile};
pub use limits::{MAX_DEPTH, MAX_MESSAGE, MAX_NODES, MAX_STAMP_BYTES};
pub use op::Op;
pub use stamp::{AttestedMessage, Stamp};

/// The most bytes a client reads of a calendar's response.
pub const MAX_CALENDAR_RESPONSE: usize = 10_000;
/// The Accept header value for requests to calendars.
pub const CALENDAR_ACCEPT: &str = "application/vnd.opentimestamps.v1";
