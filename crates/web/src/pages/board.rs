//! The board: who gets the page, one column per purpose. Used by the report and while a scan runs.

use contract::records::Role;

use super::status::Status;

/// The columns in display order, with the roles that belong to them.
const COLUMNS: [(&str, &[Role]); 4] = [
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
    pub(super) detail: String,
}

/// Sorts rows into columns. `summarise` gets the statuses of a column.
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
