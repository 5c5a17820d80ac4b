//! The machine files of a site: valid, in the format of earlier drafts, and with wrong types.

use aws_lc_rs::digest;
use data_encoding::HEXLOWER;
use serde_json::{Value, json};

use crate::http::reply::{Reply, SiteRequest};

/// The eight paths that a scan tests.
pub(crate) const MACHINE_FILE_PATHS: [&str; 8] = [
    "/robots.txt",
    "/sitemap.xml",
    "/llms.txt",
    "/agents.md",
    "/.well-known/agent-skills/index.json",
    "/.well-known/mcp/server-card.json",
    "/.well-known/api-catalog",
    "/.well-known/agent-card.json",
];

/// The valid file at this path, or a file that it links to; `None` for any other path.
pub(crate) fn valid_file(request: &SiteRequest<'_>) -> Option<Reply> {
    let host = request.site_name;
    let text = request.text;
    Some(match request.path {
        "/robots.txt" => Reply::text(
            200,
            format!("User-agent: *\nAllow: /\n\nSitemap: https://{host}/sitemap.xml\n"),
        ),
        "/sitemap.xml" => Reply::new(200, "application/xml", sitemap(host)),
        "/llms.txt" => Reply::text(200, llms(request)),
        "/agents.md" => Reply::new(200, "text/markdown; charset=utf-8", agents(request)),
        "/.well-known/agent-skills/index.json" => {
            json_reply("application/json", &skills_index(&skill_digest(request)))
        }
        SKILL_PATH => Reply::new(200, "text/markdown; charset=utf-8", skill(request)),
        "/.well-known/mcp/server-card.json" => {
            json_reply("application/mcp-server-card+json", &server_card(request))
                .with_header("access-control-allow-origin", "*")
        }
        "/.well-known/api-catalog" => json_reply(
            "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"",
            &api_catalog(host),
        )
        .with_header("link", format!("<https://{host}/api/times>; rel=\"item\"")),
        "/.well-known/agent-card.json" => json_reply("application/json", &agent_card(request)),
        "/.well-known/security.txt" => Reply::text(
            200,
            format!(
                "Contact: mailto:security@{host}\nExpires: 2097-01-01T00:00:00Z\n\
                 Preferred-Languages: en\nCanonical: https://{host}/.well-known/security.txt\n"
            ),
        ),
        "/api/openapi.json" => {
            json_reply("application/vnd.oai.openapi+json", &open_api(host, text.title))
        }
        "/api/times" => json_reply("application/json", &json!({ "hours": text.hours })),
        _ => return None,
    })
}

/// The file in the format of an earlier draft that is still in use.
pub(crate) fn old_draft_file(request: &SiteRequest<'_>) -> Option<Reply> {
    let host = request.site_name;
    let title = request.text.title;
    let value = match request.path {
        "/.well-known/agent-skills/index.json" => json!({
            "skills": [{ "name": "opening-times", "description": "Answers when we are open.",
                         "files": ["SKILL.md"] }]
        }),
        "/.well-known/mcp/server-card.json" => json!({
            "serverInfo": { "name": title, "version": "1.0.0" },
            "protocolVersion": "2025-06-18",
            "transport": { "type": "streamable-http", "endpoint": "/mcp" },
            "capabilities": { "tools": {} }
        }),
        "/.well-known/agent-card.json" => json!({
            "protocolVersion": "0.3.0", "name": title, "description": request.text.summary,
            "url": format!("https://{host}/a2a"), "version": "0.9.0", "capabilities": {},
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "skills": [{ "id": "times", "name": "Opening times",
                         "description": "When we are open.", "tags": ["hours"] }]
        }),
        _ => return None,
    };
    Some(json_reply("application/json", &value))
}

/// A well-formed file whose values all have the wrong type.
pub(crate) fn wrong_type_file(request: &SiteRequest<'_>) -> Option<Reply> {
    let value = match request.path {
        "/.well-known/agent-skills/index.json" => json!({
            "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
            "skills": { "name": 7, "digest": null }
        }),
        "/.well-known/mcp/server-card.json" => json!([{ "name": true, "version": [1, 0] }]),
        "/.well-known/api-catalog" => {
            json!({ "linkset": [{ "anchor": ["/"], "item": "https://example.lab/api" }] })
        }
        "/.well-known/agent-card.json" => {
            json!({ "name": { "en": "card" }, "supportedInterfaces": "none", "skills": 0 })
        }
        "/llms.txt" => return Some(Reply::text(200, "A summary without any heading or link.\n")),
        "/agents.md" => return Some(Reply::new(200, "application/octet-stream", vec![0, 1, 2, 3])),
        "/sitemap.xml" => {
            return Some(Reply::new(200, "application/xml", "<rss><channel/></rss>\n"));
        }
        _ => return None,
    };
    Some(json_reply("application/json", &value))
}

