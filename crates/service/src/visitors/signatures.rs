//! Signatures of visitors' requests (Web Bot Auth), and the directories with the keys of operators.
//!
//! Only directories of the catalogue are read: a signature of anybody else proves nothing about a known
//! agent, so no caller can make this service read an address of his choice.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agents::verdict::{SignatureEvidence, VisitorChecker};
use contract::Timestamp;
use observe::KeyDirectoryRead;
use proof::PublicKey;
use proof::http_signatures::{BotSignature, BotSignatureError, HttpSignatureError};
use serde_json::Value;

use super::{VisitorDescription, Visitors};

const DIRECTORY_TIME: Duration = Duration::from_secs(3);
/// How long a directory is used before it is read again.
const FRESH_MS: i64 = 3_600_000;
/// How soon it is read again because a key is missing or it could not be read.
const RETRY_MS: i64 = 300_000;
/// How long its keys are used while it cannot be read.
const KEPT_MS: i64 = 24 * 3_600_000;
const MAX_KEYS: usize = 64;

/// The directories by origin, one entry for each of the catalogue. The outer lock guards the map, the lock
/// of an entry is held while its directory is read, so that it is read once.
#[derive(Debug, Default)]
pub(super) struct KeyDirectories {
    by_origin: Mutex<HashMap<String, Arc<tokio::sync::Mutex<Directory>>>>,
}

/// What is known of a directory.
#[derive(Debug, Default)]
struct Directory {
    keys: HashMap<String, PublicKey>,
    read_at: Option<Timestamp>,
    tried_at: Option<Timestamp>,
    /// Why the last read failed.
    fault: Option<String>,
}

impl Visitors {
    /// Checks the signature of a visitor's request, if the caller passed it on.
    pub(super) async fn check_signature(
        &self,
        checker: &VisitorChecker,
        visitor: VisitorDescription<'_>,
    ) -> SignatureEvidence {
        let Some(headers) = visitor.headers else { return SignatureEvidence::NotGiven };
        let fields: Vec<(&str, &str)> = headers.iter().collect();
        let invalid =
            |origin: Option<&str>, error: &BotSignatureError| SignatureEvidence::Invalid {
                origin: origin.map(str::to_owned),
                why: format!("is not valid: {error}"),
            };
        let signature = match BotSignature::find(&fields) {
            Ok(Some(signature)) => signature,
            Ok(None) => return SignatureEvidence::NotGiven,
            Err(error) => return invalid(None, &error),
        };
        let origin = signature.origin().to_owned();
        let unverified =
            |why: String| SignatureEvidence::Unverified { origin: origin.clone(), why };
        let is_known = |agent: &agents::KnownAgent| agent.key_directories.contains(&origin);
        if !checker.agents().agents().iter().any(is_known) {
            return unverified(format!(
                "is by a key of {origin}, which operates none of the known agents, and was not checked"
            ));
        }
        let Some(authority) = visitor.authority else {
            return unverified(
                "was not checked, because the host that the request was sent to was not given"
                    .to_owned(),
            );
        };
        if let Some(part) = signature.unknown_component() {
            return unverified(format!(
                "covers {part}, which was not given, and could not be checked"
            ));
        }
        let key = match self.find_key(&origin, signature.keyid()).await {
            Ok(Some(key)) => key,
            Ok(None) => {
                return invalid(Some(&origin), &HttpSignatureError::UnknownKey.into());
            }
            Err(why) => {
                return unverified(format!(
                    "could not be checked: the keys of {origin} could not be read ({why})"
                ));
            }
        };
        let now = self.clock.now();
        if let Err(error) = signature.verify(&fields, authority, &key, now) {
            return invalid(Some(&origin), &error);
        }
        match self.used_signatures.is_copy(&signature, visitor.address, now) {
            false => SignatureEvidence::Valid { origin },
            true if signature.has_nonce() => SignatureEvidence::Invalid {
                origin: Some(origin),
                why: "is not valid: it was used from another address before, so this one is a copy"
                    .to_owned(),
            },
            // Without a nonce, its maker does not promise to use it once.
            true => unverified(
                "proves nothing: it was used from another address before and may be a copy"
                    .to_owned(),
            ),
        }
    }

    /// The key with this thumbprint in the directory of an origin; `None` if it has no such key.
    async fn find_key(&self, origin: &str, keyid: &str) -> Result<Option<PublicKey>, String> {
        let entry = {
            let mut all =
                self.key_directories.by_origin.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(origin.to_owned()).or_default())
        };
        let mut directory = entry.lock().await;
        let now = self.clock.now();
        if directory.needs_reading(keyid, now) {
            let read = KeyDirectoryRead {
                origin,
                door: self.scanner.door(),
                catalogue: self.scanner.catalogue(),
                deadline: DIRECTORY_TIME,
            };
            let found = read.run().await.and_then(|body| parse_directory(&body));
            directory.update(found, self.clock.now());
        }
        directory.find(keyid, now)
    }
}

