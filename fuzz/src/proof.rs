//! Canonical JSON, signatures, notes, tiles and timestamps.

use contract::{Brand, Timestamp};
use proof::canonical::{self, parse_strict};
use proof::http_signatures::{
    Component, Message, Request, Response, SignatureRequirements, content_digest,
    parse_accept_signature,
};
use proof::opentimestamps::{OtsFile, Stamp};
use proof::tlog::witness::{self, WitnessRequest};
use proof::tlog::{
    Checkpoint, Note, NoteSignature, SignatureType, TILE_WIDTH, TileFile, VerifierKey,
    decode_entry_bundle, decode_tile_hashes, encode_entry_bundle, encode_tile_hashes,
    verified_cosignature_time,
};
use proof::tree_head::ChainHead;
use proof::verify::log_copy::{LogHeads, head_of_document};
use proof::verify::{CheckOutcome, Conclusion};
use proof::{
    Digest, KeyPolicy, KeyPurpose, ProofError, PublicKey, SigningKey, sha256, verify_document,
};
use service::answers::resolve::HexPrefix;

use crate::{split_bytes, text};

pub(super) const CANONICAL_JSON_SEEDS: &[&[u8]] = &[
    br#"{"b":[1,-0.0,1e21,1.5e-7,9007199254740991],"a":{"\u00e9\ud83d\ude00":"\n\u2028"},"":null}"#,
    br#"[true,false,null,"",{"a":[[[[]]]]}]"#,
    b"{\"a\":1,\"a\":2}",
    b"\xef\xbb\xbf{}",
];

/// The canonical form is a fixed point, and a second parser reads the same value from it.
pub(super) fn canonical_json(data: &[u8]) {
    let Ok(value) = parse_strict(data) else { return };
    let second: Option<serde_json::Value> = serde_json::from_slice(data).ok();
    let Ok(written) = canonical::value_to_vec(&value) else {
        unreachable!("what the strict parser accepts can be written");
    };
    // Known gap: a double from 2^53 to 10^21 in exponent form is accepted and written without an
    // exponent, and then it is an integer that the strict parser refuses.
    match parse_strict(&written) {
        Err(ProofError::Parse { why, .. }) if why.contains("2^53") => {}
        again => {
            assert_eq!(again.and_then(|value| canonical::value_to_vec(&value)), Ok(written.clone()))
        }
    }
    assert_eq!(canonical::to_vec(&value).as_ref(), Ok(&written));
    if let Some(second) = second {
        assert_eq!(canonical::value_to_vec(&second).as_ref(), Ok(&written), "two parsers disagree");
    }
    if let Some(members) = value.as_object() {
        let digest = canonical::document_digest(members);
        assert!(digest.is_ok());
    }
}

pub(super) const DIGESTS_SEEDS: &[&[u8]] = &[
    b"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    b"0a1b2c3d",
    b"log heads",
    b"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
];

/// Digests, prefixes of digests, purposes and public keys: one spelling each.
pub(super) fn digests(data: &[u8]) {
    let text = text(data);
    if let Ok(digest) = text.parse::<Digest>() {
        assert_eq!(digest.to_hex(), text);
    }
    if let Some(prefix) = HexPrefix::parse(&text) {
        assert_eq!(prefix.as_str(), text);
        assert!((2..=8).contains(&text.len()));
    }
    if let Ok(purpose) = text.parse::<KeyPurpose>() {
        assert_eq!(purpose.to_string(), text);
    }
    if let Ok(key) = PublicKey::from_x(&text) {
        assert_eq!(key.x(), text);
        assert_eq!(PublicKey::from_bytes(*key.as_bytes()).as_ref(), Ok(&key));
        assert!(!key.verifies(b"message", &[0; 64]));
    }
}

pub(super) const NOTE_SEEDS: &[&[u8]] = &[
    "log.example/a\n7\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n\u{2014} log.example/a AAAAAAEC\n".as_bytes(),
    "text\n\nmore\n\n\u{2014} a AAAAAAEC\n\u{2014} b AAAAAAECAwQ=\n".as_bytes(),
];

/// A note is written exactly as it was read, and no known key has signed it.
pub(super) fn note(data: &[u8]) {
    if let Ok(note) = Note::parse(data) {
        assert_eq!(note.to_string().as_bytes(), data);
        assert!(note.verify(&known_keys()).is_err());
        let mut grown = note.clone();
        for signature in note.signatures() {
            let _ = grown.add(signature.clone());
        }
        assert_eq!(Note::parse(grown.to_string().as_bytes()).as_ref(), Ok(&grown));
        let answer = note.signatures().iter().map(ToString::to_string).collect::<String>();
        let cosigned = witness::parse_cosignatures(&note, answer.as_bytes(), &known_keys());
        assert!(cosigned.is_err(), "no known witness signed it");
    }
    let line = text(data);
    if let Ok(signature) = NoteSignature::parse(&line) {
        assert_eq!(signature.to_string(), format!("{line}\n"));
    }
}

