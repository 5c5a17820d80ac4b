//! Catalogues: they list what is described elsewhere and give no hints about effects.

use std::collections::BTreeSet;

use serde_json::Value;

use super::collector::CapabilityCollector;
use super::fields::{items, members, text};
use super::model::EffectHints;
use super::name_words::NameWords;

/// Link relations whose anchor is an API.
const ABOUT_AN_API: [&str; 4] = ["service-desc", "service-doc", "service-meta", "status"];

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
