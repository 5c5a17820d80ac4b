//! Signs records with the keys of this deployment, and publishes those keys.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use contract::records::ReplacedSignature;
use contract::{Brand, Clock, Issuer, Timestamp};
use proof::canonical::LargeMember;
use proof::http_signatures::{Message, RequestedSignature, SignatureFields, sign_directory};
use proof::keys::KeyEvent;
use proof::resigning::Resigning;
use proof::{
    KeyPolicy, KeyPurpose, KeyStore, OpenRecord, ProofError, PublicKey, SignedDocument,
    SignedRecord, SigningKey,
};
use serde::Serialize;
use serde_json::Value;

/// Path of the key directory, below the base URL.
pub const KEY_DIRECTORY_PATH: &str = "/.well-known/http-message-signatures-directory";
/// Path of the rotation record, which lists retired and compromised keys.
pub const KEY_ROTATION_PATH: &str = "/.well-known/security-key-rotation.json";

/// How long the keys' proofs of possession are valid, and their age at which new ones are made: long
/// before they expire, so that no cache serves one that is about to expire.
const PROOF_VALIDITY_MILLIS: i64 = 24 * 3600 * 1000;
const PROOF_RENEWAL_MILLIS: i64 = PROOF_VALIDITY_MILLIS / 2;

/// The pause after keys could not be read.
const RELOAD_PAUSE_MILLIS: i64 = 5_000;

/// The key directory as it is served.
#[derive(Debug, Clone)]
pub struct KeyDirectory {
    pub content: Bytes,
    /// One signature by each listed key over the content and our authority; `None` if signing
    /// failed.
    pub possession_proofs: Option<SignatureFields>,
}

/// Signs records with the keys of this deployment, and publishes those keys.
///
/// `current` is behind a lock. Readers hold it while a pointer is cloned or a document is built. It is
/// written by a reload, which reads the key files under the lock, and by a request that finds the
/// proofs of possession due for renewal.
pub struct SigningKeys {
    current: RwLock<CurrentKeys>,
    issuer: Issuer,
    clock: Arc<dyn Clock>,
    /// URL of the key directory, as every signature states it.
    directory_url: String,
    /// After a failure, `refresh` does nothing before this time (milliseconds since 1970).
    retry_at: AtomicI64,
}

/// The key store and the documents published from it, built once per change.
struct CurrentKeys {
    store: KeyStore,
    directory: KeyDirectory,
    /// When the current proofs of possession were made.
    proved_at: Timestamp,
    rotation_record: Bytes,
    /// The compromised keys, each with the time since when.
    compromised: Arc<BTreeMap<String, Timestamp>>,
    /// Counts the changes of what is published.
    version: u64,
}

impl SigningKeys {
    pub(crate) fn new(store: KeyStore, issuer: Issuer, clock: Arc<dyn Clock>) -> Self {
        let now = clock.now();
        let directory_url = issuer.url(KEY_DIRECTORY_PATH);
        let (content, rotation) = published_documents(&store, &issuer.brand);
        let possession = prove_possession(&store, &content, &directory_url, now);
        let directory = KeyDirectory { content, possession_proofs: possession };
        let compromised = compromised_keys(&store);
        let current = RwLock::new(CurrentKeys {
            store,
            directory,
            proved_at: now,
            rotation_record: rotation,
            compromised,
            version: 0,
        });
        Self { current, issuer, clock, directory_url, retry_at: AtomicI64::new(0) }
    }

    fn lock_for_reading(&self) -> std::sync::RwLockReadGuard<'_, CurrentKeys> {
        // A panic cannot leave half-written state: each member is replaced as a whole.
        self.current.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_for_writing(&self) -> std::sync::RwLockWriteGuard<'_, CurrentKeys> {
        self.current.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn directory_at(&self, now: Timestamp) -> KeyDirectory {
        {
            let current = self.lock_for_reading();
            if current.has_fresh_proofs(now) {
                return current.directory.clone();
            }
        }
        let mut current = self.lock_for_writing();
        // Another request may have renewed them in between.
        if !current.has_fresh_proofs(now) {
            current.renew_proofs(&self.directory_url, now);
        }
        current.directory.clone()
    }

    fn reload_at(&self, now: Timestamp) -> Result<(), ProofError> {
        let mut current = self.lock_for_writing();
        current.store.reload(now)?;
        let (content, rotation) = published_documents(&current.store, &self.issuer.brand);
        if content != current.directory.content || rotation != current.rotation_record {
            current.version = current.version.wrapping_add(1);
        }
        current.rotation_record = rotation;
        current.compromised = compromised_keys(&current.store);
        // The content lists every key, so the proofs of unchanged content stay valid.
        if content != current.directory.content {
            current.directory.content = content;
            current.renew_proofs(&self.directory_url, now);
        }
        Ok(())
    }

