//! The findings of a report page: what we saw, why it matters, how to fix it, and how to see it yourself.

use contract::{
    evidence::Evidence,
    records::{AgentRow, Finding, Role, RowCause, ScanRecord, Severity, SideBySide},
    text::{
        TextPiece, curl_command, display_safe, mark_differences,
        unblock_guides::{
            GenuineCheck, UnblockGuide, genuine_checks, has_unblock_guide,
            robots_lines_to_disallow, unblock_guides,
        },
    },
};

use crate::pages::{
    board::short_name,
    status::{self, Status},
};

/// The most characters shown of each of two texts.
const MAX_TEXT_CHARS: usize = 1_000;
/// The most requests of one finding that are shown as commands.
const MAX_COMMANDS: usize = 6;
/// More findings than this are only counted.
const MAX_FINDINGS: usize = 60;

pub(super) struct FindingView<'a> {
    pub(super) number: usize,
    pub(super) finding: &'a Finding,
    pub(super) severity: Status,
    /// High and medium ones are open.
    pub(super) is_open: bool,
    /// `16 points lost · Reach`.
    pub(super) cost: String,
    pub(super) unblock: Option<UnblockView>,
    /// The number of an earlier finding with the same steps.
    pub(super) same_steps_as: Option<usize>,
    pub(super) disallow: Option<String>,
    /// A caption and a command for each request that it is based on.
    pub(super) commands: Vec<(String, String)>,
    pub(super) diff: Option<DiffView<'a>>,
}

/// How to let refused crawlers in.
pub(super) struct UnblockView {
    /// Who was recognised, in a sentence.
    pub(super) who: String,
    pub(super) guides: Vec<UnblockGuide>,
    pub(super) genuine: Vec<GenuineCheck>,
}

pub(super) struct DiffView<'a> {
    pub(super) left_name: &'a str,
    pub(super) left: Vec<TextPiece>,
    pub(super) right_name: &'a str,
    pub(super) right: Vec<TextPiece>,
}

/// `7 findings: 2 high, 5 low`.
pub(super) fn title(record: &ScanRecord) -> String {
    let summary = &record.findings_summary;
    let counts = [
        (summary.high, "high"),
        (summary.medium, "medium"),
        (summary.low, "low"),
        (summary.info, "notes"),
    ];
    let counts: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| match (count, word) {
            (1, "notes") => "1 note".to_owned(),
            _ => format!("{count} {word}"),
        })
        .collect();
    match record.findings.len() {
        0 => "No findings".to_owned(),
        1 => format!("1 finding: {}", counts.join(", ")),
        many => format!("{many} findings: {}", counts.join(", ")),
    }
}

/// By severity, then by points lost.
pub(super) fn views<'a>(
    record: &'a ScanRecord,
    evidence: Option<&Evidence>,
) -> Vec<FindingView<'a>> {
    let lost = |finding: &Finding| points_lost(record, finding);
    let mut findings: Vec<&Finding> = record.findings.iter().collect();
    findings.sort_by_key(|finding| (rank(&finding.severity), std::cmp::Reverse(lost(finding))));
    let mut first_unblock = None;
    let mut views = Vec::new();
    for (index, finding) in findings.into_iter().take(MAX_FINDINGS).enumerate() {
        let number = index + 1;
        let refused = refused_rows(record, finding);
        let (mut unblock, mut same_steps_as) = (None, None);
        if !refused.is_empty() {
            match first_unblock {
                Some(earlier) => same_steps_as = Some(earlier),
                None => {
                    first_unblock = Some(number);
                    unblock = Some(unblock_view(record));
                }
            }
        }
        let tokens: Vec<&str> = refused.iter().map(|row| short_name(&row.label)).collect();
        views.push(FindingView {
            number,
            finding,
            severity: status::severity(&finding.severity),
            is_open: matches!(finding.severity, Severity::High | Severity::Medium),
            cost: cost(record, finding),
            unblock,
            same_steps_as,
            disallow: (!tokens.is_empty()).then(|| robots_lines_to_disallow(&tokens)),
            commands: commands(finding, evidence),
            diff: finding.side_by_side.as_ref().map(diff),
        });
    }
    views
}

