//! The key store on disk: one directory, one file per key.
//!
//! Created at the first start with one key per purpose. Every change replaces one file atomically,
//! in an order that leaves a usable store wherever it is interrupted: a rotation first adds the new
//! key, then stops the old one. Opening the store finishes an interrupted change.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use contract::{Brand, Timestamp};
use data_encoding::BASE64URL_NOPAD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use zeroize::{Zeroize, Zeroizing};

use super::private_dir::PrivateDir;
use super::{KeyPurpose, KeyRecord, KeyRing, PublicKey, SigningKey};
use crate::ProofError;

/// The keys of a deployment, as they were on disk when last read. Several processes may open the
/// same store: one that changes it takes the directory's lock and reads it again first. The others
/// learn of the change by [`KeyStore::reload`], so with several processes a rotation must start
/// later than their next reload.
#[derive(Debug)]
pub struct KeyStore {
    path: PathBuf,
    ring: KeyRing,
    /// The directory's modification time just before it was read.
    directory_modified: Option<SystemTime>,
}

impl KeyStore {
    /// Opens the store. Creates the directory and one key per purpose if they are missing, and
    /// finishes a rotation that is due or was interrupted.
    pub fn open(path: &Path, now: Timestamp) -> Result<Self, ProofError> {
        let seen = modified_at(path);
        let ring = LockedKeyStore::open(path)?.reconcile(now)?;
        Ok(Self { path: path.to_owned(), ring, directory_modified: seen })
    }

    /// Opens the store of a deployment that has signed before. Fails with
    /// [`ProofError::KeysMissing`] if a purpose has no key at all, and creates nothing then: whoever
    /// verifies what the lost keys signed would not accept new ones.
    pub fn open_existing(path: &Path, now: Timestamp) -> Result<Self, ProofError> {
        let seen = modified_at(path);
        let ring = LockedKeyStore::open_existing(path)?.reconcile(now)?;
        Ok(Self { path: path.to_owned(), ring, directory_modified: seen })
    }

    /// Reads the store again, as [`KeyStore::open_existing`] does: keys that were removed from the
    /// directory are not replaced by new ones.
    pub fn reload(&mut self, now: Timestamp) -> Result<(), ProofError> {
        // Taken before reading, so that no change is missed. Kept even if reading fails: another
        // attempt makes sense only after the directory has changed again.
        self.directory_modified = modified_at(&self.path);
        self.ring = LockedKeyStore::open_existing(&self.path)?.reconcile(now)?;
        Ok(())
    }

    /// Whether the directory was changed since it was last read. A cheap hint that can be polled
    /// every second.
    #[must_use]
    pub fn is_out_of_date(&self) -> bool {
        modified_at(&self.path).is_some_and(|changed| Some(changed) != self.directory_modified)
    }

    /// Whether a key must be stopped because its successor has started; [`KeyStore::reload`] does it.
    #[must_use]
    pub fn has_overdue_key(&self, now: Timestamp) -> bool {
        !self.ring.overdue_retirements(now).is_empty()
    }

    #[must_use]
    pub fn ring(&self) -> &KeyRing {
        &self.ring
    }

    /// The key that signs for this purpose at this time.
    pub fn signer(
        &self,
        purpose: KeyPurpose,
        at: Timestamp,
    ) -> Result<Arc<SigningKey>, ProofError> {
        self.ring.signer(purpose, at)
    }

    /// See [`KeyRing::directory`].
    #[must_use]
    pub fn directory(&self, brand: &Brand) -> Value {
        self.ring.directory(brand)
    }

    /// See [`KeyRing::rotation_record`].
    #[must_use]
    pub fn rotation_record(&self, brand: &Brand) -> Value {
        self.ring.rotation_record(brand)
    }

    /// Replaces the key for this purpose. The new key signs from now on; the old one stops and its
    /// seed is destroyed.
    pub fn rotate(&mut self, purpose: KeyPurpose, now: Timestamp) -> Result<(), ProofError> {
        self.rotate_from(purpose, now, now)
    }

