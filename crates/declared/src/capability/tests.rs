//! Each kind of file with what it declares, and whatever else may come.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::bounds::{MAX_ADDRESS_BYTES, NAME_CHARS};
use super::*;
use crate::files::{FILE_LOCATIONS, FileKind};

const URL: &str = "https://shop.example/.well-known/x";

fn read_json(kind: FileKind, file: &Value) -> DeclaredCapabilities {
    read_capabilities(kind, URL, file.to_string().as_bytes())
}

/// Names and addresses, in the order of the file.
fn names_and_endpoints(kind: FileKind, file: &Value) -> Vec<(String, Option<String>)> {
    read_json(kind, file).items.into_iter().map(|one| (one.name, one.endpoint)).collect()
}

fn pair(name: &str, endpoint: Option<&str>) -> (String, Option<String>) {
    (name.to_owned(), endpoint.map(str::to_owned))
}

#[test]
fn a_card_declares_its_skills() {
    let card = json!({"supportedInterfaces": [{"url": "https://shop.example/a2a"}],
        "securityRequirements": [{"schemes": {"login": ["orders"]}}],
        "skills": [{"id": "track", "name": "Track an order", "tags": ["parcels"]},
                   {"id": "open", "name": "Opening times", "security": []}, {"id": "only-id"}, 7, {}]});
    let found = read_json(FileKind::AgentCard, &card).items;
    let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["Track an order", "Opening times", "only-id"]);
    assert!(found.iter().all(|one| one.endpoint.as_deref() == Some("https://shop.example/a2a")));
    assert_eq!(found[0].hints.credential, CredentialRequirement::Needed);
    assert_eq!(found[0].hints.scopes, ["orders"]);
    assert!(
        found[0].hints.words.contains_any(&["parcels"])
            && found[0].hints.words.contains_any(&["track"])
    );
    assert_eq!(found[1].hints.credential, CredentialRequirement::NotNeeded, "its own word counts");
    let old = json!({"url": "https://shop.example/old", "skills": [{"name": "x"}]});
    assert_eq!(
        names_and_endpoints(FileKind::AgentCard, &old),
        [pair("x", Some("https://shop.example/old"))]
    );
}

#[test]
fn a_server_card_declares_tools_or_the_server_itself() {
    let old = json!({"serverInfo": {"name": "Shop"}, "transport": {"endpoint": "/mcp"},
        "authentication": {"required": true},
        "tools": [{"name": "find", "annotations": {"readOnlyHint": true}},
                  {"name": "put", "annotations": {"readOnlyHint": false}},
                  {"name": "mend", "annotations": {"readOnlyHint": false, "destructiveHint": false}}]});
    let found = read_json(FileKind::McpServerCard, &old).items;
    assert_eq!(found.len(), 3);
    assert_eq!(found[0].endpoint.as_deref(), Some("https://shop.example/mcp"));
    assert_eq!((found[0].hints.read_only, found[0].hints.destructive), (Some(true), None));
    assert_eq!(found[1].hints.destructive, Some(true), "the protocol's default");
    assert_eq!(found[2].hints.destructive, Some(false));
    assert_eq!(found[2].hints.credential, CredentialRequirement::Needed);

    let new = json!({"name": "example.shop/orders", "remotes": [
        {"type": "streamable-http", "url": "https://shop.example/mcp"},
        {"type": "sse", "url": "https://{tenant}.shop.example/sse", "headers": [{"name": "k", "isSecret": true}]}]});
    assert_eq!(
        names_and_endpoints(FileKind::McpServerCard, &new),
        [
            pair("example.shop/orders", Some("https://shop.example/mcp")),
            pair("example.shop/orders", None)
        ]
    );
    assert_eq!(
        read_json(FileKind::McpServerCard, &new).items[1].hints.credential,
        CredentialRequirement::Needed
    );
    assert_eq!(
        names_and_endpoints(FileKind::McpServerCard, &json!({"name": "a/b"})),
        [pair("a/b", None)]
    );
}

