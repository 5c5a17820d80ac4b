//! What all visits of one door together may do to one target: connections at once and reads a
//! minute, by address, by network and in total.
//!
//! The limits of a visit protect a target from one scan. These protect it from many scans at once:
//! anybody can point a hundred names at somebody else's address.

mod connection_lease;
mod limits;
mod read_reservation;
mod read_window;
mod target_table;

pub(crate) use connection_lease::ConnectionLease;
pub use limits::{TargetLimit, TargetLimits, TargetRefusal, network_of};
pub(crate) use read_reservation::ReadReservation;
pub(crate) use target_table::TargetTable;
