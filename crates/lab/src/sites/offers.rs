//! What sites offer to agents beside their pages: shops, interfaces, catalogues, sitemaps, a copy in
//! Markdown. Some offers are faultless, some have one fault.

use aws_lc_rs::{
    digest,
    signature::{Ed25519KeyPair, KeyPair},
};
use data_encoding::BASE64URL_NOPAD;
use serde_json::{Value, json};

use super::{SERVED, access::toll, pages, plain, with_robots};
use crate::{
    content::{
        self, BAKERY, BOOKSHOP, CLINIC, CYCLES, FERRY, GARDEN, MUSEUM, json_reply, packed::gzip,
    },
    http::{Ask, Reply},
    site::{Expect, Site},
};

/// Everybody is served, and so many of the interface's eight files are there.
const fn with_files(number: u32) -> Expect {
    Expect { machine_files_present: Some(number), ..SERVED }
}

pub(super) const SITES: &[Site] = &[
    Site {
        name: "commerce.lab",
        behaviour: "commerce",
        does: "Sells to agents: a UCP profile, an ACP document and a list of what asks for payment.",
        says: "The shop can be found by agents in three ways, and each of the files is valid.",
        text: &CYCLES,
        ..pages(commerce)
    },
    Site {
        name: "api.lab",
        behaviour: "api",
        does: "Offers an API: an OpenAPI description, an API catalogue, metadata for logging in, \
               and links to them in the header of its page.",
        says: "The API is described, catalogued and linked, and says how to log in; all of it is \
               valid.",
        expect: with_files(2),
        text: &FERRY,
        ..pages(api)
    },
    Site {
        name: "catalogues.lab",
        behaviour: "catalogues",
        does: "Lists a server and an agent in an AI catalogue and an ARD catalogue, and has a \
               directory of the keys it signs requests with.",
        says: "Both catalogues and the directory of keys are valid, and what they lead to is there.",
        expect: with_files(3),
        text: &MUSEUM,
        ..pages(catalogues)
    },
    Site {
        name: "security-expired.lab",
        behaviour: "security_expired",
        does: "Has a security.txt that expired years ago.",
        says: "security.txt is there and has expired, so nobody may rely on it.",
        text: &CLINIC,
        ..pages(|ask| match ask.path {
            "/.well-known/security.txt" => Reply::text(
                200,
                format!(
                    "Contact: mailto:security@{host}\nExpires: 2024-03-31T12:00:00Z\n\
                     Canonical: https://{host}/.well-known/security.txt\n",
                    host = ask.site.name
                ),
            ),
            _ => plain(ask),
        })
    },
    Site {
        name: "sitemap-index.lab",
        behaviour: "sitemap_index",
        does: "Names a sitemap index and the packed sitemap below it in robots.txt, and has \
               nothing at sitemap.xml.",
        says: "There are two sitemaps, an index and a packed one, where robots.txt says; both are \
               valid.",
        text: &BOOKSHOP,
        ..pages(sitemap_index)
    },
    Site {
        name: "sitemap-broken.lab",
        behaviour: "sitemap_broken",
        does: "Lists a page of another host and a day in the wrong notation in its sitemap.",
        says: "The sitemap can be read, but one address and one day in it count for nothing.",
        expect: with_files(2),
        text: &GARDEN,
        ..pages(|ask| match ask.path {
            "/sitemap.xml" => {
                let host = ask.site.name;
                let entries = format!(
                    "<url><loc>https://{host}/</loc><lastmod>31/12/2025</lastmod></url>\n\
                     <url><loc>https://open.lab/visit</loc><lastmod>2026-10-02</lastmod></url>\n"
                );
                Reply::new(200, "application/xml", sitemap("urlset", &entries))
            }
            _ => plain(ask),
        })
    },
    Site {
        name: "markdown-no-vary.lab",
        behaviour: "markdown_no_vary",
        does: "Gives its home page as Markdown to whoever asks for that, without telling caches \
               that the answer depends on it.",
        says: "The page can be had as Markdown, but a cache may hand it to browsers.",
        text: &BAKERY,
        ..pages(|ask| match ask.path {
            "/" if ask.accept.contains("text/markdown") => {
                let text = ask.site.text;
                let (title, summary) = (text.title, text.summary);
                let body =
                    format!("# {title}\n\n*{summary}*\n\n{}\n", text.paragraphs.join("\n\n"));
                Reply::new(200, "text/markdown; charset=utf-8", body)
            }
            _ => plain(ask),
        })
    },
];

