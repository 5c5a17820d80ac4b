//! Checks each machine file: present and valid, absent, refused, or a soft 404.

use contract::evidence::{
    Exchange, ExchangeOutcome, FailureKind, ReadTarget, Reading, Response, SkippedRead,
};
use contract::records::{Check, CheckVerdict, FileFault};
use contract::text::display_safe;
use declared::fault::{Fault, Weight};
use declared::files::{Applicability, FILE_LOCATIONS, FileKind, Inspection, ServedFile, inspect};
use url::Url;

use super::caching;
use super::convert::{display_path, header_pairs, to_file_fault};
use super::linked_files::verify_linked_files;
use super::missing_paths::MissingPaths;
use super::parsed_evidence::{ParsedEvidence, is_success};
use super::sitemap_children;

/// The most faults of one file in a record.
const MAX_FAULTS: usize = 50;

pub(super) fn check_machine_files(parsed: &ParsedEvidence<'_>) -> Vec<Check> {
    let evidence = parsed.evidence;
    let missing = MissingPaths::from_evidence(parsed);
    let is_file = |target: &ReadTarget| {
        matches!(
            target,
            ReadTarget::Robots
                | ReadTarget::MachineFile
                | ReadTarget::Sitemap
                | ReadTarget::SitemapChild
                | ReadTarget::Licence
                | ReadTarget::Feed
        )
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
        .map(|(_, reading)| check_file(parsed, reading, &missing));
    let unread =
        evidence.not_read.iter().filter(|unread| is_file(&unread.target)).map(unread_check);
    let mut checks: Vec<Check> = read.chain(unread).collect();
    sitemap_children::report_dead_index(parsed, &mut checks);
    checks
}

fn check_file(parsed: &ParsedEvidence<'_>, reading: &Reading, missing: &MissingPaths<'_>) -> Check {
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
            judge_response(parsed, reading, response, kind, body, missing)
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
        status: response
            .map(|response| response.status)
            .or_else(|| last_redirect_status(&reading.exchange)),
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
        faults: inspection.map(reported_faults).unwrap_or_default(),
        body_sha256: response.map(|response| response.body.sha256.clone()),
        reading: Some(reading.id.clone()),
        cache_split: caching::compare_cached_file(parsed, reading),
        path: display_path(&reading.path),
    }
}

/// The status of the last redirect, if redirects led nowhere.
fn last_redirect_status(exchange: &Exchange) -> Option<u16> {
    let ExchangeOutcome::Failed(failure) = &exchange.outcome else { return None };
    let last = exchange.hops.iter().filter_map(|hop| hop.status).next_back();
    last.filter(|_| matches!(failure.reason.as_str(), "redirect_loop" | "too_many_redirects"))
}

/// The kind of machine file at a path.
fn file_kind(target: &ReadTarget, path: &str) -> Option<FileKind> {
    match target {
        ReadTarget::Sitemap | ReadTarget::SitemapChild => return Some(FileKind::Sitemap),
        // Judged with the rights that they state.
        ReadTarget::Licence | ReadTarget::Feed => return None,
        _ => {}
    }
    let known = FILE_LOCATIONS.iter().find(|place| place.path == path).map(|place| place.kind);
    known.or_else(|| path_inserted_kind(path))
}

