//! Signs documents: adds `sha256` and the `signature` block.

use contract::records::{Jwk, Signature, SignatureKey};
use contract::{Brand, Timestamp};
use data_encoding::BASE64URL_NOPAD;
use serde::Serialize;
use serde_json::{Value, json};

use crate::canonical::{
    self, CanonicalDocument, CanonicalRecord, KeptMembers, LargeMember, MemberPlaces,
    SIGNED_MEMBERS_BYTES, SerializedObject,
};
use crate::digest::Digest;
use crate::{KeyPurpose, ProofError, SigningKey};

/// The value of `signature.canonical`.
pub const CANONICAL_RULE: &str =
    "sha256 is taken over the RFC 8785 canonical JSON of every member except sha256 and signature";

/// A document with its digest and signature, as the exact bytes that are stored and served.
#[derive(Debug, Clone, PartialEq)]
pub struct SignedDocument {
    /// One JSON object: the canonical form that was hashed, followed by `sha256` and `signature`.
    pub bytes: Vec<u8>,
    /// The value of `sha256`.
    pub digest: Digest,
    /// The same object as a JSON value, for embedding it in another document.
    pub document: Value,
}

/// A record with its digest and signature, as the exact bytes that are served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedRecord {
    /// One JSON object: the canonical form that was hashed, followed by `sha256` and `signature`.
    pub bytes: Vec<u8>,
    /// The value of `sha256`.
    pub digest: Digest,
    /// The digest of all of `bytes`.
    pub content_digest: Digest,
    /// The value of `signature`.
    pub signature: Signature,
    /// Where the members are that were there before it was signed.
    pub places: MemberPlaces,
}

/// Signs a document. It is canonicalised once and hashed once, and the hashed bytes are the bytes
/// served. Fails if the document is not an object, has no `kind` of this brand or already has
/// `sha256` or `signature`, and if the key is for another kind of document or not yet valid.
pub fn sign_document(
    document: Value,
    key: &SigningKey,
    published_in: &str,
    brand: &Brand,
    at: Timestamp,
) -> Result<SignedDocument, ProofError> {
    let Value::Object(mut members) = document else {
        return Err(ProofError::Document("it is not a JSON object".to_owned()));
    };
    let kind = members.get("kind").and_then(Value::as_str).unwrap_or_default();
    check_key(key, kind, brand, at)?;
    let CanonicalDocument { canonical, digest } = canonical::canonicalize_and_hash(&members)?;
    let signature = signature_block(&digest, key, published_in, brand, at)?;
    let bytes = append_signature(canonical, &digest, &signature)?;
    members.insert("sha256".to_owned(), json!(digest));
    members.insert("signature".to_owned(), json!(signature));
    Ok(SignedDocument { bytes, digest, document: Value::Object(members) })
}

/// Signs a record as [`sign_document`] does, without building a JSON value of it: for answers that are
/// only served. The digest of all bytes continues that of the record, so that nothing is hashed twice.
pub fn sign_record<T: Serialize + ?Sized>(
    record: &T,
    key: &SigningKey,
    published_in: &str,
    brand: &Brand,
    at: Timestamp,
) -> Result<SignedRecord, ProofError> {
    sign_canonical(canonical::serialize_and_hash(record)?, key, published_in, brand, at)
}

/// A record in canonical form that gets one more member before it is signed. Writing the record takes most of the
/// time, and need not wait until that member is known.
#[allow(missing_debug_implementations, reason = "its bytes are of no use without the last member")]
pub struct OpenRecord(SerializedObject);

impl OpenRecord {
    /// Fails if the record does not become an object.
    pub fn new<T: Serialize + ?Sized>(record: &T) -> Result<Self, ProofError> {
        canonical::serialize_object(record).map(Self)
    }

    /// The same for a record that follows another one: members that are the same are copied from its bytes. Gives
    /// wrong bytes if one of `kept.names` is not the same.
    pub fn following<T: Serialize + ?Sized>(
        record: &T,
        kept: &KeptMembers<'_>,
    ) -> Result<Self, ProofError> {
        let open = canonical::serialize_object_with(record, Some(kept)).map(Self)?;
        debug_assert!(
            Self::new(record).is_ok_and(|written| written.0.bytes == open.0.bytes),
            "what is kept is what would be written"
        );
        Ok(open)
    }

    /// Adds the member and signs, as [`sign_record`] does. Fails if the record has this member.
    pub fn sign_with(
        self,
        name: &'static str,
        value: &Value,
        key: &SigningKey,
        published_in: &str,
        brand: &Brand,
        at: Timestamp,
    ) -> Result<SignedRecord, ProofError> {
        let record = canonical::complete_and_hash(self.0, name, value)?;
        sign_canonical(record, key, published_in, brand, at)
    }
}