fn commerce(ask: &Ask<'_>) -> Reply {
    let host = ask.site.name;
    let paid = format!("https://{host}/api/fitting");
    match ask.path {
        "/.well-known/ucp" => {
            let profile = json!({ "ucp": {
                "version": "2026-04-08",
                "services": { "dev.ucp.shopping": [{
                    "version": "2026-04-08",
                    "transport": "rest",
                    "endpoint": format!("https://{host}/ucp/v1")
                }] },
                "capabilities": {
                    "dev.ucp.shopping.checkout": [{ "version": "2026-04-08" }],
                    "dev.ucp.shopping.order": [{ "version": "2026-04-08" }]
                },
                "payment_handlers": {
                    "lab.commerce.invoice": [{ "id": "invoice", "version": "2026-04-08" }]
                }
            } });
            json_reply("application/json", &profile).with("cache-control", "public, max-age=3600")
        }
        "/.well-known/acp.json" => json_reply(
            "application/json",
            &json!({
                "protocol": { "name": "acp", "version": "2026-04-17",
                              "supported_versions": ["2026-04-17"] },
                "api_base_url": format!("https://{host}/acp"),
                "transports": ["rest"],
                "capabilities": { "services": ["checkout", "orders"] }
            }),
        ),
        "/.well-known/x402" => {
            json_reply("application/json", &json!({ "version": 1, "resources": [paid] }))
        }
        "/api/fitting" => toll(&paid),
        _ => plain(ask),
    }
}

