//! Why something of a walk was not read.

use contract::evidence::{Failure, FailureKind, VISIT_LIMIT};
use contract::mcp_evidence::{McpProblem, McpProblemReason as Reason};

pub(super) fn problem(reason: Reason, detail: impl Into<String>) -> McpProblem {
    McpProblem { reason, detail: detail.into(), failure: None }
}

/// A request that failed below the protocol, or whose body was cut.
pub(super) fn failed(failure: Failure) -> McpProblem {
    let reason = match failure.kind {
        FailureKind::TooLarge if failure.reason == VISIT_LIMIT => Reason::WalkTooLarge,
        FailureKind::Timeout => Reason::Timeout,
        FailureKind::TooLarge => Reason::ResponseTooLarge,
        _ => Reason::RequestFailed,
    };
    McpProblem { reason, detail: failure.detail.clone(), failure: Some(Box::new(failure)) }
}

pub(super) fn deadline() -> McpProblem {
    problem(Reason::Deadline, "The time for this walk passed.")
}

pub(super) fn not_reached() -> McpProblem {
    problem(Reason::NotReached, "The walk ended before this list was read.")
}
