//! The machine files: there, absent, refused, or only seemingly there.

use contract::evidence::{FailureKind, NotRead, Outcome, Reading, Response, Target};
use contract::records::{Check, CheckVerdict, FaultWeight, FileFault};
use declared::fault::{Fault, Weight};
use declared::files::{Applies, Inspection, Kind, PLACES, Served, inspect};
use declared::shape;

use super::look::{Look, is_success};
use super::signals::headers;
use super::{caching, shown};

pub(super) fn checks(look: &Look<'_>) -> Vec<Check> {
    let evidence = look.evidence;
    let control: Vec<&Response> = look
        .reads(Target::ControlPath)
        .filter_map(|reading| reading.exchange.response())
        // A challenge is no answer about the path.
        .filter(|response| is_success(response) && !look.is_walled(response))
        .collect();
    let is_file =
        |target: &Target| matches!(target, Target::Robots | Target::MachineFile | Target::Sitemap);
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
    let kind = kind_of(&reading.target, &reading.path);
    let judged = match &reading.exchange.outcome {
        Outcome::Failed(failure) if failure.kind == FailureKind::RefusedByPolicy => {
            Judged::of(CheckVerdict::NotRead, failure.detail.clone())
        }
        Outcome::Failed(failure) => Judged::of(CheckVerdict::Unreachable, failure.detail.clone()),
        Outcome::Response(response) if is_success(response) && look.is_walled(response) => {
            Judged::of(
                CheckVerdict::Refused,
                format!(
                    "Answered {} with a wall in the file's place: a refusal, which says nothing about the file.",
                    response.status
                ),
            )
        }
        Outcome::Response(response) => judged(reading, response, kind, body, control),
    };
    let field = |name: &str| response.and_then(|r| r.header(name)).map(|value| shown(value, 200));
    let inspection = judged.inspection.as_ref();
    Check {
        file: kind.map_or("other", Kind::as_str).to_owned(),
        standard: kind.map(|kind| kind.standard().to_owned()),
        optional: optional(&reading.path),
        identity: reading.identity.clone(),
        status: response.map(|response| response.status),
        content_type: field("content-type"),
        bytes: response.map(|response| response.body.bytes),
        cache_control: field("cache-control"),
        cf_cache_status: field("cf-cache-status"),
        ms: Some(reading.exchange.took_ms),
        excerpt: body.map(|body| excerpt(body, look.rules.thresholds.excerpt_chars)),
        sitemap_lines: sitemap_lines(look, reading),
        verdict: judged.verdict,
        why: judged.why,
        summary: inspection.map(|inspection| inspection.summary.clone()),
        version: inspection.and_then(|inspection| inspection.version.clone()),
        faults: inspection
            .into_iter()
            .flat_map(|inspection| inspection.faults.iter().cloned().map(told))
            .take(50)
            .collect(),
        body_sha256: response.map(|response| response.body.sha256.clone()),
        reading: Some(reading.id.clone()),
        cache_split: caching::split(look, reading),
        path: told_path(&reading.path),
    }
}

/// A path as the record tells it: that of a sitemap is a stranger's words.
pub(super) fn told_path(path: &str) -> String {
    shown(path, 300)
}

/// What a path is for.
fn kind_of(target: &Target, path: &str) -> Option<Kind> {
    if *target == Target::Sitemap {
        return Some(Kind::Sitemap);
    }
    PLACES.iter().find(|place| place.path == path).map(|place| place.kind)
}

fn optional(path: &str) -> bool {
    PLACES
        .iter()
        .find(|place| place.path == path)
        .is_some_and(|place| place.applies == Applies::Some)
}

/// A fault of a file as the record tells it.
pub(super) fn told(fault: Fault) -> FileFault {
    FileFault {
        code: fault.code.to_owned(),
        weight: match fault.weight {
            Weight::Note => FaultWeight::Note,
            Weight::Warning => FaultWeight::Warning,
            Weight::Error => FaultWeight::Error,
        },
        at: fault.at,
        problem: fault.problem,
        fix: fault.fix,
    }
}

