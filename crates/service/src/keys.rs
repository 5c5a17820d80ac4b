//! Signing, and publishing the keys that sign.

use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use contract::{Brand, Clock, Timestamp};
use proof::httpsig::{Asked, Message, SignatureFields, prove_directory};
use proof::keys::KeyEvent;
use proof::{KeyPolicy, KeyPurpose, KeyStore, ProofError, PublicKey, SignedDocument, SigningKey};
use serde::Serialize;
use serde_json::Value;

use crate::{SealError, Service};

/// Where the key directory is, below the base address.
pub const KEY_DIRECTORY_PATH: &str = "/.well-known/http-message-signatures-directory";
/// Where retired and compromised keys are told.
pub const KEY_ROTATION_PATH: &str = "/.well-known/security-key-rotation.json";

/// How long the keys' proofs of possession are good, and when they are made anew: long before, so
/// that no cache hands on one that is about to end.
const PROOF_GOOD_MILLIS: i64 = 24 * 3600 * 1000;
const PROOF_RENEWED_MILLIS: i64 = PROOF_GOOD_MILLIS / 2;

/// The key directory as it is served.
#[derive(Debug, Clone)]
pub struct KeyDirectory {
    pub content: Bytes,
    /// One signature by each listed key over the content and our authority; nothing if they could
    /// not be made.
    pub possession: Option<SignatureFields>,
}

/// The key store and what is published of it, made once per change. The lock is held for a clone of
/// a pointer only; a reload takes it for writing after the files have been read, and so does
/// whoever finds the proofs of possession due.
pub(crate) struct Keys {
    held: RwLock<Held>,
    brand: Brand,
    base_url: String,
}

struct Held {
    store: KeyStore,
    directory: KeyDirectory,
    /// When the proofs of possession were made.
    proved_at: Timestamp,
    rotation: Bytes,
}