pub(super) const CHECKPOINT_SEEDS: &[&[u8]] = &[
    b"log.example/a\n7\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n",
    b"log.example/a\n18446744073709551615\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\nextension\n",
];

pub(super) fn checkpoint(data: &[u8]) {
    let text = text(data);
    if let Ok(checkpoint) = Checkpoint::parse(&text) {
        assert_eq!(checkpoint.text(), text);
    }
}

pub(super) const TILES_SEEDS: &[&[u8]] = &[
    b"tile/0/x001/x234/067.p/8",
    b"tile/entries/x018/x446/x744/x073/x709/x551/615",
    b"\0\x01a\0\x02bc",
    &[7; 64],
];

/// Paths of tiles, tiles and bundles of entries.
pub(super) fn tiles(data: &[u8]) {
    let text = text(data);
    if let Ok(file) = text.parse::<TileFile>() {
        assert_eq!(file.to_string(), text);
        assert!((1..=TILE_WIDTH).contains(&u64::from(file.width)));
        assert!(!file.exists_at(0));
        let _ = file.full().exists_at(u64::MAX);
    }
    if let Some(hashes) = decode_tile_hashes(data) {
        assert_eq!(encode_tile_hashes(&hashes), data);
    }
    for width in [0, 1, 2, 3, 256, 257] {
        if let Some(entries) = decode_entry_bundle(data, width) {
            assert_eq!(encode_entry_bundle(&entries).as_deref(), Some(data));
        }
    }
}

pub(super) const VERIFIER_KEY_SEEDS: &[&[u8]] = &[
    b"PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
    b"witness.example/a=b+00000000+BBpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
];

pub(super) fn verifier_key(data: &[u8]) {
    let text = text(data);
    if let Ok(key) = text.parse::<VerifierKey>() {
        assert_eq!(key.to_string(), text);
    }
}

pub(super) const COSIGNATURE_SEEDS: &[&[u8]] = &[
    b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "\u{2014} w.example AAAAAAAAAABkG/0AAAA=\n".as_bytes(),
    b"1234\n",
];

/// Nobody can make up a cosignature, and the response of a witness is read strictly.
pub(super) fn cosignature(data: &[u8]) {
    let text = "log.example/a\n7\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n";
    for key in &known_keys() {
        assert_eq!(verified_cosignature_time(text, key.public(), data), None);
    }
    if let Some(log) = signing_key(KeyPurpose::LogHeads)
        && let Ok(note) = Note::sign(text, "log.example/a", &log)
        && let Ok(found) = witness::parse_cosignatures(&note, data, &known_keys())
    {
        assert!(found.is_empty());
    }
    if let Some(size) = witness::parse_size(data) {
        assert_eq!(format!("{size}\n").as_bytes(), data);
    }
}

pub(super) const WITNESS_REQUEST_SEEDS: &[&[u8]] = &[
    "old 0\n\nlog.example/a\n7\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n\u{2014} log.example/a AAAAAAEC\n".as_bytes(),
    "old 3\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\nlog.example/a\n7\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n\u{2014} log.example/a AAAAAAEC\n".as_bytes(),
];

pub(super) fn witness_request(data: &[u8]) {
    if let Ok(request) = WitnessRequest::parse(data) {
        assert_eq!(request.to_string().as_bytes(), data);
        assert!(request.proof.len() <= witness::MAX_PROOF_HASHES);
        assert_eq!(request.checkpoint().text(), request.note().text());
    }
}

pub(super) const OPENTIMESTAMPS_SEEDS: &[&[u8]] = &[
    b"\x00OpenTimestamps\x00\x00Proof\x00\xbf\x89\xe2\xe8\x84\xe8\x92\x94\x01\x08AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\xf0\x02ab\x08\x00\x05\x88\x96\x0d\x73\xd7\x19\x01\x01\x05",
    b"\xff\x00\x83\xdf\xe3\x0d\x2e\xf9\x0c\x8e\x0b\x0ahttps://a.\xf1\x01x\x08\x00\x05\x88\x96\x0d\x73\xd7\x19\x01\x01\x05",
    b"\xf2\xf3\x02\x03\x67\x00AAAAAAAA\x00",
];

