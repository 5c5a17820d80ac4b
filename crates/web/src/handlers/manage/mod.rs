//! `/manage`: what licence holders see and do after signing in with a key.
//!
//! Every form carries a secret of the session ([`session_form`]), so that no other site can send one. Nothing
//! here has CORS headers, and nothing may be stored by caches.

pub(crate) mod data;
pub(crate) mod keys;
pub(crate) mod overview;
pub(crate) mod scans;
mod session_form;
pub(crate) mod sessions;
pub(crate) mod sign_in;
pub(crate) mod webhooks;
