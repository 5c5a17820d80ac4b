//! Looking a domain up without naming it: by the first digits of its digest.

use bytes::Bytes;
use contract::limits::PREFIX_BUCKET;
use store::{HexPrefix, StoreError};

use crate::Service;

/// The answers of all domains whose digest begins so.
#[derive(Debug, Clone)]
pub struct Bucket {
    /// The SHA-256 of each domain, and the signed answer.
    pub answers: Vec<(proof::Digest, Bytes)>,
}

#[derive(Debug, thiserror::Error)]
pub enum PrefixError {
    /// One more digit would make it smaller.
    #[error("more than {PREFIX_BUCKET} domains share this prefix")]
    TooMany,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Service {
    /// The newest kept answer of each domain in a bucket. Nothing is read for it, and what is asked
    /// for is not written down.
    pub async fn resolve_prefix(&self, prefix: HexPrefix) -> Result<Bucket, PrefixError> {
        let kept = self.store.answers_by_prefix(prefix, PREFIX_BUCKET + 1).await?;
        if kept.len() > PREFIX_BUCKET {
            return Err(PrefixError::TooMany);
        }
        let answers = kept.into_iter().map(|kept| {
            // What is hot is the same reading, brought up to now.
            let bytes = self.hot_answer(&kept.domain).map_or(kept.bytes, |hot| hot.bytes.clone());
            (proof::sha256(kept.domain.as_str().as_bytes()), bytes)
        });
        Ok(Bucket { answers: answers.collect() })
    }
}
