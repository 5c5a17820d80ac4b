//! What the site says it can do, from its own files and nothing else.

use std::collections::BTreeMap;

use contract::evidence::{Evidence, Response};
use contract::limits::CAPABILITY_ITEMS;
use contract::records::{
    Capabilities, CapabilitiesSection, Capability, Check, CheckVerdict, SafetyClass, ScanRecord,
};
use declared::capability::{self, declares};
use declared::files::{Kind, PLACES};

use super::safety;
use crate::Bodies;

/// What may be called to see whether a declaration holds.
const INVOCATION_RULE: &str = "Only capabilities of the class read_only_public are ever called. Every \
    other class needs the site owner's authorisation and a test account, and a capability whose class \
    is unknown is never called.";

/// What holds of every answer.
const NOTE: &str = "Read from declarations alone: nothing was called, so nothing is verified.";

/// The section on capabilities. A file that is not what it should be declares nothing; where none of
/// the files could be read, or some could not and the others declare nothing, nothing is said of what
/// the site can do.
#[must_use]
pub fn capabilities(
    evidence: &Evidence,
    bodies: &dyn Bodies,
    record: &ScanRecord,
) -> CapabilitiesSection {
    let mut gathered = Gathered::default();
    let mut declared_files = Vec::new();
    let mut unread = Vec::new();
    let mut cut = Vec::new();
    let mut looked = 0_usize;
    let guarded = guarded(evidence, bodies, &record.checks);
    for (check, kind) in files(&record.checks).filter(|(_, kind)| declares(*kind)) {
        looked += 1;
        match check.verdict {
            CheckVerdict::Ok => {}
            CheckVerdict::Absent | CheckVerdict::Soft404 | CheckVerdict::Invalid => continue,
            _ => {
                unread.push(check.path.as_str());
                continue;
            }
        }
        let Some((response, body)) = behind(check, evidence, bodies) else {
            unread.push(check.path.as_str());
            continue;
        };
        declared_files.push(check.path.clone());
        let declared = capability::read(kind, &response.url, body);
        if declared.more {
            cut.push(check.path.as_str());
        }
        for one in declared.items {
            gathered.add(one, &check.path, &guarded, evidence.domain.as_str());
        }
    }
    let observed_at = record.scanned_at;
    if gathered.items.is_empty() && (looked == 0 || !unread.is_empty()) {
        let why = match (looked, unread.is_empty()) {
            (0, _) => "None of the files that declare capabilities was looked for.".to_owned(),
            (_, _) if unread.len() == looked => {
                "None of the files that declare capabilities could be read.".to_owned()
            }
            _ => format!(
                "The files that could be read declare nothing, and these could not be read: {}.",
                unread.join(", ")
            ),
        };
        return CapabilitiesSection::NotMeasured { observed_at: Some(observed_at), why };
    }
    let mut note = NOTE.to_owned();
    for (paths, said) in [
        (&cut, format!("Only the first {} of each were read out of", capability::MAX_ITEMS)),
        (&unread, "Not read, so what they declare is not known:".to_owned()),
    ] {
        if !paths.is_empty() {
            note = format!("{note} {said} {}.", paths.join(", "));
        }
    }
    let body = gathered.told(declared_files, note);
    CapabilitiesSection::Declared { observed_at, body }
}

/// The checks of files that have a place of their own.
fn files(checks: &[Check]) -> impl Iterator<Item = (&Check, Kind)> {
    checks.iter().filter_map(|check| {
        let place = PLACES.iter().find(|place| place.path == check.path)?;
        Some((check, place.kind))
    })
}

/// The response that a check rests on, and its body.
fn behind<'a>(
    check: &Check,
    evidence: &'a Evidence,
    bodies: &'a dyn Bodies,
) -> Option<(&'a Response, &'a [u8])> {
    let id = check.reading.as_deref()?;
    let response = evidence.reads.iter().find(|reading| reading.id == id)?.exchange.response()?;
    Some((response, bodies.body(&response.body.sha256)?))
}

/// The address that needs a token, as the site says itself.
fn guarded(evidence: &Evidence, bodies: &dyn Bodies, checks: &[Check]) -> Option<String> {
    let (check, _) = files(checks)
        .find(|(check, kind)| *kind == Kind::OauthResource && check.verdict == CheckVerdict::Ok)?;
    capability::protected_resource(behind(check, evidence, bodies)?.1)
}

/// The same thing in two files is one capability.
#[derive(Default)]
struct Gathered {
    items: Vec<Capability>,
    /// Where in `items` a name at an address stands.
    known: BTreeMap<(String, Option<String>), usize>,
}

impl Gathered {
    fn add(
        &mut self,
        one: capability::Capability,
        path: &str,
        guarded: &Option<String>,
        domain: &str,
    ) {
        let mut class = safety::class(&one, domain);
        let token = guarded.as_deref().is_some_and(|address| one.lies_under(address));
        if class == SafetyClass::ReadOnlyPublic && token {
            class = SafetyClass::ReadOnlyAuthenticated;
        }
        let key = (one.name.clone(), one.endpoint.clone());
        if let Some(known) = self.known.get(&key).and_then(|at| self.items.get_mut(*at))
            && known.declared_in != path
        {
            // Two files that disagree leave it open.
            if known.safety_class != class {
                known.safety_class = SafetyClass::Unknown;
            }
            return;
        }
        self.known.insert(key, self.items.len());
        self.items.push(Capability {
            untrusted_name: one.name,
            untrusted_endpoint: one.endpoint,
            declared_in: path.to_owned(),
            safety_class: class,
            as_declared: None,
        });
    }

    fn told(mut self, declared_files: Vec<String>, mut note: String) -> Capabilities {
        let mut by_safety_class = BTreeMap::new();
        for item in &self.items {
            *by_safety_class.entry(item.safety_class.as_str().to_owned()).or_insert(0) += 1;
        }
        let declared = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
        if self.items.len() > CAPABILITY_ITEMS {
            self.items.truncate(CAPABILITY_ITEMS);
            note = format!("{note} Only the first {CAPABILITY_ITEMS} are told one by one.");
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
