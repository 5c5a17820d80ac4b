//! The published keys: what each is for, and from when to when it may sign.

use std::collections::BTreeMap;

use contract::{Brand, Timestamp};
use serde_json::Value;

use super::checks::Checks;
use super::verdict::CheckOutcome;
use crate::{KeyPurpose, ProofError, PublicKey};

/// The published keys, by thumbprint.
#[derive(Debug, Clone, Default)]
pub struct KeyPolicy {
    /// `None` if no key directory was given.
    keys: Option<BTreeMap<String, PublishedKey>>,
    /// The reader's time.
    read_at: Option<Timestamp>,
}

#[derive(Debug, Clone)]
pub(super) struct PublishedKey {
    purpose: Option<KeyPurpose>,
    signs_from: Option<Timestamp>,
    stopped_signing_at: Option<Timestamp>,
    compromised_since: Option<Timestamp>,
}

impl KeyPolicy {
    /// For a reader who has only the document: keys are not looked up, so nothing is accepted.
    #[must_use]
    pub fn without_directory() -> Self {
        Self::default()
    }

    /// From the documents at `/.well-known/http-message-signatures-directory` and
    /// `/.well-known/security-key-rotation.json`.
    ///
    /// Keys of other types in the directory are skipped. Any malformed entry in the rotation record
    /// is an error: skipping it could hide that a key was retired or compromised.
    pub fn from_directory(
        directory: &Value,
        rotation: Option<&Value>,
        brand: &Brand,
    ) -> Result<Self, ProofError> {
        let mut keys = BTreeMap::new();
        let listed = directory.get("keys").and_then(Value::as_array);
        for jwk in listed.ok_or_else(|| directory_error("it has no list `keys`"))? {
            if jwk.get("crv").and_then(Value::as_str) != Some("Ed25519") {
                continue;
            }
            let key = PublicKey::from_jwk(jwk)?;
            if text(jwk, "kid").is_some_and(|kid| kid != key.kid()) {
                return Err(directory_error("a kid does not match its key's thumbprint"));
            }
            let published = PublishedKey {
                purpose: parse_purpose(jwk, &brand.member("purpose"))?,
                signs_from: parse_start(jwk, brand, "nbf")?,
                stopped_signing_at: None,
                compromised_since: None,
            };
            if keys.insert(key.kid().to_owned(), published).is_some() {
                return Err(directory_error("it lists a key twice"));
            }
        }
        if let Some(rotation) = rotation {
            add_rotation(&mut keys, rotation, brand)?;
        }
        Ok(Self { keys: Some(keys), read_at: None })
    }

    /// With the reader's time, so that signatures from the future are refused.
    #[must_use]
    pub fn at(self, now: Timestamp) -> Self {
        Self { read_at: Some(now), ..self }
    }

    /// Whether a key directory was given.
    pub(super) fn has_keys(&self) -> bool {
        self.keys.is_some()
    }

    /// From when on the key of this thumbprint signs.
    pub(super) fn start_of(&self, kid: &str) -> Option<Timestamp> {
        self.keys.as_ref()?.get(kid)?.signs_from
    }

    pub(super) fn read_at(&self) -> Option<Timestamp> {
        self.read_at
    }

    /// Checks that the key of this thumbprint is published, is for `purpose`, and signed inside
    /// its window.
    pub(super) fn check_key(
        &self,
        kid: &str,
        purpose: Option<KeyPurpose>,
        signed_at: Option<Timestamp>,
        checks: &mut Checks,
    ) {
        let Some(keys) = &self.keys else {
            checks.not_checked(
                "key published",
                "no key directory was given, so it is unknown whose key signed this document",
            );
            return;
        };
        let Some(key) = keys.get(kid) else {
            checks.failed(
                "key published",
                format!("the key {kid} is neither in the directory nor among the retired keys"),
            );
            return;
        };
        checks.push(
            "key published",
            CheckOutcome::Passed,
            format!("published under the thumbprint {kid}"),
        );
        checks.push_result("key purpose", key.check_purpose(purpose));
        let (ok, detail) = key.check_window(signed_at);
        checks.push("key window", ok, detail);
    }

    /// Checks the key of a document that is not at hand but referred to. All that is known is that
    /// it was signed no later than `before`.
    pub(super) fn check_referenced_key(
        &self,
        kid: &str,
        purpose: KeyPurpose,
        before: Option<Timestamp>,
        name: &str,
        checks: &mut Checks,
    ) {
        let Some(keys) = &self.keys else {
            checks.not_checked(name, "no key directory was given");
            return;
        };
        let Some(key) = keys.get(kid) else {
            checks.failed(
                name,
                format!("the key {kid} is neither in the directory nor among the retired keys"),
            );
            return;
        };
        if let Err(why) = key.check_purpose(Some(purpose)) {
            checks.failed(name, why);
        } else if key.compromised_since.is_some() {
            checks.failed(name, "this key is marked as compromised");
        } else if key.signs_from.is_none() || key.signs_from > before {
            checks.failed(name, "this key was not in use when the receipt was signed");
        } else {
            checks.push(name, CheckOutcome::Passed, "published for signing documents");
        }
    }
}

