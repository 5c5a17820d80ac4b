//! Domains: who controls them.

pub mod control;

pub use control::{
    ClaimDetails, ClaimRow, ClaimSecret, ControlError, DisputeView, DomainControl, Owner,
    ProvenClaim,
};
