//! The fields of a reading that can be compared with another reading: dotted paths into the answer, with
//! scalar values.
//!
//! Only measured fields are included, so a missing field shows nothing. Null means that something was
//! looked for and is absent. Values that change between readings without a change by the site (page
//! bodies, addresses behind a load balancer) are left out. Text that the site wrote is included only as
//! its digest.

use std::collections::{BTreeMap, BTreeSet};

use contract::records::{FieldValue, RightsValue, ValueDigest};
use serde_json::{Value, json};

use super::compared_sections::ComparedSections;
use crate::lookalike::registrable;

/// The most fields of one reading; the rest is left out.
pub const MAX_FIELDS: usize = 400;

/// Files under this path can declare endpoints.
const DECLARING_FILES_PREFIX: &str = "/.well-known/";
/// The prefix of the fields with the endpoints that a file declares; the path of the file follows.
pub(super) const ENDPOINTS_FIELD_PREFIX: &str = "capabilities.endpoints.";
const ROBOTS: &str = "/robots.txt";

/// The comparable fields of one reading.
#[must_use]
pub fn comparable_fields<'a>(sections: impl Into<ComparedSections<'a>>) -> BTreeMap<String, Value> {
    let sections = &sections.into();
    let mut found = FieldCollector(BTreeMap::new());
    policy(sections, &mut found);
    delivery(sections, &mut found);
    files(sections, &mut found);
    declared(sections, &mut found);
    endpoints(sections, &mut found);
    network(sections, &mut found);
    verdicts(sections, &mut found);
    found.0
}

struct FieldCollector(BTreeMap<String, Value>);

impl FieldCollector {
    fn add(&mut self, field: impl Into<String>, value: impl Into<Value>) {
        if self.0.len() < MAX_FIELDS {
            self.0.insert(field.into(), value.into());
        }
    }

    /// Adds the field only if it was measured.
    fn add_measured(&mut self, field: impl Into<String>, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.add(field, value);
        }
    }
}

fn policy(sections: &ComparedSections<'_>, found: &mut FieldCollector) {
    if let Some(policy) = sections.crawl_policy.body() {
        found.add_measured("crawl_policy.http_status", policy.http_status);
        for agent in &policy.agents {
            let field = format!("crawl_policy.agents.{}.allowed_homepage", agent.agent);
            found.add(field, agent.allowed_homepage);
        }
        found.add("crawl_policy.content_signal", digest_or_null(policy.content_signal.as_ref()));
    }
    let rights = sections.rights;
    if rights.observed {
        for (name, right) in [
            ("train", &rights.train),
            ("ground", &rights.ground),
            ("summarize", &rights.summarize),
            ("cite", &rights.cite),
            ("transact", &rights.transact),
        ] {
            if !matches!(right.value, RightsValue::Unrecognised(_)) {
                found.add(format!("rights.{name}.value"), right.value.as_str());
            }
        }
    }
}

fn delivery(sections: &ComparedSections<'_>, found: &mut FieldCollector) {
    for identity in sections.delivery.body().into_iter().flat_map(|delivery| &delivery.identities) {
        let field = |member: &str| format!("delivery.identities.{}.{member}", identity.identity);
        found.add_measured(field("status"), identity.status);
        found.add_measured(field("final_host"), identity.final_host.as_deref());
    }
    if sections.read_equivalence.observed {
        found.add("read_equivalence.verdict", sections.read_equivalence.verdict.as_str());
        for identity in &sections.read_equivalence.identities {
            let field = format!("read_equivalence.identities.{}.verdict", identity.identity);
            found.add(field, identity.verdict.as_str());
        }
    }
}

fn files(sections: &ComparedSections<'_>, found: &mut FieldCollector) {
    for file in sections.machine_files.body().into_iter().flat_map(|files| &files.files) {
        found.add_measured(format!("machine_files.{}.present", file.path), file.present);
        if file.path == ROBOTS && file.present == Some(true) {
            found.add_measured(format!("machine_files.{ROBOTS}.sha256"), file.sha256.as_deref());
        }
    }
}