/// The beginning of a body; of one that is no text, nothing that could be taken for some.
fn excerpt(body: &[u8], chars: usize) -> String {
    let beginning = body.get(..chars * 4).unwrap_or(body);
    shown(&String::from_utf8_lossy(beginning), chars)
}

fn not_read(unread: &NotRead) -> Check {
    Check {
        path: told_path(&unread.path),
        file: kind_of(&unread.target, &unread.path).map_or("other", Kind::as_str).to_owned(),
        standard: kind_of(&unread.target, &unread.path).map(|kind| kind.standard().to_owned()),
        optional: optional(&unread.path),
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

/// What a file came to.
struct Judged {
    verdict: CheckVerdict,
    why: Option<String>,
    inspection: Option<Inspection>,
}

impl Judged {
    fn of(verdict: CheckVerdict, why: impl Into<String>) -> Self {
        Self { verdict, why: Some(why.into()), inspection: None }
    }
}

/// A success status is not yet a file, and only "not found" is an absence.
fn judged(
    reading: &Reading,
    response: &Response,
    kind: Option<Kind>,
    body: Option<&[u8]>,
    control: &[&Response],
) -> Judged {
    match response.status {
        404 | 410 => Judged { verdict: CheckVerdict::Absent, why: None, inspection: None },
        401 | 402 | 403 | 406 | 407 | 429 | 451 => Judged::of(
            CheckVerdict::Refused,
            format!("Answered {}: a refusal, which says nothing about the file.", response.status),
        ),
        500..=599 => Judged::of(
            CheckVerdict::Unreachable,
            format!(
                "Answered {}: the server failed, which says nothing about the file.",
                response.status
            ),
        ),
        200..=299 => match body {
            Some(body) => present(reading, response, kind, body, control),
            None => Judged::of(CheckVerdict::NotRead, "The body is no longer kept."),
        },
        300..=399 if matches!(kind, Some(Kind::Ucp | Kind::BotAuthDirectory)) => Judged::of(
            CheckVerdict::Invalid,
            "It is redirected, which its standard forbids: agents do not follow, and find nothing.",
        ),
        other => Judged::of(
            CheckVerdict::Refused,
            format!("Answered {other}, which is neither the file nor its absence."),
        ),
    }
}

/// Something was served with success: the file, another thing, or what this host serves for anything.
fn present(
    reading: &Reading,
    response: &Response,
    kind: Option<Kind>,
    body: &[u8],
    control: &[&Response],
) -> Judged {
    if control.iter().any(|control| control.body.sha256 == response.body.sha256) {
        return Judged::of(
            CheckVerdict::Soft404,
            "The same bytes are served for a path that cannot exist.",
        );
    }
    if !control.is_empty() && shape::looks_like_html(body) {
        return Judged::of(
            CheckVerdict::Soft404,
            "A page was served, and this host answers with a page for paths that cannot exist.",
        );
    }
    let Some(kind) = kind else {
        return Judged { verdict: CheckVerdict::Ok, why: None, inspection: None };
    };
    let fields = headers(response);
    let inspection = inspect(
        kind,
        &Served {
            asked_url: &reading.exchange.url,
            final_url: &response.url,
            redirects: reading.exchange.hops.len().saturating_sub(1),
            status: response.status,
            headers: &fields,
            body,
            cut: response.body.cut.is_some(),
            read_at_s: reading.exchange.started_at.as_millis() / 1_000,
        },
    );
    let (verdict, why) = if inspection.usable {
        (CheckVerdict::Ok, None)
    } else if response.body.cut.is_some() {
        (CheckVerdict::NotRead, Some("The body could not be read to its end.".to_owned()))
    } else {
        let error = inspection.faults.iter().find(|fault| fault.weight == Weight::Error);
        (CheckVerdict::Invalid, error.map(|fault| fault.problem.clone()))
    };
    Judged { verdict, why, inspection: Some(inspection) }
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
