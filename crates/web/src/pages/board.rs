//! The board: who gets the page, one column per purpose. Used by the report and while a scan runs.

use contract::records::{Role, RowCause};

use super::status::{Status, outcome};

/// The columns in display order, with the roles that belong to them.
pub(super) const COLUMNS: [(&str, &[Role]); 4] = [
    ("Not AI", &[Role::Browser, Role::Control]),
    ("Training", &[Role::Train]),
    ("AI search", &[Role::Search]),
    ("For a person", &[Role::User]),
];

#[derive(Debug)]
pub(super) struct BoardColumn {
    pub(super) title: &'static str,
    pub(super) summary: Status,
    pub(super) rows: Vec<BoardRow>,
}

#[derive(Debug)]
pub(super) struct BoardRow {
    pub(super) name: String,
    pub(super) status: Status,
    /// `None` while the scan runs: nothing is judged yet.
    pub(super) cause: Option<RowCause>,
    pub(super) detail: String,
}

/// Whether a row shows how the site treats the identity. If not, the row counts on neither side: it is not
/// shown as refused.
pub(super) fn is_measured(cause: &RowCause) -> bool {
    !matches!(
        cause,
        RowCause::NotRead | RowCause::Unreachable | RowCause::Busy | RowCause::Incomplete
    )
}

/// How many of the measured identities got the page, and how many were measured.
pub(super) fn count_served<'a>(causes: impl IntoIterator<Item = &'a RowCause>) -> (usize, usize) {
    causes.into_iter().filter(|cause| is_measured(cause)).fold((0, 0), |(served, of), cause| {
        (served + usize::from(*cause == RowCause::Served), of + 1)
    })
}

/// `3 of 4 served`, or that nothing was measured.
pub(super) fn summarise_served(causes: &[&RowCause]) -> Status {
    let (served, of) = count_served(causes.iter().copied());
    let words = format!("{served} of {of} served");
    // An error of the server is no refusal.
    let has_refusal = || causes.iter().any(|cause| outcome(cause, None, None).tone != "off");
    match served {
        _ if of == 0 => Status::off("Not measured"),
        all if all == of => Status::ok(words),
        0 if has_refusal() => Status::bad(words),
        0 => Status::off(words),
        _ => Status::warn(words),
    }
}

/// Sorts rows into columns. `summarise` gets the rows of a column.
pub(super) fn columns(
    rows: Vec<(Role, BoardRow)>,
    summarise: impl Fn(&[BoardRow]) -> Status,
) -> Vec<BoardColumn> {
    let mut columns: Vec<BoardColumn> = COLUMNS
        .iter()
        .map(|(title, _)| BoardColumn { title, summary: Status::off(""), rows: Vec::new() })
        .collect();
    for (role, row) in rows {
        let place = COLUMNS.iter().position(|(_, roles)| roles.contains(&role));
        if let Some(column) = place.and_then(|at| columns.get_mut(at)) {
            column.rows.push(row);
        }
    }
    columns.retain(|column| !column.rows.is_empty());
    for column in &mut columns {
        column.summary = summarise(&column.rows);
    }
    columns
}

/// The name before the brackets of a label: `GPTBot (OpenAI, training)` is `GPTBot`.
pub(super) fn short_name(label: &str) -> &str {
    label.split(" (").next().unwrap_or(label)
}

/// The operator in a label: `GPTBot (OpenAI, training)` is of `OpenAI`.
pub(super) fn operator(label: &str) -> Option<&str> {
    let (_, brackets) = label.split_once(" (")?;
    brackets.split([',', ')']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was not measured is neither served nor refused.
    #[test]
    fn only_measured_rows_are_counted() {
        use RowCause::{
            Busy, Challenge, Incomplete, NotRead, Refused, Served, ServerError, Unreachable,
        };
        for (causes, expected) in [
            (vec![Served, Served], Status::ok("2 of 2 served")),
            (vec![Served, Refused, NotRead], Status::warn("1 of 2 served")),
            (vec![Refused, Challenge], Status::bad("0 of 2 served")),
            (vec![Refused, Busy, Incomplete], Status::bad("0 of 1 served")),
            (vec![Served, Unreachable, Busy], Status::ok("1 of 1 served")),
            (vec![ServerError, ServerError], Status::off("0 of 2 served")),
            (vec![NotRead, NotRead, NotRead, NotRead], Status::off("Not measured")),
            (vec![Unreachable, Busy, Incomplete], Status::off("Not measured")),
            (vec![], Status::off("Not measured")),
        ] {
            let causes: Vec<&RowCause> = causes.iter().collect();
            assert_eq!(summarise_served(&causes), expected, "{causes:?}");
        }
    }

    #[test]
    fn labels_are_taken_apart() {
        let label = "ChatGPT-User (OpenAI, on a person's request)";
        assert_eq!((short_name(label), operator(label)), ("ChatGPT-User", Some("OpenAI")));
        assert_eq!(
            (short_name("Unnamed client"), operator("Unnamed client")),
            ("Unnamed client", None)
        );
    }
}
