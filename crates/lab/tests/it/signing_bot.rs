//! Tests of the signing bot: its signatures, verified by the code that verifies visitors, and its
//! key directories.

use std::time::Duration;

use contract::Timestamp;
use lab::{
    BotKey, BotRequest, BotSignature, DIRECTORY_MEDIA_TYPE, DIRECTORY_PATH, DirectoryBehaviour,
    Lab, LabOptions, SIGNING_BOT_HOST, SignatureAgent, SignedFields, sign_as_bot, signing_hosts,
};
use proof::{
    PublicKey,
    http_signatures::{
        Component, HttpSignatureError, Message, Request, SignatureRequirements, VerifiedSignature,
        verify,
    },
};
use serde_json::Value;
use tokio::time::timeout;

use crate::client::{BROWSER, ClientResponse, get, parse, raw_get, tls};

const NOW: i64 = 1_794_700_000;
const REQUEST: BotRequest<'_> =
    BotRequest { method: "GET", authority: "Shop.example:443", path: "/offers?page=2" };

async fn lab() -> Lab {
    Lab::start(LabOptions::default()).await.unwrap()
}

async fn directory(lab: &Lab, host: &str) -> ClientResponse {
    get(lab, host, DIRECTORY_PATH, BROWSER).await
}

fn keys_in(response: &ClientResponse) -> Vec<PublicKey> {
    let document: Value = serde_json::from_slice(&response.body).unwrap();
    let keys = document["keys"].as_array().unwrap().iter();
    keys.map(|jwk| {
        let key = PublicKey::from_jwk(jwk).unwrap();
        assert_eq!(jwk["kid"], key.kid(), "the id is the thumbprint");
        key
    })
    .collect()
}

fn verified_with(
    signed: &SignedFields,
    target_uri: &str,
    keys: &[PublicKey],
) -> Result<VerifiedSignature, HttpSignatureError> {
    let fields = signed.to_headers();
    let message = Message::request(Request { method: "GET", target_uri, fields: &fields });
    let requirements = SignatureRequirements {
        now: Timestamp::from_millis(NOW * 1000),
        skew_seconds: 0,
        max_age_seconds: None,
        tag: Some("web-bot-auth"),
        covers: &[Component::new("@authority").unwrap()],
    };
    let find = |id: &str| keys.iter().find(|key| key.kid() == id).cloned();
    verify(&message, &requirements, &find)
}

fn verified(signature: &BotSignature) -> Result<VerifiedSignature, HttpSignatureError> {
    let keys = [BotKey::Published, BotKey::Other];
    let keys = keys.map(|key| PublicKey::from_x(&key.public_key()).unwrap());
    let signed = sign_as_bot(&REQUEST, signature);
    verified_with(&signed, "https://shop.example/offers?page=2", &keys)
}

fn good() -> BotSignature {
    BotSignature::new(NOW)
}

#[tokio::test]
async fn a_signature_is_valid_with_the_key_of_the_directory_and_for_its_request_only() {
    let lab = lab().await;
    let response = directory(&lab, SIGNING_BOT_HOST).await;
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-type"), Some(DIRECTORY_MEDIA_TYPE));
    let keys = keys_in(&response);
    assert_eq!(keys.len(), 1);
    assert_eq!(keys[0].kid(), BotKey::Published.key_id());
    let signed = sign_as_bot(&REQUEST, &good());
    let found = verified_with(&signed, "https://shop.example/offers", &keys).unwrap();
    assert_eq!(found.label, "sig1");
    let covered: Vec<String> = found.components.iter().map(Component::to_string).collect();
    assert_eq!(covered, ["\"@authority\"", "\"signature-agent\";key=\"sig1\""]);
    assert_eq!((found.params.created, found.params.expires), (Some(NOW), Some(NOW + 300)));
    assert_eq!(signed.signature_agent.as_deref(), Some("sig1=\"https://signing-bot.lab\""));
    let elsewhere = verified_with(&signed, "https://other.example/offers", &keys);
    assert_eq!(elsewhere, Err(HttpSignatureError::BadSignature));
}

#[test]
fn every_form_of_a_good_signature_is_valid() {
    let agent = "https://signing-bot.lab".to_owned();
    let all = ["\"@method\"", "\"@authority\"", "\"@scheme\"", "\"@path\"", "\"@query\""];
    let all: Vec<String> = all.map(str::to_owned).into();
    for signature in [
        good(),
        BotSignature { agent: SignatureAgent::BareString(agent.clone()), ..good() },
        BotSignature { agent: SignatureAgent::None, ..good() },
        BotSignature { label: "other".to_owned(), ..good() },
        BotSignature { alg: Some("ed25519".to_owned()), nonce: Some("n\"\\".into()), ..good() },
        BotSignature { components: Some(all), ..good() },
        BotSignature {
            components: Some(vec!["\"@authority\"".into(), "\"signature-agent\"".into()]),
            ..good()
        },
        BotSignature { key: BotKey::Other, keyid: Some(BotKey::Other.key_id()), ..good() },
    ] {
        let found = verified(&signature);
        assert_eq!(found.map(|found| found.label).as_deref(), Ok(signature.label.as_str()));
    }
    let bare = BotSignature { agent: SignatureAgent::BareString(agent), ..good() };
    let bare = sign_as_bot(&REQUEST, &bare);
    assert_eq!(bare.signature_agent.as_deref(), Some("\"https://signing-bot.lab\""));
    let none = sign_as_bot(&REQUEST, &BotSignature { agent: SignatureAgent::None, ..good() });
    assert_eq!(none.signature_agent, None);
}

