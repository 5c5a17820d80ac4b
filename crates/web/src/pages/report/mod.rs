//! The report page of a scan record.

mod board_rows;
mod calls;
mod files;
mod findings;
mod history;
mod page_facts;
mod policy;
mod reads;
mod unreachable;
mod verdict;

use askama::Template;
use contract::{
    evidence::Evidence,
    records::{ResolveAnswer, ScanRecord, SectionScore, Visibility},
    text::record_words::{describe_access_scope, explain_variation, spaced},
};
use service::ReportContext;

pub(crate) use self::unreachable::render_unreachable;
use self::{
    calls::CallRow,
    files::FilesView,
    findings::FindingView,
    history::HistoryView,
    page_facts::{FactRow, FurtherPage},
    policy::PolicyRow,
    reads::{ReadRow, RefusedAnswer},
    verdict::VerdictView,
};
use super::{
    board::BoardColumn,
    dates::{minute, wait_words},
    status::{self, Status, capitalise, rule_state, score_tone},
};

/// What a page of a report is made from.
#[derive(Debug)]
pub(crate) struct ReportParts {
    pub(crate) record: ScanRecord,
    /// `None` if the stored evidence is of another version of the program.
    pub(crate) evidence: Option<Evidence>,
    pub(crate) context: ReportContext,
    pub(crate) base_url: String,
    /// For the button that scans again.
    pub(crate) token: String,
}

#[derive(Template)]
#[template(path = "report.html")]
struct ReportPage<'a> {
    record: &'a ScanRecord,
    id: &'a str,
    base_url: &'a str,
    token: &'a str,
    verdict: VerdictView,
    columns: Vec<BoardColumn>,
    decisions: Vec<DecisionView>,
    decided_at: Option<String>,
    findings: Vec<FindingView<'a>>,
    findings_title: String,
    policy: Vec<PolicyRow>,
    files: FilesView<'a>,
    calls: Vec<CallRow>,
    facts: Vec<FactRow>,
    pages: Vec<FurtherPage>,
    variation: Status,
    variation_why: String,
    reads: Vec<ReadRow>,
    more_reads: usize,
    refused: Vec<RefusedAnswer>,
    history: Option<HistoryView>,
    rules_summary: String,
    /// `A new scan is possible in 10 seconds.`
    rescan: Option<String>,
}

/// One decision with its deciding reason.
struct DecisionView {
    action: &'static str,
    status: Status,
    why: String,
}

impl ReportPage<'_> {
    fn link(&self) -> String {
        format!("{}/r/{}", self.base_url, self.id)
    }

    fn badge(&self) -> String {
        let (base_url, domain) = (self.base_url, &self.record.domain);
        format!(
            "<a href=\"{}\"><img src=\"{base_url}/badge/{domain}.svg\" width=\"150\" height=\"24\" alt=\"AI agent access\"></a>",
            self.link()
        )
    }

    fn verify_command(&self) -> String {
        let (link, base_url) = (self.link(), self.base_url);
        let kind = self.record.kind.strip_suffix("-scan");
        let brand = kind.filter(|brand| *brand != contract::Brand::DEFAULT);
        let brand = brand.map(|brand| format!(" --brand {brand}")).unwrap_or_default();
        format!(
            "curl -o report.json {link}.json\nwayleave verify report.json --keys {base_url}{brand}"
        )
    }
}

/// The digests of bodies that were served instead of the home page, each once.
pub(crate) fn refused_bodies(record: &ScanRecord) -> Vec<String> {
    reads::refused_bodies(record)
}

/// The picture of a link to the report, as SVG.
pub(crate) fn link_picture(record: &ScanRecord) -> String {
    let verdict = VerdictView::new(record);
    super::pictures::link_picture(record, &verdict.sentence, &verdict.points)
}

pub(crate) fn render(parts: &ReportParts) -> String {
    let ReportParts { record, evidence, context, base_url, token } = parts;
    let (reads, more_reads) = reads::list(evidence.as_ref());
    let findings = findings::views(record, evidence.as_ref());
    let variation = explain_variation(&record.agentview.variation);
    super::render(&ReportPage {
        record,
        id: record.id.as_deref().unwrap_or_default(),
        base_url,
        token,
        verdict: VerdictView::new(record),
        columns: board_rows::columns(record),
        decisions: context.answer.as_deref().map(decisions).unwrap_or_default(),
        decided_at: context.answer.as_ref().map(|answer| minute(answer.answered_at)),
        findings_title: findings::title(record),
        findings,
        policy: policy::rows(record),
        files: FilesView::new(&record.checks),
        calls: calls::rows(context.answer.as_deref()),
        facts: page_facts::facts(record),
        pages: page_facts::further_pages(record),
        variation: board_rows::variation_status(&record.agentview.variation, &variation.label),
        variation_why: match record.agentview.variation_why.as_str() {
            "" => variation.meaning.to_string(),
            why => why.to_owned(),
        },
        reads,
        more_reads,
        refused: reads::refused_answers(record, evidence.as_ref(), &context.refused_bodies),
        history: HistoryView::new(record, &context.history),
        rules_summary: verdict::rules_summary(record),
        rescan: context
            .rescan_after_s
            .map(|seconds| format!("A new scan is possible in {}.", wait_words(seconds))),
    })
}

#[derive(Template)]
#[template(path = "report_unreadable.html")]
struct UnreadableReport<'a> {
    id: &'a str,
}

/// The page for a record that this build cannot parse.
pub(crate) fn render_unreadable(id: &str) -> String {
    super::render(&UnreadableReport { id })
}

fn decisions(answer: &ResolveAnswer) -> Vec<DecisionView> {
    let actions = &answer.actions;
    [
        ("Read", &actions.read.decision, &actions.read.why),
        ("Cite", &actions.cite.decision, &actions.cite.why),
        ("Connect", &actions.connect.decision, &actions.connect.why),
        ("Transact", &actions.transact.decision, &actions.transact.why),
        ("Administer", &actions.administer.decision, &actions.administer.why),
    ]
    .into_iter()
    .map(|(action, decision, why)| DecisionView {
        action,
        status: status::decision(decision),
        why: why.clone(),
    })
    .collect()
}

/// The files that a site could publish, as `format` and name.
const PUBLISHABLE_FILES: [(&str, &str); 4] = [
    ("jsonld", "JSON-LD"),
    ("llms_txt", "llms.txt"),
    ("agent_card", "Agent card"),
    ("robots_txt", "robots.txt"),
];

fn is_private(record: &ScanRecord) -> bool {
    !matches!(record.visibility, Visibility::Public | Visibility::Unlisted)
}

/// The width of a section's bar, in percent.
fn bar_width(section: &SectionScore) -> u32 {
    (section.points * 100).checked_div(section.of).unwrap_or(0).min(100)
}

fn section_tone(section: &SectionScore) -> &'static str {
    score_tone(section.score)
}

#[cfg(test)]
mod tests;
