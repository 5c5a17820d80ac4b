//! Reading a request: its URI, body, client, licence key and accepted media types.

pub(crate) mod body;
pub(crate) mod client_address;
pub(crate) mod content_negotiation;
pub mod fuzzing;
mod idempotency;
pub(crate) mod licence_key;
pub(crate) mod parameters;
mod query_pairs;
mod uri;

pub use body::StrictJson;
pub use client_address::{ClientAddress, PeerAddress};

pub(crate) use idempotency::{IdempotencyJson, IdempotencyScope, is_replayed};
pub(crate) use uri::{MAX_PARAMETER_CHARS, PathParameter, QueryParameters, query_parameters};
