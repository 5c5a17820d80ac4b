//! The files in which this service tells machines about itself: generated from the contract, the OpenAPI
//! document and the configuration, so that they cannot say anything else than those.

mod api_catalog;
mod cards;
mod guides;
mod robots;
mod security;
mod site_facts;
mod sitemap;
mod skills;

use std::collections::BTreeMap;

use serde_json::Value;

pub(crate) use security::render as render_security_txt;
pub(crate) use site_facts::SiteFacts;

use crate::response::{CACHE_ONE_HOUR, HttpDocument, JSON, MARKDOWN, TEXT};

/// Where an API catalog is looked for (RFC 9727).
pub(crate) const API_CATALOG_PATH: &str = "/.well-known/api-catalog";

/// The paths of the files, for the router.
pub(crate) const PATHS: [&str; 10] = [
    "/robots.txt",
    "/llms.txt",
    "/agents.md",
    "/sitemap.xml",
    "/.well-known/agent-card.json",
    "/.well-known/mcp/server-card.json",
    "/.well-known/ai-catalog.json",
    API_CATALOG_PATH,
    "/.well-known/agent-skills/index.json",
    skills::SKILL_PATH,
];

/// robots.txt alone, for whoever has to know what it disallows.
pub(crate) fn render_robots_txt(facts: &SiteFacts) -> String {
    robots::render(facts)
}

/// Every file by its path, except security.txt, which has a date.
pub(crate) fn render_all(
    facts: &SiteFacts,
    openapi: &Value,
    docs_pages: impl Iterator<Item = String>,
) -> BTreeMap<&'static str, HttpDocument> {
    let constant =
        |text: String, media: &'static str| HttpDocument::constant(text, media, CACHE_ONE_HOUR);
    let skill = skills::skill_md(facts);
    let docs_pages: Vec<String> = docs_pages.collect();
    BTreeMap::from([
        ("/robots.txt", constant(robots::render(facts), TEXT)),
        ("/llms.txt", constant(guides::llms_txt(facts, openapi), MARKDOWN)),
        ("/agents.md", constant(guides::agents_md(facts), MARKDOWN)),
        ("/sitemap.xml", constant(sitemap::render(facts, &docs_pages), "application/xml")),
        ("/.well-known/agent-card.json", constant(cards::agent_card(facts), JSON)),
        (
            "/.well-known/mcp/server-card.json",
            constant(cards::server_card(facts), "application/mcp-server-card+json"),
        ),
        (
            "/.well-known/ai-catalog.json",
            constant(cards::ai_catalog(facts), "application/ai-catalog+json"),
        ),
        (API_CATALOG_PATH, constant(api_catalog::render(facts), api_catalog::MEDIA_TYPE)),
        ("/.well-known/agent-skills/index.json", constant(skills::index(facts, &skill), JSON)),
        (skills::SKILL_PATH, constant(skill, MARKDOWN)),
    ])
}