impl Keys {
    pub(crate) fn new(store: KeyStore, brand: Brand, base_url: String, now: Timestamp) -> Self {
        let (content, rotation) = published(&store, &brand);
        let possession = possession(&store, &content, &base_url, now);
        let directory = KeyDirectory { content, possession };
        let held = RwLock::new(Held { store, directory, proved_at: now, rotation });
        Self { held, brand, base_url }
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Held> {
        // What is behind the lock is replaced whole, never half.
        self.held.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Held> {
        self.held.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn directory(&self, now: Timestamp) -> KeyDirectory {
        {
            let held = self.read();
            if held.is_proved(now) {
                return held.directory.clone();
            }
        }
        let mut held = self.write();
        // Another request may have been here first.
        if !held.is_proved(now) {
            held.prove(&self.base_url, now);
        }
        held.directory.clone()
    }

    fn reload(&self, now: Timestamp) -> Result<(), ProofError> {
        let mut held = self.write();
        held.store.reload(now)?;
        let (content, rotation) = published(&held.store, &self.brand);
        held.rotation = rotation;
        // The content names every key, so the same content is proved by the same keys.
        if content != held.directory.content {
            held.directory.content = content;
            held.prove(&self.base_url, now);
        }
        Ok(())
    }
}

impl Held {
    /// A clock that was put back must not leave proofs standing that were made in its future.
    fn is_proved(&self, now: Timestamp) -> bool {
        (0..PROOF_RENEWED_MILLIS).contains(&now.millis_since(self.proved_at))
    }

    fn prove(&mut self, base_url: &str, now: Timestamp) {
        self.directory.possession = possession(&self.store, &self.directory.content, base_url, now);
        self.proved_at = now;
    }
}

fn published(store: &KeyStore, brand: &Brand) -> (Bytes, Bytes) {
    let bytes = |value: serde_json::Value| Bytes::from(value.to_string());
    (bytes(store.directory(brand)), bytes(store.rotation_record(brand)))
}

/// Signs by the keys and the clock of a service, from any thread.
#[derive(Clone)]
pub(crate) struct Signer {
    keys: Arc<Keys>,
    clock: Arc<dyn Clock>,
    published_in: Arc<str>,
}

impl Signer {
    pub(crate) fn new(keys: Arc<Keys>, clock: Arc<dyn Clock>, base_url: &str) -> Self {
        Self { keys, clock, published_in: Arc::from(format!("{base_url}{KEY_DIRECTORY_PATH}")) }
    }

    /// The key that signs for this purpose now.
    pub(crate) fn key(&self, purpose: KeyPurpose) -> Result<Arc<SigningKey>, ProofError> {
        self.keys.read().store.signer(purpose, self.clock.now().whole_seconds())
    }

    /// Signs a document with the key of a purpose. Hashed once, over what is served.
    pub(crate) fn sign_value(
        &self,
        document: Value,
        purpose: KeyPurpose,
    ) -> Result<SignedDocument, ProofError> {
        let now = self.clock.now().whole_seconds();
        let key = self.keys.read().store.signer(purpose, now)?;
        proof::sign_document(document, &key, &self.published_in, &self.keys.brand, now)
    }
}

/// For the authority of our own address, whatever name a request came in under.
fn possession(
    store: &KeyStore,
    content: &Bytes,
    base_url: &str,
    now: Timestamp,
) -> Option<SignatureFields> {
    let expires = now.plus_millis(PROOF_GOOD_MILLIS);
    let keys = store.ring().listed().map(AsRef::as_ref);
    let target = format!("{base_url}{KEY_DIRECTORY_PATH}");
    match prove_directory(keys, &target, &proof::sha256(content), now, expires) {
        Ok(fields) => Some(fields),
        Err(error) => {
            tracing::error!(%error, "the key directory is served without its signatures");
            None
        }
    }
}

impl Service {
    pub(crate) fn signer(&self) -> Signer {
        Signer::new(Arc::clone(&self.keys), Arc::clone(&self.clock), &self.settings.base_url)
    }

    /// The published keys, as those who verify have them.
    pub(crate) fn key_policy(&self) -> Result<KeyPolicy, ProofError> {
        let brand = &self.settings.brand;
        let held = self.keys.read();
        let rotation = held.store.rotation_record(brand);
        KeyPolicy::from_directory(&held.store.directory(brand), Some(&rotation), brand)
    }

    /// Every key that ever signed heads.
    pub(crate) fn log_heads_keys(&self) -> Vec<PublicKey> {
        let held = self.keys.read();
        let records = held.store.ring().records().iter();
        let heads = records.filter(|record| record.purpose == KeyPurpose::LogHeads);
        heads.map(|record| record.public.clone()).collect()
    }

    /// The key directory, as served at [`KEY_DIRECTORY_PATH`].
    #[must_use]
    pub fn key_directory(&self) -> KeyDirectory {
        self.keys.directory(self.clock.now())
    }

    /// The rotation record, as served at [`KEY_ROTATION_PATH`].
    #[must_use]
    pub fn key_rotation(&self) -> Bytes {
        self.keys.read().rotation.clone()
    }

    /// Reads the keys again: another process may have replaced one, or a start may have come.
    pub fn reload_keys(&self) -> Result<(), ProofError> {
        self.keys.reload(self.clock.now())
    }

    /// Everything that has happened to the keys, as the log is to have it.
    pub fn key_events(&self) -> Result<Vec<KeyEvent>, ProofError> {
        proof::keys::events(self.keys.read().store.ring(), &self.settings.brand)
    }

    /// Puts what became of the keys into the log. What is there already stays where it is.
    pub async fn log_key_events(&self) -> Result<(), SealError> {
        let kind = proof::keys::events::event_kind(&self.settings.brand);
        let events = self.key_events().map_err(SealError::NotSigned)?;
        let sealed = events.into_iter().map(|e| self.seal_entry(&kind, Bytes::from(e.content)));
        futures_util::future::try_join_all(sealed).await.map(|_| ())
    }

    /// Whether another process has changed the keys since they were read.
    #[must_use]
    pub fn keys_are_out_of_date(&self) -> bool {
        self.keys.read().store.is_out_of_date()
    }

    /// Signs an answer as its caller asked, with the key for HTTP signatures. Nothing where that
    /// asks for what this answer does not have, or for another key.
    #[must_use]
    pub fn sign_response(&self, asked: &Asked, message: &Message<'_>) -> Option<SignatureFields> {
        let now = self.clock.now();
        let key = match self.keys.read().store.signer(KeyPurpose::Requests, now) {
            Ok(key) => key,
            Err(error) => {
                tracing::warn!(%error, "an answer could not be signed");
                return None;
            }
        };
        asked.sign(message, &key, now).ok()
    }

    /// Signs a record with the key of a purpose. Hashed once, over what is served.
    pub(crate) fn sign_document(
        &self,
        record: &impl Serialize,
        purpose: KeyPurpose,
    ) -> Result<SignedDocument, ProofError> {
        let value =
            serde_json::to_value(record).map_err(|e| ProofError::NotCanonical(e.to_string()))?;
        self.signer().sign_value(value, purpose)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 24 * 3600 * 1000;

    #[test]
    fn proofs_of_possession_are_kept_renewed_in_time_and_made_for_new_keys() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let start = Timestamp::from_millis(1_700_000_000_000);
        let store = KeyStore::open(&path, start).unwrap();
        let base = "https://svc.example".to_owned();
        let keys = Keys::new(store, Brand::default(), base, start);
        let at = |millis: i64| keys.directory(start.plus_millis(millis));
        let first = at(0).possession.unwrap();
        assert_eq!(first.input.matches("binding").count(), 4, "{}", first.input);
        assert_eq!(at(1).possession.as_ref(), Some(&first), "not made for each request");
        assert_eq!(at(DAY / 2 - 1).possession.as_ref(), Some(&first));
        let renewed = at(DAY / 2).possession.unwrap();
        assert_ne!(renewed, first, "renewed before it expires");
        assert!(renewed.input.contains(";expires=1700129600;"), "{}", renewed.input);
        // The clock was put back: nothing made in the future is shown.
        assert!(at(5).possession.unwrap().input.contains(";created=1700000000;"));

        // A new key of another process: its proof is there as soon as the key is.
        keys.reload(start.plus_millis(6)).unwrap();
        let before = at(6);
        let mut other = KeyStore::open(&path, start).unwrap();
        let later = start.plus_millis(60_000);
        // Times of files have ticks of some milliseconds.
        std::thread::sleep(std::time::Duration::from_millis(20));
        other.rotate_from(KeyPurpose::Documents, later, start.plus_millis(6)).unwrap();
        assert!(keys.read().store.is_out_of_date());
        keys.reload(start.plus_millis(7)).unwrap();
        assert!(!keys.read().store.is_out_of_date());
        let after = at(7);
        assert_ne!(after.content, before.content);
        assert_eq!(after.possession.unwrap().input.matches("binding").count(), 5);
    }
}