/// OAuth metadata about an issuer or resource with a path: the path follows the well-known part. Reads
/// that another file led to are recorded with their whole URL.
fn path_inserted_kind(path: &str) -> Option<FileKind> {
    let url = Url::parse(path).ok();
    let path = url.as_ref().map_or(path, Url::path);
    [FileKind::OauthResource, FileKind::OauthServer].into_iter().find(|kind| {
        let mut places = FILE_LOCATIONS.iter().filter(|place| place.kind == *kind);
        places.any(|place| {
            path.strip_prefix(place.path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    })
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
/// and 410 mean that it is absent. Redirects were followed; a redirect that remains leads nowhere.
fn judge_response(
    parsed: &ParsedEvidence<'_>,
    reading: &Reading,
    response: &Response,
    kind: Option<FileKind>,
    body: Option<&[u8]>,
    missing: &MissingPaths<'_>,
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
            Some(body) => judge_body(parsed, reading, response, kind, body, missing),
            None => FileResult::with_reason(CheckVerdict::NotRead, "The body is no longer stored."),
        },
        300..=399 if missing.are_redirected_like(reading) => FileResult::with_reason(
            CheckVerdict::Absent,
            "The host redirects this path as it redirects paths that do not exist, so there is no file at it.",
        ),
        300..=399 => FileResult::with_reason(
            CheckVerdict::Refused,
            format!(
                "Answered {} with a redirect that leads to no response we could read, so we cannot tell whether the file exists.",
                response.status
            ),
        ),
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
    parsed: &ParsedEvidence<'_>,
    reading: &Reading,
    response: &Response,
    kind: Option<FileKind>,
    body: &[u8],
    missing: &MissingPaths<'_>,
) -> FileResult {
    if let Some(other) = missing.explain(reading, response, body) {
        let verdict = if other.soft_404 { CheckVerdict::Soft404 } else { CheckVerdict::Absent };
        return FileResult::with_reason(verdict, other.why);
    }
    let Some(kind) = kind else {
        return FileResult { verdict: CheckVerdict::Ok, why: None, inspection: None };
    };
    let fields = header_pairs(response);
    let mut inspection = inspect(
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
    verify_linked_files(parsed, kind, response, body, &mut inspection);
    if reading.target == ReadTarget::SitemapChild {
        report_nested_index(&mut inspection);
    }
    let error = inspection.faults.iter().find(|fault| fault.weight == Weight::Error);
    let redirects = reading.exchange.hops.len().saturating_sub(1);
    let (verdict, why) = if inspection.usable {
        // What is wrong with a part is said here too, so that no fault passes unnoticed.
        (CheckVerdict::Ok, error.map(|fault| format!("A part cannot be used: {}", fault.problem)))
    } else if response.body.cut.is_some() {
        (CheckVerdict::NotRead, Some("The body was not received completely.".to_owned()))
    } else if redirects > 0 && kind.forbids_redirects() && !is_of_its_format(&inspection) {
        return FileResult::with_reason(
            CheckVerdict::Absent,
            "The URL redirects to something that is not the file.",
        );
    } else {
        (CheckVerdict::Invalid, error.map(|fault| fault.problem.clone()))
    };
    FileResult { verdict, why, inspection: Some(inspection) }
}

/// Reports a sitemap index that another index lists: readers follow only one level.
fn report_nested_index(inspection: &mut Inspection) {
    if inspection.version.as_deref() == Some("sitemapindex") {
        inspection.faults.push(Fault {
            code: "index_in_index",
            weight: Weight::Error,
            at: String::new(),
            problem: "A sitemap index lists this file, which is an index itself. Readers do not follow it."
                .to_owned(),
            fix: "List the sitemaps directly in the first index.".to_owned(),
        });
    }
}

/// Whether the body could be parsed as the format of its kind at all.
fn is_of_its_format(inspection: &Inspection) -> bool {
    const OTHER_FORMAT: [&str; 4] = ["html_instead", "not_json", "not_utf8", "wrong_top_level"];
    !inspection.faults.iter().any(|fault| OTHER_FORMAT.contains(&fault.code))
}

/// The faults to report: all of them up to a limit, the serious ones first where the limit cuts.
fn reported_faults(inspection: &Inspection) -> Vec<FileFault> {
    let mut faults: Vec<&Fault> = inspection.faults.iter().collect();
    if faults.len() > MAX_FAULTS {
        faults.sort_by_key(|fault| std::cmp::Reverse(fault.weight));
    }
    faults.into_iter().take(MAX_FAULTS).cloned().map(to_file_fault).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::tests::EvidenceBuilder;
    use contract::records::{FaultWeight, LedgerState};
    use serde_json::Value;

    /// A small file of each kind.
    fn sample(kind: FileKind) -> &'static str {
        match kind {
            FileKind::RobotsTxt => "User-agent: *\nAllow: /\n",
            FileKind::Sitemap => {
                "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>https://ferry.lab/</loc></url></urlset>"
            }
            FileKind::LlmsTxt => "# Ferry\n\n> Times.\n\n## Docs\n\n- [Times](/times): all\n",
            FileKind::LlmsFullTxt | FileKind::AgentsMd => {
                "# Ferry\n\nTimes and prices of the ferry for agents and others.\n"
            }
            FileKind::AgentSkills => {
                r#"{"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":[{"name":"book","type":"skill-md","description":"Books a crossing.","url":"/s.md","digest":"sha256:0"}]}"#
            }
            FileKind::McpServerCard => {
                r#"{"name":"lab.ferry/book","version":"1.0.0","description":"Books","remotes":[{"type":"streamable-http","url":"/mcp"}]}"#
            }
            FileKind::ApiCatalog => {
                r#"{"linkset":[{"anchor":"https://ferry.lab/api","service-desc":[{"href":"https://ferry.lab/o.json"}]}]}"#
            }
            FileKind::AgentCard => {
                r#"{"name":"a","description":"b","version":"1","supportedInterfaces":[{"url":"https://ferry.lab/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[{"id":"s","name":"s","description":"s","tags":["s"]}]}"#
            }
            FileKind::AiCatalog | FileKind::Ard => {
                r#"{"specVersion":"1.0","host":{"displayName":"Ferry"},"entries":[{"identifier":"urn:air:ferry.lab:x:y","displayName":"Y","type":"application/mcp-server-card+json","url":"https://ferry.lab/card.json"}]}"#
            }
            FileKind::Ucp => {
                r#"{"ucp":{"version":"2026-04-08","services":{"dev.ucp.shopping":[{"version":"2026-04-08","transport":"rest","endpoint":"https://ferry.lab/ucp"}]},"payment_handlers":{}}}"#
            }
            FileKind::Acp => {
                r#"{"protocol":{"name":"acp","version":"2026-04-17","supported_versions":["2026-04-17"]},"api_base_url":"https://ferry.lab/acp","transports":["rest"],"capabilities":{"services":["checkout"]}}"#
            }
            FileKind::X402 => r#"{"version":1,"resources":["https://ferry.lab/paid"]}"#,
            FileKind::OauthResource => {
                r#"{"resource":"https://ferry.lab","authorization_servers":["https://ferry.lab"]}"#
            }
            FileKind::OauthServer => {
                r#"{"issuer":"https://ferry.lab","authorization_endpoint":"https://ferry.lab/a","token_endpoint":"https://ferry.lab/t","response_types_supported":["code"],"code_challenge_methods_supported":["S256"]}"#
            }
            FileKind::OpenApi => {
                r#"{"openapi":"3.1.0","info":{"title":"Ferry","version":"1"},"paths":{"/times":{"get":{"operationId":"times","summary":"s","responses":{}}}}}"#
            }
            FileKind::SecurityTxt => "Contact: mailto:a@ferry.lab\nExpires: 2027-01-01T00:00:00Z\n",
            FileKind::BotAuthDirectory => {
                r#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#
            }
            FileKind::Tdmrep => r#"[{"location":"/","tdm-reservation":1}]"#,
            FileKind::AiTxt => "User-Agent: *\nDisallow: /\n",
        }
    }

    /// The file, and the file with each part taken out or replaced, one at a time.
    fn broken(text: &str) -> Vec<String> {
        let mut all = vec![
            text.to_owned(),
            text.replace("https://ferry.lab", "/relative"),
            "nothing".to_owned(),
            " ".to_owned(),
        ];
        let Ok(value) = serde_json::from_str::<Value>(text) else {
            return all;
        };
        let mut pointers = Vec::new();
        list_pointers(&value, "", &mut pointers);
        for pointer in pointers {
            for with in [None, Some(Value::from(7))] {
                let mut changed = value.clone();
                let (parent, name) = pointer.rsplit_once('/').unwrap();
                match (changed.pointer_mut(parent), with) {
                    (Some(Value::Object(members)), None) => drop(members.remove(name)),
                    (Some(Value::Object(members)), Some(with)) => {
                        drop(members.insert(name.to_owned(), with))
                    }
                    (Some(Value::Array(items)), None) => items.clear(),
                    (Some(Value::Array(items)), Some(with)) => {
                        items[name.parse::<usize>().unwrap()] = with
                    }
                    _ => {}
                }
                all.push(changed.to_string());
            }
        }
        all
    }

    fn list_pointers(value: &Value, at: &str, out: &mut Vec<String>) {
        let inner: Vec<(String, &Value)> = match value {
            Value::Object(members) => members.iter().map(|(k, v)| (k.clone(), v)).collect(),
            Value::Array(items) => {
                items.iter().enumerate().map(|(k, v)| (k.to_string(), v)).collect()
            }
            _ => Vec::new(),
        };
        for (name, value) in inner.into_iter().filter(|(name, _)| !name.contains('/')) {
            out.push(format!("{at}/{name}"));
            list_pointers(value, &format!("{at}/{name}"), out);
        }
    }

    /// What the parser calls an error must cost its share and be told, for every kind of file.
    #[test]
    fn no_error_of_any_file_passes_without_a_finding() {
        for place in FILE_LOCATIONS.iter().filter(|place| place.kind != FileKind::RobotsTxt) {
            let mut with_error = 0;
            for body in broken(sample(place.kind)) {
                let record = EvidenceBuilder::new()
                    .control_path(404, "none")
                    .file(place.path, 200, &body)
                    .build_record();
                let check = &record.checks[0];
                let faulty = check.verdict == CheckVerdict::Invalid
                    || check.faults.iter().any(|fault| fault.weight == FaultWeight::Error);
                let told = record
                    .findings
                    .iter()
                    .filter(|finding| finding.rule.as_deref() == Some("machine_files.valid"));
                let rows = &record.score_ledger.rows;
                let row = rows.iter().find(|row| row.rule == "machine_files.valid").unwrap();
                let context = format!("{} {body} {check:#?}", place.path);
                assert_eq!(told.count(), usize::from(faulty), "{context}");
                assert_eq!(row.state == LedgerState::Failed, faulty, "{context}");
                assert!(!faulty || check.why.is_some(), "{context}");
                with_error += usize::from(faulty);
            }
            assert!(with_error > 0, "{}", place.path);
        }
    }
}