    /// Like [`KeyStore::rotate`], but the new key starts at `start`. Until then both keys are
    /// published, so that caches learn of the new one. The first opening or reload after `start`
    /// stops the old one.
    pub fn rotate_from(
        &mut self,
        purpose: KeyPurpose,
        start: Timestamp,
        now: Timestamp,
    ) -> Result<(), ProofError> {
        let mut locked = LockedKeyStore::open(&self.path)?;
        let start = start.whole_seconds();
        if start < now.whole_seconds() {
            return Err(ProofError::Key(format!("a new key cannot start in the past ({start})")));
        }
        match locked.ring.newest_start(purpose) {
            Some(newest) if start < newest => {
                return Err(ProofError::Key(format!(
                    "a new key cannot start at {start}, before the newest existing key ({newest})"
                )));
            }
            _ => {}
        }
        locked.add_key(purpose, start)?;
        self.ring = locked.reconcile(now)?;
        Ok(())
    }

    /// Publishes that others may have this key since `since`. The key stops at once and a new one
    /// replaces it. If it was marked before, the earlier time applies.
    pub fn mark_compromised(
        &mut self,
        kid: &str,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<(), ProofError> {
        let mut locked = LockedKeyStore::open(&self.path)?;
        let found = locked.ring.records().iter().find(|record| record.public.kid() == kid);
        let mut record = found.cloned().ok_or_else(|| {
            ProofError::Key(format!("no key of this store has the thumbprint {kid}"))
        })?;
        let since = since.min(now).whole_seconds();
        record.compromised_since =
            Some(record.compromised_since.map_or(since, |old| old.min(since)));
        record.stopped_signing_at.get_or_insert(now.whole_seconds());
        record.signing = None;
        locked.put_record(record)?;
        self.ring = locked.reconcile(now)?;
        Ok(())
    }
}

fn modified_at(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|directory| directory.modified()).ok()
}

/// The store while its lock is held.
struct LockedKeyStore {
    dir: PrivateDir,
    ring: KeyRing,
}

impl LockedKeyStore {
    fn open(path: &Path) -> Result<Self, ProofError> {
        let dir = PrivateDir::open(path)?;
        let mut records: Vec<KeyRecord> = Vec::new();
        for name in dir.json_names()? {
            let bytes = dir.read(&name)?;
            let record = KeyFile::decode(&bytes).map_err(|error| ProofError::KeyStore {
                path: path.join(&name),
                why: error.to_string(),
            })?;
            records.push(record);
        }
        Ok(Self { dir, ring: KeyRing::new(records) })
    }

    /// Like `open`, but every purpose must have a key already, whether it still signs or not.
    fn open_existing(path: &Path) -> Result<Self, ProofError> {
        let missing = |purposes: Vec<&str>| ProofError::KeysMissing {
            path: path.to_owned(),
            purposes: purposes.join(", "),
        };
        // Before `open`, which would create the directory.
        if !path.is_dir() {
            return Err(missing(KeyPurpose::ALL.iter().map(|purpose| purpose.as_str()).collect()));
        }
        let locked = Self::open(path)?;
        let has_key =
            |purpose| locked.ring.records().iter().any(|record| record.purpose == purpose);
        let without: Vec<&str> = KeyPurpose::ALL
            .into_iter()
            .filter(|purpose| !has_key(*purpose))
            .map(|purpose| purpose.as_str())
            .collect();
        if without.is_empty() { Ok(locked) } else { Err(missing(without)) }
    }

    /// Generates missing keys, stops overdue ones, and returns the resulting ring.
    fn reconcile(mut self, now: Timestamp) -> Result<KeyRing, ProofError> {
        for purpose in KeyPurpose::ALL {
            if self.ring.needs_new_key(purpose, now) {
                self.add_key(purpose, now.whole_seconds())?;
            }
        }
        for record in self.ring.overdue_retirements(now) {
            self.put_record(record)?;
        }
        Ok(self.ring)
    }

    fn add_key(&mut self, purpose: KeyPurpose, signs_from: Timestamp) -> Result<(), ProofError> {
        let key = SigningKey::generate(purpose, signs_from)?;
        self.put_record(KeyRecord {
            purpose,
            public: key.public().clone(),
            signing: Some(Arc::new(key)),
            signs_from,
            generation: self.ring.next_generation(),
            stopped_signing_at: None,
            compromised_since: None,
        })
    }

