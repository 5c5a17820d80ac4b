//! Catalogues: they list what is described elsewhere and give no hints about effects.

use std::collections::BTreeSet;

use serde_json::Value;
use url::Url;

use super::collector::{CapabilityCollector, absolute_url};
use super::effect_hints::EffectHints;
use super::fields::{items, members, text};
use super::name_words::NameWords;
use crate::files::parse_unreported;

/// Link relations whose anchor is an API.
const ABOUT_AN_API: [&str; 4] = ["service-desc", "service-doc", "service-meta", "status"];

/// How many links to descriptions of one catalog are read.
const MAX_DESCRIPTIONS: usize = 20;

/// The type of a nested catalogue, which is not a capability.
const CATALOG_TYPE: &str = "application/ai-catalog+json";

/// An API catalog: every API once, whether it is an item of the catalog or the anchor of a link.
pub(super) fn api_catalog(root: &Value, found: &mut CapabilityCollector) {
    let mut seen = BTreeSet::new();
    let mut add = |found: &mut CapabilityCollector, address: &str, title: Option<&str>| {
        let Some(endpoint) = found.resolve_url(Some(address)) else { return true };
        if !seen.insert(endpoint.clone()) {
            return true;
        }
        let name = title.unwrap_or(endpoint.as_str()).to_owned();
        let words = NameWords::from_texts([name.as_str(), endpoint.path()]);
        found.add(&name, Some(endpoint), EffectHints { words, ..EffectHints::default() })
    };
    for context in items(root, "linkset") {
        let anchor = text(context, "anchor");
        let about = members(Some(context)).any(|(relation, links)| {
            ABOUT_AN_API.contains(&relation) && links.as_array().is_some_and(|l| !l.is_empty())
        });
        if let (Some(anchor), true) = (anchor, about)
            && !add(found, anchor, None)
        {
            return;
        }
        for item in items(context, "item") {
            if let Some(href) = text(item, "href")
                && !add(found, href, text(item, "title"))
            {
                return;
            }
        }
    }
}

/// The descriptions that an API catalog links to, as absolute URLs, unchecked.
#[must_use]
pub fn service_descriptions(body: &[u8], url: &str) -> Vec<String> {
    let (Some(root), Ok(base)) = (parse_unreported(body), Url::parse(url)) else {
        return Vec::new();
    };
    items(&root, "linkset")
        .flat_map(|context| items(context, "service-desc"))
        .filter_map(|link| absolute_url(Some(&base), text(link, "href")?))
        .take(MAX_DESCRIPTIONS)
        .map(String::from)
        .collect()
}

/// An AI catalog or ARD catalog: every entry that is not a catalogue itself.
pub(super) fn ai_catalog(root: &Value, found: &mut CapabilityCollector) {
    for entry in items(root, "entries") {
        let kind = text(entry, "type").or_else(|| text(entry, "mediaType"));
        let name = text(entry, "displayName").or_else(|| text(entry, "identifier"));
        let Some(name) = name.filter(|_| kind != Some(CATALOG_TYPE)) else { continue };
        let endpoint = found.resolve_url(text(entry, "url"));
        let words = NameWords::from_texts(text(entry, "identifier").into_iter().chain([name]));
        if !found.add(name, endpoint, EffectHints { words, ..EffectHints::default() }) {
            break;
        }
    }
}
