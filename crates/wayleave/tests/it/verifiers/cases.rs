//! Test cases: valid documents, and documents with one manipulation each.

use data_encoding::BASE64URL_NOPAD;
use proof::verify::Conclusion;
use serde_json::{Value, json};

use super::json_forms;
use super::signature_changes::{SIGNATURE_CHANGES, now};
use super::test_log::{HISTORY, TestKey, TestLog, signed_by};

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) expected: Conclusion,
    /// The check that must fail, if the case is about one.
    pub(crate) fails: Option<&'static str>,
    /// Whether the manipulation is in the JSON values, and not only in how the text is written.
    pub(crate) in_values: bool,
}

/// Collects the cases.
pub(crate) struct Cases {
    pub(crate) list: Vec<Case>,
}

impl Cases {
    pub(crate) fn of(log: &TestLog) -> Self {
        let mut cases = Self { list: Vec::new() };
        good(log, &mut cases);
        members(log, &mut cases);
        signature_block(log, &mut cases);
        unsigned_members(log, &mut cases);
        signing_times(log, &mut cases);
        signed_again(log, &mut cases);
        head_times(log, &mut cases);
        keys(log, &mut cases);
        places(log, &mut cases);
        heads(log, &mut cases);
        receipts(log, &mut cases);
        json_forms::add(log, &mut cases);
        cases
    }

    pub(crate) fn accepted(&mut self, name: impl Into<String>, document: &Value) {
        self.push(name, document.to_string(), Conclusion::Accepted, None, true);
    }

    pub(crate) fn incomplete(&mut self, name: impl Into<String>, document: &Value) {
        self.push(name, document.to_string(), Conclusion::Incomplete, None, true);
    }

    pub(crate) fn refused(
        &mut self,
        name: impl Into<String>,
        document: &Value,
        fails: &'static str,
    ) {
        self.push(name, document.to_string(), Conclusion::Refused, Some(fails), true);
    }

    /// A case about how the JSON text is written.
    pub(crate) fn text(
        &mut self,
        name: impl Into<String>,
        bytes: impl Into<Vec<u8>>,
        expected: Conclusion,
        fails: Option<&'static str>,
    ) {
        self.push(name, bytes, expected, fails, false);
    }

    fn push(
        &mut self,
        name: impl Into<String>,
        bytes: impl Into<Vec<u8>>,
        expected: Conclusion,
        fails: Option<&'static str>,
        in_values: bool,
    ) {
        let (name, bytes) = (name.into(), bytes.into());
        self.list.push(Case { name, bytes, expected, fails, in_values });
    }
}

/// The answer most cases begin with: one of seven, signed by keys of which one has retired since.
const BASE_BATCH: usize = 2;
const TIME: &str = "2026-11-11T12:00:01.5Z";

fn good(log: &TestLog, cases: &mut Cases) {
    for (n, (batch, answer)) in log.answers.iter().enumerate() {
        cases.accepted(format!("answer {n} of batch {batch}"), answer);
    }
    for (n, head) in log.heads.iter().enumerate() {
        cases.accepted(format!("head {n}"), head);
    }
    let brand = &log.brand;
    let revocations = json!({ "kind": brand.kind("revocations"), "v": 1, "seq": 1, "revoked": [] });
    cases.accepted("revocations", &signed_by(revocations, TestKey::Documents, TIME, brand));
    // Member names with a special meaning in JavaScript.
    let odd = json!({ "kind": brand.kind("constructor"), "v": 1, "prototype": [], "length": 0 });
    cases.accepted("kind called constructor", &signed_by(odd, TestKey::Documents, TIME, brand));
}

/// Another value of the same type.
pub(crate) fn flipped(value: &Value) -> Value {
    match value {
        Value::Null => json!("x"),
        Value::Bool(word) => json!(!word),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => json!(whole - 1),
            None => json!(number.as_f64().unwrap() + 0.5),
        },
        Value::String(text) => json!(format!("{text}x")),
        Value::Array(items) => json!([items.as_slice(), &[json!(1)]].concat()),
        Value::Object(members) => {
            let mut more = members.clone();
            more.insert("added".to_owned(), json!(1));
            Value::Object(more)
        }
    }
}

