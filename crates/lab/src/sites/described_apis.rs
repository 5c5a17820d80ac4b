//! Sites with a description of an API: honest ones, ones that lie, and ones that try to lead a reader astray.
//! Everything below `/api/` answers, also what nobody may call, so that a call is seen and not refused.

use serde_json::{Map, Value, json};

use super::base::{SERVED, plain_site, site_with_pages, with_robots};
use crate::{
    content::{self, CLINIC, CYCLES, FERRY, GARDEN, MUSEUM, json_reply},
    http::reply::{Reply, SiteRequest},
    site::{ExpectedRecord, LabSite},
};

/// The paths of the honest API that anybody may read: the only ones that a scan may call.
pub const PUBLIC_API_PATHS: [&str; 3] = ["/api/hours", "/api/piers/quay-2", "/api/prices"];

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "api-honest.lab",
        behaviour: "api_honest",
        does: "Describes an API (OpenAPI 3.1) with three public operations that answer as described, \
               and others that delete, need a key, or lack an example.",
        says: "The operations that were called match their description, so agents may connect.",
        text: &FERRY,
        ..site_with_pages(|request| match request.path {
            "/openapi.json" => json_reply("application/json", &described(request.site_name)),
            path => api_reply(path).unwrap_or_else(|| plain_site(request)),
        })
    },
    LabSite {
        name: "api-lies.lab",
        behaviour: "api_lies",
        does: "Describes an API whose public operations return something else than described.",
        says: "No operation that was called matches its description.",
        text: &FERRY,
        ..site_with_pages(|request| {
            answering(request, |_| json_reply("application/json", &json!({ "status": "ok" })))
        })
    },
    LabSite {
        name: "api-linked.lab",
        behaviour: "api_linked",
        does: "Links to a description in YAML (OpenAPI 3.0) in a header of its home page.",
        says: "The linked description is found, and the API answers as it says.",
        text: &MUSEUM,
        ..site_with_pages(|request| match request.path {
            "/" => {
                content::home(request).with_header("link", "</docs/api.yaml>; rel=\"service-desc\"")
            }
            "/docs/api.yaml" => Reply::new(200, "application/yaml", YAML),
            path => api_reply(path).unwrap_or_else(|| plain_site(request)),
        })
    },
    LabSite {
        name: "api-swagger.lab",
        behaviour: "api_swagger",
        does: "Describes its API as Swagger 2.0 at /swagger.json.",
        says: "The old description is read, and the API answers as it says.",
        text: &CYCLES,
        ..site_with_pages(|request| match request.path {
            "/swagger.json" => json_reply("application/json", &swagger(request.site_name)),
            path => api_reply(path).unwrap_or_else(|| plain_site(request)),
        })
    },
    LabSite {
        name: "api-hostile.lab",
        behaviour: "api_hostile",
        does: "Describes ten thousand operations, and ones with remote and circular references, other \
               hosts, templates, effects and missing examples.",
        says: "None of these operations may be called.",
        text: &GARDEN,
        ..site_with_pages(|request| match request.path {
            "/openapi.json" => json_reply("application/json", &hostile(request.site_name)),
            "/openapi.yaml" => Reply::new(200, "application/yaml", yaml_bomb()),
            path => api_reply(path).unwrap_or_else(|| plain_site(request)),
        })
    },
    LabSite {
        name: "api-locked.lab",
        behaviour: "api_locked",
        does: "Describes public operations and answers each with 401.",
        says: "The operations need credentials, which the description denies.",
        text: &FERRY,
        ..site_with_pages(|request| {
            answering(request, |_| {
                Reply::new(401, "application/json", "{\"error\":\"key missing\"}")
            })
        })
    },
    LabSite {
        name: "api-broken.lab",
        behaviour: "api_broken",
        does: "Describes public operations and answers each with a fault of the server.",
        says: "A fault of the server says nothing about the description.",
        text: &FERRY,
        ..site_with_pages(|request| {
            answering(request, |_| Reply::new(500, "application/json", "{\"error\":\"fault\"}"))
        })
    },
    LabSite {
        name: "api-busy.lab",
        behaviour: "api_busy",
        does: "Describes public operations and answers each with 429.",
        says: "A busy server says nothing about the description.",
        text: &FERRY,
        ..site_with_pages(|request| {
            answering(request, |_| Reply::new(429, "application/json", "{}"))
        })
    },
    LabSite {
        name: "api-error-page.lab",
        behaviour: "api_error_page",
        does: "Describes public operations and answers each with an error page and status 200.",
        says: "The operations return a web page instead of the data that the description promises.",
        text: &FERRY,
        ..site_with_pages(|request| {
            answering(request, |_| {
                Reply::html(
                    200,
                    "<!doctype html>\n<title>Oops</title><h1>Something went wrong</h1>\n",
                )
            })
        })
    },
    LabSite {
        name: "api-moved.lab",
        behaviour: "api_moved",
        does: "Describes public operations and redirects each to another host.",
        says: "A call does not follow redirects, so nothing is known about the operations.",
        text: &FERRY,
        ..site_with_pages(|request| {
            answering(request, |path| Reply::redirect(302, format!("https://api-honest.lab{path}")))
        })
    },
    LabSite {
        name: "api-slow.lab",
        behaviour: "api_slow",
        does: "Describes public operations and answers each after half a minute.",
        says: "An operation that does not answer in time says nothing about the description.",
        text: &FERRY,
        ..site_with_pages(|request| {
            answering(request, |_| Reply::new(200, "application/json", "[]").delayed_by(30_000))
        })
    },
    LabSite {
        name: "api-robots.lab",
        behaviour: "api_robots",
        does: "Describes public operations below /api/, which its robots.txt disallows for crawlers.",
        says: "robots.txt keeps crawlers away from the API, so it is not called.",
        // Crawlers may read the home page and nothing below /api/.
        expect: ExpectedRecord { robots: None, ..SERVED },
        text: &CLINIC,
        ..site_with_pages(|request| match request.path {
            "/openapi.json" => json_reply("application/json", &described(request.site_name)),
            path => api_reply(path)
                .unwrap_or_else(|| with_robots(request, "User-agent: *\nDisallow: /api/\n")),
        })
    },
];

