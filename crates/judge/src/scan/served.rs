//! Small questions about rows that several rules ask.

use contract::records::{AgentRow, Role, RowCause};

pub(crate) fn is_ai(row: &AgentRow) -> bool {
    matches!(row.role, Role::Train | Role::Search | Role::User)
}

pub(crate) fn is_served(row: &AgentRow) -> bool {
    row.cause == RowCause::Served
}

/// Whether the row shows how the identity is treated. A read that failed or broke off does not.
pub(crate) fn is_measured(row: &AgentRow) -> bool {
    !matches!(
        row.cause,
        RowCause::NotRead | RowCause::Unreachable | RowCause::Incomplete | RowCause::Busy
    )
}

/// Whether the answer was meant: an error or a busy moment is no policy.
pub(super) fn is_turned_away(row: &AgentRow) -> bool {
    matches!(row.cause, RowCause::Refused | RowCause::Challenge | RowCause::PaymentRequired)
}

pub(crate) fn browser(rows: &[AgentRow]) -> Option<&AgentRow> {
    rows.iter().find(|row| row.role == Role::Browser)
}

/// The ids of the readings behind rows.
pub(super) fn readings<'a>(rows: impl IntoIterator<Item = &'a AgentRow>) -> Vec<String> {
    rows.into_iter().filter_map(|row| row.reading.clone()).collect()
}
