use contract::Timestamp;
use data_encoding::BASE64URL_NOPAD;
use proptest::prelude::*;

use super::*;
use crate::{KeyPurpose, PublicKey, SigningKey};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1000)
}

fn key(purpose: KeyPurpose) -> SigningKey {
    SigningKey::from_seed(&[3; 32], purpose, at(0)).unwrap()
}

fn expected(now: i64) -> SignatureRequirements<'static> {
    SignatureRequirements {
        now: at(now),
        skew_seconds: 10,
        max_age_seconds: None,
        tag: None,
        covers: &[],
    }
}

const ASK: Request<'static> =
    Request { method: "GET", target_uri: "https://svc.example/r/1.json?a=b", fields: &[] };
const FIELDS: Fields<'static> = &[
    ("content-type", "application/json"),
    ("vary", "Accept"),
    ("vary", "\t Origin "),
    ("content-digest", "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:"),
];

fn with_signature<'a>(fields: Fields<'a>, signed: &'a SignatureFields) -> Vec<(&'a str, &'a str)> {
    let mut fields = fields.to_vec();
    fields.push(("signature-input", &signed.input));
    fields.push(("signature", &signed.signature));
    fields
}

fn checked(
    status: u16,
    fields: Fields<'_>,
    request: Request<'_>,
    expected: &SignatureRequirements<'_>,
    key: &SigningKey,
) -> Result<VerifiedSignature, HttpSignatureError> {
    let message = Message::response(Response { status, fields }, request);
    let find = |kid: &str| (kid == key.kid()).then(|| key.public().clone());
    verify(&message, expected, &find)
}

/// RFC 9421, B.1.4 and B.2.6.
#[test]
fn the_example_of_the_standard_verifies_and_is_reproduced() {
    let seed = BASE64URL_NOPAD.decode(b"n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU").unwrap();
    let key =
        SigningKey::from_seed(&seed.try_into().unwrap(), KeyPurpose::Requests, at(0)).unwrap();
    assert_eq!(key.public().x(), "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs");
    let fields = [
        ("date", "Tue, 20 Apr 2021 02:07:55 GMT"),
        ("content-type", "application/json"),
        ("content-length", "18"),
        (
            "signature-input",
            "sig-b26=(\"date\" \"@method\" \"@path\" \"@authority\" \"content-type\" \
             \"content-length\");created=1618884473;keyid=\"test-key-ed25519\"",
        ),
        (
            "signature",
            "sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lI\
             p5WPpBKRCw==:",
        ),
    ];
    let target_uri = "https://example.com/foo?param=Value&Pet=dog";
    let message = Message::request(Request { method: "POST", target_uri, fields: &fields });
    let find = |kid: &str| (kid == "test-key-ed25519").then(|| key.public().clone());
    let expected = SignatureRequirements { max_age_seconds: Some(300), ..expected(1_618_884_500) };
    let verified = verify(&message, &expected, &find).unwrap();
    assert_eq!(verified.label, "sig-b26");
    assert_eq!(verified.components.len(), 6);
    // Ed25519 gives one signature only: the same base under the same key is the same bytes.
    let base = sign::signature_base(
        &message,
        &verified.components,
        fields[3].1.strip_prefix("sig-b26=").unwrap(),
    )
    .unwrap();
    assert!(base.starts_with(
        "\"date\": Tue, 20 Apr 2021 02:07:55 GMT\n\"@method\": POST\n\"@path\": /foo\n"
    ));
    let again = data_encoding::BASE64.encode(&key.sign(base.as_bytes()).unwrap());
    assert_eq!(format!("sig-b26=:{again}:"), fields[4].1);
}

/// Requests of bots, signed by others (Web Bot Auth, Ed25519).
#[test]
fn requests_that_others_signed_verify() {
    let key = PublicKey::from_x("JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs").unwrap();
    let input = "sig2=(\"@authority\" \"signature-agent\";key=\"agent2\");created=1735689600;\
                 keyid=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\";\
                 expires=4889289600;nonce=\"n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6\
                 rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==\";tag=\"web-bot-auth\"";
    let fields = [
        ("signature-agent", "agent2=\"https://signature-agent.test\""),
        ("signature-input", input),
        ("signature", WEB_BOT_AUTH),
    ];
    let target_uri = "https://example.com/path/to/resource";
    let message = Message::request(Request { method: "GET", target_uri, fields: &fields });
    let find = |kid: &str| (kid == key.kid()).then(|| key.clone());
    let wanted = [Component::new("@authority").unwrap()];
    let expected = SignatureRequirements {
        tag: Some("web-bot-auth"),
        covers: &wanted,
        ..expected(1_800_000_000)
    };
    assert!(verify(&message, &expected, &find).is_ok());
    let other = SignatureRequirements { tag: Some("something-else"), ..expected };
    assert_eq!(verify(&message, &other, &find), Err(HttpSignatureError::NoSignature));
    let forged = fields.map(|(name, value)| (name, value.replace("agent.test", "agent.tost")));
    let forged = forged.each_ref().map(|(name, value)| (*name, value.as_str()));
    let message = Message::request(Request { method: "GET", target_uri, fields: &forged });
    assert_eq!(verify(&message, &expected, &find), Err(HttpSignatureError::BadSignature));
}

