//! Idempotency keys: a request with a key is executed once, however often it is sent.
//!
//! A key belongs to one client: the same text from another address, with another licence key, or for
//! another operation is a different key.

use contract::limits::{IDEMPOTENCY_IN_FLIGHT_TIMEOUT, IDEMPOTENCY_REPLY_TTL};
use proof::Digest;
use store::{IdempotencyStart, StoreError, StoredReply};

use crate::access::{Access, AddressBlock};

/// A request with an idempotency key, and the client it came from.
#[derive(Debug, Clone, Copy)]
pub struct IdempotencyRequest<'a> {
    pub operation: &'a str,
    pub block: AddressBlock,
    /// Digest of the credentials in the request.
    pub credentials_digest: Digest,
    pub key: &'a str,
    /// Digest of the request body.
    pub request_digest: Digest,
}

/// What to do with a request that has an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdempotencyOutcome {
    /// The first with this key: execute it, then pass the handle to `finish_idempotent`.
    First(IdempotencyHandle),
    /// The first request with this key is still running.
    InFlight,
    /// The key was used before with another body.
    Reused,
    /// The reply to the first request.
    Replay(StoredReply),
}

/// Identifies a request that was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdempotencyHandle(Digest);

impl Access {
    pub async fn begin_idempotent(
        &self,
        request: &IdempotencyRequest<'_>,
    ) -> Result<IdempotencyOutcome, StoreError> {
        let parts: [&[u8]; 4] = [
            request.operation.as_bytes(),
            &request.block.text().into_bytes(),
            request.credentials_digest.as_bytes(),
            request.key.as_bytes(),
        ];
        let key_digest = self.secret.mac("requests done once", &parts);
        let now = self.clock.now();
        let until = now.plus_millis(millis(IDEMPOTENCY_IN_FLIGHT_TIMEOUT));
        Ok(
            match self
                .store
                .begin_idempotent(key_digest, request.request_digest, now, until)
                .await?
            {
                IdempotencyStart::New => IdempotencyOutcome::First(IdempotencyHandle(key_digest)),
                IdempotencyStart::InFlight => IdempotencyOutcome::InFlight,
                IdempotencyStart::Reused => IdempotencyOutcome::Reused,
                IdempotencyStart::Done(reply) => IdempotencyOutcome::Replay(reply),
            },
        )
    }

    /// Stores the reply for repeats of the request. `None` releases the key without a reply.
    pub async fn finish_idempotent(&self, handle: IdempotencyHandle, reply: Option<StoredReply>) {
        let IdempotencyHandle(key_digest) = handle;
        let until = self.clock.now().plus_millis(millis(IDEMPOTENCY_REPLY_TTL));
        let stored = match reply {
            Some(reply) => self.store.finish_idempotent(key_digest, reply, until).await,
            None => self.store.abandon_idempotent(key_digest).await,
        };
        // The request itself succeeded, so only log this. The key expires by itself.
        if let Err(error) = stored {
            tracing::error!(%error, "the reply to a request with an idempotency key could not be stored");
        }
    }
}

fn millis(time: std::time::Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
