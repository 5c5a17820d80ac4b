//! HTTP calls to an address that the operator configured or typed, such as their own server, which
//! may be on loopback.
//!
//! Do not use this for anything that a third party chose: it has no address guard. Time and size
//! are bounded, redirects are not followed, and certificates must be valid.

mod call;
mod keyed_call;
mod secret;

pub use call::{Call, CallError, CallResponse, ask_own_server, call_json};
pub use keyed_call::{KeyedCall, KeyedResponse, TrustedAuthorities, is_loopback};
pub use secret::{KeyHeader, Secret};