/// Every top-level member changed, and every one left out.
fn members(log: &TestLog, cases: &mut Cases) {
    let answer = log.answer(BASE_BATCH);
    let names: Vec<String> = answer.as_object().unwrap().keys().cloned().collect();
    for name in names.iter().filter(|name| !matches!(name.as_str(), "sha256" | "signature")) {
        let mut other = answer.clone();
        other[name] = flipped(&answer[name]);
        cases.refused(format!("{name} changed"), &other, "digest");
        other.as_object_mut().unwrap().remove(name);
        cases.refused(format!("{name} left out"), &other, "digest");
    }
    let mut other = answer.clone();
    other["added"] = json!(1);
    cases.refused("a member added", &other, "digest");
    for (pointer, value) in [
        ("/actions/read/decision", json!("block")),
        ("/confidence/text_ratio", json!(0.100_000_000_000_000_02)),
        ("/delivery/identities/1/status", json!(200)),
        ("/reading", json!(answer["reading"].as_str().unwrap().replace('é', "e\u{301}"))),
    ] {
        let mut other = answer.clone();
        *other.pointer_mut(pointer).unwrap() = value;
        cases.refused(format!("{pointer} changed deep inside"), &other, "digest");
    }
    let mut other = answer.clone();
    other["sha256"] = json!(log.answer(1)["sha256"]);
    cases.refused("sha256 of another", &other, "digest");
    other["sha256"] = json!(answer["sha256"].as_str().unwrap().to_uppercase());
    cases.refused("sha256 in capitals", &other, "digest");
    other["sha256"] = json!(1);
    cases.refused("sha256 a number", &other, "digest");
    other.as_object_mut().unwrap().remove("sha256");
    cases.refused("sha256 left out", &other, "digest");
}

fn signature_block(log: &TestLog, cases: &mut Cases) {
    let answer = log.answer(BASE_BATCH);
    let signature = |member: &str| answer["signature"][member].clone();
    let text = |member: &str| signature(member).as_str().unwrap().to_owned();
    let mut with = |name: &str, pointer: &str, value: Value, fails: &'static str| {
        let mut other = answer.clone();
        *other.pointer_mut(pointer).unwrap() = value;
        cases.refused(name, &other, fails);
    };
    with("no signature", "/signature", json!(null), "signature");
    with("signature a list", "/signature", json!([1]), "signature");
    with("v 2", "/signature/v", json!(2), "signature form");
    with("v a text", "/signature/v", json!("1"), "signature form");
    with("alg another", "/signature/alg", json!("EdDSA"), "signature form");
    with("over another", "/signature/over", json!("sha512"), "signature form");
    with("kid another's", "/signature/kid", json!(TestKey::Stranger.kid()), "thumbprint");
    with("inner kid another's", "/signature/key/kid", json!(TestKey::Heads.kid()), "thumbprint");
    with("no key", "/signature/key", json!(null), "thumbprint");
    with("no jwk", "/signature/key/jwk", json!(7), "thumbprint");
    with("jwk of another curve", "/signature/key/jwk/crv", json!("Ed448"), "thumbprint");
    with("jwk of another type", "/signature/key/jwk/kty", json!("EC"), "thumbprint");
    with("jwk without x", "/signature/key/jwk/x", json!(null), "thumbprint");
    let x = answer["signature"]["key"]["jwk"]["x"].as_str().unwrap().to_owned();
    with("x with padding", "/signature/key/jwk/x", json!(format!("{x}=")), "thumbprint");
    with("x too long", "/signature/key/jwk/x", json!(format!("{x}AAAA")), "thumbprint");
    let other_message = log.answer(1)["signature"]["message"].clone();
    with("message of another", "/signature/message", other_message, "message");
    let message = text("message");
    with(
        "message without its prefix",
        "/signature/message",
        json!(message.split_once('\n').unwrap().1),
        "message",
    );
    with(
        "message with another prefix",
        "/signature/message",
        json!(format!("x{message}")),
        "message",
    );
    with(
        "signature of another",
        "/signature/sig",
        log.answer(1)["signature"]["sig"].clone(),
        "signature",
    );
    let sig = text("sig");
    with("sig with padding", "/signature/sig", json!(format!("{sig}==")), "signature");
    with(
        "sig in the other alphabet",
        "/signature/sig",
        json!(format!("+{}", &sig[1..])),
        "signature",
    );
    with("sig cut short", "/signature/sig", json!(sig[..80]), "signature");
    with("sig empty", "/signature/sig", json!(""), "signature");
    with("sig a number", "/signature/sig", json!(1), "signature");
    let bytes = BASE64URL_NOPAD.decode(sig.as_bytes()).unwrap();
    for place in [0, 31, 32, 63] {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1;
        let name = format!("sig with a bit of byte {place} turned");
        with(&name, "/signature/sig", json!(BASE64URL_NOPAD.encode(&damaged)), "signature");
    }
    with(
        "S beyond the group order",
        "/signature/sig",
        json!(BASE64URL_NOPAD.encode(&second_s(&bytes))),
        "signature",
    );
    let small_r = [&[1], &[0; 31][..], &bytes[32..]].concat();
    with(
        "R of small order",
        "/signature/sig",
        json!(BASE64URL_NOPAD.encode(&small_r)),
        "signature",
    );
    with("signed_at no time", "/signature/signed_at", json!("yesterday"), "key window");
    with("signed_at seconds", "/signature/signed_at", json!(1_763_000_000), "key window");
    for time in [
        "2026-11-11T12:00:01.5+00:00",
        "2026-11-11 12:00:01Z",
        "2026-11-11t12:00:01Z",
        "2026-11-31T12:00:01Z",
        "2026-11-11T24:00:00Z",
        "2026-11-11T12:60:00Z",
        "2026-11-11T12:00:61Z",
        "2026-11-11T12:00:00.Z",
        "2026-11-11T12:00:00.1234567890Z",
        "2026-02-29T00:00:00Z",
        "12026-11-11T12:00:00Z",
        "2026-11-11T12:00Z",
        "2026-00-11T12:00:00Z",
        "2026-11-00T12:00:00Z",
        "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z ",
        "2026-11-11T12:00:0\u{661}Z",
    ] {
        with(&format!("signed_at {time}"), "/signature/signed_at", json!(time), "key window");
    }

    with(
        "signed_at far ahead",
        "/signature/signed_at",
        json!("9999-12-31T23:59:59.999Z"),
        "signing time",
    );

    // Other ways to write a time near that of the answer.
    for (name, pointer, value) in [
        (
            "signed_at to the nanosecond",
            "/signature/signed_at",
            json!("2026-11-11T12:00:00.123456789Z"),
        ),
        ("signed_at in a leap second", "/signature/signed_at", json!("2026-11-11T12:00:60Z")),
    ] {
        let mut other = answer.clone();
        *other.pointer_mut(pointer).unwrap() = value;
        cases.text(name, other.to_string(), Conclusion::Accepted, None);
    }
}