/// The description of the honest API, with this answer to every call of it.
fn answering(request: &SiteRequest<'_>, answer: fn(&str) -> Reply) -> Reply {
    match request.path {
        "/openapi.json" => json_reply("application/json", &described(request.site_name)),
        path if is_api(path) => answer(path),
        _ => plain_site(request),
    }
}

/// Whether a path belongs to the API. One below it is where descriptions are looked for.
fn is_api(path: &str) -> bool {
    path.starts_with("/api/") && path != "/api/openapi.json"
}

/// What the API answers, also to calls that nobody should make.
fn api_reply(path: &str) -> Option<Reply> {
    let reply = match path {
        "/api/hours" => json!([{ "day": "monday", "opens": "09:00", "closes": "17:00" }]),
        "/api/piers/quay-2" => json!({ "id": "quay-2", "name": "Second quay", "berths": 4 }),
        "/api/prices" => json!({ "adult": 4.5, "child": null, "currency": "EUR" }),
        path if is_api(path) => json!({ "done": true }),
        _ => return None,
    };
    Some(json_reply("application/json", &reply))
}

fn json_response(schema: Value) -> Value {
    json!({ "200": { "description": "As it is.", "content": { "application/json": { "schema": schema } } } })
}

/// The description of the honest API, and of what nobody may call.
fn described(host: &str) -> Value {
    let anything = json_response(json!({ "type": "object" }));
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Crossings", "version": "1.4.0" },
        "servers": [{ "url": format!("https://{host}") }],
        "paths": {
            "/api/hours": { "get": {
                "operationId": "getHours", "summary": "Say when the office is open",
                "responses": json_response(json!({ "type": "array", "items": { "$ref": "#/components/schemas/Day" } }))
            } },
            "/api/piers/{id}": { "get": {
                "operationId": "getPier", "summary": "Describe one pier",
                "parameters": [{ "name": "id", "in": "path", "required": true, "example": "quay-2",
                                 "schema": { "type": "string" } }],
                "responses": json_response(json!({ "type": "object", "required": ["id", "berths"],
                    "properties": { "id": { "type": "string" }, "berths": { "type": "integer" } } }))
            } },
            "/api/prices": { "get": {
                "operationId": "getPrices", "summary": "List the prices", "security": [],
                "responses": json_response(json!({ "type": "object", "required": ["adult", "currency"],
                    "properties": { "adult": { "type": "number" }, "child": { "type": ["number", "null"] },
                                    "currency": { "enum": ["EUR"] } } }))
            } },
            "/api/tickets": { "post": {
                "operationId": "addTicket", "summary": "Buy a ticket", "responses": anything
            } },
            "/api/tickets/clean": { "get": {
                "operationId": "deleteOldTickets", "summary": "Delete all old tickets", "responses": anything
            } },
            "/api/letter": { "get": {
                "operationId": "letter", "summary": "Unsubscribe from the letter", "responses": anything
            } },
            "/api/account": { "get": {
                "operationId": "getAccount", "summary": "Show the account",
                "security": [{ "key": [] }], "responses": anything
            } },
            "/api/search": { "get": {
                "operationId": "search", "summary": "Search", "responses": anything,
                "parameters": [{ "name": "q", "in": "query", "required": true, "schema": { "type": "string" } }]
            } }
        },
        "components": {
            "schemas": { "Day": { "type": "object", "required": ["day", "opens"],
                "properties": { "day": { "type": "string" }, "opens": { "type": "string" } } } },
            "securitySchemes": { "key": { "type": "apiKey", "in": "header", "name": "X-Key" } }
        }
    })
}