/// The endpoints that each file declares, as a digest. Null for a file that is absent or declares none.
fn endpoints(sections: &ComparedSections<'_>, found: &mut FieldCollector) {
    let Some(capabilities) = sections.capabilities.body() else { return };
    let files = sections.machine_files.body().into_iter().flat_map(|files| &files.files);
    let mut declared: BTreeMap<&str, BTreeSet<&str>> = files
        .filter(|file| file.path.starts_with(DECLARING_FILES_PREFIX) && file.present.is_some())
        .map(|file| (file.path.as_str(), BTreeSet::new()))
        .collect();
    for item in &capabilities.items {
        let endpoints = declared.entry(&item.declared_in).or_default();
        endpoints.extend(item.untrusted_endpoint.as_deref());
    }
    for (path, endpoints) in declared {
        let value = digest_or_null((!endpoints.is_empty()).then_some(&endpoints));
        found.add(format!("{ENDPOINTS_FIELD_PREFIX}{path}"), value);
    }
}

fn declared(sections: &ComparedSections<'_>, found: &mut FieldCollector) {
    if let Some(capabilities) = sections.capabilities.body() {
        found.add("capabilities.declared", capabilities.declared);
        // Without calls, nothing is known of mismatches.
        if capabilities.verified + capabilities.mismatches > 0 {
            found.add("capabilities.mismatches", capabilities.mismatches);
        }
        let mut items: Vec<(&str, &str, &str)> = capabilities
            .items
            .iter()
            .map(|item| {
                let name = item.untrusted_name.as_str();
                (item.declared_in.as_str(), name, item.safety_class.as_str())
            })
            .collect();
        items.sort_unstable();
        found.add("capabilities.items", digest_or_null((!items.is_empty()).then_some(&items)));
    }
    if let Some(entity) = sections.entity.body() {
        found.add("entity.untrusted_name", digest_or_null(entity.untrusted_name.as_ref()));
        found.add("entity.url", digest_or_null(entity.url.as_ref()));
        let mut same_as = entity.same_as.clone();
        same_as.sort_unstable();
        found.add("entity.same_as", digest_or_null((!same_as.is_empty()).then_some(&same_as)));
    }
}

fn network(sections: &ComparedSections<'_>, found: &mut FieldCollector) {
    if let Some(dns) = sections.dns.body() {
        found.add_measured("dns.exists", dns.exists);
        found.add_measured("dns.rcode", dns.rcode.as_deref());
        found.add_measured("dns.dnssec_validated", dns.dnssec_validated);
    }
    if let Some(tls) = sections.tls.body() {
        found.add("tls.https", tls.https);
        found.add_measured("tls.final_host", tls.final_host.as_deref());
        found.add_measured("tls.http_status", tls.http_status);
        if tls.http_status.is_some() {
            found.add("tls.hsts", digest_or_null(tls.hsts.as_ref()));
        }
    }
    found.add_measured("subject.registrable", sections.subject.host.as_deref().map(registrable));
}

fn verdicts(sections: &ComparedSections<'_>, found: &mut FieldCollector) {
    if let Some(impersonation) = sections.impersonation.body() {
        found.add("impersonation.verdict", impersonation.verdict.as_str());
    }
}

/// The digest of the canonical JSON of a text that the site wrote.
fn digest_or_null<T: serde::Serialize>(value: Option<&T>) -> Value {
    let canonical = value.and_then(|value| proof::canonical::to_vec(value).ok());
    canonical.map_or(
        Value::Null,
        |bytes| json!({"value_sha256": proof::sha256(&bytes).to_hex(), "bytes": bytes.len()}),
    )
}

/// A value as it is shown in records: `None` for null, a digest for a long text.
pub(super) fn to_field_value(value: &Value) -> Option<FieldValue> {
    match value {
        Value::Null => None,
        Value::Bool(truth) => Some(FieldValue::Bool(*truth)),
        Value::Number(number) if number.as_i64().is_some() => {
            number.as_i64().map(FieldValue::Number)
        }
        Value::String(text) if text.chars().count() <= FieldValue::MAX_TEXT_CHARS => {
            Some(FieldValue::Text(text.clone()))
        }
        Value::Object(_) => match serde_json::from_value::<ValueDigest>(value.clone()) {
            Ok(digest) => Some(FieldValue::Digest(digest)),
            Err(_) => Some(by_digest(value)),
        },
        other => Some(by_digest(other)),
    }
}

fn by_digest(value: &Value) -> FieldValue {
    let bytes = match value {
        Value::String(text) => text.as_bytes().to_vec(),
        other => proof::canonical::value_to_vec(other).unwrap_or_default(),
    };
    FieldValue::Digest(ValueDigest {
        value_sha256: proof::sha256(&bytes).to_hex(),
        bytes: bytes.len() as u64,
    })
}
