//! The keys of a deployment in memory: which key signs when, which must be retired, and what is
//! published about them. File access is in the key store.

use std::sync::Arc;

use contract::{Brand, Timestamp};
use serde_json::{Value, json};

use super::{KeyPurpose, PublicKey, SigningKey};
use crate::ProofError;

/// After a rotation the old key stays valid for this long, so that times rounded down to whole
/// seconds are inside the window of the key that signed.
const ROTATION_OVERLAP_MILLIS: i64 = 1000;

/// One key: in use, not yet started, or stopped.
#[derive(Debug, Clone)]
pub struct KeyRecord {
    pub purpose: KeyPurpose,
    pub public: PublicKey,
    /// `None` once the key has stopped.
    pub signing: Option<Arc<SigningKey>>,
    pub signs_from: Timestamp,
    /// Numbers the keys of a store; orders two keys with the same start.
    pub generation: u64,
    pub stopped_signing_at: Option<Timestamp>,
    pub compromised_since: Option<Timestamp>,
}

impl KeyRecord {
    fn sort_key(&self) -> (Timestamp, u64) {
        (self.signs_from, self.generation)
    }
}

/// All keys that a deployment has or had.
#[derive(Debug, Clone, Default)]
pub struct KeyRing {
    records: Vec<KeyRecord>,
}

impl KeyRing {
    #[must_use]
    pub fn new(mut records: Vec<KeyRecord>) -> Self {
        records.sort_by_key(|record| (record.purpose, record.sort_key()));
        Self { records }
    }

    #[must_use]
    pub fn records(&self) -> &[KeyRecord] {
        &self.records
    }

    /// The key that signs for this purpose at this time.
    pub fn signer(
        &self,
        purpose: KeyPurpose,
        at: Timestamp,
    ) -> Result<Arc<SigningKey>, ProofError> {
        let started = self.keys_with_seed(purpose).filter(|(record, _)| record.signs_from <= at);
        match started.last() {
            Some((_, key)) => Ok(Arc::clone(key)),
            None => Err(ProofError::Key(match self.keys_with_seed(purpose).next() {
                Some((next, _)) => format!(
                    "no key for {purpose} is valid at {at}; the next one starts at {}. Check the clock.",
                    next.signs_from
                ),
                None => format!("there is no key for {purpose}"),
            })),
        }
    }

    /// The document at `/.well-known/http-message-signatures-directory`: the keys that sign now,
    /// and those that will.
    #[must_use]
    pub fn directory(&self, brand: &Brand) -> Value {
        let keys: Vec<Value> = KeyPurpose::ALL
            .into_iter()
            .flat_map(|purpose| self.keys_with_seed(purpose))
            .map(|(record, _)| {
                json!({
                    "kty": "OKP",
                    "crv": "Ed25519",
                    "x": record.public.x(),
                    "kid": record.public.kid(),
                    "use": "sig",
                    brand.member("purpose"): record.purpose.as_str(),
                    brand.member("signs_from"): record.signs_from,
                })
            })
            .collect();
        json!({ "keys": keys })
    }

    /// The keys of the directory, in its order.
    pub fn directory_keys(&self) -> impl Iterator<Item = &Arc<SigningKey>> {
        KeyPurpose::ALL
            .into_iter()
            .flat_map(|purpose| self.keys_with_seed(purpose))
            .map(|(_, key)| key)
    }

    /// The document at `/.well-known/security-key-rotation.json`. It contains `x` for every key, so
    /// that old documents can be verified with this record alone.
    #[must_use]
    pub fn rotation_record(&self, brand: &Brand) -> Value {
        let retired: Vec<Value> = self
            .records
            .iter()
            .filter_map(|record| {
                Some(json!({
                    "thumbprint": record.public.kid(),
                    "x": record.public.x(),
                    "purpose": record.purpose.as_str(),
                    brand.member("signs_from"): record.signs_from,
                    "stopped_signing_at": record.stopped_signing_at?,
                }))
            })
            .collect();
        let compromised: Vec<Value> = self
            .records
            .iter()
            .filter_map(|record| {
                Some(json!({
                    "thumbprint": record.public.kid(),
                    "compromised_since": record.compromised_since?,
                }))
            })
            .collect();
        json!({ "retired": retired, "compromised": compromised })
    }

    /// The keys that still have their seed, earliest start first.
    fn keys_with_seed(
        &self,
        purpose: KeyPurpose,
    ) -> impl Iterator<Item = (&KeyRecord, &Arc<SigningKey>)> {
        self.records
            .iter()
            .filter(move |record| record.purpose == purpose)
            .filter_map(|record| Some((record, record.signing.as_ref()?)))
    }

    pub(super) fn next_generation(&self) -> u64 {
        self.records.iter().map(|record| record.generation).max().map_or(1, |last| last + 1)
    }

    /// The start of the newest key of a purpose; a successor must not start earlier.
    pub(super) fn newest_start(&self, purpose: KeyPurpose) -> Option<Timestamp> {
        self.keys_with_seed(purpose).map(|(record, _)| record.signs_from).max()
    }

    /// The keys whose successor has started, as they must be stored now: stopped and without their
    /// seed. Doing this at the next start also finishes an interrupted rotation.
    pub(super) fn overdue_retirements(&self, now: Timestamp) -> Vec<KeyRecord> {
        let mut overdue = Vec::new();
        for purpose in KeyPurpose::ALL {
            let started: Vec<&KeyRecord> = self
                .keys_with_seed(purpose)
                .map(|(record, _)| record)
                .filter(|record| record.signs_from <= now)
                .collect();
            for (record, successor) in started.iter().zip(started.iter().skip(1)) {
                let stopped = successor.signs_from.plus_millis(ROTATION_OVERLAP_MILLIS);
                overdue.push(KeyRecord {
                    signing: None,
                    stopped_signing_at: Some(stopped),
                    ..(*record).clone()
                });
            }
        }
        overdue
    }

    /// Whether a key must be generated for this purpose now: there is none, or the last one has
    /// stopped and the next has not started. If the only key has not started because the clock is
    /// before its start, no other is generated.
    pub(super) fn needs_new_key(&self, purpose: KeyPurpose, now: Timestamp) -> bool {
        let latest = now.plus_millis(ROTATION_OVERLAP_MILLIS);
        let mut stopped = self
            .records
            .iter()
            .filter(|record| record.purpose == purpose)
            .filter_map(|record| record.stopped_signing_at)
            .peekable();
        match self.keys_with_seed(purpose).next() {
            None => true,
            Some((first, _)) if first.signs_from <= now => false,
            Some(_) => stopped.peek().is_some() && stopped.all(|at| at <= latest),
        }
    }
}