fn api(ask: &Ask<'_>) -> Reply {
    let host = ask.site.name;
    let at = |path: &str| format!("https://{host}{path}");
    let text = ask.site.text;
    match ask.path {
        "/" => content::home(ask).with(
            "link",
            "</openapi.json>; rel=\"service-desc\"; type=\"application/json\", </api/guide>; \
             rel=\"service-doc\"; type=\"text/html\", </.well-known/api-catalog>; \
             rel=\"api-catalog\"",
        ),
        "/openapi.json" => json_reply(
            "application/json",
            &json!({
                "openapi": "3.1.0",
                "info": { "title": format!("{}: crossings", text.title), "version": "1.4.0" },
                "servers": [{ "url": at("") }],
                "paths": {
                    "/api/hours": { "get": {
                        "operationId": "getHours", "summary": "Say when the office is open",
                        "security": [],
                        "responses": { "200": { "description": "The opening times." } }
                    } },
                    "/api/bookings": { "post": {
                        "operationId": "bookGroup", "summary": "Book a crossing for a group",
                        "security": [{ "login": ["book"] }],
                        "responses": { "201": { "description": "Booked." },
                                       "401": { "description": "Log in first." } }
                    } }
                },
                "components": { "securitySchemes": { "login": {
                    "type": "oauth2",
                    "flows": { "authorizationCode": {
                        "authorizationUrl": at("/login"), "tokenUrl": at("/token"),
                        "scopes": { "book": "Book crossings" }
                    } }
                } } }
            }),
        ),
        "/.well-known/api-catalog" => json_reply(
            "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"",
            &json!({ "linkset": [{
                "anchor": at("/api/hours"),
                "service-desc": [{ "href": at("/openapi.json"), "type": "application/json" }],
                "service-doc": [{ "href": at("/api/guide"), "type": "text/html" }]
            }] }),
        ),
        "/.well-known/oauth-protected-resource" => json_reply(
            "application/json",
            &json!({
                "resource": at(""),
                "authorization_servers": [at("")],
                "scopes_supported": ["book"],
                "bearer_methods_supported": ["header"],
                "resource_name": text.title,
                "resource_documentation": at("/api/guide")
            }),
        ),
        "/.well-known/oauth-authorization-server" => json_reply(
            "application/json",
            &json!({
                "issuer": at(""),
                "authorization_endpoint": at("/login"),
                "token_endpoint": at("/token"),
                "response_types_supported": ["code"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "code_challenge_methods_supported": ["S256"],
                "scopes_supported": ["book"],
                "service_documentation": at("/api/guide")
            }),
        ),
        "/api/hours" => json_reply("application/json", &json!({ "hours": text.hours })),
        "/api/bookings" => Reply::text(401, "Log in first.\n").with(
            "www-authenticate",
            format!("Bearer resource_metadata=\"{}\"", at("/.well-known/oauth-protected-resource")),
        ),
        "/api/guide" => Reply::html(
            200,
            "<!doctype html>\n<html lang=\"en\"><head><title>Our API</title></head><body>\
             <h1>Our API</h1><p>Ask for the hours freely; log in to book for a group.</p>\
             </body></html>\n",
        ),
        _ => plain(ask),
    }
}

fn catalogues(ask: &Ask<'_>) -> Reply {
    match ask.path {
        "/.well-known/ai-catalog.json" => {
            json_reply("application/ai-catalog+json", &catalogue(ask, &[]))
        }
        "/.well-known/ard.json" => {
            let queries = ["when is the museum open", "what does a ticket cost"];
            json_reply("application/json", &catalogue(ask, &queries))
        }
        "/.well-known/http-message-signatures-directory" => json_reply(
            "application/http-message-signatures-directory+json",
            &json!({ "keys": [signing_key()] }),
        )
        .with("cache-control", "max-age=86400"),
        "/.well-known/mcp/server-card.json" | "/.well-known/agent-card.json" => {
            content::valid(ask).unwrap_or_else(|| plain(ask))
        }
        _ => plain(ask),
    }
}

/// Both catalogues have one shape; ARD adds the questions that an entry answers.
fn catalogue(ask: &Ask<'_>, queries: &[&str]) -> Value {
    let (host, title) = (ask.site.name, ask.site.text.title);
    let entry = |name: &str, shown: &str, kind: &str, path: &str| {
        let mut entry = json!({
            "identifier": format!("urn:air:{host}:{name}"),
            "displayName": format!("{title}: {shown}"),
            "type": kind,
            "url": format!("https://{host}{path}")
        });
        if let Some(members) = entry.as_object_mut().filter(|_| !queries.is_empty()) {
            members.insert("representativeQueries".to_owned(), json!(queries));
        }
        entry
    };
    json!({
        "specVersion": "1.0",
        "host": { "displayName": title, "documentationUrl": format!("https://{host}/visit") },
        "entries": [
            entry(
                "times",
                "opening times",
                "application/mcp-server-card+json",
                "/.well-known/mcp/server-card.json"
            ),
            entry(
                "guide",
                "guide",
                "application/a2a-agent-card+json",
                "/.well-known/agent-card.json"
            ),
        ]
    })
}

/// A real public key, named by its thumbprint (RFC 7638). Nobody signs with it.
fn signing_key() -> Value {
    let pair = Ed25519KeyPair::from_seed_unchecked(b"the key of a site on loopback 32").ok();
    let public = pair.map(|pair| BASE64URL_NOPAD.encode(pair.public_key().as_ref()));
    let public = public.unwrap_or_default();
    let canonical = format!("{{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"{public}\"}}");
    let thumbprint = digest::digest(&digest::SHA256, canonical.as_bytes());
    json!({
        "kty": "OKP", "crv": "Ed25519", "x": public, "use": "sig",
        "kid": BASE64URL_NOPAD.encode(thumbprint.as_ref())
    })
}

fn sitemap_index(ask: &Ask<'_>) -> Reply {
    let host = ask.site.name;
    match ask.path {
        "/sitemap_index.xml" => {
            let entries = format!(
                "<sitemap><loc>https://{host}/pages.xml.gz</loc>\
                 <lastmod>2026-10-02T08:15:00Z</lastmod></sitemap>\n"
            );
            Reply::new(200, "application/xml", sitemap("sitemapindex", &entries))
        }
        "/pages.xml.gz" => {
            let entries = format!(
                "<url><loc>https://{host}/</loc><lastmod>2026-10-02</lastmod></url>\n\
                 <url><loc>https://{host}/visit</loc></url>\n"
            );
            Reply::new(200, "application/gzip", gzip(sitemap("urlset", &entries).as_bytes()))
        }
        _ => with_robots(
            ask,
            &format!(
                "User-agent: *\nAllow: /\n\nSitemap: https://{host}/sitemap_index.xml\n\
                 Sitemap: https://{host}/pages.xml.gz\n"
            ),
        ),
    }
}

fn sitemap(root: &str, entries: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <{root} xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{entries}</{root}>\n"
    )
}
