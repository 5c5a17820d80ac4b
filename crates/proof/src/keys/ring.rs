//! The keys of a deployment as values: which signs when, which must go, and what is published of
//! them. No files here.

use std::sync::Arc;

use contract::{Brand, Timestamp};
use serde_json::{Value, json};

use super::{KeyPurpose, PublicKey, SigningKey};
use crate::ProofError;

/// The change from one key to the next falls inside a second; that second belongs to both, so
/// that times cut to whole seconds fit their key's window on either side.
const CHANGE_MILLIS: i64 = 1000;

/// One key, in use, waiting for its start, or stopped.
#[derive(Debug, Clone)]
pub struct KeyRecord {
    pub purpose: KeyPurpose,
    pub public: PublicKey,
    /// Gone once the key has stopped.
    pub signing: Option<Arc<SigningKey>>,
    pub signs_from: Timestamp,
    /// Counts the keys of a store; orders two keys with the same start.
    pub generation: u64,
    pub stopped_signing_at: Option<Timestamp>,
    pub compromised_since: Option<Timestamp>,
}

impl KeyRecord {
    fn order(&self) -> (Timestamp, u64) {
        (self.signs_from, self.generation)
    }
}

/// Every key a deployment ever had.
#[derive(Debug, Clone, Default)]
pub struct KeyRing {
    records: Vec<KeyRecord>,
}

impl KeyRing {
    #[must_use]
    pub fn new(mut records: Vec<KeyRecord>) -> Self {
        records.sort_by_key(|record| (record.purpose, record.order()));
        Self { records }
    }

    #[must_use]
    pub fn records(&self) -> &[KeyRecord] {
        &self.records
    }

    /// The key that signs for this purpose at this moment.
    pub fn signer(
        &self,
        purpose: KeyPurpose,
        at: Timestamp,
    ) -> Result<Arc<SigningKey>, ProofError> {
        let started = self.holders(purpose).filter(|(record, _)| record.signs_from <= at);
        match started.last() {
            Some((_, key)) => Ok(Arc::clone(key)),
            None => Err(ProofError::Key(match self.holders(purpose).next() {
                Some((next, _)) => format!(
                    "no key for {purpose} signs at {at}; the next begins at {}. Is the clock right?",
                    next.signs_from
                ),
                None => format!("there is no key for {purpose}"),
            })),
        }
    }

    /// What a web client reads at `/.well-known/http-message-signatures-directory`: the keys that
    /// sign, and those that will.
    #[must_use]
    pub fn directory(&self, brand: &Brand) -> Value {
        let keys: Vec<Value> = KeyPurpose::ALL
            .into_iter()
            .flat_map(|purpose| self.holders(purpose))
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
    pub fn listed(&self) -> impl Iterator<Item = &Arc<SigningKey>> {
        KeyPurpose::ALL.into_iter().flat_map(|purpose| self.holders(purpose)).map(|(_, key)| key)
    }

    /// What is read at `/.well-known/security-key-rotation.json`. `x` is with every key, so that
    /// old documents can be checked from this record alone.
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

    /// The keys with a seed, earliest start first.
    fn holders(&self, purpose: KeyPurpose) -> impl Iterator<Item = (&KeyRecord, &Arc<SigningKey>)> {
        self.records
            .iter()
            .filter(move |record| record.purpose == purpose)
            .filter_map(|record| Some((record, record.signing.as_ref()?)))
    }

    pub(super) fn next_generation(&self) -> u64 {
        self.records.iter().map(|record| record.generation).max().map_or(1, |last| last + 1)
    }

    /// The start of the newest key of a purpose, for a successor to stand behind.
    pub(super) fn newest_start(&self, purpose: KeyPurpose) -> Option<Timestamp> {
        self.holders(purpose).map(|(record, _)| record.signs_from).max()
    }

    /// Keys whose successor has begun, as they are to be kept: stopped, without their seed. A
    /// rotation that broke off is finished by doing this at the next start.
    pub(super) fn overdue(&self, now: Timestamp) -> Vec<KeyRecord> {
        let mut overdue = Vec::new();
        for purpose in KeyPurpose::ALL {
            let started: Vec<&KeyRecord> = self
                .holders(purpose)
                .map(|(record, _)| record)
                .filter(|record| record.signs_from <= now)
                .collect();
            for (record, successor) in started.iter().zip(started.iter().skip(1)) {
                let stopped = successor.signs_from.plus_millis(CHANGE_MILLIS);
                overdue.push(KeyRecord {
                    signing: None,
                    stopped_signing_at: Some(stopped),
                    ..(*record).clone()
                });
            }
        }
        overdue
    }

    /// Whether a key must be made for this purpose now: none is there, or the one that was there
    /// has stopped and the next has not begun. A key that only waits because the clock stands
    /// before its start is no reason to make another.
    pub(super) fn wants_key(&self, purpose: KeyPurpose, now: Timestamp) -> bool {
        let latest = now.plus_millis(CHANGE_MILLIS);
        let mut stopped = self
            .records
            .iter()
            .filter(|record| record.purpose == purpose)
            .filter_map(|record| record.stopped_signing_at)
            .peekable();
        match self.holders(purpose).next() {
            None => true,
            Some((first, _)) if first.signs_from <= now => false,
            Some(_) => stopped.peek().is_some() && stopped.all(|at| at <= latest),
        }
    }
}