fn rank(severity: &Severity) -> u8 {
    match severity {
        Severity::High => 0,
        Severity::Medium => 1,
        Severity::Low => 2,
        _ => 3,
    }
}

fn points_lost(record: &ScanRecord, finding: &Finding) -> u32 {
    let rule = finding.rule.as_deref();
    let row = record.score_ledger.rows.iter().find(|row| Some(row.rule.as_str()) == rule);
    row.and_then(|row| Some(row.of.saturating_sub(row.points?))).unwrap_or(0)
}

fn cost(record: &ScanRecord, finding: &Finding) -> String {
    let section = record.section_scores.iter().find(|section| section.id == finding.section);
    let section = section.map_or(finding.section.as_str(), |section| section.title.as_str());
    match points_lost(record, finding) {
        0 => section.to_owned(),
        1 => format!("1 point lost · {section}"),
        lost => format!("{lost} points lost · {section}"),
    }
}

/// The crawlers that a finding about refused crawlers is about. Empty for all other findings.
fn refused_rows<'a>(record: &'a ScanRecord, finding: &Finding) -> Vec<&'a AgentRow> {
    let role = match finding.id.as_str() {
        "kept_out:reach.training" => Role::Train,
        "kept_out:reach.search" => Role::Search,
        "kept_out:reach.user" => Role::User,
        _ => return Vec::new(),
    };
    record.agentview.rows.iter().filter(|row| row.role == role && is_turned_away(row)).collect()
}

fn is_turned_away(row: &AgentRow) -> bool {
    matches!(row.cause, RowCause::Refused | RowCause::Challenge)
}

/// One set of steps for all crawlers that were refused, because one rule usually refuses them all.
fn unblock_view(record: &ScanRecord) -> UnblockView {
    let is_ai = |row: &&AgentRow| matches!(row.role, Role::Train | Role::Search | Role::User);
    let refused: Vec<&AgentRow> =
        record.agentview.rows.iter().filter(is_ai).filter(|row| is_turned_away(row)).collect();
    let mut vendors: Vec<&str> = refused.iter().filter_map(|row| row.vendor.as_deref()).collect();
    vendors.dedup();
    let present = record.agentview.vendors_present.iter().map(String::as_str);
    let known: Vec<&str> =
        vendors.iter().copied().chain(present).filter(|name| has_unblock_guide(name)).collect();
    let tokens: Vec<&str> = refused.iter().map(|row| short_name(&row.label)).collect();
    let who = match (vendors.as_slice(), known.first()) {
        ([vendor, ..], _) => format!("{vendor} refused them."),
        ([], Some(vendor)) => format!(
            "{vendor} is in front of this site. The answer does not say who refused; check there first."
        ),
        ([], None) => {
            "The answer names no vendor. Check your CDN first, then the web server, then plug-ins."
                .to_owned()
        }
    };
    UnblockView { who, guides: unblock_guides(&known, &tokens), genuine: genuine_checks(&tokens) }
}

fn commands(finding: &Finding, evidence: Option<&Evidence>) -> Vec<(String, String)> {
    let Some(evidence) = evidence else { return Vec::new() };
    let reads = finding.evidence.iter().filter_map(|id| {
        let read = evidence.reads.iter().find(|read| read.id == *id)?;
        let status = read.exchange.response().map(|response| response.status);
        let status = status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
        let caption =
            format!("{} as {} (got {status})", display_safe(&read.path, 80), read.identity);
        Some((caption, curl_command(&read.exchange)))
    });
    reads.take(MAX_COMMANDS).collect()
}

/// Both texts, with the words that differ marked.
fn diff(texts: &SideBySide) -> DiffView<'_> {
    let left = display_safe(&texts.untrusted_left, MAX_TEXT_CHARS);
    let right = display_safe(&texts.untrusted_right, MAX_TEXT_CHARS);
    let (left, right) = mark_differences(&left, &right);
    DiffView { left_name: &texts.left, left, right_name: &texts.right, right }
}
