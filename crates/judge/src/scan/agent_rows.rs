//! Predicates and lookups on the rows of the agent view.

use contract::records::{AgentRow, Role, RowCause};

pub(crate) fn is_ai(row: &AgentRow) -> bool {
    matches!(row.role, Role::Train | Role::Search | Role::User)
}

pub(crate) fn is_served(row: &AgentRow) -> bool {
    row.cause == RowCause::Served
}

/// Whether the row shows how the identity is treated. A request that failed, was cut off, or met a busy
/// server does not.
pub(crate) fn is_measured(row: &AgentRow) -> bool {
    !matches!(
        row.cause,
        RowCause::NotRead | RowCause::Unreachable | RowCause::Incomplete | RowCause::Busy
    )
}

/// Whether the site keeps the client out on purpose. Server errors and rate limits do not count.
pub(super) fn is_kept_out(row: &AgentRow) -> bool {
    matches!(
        row.cause,
        RowCause::Refused
            | RowCause::Challenge
            | RowCause::PaymentRequired
            | RowCause::Gated
            | RowCause::Empty
            | RowCause::Stalled
    )
}

pub(crate) fn browser_row(rows: &[AgentRow]) -> Option<&AgentRow> {
    rows.iter().find(|row| row.role == Role::Browser)
}

/// The ids of the readings behind rows.
pub(super) fn reading_ids<'a>(rows: impl IntoIterator<Item = &'a AgentRow>) -> Vec<String> {
    rows.into_iter().filter_map(|row| row.reading.clone()).collect()
}
