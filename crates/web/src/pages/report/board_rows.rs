//! The rows of the board: what each identity received for the home page.

use contract::records::{AgentRow, Role, RowCause, ScanRecord, TextVariation};
use contract::text::record_words::{describe_comparison, describe_stand_in};

use crate::pages::{
    board::{self, BoardColumn, BoardRow, operator, short_name, summarise_served},
    status::{Status, capitalise, outcome},
};

pub(super) fn columns(record: &ScanRecord) -> Vec<BoardColumn> {
    let rows = record.agentview.rows.iter().map(|row| (row.role.clone(), board_row(row)));
    board::columns(rows.collect(), |rows| {
        let causes: Vec<&RowCause> = rows.iter().filter_map(|row| row.cause.as_ref()).collect();
        summarise_served(&causes)
    })
}

fn board_row(row: &AgentRow) -> BoardRow {
    let words = match row.words {
        Some(1) => Some("1 word".to_owned()),
        Some(words) => Some(format!("{words} words")),
        None => None,
    };
    let compared = row.role != Role::Browser && row.cause == RowCause::Served;
    let comparison = describe_comparison(&row.equivalence, row.similarity).filter(|_| compared);
    // A block page without a vendor says no more than the status does.
    let stand_in = describe_stand_in(&row.cause, row.blocker.as_deref(), row.vendor.as_deref())
        .filter(|_| row.vendor.is_some() || row.blocker.as_deref() != Some("block"));
    let price = row.price.as_ref().map(|price| format!("price {price}"));
    let failure = row.error.as_ref().map(|failure| failure.detail.clone());
    let who = match row.role {
        Role::Browser => Some("Reference".to_owned()),
        _ => operator(&row.label).map(str::to_owned),
    };
    let details: Vec<String> =
        [who, stand_in, price, failure, words, comparison].into_iter().flatten().collect();
    BoardRow {
        name: short_name(&row.label).to_owned(),
        status: outcome(&row.cause, row.blocker.as_deref(), row.status),
        cause: Some(row.cause.clone()),
        detail: details.join(", "),
    }
}

pub(super) fn variation_status(variation: &TextVariation, label: &str) -> Status {
    let words = capitalise(label);
    match variation {
        TextVariation::Same => Status::ok(words),
        TextVariation::FollowsIdentity => Status::bad(words),
        TextVariation::NotMeasured => Status::off(words),
        _ => Status::warn(words),
    }
}
