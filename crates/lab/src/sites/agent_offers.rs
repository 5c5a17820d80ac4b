//! What sites offer to agents besides their pages: shops, APIs, catalogues, sitemaps, a Markdown
//! copy. Some offers are correct, some have one fault.

use aws_lc_rs::{
    digest,
    signature::{Ed25519KeyPair, KeyPair},
};
use data_encoding::BASE64URL_NOPAD;
use serde_json::{Value, json};

use super::{
    access::x402_payment_request,
    base::{SERVED, plain_site, site_with_pages, with_robots},
};
use crate::{
    content::{
        self, BAKERY, BOOKSHOP, CLINIC, CYCLES, FERRY, GARDEN, MUSEUM, compressed::gzip, json_reply,
    },
    http::reply::{Reply, SiteRequest},
    site::{ExpectedRecord, LabSite},
};

/// Every identity gets the page, and this many of the eight machine files exist.
const fn with_files(number: u32) -> ExpectedRecord {
    ExpectedRecord { machine_files_present: Some(number), ..SERVED }
}

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "commerce.lab",
        behaviour: "commerce",
        does: "Sells to agents: it has a UCP profile, an ACP document and a list of paid resources \
               (x402).",
        says: "Agents can find the shop in three ways, and each file is valid.",
        text: &CYCLES,
        ..site_with_pages(commerce)
    },
    LabSite {
        name: "api.lab",
        behaviour: "api",
        does: "Offers an API: it has an OpenAPI description, an API catalogue, OAuth metadata, and \
               links to them in a header of its page.",
        says: "The API is described, catalogued and linked, and its login is declared. All files \
               are valid.",
        expect: with_files(2),
        text: &FERRY,
        ..site_with_pages(api)
    },
    LabSite {
        name: "catalogues.lab",
        behaviour: "catalogues",
        does: "Lists a server and an agent in an AI catalogue and an ARD catalogue, and has a \
               directory of its request signing keys.",
        says: "Both catalogues and the key directory are valid, and the resources they list exist.",
        expect: with_files(3),
        text: &MUSEUM,
        ..site_with_pages(catalogues)
    },
    LabSite {
        name: "signed-card.lab",
        behaviour: "signed_card",
        does: "Serves all machine files. Its agent card is signed with a key of its key set, and its \
               skills index gives the digest of the skill.",
        says: "The signature of the agent card and the digest of the skill are verified.",
        expect: ExpectedRecord {
            no_finding: &["errors", "invalid"],
            files: &[(AGENT_CARD, "ok"), ("/.well-known/agent-skills/index.json", "ok")],
            ..with_files(8)
        },
        text: &FERRY,
        ..site_with_pages(|request| signed_card(request, false))
    },
    LabSite {
        name: "changed-card.lab",
        behaviour: "changed_card",
        does: "Serves an agent card that was changed after it was signed.",
        says: "The signature of the agent card does not match the card.",
        expect: ExpectedRecord {
            finding: &["errors"],
            files: &[(AGENT_CARD, "faulty")],
            ..with_files(8)
        },
        text: &MUSEUM,
        ..site_with_pages(|request| signed_card(request, true))
    },
    LabSite {
        name: "security-expired.lab",
        behaviour: "security_expired",
        does: "Has a security.txt that expired years ago.",
        says: "security.txt exists but has expired, so it cannot be relied on.",
        text: &CLINIC,
        ..site_with_pages(|request| match request.path {
            "/.well-known/security.txt" => Reply::text(
                200,
                format!(
                    "Contact: mailto:security@{host}\nExpires: 2024-03-31T12:00:00Z\n\
                     Canonical: https://{host}/.well-known/security.txt\n",
                    host = request.site_name
                ),
            ),
            _ => plain_site(request),
        })
    },
    LabSite {
        name: "sitemap-index.lab",
        behaviour: "sitemap_index",
        does: "Lists a sitemap index and its compressed sitemap in robots.txt, and has no \
               /sitemap.xml.",
        says: "robots.txt lists two sitemaps, an index and a compressed one. Both are valid.",
        text: &BOOKSHOP,
        ..site_with_pages(sitemap_index)
    },
    LabSite {
        name: "sitemap-broken.lab",
        behaviour: "sitemap_broken",
        does: "Lists a page of another host and an invalid date in its sitemap.",
        says: "The sitemap can be parsed, but one URL and one date in it are invalid and do not \
               count.",
        expect: with_files(2),
        text: &GARDEN,
        ..site_with_pages(|request| match request.path {
            "/sitemap.xml" => {
                let host = request.site_name;
                let entries = format!(
                    "<url><loc>https://{host}/</loc><lastmod>31/12/2025</lastmod></url>\n\
                     <url><loc>https://open.lab/visit</loc><lastmod>2026-10-02</lastmod></url>\n"
                );
                Reply::new(200, "application/xml", sitemap("urlset", &entries))
            }
            _ => plain_site(request),
        })
    },
    LabSite {
        name: "markdown-no-vary.lab",
        behaviour: "markdown_no_vary",
        does: "Serves its home page as Markdown to clients that ask for it, without a Vary header.",
        says: "The page is available as Markdown, but a cache may serve it to browsers because the \
               Vary header is missing.",
        text: &BAKERY,
        ..site_with_pages(|request| match request.path {
            "/" if request.accept.contains("text/markdown") => {
                let text = request.text;
                let (title, summary) = (text.title, text.summary);
                let body =
                    format!("# {title}\n\n*{summary}*\n\n{}\n", text.paragraphs.join("\n\n"));
                Reply::new(200, "text/markdown; charset=utf-8", body)
            }
            _ => plain_site(request),
        })
    },
];

