//! The `capabilities` section: what the site's own files say that it can do, and what calls showed.

use std::collections::BTreeMap;

use contract::evidence::{Evidence, ReadTarget, Reading, Response, SkipReason};
use contract::limits::CAPABILITY_ITEMS_MAX;
use contract::records::{
    Capabilities, CapabilitiesSection, Capability, CapabilityMcpScan, Check, CheckVerdict,
    ScanRecord,
};
use contract::text::display_safe;
use declared::capability::{
    self, ClassifiedCapability, DeclaringFile, SiteCapabilities, declares_capabilities,
};
use declared::files::{FILE_LOCATIONS, FileKind, ServedFile, inspect};

use super::capability_calls::{NOTE, as_declared, calls_of, count_calls};
use crate::Bodies;

const INVOCATION_RULE: &str = "Only capabilities of the class read_only_public are ever called. Every \
    other class needs the site owner's authorisation and a test account. A capability of unknown class is \
    never called.";

const CALLED_NOTE: &str = "Read from declarations. Public operations that only read are called with GET, \
    without credentials and under our own name, and the responses are compared with the declarations.";

/// Builds the section. An invalid file declares nothing. The section is not measured where none of the
/// files could be read, or where some could not be read and the others declare nothing.
#[must_use]
pub fn capabilities(
    evidence: &Evidence,
    bodies: &dyn Bodies,
    record: &ScanRecord,
) -> CapabilitiesSection {
    let mut files = Vec::new();
    let mut digests = BTreeMap::new();
    let mut declared_files = Vec::new();
    let mut unread = Vec::new();
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
        digests.insert(check.path.as_str(), response.body.sha256.clone());
        files.push(DeclaringFile { kind, path: &check.path, url: &response.url, body });
    }
    for (path, response, body) in linked_descriptions(evidence, bodies) {
        declared_files.push(display_safe(path, 200));
        digests.insert(path, response.body.sha256.clone());
        files.push(DeclaringFile { kind: FileKind::OpenApi, path, url: &response.url, body });
    }
    let site = SiteCapabilities::read(files, guarded.as_deref(), evidence.domain.as_str());
    let cut: Vec<&str> = site.cut.iter().map(String::as_str).collect();
    let observed_at = record.scanned_at;
    if site.items.is_empty() && (looked == 0 || !unread.is_empty()) {
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
    let declared = u32::try_from(site.items.len()).unwrap_or(u32::MAX);
    let mut by_safety_class = BTreeMap::new();
    for item in &site.items {
        *by_safety_class.entry(item.class.as_str().to_owned()).or_insert(0) += 1;
    }
    let items: Vec<Capability> = site
        .items
        .into_iter()
        .take(CAPABILITY_ITEMS_MAX)
        .map(|item| {
            let digest = digests.get(item.declared_in.as_str());
            shown(item, digest, evidence, bodies)
        })
        .collect();
    let called = items.iter().filter(|item| item.call.is_some()).count();
    let mut note = match called {
        0 => NOTE.to_owned(),
        1 => format!("{CALLED_NOTE} 1 operation was called."),
        called => format!("{CALLED_NOTE} {called} operations were called."),
    };
    for remark in uncalled_remarks(evidence) {
        note = format!("{note} {remark}");
    }
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
    if declared as usize > CAPABILITY_ITEMS_MAX {
        note = format!("{note} Only the first {CAPABILITY_ITEMS_MAX} are listed.");
    }
    let mut body = Capabilities {
        declared,
        by_safety_class,
        verified: 0,
        mismatches: 0,
        invocation_rule: INVOCATION_RULE.to_owned(),
        certificate: None,
        items,
        declared_files,
        note,
    };
    count_calls(&mut body);
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

/// The descriptions that other documents link to, as far as they could be read and used.
fn linked_descriptions<'a>(
    evidence: &'a Evidence,
    bodies: &'a dyn Bodies,
) -> Vec<(&'a str, &'a Response, &'a [u8])> {
    let readings = evidence.reads.iter().filter(|r| r.target == ReadTarget::ServiceDescription);
    readings
        .filter_map(|reading| {
            let response = reading.exchange.response()?;
            let body = bodies.body(&response.body.sha256)?;
            let is_whole = (200..300).contains(&response.status) && response.body.cut.is_none();
            (is_whole && is_description(reading, response, body)).then_some((
                reading.path.as_str(),
                response,
                body,
            ))
        })
        .collect()
}

fn is_description(reading: &Reading, response: &Response, body: &[u8]) -> bool {
    let headers: Vec<(String, String)> =
        response.headers.iter().map(|line| (line.name.clone(), line.value.clone())).collect();
    let served = ServedFile {
        requested_url: &reading.exchange.url,
        final_url: &response.url,
        redirects: reading.exchange.hops.len().saturating_sub(1),
        status: response.status,
        headers: &headers,
        body,
        truncated: false,
        read_at_s: reading.exchange.started_at.as_millis() / 1_000,
    };
    inspect(FileKind::OpenApi, &served).usable
}

/// One capability as answers show it.
fn shown(
    item: ClassifiedCapability,
    declaration_sha256: Option<&String>,
    evidence: &Evidence,
    bodies: &dyn Bodies,
) -> Capability {
    let call = item.permitted_call().and_then(|call| calls_of(call, evidence, bodies));
    let one = item.capability;
    // What is stored of the server is added when the answer is made.
    let mcp_scan = (item.kind == FileKind::McpServerCard && one.endpoint.is_some())
        .then(|| CapabilityMcpScan::not_measured("No scan of this server is stored."));
    Capability {
        untrusted_name: one.name,
        untrusted_endpoint: one.endpoint,
        declared_in: item.declared_in,
        safety_class: item.class,
        as_declared: call.as_ref().and_then(as_declared),
        declaration_sha256: declaration_sha256.cloned(),
        call,
        mcp_scan,
    }
}

/// What was not called although it could have been, as sentences.
fn uncalled_remarks(evidence: &Evidence) -> Vec<&'static str> {
    let left_out = |why: &SkipReason| {
        evidence
            .not_read
            .iter()
            .any(|unread| unread.target == ReadTarget::CapabilityCall && unread.why == *why)
    };
    let mut remarks = Vec::new();
    if left_out(&SkipReason::Robots) {
        remarks.push("Some operations were not called because robots.txt does not permit it.");
    }
    if left_out(&SkipReason::DailyLimit) {
        remarks.push(
            "Further operations were not called, because we call a site at most three times a day.",
        );
    }
    if left_out(&SkipReason::Deadline) {
        remarks.push("Further operations were not called, because the time of the scan ran out.");
    }
    remarks
}

#[cfg(test)]
mod tests;