const WEB_BOT_AUTH: &str = "sig2=:RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==:";

#[test]
fn a_response_is_signed_as_requested() {
    let line = "sig1=(\"@status\" \"content-type\" \"content-digest\" \"vary\" \"@method\";req \
                \"@target-uri\";req \"@authority\";req);created;expires;nonce=\"n-1\";tag=\"app\"";
    let requests = parse_accept_signature([line]);
    assert_eq!(requests.len(), 1);
    let key = key(KeyPurpose::Requests);
    let message = Message::response(Response { status: 200, fields: FIELDS }, ASK);
    let signed = requests[0].sign(&message, &key, at(1000)).unwrap();
    assert_eq!(
        signed.input,
        format!(
            "sig1=(\"@status\" \"content-type\" \"content-digest\" \"vary\" \"@method\";req \
             \"@target-uri\";req \"@authority\";req);created=1000;expires=1300;keyid=\"{}\";\
             nonce=\"n-1\";tag=\"app\"",
            key.kid()
        )
    );
    let whole = with_signature(FIELDS, &signed);
    let good = checked(200, &whole, ASK, &expected(1100), &key).unwrap();
    assert_eq!(good.params.nonce.as_deref(), Some("n-1"));

    // Anything that was covered and is otherwise.
    let wrong = |status, fields: Fields<'_>, request| {
        assert_eq!(
            checked(status, fields, request, &expected(1100), &key),
            Err(HttpSignatureError::BadSignature)
        );
    };
    wrong(404, &whole, ASK);
    wrong(200, &whole, Request { method: "POST", ..ASK });
    wrong(200, &whole, Request { target_uri: "https://svc.example/r/2.json?a=b", ..ASK });
    wrong(200, &whole, Request { target_uri: "http://svc.example/r/1.json?a=b", ..ASK });
    for place in 0..FIELDS.len() {
        let mut other = whole.clone();
        other[place].1 = "x";
        wrong(200, &other, ASK);
        let mut fewer = whole.clone();
        fewer.retain(|(name, _)| *name != FIELDS[place].0);
        let missing = checked(200, &fewer, ASK, &expected(1100), &key);
        assert_eq!(
            missing,
            Err(HttpSignatureError::MissingComponent(format!("\"{}\"", FIELDS[place].0)))
        );
    }
    for (now, end) in [(989, HttpSignatureError::NotYetValid), (1311, HttpSignatureError::Expired)]
    {
        assert_eq!(checked(200, &whole, ASK, &expected(now), &key), Err(end));
    }
    for now in [990, 1310] {
        assert!(checked(200, &whole, ASK, &expected(now), &key).is_ok());
    }
    let wanted = [Component::of_request("@status").unwrap()];
    let expected = SignatureRequirements { covers: &wanted, ..expected(1100) };
    assert_eq!(
        checked(200, &whole, ASK, &expected, &key),
        Err(HttpSignatureError::NotCovered("\"@status\";req".to_owned()))
    );
}