#[test]
fn catalogues_name_every_api_once() {
    let catalog = json!({"linkset": [
        {"anchor": "https://shop.example/api", "service-desc": [{"href": "/openapi.json"}],
         "item": [{"href": "/api"}, {"href": "https://shop.example/two", "title": "The second"}]},
        {"anchor": "https://shop.example/.well-known/api-catalog", "item": [{"href": "/three"}, 3]}]});
    assert_eq!(
        names_and_endpoints(FileKind::ApiCatalog, &catalog),
        [
            pair("https://shop.example/api", Some("https://shop.example/api")),
            pair("The second", Some("https://shop.example/two")),
            pair("https://shop.example/three", Some("https://shop.example/three")),
        ]
    );
    assert_eq!(
        service_descriptions(catalog.to_string().as_bytes(), URL),
        ["https://shop.example/openapi.json"]
    );
    assert_eq!(service_descriptions(b"<html>", URL), [""; 0]);
    let catalog = json!({"entries": [
        {"identifier": "urn:air:shop.example:a", "url": "https://shop.example/card", "type": "application/a2a-agent-card+json"},
        {"displayName": "More", "url": "https://shop.example/more", "type": "application/ai-catalog+json"}]});
    for kind in [FileKind::AiCatalog, FileKind::Ard] {
        let expected = [pair("urn:air:shop.example:a", Some("https://shop.example/card"))];
        assert_eq!(names_and_endpoints(kind, &catalog), expected);
    }
    let skills = json!({"skills": [{"name": "track-order", "url": "track/SKILL.md"}]});
    let expected = [pair("track-order", Some("https://shop.example/.well-known/track/SKILL.md"))];
    assert_eq!(names_and_endpoints(FileKind::AgentSkills, &skills), expected);
}

#[test]
fn shops_are_about_buying_and_x402_about_paying() {
    let ucp = json!({"ucp": {"services": {"dev.ucp.shopping": [{"endpoint": "https://shop.example/ucp"}]},
        "capabilities": {"dev.ucp.shopping.checkout": [{}], "dev.ucp.shopping.order": [{}]}}});
    let endpoint = Some("https://shop.example/ucp");
    let both =
        [pair("dev.ucp.shopping.checkout", endpoint), pair("dev.ucp.shopping.order", endpoint)];
    assert_eq!(names_and_endpoints(FileKind::Ucp, &ucp), both);
    assert!(read_json(FileKind::Ucp, &ucp).items.iter().all(|one| one.hints.commerce));
    let first = json!({"ucp": {"services": {"dev.ucp.shopping": {"rest": {"endpoint": "https://shop.example/ucp"}}},
        "capabilities": [{"name": "dev.ucp.shopping.checkout"}, {"name": "dev.ucp.shopping.order"}]}});
    assert_eq!(names_and_endpoints(FileKind::Ucp, &first), both, "the first version's shape");
    let silent = json!({"ucp": {"services": {"dev.ucp.shopping": []}}});
    assert_eq!(names_and_endpoints(FileKind::Ucp, &silent), [pair("dev.ucp.shopping", None)]);

    let acp = json!({"api_base_url": "https://shop.example/acp", "capabilities": {"services": ["checkout", 1]}});
    assert_eq!(
        names_and_endpoints(FileKind::Acp, &acp),
        [pair("checkout", Some("https://shop.example/acp"))]
    );

    let x402 = json!({"resources": ["POST https://shop.example/a", {"resource": "https://shop.example/b"}]});
    let found = read_json(FileKind::X402, &x402).items;
    assert!(found.iter().all(|one| one.hints.priced));
    assert_eq!(found[0].hints.method, Some(MethodKind::Write));
    assert_eq!(found[0].endpoint.as_deref(), Some("https://shop.example/a"));
    assert_eq!(found[1].name, "https://shop.example/b");
}

