//! Sessions of licence holders who signed in with a key, and of owners of domains. Only the digest of a session's token is stored.
//!
//! Not part of a copy: who signed in here is not signed in elsewhere.

use contract::Timestamp;

use crate::{BoxFuture, Digest, StoreError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// SHA-256 of the token. Unique.
    pub token_sha256: Digest,
    /// The licence; for the owner of a domain `claim:` and the id of the claim.
    pub licence_id: String,
    /// The key, or the secret of the claim, that was used to sign in.
    pub key_sha256: Digest,
    pub created_at: Timestamp,
    pub last_seen_at: Timestamp,
    /// The session ends at this time unless it is used before.
    pub idle_until: Timestamp,
    /// The session ends at this time in any case.
    pub expires_at: Timestamp,
    /// What its holder recognises it by, as a short text.
    pub client: String,
}

/// Sessions of one licence. A further one removes the oldest.
pub const MAX_SESSIONS: usize = 100;

pub trait Sessions: Send + Sync {
    /// Stores a session, and removes the oldest ones of the licence beyond [`MAX_SESSIONS`]; durable when
    /// this returns.
    fn put_session(&self, session: Session) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The session with this token, even if it has ended: the caller decides.
    fn session(&self, token_sha256: Digest) -> BoxFuture<'_, Result<Option<Session>, StoreError>>;

    /// Records that a session was used. Returns `false` if it is gone. The caller decides how often this
    /// is worth a write.
    fn touch_session(
        &self,
        token_sha256: Digest,
        last_seen_at: Timestamp,
        idle_until: Timestamp,
    ) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Removes a session. Returns `false` if there was none.
    fn end_session(&self, token_sha256: Digest) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Removes all sessions of a licence but this one, and returns how many there were.
    fn end_sessions<'a>(
        &'a self,
        licence_id: &'a str,
        except: Option<Digest>,
    ) -> BoxFuture<'a, Result<u64, StoreError>>;

    /// The sessions of a licence, the one that was used last first.
    fn sessions_of<'a>(
        &'a self,
        licence_id: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Session>, StoreError>>;

    /// Removes the sessions that have ended, and returns how many there were.
    fn delete_expired_sessions(&self, now: Timestamp) -> BoxFuture<'_, Result<u64, StoreError>>;
}

impl Session {
    /// Whether it has neither expired nor been left alone for too long.
    #[must_use]
    pub fn is_active(&self, now: Timestamp) -> bool {
        now < self.idle_until && now < self.expires_at
    }
}
