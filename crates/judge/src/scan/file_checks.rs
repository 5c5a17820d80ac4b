//! Checks each machine file: present and valid, absent, refused, or a soft 404.

use contract::evidence::{
    ExchangeOutcome, FailureKind, ReadTarget, Reading, Response, SkippedRead,
};
use contract::records::{Check, CheckVerdict};
use contract::text::display_safe;
use declared::fault::Weight;
use declared::files::{Applicability, FILE_LOCATIONS, FileKind, Inspection, ServedFile, inspect};
use declared::sniff;

use super::caching;
use super::convert::{display_path, header_pairs, to_file_fault};
use super::parsed_evidence::{ParsedEvidence, is_success};

pub(super) fn check_machine_files(parsed: &ParsedEvidence<'_>) -> Vec<Check> {
    let evidence = parsed.evidence;
    let control: Vec<&Response> = parsed
        .readings(ReadTarget::ControlPath)
        .filter_map(|reading| reading.exchange.response())
        // A challenge does not show whether the path exists.
        .filter(|response| is_success(response) && !parsed.is_certain_wall(response))
        .collect();
    let is_file = |target: &ReadTarget| {
        matches!(target, ReadTarget::Robots | ReadTarget::MachineFile | ReadTarget::Sitemap)
    };
    // If robots.txt was read twice (https failed, then http), the later reading counts.
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
        .map(|(_, reading)| check_file(parsed, reading, &control));
    let unread =
        evidence.not_read.iter().filter(|unread| is_file(&unread.target)).map(unread_check);
    read.chain(unread).collect()
}

fn check_file(parsed: &ParsedEvidence<'_>, reading: &Reading, control: &[&Response]) -> Check {
    let response = reading.exchange.response();
    let body = response.and_then(|response| parsed.body(response));
    let kind = file_kind(&reading.target, &reading.path);
    let judged = match &reading.exchange.outcome {
        ExchangeOutcome::Failed(failure) if failure.kind == FailureKind::RefusedByPolicy => {
            FileResult::with_reason(CheckVerdict::NotRead, failure.detail.clone())
        }
        ExchangeOutcome::Failed(failure) => {
            FileResult::with_reason(CheckVerdict::Unreachable, failure.detail.clone())
        }
        ExchangeOutcome::Response(response)
            if is_success(response) && parsed.is_certain_wall(response) =>
        {
            FileResult::with_reason(
                CheckVerdict::Refused,
                format!(
                    "Answered {} with a block or challenge page instead of the file, so we cannot tell whether the file exists.",
                    response.status
                ),
            )
        }
        ExchangeOutcome::Response(response) => {
            judge_response(reading, response, kind, body, control)
        }
    };
    let field =
        |name: &str| response.and_then(|r| r.header(name)).map(|value| display_safe(value, 200));
    let inspection = judged.inspection.as_ref();
    Check {
        file: kind.map_or("other", FileKind::as_str).to_owned(),
        standard: kind.map(|kind| kind.standard().to_owned()),
        optional: is_optional(&reading.path),
        identity: reading.identity.clone(),
        status: response.map(|response| response.status),
        content_type: field("content-type"),
        bytes: response.map(|response| response.body.bytes),
        cache_control: field("cache-control"),
        cf_cache_status: field("cf-cache-status"),
        ms: Some(reading.exchange.took_ms),
        excerpt: body.map(|body| excerpt(body, parsed.rules.thresholds.excerpt_chars)),
        sitemap_lines: sitemap_lines(parsed, reading),
        verdict: judged.verdict,
        why: judged.why,
        summary: inspection.map(|inspection| inspection.summary.clone()),
        version: inspection.and_then(|inspection| inspection.version.clone()),
        faults: inspection
            .into_iter()
            .flat_map(|inspection| inspection.faults.iter().cloned().map(to_file_fault))
            .take(50)
            .collect(),
        body_sha256: response.map(|response| response.body.sha256.clone()),
        reading: Some(reading.id.clone()),
        cache_split: caching::compare_cached_file(parsed, reading),
        path: display_path(&reading.path),
    }
}

/// The kind of machine file at a path.
fn file_kind(target: &ReadTarget, path: &str) -> Option<FileKind> {
    if *target == ReadTarget::Sitemap {
        return Some(FileKind::Sitemap);
    }
    FILE_LOCATIONS.iter().find(|place| place.path == path).map(|place| place.kind)
}

fn is_optional(path: &str) -> bool {
    FILE_LOCATIONS
        .iter()
        .find(|place| place.path == path)
        .is_some_and(|place| place.applies == Applicability::WhereOffered)
}