/// The changes that all verifiers get, on a receipt, an answer and its head.
fn unsigned_members(log: &TestLog, cases: &mut Cases) {
    let brand = &log.brand;
    let time = now().to_string();
    for case in SIGNATURE_CHANGES {
        let mut add = |what: &str, document: &Value, fails: Option<&'static str>| {
            let expected = if fails.is_some() { Conclusion::Refused } else { Conclusion::Accepted };
            // A head of another time is a second head of its batch, which clients take for a fork.
            let one_log = !what.starts_with("head");
            let name = format!("{what}: {}", case.name);
            cases.push(name, document.to_string(), expected, fails, one_log);
        };
        let mut receipt = log.receipt();
        receipt["decided_at"] = json!(time);
        let mut receipt = signed_by(receipt, TestKey::Decisions, &time, brand);
        (case.change)(&mut receipt["signature"]);
        add("receipt", &receipt, case.fails);
        // The leaf does not depend on when the answer was made.
        let mut answer = log.answer(4);
        answer["answered_at"] = json!(time);
        let mut answer = signed_by(answer, TestKey::Documents, &time, brand);
        (case.change)(&mut answer["signature"]);
        add("answer", &answer, case.fails);
        // A head may be signed up to a day before its time.
        let early = case.name.contains("before it was made");
        let in_head = match case.fails {
            Some("signature members") => Some("head: signature members"),
            Some(_) if !early => Some("head: signing time"),
            _ => None,
        };
        let mut head = log.heads[4].clone();
        head["created_at"] = json!(time);
        let mut head = signed_by(head, TestKey::Heads, &time, brand);
        (case.change)(&mut head["signature"]);
        add("head", &head, case.fails.filter(|_| !early));
        let mut answer = log.answer(4);
        answer["answered_at"] = json!(time);
        answer["transparency"]["sth"] = head;
        let answer = signed_by(answer, TestKey::Documents, &time, brand);
        add("head in an answer", &answer, in_head);
    }
}

