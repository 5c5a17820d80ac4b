//! Signs stored documents again whose key was reported as compromised since.
//!
//! A document gets the member `replaced_signature` with its former digest and signature, which the new
//! signature covers. The content of tree heads and daily seals cannot change, because later heads, seals
//! and timestamps name their digests: these are signed again as of the start of the new key, so that
//! nobody can choose their time.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::records::ReplacedSignature;
use contract::{Brand, Timestamp};
use serde_json::{Map, Value, json};

use crate::{KeyPurpose, ProofError, SigningKey, sign_document};

/// The kinds whose content is named by its digest elsewhere, without the brand.
pub const FIXED_KINDS: [&str; 2] = ["log-sth", crate::day_seal::KIND_WORD];

/// What documents are signed again with.
#[allow(missing_debug_implementations, reason = "holds a closure over signing keys")]
pub struct Resigning<'a> {
    pub brand: &'a Brand,
    /// The address of the key directory.
    pub published_in: &'a str,
    pub now: Timestamp,
    /// The compromised keys, each with the time since when.
    pub compromised: &'a BTreeMap<String, Timestamp>,
    /// The key that signs for a purpose now.
    pub signer: &'a dyn Fn(KeyPurpose) -> Result<Arc<SigningKey>, ProofError>,
}

type CompromisedKey = (String, Timestamp);

impl Resigning<'_> {
    /// The value with new signatures on every document in it that a compromised key signed, and on those
    /// that contain one. `None` if there is none.
    pub fn resign(&self, value: &Value) -> Result<Option<Value>, ProofError> {
        let (value, found) = self.resign_within(value.clone())?;
        Ok(found.map(|_| value))
    }

    /// The former signature of a document, for showing it next to a document of a fixed kind. `None` if its
    /// key is not compromised.
    #[must_use]
    pub fn replaced(&self, document: &Value) -> Option<Value> {
        let members = document.as_object()?;
        let key = self.compromised_key(members)?;
        Some(self.replaced_signature(members, &key, self.now))
    }

    fn resign_within(&self, value: Value) -> Result<(Value, Option<CompromisedKey>), ProofError> {
        let mut found = None;
        let value = match value {
            Value::Array(items) => {
                let mut resigned = Vec::with_capacity(items.len());
                for item in items {
                    let (item, compromised) = self.resign_within(item)?;
                    found = found.or(compromised);
                    resigned.push(item);
                }
                Value::Array(resigned)
            }
            Value::Object(members) => {
                let mut resigned = Map::new();
                for (name, member) in members {
                    // A signature that was replaced stays as it is.
                    if name == ReplacedSignature::MEMBER {
                        resigned.insert(name, member);
                        continue;
                    }
                    let (member, compromised) = self.resign_within(member)?;
                    found = found.or(compromised);
                    resigned.insert(name, member);
                }
                if is_signed_document(&resigned) {
                    // An intact document that contains one that was signed again has a new digest.
                    match self.compromised_key(&resigned).or_else(|| found.clone()) {
                        Some(key) => {
                            let document = self.sign_again(resigned, &key)?;
                            return Ok((document, Some(key)));
                        }
                        None => return Ok((Value::Object(resigned), None)),
                    }
                }
                Value::Object(resigned)
            }
            scalar => scalar,
        };
        Ok((value, found))
    }

    fn compromised_key(&self, members: &Map<String, Value>) -> Option<CompromisedKey> {
        let kid = members.get("signature")?.get("kid")?.as_str()?;
        let since = self.compromised.get(kid)?;
        Some((kid.to_owned(), *since))
    }

    fn sign_again(
        &self,
        mut members: Map<String, Value>,
        key: &CompromisedKey,
    ) -> Result<Value, ProofError> {
        let kind = members.get("kind").and_then(Value::as_str).unwrap_or_default();
        let Some(purpose) = KeyPurpose::for_kind(kind, self.brand) else {
            // Stored under another brand: no key of ours may sign it.
            return Ok(Value::Object(members));
        };
        let signing = (self.signer)(purpose)?;
        let is_fixed = FIXED_KINDS.iter().any(|word| self.brand.kind(word) == kind);
        let at = if is_fixed { signing.signs_from() } else { self.now.whole_seconds() };
        if !is_fixed && !members.contains_key(ReplacedSignature::MEMBER) {
            let replaced = self.replaced_signature(&members, key, at);
            members.insert(ReplacedSignature::MEMBER.to_owned(), replaced);
        }
        members.remove("sha256");
        members.remove("signature");
        let document = Value::Object(members);
        Ok(sign_document(document, &signing, self.published_in, self.brand, at)?.document)
    }

    fn replaced_signature(
        &self,
        members: &Map<String, Value>,
        (kid, since): &CompromisedKey,
        at: Timestamp,
    ) -> Value {
        json!({
            "why": ReplacedSignature::KEY_COMPROMISED,
            "kid": kid,
            "compromised_since": since,
            "at": at.whole_seconds(),
            "sha256": members.get("sha256"),
            "signature": members.get("signature"),
        })
    }
}

