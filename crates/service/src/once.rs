//! Requests that are done once, however often they are sent.
//!
//! A key is the asker's own: the same key of another address, with another licence key shown, or
//! for another operation is another key.

use contract::limits::{IDEMPOTENCY_IN_FLIGHT, IDEMPOTENCY_KEPT};
use proof::Digest;
use store::{Begun, KeptReply, StoreError};

use crate::{AddressBlock, Service};

/// Whose key it is, and for what.
#[derive(Debug, Clone, Copy)]
pub struct OnceAsk<'a> {
    pub operation: &'a str,
    pub block: AddressBlock,
    /// Of the credentials that were shown.
    pub shown: Digest,
    pub key: &'a str,
    /// Of the request's body.
    pub request: Digest,
}

/// What is to be done with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnceStep {
    /// It is the first: do it, and say how it ended under this name.
    First(OnceName),
    /// The first is under way.
    InFlight,
    /// The key was used for another body.
    Reused,
    /// What the first was answered with.
    Replay(KeptReply),
}

/// What a request that was begun is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnceName(Digest);

impl Service {
    pub async fn begin_once(&self, ask: &OnceAsk<'_>) -> Result<OnceStep, StoreError> {
        let parts: [&[u8]; 4] = [
            ask.operation.as_bytes(),
            &ask.block.text().into_bytes(),
            ask.shown.as_bytes(),
            ask.key.as_bytes(),
        ];
        let name = self.secret.mac("requests done once", &parts);
        let now = self.clock.now();
        let until = now.plus_millis(millis(IDEMPOTENCY_IN_FLIGHT));
        Ok(match self.store.begin_once(name, ask.request, now, until).await? {
            Begun::New => OnceStep::First(OnceName(name)),
            Begun::InFlight => OnceStep::InFlight,
            Begun::Reused => OnceStep::Reused,
            Begun::Done(reply) => OnceStep::Replay(reply),
        })
    }

    /// Keeps a reply for those that follow; nothing frees the key.
    pub async fn end_once(&self, name: OnceName, reply: Option<KeptReply>) {
        let OnceName(name) = name;
        let until = self.clock.now().plus_millis(millis(IDEMPOTENCY_KEPT));
        let ended = match reply {
            Some(reply) => self.store.end_once(name, reply, until).await,
            None => self.store.abandon_once(name).await,
        };
        // What was done is done and is answered; the key is free again after a while.
        if let Err(error) = ended {
            tracing::error!(%error, "the reply to a request with a key could not be kept");
        }
    }
}

fn millis(time: std::time::Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
