//! The checks every signed document has to pass: kind, digest, signature block, key.

use contract::{Brand, Timestamp};
use data_encoding::BASE64URL_NOPAD;
use serde_json::{Map, Value};

use super::{Checks, KeyPolicy};
use crate::digest::Digest;
use crate::signature::message;
use crate::{KeyPurpose, PublicKey, canonical};

/// Checks a document's own digest and signature, and the keys it leans on by name.
pub(super) fn check(
    members: &Map<String, Value>,
    policy: &KeyPolicy,
    brand: &Brand,
    checks: &mut Checks,
) {
    let kind = members.get("kind").and_then(Value::as_str).unwrap_or_default();
    let purpose = KeyPurpose::for_kind(kind, brand);
    checks.note(
        "kind",
        match purpose {
            Some(_) => Ok(kind.to_owned()),
            None => Err(format!("a document signed here has a kind of the form {brand}-word")),
        },
    );
    let digest = check_digest(members, checks);
    let Some(block) = members.get("signature").and_then(Value::as_object) else {
        checks.failed("signature", "there is none");
        return;
    };
    let signed_at = text(block, "signed_at").and_then(|text| text.parse().ok());
    check_block(block, checks);
    if let Some(key) = check_key(block, checks) {
        if let Some(digest) = digest {
            check_signature(block, &key, &digest, brand, checks);
        }
        policy.check(key.kid(), purpose, signed_at, checks);
    }
    if purpose == Some(KeyPurpose::Decisions) {
        check_answer_key(members, policy, signed_at, checks);
    }
}

/// The digest made anew, also where it is not the one that is stated.
fn check_digest(members: &Map<String, Value>, checks: &mut Checks) -> Option<Digest> {
    let made = match canonical::document_digest(members) {
        Ok(made) => made,
        Err(error) => {
            checks.failed("digest", error.to_string());
            return None;
        }
    };
    checks.note(
        "digest",
        match text(members, "sha256") {
            Some(stated) if stated.parse() == Ok(made) => Ok(format!("sha256 {made}")),
            Some(stated) => Err(format!("it states {stated}, its members give {made}")),
            None => Err("it states none".to_owned()),
        },
    );
    Some(made)
}

fn check_block(block: &Map<String, Value>, checks: &mut Checks) {
    let wrong = if block.get("v").and_then(Value::as_u64) != Some(1) {
        Some("v is not 1")
    } else if text(block, "alg") != Some("Ed25519") {
        Some("alg is not Ed25519")
    } else if text(block, "over") != Some("sha256") {
        Some("over is not sha256")
    } else {
        None
    };
    checks.note("signature form", wrong.map_or(Ok("version 1, Ed25519, over sha256"), Err));
}

/// The key the document brings along, if it is the one that the document names. It stands in for
/// the published one, because the thumbprint fixes the key.
fn check_key(block: &Map<String, Value>, checks: &mut Checks) -> Option<PublicKey> {
    let brought = block.get("key");
    let key = brought.and_then(|key| key.get("jwk")).map(PublicKey::from_jwk);
    let (result, key) = match key {
        None => (Err("there is no key.jwk".to_owned()), None),
        Some(Err(error)) => (Err(error.to_string()), None),
        Some(Ok(key)) => {
            let named = brought.and_then(|brought| brought.get("kid")).and_then(Value::as_str);
            if text(block, "kid") == Some(key.kid()) && named == Some(key.kid()) {
                (Ok(format!("kid {}", key.kid())), Some(key))
            } else {
                (Err(format!("kid is not the key's thumbprint {}", key.kid())), None)
            }
        }
    };
    checks.note("thumbprint", result);
    key
}

fn check_signature(
    block: &Map<String, Value>,
    key: &PublicKey,
    digest: &Digest,
    brand: &Brand,
    checks: &mut Checks,
) {
    let message = message(digest, brand);
    checks.note(
        "message",
        if text(block, "message") == Some(&message) {
            Ok("prefix and digest as they must be")
        } else {
            Err("signature.message is not the prefix and the digest of this document")
        },
    );
    let signature = text(block, "sig").and_then(|sig| BASE64URL_NOPAD.decode(sig.as_bytes()).ok());
    checks.note(
        "signature",
        match signature {
            Some(signature) if key.verifies(message.as_bytes(), &signature) => {
                Ok("Ed25519 by the strict rule, over the digest made here")
            }
            Some(_) => Err("it is not this key's signature over this document"),
            None => Err("sig is not base64url"),
        },
    );
}

/// A receipt leans on the answer it was made from, and so on that answer's key.
fn check_answer_key(
    members: &Map<String, Value>,
    policy: &KeyPolicy,
    signed_at: Option<Timestamp>,
    checks: &mut Checks,
) {
    let resolve = members.get("resolve").and_then(Value::as_object);
    match resolve.and_then(|resolve| text(resolve, "kid")) {
        Some(kid) => {
            policy.check_reference(kid, KeyPurpose::Documents, signed_at, "answer's key", checks);
        }
        None => checks
            .failed("answer's key", "a receipt names the answer it was made from (resolve.kid)"),
    }
}

fn text<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    members.get(name).and_then(Value::as_str)
}
