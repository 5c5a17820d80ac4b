//! Canonical JSON, digests, keys, signatures, trees, and checking all of them.
//!
//! Functions of their arguments: no clock, no network, no store. Time comes in as
//! [`contract::Timestamp`]; the only files touched are those of the key store
//! ([`keys::KeyStore`]).

pub mod audit;
pub mod canonical;
pub mod content;
pub mod digest;
pub mod envelope;
mod error;
pub mod head;
pub mod httpsig;
pub mod keys;
pub mod ots;
pub mod seal;
pub mod signature;
pub mod staple;
pub mod tlog;
pub mod tree;
pub mod verify;

pub use digest::{Digest, Hasher, sha256};
pub use error::ProofError;
pub use keys::{KeyPurpose, KeyStore, PublicKey, SigningKey};
pub use signature::{SignedDocument, sign_document};
pub use verify::{KeyPolicy, Verdict, verify_document};
