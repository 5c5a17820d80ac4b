//! Collects the capabilities of one file, with limits.

use contract::text::display_safe;
use url::Url;

use super::bounds::{MAX_ADDRESS_BYTES, NAME_CHARS};
use super::effect_hints::EffectHints;
use super::model::{Capability, DeclaredCapabilities, MAX_ITEMS};
use super::read_call::ReadCall;

/// The capabilities found so far, and the base URL of the file.
pub(super) struct CapabilityCollector {
    pub(super) base: Option<Url>,
    pub(super) declared: DeclaredCapabilities,
}

impl CapabilityCollector {
    /// Adds one capability. Returns false when the limit is reached.
    pub(super) fn add(&mut self, name: &str, endpoint: Option<Url>, signs: EffectHints) -> bool {
        self.add_operation(name, endpoint, signs, None)
    }

    /// Adds one operation, with the request that can check it. Returns false when the limit is reached.
    pub(super) fn add_operation(
        &mut self,
        name: &str,
        endpoint: Option<Url>,
        signs: EffectHints,
        call: Option<ReadCall>,
    ) -> bool {
        if self.declared.items.len() >= MAX_ITEMS {
            self.declared.more = true;
            return false;
        }
        let endpoint = endpoint.map(String::from);
        self.declared.items.push(Capability {
            name: display_safe(name, NAME_CHARS),
            endpoint,
            hints: signs,
            call,
        });
        true
    }

    pub(super) fn resolve_url(&self, text: Option<&str>) -> Option<Url> {
        absolute_url(self.base.as_ref(), text?)
    }
}

/// Parses an http(s) URL. None if it has credentials or is a template.
pub(super) fn absolute_url(base: Option<&Url>, text: &str) -> Option<Url> {
    if text.len() > MAX_ADDRESS_BYTES || text.contains(['{', '}']) {
        return None;
    }
    let url = match base {
        Some(base) => base.join(text),
        None => Url::parse(text),
    }
    .ok()?;
    let plain = matches!(url.scheme(), "https" | "http")
        && url.username().is_empty()
        && url.password().is_none()
        && url.as_str().len() <= MAX_ADDRESS_BYTES;
    plain.then_some(url)
}
