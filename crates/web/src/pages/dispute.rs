//! A disputed report beside the one that was made because of it.

use askama::Template;
use contract::records::{DisputeRecord, Finding, ScanRecord, Severity};
use service::DisputeView;

use super::dates::minute;
use super::owner::dispute_status;
use super::status::Status;

/// Findings of each report that the page shows.
const SHOWN_FINDINGS: usize = 12;

#[derive(Template)]
#[template(path = "dispute.html")]
struct DisputePage<'a> {
    dispute: &'a DisputeRecord,
    status: Status,
    columns: Vec<ReportColumn<'a>>,
}

struct ReportColumn<'a> {
    title: &'static str,
    id: &'a str,
    grade: &'a str,
    overall: String,
    scanned_at: String,
    findings: Vec<&'a Finding>,
    is_there: bool,
}

pub(crate) fn render(view: &DisputeView) -> String {
    let record = &view.record;
    let mut columns = vec![column("The report", &record.disputed.id, view.disputed.as_deref())];
    if let Some(fresh) = &record.fresh {
        columns.push(column("Read again", &fresh.id, view.fresh.as_deref()));
    }
    super::render(&DisputePage { dispute: record, status: dispute_status(record), columns })
}

fn column<'a>(
    title: &'static str,
    id: &'a str,
    record: Option<&'a ScanRecord>,
) -> ReportColumn<'a> {
    let weighs = |finding: &&Finding| matches!(finding.severity, Severity::High | Severity::Medium);
    let findings = record.map(|record| record.findings.iter().filter(weighs)).into_iter().flatten();
    ReportColumn {
        title,
        id,
        grade: record.and_then(|record| record.grade.as_ref()).map_or("none", |g| g.as_str()),
        overall: record
            .and_then(|record| record.overall)
            .map_or("no score".to_owned(), |overall| format!("{overall} points")),
        scanned_at: record.map(|record| minute(record.scanned_at)).unwrap_or_default(),
        findings: findings.take(SHOWN_FINDINGS).collect(),
        is_there: record.is_some(),
    }
}
