//! Shops and paid addresses: UCP, ACP and x402.

use serde_json::Value;

use super::{Found, Method, Signs, Words, items, members, text, texts};

/// A UCP profile: its capabilities, or its services when it names none.
pub(super) fn ucp(root: &Value, found: &mut Found) {
    let ucp = root.get("ucp").unwrap_or(root);
    let endpoint = found.address(first_endpoint(ucp));
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
        if !found.add(name, endpoint.clone(), bought(name)) {
            break;
        }
    }
}

/// Services hold bindings: a list of them, or members by transport in the first version.
fn first_endpoint(ucp: &Value) -> Option<&str> {
    members(ucp.get("services")).find_map(|(_, service)| {
        let listed = service.as_array().into_iter().flatten();
        let by_transport = members(Some(service)).map(|(_, binding)| binding);
        listed.chain(by_transport).find_map(|binding| text(binding, "endpoint"))
    })
}

/// An ACP document: its services, all at one address.
pub(super) fn acp(root: &Value, found: &mut Found) {
    let endpoint = found.address(text(root, "api_base_url"));
    for name in root.get("capabilities").into_iter().flat_map(|said| texts(said, "services")) {
        if !found.add(name, endpoint.clone(), bought(name)) {
            break;
        }
    }
}

fn bought(name: &str) -> Signs {
    Signs { commerce: true, words: Words::of([name]), ..Signs::default() }
}

/// An x402 document: addresses that ask for payment.
pub(super) fn x402(root: &Value, found: &mut Found) {
    let name = if root.get("resources").is_some() { "resources" } else { "accepts" };
    for resource in items(root, name) {
        let said = resource
            .as_str()
            .or_else(|| text(resource, "url"))
            .or_else(|| text(resource, "resource"));
        let Some(said) = said else { continue };
        // Some lists write the method before the address.
        let (method, address) = match said.split_once(' ') {
            Some((method, address)) => (Method::named(method), address.trim()),
            None => (text(resource, "method").and_then(Method::named), said),
        };
        let endpoint = found.address(Some(address));
        let words = Words::of(endpoint.as_ref().map(url::Url::path));
        let signs = Signs { method, priced: true, words, ..Signs::default() };
        if !found.add(address, endpoint, signs) {
            break;
        }
    }
}