#[test]
fn every_fault_is_found_by_a_verifier() {
    for (signature, error) in [
        (BotSignature::new(NOW - 301), HttpSignatureError::Expired),
        (BotSignature::new(NOW + 1), HttpSignatureError::NotYetValid),
        (BotSignature { created: None, ..good() }, HttpSignatureError::MissingParameter("created")),
        (BotSignature { expires: None, ..good() }, HttpSignatureError::MissingParameter("expires")),
        (BotSignature { keyid: None, ..good() }, HttpSignatureError::MissingParameter("keyid")),
        (
            BotSignature { tag: Some("agent-payer-auth".into()), ..good() },
            HttpSignatureError::NoSignature,
        ),
        (BotSignature { tag: None, ..good() }, HttpSignatureError::NoSignature),
        (BotSignature { keyid: Some("nobody".into()), ..good() }, HttpSignatureError::UnknownKey),
        (BotSignature { alg: Some("hmac-sha256".into()), ..good() }, HttpSignatureError::Algorithm),
        (BotSignature { key: BotKey::Other, ..good() }, HttpSignatureError::BadSignature),
        (
            BotSignature { components: Some(vec!["\"@method\"".into()]), ..good() },
            HttpSignatureError::NotCovered("\"@authority\"".into()),
        ),
    ] {
        assert_eq!(verified(&signature), Err(error), "{signature:?}");
    }
}

#[tokio::test]
async fn the_other_directories_have_one_fault_each() {
    let lab = lab().await;
    let published = BotKey::Published.key_id();
    let redirect = directory(&lab, "signing-redirect.lab").await;
    let target = "https://signing-bot.lab/.well-known/http-message-signatures-directory";
    assert_eq!((redirect.status, redirect.header("location")), (302, Some(target)));
    let wrong_type = directory(&lab, "signing-wrong-type.lab").await;
    assert_eq!(wrong_type.header("content-type"), Some("application/json"));
    assert_eq!(keys_in(&wrong_type)[0].kid(), published);
    let many = keys_in(&directory(&lab, "signing-many-keys.lab").await);
    assert_eq!((many.len(), many[999].kid()), (1000, published.as_str()));
    assert_eq!(directory(&lab, "signing-missing.lab").await.status, 404);
    assert_eq!(directory(&lab, "signing-down.lab").await.status, 503);
    let other = keys_in(&directory(&lab, "signing-other-key.lab").await);
    assert_eq!((other.len(), other[0].kid()), (1, BotKey::Other.key_id().as_str()));
    let confused = directory(&lab, "signing-wrong-kid.lab").await;
    let confused: Value = serde_json::from_slice(&confused.body).unwrap();
    assert_eq!(confused["keys"][0]["kid"], published.as_str());
    assert_eq!(confused["keys"][0]["x"], BotKey::Other.public_key());
    let text = directory(&lab, "signing-not-json.lab").await;
    assert_eq!(text.header("content-type"), Some(DIRECTORY_MEDIA_TYPE));
    assert!(serde_json::from_slice::<Value>(&text.body).is_err());
    assert_eq!(get(&lab, SIGNING_BOT_HOST, "/keys", BROWSER).await.status, 404);
}

#[tokio::test]
async fn the_huge_directory_has_eight_megabytes_and_the_slow_one_does_not_end() {
    let lab = lab().await;
    let connect = async |host| tls(&lab, host, &["http/1.1"]).await.unwrap();
    let stream = connect("signing-huge.lab").await;
    let (bytes, _) = raw_get(stream, "signing-huge.lab", DIRECTORY_PATH, BROWSER, 1 << 24).await;
    let huge = parse(&bytes).unwrap();
    assert_eq!(huge.header("content-type"), Some(DIRECTORY_MEDIA_TYPE));
    assert!(huge.body.len() > 8 << 20, "{}", huge.body.len());
    assert_eq!(keys_in(&huge)[0].kid(), BotKey::Published.key_id());
    let stream = connect("signing-slow.lab").await;
    let whole = raw_get(stream, "signing-slow.lab", DIRECTORY_PATH, BROWSER, 1 << 20);
    assert!(timeout(Duration::from_secs(4), whole).await.is_err());
}

#[tokio::test]
async fn a_test_can_change_a_directory_and_change_it_back() {
    let lab = lab().await;
    let first_key = async || keys_in(&directory(&lab, SIGNING_BOT_HOST).await)[0].kid().to_owned();
    assert_eq!(first_key().await, BotKey::Published.key_id());
    assert!(lab.set_key_directory(SIGNING_BOT_HOST, DirectoryBehaviour::OtherKey));
    assert_eq!(first_key().await, BotKey::Other.key_id());
    assert!(lab.set_key_directory(SIGNING_BOT_HOST, DirectoryBehaviour::Down));
    assert_eq!(directory(&lab, SIGNING_BOT_HOST).await.status, 503);
    assert!(lab.set_key_directory(SIGNING_BOT_HOST, DirectoryBehaviour::Good));
    assert_eq!(first_key().await, BotKey::Published.key_id());
    assert!(!lab.set_key_directory("open.lab", DirectoryBehaviour::Good));
    assert_eq!(lab.hits(SIGNING_BOT_HOST).len(), 4);
}

#[test]
fn the_hosts_of_key_directories_are_not_sites_of_the_catalogue() {
    assert_eq!(signing_hosts().len(), 11);
    for (host, _) in signing_hosts() {
        assert!(lab::catalogue().iter().all(|site| site.name != *host), "{host}");
    }
}
