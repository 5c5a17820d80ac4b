//! Looks domains up by a prefix of their SHA-256, so that the caller does not reveal the domain.

use bytes::Bytes;
use contract::limits::PREFIX_BUCKET_MAX;
use proof::{Digest, ProofError};
use store::{HexPrefix, StoreError};

use crate::answers::Answers;

/// The answers about all domains whose digest has the prefix.
#[derive(Debug, Clone)]
pub struct AnswersByPrefix {
    /// The SHA-256 of each domain, and the signed answer.
    pub answers: Vec<(Digest, Bytes)>,
}

#[derive(Debug, thiserror::Error)]
pub enum PrefixError {
    /// A longer prefix gives a smaller bucket.
    #[error("more than {PREFIX_BUCKET_MAX} domains have this prefix; use a longer one")]
    TooMany,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] ProofError),
}

impl Answers {
    /// The newest stored answer about each domain in the bucket. No site is read, and the prefix is
    /// not logged.
    pub async fn resolve_prefix(&self, prefix: HexPrefix) -> Result<AnswersByPrefix, PrefixError> {
        let stored = self.store.answers_by_prefix(prefix, PREFIX_BUCKET_MAX + 1).await?;
        if stored.len() > PREFIX_BUCKET_MAX {
            return Err(PrefixError::TooMany);
        }
        let answers = stored.into_iter().map(|stored| {
            // A cached answer is based on the same reading, refreshed to a later time.
            let cached = self.cached_answer(&stored.domain);
            let bytes =
                cached.map_or_else(|| stored.bytes.into_bytes(), |cached| cached.bytes.clone());
            (proof::sha256(stored.domain.as_str().as_bytes()), bytes)
        });
        let (digests, answers): (Vec<Digest>, Vec<Bytes>) = answers.unzip();
        let answers = self.keys.make_servable(answers).await?;
        Ok(AnswersByPrefix { answers: digests.into_iter().zip(answers).collect() })
    }
}