const SKILL_PATH: &str = "/.well-known/agent-skills/opening-times/SKILL.md";

pub(crate) fn skill(request: &SiteRequest<'_>) -> String {
    let title = request.text.title;
    format!(
        "---\nname: opening-times\ndescription: Answers when {title} is open.\n---\n\n\
         # Opening times\n\nRead `/api/times` and give the hours as they stand there. Times are \
         local.\n"
    )
}

fn skill_digest(request: &SiteRequest<'_>) -> String {
    let digest = digest::digest(&digest::SHA256, skill(request).as_bytes());
    format!("sha256:{}", HEXLOWER.encode(digest.as_ref()))
}

pub(crate) fn json_reply(content_type: &str, value: &Value) -> Reply {
    Reply::new(200, content_type, value.to_string())
}

fn sitemap(host: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
         <url><loc>https://{host}/</loc><lastmod>2026-10-02</lastmod></url>\n\
         <url><loc>https://{host}/visit</loc></url>\n</urlset>\n"
    )
}

fn llms(request: &SiteRequest<'_>) -> String {
    let (host, text) = (request.site_name, request.text);
    format!(
        "# {}\n\n> {}\n\nPrices and times are those of the home page.\n\n## Pages\n\n\
         - [Home](https://{host}/): what we do, prices, address\n\
         - [Visit](https://{host}/visit): how to find us\n\n## Optional\n\n\
         - [Opening times](https://{host}/api/times): as JSON\n",
        text.title, text.summary
    )
}

fn agents(request: &SiteRequest<'_>) -> String {
    let (host, text) = (request.site_name, request.text);
    format!(
        "# {} for agents\n\nAnyone may read these pages and quote them with a link. Opening times \
         are at https://{host}/api/times. Orders are taken by telephone only: {}.\n",
        text.title, text.phone.1
    )
}

fn skills_index(digest: &str) -> Value {
    json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [{
            "name": "opening-times", "type": "skill-md",
            "description": "Answers when we are open.",
            "url": SKILL_PATH, "digest": digest
        }]
    })
}

fn server_card(request: &SiteRequest<'_>) -> Value {
    let host = request.site_name;
    json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
        "name": format!("lab.{}/times", host.trim_end_matches(".lab")),
        "version": "1.2.0",
        "description": "Opening times and prices.",
        "title": request.text.title,
        "websiteUrl": format!("https://{host}/"),
        "remotes": [{ "type": "streamable-http", "url": format!("https://{host}/mcp"),
                      "supportedProtocolVersions": ["2026-07-28"] }]
    })
}

fn api_catalog(host: &str) -> Value {
    json!({ "linkset": [{
        "anchor": format!("https://{host}/api/times"),
        "service-desc": [{ "href": format!("https://{host}/api/openapi.json"),
                           "type": "application/vnd.oai.openapi+json" }],
        "item": [{ "href": format!("https://{host}/api/times") }]
    }] })
}

pub(crate) fn agent_card(request: &SiteRequest<'_>) -> Value {
    let (host, text) = (request.site_name, request.text);
    json!({
        "name": text.title,
        "description": text.summary,
        "supportedInterfaces": [{ "url": format!("https://{host}/a2a"),
                                  "protocolBinding": "JSONRPC", "protocolVersion": "1.0" }],
        "version": "1.0.0",
        "capabilities": { "streaming": false },
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "times", "name": "Opening times",
                     "description": "Says when we are open.", "tags": ["hours"] }],
        "provider": { "organization": text.title, "url": format!("https://{host}/") }
    })
}

fn open_api(host: &str, title: &str) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": { "title": title, "version": "1.0.0" },
        "servers": [{ "url": format!("https://{host}") }],
        "paths": { "/api/times": { "get": {
            "operationId": "getTimes", "security": [],
            "responses": { "200": { "description": "Opening times." } }
        } } }
    })
}
