//! The checks for every signed document: kind, digest, signature block, key.

use contract::{Brand, Timestamp};
use data_encoding::BASE64URL_NOPAD;

use super::checks::Checks;
use super::key_policy::KeyPolicy;
use super::unsigned_members;
use crate::digest::Digest;
use crate::json_view::{Members, View};
use crate::signature::signed_message;
use crate::{KeyPurpose, PublicKey};

/// Checks a document's digest and signature, and the keys it refers to.
pub(super) fn check_document(
    members: Members<'_>,
    policy: &KeyPolicy,
    brand: &Brand,
    checks: &mut Checks,
) {
    let kind = members.text("kind").unwrap_or_default();
    let purpose = KeyPurpose::for_kind(kind, brand);
    checks.push_result(
        "kind",
        match purpose {
            Some(_) => Ok(kind.to_owned()),
            None => Err(format!("kind must have the form {brand}-name")),
        },
    );
    let digest = check_digest(members, checks);
    let Some(block) = members.get("signature").and_then(View::as_object) else {
        checks.failed("signature", "the document has no signature");
        return;
    };
    let signed_at = block.text("signed_at").and_then(|text| text.parse().ok());
    check_block(block, checks);
    unsigned_members::check_members(block, checks);
    unsigned_members::check_signing_time(members, signed_at, policy, brand, checks);
    if let Some(key) = check_key(block, checks) {
        if let Some(digest) = digest {
            check_signature(block, &key, &digest, brand, checks);
        }
        policy.check_key(key.kid(), purpose, signed_at, checks);
    }
    if purpose == Some(KeyPurpose::Decisions) {
        check_answer_key(members, policy, signed_at, checks);
    }
}

/// The recomputed digest, even if the document states another one.
fn check_digest(members: Members<'_>, checks: &mut Checks) -> Option<Digest> {
    let recomputed = match members.document_digest() {
        Ok(recomputed) => recomputed,
        Err(error) => {
            checks.failed("digest", error.to_string());
            return None;
        }
    };
    checks.push_result(
        "digest",
        match members.text("sha256") {
            Some(stated) if stated.parse() == Ok(recomputed) => Ok(format!("sha256 {recomputed}")),
            Some(stated) => {
                Err(format!("the document states {stated}, but its members hash to {recomputed}"))
            }
            None => Err("the document has no sha256".to_owned()),
        },
    );
    Some(recomputed)
}

fn check_block(block: Members<'_>, checks: &mut Checks) {
    let wrong = if block.get("v").and_then(View::as_u64) != Some(1) {
        Some("v is not 1")
    } else if block.text("alg") != Some("Ed25519") {
        Some("alg is not Ed25519")
    } else if block.text("over") != Some("sha256") {
        Some("over is not sha256")
    } else {
        None
    };
    checks.push_result("signature form", wrong.map_or(Ok("version 1, Ed25519, over sha256"), Err));
}

/// The key embedded in the document, if its thumbprint is the `kid` that the document names. It can
/// be used in place of the published key, because the thumbprint identifies the key.
fn check_key(block: Members<'_>, checks: &mut Checks) -> Option<PublicKey> {
    let embedded = block.get("key");
    let key = embedded.and_then(|key| key.get("jwk")).map(PublicKey::from_jwk_view);
    let (result, key) = match key {
        None => (Err("key.jwk is missing".to_owned()), None),
        Some(Err(error)) => (Err(error.to_string()), None),
        Some(Ok(key)) => {
            let named = embedded.and_then(|embedded| embedded.get("kid")).and_then(View::as_str);
            if block.text("kid") == Some(key.kid()) && named == Some(key.kid()) {
                (Ok(format!("kid {}", key.kid())), Some(key))
            } else {
                (Err(format!("kid does not match the key's thumbprint {}", key.kid())), None)
            }
        }
    };
    checks.push_result("thumbprint", result);
    key
}

fn check_signature(
    block: Members<'_>,
    key: &PublicKey,
    digest: &Digest,
    brand: &Brand,
    checks: &mut Checks,
) {
    let message = signed_message(digest, brand);
    checks.push_result(
        "message",
        if block.text("message") == Some(&message) {
            Ok("prefix and digest are correct")
        } else {
            Err("signature.message is not the prefix followed by this document's digest")
        },
    );
    let signature = block.text("sig").and_then(|sig| BASE64URL_NOPAD.decode(sig.as_bytes()).ok());
    checks.push_result(
        "signature",
        match signature {
            Some(signature) if key.verifies(message.as_bytes(), &signature) => {
                Ok("valid Ed25519 signature over the recomputed digest")
            }
            Some(_) => Err("the signature does not match this key and document"),
            None => Err("sig is not base64url"),
        },
    );
}

/// A receipt depends on the answer it was made from, and so on the key that signed that answer.
fn check_answer_key(
    members: Members<'_>,
    policy: &KeyPolicy,
    signed_at: Option<Timestamp>,
    checks: &mut Checks,
) {
    let resolve = members.get("resolve").and_then(View::as_object);
    match resolve.and_then(|resolve| resolve.text("kid")) {
        Some(kid) => {
            policy.check_referenced_key(
                kid,
                KeyPurpose::Documents,
                signed_at,
                "answer's key",
                checks,
            );
        }
        None => {
            checks
                .failed("answer's key", "resolve.kid (the key of the receipt's answer) is missing");
        }
    }
}
