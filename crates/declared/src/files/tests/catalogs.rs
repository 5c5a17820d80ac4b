//! API catalogs, AI catalogs, OpenAPI.

use serde_json::json;

use super::{Answer, Cost, each, right, wrong};
use crate::files::FileKind;

#[test]
fn api_catalogs() {
    let body = json!({"linkset": [{
        "anchor": "https://shop.example/api",
        "service-desc": [{"href": "/openapi.json", "type": "application/json", "hreflang": ["en"]}],
        "item": [{"href": "https://shop.example/api/v2"}]
    }]});
    let media = "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"";
    let catalog = Answer::new(FileKind::ApiCatalog, media, body.to_string());
    let found = right(&catalog, &[]);
    assert_eq!((found.counts["contexts"], found.counts["links"]), (1, 2));
    assert!(found.addresses.contains(&"https://shop.example/openapi.json".to_owned()));
    use Cost::*;
    each(
        &catalog,
        &[
            ("/linkset", None, "not_a_linkset", "", Whole),
            ("/linkset", Some(json!({})), "wrong_type", "/linkset", Whole),
            ("/linkset", Some(json!([])), "no_links", "/linkset", Whole),
            ("/linkset/0/anchor", Some(json!(["x"])), "wrong_type", "/linkset/0/anchor", Part),
            (
                "/linkset/0/item",
                Some(json!("https://shop.example/api")),
                "wrong_type",
                "/linkset/0/item",
                Part,
            ),
            (
                "/linkset/0/item/0",
                Some(json!("https://shop.example/api")),
                "wrong_type",
                "/linkset/0/item/0",
                Part,
            ),
            ("/linkset/0/item/0/href", None, "missing_member", "/linkset/0/item/0/href", Part),
            (
                "/linkset/0/service-desc/0/hreflang",
                Some(json!("en")),
                "wrong_type",
                "/linkset/0/service-desc/0/hreflang",
                Warning,
            ),
            (
                "/linkset/0",
                Some(json!({"about": [{"href": "/"}]})),
                "no_api_relation",
                "/linkset",
                Warning,
            ),
            ("/version", Some(json!(1)), "unknown_member", "/version", Note),
        ],
    );
    wrong(&catalog.clone().body("[\"https://shop.example/api\"]"), "not_a_linkset", "", Whole);
    wrong(&catalog.clone().body("{\"apis\": []}"), "not_a_linkset", "", Whole);
    let mut json = catalog.clone();
    json.headers = vec![("content-type".into(), "application/json".into())];
    wrong(&json, "wrong_media_type", "Content-Type", Warning);
    json.headers = vec![("content-type".into(), "application/linkset+json".into())];
    wrong(&json, "no_profile", "Content-Type", Note);
    json.headers = vec![("content-type".into(), "application/linkset".into())];
    wrong(&json, "not_json_linkset", "Content-Type", Whole);
    json.headers.clear();
    wrong(&json, "no_media_type", "Content-Type", Warning);
}

#[test]
fn ai_catalogs_and_ard() {
    let body = json!({
        "specVersion": "1.0",
        "host": {"displayName": "Shop", "documentationUrl": "https://shop.example/docs"},
        "entries": [
            {"identifier": "urn:air:shop.example:mcp:orders", "displayName": "Orders", "type": "application/mcp-server-card+json",
             "url": "https://shop.example/mcp/server-card", "representativeQueries": ["where is my parcel", "cancel my order"]},
            {"identifier": "urn:air:shop.example:more", "displayName": "More", "type": "application/ai-catalog+json",
             "data": {"specVersion": "1.0", "entries": []}, "representativeQueries": ["a", "b"]}
        ]
    });
    let ai = Answer::new(FileKind::AiCatalog, "application/ai-catalog+json", body.to_string());
    let ard = Answer::new(FileKind::Ard, "application/json", body.to_string());
    for answer in [&ai, &ard] {
        let found = right(answer, &[]);
        assert_eq!((found.counts["entries"], found.counts["nested_catalogs"]), (2, 1));
        assert_eq!(found.version.as_deref(), Some("1.0"));
        use Cost::*;
        each(
            answer,
            &[
                ("/specVersion", None, "missing_member", "/specVersion", Part),
                ("/specVersion", Some(json!("0.9")), "unknown_version", "/specVersion", Warning),
                ("/host/displayName", None, "missing_member", "/host/displayName", Part),
                ("/entries", None, "missing_member", "/entries", Whole),
                ("/entries", Some(json!([])), "no_entries", "/entries", Warning),
                ("/entries/0/identifier", None, "missing_member", "/entries/0/identifier", Part),
                (
                    "/entries/0/identifier",
                    Some(json!("orders")),
                    "bad_identifier",
                    "/entries/0/identifier",
                    Warning,
                ),
                (
                    "/entries/0/identifier",
                    Some(json!("urn:air:shop.example")),
                    "bad_identifier",
                    "/entries/0/identifier",
                    Warning,
                ),
                (
                    "/entries/1/identifier",
                    Some(json!("urn:air:shop.example:mcp:orders")),
                    "doubled_identifier",
                    "/entries/1/identifier",
                    Part,
                ),
                ("/entries/0/type", None, "missing_member", "/entries/0/type", Part),
                ("/entries/0/type", Some(json!("mcp")), "bad_type", "/entries/0/type", Part),
                ("/entries/0/url", None, "missing_member", "/entries/0/url", Part),
                ("/entries/0/data", Some(json!({})), "url_and_data", "/entries/0/data", Part),
                (
                    "/entries/0/trustManifest",
                    Some(json!({})),
                    "missing_member",
                    "/entries/0/trustManifest/identity",
                    Part,
                ),
            ],
        );
    }
    let renamed = ai.changed("/entries/0/type", None);
    let renamed =
        renamed.changed("/entries/0/mediaType", Some(json!("application/ai-catalog+json")));
    wrong(&renamed, "old_member", "/entries/0/mediaType", Cost::Warning);
    right(&ai.changed("/entries/0/displayName", None), &[]);
    each(
        &ard,
        &[
            (
                "/entries/0/displayName",
                None,
                "missing_member",
                "/entries/0/displayName",
                Cost::Part,
            ),
            (
                "/entries/0/representativeQueries",
                None,
                "no_queries",
                "/entries/0/representativeQueries",
                Cost::Note,
            ),
            (
                "/entries/0/representativeQueries",
                Some(json!(["one"])),
                "number_of_queries",
                "/entries/0/representativeQueries",
                Cost::Warning,
            ),
        ],
    );
}