#[test]
fn requests_that_cannot_be_met_are_skipped() {
    let ours = key(KeyPurpose::Requests);
    let good = [
        "s=(\"@status\")".to_owned(),
        "s=(\"content-digest\" \"@authority\";req);alg=\"ed25519\"".to_owned(),
        format!("s=(\"@status\");keyid=\"{}\"", ours.kid()),
        "s=(\"@status\";x), t=(\"@status\")".to_owned(),
    ];
    for line in &good {
        let requests = parse_accept_signature([line.as_str()]);
        assert_eq!(requests.len(), 1, "{line}");
        let message = Message::response(Response { status: 200, fields: FIELDS }, ASK);
        assert!(requests[0].sign(&message, &ours, at(1)).is_ok(), "{line}");
    }
    for line in [
        "",
        "s",
        "s=1",
        "s=()",
        "s=(\"@status\"",
        "s=(@status)",
        "S=(\"@status\")",
        // Nothing of it tells that it is of a response.
        "s=(\"content-type\" \"content-digest\")",
        "s=(\"@status\" \"Content-Type\")",
        "s=(\"@status\" \"content-type\";sf)",
        "s=(\"@status\" \"content-type\";bs)",
        "s=(\"@status\" \"@query-param\";req;name=\"a\")",
        "s=(\"@status\";req=?0)",
        "s=(\"@status\");created=5",
        "s=(\"@status\");alg=\"hmac-sha256\"",
        "s=(\"@status\");tag=\"web-bot-auth\"",
        "s=(\"@status\");tag=\"http-message-signatures-directory\"",
        "s=(\"@status\");nonce=5",
        "s=(\"@status\");other",
    ] {
        assert_eq!(parse_accept_signature([line]), [], "{line}");
    }
    for line in [
        "s=(\"@status\" \"set-cookie\")",
        "s=(\"@status\" \"@method\")",
        "s=(\"@status\";req)",
        "s=(\"@status\" \"@nonsense\")",
        "s=(\"@status\" \"@status\")",
        "s=(\"@status\" \"content-digest\";key=\"sha-512\")",
        "s=(\"@status\");keyid=\"another\"",
    ] {
        let message = Message::response(Response { status: 200, fields: FIELDS }, ASK);
        let requests = parse_accept_signature([line]);
        assert_eq!(requests.len(), 1, "{line}");
        assert!(requests[0].sign(&message, &ours, at(1)).is_err(), "{line}");
    }
    let long = format!("s=(\"@status\");nonce=\"{}\"", "n".repeat(257));
    assert_eq!(parse_accept_signature([long.as_str()]), []);
    let many: Vec<String> = (0..40).map(|n| format!("\"f{n}\";req")).collect();
    assert_eq!(parse_accept_signature([format!("s=({})", many.join(" ")).as_str()]), []);
    let labels: Vec<String> = (0..9).map(|n| format!("s{n}=(\"@status\")")).collect();
    assert_eq!(parse_accept_signature(labels.iter().map(String::as_str)).len(), 4);
    assert_eq!(parse_accept_signature(["x".repeat(MAX_FIELD_BYTES + 1).as_str()]), []);
}

#[test]
fn answers_are_signed_by_the_key_for_http_alone() {
    let requests = parse_accept_signature(["s=(\"@status\")"]);
    let message = Message::response(Response { status: 200, fields: &[] }, ASK);
    for purpose in [KeyPurpose::Documents, KeyPurpose::Decisions, KeyPurpose::LogHeads] {
        let refused = requests[0].sign(&message, &key(purpose), at(1));
        assert_eq!(refused, Err(HttpSignatureError::WrongKeyPurpose), "{purpose}");
    }
}

#[test]
fn a_value_cannot_forge_another_line() {
    let fields = [("vary", "x\n\"content-type\": text/html")];
    let message = Message::response(Response { status: 200, fields: &fields }, ASK);
    let covered = [Component::new("@status").unwrap(), Component::new("vary").unwrap()];
    let refused =
        sign(&message, "s", &covered, &SignatureParams::default(), &key(KeyPurpose::Requests));
    assert_eq!(refused, Err(HttpSignatureError::Malformed("a covered value")));
    let message = Message::response(
        Response { status: 200, fields: &[] },
        Request { method: "GET\n\"a\": b", ..ASK },
    );
    let covered = [Component::of_request("@method").unwrap()];
    assert!(
        sign(&message, "s", &covered, &SignatureParams::default(), &key(KeyPurpose::Requests))
            .is_err()
    );
    assert!(
        sign(&message, "S p", &[], &SignatureParams::default(), &key(KeyPurpose::Requests))
            .is_err()
    );
}

#[test]
fn an_authority_has_one_form() {
    for (target_uri, authority, path, query) in [
        ("https://Svc.Example:443/a?b", "svc.example", "/a", "?b"),
        ("https://svc.example:80", "svc.example:80", "/", "?"),
        ("http://svc.example:80?x", "svc.example", "/", "?x"),
        ("http://127.0.0.1:8080/", "127.0.0.1:8080", "/", "?"),
        ("http://[::80]/", "[::80]", "/", "?"),
        ("http://[::1]:80/", "[::1]", "/", "?"),
    ] {
        let message = Message::request(Request { method: "GET", target_uri, fields: &[] });
        let value = |name| message.component_value(&Component::new(name).unwrap()).unwrap();
        assert_eq!(value("@authority"), authority, "{target_uri}");
        assert_eq!((value("@path").as_str(), value("@query").as_str()), (path, query));
    }
    for target_uri in ["", "/a", "https://", "https://a@b/", "https://a/#b"] {
        let message = Message::request(Request { method: "GET", target_uri, fields: &[] });
        assert!(
            message.component_value(&Component::new("@authority").unwrap()).is_err(),
            "{target_uri}"
        );
    }
}