/// The time of a document against the time of its signature.
fn signing_times(log: &TestLog, cases: &mut Cases) {
    let brand = &log.brand;
    let made = "2026-11-12T12:00:00Z";
    for (word, member) in [
        ("claims", "generated_at"),
        ("corroboration", "generated_at"),
        ("decision-check", "checked_at"),
        ("log", "generated_at"),
        ("revocations", "generated_at"),
        ("scan", "scannedAt"),
        ("staple", "made_at"),
    ] {
        let mut document = json!({ "kind": brand.kind(word), "v": 1 });
        document[member] = json!(made);
        let at = |time| signed_by(document.clone(), TestKey::Documents, time, brand);
        cases.accepted(format!("{word} five minutes early"), &at("2026-11-12T11:55:00Z"));
        let early = at("2026-11-12T11:54:59.999Z");
        cases.refused(format!("{word} too early"), &early, "signing time");
        cases.accepted(format!("{word} a day late"), &at("2026-11-13T12:00:00Z"));
        let late = at("2026-11-13T12:00:00.001Z");
        cases.refused(format!("{word} too late"), &late, "signing time");
        for wrong in [json!("noon"), json!(null), json!(1_794_484_800)] {
            let mut document = document.clone();
            document[member] = wrong.clone();
            let document = signed_by(document, TestKey::Documents, made, brand);
            cases.refused(format!("{word} with {member} {wrong}"), &document, "signing time");
        }
    }
    let seal = json!({ "kind": brand.kind("day-seal"), "v": 1, "sealed_at": made });
    let seal = |time| signed_by(seal.clone(), TestKey::Documents, time, brand);
    cases.accepted("seal signed a day early", &seal("2026-11-11T12:00:00Z"));
    cases.refused("seal signed too early", &seal("2026-11-11T11:59:59.999Z"), "signing time");
    cases.accepted("seal signed a day late", &seal("2026-11-13T12:00:00Z"));
    cases.refused("seal signed too late", &seal("2026-11-13T12:00:00.001Z"), "signing time");
    // The times of heads run on when the clock is set back.
    let head = |time| signed_by(log.heads[4].clone(), TestKey::Heads, time, brand);
    cases.accepted("head signed a day early", &head("2026-11-13T12:00:00Z"));
    let early = head("2026-11-13T11:59:59.999Z");
    cases.refused("head signed too early", &early, "signing time");
    cases.accepted("head signed a day late", &head("2026-11-15T12:00:00Z"));
    let late = head("2026-11-15T12:00:00.001Z");
    cases.refused("head signed too late", &late, "signing time");
    // A clock that ran ahead dates every head ahead; the signature covers created_at, not signed_at.
    let ahead = |made: &str, signed: &str| {
        let mut head = log.heads[4].clone();
        head["created_at"] = json!(made);
        signed_by(head, TestKey::Heads, signed, brand)
    };
    let later = "2099-01-01T00:00:00Z";
    cases.accepted("head dated ahead", &ahead(later, later));
    let apart = ahead(later, "2099-01-02T00:00:01Z");
    cases.refused("head dated ahead and signed later", &apart, "signing time");
    let apart = ahead(later, "2026-11-14T12:00:00Z");
    cases.refused("head dated ahead and signed earlier", &apart, "signing time");
    let apart = ahead("2026-11-14T12:00:00Z", later);
    cases.refused("head signed in the future", &apart, "signing time");
    // A document that states no time of its own may have been signed at any time that has passed.
    let other = json!({ "kind": brand.kind("note"), "v": 1, "generated_at": made });
    cases.accepted("no time of its own", &signed_by(other, TestKey::Documents, TIME, brand));
}