    /// The key that currently signs for this purpose.
    pub(crate) fn signing_key(&self, purpose: KeyPurpose) -> Result<Arc<SigningKey>, ProofError> {
        self.lock_for_reading().store.signer(purpose, self.clock.now().whole_seconds())
    }

    /// Signs a document with the key of a purpose. It is hashed once, over the bytes that are served.
    pub(crate) fn sign_value(
        &self,
        document: Value,
        purpose: KeyPurpose,
    ) -> Result<SignedDocument, ProofError> {
        self.sign_value_at(document, purpose, self.clock.now())
    }

    /// Like `sign_value`, with another time in `signed_at`.
    pub(crate) fn sign_value_at(
        &self,
        document: Value,
        purpose: KeyPurpose,
        at: Timestamp,
    ) -> Result<SignedDocument, ProofError> {
        let key = self.signing_key(purpose)?;
        let at = at.whole_seconds();
        proof::sign_document(document, &key, &self.directory_url, &self.issuer.brand, at)
    }

    /// Signs a record with the key of a purpose. It is hashed once, over the bytes that are served.
    pub(crate) fn sign_document(
        &self,
        record: &impl Serialize,
        purpose: KeyPurpose,
    ) -> Result<SignedDocument, ProofError> {
        let value =
            serde_json::to_value(record).map_err(|e| ProofError::NotCanonical(e.to_string()))?;
        self.sign_value(value, purpose)
    }

    /// Like `sign_document`, for an answer that is only served: no JSON value of it is built.
    pub(crate) fn sign_record(
        &self,
        record: &impl Serialize,
        purpose: KeyPurpose,
    ) -> Result<SignedRecord, ProofError> {
        let key = self.signing_key(purpose)?;
        let at = self.clock.now().whole_seconds();
        proof::sign_record(record, &key, &self.directory_url, &self.issuer.brand, at)
    }

    /// Like `sign_record`, with this value of a member that the record has.
    pub(crate) fn sign_record_with(
        &self,
        record: &impl Serialize,
        value: LargeMember<'_>,
        purpose: KeyPurpose,
    ) -> Result<SignedRecord, ProofError> {
        let key = self.signing_key(purpose)?;
        let at = self.clock.now().whole_seconds();
        let (address, brand) = (&self.directory_url, &self.issuer.brand);
        proof::sign_record_with(record, value, &key, address, brand, at)
    }

    /// Adds the last member to a record and signs it.
    pub(crate) fn sign_open_record(
        &self,
        record: OpenRecord,
        name: &'static str,
        value: &Value,
        purpose: KeyPurpose,
    ) -> Result<SignedRecord, ProofError> {
        let key = self.signing_key(purpose)?;
        let at = self.clock.now().whole_seconds();
        record.sign_with(name, value, &key, &self.directory_url, &self.issuer.brand, at)
    }

    /// Signs an HTTP response as its caller requested, with the key for HTTP signatures. `None` if the
    /// request names components that the response does not have, or another key.
    #[must_use]
    pub fn sign_response(
        &self,
        requested: &RequestedSignature,
        message: &Message<'_>,
    ) -> Option<SignatureFields> {
        let now = self.clock.now();
        let key = match self.lock_for_reading().store.signer(KeyPurpose::Requests, now) {
            Ok(key) => key,
            Err(error) => {
                tracing::warn!(%error, "an HTTP response could not be signed");
                return None;
            }
        };
        requested.sign(message, &key, now).ok()
    }

    /// The published keys, as a verifier sees them.
    pub(crate) fn key_policy(&self) -> Result<KeyPolicy, ProofError> {
        let brand = &self.issuer.brand;
        let current = self.lock_for_reading();
        let rotation = current.store.rotation_record(brand);
        KeyPolicy::from_directory(&current.store.directory(brand), Some(&rotation), brand)
    }

    /// Verifies a document by the published keys, as everybody else can.
    pub fn verify_document(&self, document: &[u8]) -> Result<proof::Verdict, ProofError> {
        let policy = self.key_policy()?.at(self.clock.now());
        Ok(proof::verify_document(document, &policy, &self.issuer.brand))
    }

    /// Every key that ever signed tree heads.
    pub(crate) fn log_head_keys(&self) -> Vec<PublicKey> {
        let current = self.lock_for_reading();
        let records = current.store.ring().records().iter();
        let heads = records.filter(|record| record.purpose == KeyPurpose::LogHeads);
        heads.map(|record| record.public.clone()).collect()
    }

    /// The key directory, as served at [`KEY_DIRECTORY_PATH`].
    #[must_use]
    pub fn directory(&self) -> KeyDirectory {
        self.directory_at(self.clock.now())
    }

    /// The rotation record, as served at [`KEY_ROTATION_PATH`].
    #[must_use]
    pub fn rotation_record(&self) -> Bytes {
        self.lock_for_reading().rotation_record.clone()
    }

