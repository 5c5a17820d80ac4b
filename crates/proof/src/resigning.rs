//! Signs stored documents again whose key was reported as compromised since.
//!
//! A document gets the member `replaced_signature` with its former digest and signature, which the new
//! signature covers. The content of tree heads and daily seals cannot change, because later heads, seals
//! and timestamps name their digests.
//!
//! The time of a new signature is the start of the key that makes it, or the time of a head or seal that is
//! dated later. So nobody can choose it, and every reader gets the same bytes. Only what the former signature covers is signed: a document that was changed
//! on the disk is refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::records::ReplacedSignature;
use contract::{Brand, Timestamp};
use data_encoding::BASE64URL_NOPAD;
use serde_json::{Map, Value, json};

use crate::signature::signed_message;
use crate::{Digest, KeyPurpose, ProofError, PublicKey, SigningKey, canonical, sign_document};

/// The kinds whose content is named by its digest elsewhere, without the brand.
pub const FIXED_KINDS: [&str; 2] = ["log-sth", crate::day_seal::KIND_WORD];

/// Where a stored document contains another one of ours. Nothing else is looked at: a receipt repeats an
/// object that its caller chose, and signing what is in there would sign whatever a thief of a key made.
const INNER_DOCUMENT: [&str; 2] = ["transparency", "sth"];

/// What documents are signed again with.
#[allow(missing_debug_implementations, reason = "holds a closure over signing keys")]
pub struct Resigning<'a> {
    pub brand: &'a Brand,
    /// The address of the key directory.
    pub published_in: &'a str,
    /// The compromised keys, each with the time since when.
    pub compromised: &'a BTreeMap<String, Timestamp>,
    /// The key that signs for a purpose now.
    pub signer: &'a dyn Fn(KeyPurpose) -> Result<Arc<SigningKey>, ProofError>,
}

/// A document after its signature was replaced.
struct Resigned {
    document: Value,
    /// The start of the keys that signed it and what is inside.
    start: Timestamp,
    key: CompromisedKey,
}

type CompromisedKey = (String, Timestamp);

impl Resigning<'_> {
    /// The document with a new signature if a compromised key signed it, or a document inside it. `None`
    /// if neither did.
    pub fn resign(&self, document: &Value) -> Result<Option<Value>, ProofError> {
        Ok(self.resign_document(document)?.map(|resigned| resigned.document))
    }

    /// The former signature of a document, for showing it next to a document of a fixed kind. `None` if its
    /// key is not compromised.
    pub fn replaced(&self, document: &Value) -> Result<Option<Value>, ProofError> {
        let Some(members) = document.as_object() else { return Ok(None) };
        let Some(key) = self.compromised_key(members) else { return Ok(None) };
        let Some(signing) = self.signer_for(members)? else { return Ok(None) };
        let at = self.time_of_fixed(members, signing.signs_from());
        Ok(Some(replaced_signature(members, &key, at)))
    }

    fn resign_document(&self, document: &Value) -> Result<Option<Resigned>, ProofError> {
        let Some(members) = document.as_object().filter(|members| is_signed_document(members))
        else {
            return Ok(None);
        };
        let [outer, member] = INNER_DOCUMENT;
        let inner = match document.get(outer).and_then(|outer| outer.get(member)) {
            Some(inner) => self.resign_document(inner)?,
            None => None,
        };
        let inner_key = inner.as_ref().map(|inner| inner.key.clone());
        // An intact document that contains one that was signed again has a new digest.
        let Some(key) = self.compromised_key(members).or(inner_key) else { return Ok(None) };
        // Stored under another brand: no key of ours may sign it.
        let Some(signing) = self.signer_for(members)? else { return Ok(None) };
        check_former_signature(members, self.brand)?;
        let mut changed = members.clone();
        let mut start = signing.signs_from();
        if let Some(inner) = inner {
            start = start.max(inner.start);
            let place = changed.get_mut(outer).and_then(|outer| outer.get_mut(member));
            if let Some(place) = place {
                *place = inner.document;
            }
        }
        let mut at = start;
        if self.is_fixed(members) {
            at = self.time_of_fixed(members, start);
        } else {
            let mut replaced = replaced_signature(members, &key, at);
            // Signed again before: the first signature is the one that was stored.
            if let Some(Value::Object(first)) = members.get(ReplacedSignature::MEMBER) {
                let mut first = first.clone();
                first.insert("at".to_owned(), json!(at));
                replaced = Value::Object(first);
            }
            changed.insert(ReplacedSignature::MEMBER.to_owned(), replaced);
        }
        changed.remove("sha256");
        changed.remove("signature");
        let changed = Value::Object(changed);
        let signed = sign_document(changed, &signing, self.published_in, self.brand, at)?;
        Ok(Some(Resigned { document: signed.document, start, key }))
    }

    fn is_fixed(&self, members: &Map<String, Value>) -> bool {
        FIXED_KINDS.iter().any(|word| self.brand.kind(word) == text(members, "kind"))
    }

    /// Heads and seals never run backwards: after a clock ran ahead they are dated after the key's start.
    fn time_of_fixed(&self, members: &Map<String, Value>, start: Timestamp) -> Timestamp {
        let stated = ["created_at", "sealed_at"].map(|name| text(members, name).parse().ok());
        stated.into_iter().flatten().fold(start, Timestamp::max)
    }

    fn compromised_key(&self, members: &Map<String, Value>) -> Option<CompromisedKey> {
        let kid = members.get("signature")?.get("kid")?.as_str()?;
        let since = self.compromised.get(kid)?;
        Some((kid.to_owned(), *since))
    }

    fn signer_for(
        &self,
        members: &Map<String, Value>,
    ) -> Result<Option<Arc<SigningKey>>, ProofError> {
        KeyPurpose::for_kind(text(members, "kind"), self.brand).map(self.signer).transpose()
    }
}

