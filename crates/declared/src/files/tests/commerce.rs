//! UCP, ACP, x402.

use serde_json::json;

use super::{Answer, Cost, each, right, wrong};
use crate::files::FileKind;

fn ucp() -> Answer {
    let body = json!({
        "ucp": {
            "version": "2026-04-08",
            "services": {"dev.ucp.shopping": [
                {"version": "2026-04-08", "transport": "rest", "endpoint": "https://shop.example/ucp"},
                {"version": "2026-04-08", "transport": "embedded"}
            ]},
            "capabilities": {"dev.ucp.shopping.checkout": [{"version": "2026-04-08"}]},
            "payment_handlers": {"com.google.pay": [{"id": "g", "version": "2026-04-08"}]}
        },
        "signing_keys": [{"kid": "k1", "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]
    });
    Answer::new(FileKind::Ucp, "application/json", body.to_string())
        .with("cache-control", "public, max-age=600")
}

#[test]
fn ucp_profiles() {
    let found = right(&ucp(), &[]);
    assert_eq!(found.version.as_deref(), Some("UCP 2026-04-08"));
    assert_eq!((found.counts["bindings"], found.counts["keys"]), (2, 1));
    use Cost::*;
    each(
        &ucp(),
        &[
            ("/ucp", None, "missing_member", "/ucp", Whole),
            ("/ucp/version", Some(json!("1.0")), "bad_version", "/ucp/version", Part),
            ("/ucp/services", None, "missing_member", "/ucp/services", Whole),
            ("/ucp/services", Some(json!([])), "wrong_type", "/ucp/services", Whole),
            ("/ucp/services", Some(json!({})), "no_services", "/ucp/services", Part),
            (
                "/ucp/services/dev.ucp.shopping/0/endpoint",
                None,
                "missing_member",
                "/ucp/services/dev.ucp.shopping/0/endpoint",
                Part,
            ),
            (
                "/ucp/services/dev.ucp.shopping/0/transport",
                Some(json!("soap")),
                "unknown_transport",
                "/ucp/services/dev.ucp.shopping/0/transport",
                Warning,
            ),
            (
                "/ucp/services/shopping",
                Some(json!([])),
                "bad_name",
                "/ucp/services/shopping",
                Warning,
            ),
            (
                "/ucp/capabilities/dev.ucp.shopping.checkout",
                Some(json!({})),
                "wrong_type",
                "/ucp/capabilities/dev.ucp.shopping.checkout",
                Part,
            ),
            ("/ucp/capabilities", Some(json!([])), "old_shape", "/ucp", Warning),
            ("/ucp/payment_handlers", None, "missing_member", "/ucp/payment_handlers", Part),
            ("/signing_keys/0/kid", None, "missing_member", "/signing_keys/0/kid", Part),
            (
                "/signing_keys/0/d",
                Some(json!("c2VjcmV0")),
                "private_key_published",
                "/signing_keys/0/d",
                Whole,
            ),
        ],
    );
    let old = json!({"ucp": {"version": "2026-01-11",
        "services": {"dev.ucp.shopping": {"version": "2026-01-11", "rest": {"endpoint": "https://shop.example/ucp"}}},
        "capabilities": [{"name": "dev.ucp.shopping.checkout"}]}, "payment": {"handlers": [{}]}});
    let old = ucp().body(old.to_string());
    wrong(&old, "old_shape", "/ucp", Warning);
    assert_eq!((old.look().counts["bindings"], old.look().counts["payment_handlers"]), (1, 1));
    let mut moved = ucp();
    moved.redirects = 1;
    wrong(&moved, "redirected", "Location", Whole);
    let mut private = ucp();
    private.headers.pop();
    wrong(&private, "short_caching", "Cache-Control", Warning);
    wrong(
        &private.clone().with("cache-control", "max-age=10"),
        "short_caching",
        "Cache-Control",
        Warning,
    );
    wrong(&private.with("cache-control", "No-Store"), "not_cacheable", "Cache-Control", Part);
}

#[test]
fn acp_documents() {
    let body = json!({
        "protocol": {"name": "acp", "version": "2026-04-17", "supported_versions": ["2026-04-17"]},
        "api_base_url": "https://shop.example/acp",
        "transports": ["rest"],
        "capabilities": {"services": ["checkout", "orders"]}
    });
    let acp = Answer::new(FileKind::Acp, "application/json", body.to_string());
    let found = right(&acp, &[]);
    assert_eq!(found.version.as_deref(), Some("ACP 2026-04-17"));
    assert_eq!(found.counts["services"], 2);
    use Cost::*;
    each(
        &acp,
        &[
            ("/protocol", None, "missing_member", "/protocol", Whole),
            ("/protocol/name", Some(json!("ucp")), "other_protocol", "/protocol/name", Whole),
            ("/protocol/version", Some(json!("1.0")), "bad_version", "/protocol", Part),
            (
                "/protocol/supported_versions/0",
                Some(json!("2025-09-29")),
                "version_not_supported",
                "/protocol/supported_versions",
                Warning,
            ),
            ("/api_base_url", None, "missing_member", "/api_base_url", Whole),
            ("/transports", Some(json!([])), "empty_value", "/transports", Warning),
            ("/transports/0", Some(json!("soap")), "unknown_transport", "/transports", Warning),
            ("/capabilities", None, "missing_member", "/capabilities", Part),
            (
                "/capabilities/services/0",
                Some(json!("returns")),
                "unknown_service",
                "/capabilities/services",
                Warning,
            ),
        ],
    );
}

#[test]
fn x402_documents() {
    let body = json!({"version": 1, "resources": ["https://shop.example/api/a", "POST https://shop.example/api/b", {"url": "https://shop.example/api/c"}]});
    let x402 = Answer::new(FileKind::X402, "application/json", body.to_string());
    let found = right(&x402, &["no_standard"]);
    assert_eq!(found.version.as_deref(), Some("x402 1"));
    assert_eq!(found.addresses.len(), 3);
    use Cost::*;
    each(
        &x402,
        &[
            ("/version", None, "missing_member", "/version", Warning),
            ("/version", Some(json!("one")), "bad_version", "/version", Warning),
            ("/resources", None, "missing_member", "/resources", Whole),
            ("/resources", Some(json!([])), "no_resources", "/resources", Warning),
            ("/resources/0", Some(json!("/api/a")), "bad_url", "/resources/0", Part),
            ("/resources/0", Some(json!(7)), "wrong_type", "/resources/0", Part),
        ],
    );
}