/// Documents that were signed again by a later key, because theirs was compromised.
fn signed_again(log: &TestLog, cases: &mut Cases) {
    let brand = &log.brand;
    let by_documents =
        |document: &Value, time| signed_by(document.clone(), TestKey::Documents, time, brand);
    let mut scan =
        json!({ "kind": brand.kind("scan"), "v": 1, "scannedAt": "2026-11-02T12:00:00Z" });
    let noon = "2026-11-12T12:00:00Z";
    cases.refused("scan signed much later", &by_documents(&scan, noon), "signing time");
    scan["replaced_signature"] = json!({ "why": "key_compromised", "at": noon });
    cases.accepted("scan signed again", &by_documents(&scan, noon));
    let late = by_documents(&scan, "2026-11-13T12:00:00.001Z");
    cases.refused("scan signed again and dated later", &late, "signing time");
    let early = by_documents(&scan, "2026-11-12T11:54:59Z");
    cases.refused("scan signed again and dated earlier", &early, "signing time");
    let mut moved = by_documents(&scan, noon);
    moved["replaced_signature"]["at"] = json!("2026-11-13T12:00:00Z");
    cases.refused("scan signed again, with another time", &moved, "digest");
    for wrong in [json!("noon"), json!(null), json!(7)] {
        scan["replaced_signature"]["at"] = wrong.clone();
        cases.refused(
            format!("scan signed again at {wrong}"),
            &by_documents(&scan, noon),
            "signing time",
        );
    }
    scan["replaced_signature"] = json!("2026-11-12T12:00:00Z");
    cases.refused(
        "scan with a word for what was replaced",
        &by_documents(&scan, noon),
        "signing time",
    );

    // Heads and seals keep their content and get the start of the new key as their time.
    let seal =
        json!({ "kind": brand.kind("day-seal"), "v": 1, "sealed_at": "2026-11-05T00:05:00Z" });
    cases.accepted("seal signed again", &by_documents(&seal, "2026-11-10T00:00:00Z"));
    let other = by_documents(&seal, "2026-11-10T00:00:01Z");
    cases.refused("seal signed again at another time", &other, "signing time");
    let head = |time| signed_by(log.heads[0].clone(), TestKey::Heads, time, brand);
    let again = head("2026-11-12T00:00:00Z");
    assert_eq!(again["sha256"], log.heads[0]["sha256"]);
    cases.accepted("head signed again", &again);
    cases.refused(
        "head signed again at another time",
        &head("2026-11-12T00:00:01Z"),
        "signing time",
    );
    let mut answer = log.answer(0);
    answer["transparency"]["sth"] = again;
    answer["replaced_signature"] = json!({ "why": "key_compromised", "at": noon });
    cases.accepted("answer with a head that was signed again", &by_documents(&answer, noon));
}

/// The time of an answer against the time of the head it contains.
fn head_times(log: &TestLog, cases: &mut Cases) {
    let brand = &log.brand;
    // Its head is of 12:00 on the 11th.
    let at = |time: &str| {
        let mut answer = log.answer(BASE_BATCH);
        answer["answered_at"] = json!(time);
        signed_by(answer, TestKey::Documents, time, brand)
    };
    cases.accepted("answer three days after its head", &at("2026-11-14T12:00:00Z"));
    cases.accepted("answer a day before its head", &at("2026-11-10T12:00:00Z"));
    cases.accepted("answer long before its head", &at("2026-11-10T11:59:59Z"));
    // What was observed is in the leaf, so only whoever has the key for heads can do this.
    let mut head = log.heads[0].clone();
    head["created_at"] = json!("2026-11-04T10:59:00Z");
    let head = signed_by(head, TestKey::OldHeads, "2026-11-04T10:59:00Z", brand);
    let mut answer = log.answer(0);
    answer["transparency"]["sth"] = head;
    let answer = signed_by(answer, TestKey::OldDocuments, "2026-11-05T12:00:00Z", brand);
    cases.refused("head older than what was observed", &answer, "head time");
}

/// The same signature with S + L instead of S, which lax verifiers accept.
fn second_s(signature: &[u8]) -> Vec<u8> {
    let mut order = [0_u8; 32];
    order[..16].copy_from_slice(&[
        0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE,
        0x14,
    ]);
    order[31] = 0x10;
    let mut carry = 0;
    let sum = signature[32..].iter().zip(order).map(|(s, l)| {
        let sum = u16::from(*s) + u16::from(l) + carry;
        carry = sum >> 8;
        (sum & 0xFF) as u8
    });
    let s: Vec<u8> = sum.collect();
    [&signature[..32], &s].concat()
}