/// The beginning of a body as safe text.
fn excerpt(body: &[u8], chars: usize) -> String {
    let beginning = body.get(..chars * 4).unwrap_or(body);
    display_safe(&String::from_utf8_lossy(beginning), chars)
}

fn unread_check(unread: &SkippedRead) -> Check {
    Check {
        path: display_path(&unread.path),
        file: file_kind(&unread.target, &unread.path).map_or("other", FileKind::as_str).to_owned(),
        standard: file_kind(&unread.target, &unread.path).map(|kind| kind.standard().to_owned()),
        optional: is_optional(&unread.path),
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

/// The result for one file.
struct FileResult {
    verdict: CheckVerdict,
    why: Option<String>,
    inspection: Option<Inspection>,
}

impl FileResult {
    fn with_reason(verdict: CheckVerdict, why: impl Into<String>) -> Self {
        Self { verdict, why: Some(why.into()), inspection: None }
    }
}

/// Judges a response by its status. A success status does not prove that the file exists, and only 404
/// and 410 mean that it is absent.
fn judge_response(
    reading: &Reading,
    response: &Response,
    kind: Option<FileKind>,
    body: Option<&[u8]>,
    control: &[&Response],
) -> FileResult {
    match response.status {
        404 | 410 => FileResult { verdict: CheckVerdict::Absent, why: None, inspection: None },
        401 | 402 | 403 | 406 | 407 | 429 | 451 => FileResult::with_reason(
            CheckVerdict::Refused,
            format!(
                "Answered {}: the server refused the request, so we cannot tell whether the file exists.",
                response.status
            ),
        ),
        500..=599 => FileResult::with_reason(
            CheckVerdict::Unreachable,
            format!(
                "Answered {}: a server error, so we cannot tell whether the file exists.",
                response.status
            ),
        ),
        200..=299 => match body {
            Some(body) => judge_body(reading, response, kind, body, control),
            None => FileResult::with_reason(CheckVerdict::NotRead, "The body is no longer stored."),
        },
        300..=399 if matches!(kind, Some(FileKind::Ucp | FileKind::BotAuthDirectory)) => {
            FileResult::with_reason(
                CheckVerdict::Invalid,
                "The URL redirects, which the standard forbids. Agents do not follow the redirect and find no file.",
            )
        }
        other => FileResult::with_reason(
            CheckVerdict::Refused,
            format!(
                "Answered {other}, which means neither that the file exists nor that it is missing."
            ),
        ),
    }
}

/// Judges a body served with success: the file, something else, or a soft 404.
fn judge_body(
    reading: &Reading,
    response: &Response,
    kind: Option<FileKind>,
    body: &[u8],
    control: &[&Response],
) -> FileResult {
    if control.iter().any(|control| control.body.sha256 == response.body.sha256) {
        return FileResult::with_reason(
            CheckVerdict::Soft404,
            "The host serves the same bytes for a path that does not exist.",
        );
    }
    if !control.is_empty() && sniff::looks_like_html(body) {
        return FileResult::with_reason(
            CheckVerdict::Soft404,
            "The host served an HTML page, and it also serves HTML pages for paths that do not exist.",
        );
    }
    let Some(kind) = kind else {
        return FileResult { verdict: CheckVerdict::Ok, why: None, inspection: None };
    };
    let fields = header_pairs(response);
    let inspection = inspect(
        kind,
        &ServedFile {
            requested_url: &reading.exchange.url,
            final_url: &response.url,
            redirects: reading.exchange.hops.len().saturating_sub(1),
            status: response.status,
            headers: &fields,
            body,
            truncated: response.body.cut.is_some(),
            read_at_s: reading.exchange.started_at.as_millis() / 1_000,
        },
    );
    let (verdict, why) = if inspection.usable {
        (CheckVerdict::Ok, None)
    } else if response.body.cut.is_some() {
        (CheckVerdict::NotRead, Some("The body was not received completely.".to_owned()))
    } else {
        let error = inspection.faults.iter().find(|fault| fault.weight == Weight::Error);
        (CheckVerdict::Invalid, error.map(|fault| fault.problem.clone()))
    };
    FileResult { verdict, why, inspection: Some(inspection) }
}

fn sitemap_lines(parsed: &ParsedEvidence<'_>, reading: &Reading) -> Option<String> {
    if reading.target != ReadTarget::Robots {
        return None;
    }
    let robots = parsed.robots.rules.as_ref()?;
    let lines: Vec<String> =
        robots.sitemaps.iter().take(20).map(|line| display_safe(&line.value, 200)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
