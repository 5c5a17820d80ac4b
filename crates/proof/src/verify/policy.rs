//! Which keys are published, for what, and from when to when.

use std::collections::BTreeMap;

use contract::{Brand, Timestamp};
use serde_json::Value;

use super::{Checks, Outcome};
use crate::{KeyPurpose, ProofError, PublicKey};

/// The published keys, by thumbprint.
#[derive(Debug, Clone, Default)]
pub struct KeyPolicy {
    /// None: there was no directory to look into.
    keys: Option<BTreeMap<String, PublishedKey>>,
}

#[derive(Debug, Clone)]
pub(super) struct PublishedKey {
    purpose: Option<KeyPurpose>,
    signs_from: Option<Timestamp>,
    stopped_signing_at: Option<Timestamp>,
    compromised_since: Option<Timestamp>,
}

impl KeyPolicy {
    /// For whoever has the document alone: its key is not looked up, so nothing is accepted.
    #[must_use]
    pub fn without_directory() -> Self {
        Self::default()
    }

    /// From what is published at `/.well-known/http-message-signatures-directory` and
    /// `/.well-known/security-key-rotation.json`.
    ///
    /// Keys of other types in the directory are passed over. Anything in the rotation record that
    /// cannot be understood refuses the whole: an entry that is passed over there would make a
    /// key look better than it is.
    pub fn from_directory(
        directory: &Value,
        rotation: Option<&Value>,
        brand: &Brand,
    ) -> Result<Self, ProofError> {
        let mut keys = BTreeMap::new();
        let listed = directory.get("keys").and_then(Value::as_array);
        for jwk in listed.ok_or_else(|| refused("it has no list of keys"))? {
            if jwk.get("crv").and_then(Value::as_str) != Some("Ed25519") {
                continue;
            }
            let key = PublicKey::from_jwk(jwk)?;
            if text(jwk, "kid").is_some_and(|kid| kid != key.kid()) {
                return Err(refused("a kid is not the thumbprint of its key"));
            }
            let published = PublishedKey {
                purpose: purpose(jwk, &brand.member("purpose"))?,
                signs_from: start(jwk, brand, "nbf")?,
                stopped_signing_at: None,
                compromised_since: None,
            };
            if keys.insert(key.kid().to_owned(), published).is_some() {
                return Err(refused("it lists a key twice"));
            }
        }
        if let Some(rotation) = rotation {
            add_rotation(&mut keys, rotation, brand)?;
        }
        Ok(Self { keys: Some(keys) })
    }

    /// Checks that the key of this thumbprint is published, is for `purpose`, and signed inside
    /// its window.
    pub(super) fn check(
        &self,
        kid: &str,
        purpose: Option<KeyPurpose>,
        signed_at: Option<Timestamp>,
        checks: &mut Checks,
    ) {
        let Some(keys) = &self.keys else {
            checks.not_checked(
                "key published",
                "no directory was given: whoever made this document had the key it names, but \
                 whose key that is was not checked",
            );
            return;
        };
        let Some(key) = keys.get(kid) else {
            checks.failed(
                "key published",
                format!("no directory entry or retired key has the thumbprint {kid}"),
            );
            return;
        };
        checks.push("key published", Outcome::Passed, format!("found by its thumbprint {kid}"));
        checks.note("key purpose", key.fits(purpose));
        let (ok, detail) = key.window(signed_at);
        checks.push("key window", ok, detail);
    }

    /// Checks the key of a document that is only referred to: all that is known is that it was
    /// signed no later than `before`.
    pub(super) fn check_reference(
        &self,
        kid: &str,
        purpose: KeyPurpose,
        before: Option<Timestamp>,
        name: &str,
        checks: &mut Checks,
    ) {
        let Some(keys) = &self.keys else {
            checks.not_checked(name, "no directory was given");
            return;
        };
        let Some(key) = keys.get(kid) else {
            checks.failed(
                name,
                format!("no directory entry or retired key has the thumbprint {kid}"),
            );
            return;
        };
        if let Err(why) = key.fits(Some(purpose)) {
            checks.failed(name, why);
        } else if key.compromised_since.is_some() {
            checks.failed(name, "this key is compromised");
        } else if key.signs_from.is_none() || key.signs_from > before {
            checks.failed(name, "this key had not begun to sign");
        } else {
            checks.push(name, Outcome::Passed, "published, and for documents");
        }
    }
}