/// Correct signatures by the wrong key or at the wrong time.
fn keys(log: &TestLog, cases: &mut Cases) {
    let brand = &log.brand;
    let answer = log.answer(BASE_BATCH);
    let by = |who, time| signed_by(answer.clone(), who, time, brand);
    cases.refused(
        "by a stranger, with the stranger's key embedded",
        &by(TestKey::Stranger, TIME),
        "key published",
    );
    cases.refused("by the heads key", &by(TestKey::OldHeads, TIME), "key purpose");
    cases.refused("by the decisions key", &by(TestKey::Decisions, TIME), "key purpose");
    cases.refused("by the requests key", &by(TestKey::Requests, TIME), "key purpose");
    cases.refused("by a key that begins next year", &by(TestKey::Coming, TIME), "key window");
    cases.refused(
        "before its key began",
        &by(TestKey::Documents, "2026-11-09T23:59:59.999Z"),
        "key window",
    );
    let note = json!({ "kind": brand.kind("note"), "v": 1 });
    let note_by = |who, time| signed_by(note.clone(), who, time, brand);
    cases.accepted(
        "in the moment its key began",
        &note_by(TestKey::Documents, "2026-11-10T00:00:00Z"),
    );
    cases.accepted(
        "by the retired key in its last moment",
        &note_by(TestKey::OldDocuments, "2026-11-10T00:00:01Z"),
    );
    cases.refused(
        "by the retired key after its end",
        &note_by(TestKey::OldDocuments, "2026-11-10T00:00:01.001Z"),
        "key window",
    );
    cases.refused(
        "by a stolen key, after the theft",
        &note_by(TestKey::Stolen, "2026-11-13T00:00:00Z"),
        "key window",
    );
    cases.incomplete(
        "by a stolen key, before the theft",
        &note_by(TestKey::Stolen, "2026-11-12T23:59:59Z"),
    );
    for kind in ["resolve", "Else-scan", "else-resolve"] {
        let mut other = answer.clone();
        other["kind"] = json!(kind);
        cases.refused(format!("kind {kind}"), &other, "kind");
    }
    for word in ["", "Scan", "a--b", "a_b", "a-"] {
        let mut other = answer.clone();
        other["kind"] = json!(brand.kind(word));
        cases.refused(format!("kind of the brand and {word:?}"), &other, "kind");
    }
    // Points on which verifiers differ, under the thumbprint that belongs to them.
    let mut points = vec![[0_u8; 32], [0xFF; 32]];
    points[0][0] = 1;
    points[1][31] = 0x7F;
    for point in points {
        let x = BASE64URL_NOPAD.encode(&point);
        let members = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
        let kid = BASE64URL_NOPAD.encode(&proof::sha256(members.as_bytes()).0);
        let mut other = answer.clone();
        other["signature"]["kid"] = json!(kid);
        other["signature"]["key"] =
            json!({ "kid": kid, "jwk": { "kty": "OKP", "crv": "Ed25519", "x": x } });
        cases.refused(format!("crafted key {x}"), &other, "thumbprint");
    }
}