/// Whether this is a document with a signature of its own, and not just a signature.
fn is_signed_document(members: &Map<String, Value>) -> bool {
    let is_text = |name: &str| members.get(name).is_some_and(Value::is_string);
    is_text("kind") && is_text("sha256") && members.get("signature").is_some_and(Value::is_object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KeyPolicy, canonical, verify_document};

    const DIRECTORY: &str = "https://svc.example/.well-known/http-message-signatures-directory";
    const DAY: i64 = 24 * 3600;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millis(second * 1000)
    }

    fn key(seed: u8, purpose: KeyPurpose, start: i64) -> Arc<SigningKey> {
        Arc::new(SigningKey::from_seed(&[seed; 32], purpose, at(start)).unwrap())
    }

    struct Fixture {
        old: [Arc<SigningKey>; 3],
        new: [Arc<SigningKey>; 3],
        compromised: BTreeMap<String, Timestamp>,
    }

    const PURPOSES: [KeyPurpose; 3] =
        [KeyPurpose::Documents, KeyPurpose::Decisions, KeyPurpose::LogHeads];

    fn fixture(compromised: &[KeyPurpose]) -> Fixture {
        let keys = |seed: u8, start| {
            let mut seed = seed;
            PURPOSES.map(|purpose| {
                seed += 1;
                key(seed, purpose, start)
            })
        };
        let (old, new) = (keys(0, 0), keys(10, 50 * DAY));
        let lost = old.iter().filter(|key| compromised.contains(&key.purpose()));
        let compromised = lost.map(|key| (key.kid().to_owned(), at(49 * DAY))).collect();
        Fixture { old, new, compromised }
    }

    impl Fixture {
        fn resign(&self, value: &Value) -> Option<Value> {
            let signer = |purpose| -> Result<Arc<SigningKey>, ProofError> {
                Ok(Arc::clone(self.new.iter().find(|key| key.purpose() == purpose).unwrap()))
            };
            let brand = Brand::default();
            let resigning = Resigning {
                brand: &brand,
                published_in: DIRECTORY,
                now: at(60 * DAY),
                compromised: &self.compromised,
                signer: &signer,
            };
            resigning.resign(value).unwrap()
        }

        fn sign(&self, document: Value, second: i64) -> Value {
            let kind = document["kind"].as_str().unwrap();
            let purpose = KeyPurpose::for_kind(kind, &Brand::default()).unwrap();
            let key = self.old.iter().find(|key| key.purpose() == purpose).unwrap();
            sign_document(document, key, DIRECTORY, &Brand::default(), at(second)).unwrap().document
        }

        fn accepts(&self, document: &Value) -> Result<(), String> {
            let listed = self.new.iter().map(|key| {
                json!({ "kty": "OKP", "crv": "Ed25519", "x": key.public().x(), "kid": key.kid(),
                        "svc_purpose": key.purpose().as_str(), "svc_signs_from": key.signs_from() })
            });
            let retired = self.old.iter().map(|key| {
                json!({ "thumbprint": key.kid(), "x": key.public().x(), "purpose": key.purpose().as_str(),
                        "svc_signs_from": key.signs_from(), "stopped_signing_at": at(50 * DAY) })
            });
            let compromised = self
                .compromised
                .iter()
                .map(|(kid, since)| json!({ "thumbprint": kid, "compromised_since": since }));
            let directory = json!({ "keys": listed.collect::<Vec<_>>() });
            let rotation = json!({ "retired": retired.collect::<Vec<_>>(),
                                   "compromised": compromised.collect::<Vec<_>>() });
            let brand = Brand::default();
            let policy = KeyPolicy::from_directory(&directory, Some(&rotation), &brand).unwrap();
            let bytes = canonical::value_to_vec(document).unwrap();
            let verdict = verify_document(&bytes, &policy.at(at(61 * DAY)), &brand);
            let bad =
                verdict.checks.iter().find(|check| check.ok != crate::verify::CheckOutcome::Passed);
            bad.map_or(Ok(()), |check| Err(format!("{}: {}", check.name, check.detail)))
        }
    }

    fn scan() -> Value {
        json!({ "kind": "svc-scan", "scannedAt": at(5 * DAY), "domain": "a.example" })
    }

    #[test]
    fn a_document_of_a_compromised_key_gets_a_new_signature_and_names_the_old_one() {
        let keys = fixture(&[KeyPurpose::Documents]);
        let stored = keys.sign(scan(), 5 * DAY);
        assert!(keys.accepts(&stored).is_err());
        let again = keys.resign(&stored).unwrap();
        keys.accepts(&again).unwrap();
        let replaced = &again["replaced_signature"];
        assert_eq!(replaced["sha256"], stored["sha256"]);
        assert_eq!(replaced["signature"], stored["signature"]);
        assert_eq!(
            (&replaced["why"], &replaced["at"]),
            (&json!("key_compromised"), &json!(at(60 * DAY)))
        );
        // What was stored can be recovered, with the digest that was sealed.
        let mut former = again.clone();
        let replaced = former.as_object_mut().unwrap().remove("replaced_signature").unwrap();
        former["sha256"] = replaced["sha256"].clone();
        former["signature"] = replaced["signature"].clone();
        assert_eq!(former, stored);
        // The new signature covers the former one and the time.
        for member in ["at", "why", "kid", "sha256"] {
            let mut changed = again.clone();
            changed["replaced_signature"][member] = json!("x");
            assert!(keys.accepts(&changed).is_err(), "{member}");
        }
        assert_eq!(keys.resign(&again), None, "once");
        assert_eq!(fixture(&[]).resign(&stored), None);
        assert_eq!(fixture(&[KeyPurpose::Decisions]).resign(&stored), None);
    }

    #[test]
    fn heads_and_seals_keep_their_content_and_get_the_start_of_the_new_key_as_their_time() {
        let keys = fixture(&[KeyPurpose::LogHeads, KeyPurpose::Documents]);
        for document in [
            json!({ "kind": "svc-day-seal", "sealed_at": at(5 * DAY) }),
            json!({ "kind": "svc-log-sth", "created_at": at(5 * DAY) }),
        ] {
            let stored = keys.sign(document, 5 * DAY);
            let again = keys.resign(&stored).unwrap();
            assert_eq!(again["sha256"], stored["sha256"], "later documents name it");
            assert_eq!(again.get("replaced_signature"), None);
            assert_eq!(again["signature"]["signed_at"], json!(at(50 * DAY)));
            let time = |document: &Value| keys.accepts(document).err().unwrap_or_default();
            assert!(!time(&again).starts_with("signing time"), "{}", time(&again));
            // No other time is accepted for it.
            let mut moved = again.clone();
            moved["signature"]["signed_at"] = json!(at(50 * DAY + 1));
            assert!(time(&moved).starts_with("signing time"), "{}", time(&moved));
        }
    }

    #[test]
    fn a_document_that_contains_one_of_a_compromised_key_is_signed_again_too() {
        let keys = fixture(&[KeyPurpose::LogHeads]);
        let head = keys.sign(json!({ "kind": "svc-log-sth", "created_at": at(5 * DAY) }), 5 * DAY);
        let answer = json!({ "kind": "svc-resolve", "answered_at": at(5 * DAY), "transparency": { "sth": head } });
        let batch = json!({ "answers": [keys.sign(answer, 5 * DAY)], "count": 1 });
        let again = keys.resign(&batch).unwrap();
        let answer = &again["answers"][0];
        let of = |document: &Value| document["signature"]["kid"].as_str().unwrap().to_owned();
        assert_eq!(of(&answer["transparency"]["sth"]), keys.new[2].kid());
        assert_eq!(of(answer), keys.new[0].kid());
        assert_eq!(answer["replaced_signature"]["kid"], keys.old[2].kid());
        assert_eq!(again["count"], 1);
    }
}