#[test]
fn operations_are_read_with_what_they_need() {
    let file = json!({"openapi": "3.1.0", "servers": [{"url": "/v1/"}],
    "security": [{"key": []}],
    "components": {"parameters": {"Key": {"name": "X-API-Key", "in": "header"}}},
    "paths": {
        "/a": {"get": {"operationId": "getA", "security": []},
               "post": {"requestBody": {"required": true}},
               "parameters": []},
        "/b/{id}": {"delete": {"security": [{"key": ["w"]}, {}]}, "summary": "x"},
        "/c": {"get": {"security": [], "parameters": [{"$ref": "#/components/parameters/Key"}]}},
        "/d": {"get": {"security": "none", "responses": {"402": {}},
                       "servers": [{"url": "https://{region}.shop.example"}]}},
        "x-paths": {"get": {}}
    }});
    let found = read_json(FileKind::OpenApi, &file).items;
    let by = |name: &str| found.iter().find(|one| one.name == name).unwrap();
    assert_eq!(found.len(), 5, "{found:#?}");
    let get = by("getA");
    assert_eq!(get.endpoint.as_deref(), Some("https://shop.example/v1/a"));
    assert_eq!(get.hints.method, Some(MethodKind::Safe));
    assert_eq!(get.hints.credential, CredentialRequirement::NotNeeded);
    let post = by("POST /a");
    assert_eq!((post.hints.method, post.hints.needs_body), (Some(MethodKind::Write), true));
    assert_eq!(post.hints.credential, CredentialRequirement::Needed, "the whole file's word");
    let delete = by("DELETE /b/{id}");
    assert_eq!(delete.endpoint.as_deref(), Some("https://shop.example/v1/b/"));
    assert_eq!(delete.hints.credential, CredentialRequirement::NotNeeded, "an empty choice is one");
    assert!(!delete.hints.words.contains_any(&["id"]));
    assert_eq!(
        by("GET /c").hints.credential,
        CredentialRequirement::Needed,
        "a key by another name"
    );
    let d = by("GET /d");
    assert_eq!((d.hints.credential, d.hints.priced), (CredentialRequirement::Unstated, true));
    assert_eq!(d.endpoint, None, "a template leads nowhere yet");

    let silent = json!({"openapi": "3.0.0", "paths": {"/a": {"get": {}}}});
    let found = read_json(FileKind::OpenApi, &silent).items;
    assert_eq!(found[0].endpoint.as_deref(), Some("https://shop.example/a"));
    assert_eq!(found[0].hints.credential, CredentialRequirement::NotNeeded);
    let swagger = json!({"swagger": "2.0", "host": "api.shop.example", "basePath": "/v2",
        "schemes": ["http", "https"], "paths": {"/a": {"head": {}}}});
    let expected = [pair("HEAD /a", Some("https://api.shop.example/v2/a"))];
    assert_eq!(names_and_endpoints(FileKind::OpenApi, &swagger), expected);
}

#[test]
fn addresses_are_of_the_web_or_none() {
    for bad in
        ["javascript:alert(1)", "ftp://shop.example/", "https://me:pw@shop.example/", "data:,x"]
    {
        let card = json!({"url": bad, "skills": [{"name": "x"}]});
        assert_eq!(names_and_endpoints(FileKind::AgentCard, &card), [pair("x", None)], "{bad}");
    }
}

#[test]
fn an_address_is_within_a_name_and_under_another() {
    let at = |url: &str| Capability {
        name: String::new(),
        endpoint: Some(url.to_owned()),
        hints: EffectHints::default(),
        call: None,
    };
    for (url, within) in [
        ("https://shop.example/a", true),
        ("https://api.shop.example/", true),
        ("http://shop.example/a", false),
        ("https://myshop.example/", false),
        ("https://shop.example.evil.example/", false),
    ] {
        assert_eq!(at(url).is_served_within("shop.example"), within, "{url}");
    }
    for (url, under) in [
        ("https://shop.example/mcp", true),
        ("https://shop.example/mcp/x", true),
        ("https://shop.example/mcpx", false),
        ("https://shop.example/", false),
        ("https://api.shop.example/mcp", false),
    ] {
        assert_eq!(at(url).is_under("https://shop.example/mcp"), under, "{url}");
    }
    assert!(at("https://shop.example/any").is_under("https://shop.example"));
    let nowhere = Capability { endpoint: None, ..at("") };
    assert!(!nowhere.is_served_within("shop.example") && !nowhere.is_under("https://shop.example"));
}