/// Manipulated positions in the log, signed with the real documents key.
fn places(log: &TestLog, cases: &mut Cases) {
    let brand = &log.brand;
    let answer = log.answer(BASE_BATCH);
    let place = answer["transparency"].clone();
    let path = place["path"].as_array().unwrap().clone();
    let index = place["index"].as_u64().unwrap();
    let with = |member: &str, value: Value| {
        let mut other = answer.clone();
        other["transparency"][member] = value;
        signed_by(other, TestKey::Documents, TIME, brand)
    };
    let reversed: Vec<_> = path.iter().rev().cloned().collect();
    cases.refused("path reversed", &with("path", json!(reversed)), "inclusion");
    cases.refused("path without its first", &with("path", json!(path[1..])), "inclusion");
    cases.refused(
        "path without its last",
        &with("path", json!(path[..path.len() - 1])),
        "inclusion",
    );
    cases.refused("path empty", &with("path", json!([])), "inclusion");
    cases.refused(
        "path with one more",
        &with("path", json!([&path[..], &path[..1]].concat())),
        "inclusion",
    );
    cases.refused("path a text", &with("path", json!(path[0])), "inclusion");
    cases.refused(
        "path with a number",
        &with("path", json!([&[json!(1)], &path[1..]].concat())),
        "inclusion",
    );
    let capitals: Vec<_> =
        path.iter().map(|hash| json!(hash.as_str().unwrap().to_uppercase())).collect();
    cases.refused("path in capitals", &with("path", json!(capitals)), "inclusion");
    let mut turned = path.clone();
    turned[0] = json!(proof::sha256(b"another"));
    cases.refused("path with another hash", &with("path", json!(turned)), "inclusion");
    for wrong in [index.wrapping_sub(1), index + 1, 7, 9_007_199_254_740_991] {
        cases.refused(
            format!("index {wrong}"),
            &with("index", json!(wrong.min(9_007_199_254_740_991))),
            "place",
        );
    }
    cases.refused("index below zero", &with("index", json!(-1)), "place");
    cases.refused("index with a point", &with("index", json!(index as f64 + 0.5)), "place");
    cases.refused("index a text", &with("index", json!(index.to_string())), "place");
    for wrong in [6, 8] {
        cases.refused(format!("batch_size {wrong}"), &with("batch_size", json!(wrong)), "place");
    }
    cases.refused("batch another", &with("batch", json!(1)), "place");
    cases.refused("log_id another", &with("log_id", json!("x-resolve-log-v1")), "place");
    cases.refused("log_index another", &with("log_index", json!(0)), "place");
    cases.refused("log_index null", &with("log_index", json!(null)), "place");
    cases.refused("leaf_hash another", &with("leaf_hash", json!(proof::sha256(b"x"))), "leaf");
    cases.refused("leaf_hash absent", &with("leaf_hash", json!(null)), "leaf");
    cases.refused("no sth", &with("sth", json!(null)), "head");
    cases.refused("state unknown", &with("state", json!("lost")), "log");
    for minutes in [json!(0), json!(31), json!(-1), json!(1.5), json!("5"), json!(null)] {
        let mut other = answer.clone();
        other["transparency"] = json!({ "state": "pending", "merged_within_minutes": minutes });
        let other = signed_by(other, TestKey::Documents, TIME, brand);
        cases.refused(format!("promised within {minutes}"), &other, "log");
    }
    let mut other = answer.clone();
    other["transparency"] = json!({ "state": "pending", "merged_within_minutes": 30 });
    cases.incomplete(
        "promised within 30",
        &signed_by(other.clone(), TestKey::Documents, TIME, brand),
    );
    other["transparency"] = json!([place]);
    cases.refused(
        "transparency a list",
        &signed_by(other.clone(), TestKey::Documents, TIME, brand),
        "log",
    );
    other.as_object_mut().unwrap().remove("transparency");
    cases.incomplete(
        "transparency absent",
        &signed_by(other.clone(), TestKey::Documents, TIME, brand),
    );
    let mut scan = json!({ "kind": brand.kind("scan"), "v": 1, "transparency": {} });
    cases.incomplete(
        "a place in the log of what is not logged",
        &signed_by(scan.clone(), TestKey::Documents, TIME, brand),
    );
    scan.as_object_mut().unwrap().remove("transparency");
    cases.accepted("what is not logged", &signed_by(scan, TestKey::Documents, TIME, brand));
    let mut other = answer.clone();
    other["transparency"].as_object_mut().unwrap().remove("log_index");
    other["transparency"]["witnesses"] = json!("elsewhere");
    cases.accepted(
        "log_index absent, witnesses elsewhere",
        &signed_by(other, TestKey::Documents, TIME, brand),
    );

    // The leaf is the hash of the decision content.
    for (pointer, value) in [
        ("/domain", json!("else.example")),
        ("/status", json!("else")),
        ("/actions/read/decision", json!("block")),
        ("/actions/cite/doubts", json!(["no_policy"])),
        ("/actions/cite/doubts", json!("no_policy")),
        ("/actions/cite/doubts", json!([1])),
        ("/actions/v", json!({ "decision": "allow" })),
        ("/actions", json!([])),
        ("/evidence/report", json!(null)),
        ("/freshness/observed_at", json!("2026-11-11T00:00:00Z")),
        ("/incident", json!({ "since": "2026-11-11T00:00:00Z" })),
        ("/impersonation/verdict", json!("suspected")),
        ("/high_risk_fields/pending", json!([{ "field": "phone" }])),
        ("/high_risk_fields/pending", json!([{}])),
    ] {
        let mut other = answer.clone();
        *other.pointer_mut(pointer).unwrap() = value.clone();
        let other = signed_by(other, TestKey::Documents, TIME, brand);
        cases.refused(format!("{pointer} is {value}, sealed anew"), &other, "leaf");
    }
    let mut same = answer.clone();
    same["actions"]["cite"]["doubts"].as_array_mut().unwrap().reverse();
    same["answered_at"] = json!("2026-11-11T12:00:00Z");
    cases.accepted("doubts in another order", &signed_by(same, TestKey::Documents, TIME, brand));
}

