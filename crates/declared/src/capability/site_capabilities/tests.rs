//! Generated and hostile descriptions: nothing but a plain, public GET of the site itself is ever callable.

use proptest::prelude::*;
use serde_json::{Value, json};
use url::Url;

use super::*;

const URL: &str = "https://ferry.lab/openapi.json";

fn read(document: &Value) -> SiteCapabilities {
    read_two(document, None)
}

fn read_two(document: &Value, other: Option<&Value>) -> SiteCapabilities {
    let (one, two) = (document.to_string(), other.map(Value::to_string));
    let file = |path, url, body| DeclaringFile { kind: FileKind::OpenApi, path, url, body };
    let first = file("/openapi.json", URL, one.as_bytes());
    let second = two
        .as_ref()
        .map(|two| file("/swagger.json", "https://ferry.lab/swagger.json", two.as_bytes()));
    SiteCapabilities::read([first].into_iter().chain(second), None, "ferry.lab")
}

fn calls(found: &SiteCapabilities) -> Vec<&str> {
    found.items.iter().filter_map(|item| Some(item.permitted_call()?.url.as_str())).collect()
}

fn public(operation: Value) -> bool {
    let document = json!({"openapi": "3.1.0", "paths": {"/times": {"get": operation}}});
    !calls(&read(&document)).is_empty()
}

#[test]
fn only_a_plain_public_get_of_the_site_may_be_called() {
    assert!(public(json!({})));
    assert!(public(json!({"summary": "List the times of all boats", "security": []})));
    assert!(public(json!({"security": [{}]})));
    for refused in [
        json!({"security": [{"key": []}]}),
        json!({"security": "none"}),
        json!({"requestBody": {}}),
        json!({"operationId": "deleteTimes"}),
        json!({"operationId": "timesdelete"}),
        json!({"operationId": "getLogoutPage"}),
        json!({"operationId": "resetTimes"}),
        json!({"summary": "Deletes all times"}),
        json!({"summary": "Send the times by e-mail"}),
        json!({"summary": "Unsubscribe from the letter"}),
        json!({"tags": ["admin"]}),
        json!({"responses": {"402": {}}}),
        json!({"parameters": [{"name": "id", "in": "query", "required": true}]}),
        json!({"parameters": [{"name": "action", "in": "query", "required": true, "example": "delete"}]}),
        json!({"parameters": [{"name": "api_key", "in": "query"}]}),
        json!({"parameters": [{"$ref": "https://evil.example/p"}]}),
        json!({"responses": {"200": {"$ref": "#/paths/~1times/get"}}}),
        json!({"servers": [{"url": "https://other.lab"}]}),
        json!({"servers": [{"url": "https://api.ferry.lab"}]}),
        json!({"servers": [{"url": "http://ferry.lab"}]}),
        json!({"servers": [{"url": "https://{region}.ferry.lab"}]}),
        json!({"servers": [{"url": "https://ferry.lab:444"}]}),
        json!({"operationId": "a ".repeat(40) + &(0..80).map(|n| format!("w{n} ")).collect::<String>() + "delete"}),
        json!({"summary": (0..80).map(|n| format!("w{n} ")).collect::<String>() + "delete"}),
    ] {
        assert!(!public(refused.clone()), "{refused}");
    }
}

#[test]
fn ten_thousand_operations_cost_little_and_few_are_kept() {
    let paths: serde_json::Map<String, Value> = (0..10_000)
        .map(|n| {
            (
                format!("/t{n}"),
                json!({"get": {"responses": {"200": {"$ref": "#/components/responses/R"}}}}),
            )
        })
        .collect();
    let wide: serde_json::Map<String, Value> =
        (0..1_000).map(|n| (format!("p{n}"), json!({"type": "string"}))).collect();
    let document = json!({"openapi": "3.1.0", "paths": paths, "components": {"responses": {"R":
        {"content": {"application/json": {"schema": {"properties": wide}}}}}}});
    let start = std::time::Instant::now();
    let found = read(&document);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    assert_eq!(found.items.len(), super::super::model::MAX_ITEMS);
    assert_eq!(found.cut, ["/openapi.json"]);
}