/// Signs a record as [`sign_record`] does, with this value of a member that the record has.
pub fn sign_record_with<T: Serialize + ?Sized>(
    record: &T,
    value: LargeMember<'_>,
    key: &SigningKey,
    published_in: &str,
    brand: &Brand,
    at: Timestamp,
) -> Result<SignedRecord, ProofError> {
    let object = canonical::serialize_object(record)?;
    let record = canonical::replace_and_hash(object, value)?;
    sign_canonical(record, key, published_in, brand, at)
}

fn sign_canonical(
    record: CanonicalRecord,
    key: &SigningKey,
    published_in: &str,
    brand: &Brand,
    at: Timestamp,
) -> Result<SignedRecord, ProofError> {
    let CanonicalRecord { canonical, digest, kind, unclosed, places } = record;
    check_key(key, &kind, brand, at)?;
    let signature = signature_block(&digest, key, published_in, brand, at)?;
    // Without the closing brace, whose place `sha256` takes.
    let hashed = canonical.len().saturating_sub(1);
    let bytes = append_signature(canonical, &digest, &signature)?;
    let mut content = unclosed;
    content.update(bytes.get(hashed..).unwrap_or_default());
    Ok(SignedRecord { bytes, digest, content_digest: content.finish(), signature, places })
}

/// Whether this key may sign a document of this kind at this time.
fn check_key(key: &SigningKey, kind: &str, brand: &Brand, at: Timestamp) -> Result<(), ProofError> {
    let purpose = KeyPurpose::for_kind(kind, brand)
        .ok_or_else(|| ProofError::Document(format!("its kind does not begin with `{brand}-`")))?;
    if key.purpose() != purpose {
        return Err(ProofError::Key(format!(
            "the key for {} must not sign a {kind}",
            key.purpose()
        )));
    }
    if at < key.signs_from() {
        return Err(ProofError::Key(format!("it must not sign before {}", key.signs_from())));
    }
    Ok(())
}

