//! Shops and paid URLs: UCP, ACP and x402.

use serde_json::Value;

use super::collector::CapabilityCollector;
use super::effect_hints::{EffectHints, MethodKind};
use super::fields::{items, members, text, texts};
use super::name_words::NameWords;

/// A UCP profile: its capabilities, or its services if it lists no capabilities.
pub(super) fn ucp(root: &Value, found: &mut CapabilityCollector) {
    let ucp = root.get("ucp").unwrap_or(root);
    let endpoint = found.resolve_url(first_endpoint(ucp));
    let capabilities = ucp.get("capabilities");
    let listed = capabilities
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|one| text(one, "name").or_else(|| one.as_str()));
    let mut names: Vec<&str> = members(capabilities).map(|(name, _)| name).chain(listed).collect();
    if names.is_empty() {
        names = members(ucp.get("services")).map(|(name, _)| name).collect();
    }
    for name in names {
        if !found.add(name, endpoint.clone(), commerce_hints(name)) {
            break;
        }
    }
}

/// The first endpoint of any service. Bindings are a list, or members by transport in the first version.
fn first_endpoint(ucp: &Value) -> Option<&str> {
    members(ucp.get("services")).find_map(|(_, service)| {
        let listed = service.as_array().into_iter().flatten();
        let by_transport = members(Some(service)).map(|(_, binding)| binding);
        listed.chain(by_transport).find_map(|binding| text(binding, "endpoint"))
    })
}

/// An ACP document: its services, all at one URL.
pub(super) fn acp(root: &Value, found: &mut CapabilityCollector) {
    let endpoint = found.resolve_url(text(root, "api_base_url"));
    for name in root
        .get("capabilities")
        .into_iter()
        .flat_map(|capabilities| texts(capabilities, "services"))
    {
        if !found.add(name, endpoint.clone(), commerce_hints(name)) {
            break;
        }
    }
}

fn commerce_hints(name: &str) -> EffectHints {
    EffectHints { commerce: true, words: NameWords::from_texts([name]), ..EffectHints::default() }
}

/// An x402 document: URLs that require payment.
pub(super) fn x402(root: &Value, found: &mut CapabilityCollector) {
    let name = if root.get("resources").is_some() { "resources" } else { "accepts" };
    for resource in items(root, name) {
        let written = resource
            .as_str()
            .or_else(|| text(resource, "url"))
            .or_else(|| text(resource, "resource"));
        let Some(written) = written else { continue };
        // Some lists put the method before the URL.
        let (method, address) = match written.split_once(' ') {
            Some((method, address)) => (MethodKind::from_name(method), address.trim()),
            None => (text(resource, "method").and_then(MethodKind::from_name), written),
        };
        let endpoint = found.resolve_url(Some(address));
        let words = NameWords::from_texts(endpoint.as_ref().map(url::Url::path));
        let signs = EffectHints { method, priced: true, words, ..EffectHints::default() };
        if !found.add(address, endpoint, signs) {
            break;
        }
    }
}