fn replaced_signature(
    members: &Map<String, Value>,
    (kid, since): &CompromisedKey,
    at: Timestamp,
) -> Value {
    json!({
        "why": ReplacedSignature::KEY_COMPROMISED,
        "kid": kid,
        "compromised_since": since,
        "at": at,
        "sha256": members.get("sha256"),
        "signature": members.get("signature"),
    })
}

/// Fails unless the document is as it was when it was signed.
fn check_former_signature(members: &Map<String, Value>, brand: &Brand) -> Result<(), ProofError> {
    let refused = |why: &str| ProofError::Document(format!("it is not signed again: {why}"));
    let digest = canonical::document_digest(members)?;
    if text(members, "sha256").parse() != Ok(digest) {
        return Err(refused("its content does not have the digest it states"));
    }
    let block = members.get("signature");
    if !is_signed(block, &digest, brand) {
        return Err(refused("its former signature is not valid"));
    }
    Ok(())
}

fn is_signed(block: Option<&Value>, digest: &Digest, brand: &Brand) -> bool {
    let signed = || {
        let block = block?;
        let key = PublicKey::from_jwk(block.get("key")?.get("jwk")?).ok()?;
        let signature = BASE64URL_NOPAD.decode(block.get("sig")?.as_str()?.as_bytes()).ok()?;
        let is_named = block.get("kid")?.as_str()? == key.kid();
        Some(is_named && key.verifies(signed_message(digest, brand).as_bytes(), &signature))
    };
    signed().unwrap_or(false)
}

/// Whether this is a document with a signature of its own, and not just a signature.
fn is_signed_document(members: &Map<String, Value>) -> bool {
    let is_text = |name: &str| members.get(name).is_some_and(Value::is_string);
    is_text("kind") && is_text("sha256") && members.get("signature").is_some_and(Value::is_object)
}