impl PublishedKey {
    fn fits(&self, wanted: Option<KeyPurpose>) -> Result<String, String> {
        match (self.purpose, wanted) {
            (Some(has), Some(wanted)) if has == wanted => Ok(format!("for {has}")),
            (Some(has), Some(wanted)) => {
                Err(format!("the key is for {has}, the document needs one for {wanted}"))
            }
            (None, _) => Err("the key is published without a purpose".to_owned()),
            (_, None) => Err("no key is for documents of this kind".to_owned()),
        }
    }

    fn window(&self, signed_at: Option<Timestamp>) -> (Outcome, String) {
        let Some(at) = signed_at else {
            return (Outcome::Failed, "signed_at is absent or no timestamp".to_owned());
        };
        if let Some(since) = self.compromised_since {
            return if at >= since {
                (Outcome::Failed, format!("the key is compromised since {since}"))
            } else {
                let why = "the key was compromised later, and signed_at is the signer's word: by itself this proves nothing";
                (Outcome::NotChecked, why.to_owned())
            };
        }
        match (self.signs_from, self.stopped_signing_at) {
            (None, _) => (Outcome::Failed, "the key is published without a start".to_owned()),
            (Some(from), _) if at < from => {
                (Outcome::Failed, format!("the key signs nothing before {from}"))
            }
            (_, Some(stopped)) if at > stopped => {
                (Outcome::Failed, format!("the key stopped signing at {stopped}"))
            }
            (Some(from), _) => (Outcome::Passed, format!("signed at {at}, key in use from {from}")),
        }
    }
}

fn add_rotation(
    keys: &mut BTreeMap<String, PublishedKey>,
    rotation: &Value,
    brand: &Brand,
) -> Result<(), ProofError> {
    for entry in entries(rotation, "retired")? {
        let stopped = timestamp(entry, "stopped_signing_at")?;
        let stopped = stopped.ok_or_else(|| refused("a retired key has no end"))?;
        let retired = PublishedKey {
            purpose: purpose(entry, "purpose")?,
            signs_from: start(entry, brand, "not_before")?,
            stopped_signing_at: Some(stopped),
            compromised_since: None,
        };
        // The directory says what a key is for; the end stands wherever it is said.
        let key = keys.entry(thumbprint(entry)?).or_insert(retired);
        key.stopped_signing_at =
            Some(key.stopped_signing_at.map_or(stopped, |other| other.min(stopped)));
    }
    for entry in entries(rotation, "compromised")? {
        let since = timestamp(entry, "compromised_since")?;
        let since = since.ok_or_else(|| refused("a compromised key has no date"))?;
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
        Some(_) => Err(refused("the rotation record is not made of lists")),
    }
}

fn thumbprint(entry: &Value) -> Result<String, ProofError> {
    let thumbprint = text(entry, "thumbprint")
        .ok_or_else(|| refused("a retired or compromised key has no thumbprint"))?;
    // Where the key itself is given it must be the one that is meant.
    match text(entry, "x") {
        Some(x) if PublicKey::from_x(x)?.kid() != thumbprint => {
            Err(refused("a thumbprint is not that of its key"))
        }
        _ => Ok(thumbprint.to_owned()),
    }
}

/// The start of a key: our own member, or the common one.
fn start(entry: &Value, brand: &Brand, common: &str) -> Result<Option<Timestamp>, ProofError> {
    match timestamp(entry, &brand.member("signs_from"))? {
        Some(start) => Ok(Some(start)),
        None => timestamp(entry, common),
    }
}

/// A moment in the interface's form, or in seconds since 1970 as JOSE writes it.
fn timestamp(entry: &Value, name: &str) -> Result<Option<Timestamp>, ProofError> {
    let read = match entry.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.parse().ok(),
        Some(number) => {
            number.as_i64().map(|seconds| Timestamp::from_millis(seconds.saturating_mul(1000)))
        }
    };
    read.map(Some).ok_or_else(|| refused(&format!("{name} is no timestamp")))
}

/// A word that is none of the four is no purpose of ours, not an error of the directory.
fn purpose(entry: &Value, name: &str) -> Result<Option<KeyPurpose>, ProofError> {
    match entry.get(name) {
        None => Ok(None),
        Some(Value::String(word)) => Ok(word.parse().ok()),
        Some(_) => Err(refused(&format!("{name} is not a word"))),
    }
}

fn text<'a>(entry: &'a Value, name: &str) -> Option<&'a str> {
    entry.get(name).and_then(Value::as_str)
}

fn refused(why: &str) -> ProofError {
    ProofError::Directory(why.to_owned())
}