/// A stamp is written in one order, which is read back; all of it stays bounded.
pub(super) fn opentimestamps(data: &[u8]) {
    if let Ok(file) = OtsFile::parse(data) {
        let written = file.to_bytes();
        assert_eq!(OtsFile::parse(&written).as_ref(), Ok(&file));
        check_stamp(&file.stamp, file.digest.as_bytes());
    }
    for message in [&[7_u8; 32][..], b""] {
        if let Ok(stamp) = Stamp::parse(data, message.len()) {
            assert_eq!(Stamp::parse(&stamp.to_bytes(), message.len()).as_ref(), Ok(&stamp));
            check_stamp(&stamp, message);
        }
    }
}

fn check_stamp(stamp: &Stamp, message: &[u8]) {
    let all = stamp.evaluate(message);
    assert!(all.len() <= proof::opentimestamps::MAX_NODES);
    for attested in &all {
        let length = attested.message.as_ref().map_or(0, Vec::len);
        assert!(length <= proof::opentimestamps::MAX_MESSAGE);
    }
    assert_eq!(stamp.retain(message, &|_| true).as_ref(), Some(stamp));
    assert_eq!(stamp.retain(message, &|_| false), None);
    let mut doubled = stamp.clone();
    doubled.merge(stamp.clone());
    assert_eq!(&doubled, stamp);
}

pub(super) const HTTP_SIGNATURES_SEEDS: &[&[u8]] = &[
    b"sig=(\"@method\" \"@authority\" \"content-digest\";key=\"sha-256\");created=1794711380;expires=1794711680;keyid=\"k\";tag=\"t\";alg=\"ed25519\"\nsig=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==:\nsha-256=:AAAA:",
    b"a=(\"@status\" \"@path\";req),b=();created=1\na=:AA==:, b=:AA==:\n",
];

/// A signature that nobody made is never accepted, for a request or a response.
pub(super) fn http_signatures(data: &[u8]) {
    let text = text(data);
    let mut lines = text.splitn(3, '\n');
    let mut line = || lines.next().unwrap_or_default();
    let fields = [("signature-input", line()), ("signature", line()), ("content-digest", line())];
    let request =
        Request { method: "POST", target_uri: "https://a.example/x?q=1", fields: &fields };
    let key = signing_key(KeyPurpose::Requests);
    let find = |_: &str| key.as_ref().map(|key| key.public().clone());
    for (tag, max_age_seconds) in [(None, Some(300)), (Some("t"), None)] {
        let expected = SignatureRequirements {
            now: now(),
            skew_seconds: 10,
            max_age_seconds,
            tag,
            covers: &[],
        };
        for message in [
            Message::request(request),
            Message::response(Response { status: 200, fields: &fields }, request),
        ] {
            assert!(proof::http_signatures::verify(&message, &expected, &find).is_err());
        }
    }
    for name in text.split(' ') {
        if let Ok(component) = Component::new(name) {
            assert_eq!(component.name(), name);
        }
    }
    let digest = content_digest(&sha256(data));
    assert!(digest.starts_with("sha-256=:") && digest.ends_with(':') && digest.len() == 54);
}

pub(super) const ACCEPT_SIGNATURE_SEEDS: &[&[u8]] = &[
    b"sig=(\"@status\" \"content-digest\" \"@path\";req);created;expires;nonce=\"n\";keyid=\"k\";alg=\"ed25519\"",
    b"a=(\"@status\");tag=\"x\"\nb=(\"@method\";req)",
];

/// Every request for a signature that was understood can be signed, and the result is valid.
pub(super) fn accept_signature(data: &[u8]) {
    let text = text(data);
    let asked = parse_accept_signature(text.lines());
    assert!(asked.len() <= 4);
    let Some(key) = signing_key(KeyPurpose::Requests) else { return };
    for one in &asked {
        assert!(!one.components.is_empty());
        let fields = [("content-digest", "sha-256=:AAAA:"), ("content-type", "application/json")];
        let request = Request { method: "GET", target_uri: "https://a.example/", fields: &fields };
        let message = Message::response(Response { status: 200, fields: &fields }, request);
        let Ok(signed) = one.sign(&message, &key, now()) else { continue };
        let mut with = fields.to_vec();
        with.push(("signature-input", &signed.input));
        with.push(("signature", &signed.signature));
        let message = Message::response(Response { status: 200, fields: &with }, request);
        let expected = SignatureRequirements {
            now: now(),
            skew_seconds: 10,
            max_age_seconds: None,
            tag: None,
            covers: &one.components,
        };
        let find = |_: &str| Some(key.public().clone());
        let verified = proof::http_signatures::verify(&message, &expected, &find);
        assert!(verified.is_ok(), "{signed:?}: {verified:?}");
    }
}