fn commerce(request: &SiteRequest<'_>) -> Reply {
    let host = request.site_name;
    let paid = format!("https://{host}/api/fitting");
    match request.path {
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
            json_reply("application/json", &profile)
                .with_header("cache-control", "public, max-age=3600")
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
        "/api/fitting" => x402_payment_request(&paid),
        _ => plain_site(request),
    }
}

fn api(request: &SiteRequest<'_>) -> Reply {
    let host = request.site_name;
    let at = |path: &str| format!("https://{host}{path}");
    let text = request.text;
    match request.path {
        "/" => content::home(request).with_header(
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
        "/api/bookings" => Reply::text(401, "Log in first.\n").with_header(
            "www-authenticate",
            format!("Bearer resource_metadata=\"{}\"", at("/.well-known/oauth-protected-resource")),
        ),
        "/api/guide" => Reply::html(
            200,
            "<!doctype html>\n<html lang=\"en\"><head><title>Our API</title></head><body>\
             <h1>Our API</h1><p>Ask for the hours freely; log in to book for a group.</p>\
             </body></html>\n",
        ),
        _ => plain_site(request),
    }
}

fn catalogues(request: &SiteRequest<'_>) -> Reply {
    match request.path {
        "/.well-known/ai-catalog.json" => {
            json_reply("application/ai-catalog+json", &catalogue(request, &[]))
        }
        "/.well-known/ard.json" => {
            let queries = ["when is the museum open", "what does a ticket cost"];
            json_reply("application/json", &catalogue(request, &queries))
        }
        "/.well-known/http-message-signatures-directory" => json_reply(
            "application/http-message-signatures-directory+json",
            &json!({ "keys": [signing_key()] }),
        )
        .with_header("cache-control", "max-age=86400"),
        "/.well-known/mcp/server-card.json" | "/.well-known/agent-card.json" => {
            content::valid_file(request).unwrap_or_else(|| plain_site(request))
        }
        _ => plain_site(request),
    }
}

/// Both catalogues have the same format; ARD adds the questions that an entry answers.
fn catalogue(request: &SiteRequest<'_>, queries: &[&str]) -> Value {
    let (host, title) = (request.site_name, request.text.title);
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

const AGENT_CARD: &str = "/.well-known/agent-card.json";
const KEY_SET: &str = "/keys.json";

/// The valid files, with a signature in the agent card. `changed`: the card that is served is not the one
/// that was signed.
fn signed_card(request: &SiteRequest<'_>, changed: bool) -> Reply {
    match request.path {
        AGENT_CARD => {
            let mut card = content::agent_card(request);
            let jku = format!("https://{}{KEY_SET}", request.site_name);
            let signature = sign_card(&card, &jku);
            if let Some(members) = card.as_object_mut() {
                if changed {
                    members.insert("version".to_owned(), json!("1.0.1"));
                }
                members.insert("signatures".to_owned(), json!([signature]));
            }
            json_reply("application/json", &card)
        }
        KEY_SET => json_reply("application/jwk-set+json", &json!({ "keys": [signing_key()] })),
        _ => content::valid_file(request).unwrap_or_else(|| plain_site(request)),
    }
}

/// A detached signature (RFC 7515) of a card. The text of the JSON value is its canonical form: its names
/// are sorted, and it has no number.
fn sign_card(card: &Value, jku: &str) -> Value {
    let kid = signing_key().get("kid").cloned();
    let header = json!({ "alg": "EdDSA", "kid": kid, "jku": jku, "typ": "JOSE" });
    let protected = BASE64URL_NOPAD.encode(header.to_string().as_bytes());
    let payload = BASE64URL_NOPAD.encode(card.to_string().as_bytes());
    let signed = key_pair().map(|pair| {
        let signature = pair.sign(format!("{protected}.{payload}").as_bytes());
        BASE64URL_NOPAD.encode(signature.as_ref())
    });
    json!({ "protected": protected, "signature": signed })
}

fn key_pair() -> Option<Ed25519KeyPair> {
    Ed25519KeyPair::from_seed_unchecked(b"the key of a site on loopback 32").ok()
}

/// A real public key, named by its thumbprint (RFC 7638).
fn signing_key() -> Value {
    let public = key_pair().map(|pair| BASE64URL_NOPAD.encode(pair.public_key().as_ref()));
    let public = public.unwrap_or_default();
    let canonical = format!("{{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"{public}\"}}");
    let thumbprint = digest::digest(&digest::SHA256, canonical.as_bytes());
    json!({
        "kty": "OKP", "crv": "Ed25519", "x": public, "use": "sig",
        "kid": BASE64URL_NOPAD.encode(thumbprint.as_ref())
    })
}

fn sitemap_index(request: &SiteRequest<'_>) -> Reply {
    let host = request.site_name;
    match request.path {
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
            request,
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