fn text<'a>(members: &'a Map<String, Value>, name: &str) -> &'a str {
    members.get(name).and_then(Value::as_str).unwrap_or_default()
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
            self.try_resign(value).unwrap()
        }

        fn try_resign(&self, value: &Value) -> Result<Option<Value>, ProofError> {
            let signer = |purpose| -> Result<Arc<SigningKey>, ProofError> {
                Ok(Arc::clone(self.new.iter().find(|key| key.purpose() == purpose).unwrap()))
            };
            let brand = Brand::default();
            let resigning = Resigning {
                brand: &brand,
                published_in: DIRECTORY,
                compromised: &self.compromised,
                signer: &signer,
            };
            resigning.resign(value)
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
            (&json!("key_compromised"), &json!(at(50 * DAY)))
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
        // One that is dated after the start of the key, because a clock ran ahead.
        let ahead = json!({ "kind": "svc-log-sth", "created_at": at(54 * DAY) });
        let again = keys.resign(&keys.sign(ahead, 5 * DAY)).unwrap();
        assert_eq!(again["signature"]["signed_at"], json!(at(54 * DAY)));
        let time = keys.accepts(&again).err().unwrap_or_default();
        assert!(!time.starts_with("signing time"), "{time}");
    }

    #[test]
    fn a_document_that_contains_one_of_a_compromised_key_is_signed_again_too() {
        let keys = fixture(&[KeyPurpose::LogHeads]);
        let head = keys.sign(json!({ "kind": "svc-log-sth", "created_at": at(5 * DAY) }), 5 * DAY);
        let answer = json!({ "kind": "svc-resolve", "answered_at": at(5 * DAY), "transparency": { "sth": head } });
        let stored = keys.sign(answer, 5 * DAY);
        let answer = &keys.resign(&stored).unwrap();
        let of = |document: &Value| document["signature"]["kid"].as_str().unwrap().to_owned();
        assert_eq!(of(&answer["transparency"]["sth"]), keys.new[2].kid());
        assert_eq!(of(answer), keys.new[0].kid());
        assert_eq!(answer["replaced_signature"]["kid"], keys.old[2].kid());
        assert_eq!(answer["replaced_signature"]["signature"], stored["signature"]);
    }

    #[test]
    fn every_reader_gets_the_same_bytes() {
        let keys = fixture(&PURPOSES);
        let stored = keys.sign(scan(), 5 * DAY);
        assert_eq!(keys.resign(&stored), keys.resign(&stored));
        // Nothing is dated before it was made: the inner head got its signature later than the key for
        // documents started.
        let mut keys = fixture(&[KeyPurpose::LogHeads]);
        let head =
            keys.sign(json!({ "kind": "svc-log-sth", "created_at": at(52 * DAY) }), 52 * DAY);
        let answer = json!({ "kind": "svc-resolve", "answered_at": at(52 * DAY), "transparency": { "sth": head } });
        let stored = keys.sign(answer, 52 * DAY);
        keys.new[2] = key(99, KeyPurpose::LogHeads, 55 * DAY);
        assert_eq!(keys.resign(&stored).unwrap()["replaced_signature"]["at"], json!(at(55 * DAY)));
    }

    #[test]
    fn what_was_changed_is_not_signed_again() {
        let keys = fixture(&PURPOSES);
        let head = keys.sign(json!({ "kind": "svc-log-sth", "created_at": at(5 * DAY) }), 5 * DAY);
        let answer = json!({ "kind": "svc-resolve", "answered_at": at(5 * DAY), "transparency": { "sth": head } });
        let stored = keys.sign(answer, 5 * DAY);
        assert!(keys.resign(&stored).is_some());
        let other = keys.sign(scan(), 5 * DAY);
        for (place, value) in [
            ("/answered_at", json!(at(6 * DAY))),
            ("/sha256", other["sha256"].clone()),
            ("/signature/sig", other["signature"]["sig"].clone()),
            ("/signature/key/jwk/x", json!(keys.new[0].public().x())),
            ("/transparency/sth/created_at", json!(at(6 * DAY))),
            ("/transparency/sth/signature/sig", other["signature"]["sig"].clone()),
        ] {
            let mut changed = stored.clone();
            *changed.pointer_mut(place).unwrap() = value;
            assert!(keys.try_resign(&changed).is_err(), "{place}");
        }
    }

    #[test]
    fn what_a_caller_put_into_a_receipt_is_not_signed() {
        let keys = fixture(&PURPOSES);
        let forged = keys.sign(scan(), 5 * DAY);
        let receipt = json!({ "kind": "svc-decision", "decided_at": at(5 * DAY),
            "operation": { "a": forged, "transparency": { "sth": forged } } });
        let again = keys.resign(&keys.sign(receipt, 5 * DAY)).unwrap();
        assert_eq!(again["operation"]["a"], forged);
        assert_eq!(again["operation"]["transparency"]["sth"], forged);
    }
}
