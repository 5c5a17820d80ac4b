//! The page of a domain's owner: the claim, private scans, reports of agents, incidents and disputes.

use askama::Template;
use contract::records::{
    ControlRecord, DisputeRecord, DisputeState, IncidentRecord, OutcomeSummary,
};
use service::ScanRow;

use super::accuracy::EngineChart;
use super::claim::state_status;
use super::dates::minute;
use super::status::Status;

/// What the page shows.
pub(crate) struct OwnerPageParts {
    pub(crate) record: ControlRecord,
    /// The secret of the page's forms.
    pub(crate) form_secret: String,
    pub(crate) private_scans: Vec<ScanRow>,
    pub(crate) public_scans: Vec<ScanRow>,
    pub(crate) outcomes: Option<OutcomeSummary>,
    pub(crate) incident: Option<IncidentRecord>,
    pub(crate) disputes: Vec<DisputeRecord>,
    /// One for each AI engine that was asked about the business.
    pub(crate) engines: Vec<EngineChart>,
}

#[derive(Template)]
#[template(path = "owner.html")]
struct OwnerPage<'a> {
    parts: &'a OwnerPageParts,
    status: Status,
    problem: Option<&'a str>,
}

pub(crate) fn render(parts: &OwnerPageParts, problem: Option<&str>) -> String {
    super::render(&OwnerPage { parts, status: state_status(&parts.record.state), problem })
}

fn grade(row: &ScanRow) -> &str {
    row.grade.as_deref().unwrap_or("none")
}

/// A dispute as icon, word and colour.
pub(crate) fn dispute_status(dispute: &DisputeRecord) -> Status {
    match (&dispute.state, dispute.changed) {
        (DisputeState::Closed, Some(true)) => Status::ok("Verdict changed"),
        (DisputeState::Closed, Some(false)) => Status::off("Verdict stands"),
        (DisputeState::Closed, None) => Status::off("Not read again"),
        _ => Status::warn("To be read again"),
    }
}
