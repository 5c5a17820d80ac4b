//! The machine files: there, absent, refused, or only seemingly there.

use contract::evidence::{FailureKind, NotRead, Outcome, Reading, Response, Target};
use contract::records::{Check, CheckVerdict};
use declared::shape;

use super::look::{Look, is_success};
use super::{caching, shown};

pub(super) fn checks(look: &Look<'_>) -> Vec<Check> {
    let evidence = look.evidence;
    let control: Vec<&Response> = look
        .reads(Target::ControlPath)
        .filter_map(|reading| reading.exchange.response())
        .filter(|response| is_success(response))
        .collect();
    let is_file = |target: &Target| matches!(target, Target::Robots | Target::MachineFile);
    // Of two robots.txt reads (https failed, http tried) the later one counts.
    let superseded = |at: usize, reading: &Reading| {
        evidence
            .reads
            .iter()
            .skip(at + 1)
            .any(|r| r.target == reading.target && r.path == reading.path)
    };
    let read = evidence
        .reads
        .iter()
        .enumerate()
        .filter(|(at, reading)| is_file(&reading.target) && !superseded(*at, reading))
        .map(|(_, reading)| check(look, reading, &control));
    let unread = evidence.not_read.iter().filter(|unread| is_file(&unread.target)).map(not_read);
    read.chain(unread).collect()
}

fn check(look: &Look<'_>, reading: &Reading, control: &[&Response]) -> Check {
    let response = reading.exchange.response();
    let body = response.and_then(|response| look.body(response));
    let (verdict, why) = match &reading.exchange.outcome {
        Outcome::Failed(failure) if failure.kind == FailureKind::RefusedByPolicy => {
            (CheckVerdict::NotRead, Some(failure.detail.clone()))
        }
        Outcome::Failed(failure) => (CheckVerdict::Unreachable, Some(failure.detail.clone())),
        Outcome::Response(response) => verdict(&reading.path, response, body, control),
    };
    let field = |name: &str| response.and_then(|r| r.header(name)).map(|value| shown(value, 200));
    Check {
        path: reading.path.clone(),
        file: reading.path.trim_start_matches('/').to_owned(),
        standard: None,
        optional: reading.path != "/robots.txt" && reading.path != "/sitemap.xml",
        identity: reading.identity.clone(),
        status: response.map(|response| response.status),
        content_type: field("content-type"),
        bytes: response.map(|response| response.body.bytes),
        cache_control: field("cache-control"),
        cf_cache_status: field("cf-cache-status"),
        ms: Some(reading.exchange.took_ms),
        excerpt: body
            .map(|body| shown(&String::from_utf8_lossy(body), look.rules.thresholds.excerpt_chars)),
        sitemap_lines: sitemap_lines(look, reading),
        verdict,
        why,
        summary: None,
        version: None,
        faults: Vec::new(),
        body_sha256: response.map(|response| response.body.sha256.clone()),
        reading: Some(reading.id.clone()),
        cache_split: caching::split(look, reading),
    }
}

fn not_read(unread: &NotRead) -> Check {
    Check {
        path: unread.path.clone(),
        file: unread.path.trim_start_matches('/').to_owned(),
        standard: None,
        optional: unread.path != "/robots.txt" && unread.path != "/sitemap.xml",
        identity: unread.identity.clone(),
        status: None,
        content_type: None,
        bytes: None,
        cache_control: None,
        cf_cache_status: None,
        ms: None,
        excerpt: None,
        sitemap_lines: None,
        verdict: CheckVerdict::NotRead,
        why: Some(format!("Not read: {}.", unread.why)),
        summary: None,
        version: None,
        faults: Vec::new(),
        body_sha256: None,
        reading: None,
        cache_split: None,
    }
}

/// A success status is not yet a file, and only "not found" is an absence.
fn verdict(
    path: &str,
    response: &Response,
    body: Option<&[u8]>,
    control: &[&Response],
) -> (CheckVerdict, Option<String>) {
    let because = |verdict, why: &str| (verdict, Some(why.to_owned()));
    match response.status {
        404 | 410 => (CheckVerdict::Absent, None),
        401 | 402 | 403 | 406 | 407 | 429 | 451 => (
            CheckVerdict::Refused,
            Some(format!(
                "Answered {}: a refusal, which says nothing about the file.",
                response.status
            )),
        ),
        500..=599 => (
            CheckVerdict::Unreachable,
            Some(format!(
                "Answered {}: the server failed, which says nothing about the file.",
                response.status
            )),
        ),
        200..=299 => {
            let Some(body) = body else {
                return because(CheckVerdict::NotRead, "The body is no longer kept.");
            };
            if control.iter().any(|control| control.body.sha256 == response.body.sha256) {
                return because(
                    CheckVerdict::Soft404,
                    "The same bytes are served for a path that cannot exist.",
                );
            }
            match fault(path, body) {
                Some(_) if !control.is_empty() && shape::looks_like_html(body) => because(
                    CheckVerdict::Soft404,
                    "A page was served, and this host answers with a page for paths that cannot exist.",
                ),
                Some(_) if response.body.cut.is_some() => {
                    because(CheckVerdict::NotRead, "The body could not be read to its end.")
                }
                Some(fault) => because(CheckVerdict::Invalid, fault),
                None => (CheckVerdict::Ok, None),
            }
        }
        other => (
            CheckVerdict::Refused,
            Some(format!("Answered {other}, which is neither the file nor its absence.")),
        ),
    }
}

/// What shows that a body is not the kind of file the path is for.
fn fault(path: &str, body: &[u8]) -> Option<&'static str> {
    let json = path.ends_with(".json") || path == "/.well-known/api-catalog";
    if json && !shape::is_json_document(body) {
        return Some("The body is not a JSON document.");
    }
    if path == "/sitemap.xml" && !shape::looks_like_xml(body) {
        return Some("The body is not an XML document.");
    }
    if shape::looks_like_html(body) {
        return Some("The body is an HTML page.");
    }
    // An empty robots.txt is a policy (everything allowed); an empty file of another kind is not one.
    if path != "/robots.txt" && body.trim_ascii().is_empty() {
        return Some("The body is empty.");
    }
    None
}

fn sitemap_lines(look: &Look<'_>, reading: &Reading) -> Option<String> {
    if reading.target != Target::Robots {
        return None;
    }
    let robots = look.robots.robots.as_ref()?;
    let lines: Vec<String> =
        robots.sitemaps.iter().take(20).map(|line| shown(&line.value, 200)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
