//! Who sends a request: the holder of a licence, who shows a key or has signed in, or somebody unknown at an
//! address. Everything that asks who a caller is asks [`Principal`]; whatever a licence pays for asks
//! [`CountedPrincipal`], which counts the call against the licence's quota.

pub(crate) mod claim_secret;
mod counted_call;
mod extractor;
pub(crate) mod same_origin;
pub(crate) mod session_cookie;

pub(crate) use counted_call::{CountedPrincipal, settle_calls, write_quota_headers};
pub(crate) use extractor::{Holder, Principal};