#[test]
fn openapi() {
    let operation =
        json!({"operationId": "list", "summary": "List orders", "responses": {"200": {}}});
    let body = json!({
        "openapi": "3.1.0",
        "info": {"title": "Orders", "version": "1.0.0"},
        "servers": [{"url": "/api"}, {"url": "https://{region}.shop.example/"}],
        "paths": {"/orders": {"get": operation, "parameters": []}}
    });
    let description = Answer::new(FileKind::OpenApi, "application/json", body.to_string());
    let found = right(&description, &[]);
    assert_eq!(found.version.as_deref(), Some("OpenAPI 3.1"));
    assert_eq!((found.counts["paths"], found.counts["operations"]), (1, 1));
    assert_eq!(found.addresses, ["https://shop.example/api"]);
    use Cost::*;
    let more = json!({"get": operation});
    each(
        &description,
        &[
            ("/openapi", None, "missing_member", "/openapi", Whole),
            ("/openapi", Some(json!("4.0.0")), "unknown_version", "/openapi", Whole),
            ("/openapi", Some(json!(3.1)), "wrong_type", "/openapi", Whole),
            ("/info", None, "missing_member", "/info", Part),
            ("/info/title", None, "missing_member", "/info/title", Part),
            ("/servers", None, "no_servers", "/servers", Note),
            ("/paths", None, "missing_member", "/paths", Whole),
            ("/paths/orders", Some(json!({})), "bad_path", "/paths/orders", Part),
            (
                "/paths/MORE",
                Some(more),
                "doubled_operation_id",
                "/paths/MORE/get/operationId",
                Part,
            ),
            (
                "/paths/~1orders/get/operationId",
                None,
                "no_operation_id",
                "/paths/~1orders/get",
                Note,
            ),
            ("/paths/~1orders/get/summary", None, "no_description", "/paths/~1orders/get", Note),
            (
                "/paths/~1orders/get/responses",
                None,
                "missing_member",
                "/paths/~1orders/get/responses",
                Warning,
            ),
            ("/paths/~1orders/get", None, "no_operations", "/paths", Warning),
        ],
    );
    let swagger = description.clone().body(json!({"swagger": "2.0", "info": {"title": "t", "version": "1"}, "paths": {"/a": {"get": {"operationId": "a", "summary": "s", "responses": {}}}}}).to_string());
    assert_eq!(right(&swagger, &["older_version"]).version.as_deref(), Some("Swagger 2.0"));
    right(&description.clone().body(json!({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "webhooks": {}, "servers": []}).to_string()), &[]);
}

#[test]
fn open_api_descriptions_in_yaml() {
    let text = "# The shop\nopenapi: 3.1.0\ninfo:\n  title: Shop\n  version: '1'\nservers:\n  - url: https://shop.example/api\npaths:\n  /orders:\n    get:\n      operationId: listOrders\n      summary: Lists orders\n      responses:\n        200: {description: ok}\n";
    let mut description = Answer::new(FileKind::OpenApi, "application/yaml", text);
    use Cost::*;
    wrong(&description, "yaml_instead", "", Warning);
    description.url = "https://shop.example/openapi.yaml".to_owned();
    let found = right(&description, &[]);
    assert_eq!(found.version.as_deref(), Some("OpenAPI 3.1"));
    assert_eq!((found.counts["paths"], found.counts["operations"]), (1, 1));
    let body = |text: &str| description.clone().body(text);
    wrong(&body(&text.replace("/orders:", "orders:")), "bad_path", "/paths/orders", Part);
    wrong(&body(&format!("{text}info: {{}}\n")), "doubled_name", "line 15", Warning);
    wrong(&body(&text.replace("  title", "\ttitle")), "not_yaml", "line 4", Whole);
    wrong(&body("error: not found"), "missing_member", "/openapi", Whole);
    wrong(&body("Not found"), "not_json", "line 1, column 1", Whole);
    wrong(&body("<!doctype html><p>x"), "html_instead", "", Whole);
    wrong(&body(&text.replace("3.1.0", "3.1")), "wrong_type", "/openapi", Whole);
    description.cut = true;
    assert!(description.look().faults.iter().any(|fault| fault.code == "not_read_whole"));
}
