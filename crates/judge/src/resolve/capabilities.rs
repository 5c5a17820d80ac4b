//! The `capabilities` section: what the site's own files say that it can do.

use std::collections::BTreeMap;

use contract::evidence::{Evidence, Response};
use contract::limits::CAPABILITY_ITEMS_MAX;
use contract::records::{
    Capabilities, CapabilitiesSection, Capability, CapabilityMcpScan, Check, CheckVerdict,
    SafetyClass, ScanRecord,
};
use declared::capability::{self, declares_capabilities};
use declared::files::{FILE_LOCATIONS, FileKind};

use super::capability_safety;
use crate::Bodies;

const INVOCATION_RULE: &str = "Only capabilities of the class read_only_public are ever called. Every \
    other class needs the site owner's authorisation and a test account. A capability of unknown class is \
    never called.";

const NOTE: &str = "Read from declarations only. No capability was called, so none is verified.";

/// Builds the section. An invalid file declares nothing. The section is not measured where none of the
/// files could be read, or where some could not be read and the others declare nothing.
#[must_use]
pub fn capabilities(
    evidence: &Evidence,
    bodies: &dyn Bodies,
    record: &ScanRecord,
) -> CapabilitiesSection {
    let mut gathered = CapabilityCollector::default();
    let mut declared_files = Vec::new();
    let mut unread = Vec::new();
    let mut cut = Vec::new();
    let mut looked = 0_usize;
    let guarded = token_protected_address(evidence, bodies, &record.checks);
    for (check, kind) in
        checks_with_kind(&record.checks).filter(|(_, kind)| declares_capabilities(*kind))
    {
        looked += 1;
        match check.verdict {
            CheckVerdict::Ok => {}
            CheckVerdict::Absent | CheckVerdict::Soft404 | CheckVerdict::Invalid => continue,
            _ => {
                unread.push(check.path.as_str());
                continue;
            }
        }
        let Some((response, body)) = response_of_check(check, evidence, bodies) else {
            unread.push(check.path.as_str());
            continue;
        };
        declared_files.push(check.path.clone());
        let declared = capability::read_capabilities(kind, &response.url, body);
        if declared.more {
            cut.push(check.path.as_str());
        }
        for one in declared.items {
            gathered.add(one, kind, &check.path, &guarded, evidence.domain.as_str());
        }
    }
    let observed_at = record.scanned_at;
    if gathered.items.is_empty() && (looked == 0 || !unread.is_empty()) {
        let why = match (looked, unread.is_empty()) {
            (0, _) => "None of the files that declare capabilities was requested.".to_owned(),
            (_, _) if unread.len() == looked => {
                "None of the files that declare capabilities could be read.".to_owned()
            }
            _ => format!(
                "The files that could be read declare nothing. These could not be read: {}.",
                unread.join(", ")
            ),
        };
        return CapabilitiesSection::NotMeasured { observed_at: Some(observed_at), why };
    }
    let mut note = NOTE.to_owned();
    for (paths, remark) in [
        (
            &cut,
            format!(
                "Only the first {} capabilities were taken from each of",
                capability::MAX_ITEMS
            ),
        ),
        (&unread, "These files could not be read, so we do not know what they declare:".to_owned()),
    ] {
        if !paths.is_empty() {
            note = format!("{note} {remark} {}.", paths.join(", "));
        }
    }
    let body = gathered.into_capabilities(declared_files, note);
    CapabilitiesSection::Declared { observed_at, body }
}

/// The checks of files with a standard path, and the kind of each file.
fn checks_with_kind(checks: &[Check]) -> impl Iterator<Item = (&Check, FileKind)> {
    checks.iter().filter_map(|check| {
        let place = FILE_LOCATIONS.iter().find(|place| place.path == check.path)?;
        Some((check, place.kind))
    })
}

/// The response behind a check, and its body.
fn response_of_check<'a>(
    check: &Check,
    evidence: &'a Evidence,
    bodies: &'a dyn Bodies,
) -> Option<(&'a Response, &'a [u8])> {
    let id = check.reading.as_deref()?;
    let response = evidence.reads.iter().find(|reading| reading.id == id)?.exchange.response()?;
    Some((response, bodies.body(&response.body.sha256)?))
}

/// The address for which the site says that a token is needed.
fn token_protected_address(
    evidence: &Evidence,
    bodies: &dyn Bodies,
    checks: &[Check],
) -> Option<String> {
    let (check, _) = checks_with_kind(checks).find(|(check, kind)| {
        *kind == FileKind::OauthResource && check.verdict == CheckVerdict::Ok
    })?;
    capability::protected_resource(response_of_check(check, evidence, bodies)?.1)
}

/// The capabilities found so far. The same name and endpoint in two files is one capability.
#[derive(Default)]
struct CapabilityCollector {
    items: Vec<Capability>,
    /// Name and endpoint to the index in `items`.
    index_by_name: BTreeMap<(String, Option<String>), usize>,
}

impl CapabilityCollector {
    fn add(
        &mut self,
        one: capability::Capability,
        kind: FileKind,
        path: &str,
        guarded: &Option<String>,
        domain: &str,
    ) {
        let mut class = capability_safety::safety_class(&one, domain);
        let token = guarded.as_deref().is_some_and(|address| one.is_under(address));
        if class == SafetyClass::ReadOnlyPublic && token {
            class = SafetyClass::ReadOnlyAuthenticated;
        }
        let key = (one.name.clone(), one.endpoint.clone());
        if let Some(known) = self.index_by_name.get(&key).and_then(|at| self.items.get_mut(*at))
            && known.declared_in != path
        {
            // If two files disagree about the class, it is unknown.
            if known.safety_class != class {
                known.safety_class = SafetyClass::Unknown;
            }
            return;
        }
        self.index_by_name.insert(key, self.items.len());
        // What is stored of the server is added when the answer is made.
        let mcp_scan = (kind == FileKind::McpServerCard && one.endpoint.is_some())
            .then(|| CapabilityMcpScan::not_measured("No scan of this server is stored."));
        self.items.push(Capability {
            untrusted_name: one.name,
            untrusted_endpoint: one.endpoint,
            declared_in: path.to_owned(),
            safety_class: class,
            as_declared: None,
            mcp_scan,
        });
    }

    fn into_capabilities(mut self, declared_files: Vec<String>, mut note: String) -> Capabilities {
        let mut by_safety_class = BTreeMap::new();
        for item in &self.items {
            *by_safety_class.entry(item.safety_class.as_str().to_owned()).or_insert(0) += 1;
        }
        let declared = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
        if self.items.len() > CAPABILITY_ITEMS_MAX {
            self.items.truncate(CAPABILITY_ITEMS_MAX);
            note = format!("{note} Only the first {CAPABILITY_ITEMS_MAX} are listed.");
        }
        Capabilities {
            declared,
            by_safety_class,
            verified: 0,
            mismatches: 0,
            invocation_rule: INVOCATION_RULE.to_owned(),
            certificate: None,
            items: self.items,
            declared_files,
            note,
        }
    }
}

#[cfg(test)]
mod tests;