    /// Reads the key files again: another process may have replaced a key, or the start time of a new
    /// key may have come.
    pub fn reload(&self) -> Result<(), ProofError> {
        self.reload_at(self.clock.now())
    }

    /// Every event in the life of the keys, in the form that is sealed into the log.
    pub fn key_events(&self) -> Result<Vec<KeyEvent>, ProofError> {
        proof::keys::key_events(self.lock_for_reading().store.ring(), &self.issuer.brand)
    }

    /// Whether the keys must be read again: another process has changed them, or the start of a new key
    /// has come. Cheap enough for every request that shows the keys.
    #[must_use]
    pub fn are_out_of_date(&self) -> bool {
        let current = self.lock_for_reading();
        current.store.is_out_of_date() || current.store.has_overdue_key(self.clock.now())
    }

    /// Reads the keys again if they are out of date. A failure is logged, and the loaded keys stay in use.
    pub async fn refresh(self: &Arc<Self>) {
        let may_try = self.clock.now().as_millis() >= self.retry_at.load(Ordering::Relaxed);
        if may_try && self.are_out_of_date() {
            self.reload_and_log().await;
        }
    }

    /// Like `refresh`, whether or not they seem to be out of date.
    pub(crate) async fn reload_and_log(self: &Arc<Self>) {
        let keys = Arc::clone(self);
        // Reads files under a lock, so it must not run on an async worker thread.
        let retry_at = match tokio::task::spawn_blocking(move || keys.reload()).await {
            Ok(Ok(())) => 0,
            Ok(Err(error)) => {
                tracing::error!(%error, "the keys could not be reloaded; the current ones stay in use");
                self.clock.now().as_millis().saturating_add(RELOAD_PAUSE_MILLIS)
            }
            Err(error) => {
                tracing::error!(%error, "the task that reloads the keys failed");
                self.clock.now().as_millis().saturating_add(RELOAD_PAUSE_MILLIS)
            }
        };
        self.retry_at.store(retry_at, Ordering::Relaxed);
    }

    /// Changes whenever something else is published about the keys.
    pub(crate) fn version(&self) -> u64 {
        self.lock_for_reading().version
    }

    /// The compromised keys, each with the time since when.
    pub(crate) fn compromised(&self) -> Arc<BTreeMap<String, Timestamp>> {
        Arc::clone(&self.lock_for_reading().compromised)
    }

    /// A stored document as it may be served: as it is, or signed again if its key, or that of a document
    /// inside it, was reported as compromised since. Takes about a millisecond for a document that is signed
    /// again; [`Self::make_servable`] is for several and for large ones.
    pub fn resign_if_compromised(&self, bytes: Bytes) -> Result<Bytes, ProofError> {
        let compromised = self.compromised();
        if !names_any(&bytes, &compromised) {
            return Ok(bytes);
        }
        let document = proof::canonical::parse_strict(&bytes)?;
        let resigned =
            self.with_resigning(&compromised, |resigning| resigning.resign(&document))?;
        match resigned {
            Some(document) => Ok(proof::canonical::value_to_vec(&document)?.into()),
            None => Ok(bytes),
        }
    }

    /// The same for several documents, on a thread of its own if any key was ever compromised.
    pub async fn make_servable(
        self: &Arc<Self>,
        documents: Vec<Bytes>,
    ) -> Result<Vec<Bytes>, ProofError> {
        if self.compromised().is_empty() {
            return Ok(documents);
        }
        let keys = Arc::clone(self);
        let resigned = tokio::task::spawn_blocking(move || {
            documents.into_iter().map(|bytes| keys.resign_if_compromised(bytes)).collect()
        });
        resigned.await.unwrap_or_else(|error| Err(ProofError::Document(error.to_string())))
    }

    /// A word that changes whenever another key is reported as compromised; `None` while none was. For
    /// ETags: a copy that such a key signed is not current.
    #[must_use]
    pub fn compromise_mark(&self) -> Option<String> {
        let compromised = self.compromised();
        let mut kids = compromised.keys().map(String::as_str).peekable();
        kids.peek()?;
        let mut digest = proof::sha256(kids.collect::<Vec<_>>().join(" ").as_bytes()).to_hex();
        digest.truncate(8);
        Some(digest)
    }

    /// Whether a compromised key is named in these bytes.
    pub(crate) fn names_compromised_key(&self, bytes: &[u8]) -> bool {
        names_any(bytes, &self.compromised())
    }