fn heads(log: &TestLog, cases: &mut Cases) {
    let brand = &log.brand;
    let answer = log.answer(BASE_BATCH);
    let sth = answer["transparency"]["sth"].clone();
    let head_time = "2026-11-11T12:00:00Z";
    let with = |sth: Value| {
        let mut other = answer.clone();
        other["transparency"]["sth"] = sth;
        signed_by(other, TestKey::Documents, TIME, brand)
    };
    for (n, head) in log.heads.iter().enumerate().filter(|(n, _)| *n != BASE_BATCH) {
        cases.refused(format!("the head of batch {n}"), &with(head.clone()), "place");
        let mut other = with(head.clone());
        other["transparency"]["batch"] = json!(n);
        other["transparency"]["batch_size"] = json!(HISTORY[n].size);
        other["transparency"].as_object_mut().unwrap().remove("log_index");
        let other = signed_by(other, TestKey::Documents, TIME, brand);
        cases.refused(format!("the head of batch {n} and its numbers"), &other, "inclusion");
    }
    for name in
        sth.as_object().unwrap().keys().filter(|n| !matches!(n.as_str(), "sha256" | "signature"))
    {
        let mut other = sth.clone();
        other[name] = flipped(&sth[name]);
        cases.refused(format!("head's {name} changed"), &with(other), "head: digest");
    }
    let mut swapped = sth.clone();
    swapped["signature"] = log.heads[1]["signature"].clone();
    cases.refused("head with the signature of another", &with(swapped), "head: message");
    let mut sig = sth.clone();
    sig["signature"]["sig"] = log.heads[1]["signature"]["sig"].clone();
    cases.refused("head with the sig of another", &with(sig), "head: signature");
    let again = |who, time| with(signed_by(sth.clone(), who, time, brand));
    cases.accepted("head signed again by its own key", &again(TestKey::OldHeads, head_time));
    cases.refused(
        "head signed by the documents key",
        &again(TestKey::Documents, head_time),
        "head: key purpose",
    );
    cases.refused(
        "head signed by a stranger",
        &again(TestKey::Stranger, head_time),
        "head: key published",
    );
    cases.refused(
        "head signed before its key began",
        &again(TestKey::Heads, head_time),
        "head: key window",
    );
    for (name, value, fails) in [
        ("tree_size", json!(14), "head: sums"),
        ("first_index", json!(0), "head: sums"),
        ("batch_size", json!(0), "head: sums"),
        ("batch", json!(0), "head: sums"),
        ("batch", json!(2.5), "head: sums"),
        ("log_id", json!("else-resolve-log-v1"), "head: sums"),
        ("prev_sth_sha256", json!(null), "head: sums"),
        ("created_at", json!("noon"), "head: sums"),
        ("batch_root", json!("ab"), "head: sums"),
        ("batch_root", json!(proof::sha256(b"other")), "inclusion"),
    ] {
        let mut other = sth.clone();
        other[name] = value.clone();
        let other = with(signed_by(other, TestKey::OldHeads, head_time, brand));
        cases.refused(format!("head with {name} {value}, signed by its key"), &other, fails);
    }
    let mut no_head = sth.clone();
    no_head["kind"] = json!(brand.kind("resolve"));
    let no_head = with(signed_by(no_head, TestKey::Documents, head_time, brand));
    cases.refused("a document for a head", &no_head, "head: kind of head");
    let mut lone = sth.clone();
    lone["batch_size"] = json!(8);
    cases.refused("a head alone, changed", &lone, "digest");
    cases.refused(
        "a head alone, with sums that do not add up",
        &signed_by(lone, TestKey::OldHeads, head_time, brand),
        "sums",
    );
}

fn receipts(log: &TestLog, cases: &mut Cases) {
    let brand = &log.brand;
    let time = "2026-11-14T13:00:00Z";
    let receipt = log.receipt();
    let by = |receipt: &Value, who| signed_by(receipt.clone(), who, time, brand);
    cases.accepted("receipt", &by(&receipt, TestKey::Decisions));
    cases.refused("receipt by the documents key", &by(&receipt, TestKey::Documents), "key purpose");
    for (name, kid) in [
        ("a stranger's", json!(TestKey::Stranger.kid())),
        ("the heads key's", json!(TestKey::Heads.kid())),
        ("a stolen", json!(TestKey::Stolen.kid())),
        ("a coming", json!(TestKey::Coming.kid())),
        ("no", json!(null)),
    ] {
        let mut other = receipt.clone();
        other["resolve"]["kid"] = kid;
        cases.refused(
            format!("receipt that names {name} kid"),
            &by(&other, TestKey::Decisions),
            "answer's key",
        );
    }
    let mut old = receipt.clone();
    old["resolve"]["kid"] = json!(TestKey::OldDocuments.kid());
    cases.accepted("receipt on an answer of the retired key", &by(&old, TestKey::Decisions));
    let mut signed = by(&receipt, TestKey::Decisions);
    signed["decision"] = json!("block");
    cases.refused("receipt changed", &signed, "digest");
    let mut signed = by(&receipt, TestKey::Decisions);
    signed["signature"]["signed_at"] = json!(null);
    cases.refused("receipt without signed_at", &signed, "key window");
}
