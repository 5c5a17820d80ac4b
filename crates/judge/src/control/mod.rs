//! Who controls a domain: the life of a claim, as a function of what was read.
//!
//! [`TRANSITIONS`] is the whole table of states. [`apply_check`] finds out which of its triggers a check
//! amounts to, and applies them; [`accept_proof`] begins a claim. A claim that lapsed or was suspended never
//! comes back by itself: its token has been public, so whoever took the site over could have kept it in
//! place. Only a new token, which makes a new claim, proves control again.

mod check;
mod claim;
mod registry;
mod summary;
mod texts;
mod transitions;

#[cfg(test)]
mod tests;

pub use check::{Check, CheckOutcome, ProofReading, accept_proof, apply_check, apply_trigger};
pub use claim::{Claim, StateChange, grants_access, leading_claim, state_at};
pub use registry::{RegistryFacts, RegistryReading};
pub use summary::control_summary;
pub use texts::describe_state;
pub use transitions::{TRANSITIONS, TransitionRule, Trigger, find_transition};
