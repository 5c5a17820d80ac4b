//! The key store on disk: one directory, one file per key.
//!
//! Made at the first start, one key per purpose. Every change is one file put in place as a whole,
//! in an order that leaves a usable store wherever it breaks off: a rotation first adds the new
//! key, then stops the old; whatever is unfinished is finished when the store is next opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use contract::{Brand, Timestamp};
use data_encoding::BASE64URL_NOPAD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use zeroize::{Zeroize, Zeroizing};

use super::private_file::PrivateDir;
use super::{KeyPurpose, KeyRecord, KeyRing, PublicKey, SigningKey};
use crate::ProofError;

/// The keys of a deployment, as they were on disk when last read. Several processes may have the
/// same store open: one that changes it takes the directory's lock and reads it again first. The
/// others learn of the change by [`KeyStore::reload`], so a rotation among several processes is
/// given a start that lies further ahead than they reload.
#[derive(Debug)]
pub struct KeyStore {
    path: PathBuf,
    ring: KeyRing,
    /// When the directory had last been changed as it was read.
    seen: Option<SystemTime>,
}

impl KeyStore {
    /// Opens the store, making the directory and one key per purpose where they are missing, and
    /// finishing a rotation that is due or broke off.
    pub fn open(path: &Path, now: Timestamp) -> Result<Self, ProofError> {
        let seen = changed(path);
        let ring = Locked::open(path)?.settle(now)?;
        Ok(Self { path: path.to_owned(), ring, seen })
    }

    /// Reads the store again, as [`KeyStore::open`] does.
    pub fn reload(&mut self, now: Timestamp) -> Result<(), ProofError> {
        // Before it is read, so that no change is missed, and also if it cannot be read: what is
        // wrong with it will not be better until it is changed again.
        self.seen = changed(&self.path);
        self.ring = Locked::open(&self.path)?.settle(now)?;
        Ok(())
    }

    /// Whether the directory was changed since it was last read: every change puts a file in place.
    /// Cheap enough to ask every second, and no more than a hint.
    #[must_use]
    pub fn is_out_of_date(&self) -> bool {
        changed(&self.path).is_some_and(|changed| Some(changed) != self.seen)
    }

    #[must_use]
    pub fn ring(&self) -> &KeyRing {
        &self.ring
    }

    /// The key that signs for this purpose at this moment.
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

    /// A new key for this purpose, signing from now on; the old one stops and its seed is
    /// destroyed.
    pub fn rotate(&mut self, purpose: KeyPurpose, now: Timestamp) -> Result<(), ProofError> {
        self.rotate_from(purpose, now, now)
    }

    /// As [`KeyStore::rotate`], but the new key begins at `start`. Until then it is published
    /// beside the old one, so that caches learn of it; the first opening or reload after `start`
    /// stops the old.
    pub fn rotate_from(
        &mut self,
        purpose: KeyPurpose,
        start: Timestamp,
        now: Timestamp,
    ) -> Result<(), ProofError> {
        let mut locked = Locked::open(&self.path)?;
        let start = start.whole_seconds();
        if start < now.whole_seconds() {
            return Err(ProofError::Key(format!("it cannot begin in the past, at {start}")));
        }
        match locked.ring.newest_start(purpose) {
            Some(newest) if start < newest => {
                return Err(ProofError::Key(format!(
                    "it cannot begin at {start}, before the key it follows ({newest})"
                )));
            }
            _ => {}
        }
        locked.add(purpose, start)?;
        self.ring = locked.settle(now)?;
        Ok(())
    }

    /// Says to the world that others may hold this key. It stops at once, if it had not, and a
    /// new one takes its place. The earliest `since` stands.
    pub fn mark_compromised(
        &mut self,
        kid: &str,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<(), ProofError> {
        let mut locked = Locked::open(&self.path)?;
        let found = locked.ring.records().iter().find(|record| record.public.kid() == kid);
        let mut record = found.cloned().ok_or_else(|| {
            ProofError::Key(format!("no key of this store has the thumbprint {kid}"))
        })?;
        let since = since.min(now).whole_seconds();
        record.compromised_since =
            Some(record.compromised_since.map_or(since, |old| old.min(since)));
        record.stopped_signing_at.get_or_insert(now.whole_seconds());
        record.signing = None;
        locked.put(record)?;
        self.ring = locked.settle(now)?;
        Ok(())
    }
}

fn changed(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|directory| directory.modified()).ok()
}

