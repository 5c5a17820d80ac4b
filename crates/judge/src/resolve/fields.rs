//! What of a reading can be held against another reading: dotted paths into the answer, and scalars.
//!
//! Only what was measured is here, so that a field that is missing says nothing. Null stands for what
//! was looked for and is not there. What changes by itself from one look to the next (page bodies,
//! addresses behind a balancer) is left out; what the site wrote is here by its digest alone.

use std::collections::{BTreeMap, BTreeSet};

use contract::records::{FieldValue, RightsValue, ValueDigest};
use serde_json::{Value, json};

use super::Sections;
use crate::lookalike::registrable;

/// Fields that one reading can have; more are cut off.
pub const FIELDS_MAX: usize = 400;

/// Where a site says what can be called, below its root.
const DECLARING: &str = "/.well-known/";
/// What stands before the path of a file in the name of such a field.
pub(super) const ENDPOINTS: &str = "capabilities.endpoints.";
const ROBOTS: &str = "/robots.txt";

/// The comparable fields of one reading.
#[must_use]
pub fn fields(sections: &Sections) -> BTreeMap<String, Value> {
    let mut found = Found(BTreeMap::new());
    policy(sections, &mut found);
    delivery(sections, &mut found);
    files(sections, &mut found);
    declared(sections, &mut found);
    endpoints(sections, &mut found);
    network(sections, &mut found);
    verdicts(sections, &mut found);
    found.0
}

struct Found(BTreeMap<String, Value>);

impl Found {
    fn put(&mut self, field: impl Into<String>, value: impl Into<Value>) {
        if self.0.len() < FIELDS_MAX {
            self.0.insert(field.into(), value.into());
        }
    }

    /// Nothing is put where nothing was measured.
    fn put_known(&mut self, field: impl Into<String>, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(field, value);
        }
    }
}

fn policy(sections: &Sections, found: &mut Found) {
    if let Some(policy) = sections.crawl_policy.body() {
        found.put_known("crawl_policy.http_status", policy.http_status);
        for agent in &policy.agents {
            let field = format!("crawl_policy.agents.{}.allowed_homepage", agent.agent);
            found.put(field, agent.allowed_homepage);
        }
        found.put("crawl_policy.content_signal", digest_or_null(policy.content_signal.as_ref()));
    }
    let rights = &sections.rights;
    if rights.observed {
        for (name, right) in [
            ("train", &rights.train),
            ("ground", &rights.ground),
            ("summarize", &rights.summarize),
            ("cite", &rights.cite),
            ("transact", &rights.transact),
        ] {
            if !matches!(right.value, RightsValue::Unrecognised(_)) {
                found.put(format!("rights.{name}.value"), right.value.as_str());
            }
        }
    }
}

fn delivery(sections: &Sections, found: &mut Found) {
    for identity in sections.delivery.body().into_iter().flat_map(|delivery| &delivery.identities) {
        let field = |member: &str| format!("delivery.identities.{}.{member}", identity.identity);
        found.put_known(field("status"), identity.status);
        found.put_known(field("final_host"), identity.final_host.as_deref());
    }
    if sections.read_equivalence.observed {
        found.put("read_equivalence.verdict", sections.read_equivalence.verdict.as_str());
        for identity in &sections.read_equivalence.identities {
            let field = format!("read_equivalence.identities.{}.verdict", identity.identity);
            found.put(field, identity.verdict.as_str());
        }
    }
}

fn files(sections: &Sections, found: &mut Found) {
    for file in sections.machine_files.body().into_iter().flat_map(|files| &files.files) {
        found.put_known(format!("machine_files.{}.present", file.path), file.present);
        if file.path == ROBOTS && file.present == Some(true) {
            found.put_known(format!("machine_files.{ROBOTS}.sha256"), file.sha256.as_deref());
        }
    }
}

/// Where the site says its capabilities answer, for each file that can say so. Null for a file that
/// is not there, or names no such place.
fn endpoints(sections: &Sections, found: &mut Found) {
    let Some(capabilities) = sections.capabilities.body() else { return };
    let files = sections.machine_files.body().into_iter().flat_map(|files| &files.files);
    let mut declared: BTreeMap<&str, BTreeSet<&str>> = files
        .filter(|file| file.path.starts_with(DECLARING) && file.present.is_some())
        .map(|file| (file.path.as_str(), BTreeSet::new()))
        .collect();
    for item in &capabilities.items {
        let endpoints = declared.entry(&item.declared_in).or_default();
        endpoints.extend(item.untrusted_endpoint.as_deref());
    }
    for (path, endpoints) in declared {
        let value = digest_or_null((!endpoints.is_empty()).then_some(&endpoints));
        found.put(format!("{ENDPOINTS}{path}"), value);
    }
}

fn declared(sections: &Sections, found: &mut Found) {
    if let Some(capabilities) = sections.capabilities.body() {
        found.put("capabilities.declared", capabilities.declared);
        found.put("capabilities.mismatches", capabilities.mismatches);
        let mut items: Vec<(&str, &str, &str)> = capabilities
            .items
            .iter()
            .map(|item| {
                let name = item.untrusted_name.as_str();
                (item.declared_in.as_str(), name, item.safety_class.as_str())
            })
            .collect();
        items.sort_unstable();
        found.put("capabilities.items", digest_or_null((!items.is_empty()).then_some(&items)));
    }
    if let Some(entity) = sections.entity.body() {
        found.put("entity.untrusted_name", digest_or_null(entity.untrusted_name.as_ref()));
        found.put("entity.url", digest_or_null(entity.url.as_ref()));
        let mut same_as = entity.same_as.clone();
        same_as.sort_unstable();
        found.put("entity.same_as", digest_or_null((!same_as.is_empty()).then_some(&same_as)));
    }
}

fn network(sections: &Sections, found: &mut Found) {
    if let Some(dns) = sections.dns.body() {
        found.put_known("dns.exists", dns.exists);
        found.put_known("dns.rcode", dns.rcode.as_deref());
        found.put_known("dns.dnssec_validated", dns.dnssec_validated);
    }
    if let Some(tls) = sections.tls.body() {
        found.put("tls.https", tls.https);
        found.put_known("tls.final_host", tls.final_host.as_deref());
        found.put_known("tls.http_status", tls.http_status);
        if tls.http_status.is_some() {
            found.put("tls.hsts", digest_or_null(tls.hsts.as_ref()));
        }
    }
    found.put_known("subject.registrable", sections.subject.host.as_deref().map(registrable));
}

fn verdicts(sections: &Sections, found: &mut Found) {
    if let Some(impersonation) = sections.impersonation.body() {
        found.put("impersonation.verdict", impersonation.verdict.as_str());
    }
}

/// What the site wrote, by the digest of its canonical JSON.
fn digest_or_null<T: serde::Serialize>(value: Option<&T>) -> Value {
    let canonical = value.and_then(|value| proof::canonical::to_vec(value).ok());
    canonical.map_or(
        Value::Null,
        |bytes| json!({"value_sha256": proof::sha256(&bytes).to_hex(), "bytes": bytes.len()}),
    )
}

/// A value as it is shown: nothing for null, a digest for what is long.
pub(super) fn shown(value: &Value) -> Option<FieldValue> {
    match value {
        Value::Null => None,
        Value::Bool(truth) => Some(FieldValue::Truth(*truth)),
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