pub(super) const VERIFY_DOCUMENT_SEEDS: &[&[u8]] = &[
    br#"{"kind":"svc-resolve","domain":"a.example","sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","signature":{"alg":"Ed25519","kid":"k","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","message":"svc-data-v1\nba","sig":"AA","signed_at":"2026-11-15T02:56:20Z"}}"#,
    br#"{"kind":"svc-log-sth","log_id":"svc-resolve-log-v1","batch":1,"first_index":0,"batch_size":1,"tree_size":1,"batch_root":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","prev_sth_sha256":null,"created_at":"2026-11-15T02:56:20Z","sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}"#,
];

/// No document that we did not sign is accepted, with or without a key directory.
pub(super) fn verify_document_bytes(data: &[u8]) {
    let brand = Brand::default();
    let verdict = verify_document(data, &KeyPolicy::without_directory(), &brand);
    assert!(!verdict.accepted());
    assert!(!verdict.checks.is_empty());
    if parse_strict(data).is_err() {
        assert_eq!(verdict.conclusion(), Conclusion::Refused);
    }
    if let Some(policy) = published_policy() {
        let verdict = verify_document(data, &policy, &brand);
        assert!(!verdict.accepted(), "{verdict:?}");
        assert!(verdict.checks.iter().any(|check| check.ok != CheckOutcome::Passed));
        let mut heads = LogHeads::new(policy, brand.clone(), 1);
        heads.push_bytes(data);
        assert_eq!(heads.end(), 2);
    }
    let _ = head_of_document(data, &brand);
    if let Ok(value) = parse_strict(data)
        && let Ok(head) = ChainHead::parse(&value)
    {
        assert_eq!(head.first_index.checked_add(head.batch_size), Some(head.tree_size));
    }
}

pub(super) const KEY_DIRECTORY_SEEDS: &[&[u8]] = &[
    br#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","svc_purpose":"documents","nbf":1794711380,"svc_signs_from":"2026-11-15T02:56:20Z"},{"kty":"EC"}]}"#,
    br#"{"keys":[]}{"keys":[{"kid":"k","purpose":"documents","retired_at":"2026-11-15T02:56:20Z","compromised_since":null}],"retired":[]}"#,
];

/// A directory and, after it, a rotation record.
pub(super) fn key_directory(data: &[u8]) {
    let (directory, rotation) = split_bytes(data);
    let Ok(directory) = serde_json::from_slice(directory) else { return };
    let brand = Brand::default();
    let rotation: Option<serde_json::Value> = serde_json::from_slice(rotation).ok();
    for rotation in [None, rotation.as_ref(), Some(&directory)] {
        if let Ok(policy) = KeyPolicy::from_directory(&directory, rotation, &brand) {
            let verdict = verify_document(b"{}", &policy, &brand);
            assert!(!verdict.accepted());
        }
    }
}

pub(super) const STAPLE_SEEDS: &[&[u8]] = &[
    b"v=ccr1;d=a.example;read=allow;cite=allow;connect=warn;transact=block;f=2027-01-01T00:00:00Z;k=k;x=x;s=AA",
];

/// A staple that nobody signed is never accepted.
pub(super) fn staple(data: &[u8]) {
    let line = text(data);
    let keys: Vec<PublicKey> =
        signing_key(KeyPurpose::Documents).iter().map(|key| key.public().clone()).collect();
    let read = proof::staple::verify(&line, "www.a.example", &keys, &Brand::default(), now());
    assert!(read.is_err(), "{read:?}");
    if line.is_ascii() {
        let record = proof::staple::to_txt_record(&line);
        assert!(record.len() <= line.len() + 3 * line.len().div_ceil(255));
    }
}

fn now() -> Timestamp {
    Timestamp::from_millis(1_794_711_380_000)
}

fn signing_key(purpose: KeyPurpose) -> Option<SigningKey> {
    SigningKey::from_seed(&[1; 32], purpose, Timestamp::from_millis(0)).ok()
}

/// A log's key and a witness's key, under the names that the seeds use.
fn known_keys() -> Vec<VerifierKey> {
    let Some(key) = signing_key(KeyPurpose::LogHeads) else { return Vec::new() };
    [("log.example/a", SignatureType::Ed25519), ("w.example", SignatureType::Cosignature)]
        .into_iter()
        .filter_map(|(name, kind)| VerifierKey::new(name, kind, key.public().clone()).ok())
        .collect()
}

fn published_policy() -> Option<KeyPolicy> {
    let key = signing_key(KeyPurpose::Documents)?;
    let directory = serde_json::json!({"keys": [{
        "kty": "OKP", "crv": "Ed25519", "x": key.public().x(), "kid": key.kid(),
        "svc_purpose": "documents", "nbf": 0,
    }]});
    KeyPolicy::from_directory(&directory, None, &Brand::default()).ok()
}
