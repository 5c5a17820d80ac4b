//! Canonical JSON, digests, keys, signatures, Merkle trees, and the verification of all of them.
//!
//! Pure functions of their arguments: no clock, no network, no store. Time is passed in as a
//! [`contract::Timestamp`]; the only files used are those of the key directory
//! ([`keys::KeyStore`]).

pub mod audit;
pub mod canonical;
pub mod day_seal;
pub mod decision_content;
pub mod digest;
pub mod embedding;
pub mod envelope;
mod error;
pub mod http_signatures;
mod json_view;
pub mod jws;
pub mod keys;
pub mod merkle_tree;
pub mod opentimestamps;
pub mod resigning;
pub mod signature;
pub mod staple;
pub mod tlog;
pub mod tree_head;
pub mod verify;

pub use digest::{Digest, Hasher, sha256};
pub use embedding::SignedLayout;
pub use error::ProofError;
pub use keys::{KeyPurpose, KeyStore, PublicKey, SigningKey};
pub use signature::{
    OpenRecord, SignedDocument, SignedRecord, sign_document, sign_record, sign_record_with,
};
pub use verify::{KeyPolicy, Verdict, Verifier, verify_document};
