//! Web Bot Auth directories and OAuth metadata.

use serde_json::json;

use super::{Answer, Cost, NOW, each, right, wrong};
use crate::files::FileKind;

const MEDIA: &str = "application/http-message-signatures-directory+json";
const X: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
const KID: &str = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";

#[test]
fn key_directories() {
    let body =
        json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": X, "kid": KID, "use": "sig"}]});
    let directory = Answer::new(FileKind::BotAuthDirectory, MEDIA, body.to_string());
    assert_eq!(right(&directory, &[]).counts["keys"], 1);
    right(&directory.changed("/keys/0/kid", None), &[]);
    use Cost::*;
    let twice =
        json!([{"kty": "OKP", "crv": "Ed25519", "x": X}, {"kty": "OKP", "crv": "Ed25519", "x": X}]);
    each(
        &directory,
        &[
            ("/keys", None, "missing_member", "/keys", Whole),
            ("/keys", Some(json!([])), "no_keys", "/keys", Whole),
            ("/keys", Some(twice), "doubled_key", "/keys/1", Warning),
            ("/keys/0/kid", Some(json!("key-1")), "kid_not_thumbprint", "/keys/0/kid", Part),
            ("/keys/0/kty", Some(json!("oct")), "no_usable_key", "/keys", Whole),
            ("/keys/0/kty", None, "missing_member", "/keys/0/kty", Whole),
            ("/keys/0/x", Some(json!("AAAA")), "bad_key_material", "/keys/0/x", Whole),
            ("/keys/0/x", Some(json!(format!("{X}="))), "bad_key_material", "/keys/0/x", Whole),
            ("/keys/0/d", Some(json!("AAAA")), "private_key_published", "/keys/0/d", Whole),
            ("/keys/0/exp", Some(json!(NOW - 1)), "key_expired", "/keys/0/exp", Warning),
            ("/keys/0/exp", Some(json!((NOW - 1) * 1_000)), "key_expired", "/keys/0/exp", Warning),
            ("/keys/0/nbf", Some(json!(NOW + 9)), "key_not_yet_valid", "/keys/0/nbf", Note),
            ("/keys/0/use", Some(json!("enc")), "not_for_signing", "/keys/0/use", Warning),
        ],
    );
    let mut moved = directory.clone();
    moved.redirects = 1;
    wrong(&moved, "redirected", "Location", Whole);
    let mut accepted = directory.clone();
    accepted.status = 203;
    wrong(&accepted, "not_status_200", "", Whole);
    let mut json = directory.clone();
    json.headers = vec![("content-type".into(), "application/json".into())];
    wrong(&json, "wrong_media_type", "Content-Type", Whole);
    json.headers.clear();
    wrong(&json, "no_media_type", "Content-Type", Whole);
    let tagged = "sig1=(\"@authority\";req);created=1;tag=\"http-message-signatures-directory\"";
    right(&directory.clone().with("signature-input", tagged), &[]);
    let other = directory.with("signature-input", "sig1=(\"@authority\");tag=\"x\"");
    wrong(&other, "signature_without_tag", "Signature-Input", Warning);
}

#[test]
fn protected_resources() {
    let body = json!({
        "resource": "https://shop.example",
        "authorization_servers": ["https://login.shop.example"],
        "bearer_methods_supported": ["header"],
        "resource_name": "Orders"
    });
    let metadata = Answer::new(FileKind::OauthResource, "application/json", body.to_string());
    let found = right(&metadata, &[]);
    assert_eq!(found.counts["authorization_servers"], 1);
    right(
        &metadata.changed("/resource", Some(json!("https://shop.example/"))),
        &["trailing_slash"],
    );
    use Cost::*;
    each(
        &metadata,
        &[
            ("/resource", None, "missing_member", "/resource", Whole),
            ("/resource", Some(json!("shop")), "bad_identifier", "/resource", Whole),
            (
                "/resource",
                Some(json!("https://shop.example/mcp")),
                "resource_mismatch",
                "/resource",
                Whole,
            ),
            (
                "/resource",
                Some(json!("https://other.example")),
                "resource_mismatch",
                "/resource",
                Whole,
            ),
            (
                "/resource",
                Some(json!("https://shop.example#x")),
                "has_fragment",
                "/resource",
                Whole,
            ),
            ("/authorization_servers", None, "missing_member", "/authorization_servers", Warning),
            (
                "/authorization_servers/0",
                Some(json!("http://login.shop.example")),
                "issuer_not_https",
                "/authorization_servers",
                Part,
            ),
            (
                "/authorization_servers/0",
                Some(json!("https://login.shop.example?x")),
                "issuer_with_query",
                "/authorization_servers",
                Part,
            ),
            (
                "/bearer_methods_supported/0",
                Some(json!("cookie")),
                "unknown_method",
                "/bearer_methods_supported",
                Part,
            ),
            (
                "/bearer_methods_supported/0",
                Some(json!("query")),
                "token_in_query",
                "/bearer_methods_supported",
                Warning,
            ),
            ("/resource_name", None, "no_resource_name", "/resource_name", Note),
            ("/jwks_uri", Some(json!("/jwks")), "bad_url", "/jwks_uri", Part),
        ],
    );
    // The suffix stands between host and path.
    let mut at_path = metadata.changed("/resource", Some(json!("https://shop.example/mcp")));
    at_path.requested_url.push_str("/mcp");
    at_path.url.push_str("/mcp");
    right(&at_path, &[]);
    at_path.requested_url.push_str("/deeper");
    wrong(&at_path, "resource_mismatch", "/resource", Whole);
}

#[test]
fn authorization_servers() {
    let body = json!({
        "issuer": "https://shop.example",
        "authorization_endpoint": "https://shop.example/authorize",
        "token_endpoint": "https://shop.example/token",
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code"],
        "code_challenge_methods_supported": ["S256"]
    });
    let metadata = Answer::new(FileKind::OauthServer, "application/json", body.to_string());
    right(&metadata, &[]);
    use Cost::*;
    each(
        &metadata,
        &[
            ("/issuer", None, "missing_member", "/issuer", Whole),
            ("/issuer", Some(json!("https://login.example")), "issuer_mismatch", "/issuer", Whole),
            ("/issuer", Some(json!("https://shop.example/")), "trailing_slash", "/issuer", Note),
            (
                "/response_types_supported",
                None,
                "missing_member",
                "/response_types_supported",
                Part,
            ),
            ("/authorization_endpoint", None, "missing_member", "/authorization_endpoint", Whole),
            ("/token_endpoint", None, "missing_member", "/token_endpoint", Whole),
            (
                "/code_challenge_methods_supported",
                None,
                "no_pkce",
                "/code_challenge_methods_supported",
                Warning,
            ),
            (
                "/code_challenge_methods_supported/0",
                Some(json!("plain")),
                "no_pkce",
                "/code_challenge_methods_supported",
                Warning,
            ),
        ],
    );
    let machine = metadata.changed("/grant_types_supported", Some(json!(["client_credentials"])));
    let machine = machine.changed("/authorization_endpoint", None);
    right(&machine.changed("/code_challenge_methods_supported", None), &[]);
}
