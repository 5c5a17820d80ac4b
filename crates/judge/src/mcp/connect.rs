//! Whether an agent may connect to a server that was scanned.

use contract::records::{
    Decision, DecisionReason, Doubt, McpConnect, McpFinding, McpScanState, McpSeverity, McpTier,
    ReasonClass, Remedy,
};

use super::rules::RuleReport;

/// The decision for a scan. `verified`: a stored verification of the same surface found that the tools
/// only read, as declared; without one the decision is never `allow`.
#[must_use]
pub fn decide_connect(
    state: &McpScanState,
    complete: bool,
    report: &RuleReport,
    verified: bool,
) -> McpConnect {
    match state {
        McpScanState::AuthRequired => {
            return stopped(
                Doubt::McpAuthRequired,
                "The server requires authentication, so its lists could not be read.",
            );
        }
        McpScanState::Observed | McpScanState::Incomplete => {}
        _ => return stopped(Doubt::McpUnreachable, "No MCP server could be read at this address."),
    }
    let hard: Vec<&McpFinding> =
        report.findings.iter().filter(|finding| finding.tier == McpTier::Hard).collect();
    if !hard.is_empty() {
        let ids: Vec<&str> = hard.iter().take(10).map(|finding| finding.id.as_str()).collect();
        return one(
            Decision::Block,
            Doubt::McpHardFinding,
            (false, Remedy::Human),
            "A rule found text that attacks the agent or the user.",
            ids.join(" "),
        );
    }
    if !complete || *state == McpScanState::Incomplete {
        return one(
            Decision::RequireConfirmation,
            Doubt::McpSurfaceIncomplete,
            (true, Remedy::Time),
            "Not all lists of the server could be read. A person should decide.",
            "The rules saw only part of the lists.".to_owned(),
        );
    }
    let weighs = |finding: &&McpFinding| {
        matches!(finding.severity, McpSeverity::Critical | McpSeverity::High | McpSeverity::Medium)
    };
    let soft = report.findings.iter().filter(weighs).count();
    let (decision, why) = match (soft, verified) {
        (0, true) => {
            (Decision::Allow, "No rule found anything, and the tools were verified as read-only.")
        }
        (0, false) => (Decision::Warn, "No rule found anything. The tools were not verified."),
        (1 | 2, _) => (Decision::Warn, "Rules found text that a person should review."),
        _ => {
            (Decision::RequireConfirmation, "Several rules found text that a person should review.")
        }
    };
    McpConnect { decision, why: why.to_owned(), doubts: Vec::new(), reasons: Vec::new() }
}

fn stopped(code: Doubt, why: &str) -> McpConnect {
    let remedy = if code == Doubt::McpAuthRequired { Remedy::Agent } else { Remedy::Time };
    let retryable = code != Doubt::McpAuthRequired;
    one(Decision::RequireConfirmation, code, (retryable, remedy), why, why.to_owned())
}

fn one(
    decision: Decision,
    code: Doubt,
    (retryable, remedy): (bool, Remedy),
    why: &str,
    detail: String,
) -> McpConnect {
    let effect = decision.as_str().to_owned();
    McpConnect {
        decision,
        why: why.to_owned(),
        doubts: vec![code.clone()],
        reasons: vec![DecisionReason {
            code,
            class: ReasonClass::Capability,
            effect,
            retryable,
            remedy,
            detail,
        }],
    }
}