impl Directory {
    fn needs_reading(&self, keyid: &str, now: Timestamp) -> bool {
        let older_than = |at: Option<Timestamp>, ms: i64| {
            at.is_none_or(|at| now.millis_since(at) > ms || now.millis_since(at) < 0)
        };
        if !older_than(self.tried_at, RETRY_MS) {
            return false;
        }
        older_than(self.read_at, FRESH_MS) || self.fault.is_some() || !self.keys.contains_key(keyid)
    }

    /// A directory that was read replaces all keys; one that could not be read changes none.
    fn update(&mut self, found: Result<HashMap<String, PublicKey>, String>, now: Timestamp) {
        self.tried_at = Some(now);
        match found {
            Ok(keys) => {
                self.keys = keys;
                self.read_at = Some(now);
                self.fault = None;
            }
            Err(why) => self.fault = Some(why),
        }
    }

    fn find(&self, keyid: &str, now: Timestamp) -> Result<Option<PublicKey>, String> {
        let usable = self.read_at.is_some_and(|at| now.millis_since(at) < KEPT_MS);
        if !usable {
            return Err(self.fault.clone().unwrap_or_else(|| "it was not read yet".to_owned()));
        }
        match (self.keys.get(keyid), &self.fault) {
            (Some(key), _) => Ok(Some(key.clone())),
            // The key may be new.
            (None, Some(fault)) => Err(fault.clone()),
            (None, None) => Ok(None),
        }
    }
}

/// The Ed25519 keys of a directory by their thumbprints.
fn parse_directory(body: &[u8]) -> Result<HashMap<String, PublicKey>, String> {
    let document: Value =
        serde_json::from_slice(body).map_err(|_| "The directory is not JSON.".to_owned())?;
    let keys = document.get("keys").and_then(Value::as_array);
    let keys = keys.ok_or("The directory has no list of keys.")?;
    if keys.len() > MAX_KEYS {
        return Err(format!("The directory has more than {MAX_KEYS} keys."));
    }
    // Keys of other kinds are for others. The thumbprint is computed, not believed.
    let keys = keys.iter().filter_map(|jwk| PublicKey::from_jwk(jwk).ok());
    Ok(keys.map(|key| (key.kid().to_owned(), key)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000 + minutes * 60_000)
    }

    fn key() -> PublicKey {
        PublicKey::from_x("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo").unwrap()
    }

    fn keys() -> HashMap<String, PublicKey> {
        HashMap::from([(key().kid().to_owned(), key())])
    }

    #[test]
    fn a_directory_that_cannot_be_read_evicts_nothing_and_one_without_the_key_does() {
        let kid = key().kid().to_owned();
        let mut directory = Directory::default();
        assert!(directory.needs_reading(&kid, at(0)));
        assert!(directory.find(&kid, at(0)).is_err());
        directory.update(Ok(keys()), at(0));
        assert_eq!(directory.find(&kid, at(1)), Ok(Some(key())));
        assert!(!directory.needs_reading(&kid, at(30)), "it is fresh");
        assert!(!directory.needs_reading("another", at(1)), "not again at once");
        assert!(directory.needs_reading("another", at(6)), "the key may be new");
        directory.update(Err("no answer".to_owned()), at(70));
        assert_eq!(directory.find(&kid, at(71)), Ok(Some(key())));
        assert_eq!(directory.find("another", at(71)), Err("no answer".to_owned()));
        assert!(directory.find(&kid, at(24 * 60 + 1)).is_err(), "not for ever");
        directory.update(Ok(HashMap::new()), at(80));
        assert_eq!(directory.find(&kid, at(81)), Ok(None));
    }

    #[test]
    fn directories_are_read_with_care() {
        let jwk = key().jwk();
        let one = serde_json::json!({ "keys": [jwk, { "kty": "RSA" }, 7] }).to_string();
        assert_eq!(parse_directory(one.as_bytes()).unwrap().len(), 1);
        let many = serde_json::json!({ "keys": vec![jwk; 65] }).to_string();
        for bad in ["", "[]", "{}", "{\"keys\": 1}", &many] {
            assert!(parse_directory(bad.as_bytes()).is_err(), "{bad:.40}");
        }
        // The name of a key is computed, not believed.
        let renamed = serde_json::json!({ "keys": [{ "kty": "OKP", "crv": "Ed25519", "x": key().x(), "kid": "x" }] });
        let parsed = parse_directory(renamed.to_string().as_bytes()).unwrap();
        assert!(parsed.contains_key(key().kid()) && !parsed.contains_key("x"));
    }
}