    /// Writes a record, replacing the previous one of the same key.
    fn put_record(&mut self, record: KeyRecord) -> Result<(), ProofError> {
        let name = file_name(&record);
        self.dir.write(&name, &KeyFile::encode(&record)?)?;
        let mut records = self.ring.records().to_vec();
        records.retain(|other| other.public.kid() != record.public.kid());
        records.push(record);
        self.ring = KeyRing::new(records);
        Ok(())
    }
}

/// The name shows purpose and age to an operator who lists the directory.
fn file_name(record: &KeyRecord) -> String {
    let purpose = record.purpose.as_str().replace(' ', "-");
    format!("{purpose}-{:04}-{}.json", record.generation, record.public.kid())
}

/// The content of a key file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    v: u32,
    purpose: String,
    kid: String,
    x: String,
    signs_from: Timestamp,
    generation: u64,
    stopped_signing_at: Option<Timestamp>,
    compromised_since: Option<Timestamp>,
    /// Null once the key has stopped.
    seed: Option<String>,
}

impl Drop for KeyFile {
    fn drop(&mut self) {
        self.seed.zeroize();
    }
}

impl KeyFile {
    fn encode(record: &KeyRecord) -> Result<Zeroizing<Vec<u8>>, ProofError> {
        let seed = record.signing.as_ref().map(|key| key.encoded_seed()).transpose()?;
        let file = Self {
            v: 1,
            purpose: record.purpose.as_str().to_owned(),
            kid: record.public.kid().to_owned(),
            x: record.public.x(),
            signs_from: record.signs_from,
            generation: record.generation,
            stopped_signing_at: record.stopped_signing_at,
            compromised_since: record.compromised_since,
            seed: seed.as_deref().cloned(),
        };
        // Large enough that no reallocation leaves a copy of the seed in memory.
        let mut bytes = Zeroizing::new(Vec::with_capacity(4096));
        serde_json::to_writer_pretty(&mut *bytes, &file)
            .map_err(|_| ProofError::Key("its file cannot be serialised".to_owned()))?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    fn decode(bytes: &[u8]) -> Result<KeyRecord, ProofError> {
        let refused = |why: &str| ProofError::Key(why.to_owned());
        // The parser's own message could quote the seed.
        let file: Self =
            serde_json::from_slice(bytes).map_err(|_| refused("this is not a key file"))?;
        if file.v != 1 {
            return Err(refused("this key file has an unsupported version"));
        }
        let purpose: KeyPurpose = file.purpose.parse()?;
        let public = PublicKey::from_x(&file.x)?;
        if public.kid() != file.kid {
            return Err(refused("its kid does not match its public key"));
        }
        let signing = match &file.seed {
            None if file.stopped_signing_at.is_none() => {
                return Err(refused("it has neither seed nor stopped_signing_at"));
            }
            None => None,
            // A stopped key must not sign, so a file with both is refused.
            Some(_) if file.stopped_signing_at.is_some() || file.compromised_since.is_some() => {
                return Err(refused("it has stopped but its file still contains the seed"));
            }
            Some(seed) => {
                let bytes = BASE64URL_NOPAD.decode(seed.as_bytes()).map(Zeroizing::new);
                let bytes = bytes.map_err(|_| refused("its seed is not base64url"))?;
                let seed =
                    bytes.as_slice().try_into().map_err(|_| refused("its seed is not 32 bytes"))?;
                let key = SigningKey::from_seed(seed, purpose, file.signs_from)?;
                if key.public() != &public {
                    return Err(refused("its seed does not match its public key"));
                }
                Some(Arc::new(key))
            }
        };
        Ok(KeyRecord {
            purpose,
            public,
            signing,
            signs_from: file.signs_from,
            generation: file.generation,
            stopped_signing_at: file.stopped_signing_at,
            compromised_since: file.compromised_since,
        })
    }
}

#[cfg(test)]
mod tests;
