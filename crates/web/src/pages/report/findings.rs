//! The findings of a report page: what we saw, why it matters, how to fix it, and how to see it yourself.

use std::{cmp::Reverse, collections::BTreeMap};

use contract::{
    evidence::Evidence,
    records::{AgentRow, Finding, Role, RowCause, ScanRecord, Severity, SideBySide},
    text::{
        TextPiece, curl_command, display_safe, mark_differences,
        unblock_guides::{
            GenuineCheck, UnblockGuide, general_unblock_guide, genuine_checks, has_unblock_guide,
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
    /// The first one is open.
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
    findings.sort_by_key(|finding| (rank(&finding.severity), Reverse(lost(finding))));
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
    refused_although_wanted(record).filter(|row| row.role == role).collect()
}

/// The AI crawlers that were refused and that robots.txt does not exclude. Nobody is helped to let in a
/// crawler that the owner excludes on purpose.
fn refused_although_wanted(record: &ScanRecord) -> impl Iterator<Item = &AgentRow> {
    record.agentview.rows.iter().filter(move |row| {
        matches!(row.role, Role::Train | Role::Search | Role::User)
            && matches!(row.cause, RowCause::Refused | RowCause::Challenge)
            && !is_declared_unwanted(record, row)
    })
}

fn is_declared_unwanted(record: &ScanRecord, row: &AgentRow) -> bool {
    let token = short_name(&row.label);
    record.policy.access.iter().any(|rule| {
        !rule.allowed && rule.path == record.path && rule.agent.eq_ignore_ascii_case(token)
    })
}

/// One set of steps for all crawlers that were refused, because one rule usually refuses them all.
fn unblock_view(record: &ScanRecord) -> UnblockView {
    let refused: Vec<&AgentRow> = refused_although_wanted(record).collect();
    let tokens: Vec<&str> = refused.iter().map(|row| short_name(&row.label)).collect();
    let vendors = count_by_vendor(&refused);
    let present: Vec<&str> = record.agentview.vendors_present.iter().map(String::as_str).collect();
    let known: Vec<&str> = vendors
        .iter()
        .map(|(vendor, _)| *vendor)
        .chain(present.iter().copied())
        .filter(|name| has_unblock_guide(name))
        .collect();
    let refuser = vendors.first().map(|(vendor, _)| *vendor);
    let in_front = known.first().or(present.first()).copied();
    let first = refuser.or(in_front);
    let mut guides = unblock_guides(&known, &tokens);
    if !first.is_some_and(has_unblock_guide) {
        guides.insert(0, general_unblock_guide(first));
    }
    let who = match (refuser, in_front) {
        (Some(_), _) => describe_refusers(&vendors, refused.len()),
        (None, Some(vendor)) => format!(
            "{vendor} is in front of this site. The answers do not say who refused; check there first."
        ),
        (None, None) => {
            "The answers name no product. Check your CDN first, then the web server, then plug-ins."
                .to_owned()
        }
    };
    UnblockView { who, guides, genuine: genuine_checks(&tokens) }
}

/// The vendors that the answers name, each with the number of its answers, the most frequent first.
fn count_by_vendor<'a>(refused: &[&'a AgentRow]) -> Vec<(&'a str, usize)> {
    let mut counts = BTreeMap::new();
    for vendor in refused.iter().filter_map(|row| row.vendor.as_deref()) {
        *counts.entry(vendor).or_insert(0) += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    counts
}

/// `Cloudflare refused 1 of 10; the other answers name no product.`
fn describe_refusers(vendors: &[(&str, usize)], refused: usize) -> String {
    if let [(vendor, count)] = vendors
        && *count == refused
    {
        return format!("{vendor} refused them.");
    }
    let mut parts: Vec<String> = vendors
        .iter()
        .map(|(vendor, count)| format!("{vendor} refused {count} of {refused}"))
        .collect();
    let named: usize = vendors.iter().map(|(_, count)| count).sum();
    match refused.saturating_sub(named) {
        0 => {}
        1 => parts.push("the other answer names no product".to_owned()),
        _ => parts.push("the other answers name no product".to_owned()),
    }
    format!("{}.", parts.join("; "))
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

#[cfg(test)]
mod tests {
    use contract::records::AccessRule;

    use super::*;
    use crate::pages::report::tests::record as example_record;

    /// A record with a refused row for each token and the vendor that its answer names.
    fn record(rows: &[(&str, Option<&str>)], present: &[&str]) -> ScanRecord {
        let mut record = example_record();
        let example = record.agentview.rows[0].clone();
        record.agentview.rows = rows
            .iter()
            .map(|(token, vendor)| AgentRow {
                label: format!("{token} (Somebody, training)"),
                role: Role::Train,
                cause: RowCause::Refused,
                vendor: vendor.map(ToOwned::to_owned),
                ..example.clone()
            })
            .collect();
        record.agentview.vendors_present = present.iter().map(|name| (*name).to_owned()).collect();
        record.policy.access.clear();
        record.findings.truncate(1);
        record.findings[0].id = "kept_out:reach.training".to_owned();
        record
    }

    fn first_guide(record: &ScanRecord) -> String {
        unblock_view(record).guides[0].name.clone()
    }

    /// The owner excludes ClaudeBot in robots.txt, so no text may let it in.
    #[test]
    fn crawlers_that_robots_txt_excludes_are_not_let_in() {
        let mut record =
            record(&[("GPTBot", Some("Cloudflare")), ("ClaudeBot", Some("Cloudflare"))], &[]);
        let mut rule = example_record().policy.access[0].clone();
        rule.path.clone_from(&record.path);
        (rule.agent, rule.allowed) = ("claudebot".to_owned(), false);
        record.policy.access = vec![rule.clone()];
        let views = views(&record, None);
        let unblock = views[0].unblock.as_ref().unwrap();
        for guide in &unblock.guides {
            let text = guide.copy.as_ref().map_or("", |(_, text)| text).to_ascii_lowercase();
            assert!(!text.contains("claudebot"), "{}", guide.name);
            assert!(text.is_empty() || text.contains("gptbot"), "{}", guide.name);
        }
        assert!(unblock.genuine.iter().all(|check| check.agent == "GPTBot"));
        assert!(!views[0].disallow.as_ref().unwrap().contains("ClaudeBot"));

        // With all of them excluded, there is nobody to let in.
        let mut closed = record.clone();
        closed.policy.access.push(AccessRule { agent: "GPTBot".to_owned(), ..rule });
        let views = super::views(&closed, None);
        assert!(views[0].unblock.is_none() && views[0].disallow.is_none());
    }

    #[test]
    fn a_vendor_is_named_for_its_own_answers_only() {
        let cloudflare = Some("Cloudflare");
        for (vendors, expected) in [
            (vec![cloudflare, cloudflare], "Cloudflare refused them."),
            (
                vec![None, cloudflare, None],
                "Cloudflare refused 1 of 3; the other answers name no product.",
            ),
            (
                vec![None, cloudflare, cloudflare],
                "Cloudflare refused 2 of 3; the other answer names no product.",
            ),
            (
                vec![Some("Akamai"), cloudflare, Some("Akamai")],
                "Akamai refused 2 of 3; Cloudflare refused 1 of 3.",
            ),
            (
                vec![None],
                "The answers name no product. Check your CDN first, then the web server, then plug-ins.",
            ),
        ] {
            let rows: Vec<_> = vendors.into_iter().map(|vendor| ("GPTBot", vendor)).collect();
            assert_eq!(unblock_view(&record(&rows, &[])).who, expected);
        }
    }

    /// The first guide is the open one.
    #[test]
    fn a_vendor_without_a_guide_opens_no_other_product() {
        let kasada = [("GPTBot", Some("Kasada"))];
        assert_eq!(first_guide(&record(&kasada, &[])), "Kasada");
        assert_eq!(first_guide(&record(&kasada, &["Cloudflare"])), "Kasada");
        assert_eq!(first_guide(&record(&[("GPTBot", Some("Akamai"))], &["Cloudflare"])), "Akamai");
        let unnamed = [("GPTBot", None)];
        assert_eq!(first_guide(&record(&unnamed, &["Kasada", "Fastly"])), "Fastly");
        assert_eq!(first_guide(&record(&unnamed, &["Kasada"])), "Kasada");
        assert_eq!(first_guide(&record(&unnamed, &[])), "Any product");
    }
}