    /// The former signature of a document that is signed again without a change of its content.
    pub(crate) fn replaced_signature(
        &self,
        bytes: &[u8],
    ) -> Result<Option<ReplacedSignature>, ProofError> {
        let compromised = self.compromised();
        if !names_any(bytes, &compromised) {
            return Ok(None);
        }
        let document = proof::canonical::parse_strict(bytes)?;
        let replaced =
            self.with_resigning(&compromised, |resigning| resigning.replaced(&document))?;
        let replaced = replaced.map(serde_json::from_value).transpose();
        replaced.map_err(|error| ProofError::Document(error.to_string()))
    }

    fn with_resigning<T>(
        &self,
        compromised: &BTreeMap<String, Timestamp>,
        work: impl FnOnce(&Resigning<'_>) -> T,
    ) -> T {
        let signer = |purpose| self.signing_key(purpose);
        work(&Resigning {
            brand: &self.issuer.brand,
            published_in: &self.directory_url,
            compromised,
            signer: &signer,
        })
    }
}

fn compromised_keys(store: &KeyStore) -> Arc<BTreeMap<String, Timestamp>> {
    let records = store.ring().records().iter();
    let compromised =
        records.filter_map(|key| Some((key.public.kid().to_owned(), key.compromised_since?)));
    Arc::new(compromised.collect())
}

/// Whether one of these thumbprints is in the bytes. Most documents need not be parsed then.
fn names_any(bytes: &[u8], kids: &BTreeMap<String, Timestamp>) -> bool {
    kids.keys().any(|kid| memchr::memmem::find(bytes, kid.as_bytes()).is_some())
}

impl CurrentKeys {
    /// Also false if the clock was set back to before the proofs were made.
    fn has_fresh_proofs(&self, now: Timestamp) -> bool {
        (0..PROOF_RENEWAL_MILLIS).contains(&now.millis_since(self.proved_at))
    }

    fn renew_proofs(&mut self, directory_url: &str, now: Timestamp) {
        self.directory.possession_proofs =
            prove_possession(&self.store, &self.directory.content, directory_url, now);
        self.proved_at = now;
    }
}

fn published_documents(store: &KeyStore, brand: &Brand) -> (Bytes, Bytes) {
    let bytes = |value: serde_json::Value| Bytes::from(value.to_string());
    (bytes(store.directory(brand)), bytes(store.rotation_record(brand)))
}

/// Signs the directory for the authority of our own URL, whatever host name a request used.
fn prove_possession(
    store: &KeyStore,
    content: &Bytes,
    directory_url: &str,
    now: Timestamp,
) -> Option<SignatureFields> {
    let expires = now.plus_millis(PROOF_VALIDITY_MILLIS);
    let keys = store.ring().directory_keys().map(AsRef::as_ref);
    match sign_directory(keys, directory_url, &proof::sha256(content), now, expires) {
        Ok(fields) => Some(fields),
        Err(error) => {
            tracing::error!(%error, "the key directory is served without its signatures");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::clock::FixedClock;

    use super::*;

    const DAY: i64 = 24 * 3600 * 1000;

    #[test]
    fn proofs_of_possession_are_stored_renewed_in_time_and_created_for_new_keys() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let start = Timestamp::from_millis(1_700_000_000_000);
        let store = KeyStore::open(&path, start).unwrap();
        let issuer = Issuer::new(Brand::default(), "https://svc.example");
        let keys = SigningKeys::new(store, issuer, Arc::new(FixedClock(start)));
        let at = |millis: i64| keys.directory_at(start.plus_millis(millis));
        let first = at(0).possession_proofs.unwrap();
        assert_eq!(first.input.matches("binding").count(), 4, "{}", first.input);
        assert_eq!(at(1).possession_proofs.as_ref(), Some(&first), "not made for each request");
        assert_eq!(at(DAY / 2 - 1).possession_proofs.as_ref(), Some(&first));
        let renewed = at(DAY / 2).possession_proofs.unwrap();
        assert_ne!(renewed, first, "renewed before it expires");
        assert!(renewed.input.contains(";expires=1700129600;"), "{}", renewed.input);
        // The clock was set back: proofs made in its future are not served.
        assert!(at(5).possession_proofs.unwrap().input.contains(";created=1700000000;"));

        // Another process adds a key: its proof is served together with the key.
        keys.reload_at(start.plus_millis(6)).unwrap();
        let before = at(6);
        let mut other = KeyStore::open(&path, start).unwrap();
        let later = start.plus_millis(60_000);
        // File times have a resolution of some milliseconds.
        std::thread::sleep(std::time::Duration::from_millis(20));
        other.rotate_from(KeyPurpose::Documents, later, start.plus_millis(6)).unwrap();
        assert!(keys.lock_for_reading().store.is_out_of_date());
        keys.reload_at(start.plus_millis(7)).unwrap();
        assert!(!keys.lock_for_reading().store.is_out_of_date());
        let after = at(7);
        assert_ne!(after.content, before.content);
        assert_eq!(after.possession_proofs.unwrap().input.matches("binding").count(), 5);
    }
}