#[test]
fn files_that_disagree_about_an_address_make_it_unknown() {
    let open = json!({"openapi": "3.1.0", "paths": {"/times": {"get": {"operationId": "one"}}}});
    let closed = json!({"swagger": "2.0", "security": [{"key": []}],
        "paths": {"/times": {"get": {"operationId": "two"}}}});
    assert_eq!(calls(&read(&open)), ["https://ferry.lab/times"]);
    assert_eq!(calls(&read_two(&open, Some(&closed))), [""; 0]);
    assert_eq!(calls(&read_two(&open, Some(&open))), ["https://ferry.lab/times"]);
    let token = SiteCapabilities::read(
        [DeclaringFile {
            kind: FileKind::OpenApi,
            path: "/openapi.json",
            url: URL,
            body: open.to_string().as_bytes(),
        }],
        Some("https://ferry.lab"),
        "ferry.lab",
    );
    assert_eq!(token.items[0].class, SafetyClass::ReadOnlyAuthenticated);
    assert_eq!(calls(&token), [""; 0]);
}

fn security() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => Just(Value::Null),
        2 => Just(json!([])),
        1 => Just(json!([{}])),
        1 => Just(json!([{"k": []}])),
        1 => Just(json!({"k": []})),
        1 => Just(json!("none")),
    ]
}

fn reference() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => Just(json!({"$ref": "#/components/schemas/A"})),
        4 => Just(json!({"type": "string", "example": "x"})),
        1 => Just(json!({"$ref": "#/components/schemas/Loop"})),
        1 => Just(json!({"$ref": "https://evil.example/a.json"})),
        1 => Just(json!({"$ref": "#/nowhere"})),
        1 => Just(json!({"type": "string"})),
    ]
}

fn parameter() -> impl Strategy<Value = Value> {
    (
        prop_oneof![3 => Just("path"), 3 => Just("query"), 1 => Just("header"), 1 => Just("cookie"), 1 => Just("body")],
        prop_oneof![3 => Just("id"), 3 => Just("day"), 1 => Just("api_key"), 1 => Just("action")],
        any::<bool>(),
        reference(),
        proptest::option::of(prop_oneof![Just("a"), Just("delete"), Just(".."), Just("a/b")]),
    )
        .prop_map(|(place, name, required, schema, example)| {
            let mut one =
                json!({"in": place, "name": name, "required": required, "schema": schema});
            if let Some(example) = example {
                one["example"] = json!(example);
            }
            one
        })
}

fn operation() -> impl Strategy<Value = Value> {
    (
        security(),
        prop_oneof![2 => Just(vec![]), 1 => proptest::collection::vec(parameter(), 1..3)],
        proptest::option::weighted(0.2, reference()),
        prop_oneof![
            4 => Just("list"),
            4 => Just("listusers"),
            1 => Just("deleteAll"),
            1 => Just("logoutuser"),
            1 => Just("payNow")
        ],
        prop_oneof![4 => Just("Lists all"), 1 => Just("Deletes all"), 1 => Just("Reset it")],
        reference(),
        server(),
    )
        .prop_map(|(security, parameters, body, id, summary, response, servers)| {
            let mut one = json!({"operationId": id, "summary": summary, "parameters": parameters,
                "responses": {"200": {"content": {"application/json": {"schema": response}}}}});
            if !security.is_null() {
                one["security"] = security;
            }
            if let Some(body) = body {
                one["requestBody"] = body;
            }
            if !servers.is_null() {
                one["servers"] = servers;
            }
            one
        })
}

fn server() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => Just(Value::Null),
        1 => prop_oneof![
            Just("/"), Just("/v1"), Just("https://ferry.lab"), Just("http://ferry.lab"),
            Just("https://www.ferry.lab/x"), Just("https://evil.example"), Just("//evil.example"),
            Just("https://{a}.ferry.lab"), Just("https://ferry.lab@evil.example/"), Just("javascript:x"),
            Just("https://ferry.lab:8443"), Just("../..")
        ].prop_map(|url| json!([{"url": url}])),
    ]
}