#[test]
fn a_file_is_read_up_to_a_bound_and_says_so() {
    let skills: Vec<Value> = (0..=MAX_ITEMS).map(|n| json!({"name": format!("s{n}")})).collect();
    let full = read_json(FileKind::AgentSkills, &json!({"skills": skills.clone()}));
    assert_eq!((full.items.len(), full.more), (MAX_ITEMS, true));
    let fits = read_json(FileKind::AgentSkills, &json!({"skills": &skills[1..]}));
    assert_eq!((fits.items.len(), fits.more), (MAX_ITEMS, false));
    let long = json!({"skills": [{"name": "\u{202e}".repeat(500)}]});
    let name = &read_json(FileKind::AgentSkills, &long).items[0].name;
    assert_eq!(name.chars().count(), NAME_CHARS);
    assert!(!name.contains('\u{202e}'));
}

#[test]
fn a_protected_resource_is_an_address() {
    assert_eq!(
        protected_resource(br#"{"resource": "https://shop.example/mcp"}"#).as_deref(),
        Some("https://shop.example/mcp")
    );
    for bad in ["{}", "[]", "x", r#"{"resource": "/mcp"}"#, r#"{"resource": 1}"#] {
        assert_eq!(protected_resource(bad.as_bytes()), None, "{bad}");
    }
}

/// Names that the readers look for, so that chance finds its way into them.
const NAMES: [&str; 30] = [
    "name",
    "skills",
    "url",
    "id",
    "tools",
    "annotations",
    "remotes",
    "headers",
    "transport",
    "endpoint",
    "linkset",
    "anchor",
    "item",
    "href",
    "service-desc",
    "entries",
    "displayName",
    "ucp",
    "services",
    "capabilities",
    "resources",
    "paths",
    "/a",
    "/b/{c}",
    "get",
    "post",
    "security",
    "parameters",
    "servers",
    "$ref",
];

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<String>().prop_map(Value::from),
        Just(json!("https://shop.example/a")),
        Just(json!("#/paths")),
        Just(json!("")),
    ];
    leaf.prop_recursive(6, 96, 8, |inner| {
        let member = (proptest::sample::select(&NAMES[..]), inner.clone());
        prop_oneof![
            proptest::collection::vec(inner, 0..6).prop_map(Value::from),
            proptest::collection::vec(member, 0..8).prop_map(|members| Value::Object(
                members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            )),
        ]
    })
}

fn holds(kind: FileKind, url: &str, body: &[u8]) {
    let found = read_capabilities(kind, url, body);
    assert_eq!(found, read_capabilities(kind, url, body), "the same bytes declare the same");
    assert!(found.items.len() <= MAX_ITEMS);
    assert!(declares_capabilities(kind) || found.items.is_empty());
    for one in found.items {
        assert!(one.name.chars().count() <= NAME_CHARS && !one.name.chars().any(char::is_control));
        assert!(
            one.endpoint
                .is_none_or(|url| url.starts_with("http") && url.len() <= MAX_ADDRESS_BYTES)
        );
    }
}

proptest! {
    #[test]
    fn any_bytes(body in proptest::collection::vec(any::<u8>(), 0..400), url: String) {
        let _ = protected_resource(&body);
        for place in FILE_LOCATIONS {
            holds(place.kind, &url, &body);
        }
    }

    #[test]
    fn any_document(value in any_json()) {
        let body = value.to_string();
        for place in FILE_LOCATIONS {
            holds(place.kind, URL, body.as_bytes());
        }
    }
}
#[test]
fn a_description_in_yaml_declares_its_operations() {
    let text =
        "openapi: 3.1.0\npaths:\n  /times:\n    get: {operationId: getTimes, responses: {}}\n";
    let found = super::read_capabilities(
        FileKind::OpenApi,
        "https://a.example/openapi.yaml",
        text.as_bytes(),
    );
    let names: Vec<&str> = found.items.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(names, ["getTimes"]);
}