/// Adds `sha256` and `signature` to the canonical form of a document.
fn append_signature(
    canonical: Vec<u8>,
    digest: &Digest,
    signature: &Signature,
) -> Result<Vec<u8>, ProofError> {
    let mut bytes = canonical;
    bytes.reserve(SIGNED_MEMBERS_BYTES);
    // The document has at least `kind`, so a comma is needed before `sha256`.
    bytes.pop();
    bytes.extend_from_slice(br#","sha256":""#);
    bytes.extend_from_slice(digest.to_hex().as_bytes());
    bytes.extend_from_slice(br#"","signature":"#);
    let start = bytes.len();
    write_signature(&mut bytes, signature);
    debug_assert_eq!(bytes.get(start..), Some(&canonical::append(Vec::new(), signature)?[..]));
    bytes.push(b'}');
    // Answers are cached in memory, so unused capacity is released.
    bytes.shrink_to_fit();
    Ok(bytes)
}

/// Writes the block in canonical form, which takes less time than to sort its members for each record.
fn write_signature(out: &mut Vec<u8>, signature: &Signature) {
    // Every member is named, so that a new one is not forgotten.
    let Signature { v, alg, kid, over, message, sig, signed_at, key, canonical } = signature;
    let SignatureKey { kid: of_key, jwk: Jwk { kty, crv, x }, published_in } = key;
    for (name, text) in [
        (r#"{"alg":"#, alg.as_str()),
        (r#","canonical":"#, canonical),
        (r#","key":{"jwk":{"crv":"#, crv),
        (r#","kty":"#, kty),
        (r#","x":"#, x),
        (r#"},"kid":"#, of_key),
        (r#","published_in":"#, published_in),
        (r#"},"kid":"#, kid),
        (r#","message":"#, message),
        (r#","over":"#, over),
        (r#","sig":"#, sig),
        (r#","signed_at":"#, &signed_at.to_string()),
    ] {
        out.extend_from_slice(name.as_bytes());
        canonical::append_text(out, text);
    }
    out.extend_from_slice(format!(r#","v":{v}}}"#).as_bytes());
}

/// What is signed for a digest: the brand's prefix, a line feed, the hex digest.
#[must_use]
pub fn signed_message(digest: &Digest, brand: &Brand) -> String {
    format!("{}{digest}", brand.message_prefix())
}

fn signature_block(
    digest: &Digest,
    key: &SigningKey,
    published_in: &str,
    brand: &Brand,
    at: Timestamp,
) -> Result<Signature, ProofError> {
    let message = signed_message(digest, brand);
    let jwk = Jwk { kty: Jwk::KTY.to_owned(), crv: Jwk::CRV.to_owned(), x: key.public().x() };
    Ok(Signature {
        v: Signature::V,
        alg: Signature::ALG.to_owned(),
        kid: key.kid().to_owned(),
        over: Signature::OVER.to_owned(),
        sig: BASE64URL_NOPAD.encode(&key.sign(message.as_bytes())?),
        message,
        signed_at: at,
        key: SignatureKey { kid: key.kid().to_owned(), jwk, published_in: published_in.to_owned() },
        canonical: CANONICAL_RULE.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(purpose: KeyPurpose) -> SigningKey {
        SigningKey::from_seed(&[1; 32], purpose, Timestamp::from_millis(1000)).unwrap()
    }

    fn sign(document: Value, purpose: KeyPurpose, at: i64) -> Result<SignedDocument, ProofError> {
        let at = Timestamp::from_millis(at);
        sign_document(document, &key(purpose), "https://svc.example/keys", &Brand::default(), at)
    }

    #[test]
    fn the_block_is_that_of_the_interface() {
        let signed = sign(
            json!({ "kind": "svc-conduct", "b": 1.50, "a": "ä" }),
            KeyPurpose::Documents,
            1000,
        )
        .unwrap();
        assert_eq!(
            signed.digest,
            crate::sha256(r#"{"a":"ä","b":1.5,"kind":"svc-conduct"}"#.as_bytes())
        );
        let block = &signed.document["signature"];
        let names: Vec<_> = block.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            names,
            ["alg", "canonical", "key", "kid", "message", "over", "sig", "signed_at", "v"]
        );
        let key = key(KeyPurpose::Documents);
        assert_eq!(block["v"], 1);
        assert_eq!(block["alg"], "Ed25519");
        assert_eq!(block["kid"], key.kid());
        assert_eq!(block["over"], "sha256");
        let message = format!("svc-data-v1\n{}", signed.digest);
        assert_eq!(block["message"], message);
        assert_eq!(block["signed_at"], "1970-01-01T00:00:01Z");
        assert_eq!(
            block["key"],
            json!({ "kid": key.kid(), "jwk": key.public().jwk(), "published_in": "https://svc.example/keys" })
        );
        let sig = BASE64URL_NOPAD.decode(block["sig"].as_str().unwrap().as_bytes()).unwrap();
        assert!(key.public().verifies(message.as_bytes(), &sig));
    }

    #[test]
    fn a_member_that_is_added_last_is_signed_like_the_others() {
        let key = key(KeyPurpose::Documents);
        let at = Timestamp::from_millis(1000);
        let brand = Brand::default();
        let whole = json!({ "kind": "svc-a", "m": { "b": [1], "a": "ä" }, "z": "\n", "a": null });
        for name in ["kind", "m", "z", "a"] {
            let mut rest = whole.clone();
            let value = rest.as_object_mut().unwrap().remove(name).unwrap();
            let open = OpenRecord::new(&rest).unwrap();
            let signed = open.sign_with(name, &value, &key, "d", &brand, at).unwrap();
            let expected = sign_record(&whole, &key, "d", &brand, at).unwrap();
            assert_eq!(signed, expected, "{name}");
            let twice = OpenRecord::new(&whole).unwrap();
            assert!(twice.sign_with(name, &value, &key, "d", &brand, at).is_err());
        }
        let alone = OpenRecord::new(&json!({})).unwrap();
        let signed = alone.sign_with("kind", &json!("svc-a"), &key, "d", &brand, at).unwrap();
        assert!(signed.bytes.starts_with(b"{\"kind\":\"svc-a\",\"sha256\""));
        assert!(OpenRecord::new(&json!([])).is_err());
    }

    #[test]
    fn a_value_that_is_written_last_is_signed_like_the_others() {
        let key = key(KeyPurpose::Documents);
        let at = Timestamp::from_millis(1000);
        let brand = Brand::default();
        let value = json!(["x".repeat(5_000), { "b": 1, "a": null }]);
        for name in ["a", "m", "z"] {
            let mut whole = json!({ "kind": "svc-a", "a": 1, "m": { "a": 2 }, "z": "" });
            let record = whole.clone();
            whole[name] = value.clone();
            let mut write = |out: &mut Vec<u8>| {
                out.extend_from_slice(&canonical::value_to_vec(&value)?);
                Ok(())
            };
            // What is said of the length changes nothing.
            for length in [0, 5_000, 100_000] {
                let value = LargeMember { name, length, write: &mut write };
                let signed = sign_record_with(&record, value, &key, "d", &brand, at).unwrap();
                assert_eq!(signed, sign_record(&whole, &key, "d", &brand, at).unwrap(), "{name}");
            }
        }
        let mut write = |_: &mut Vec<u8>| Ok(());
        let missing = LargeMember { name: "other", length: 0, write: &mut write };
        assert!(
            sign_record_with(&json!({ "kind": "svc-a" }), missing, &key, "d", &brand, at).is_err()
        );
    }

    #[test]
    fn members_are_copied_from_the_record_before() {
        #[derive(Serialize)]
        struct Record {
            kind: &'static str,
            z: Vec<u32>,
            a: Value,
            #[serde(skip_serializing_if = "Option::is_none")]
            kinds: Option<u32>,
        }
        let (key, brand) = (key(KeyPurpose::Documents), Brand::default());
        let at = Timestamp::from_millis(1000);
        let sign = |open: OpenRecord| {
            open.sign_with("m", &json!({ "b": [1], "a": "ä" }), &key, "d", &brand, at).unwrap()
        };
        let a = json!({ "y": "\"z\":", "x": [{ "z": 1 }] });
        let before = Record { kind: "svc-a", z: vec![1, 2], a: a.clone(), kinds: Some(1) };
        let signed = sign(OpenRecord::new(&before).unwrap());
        let after = Record { kind: "svc-a", z: vec![1, 2, 3], a, kinds: None };
        for names in [&[][..], &["kind"], &["a", "kind", "kinds", "other"]] {
            let kept = KeptMembers { bytes: &signed.bytes, places: &signed.places, names };
            let follows = sign(OpenRecord::following(&after, &kept).unwrap());
            assert_eq!(follows, sign(OpenRecord::new(&after).unwrap()), "{names:?}");
            assert_eq!(signed.places.find("z", &signed.bytes), Some(&b"\"z\":[1,2]"[..]));
        }
        // What is named is copied: here `z`, although it is another one.
        let kept = KeptMembers { bytes: &signed.bytes, places: &signed.places, names: &["z"] };
        let object = canonical::serialize_object_with(&after, Some(&kept)).unwrap();
        assert_eq!(object.member("z"), Some(&b"[1,2]"[..]));
    }

    #[test]
    fn the_bytes_served_are_the_value_signed() {
        let signed =
            sign(json!({ "kind": "svc-a", "z": [1, "\n"] }), KeyPurpose::Documents, 1000).unwrap();
        assert_eq!(canonical::parse_strict(&signed.bytes).unwrap(), signed.document);
        let read = signed.document.as_object().unwrap();
        assert_eq!(canonical::document_digest(read).unwrap(), signed.digest);
    }

    #[test]
    fn a_record_gives_the_same_bytes_as_a_document() {
        let key = key(KeyPurpose::Documents);
        let (brand, at) = (Brand::default(), Timestamp::from_millis(1000));
        for document in [
            json!({ "kind": "svc-a", "z": [1, "\n"], "a": { "y": null, "b": { "kind": "x" } } }),
            json!({ "zz": "ä\u{1f600}", "kind": "svc-a", "\u{1f600}": 1, "\u{fb33}": 2 }),
        ] {
            let record =
                sign_record(&document, &key, "https://svc.example/keys", &brand, at).unwrap();
            let document = sign(document, KeyPurpose::Documents, 1000).unwrap();
            assert_eq!(record.content_digest, crate::sha256(&record.bytes));
            assert_eq!((record.bytes, record.digest), (document.bytes, document.digest));
        }
    }

    #[test]
    fn refuses_the_wrong_document_key_or_time() {
        use KeyPurpose::{Decisions, Documents, LogHeads, Requests};
        for (document, purpose, at) in [
            (json!([]), Documents, 1000),
            (json!({}), Documents, 1000),
            (json!({ "kind": "resolve" }), Documents, 1000),
            (json!({ "kind": "other-resolve" }), Documents, 1000),
            (json!({ "kind": "svc-a", "sha256": "" }), Documents, 1000),
            (json!({ "kind": "svc-a", "signature": null }), Documents, 1000),
            (json!({ "kind": "svc-a", "n": 9_007_199_254_740_992_u64 }), Documents, 1000),
            (json!({ "kind": "svc-a" }), Requests, 1000),
            (json!({ "kind": "svc-a" }), Decisions, 1000),
            (json!({ "kind": "svc-a" }), LogHeads, 1000),
            (json!({ "kind": "svc-decision" }), Documents, 1000),
            (json!({ "kind": "svc-log-sth" }), Documents, 1000),
            (json!({ "kind": "svc-a" }), Documents, 999),
        ] {
            assert!(sign(document.clone(), purpose, at).is_err(), "{document} {purpose} {at}");
            let time = Timestamp::from_millis(at);
            let record = sign_record(&document, &key(purpose), "", &Brand::default(), time);
            assert!(record.is_err(), "{document} {purpose} {at}");
        }
        assert!(sign(json!({ "kind": "svc-decision" }), Decisions, 1000).is_ok());
        assert!(sign(json!({ "kind": "svc-log-sth" }), LogHeads, 1000).is_ok());
    }
}