fn document() -> impl Strategy<Value = Value> {
    let method = prop_oneof![
        4 => Just("get"),
        3 => prop_oneof![Just("post"), Just("put"), Just("delete"), Just("head"), Just("GET"), Just("trace"), Just("options"), Just("query")]
    ];
    let path = prop_oneof![
        6 => Just("/times"), 2 => Just("/times/{id}"), 1 => Just("/users/delete"),
        1 => Just("/a/../b"), 1 => Just("//evil.example/x"), 1 => Just("/admin"),
        1 => Just("/x?action=delete"), 1 => Just("times")
    ];
    let one = (path, method, operation());
    (proptest::collection::vec(one, 1..5), security(), server(), any::<bool>()).prop_map(
        |(operations, security, servers, is_swagger)| {
            let mut document = match is_swagger {
                true => json!({"swagger": "2.0"}),
                false => json!({"openapi": "3.1.0"}),
            };
            document["components"] = json!({"schemas": {"A": {"type": "string", "default": "a"},
                "Loop": {"properties": {"next": {"$ref": "#/components/schemas/Loop"}}}}});
            document["paths"] = json!({});
            for (path, method, operation) in operations {
                document["paths"][path][method] = operation;
            }
            if !security.is_null() {
                document["security"] = security;
            }
            if !servers.is_null() {
                document["servers"] = servers;
            }
            document
        },
    )
}

/// Whether a permitted call is what the rule says, decided here again from the document alone.
fn is_plain_public_get(document: &Value, call: &ReadCall) -> bool {
    let url = Url::parse(&call.url).unwrap();
    let place = url.scheme() == "https"
        && matches!(url.host_str(), Some("ferry.lab" | "www.ferry.lab"))
        && url.port().is_none()
        && url.username().is_empty()
        && !call.url.contains(['{', '}'])
        && !url.path().contains("..")
        && !call.url.contains("delete");
    let operation = call.operation().unwrap();
    let security = operation.get("security").or(document.get("security"));
    let is_open = match security {
        None => true,
        Some(Value::Array(choices)) => {
            choices.is_empty() || choices.iter().any(|choice| choice == &json!({}))
        }
        Some(_) => false,
    };
    let text = operation.to_string();
    place
        && is_open
        && operation.get("requestBody").is_none()
        && !["evil.example/a.json", "Loop", "nowhere", "api_key"]
            .iter()
            .any(|bad| text.contains(bad))
        && operation["operationId"].as_str().is_none_or(|id| id.starts_with("list"))
        && operation["summary"] == "Lists all"
        && operation["parameters"].as_array().unwrap().iter().all(|parameter| {
            parameter["in"] != "body"
                && (parameter["required"] == false
                    || matches!(parameter["in"].as_str(), Some("path" | "query")))
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// A class that is unknown, and every class but one, is never called.
    #[test]
    fn only_read_only_public_is_ever_callable(document in document(), second in proptest::option::of(document())) {
        let found = read_two(&document, second.as_ref());
        for item in &found.items {
            let Some(call) = item.permitted_call() else { continue };
            prop_assert_eq!(&item.class, &SafetyClass::ReadOnlyPublic);
            let described = match item.declared_in.as_str() {
                "/openapi.json" => &document,
                _ => second.as_ref().unwrap(),
            };
            prop_assert!(is_plain_public_get(described, call), "{} of {}", call.url, described);
        }
    }

    #[test]
    fn any_text_declares_nothing_that_is_called(text in "\\PC{0,200}") {
        let file = DeclaringFile { kind: FileKind::OpenApi, path: "/openapi.json", url: URL, body: text.as_bytes() };
        let found = SiteCapabilities::read([file], None, "ferry.lab");
        prop_assert!(calls(&found).is_empty());
    }
}

/// The generator does reach callable operations, so the property above is not empty.
#[test]
fn generated_documents_contain_callable_operations() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let callable = (0..2_000)
        .filter(|_| {
            let document = document().new_tree(&mut runner).unwrap().current();
            !calls(&read(&document)).is_empty()
        })
        .count();
    assert!(callable > 10, "{callable}");
}