#[test]
fn every_listed_key_proves_itself_for_this_directory_and_place_alone() {
    let keys: Vec<SigningKey> = (1..=5)
        .map(|seed| SigningKey::from_seed(&[seed; 32], KeyPurpose::Documents, at(0)).unwrap())
        .collect();
    let digest = crate::sha256(b"{}");
    let target = "https://svc.example/.well-known/http-message-signatures-directory";
    let signed = sign_directory(&keys, target, &digest, at(100), at(200)).unwrap();
    let content_digest = content_digest(&digest);
    let plain = [("content-digest", content_digest.as_str())];
    let fields = with_signature(&plain, &signed);
    let covers =
        [Component::of_request("@authority").unwrap(), Component::new("content-digest").unwrap()];
    let expected =
        SignatureRequirements { tag: Some(DIRECTORY_TAG), covers: &covers, ..expected(150) };
    let ask = |target_uri| Request { method: "GET", target_uri, fields: &[] };
    let mut labels = Vec::new();
    for key in &keys {
        labels.push(checked(200, &fields, ask(target), &expected, key).unwrap().label);
        // Only this one key is known here, so another's failing is the last thing said.
        assert!(checked(200, &fields, ask("https://evil.example/"), &expected, key).is_err());
        let mut other = fields.clone();
        other[0].1 = "sha-256=:AAAA:";
        assert!(checked(200, &other, ask(target), &expected, key).is_err());
    }
    assert_eq!(labels, ["binding0", "binding1", "binding2", "binding3", "binding4"]);
}

#[test]
fn too_many_signatures_are_not_looked_at() {
    let input: Vec<String> = (0..17).map(|n| format!("s{n}=(\"@status\")")).collect();
    let input = input.join(", ");
    let fields = [("signature-input", input.as_str()), ("signature", "s0=:AA==:")];
    assert_eq!(
        checked(200, &fields, ASK, &expected(1), &key(KeyPurpose::Requests)),
        Err(HttpSignatureError::TooLarge("signature-input"))
    );
}

proptest! {
    #[test]
    fn nothing_a_stranger_sends_ends_in_a_panic(
        accept in "\\PC{0,80}", input in "[ -~]{0,200}", signature in "[ -~]{0,80}",
        target in "\\PC{0,40}", value in "\\PC{0,40}",
    ) {
        let key = key(KeyPurpose::Requests);
        for signature_request in parse_accept_signature([accept.as_str(), input.as_str()]) {
            let fields = [("content-type", value.as_str())];
            let request = Request { method: "GET", target_uri: &target, fields: &fields };
            let message = Message::response(Response { status: 200, fields: &fields }, request);
            let _ = signature_request.sign(&message, &key, at(1));
        }
        let fields = [
            ("signature-input", input.as_str()),
            ("signature", signature.as_str()),
            ("content-type", value.as_str()),
        ];
        let request = Request { method: "GET", target_uri: &target, fields: &fields };
        let find = |_: &str| Some(key.public().clone());
        prop_assert!(verify(&Message::request(request), &expected(1), &find).is_err());
    }

    #[test]
    fn near_misses_of_asking_do_not_panic_either(
        items in proptest::collection::vec("(\"[@a-z-]{1,12}\"|\"@status\")(;req|;key=\"[a-z]{0,3}\"|;sf|)", 0..6),
        params in "(;created|;tag=\"[ -~&&[^\"\\\\]]{0,9}\"|;nonce=\"a\"|;alg=\"ed25519\"){0,3}",
    ) {
        let line = format!("sig=({}){params}", items.join(" "));
        let message = Message::response(Response { status: 200, fields: FIELDS }, ASK);
        let key = key(KeyPurpose::Requests);
        for signature_request in parse_accept_signature([line.as_str()]) {
            if let Ok(signed) = signature_request.sign(&message, &key, at(1)) {
                let fields = with_signature(FIELDS, &signed);
                prop_assert!(checked(200, &fields, ASK, &expected(1), &key).is_ok(), "{line}");
            }
        }
    }
}