/// The store under its lock.
struct Locked {
    dir: PrivateDir,
    ring: KeyRing,
}

impl Locked {
    fn open(path: &Path) -> Result<Self, ProofError> {
        let dir = PrivateDir::open(path)?;
        let mut records: Vec<KeyRecord> = Vec::new();
        for name in dir.names()? {
            let bytes = dir.read(&name)?;
            let record = KeyFile::read(&bytes).map_err(|error| ProofError::Store {
                path: path.join(&name),
                why: error.to_string(),
            })?;
            records.push(record);
        }
        Ok(Self { dir, ring: KeyRing::new(records) })
    }

    /// Makes what is missing, stops what is overdue, and gives the ring that results.
    fn settle(mut self, now: Timestamp) -> Result<KeyRing, ProofError> {
        for purpose in KeyPurpose::ALL {
            if self.ring.wants_key(purpose, now) {
                self.add(purpose, now.whole_seconds())?;
            }
        }
        for record in self.ring.overdue(now) {
            self.put(record)?;
        }
        Ok(self.ring)
    }

    fn add(&mut self, purpose: KeyPurpose, signs_from: Timestamp) -> Result<(), ProofError> {
        let key = SigningKey::generate(purpose, signs_from)?;
        self.put(KeyRecord {
            purpose,
            public: key.public().clone(),
            signing: Some(Arc::new(key)),
            signs_from,
            generation: self.ring.next_generation(),
            stopped_signing_at: None,
            compromised_since: None,
        })
    }

    /// Writes a record, in place of the one of the same key if there is one.
    fn put(&mut self, record: KeyRecord) -> Result<(), ProofError> {
        let name = file_name(&record);
        self.dir.write(&name, &KeyFile::write(&record)?)?;
        let mut records = self.ring.records().to_vec();
        records.retain(|other| other.public.kid() != record.public.kid());
        records.push(record);
        self.ring = KeyRing::new(records);
        Ok(())
    }
}

/// For the operator's eye: purpose and age can be seen from outside.
fn file_name(record: &KeyRecord) -> String {
    let purpose = record.purpose.as_str().replace(' ', "-");
    format!("{purpose}-{:04}-{}.json", record.generation, record.public.kid())
}

/// What a key's file holds.
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
    fn write(record: &KeyRecord) -> Result<Zeroizing<Vec<u8>>, ProofError> {
        let seed = record.signing.as_ref().map(|key| key.seed()).transpose()?;
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
        // Room enough that no half-written copy is left behind by a reallocation.
        let mut bytes = Zeroizing::new(Vec::with_capacity(4096));
        serde_json::to_writer_pretty(&mut *bytes, &file)
            .map_err(|_| ProofError::Key("its file cannot be written".to_owned()))?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    fn read(bytes: &[u8]) -> Result<KeyRecord, ProofError> {
        let refused = |why: &str| ProofError::Key(why.to_owned());
        // The parser's own message could quote what stands in the file.
        let file: Self = serde_json::from_slice(bytes)
            .map_err(|_| refused("this is not a file of the key store"))?;
        if file.v != 1 {
            return Err(refused("this file is of a later version"));
        }
        let purpose: KeyPurpose = file.purpose.parse()?;
        let public = PublicKey::from_x(&file.x)?;
        if public.kid() != file.kid {
            return Err(refused("its thumbprint is not that of its public key"));
        }
        let signing = match &file.seed {
            None if file.stopped_signing_at.is_none() => {
                return Err(refused("it has neither a seed nor an end"));
            }
            None => None,
            // Never both: a key that stopped does not sign, whatever its file says.
            Some(_) if file.stopped_signing_at.is_some() || file.compromised_since.is_some() => {
                return Err(refused("it has stopped and still has a seed"));
            }
            Some(seed) => {
                let bytes = BASE64URL_NOPAD.decode(seed.as_bytes()).map(Zeroizing::new);
                let bytes = bytes.map_err(|_| refused("its seed is not base64url"))?;
                let seed =
                    bytes.as_slice().try_into().map_err(|_| refused("its seed is not 32 bytes"))?;
                let key = SigningKey::from_seed(seed, purpose, file.signs_from)?;
                if key.public() != &public {
                    return Err(refused("its seed is not that of its public key"));
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