const YAML: &str = "openapi: 3.0.3
info: {title: Museum, version: '1'}
servers: [{url: /}]
paths:
  /api/hours:
    get:
      operationId: getHours
      summary: Say when the house is open
      responses:
        '200':
          description: Opening times.
          content:
            application/json:
              schema:
                type: array
                items: &day
                  type: object
                  required: [day, opens]
                  properties:
                    day: {type: string}
                    opens: {type: string}
                    note: {type: string, nullable: true}
";

fn swagger(host: &str) -> Value {
    json!({
        "swagger": "2.0",
        "info": { "title": "Cycles", "version": "1" },
        "host": host, "basePath": "/api", "schemes": ["https"], "produces": ["application/json"],
        "paths": { "/prices": { "get": {
            "operationId": "getPrices", "summary": "List the prices",
            "responses": { "200": { "description": "Prices.", "schema": { "$ref": "#/definitions/Prices" } } }
        } } },
        "definitions": { "Prices": { "type": "object", "required": ["adult"],
            "properties": { "adult": { "type": "number" } } } }
    })
}

/// Nothing here may be called.
fn hostile(host: &str) -> Value {
    let mut paths = Map::new();
    let get = |operation: Value| json!({ "get": operation });
    let answers = json_response(json!({ "type": "object" }));
    let schema = |reference: &str| json_response(json!({ "$ref": reference }));
    for (path, operation) in [
        (
            "/api/remote",
            json!({ "responses": schema("https://api-honest.lab/openapi.json#/components") }),
        ),
        ("/api/circle", json!({ "responses": schema("#/components/schemas/Circle") })),
        ("/api/remove-all", json!({ "responses": answers })),
        (
            "/api/elsewhere",
            json!({ "responses": answers, "servers": [{ "url": "https://api-honest.lab" }] }),
        ),
        (
            "/api/below",
            json!({ "responses": answers, "servers": [{ "url": format!("https://www2.{host}") }] }),
        ),
        (
            "/api/plain",
            json!({ "responses": answers, "servers": [{ "url": format!("http://{host}") }] }),
        ),
        (
            "/api/port",
            json!({ "responses": answers, "servers": [{ "url": format!("https://{host}:8443") }] }),
        ),
        (
            "/api/template",
            json!({ "responses": answers, "servers": [{ "url": "https://{tenant}/",
            "variables": { "tenant": { "default": host } } }] }),
        ),
        (
            "/api/find",
            json!({ "responses": answers,
            "parameters": [{ "name": "q", "in": "query", "required": true, "schema": { "type": "string" } }] }),
        ),
        (
            "/api/do",
            json!({ "responses": answers,
            "parameters": [{ "name": "action", "in": "query", "required": true, "example": "delete" }] }),
        ),
        ("/api/body", json!({ "responses": answers, "requestBody": { "content": {} } })),
        ("/api/../admin/all", json!({ "responses": answers })),
    ] {
        paths.insert(path.to_owned(), get(operation));
    }
    for number in 0..10_000 {
        paths.insert(format!("/api/t{number}"), json!({ "put": { "responses": {} } }));
    }
    json!({
        "openapi": "3.1.0", "info": { "title": "Many", "version": "1" }, "paths": paths,
        "components": { "schemas": { "Circle": { "type": "object",
            "properties": { "next": { "$ref": "#/components/schemas/Circle" } } } } }
    })
}

fn yaml_bomb() -> String {
    let mut text = String::from(
        "openapi: 3.1.0\ninfo: {title: Bomb, version: '1'}\nx0: &x0 [a, a, a, a, a, a, a, a, a]\n",
    );
    for level in 1..12 {
        let copies = vec![format!("*x{}", level - 1); 9].join(", ");
        text.push_str(&format!("x{level}: &x{level} [{copies}]\n"));
    }
    text.push_str("paths: {/api/bomb: {get: {responses: {'200': {description: Boom}}}}}\n");
    text
}