impl PublishedKey {
    fn check_purpose(&self, wanted: Option<KeyPurpose>) -> Result<String, String> {
        match (self.purpose, wanted) {
            (Some(has), Some(wanted)) if has == wanted => Ok(format!("for {has}")),
            (Some(has), Some(wanted)) => {
                Err(format!("the key is for {has}, the document needs one for {wanted}"))
            }
            (None, _) => Err("the key is published without a purpose".to_owned()),
            (_, None) => Err("no key may sign documents of this kind".to_owned()),
        }
    }

    fn check_window(&self, signed_at: Option<Timestamp>) -> (CheckOutcome, String) {
        let Some(at) = signed_at else {
            return (CheckOutcome::Failed, "signed_at is missing or not a timestamp".to_owned());
        };
        if let Some(since) = self.compromised_since {
            return if at >= since {
                (CheckOutcome::Failed, format!("the key is marked as compromised since {since}"))
            } else {
                let why = "the key was compromised later, and signed_at can be backdated by whoever has the key";
                (CheckOutcome::NotChecked, why.to_owned())
            };
        }
        match (self.signs_from, self.stopped_signing_at) {
            (None, _) => {
                (CheckOutcome::Failed, "the key is published without a start time".to_owned())
            }
            (Some(from), _) if at < from => {
                (CheckOutcome::Failed, format!("signed_at is before the key's start time {from}"))
            }
            (_, Some(stopped)) if at > stopped => (
                CheckOutcome::Failed,
                format!("signed_at is after the key stopped signing at {stopped}"),
            ),
            (Some(from), _) => {
                (CheckOutcome::Passed, format!("signed at {at}, key in use from {from}"))
            }
        }
    }
}

fn add_rotation(
    keys: &mut BTreeMap<String, PublishedKey>,
    rotation: &Value,
    brand: &Brand,
) -> Result<(), ProofError> {
    for entry in entries(rotation, "retired")? {
        let stopped = parse_timestamp(entry, "stopped_signing_at")?;
        let stopped =
            stopped.ok_or_else(|| directory_error("a retired key has no stopped_signing_at"))?;
        let retired = PublishedKey {
            purpose: parse_purpose(entry, "purpose")?,
            signs_from: parse_start(entry, brand, "not_before")?,
            stopped_signing_at: Some(stopped),
            compromised_since: None,
        };
        // Purpose and start come from the directory if the key is there. The end time always
        // applies.
        let key = keys.entry(thumbprint(entry)?).or_insert(retired);
        key.stopped_signing_at =
            Some(key.stopped_signing_at.map_or(stopped, |other| other.min(stopped)));
    }
    for entry in entries(rotation, "compromised")? {
        let since = parse_timestamp(entry, "compromised_since")?;
        let since =
            since.ok_or_else(|| directory_error("a compromised key has no compromised_since"))?;
        let unknown = PublishedKey {
            purpose: None,
            signs_from: None,
            stopped_signing_at: None,
            compromised_since: None,
        };
        let key = keys.entry(thumbprint(entry)?).or_insert(unknown);
        key.compromised_since = Some(key.compromised_since.map_or(since, |other| other.min(since)));
    }
    Ok(())
}

fn entries<'a>(rotation: &'a Value, name: &str) -> Result<&'a [Value], ProofError> {
    match rotation.get(name) {
        None => Ok(&[]),
        Some(Value::Array(entries)) => Ok(entries),
        Some(_) => {
            Err(directory_error("`retired` and `compromised` in the rotation record must be lists"))
        }
    }
}

fn thumbprint(entry: &Value) -> Result<String, ProofError> {
    let thumbprint = text(entry, "thumbprint")
        .ok_or_else(|| directory_error("a retired or compromised key has no thumbprint"))?;
    // If the entry also contains the key, the two must match.
    match text(entry, "x") {
        Some(x) if PublicKey::from_x(x)?.kid() != thumbprint => {
            Err(directory_error("a thumbprint does not match its key"))
        }
        _ => Ok(thumbprint.to_owned()),
    }
}

/// The start time of a key: from our own member, or else from the standard one.
fn parse_start(
    entry: &Value,
    brand: &Brand,
    common: &str,
) -> Result<Option<Timestamp>, ProofError> {
    match parse_timestamp(entry, &brand.member("signs_from"))? {
        Some(start) => Ok(Some(start)),
        None => parse_timestamp(entry, common),
    }
}

/// A time as an RFC 3339 string, or in seconds since 1970 as in JOSE.
fn parse_timestamp(entry: &Value, name: &str) -> Result<Option<Timestamp>, ProofError> {
    let read = match entry.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.parse().ok(),
        Some(number) => {
            number.as_i64().map(|seconds| Timestamp::from_millis(seconds.saturating_mul(1000)))
        }
    };
    read.map(Some).ok_or_else(|| directory_error(&format!("{name} is not a timestamp")))
}

/// An unknown purpose is treated as none, not as an error in the directory.
fn parse_purpose(entry: &Value, name: &str) -> Result<Option<KeyPurpose>, ProofError> {
    match entry.get(name) {
        None => Ok(None),
        Some(Value::String(word)) => Ok(word.parse().ok()),
        Some(_) => Err(directory_error(&format!("{name} is not a string"))),
    }
}

fn text<'a>(entry: &'a Value, name: &str) -> Option<&'a str> {
    entry.get(name).and_then(Value::as_str)
}

fn directory_error(why: &str) -> ProofError {
    ProofError::KeyDirectory(why.to_owned())
}
