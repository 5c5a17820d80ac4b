//! Signing, and publishing the keys that sign.

use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use contract::{Brand, Clock, Timestamp};
use proof::{KeyPolicy, KeyPurpose, KeyStore, ProofError, SignedDocument, SigningKey};
use serde::Serialize;
use serde_json::Value;

use crate::Service;

/// Where the key directory is, below the base address.
pub const KEY_DIRECTORY_PATH: &str = "/.well-known/http-message-signatures-directory";
/// Where retired and compromised keys are told.
pub const KEY_ROTATION_PATH: &str = "/.well-known/security-key-rotation.json";

/// The key store and what is published of it, made once per change. The lock is held for a clone of
/// a pointer only; a reload takes it for writing after the files have been read.
pub(crate) struct Keys {
    held: RwLock<Held>,
    brand: Brand,
}

struct Held {
    store: KeyStore,
    directory: Bytes,
    rotation: Bytes,
}

impl Keys {
    pub(crate) fn new(store: KeyStore, brand: Brand) -> Self {
        let held = RwLock::new(Held::publish(store, &brand));
        Self { held, brand }
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Held> {
        // What is behind the lock is replaced whole, never half.
        self.held.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn reload(&self, now: Timestamp) -> Result<(), ProofError> {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        held.store.reload(now)?;
        (held.directory, held.rotation) = published(&held.store, &self.brand);
        Ok(())
    }
}

impl Held {
    fn publish(store: KeyStore, brand: &Brand) -> Self {
        let (directory, rotation) = published(&store, brand);
        Self { store, directory, rotation }
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

impl Service {
    pub(crate) fn signer(&self) -> Signer {
        let published_in = format!("{}{KEY_DIRECTORY_PATH}", self.settings.base_url);
        Signer {
            keys: Arc::clone(&self.keys),
            clock: Arc::clone(&self.clock),
            published_in: Arc::from(published_in),
        }
    }

    /// The published keys, as those who verify have them.
    pub(crate) fn key_policy(&self) -> Result<KeyPolicy, ProofError> {
        let brand = &self.settings.brand;
        let held = self.keys.read();
        let rotation = held.store.rotation_record(brand);
        KeyPolicy::from_directory(&held.store.directory(brand), Some(&rotation), brand)
    }

    /// The key directory, as served at [`KEY_DIRECTORY_PATH`].
    #[must_use]
    pub fn key_directory(&self) -> Bytes {
        self.keys.read().directory.clone()
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
