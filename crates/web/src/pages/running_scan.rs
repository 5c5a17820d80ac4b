//! The page of a running scan, and the part of it that is sent again when something changes.

use askama::Template;
use service::{ReadResult, RunningScan, ScanBoard};

use super::{
    board::{self, BoardColumn, BoardRow, operator, short_name},
    dates::second,
    status::Status,
};

#[derive(Template)]
#[template(path = "running_scan.html")]
struct RunningScanPage<'a> {
    id: &'a str,
    domain: String,
    started: String,
    words: String,
    total: usize,
    board: &'a ScanBoard,
    columns: Vec<BoardColumn>,
    files: Vec<(&'a str, Status)>,
    more_files: usize,
}

#[derive(Template)]
#[template(path = "running_board.html")]
struct RunningBoard<'a> {
    columns: Vec<BoardColumn>,
    files: Vec<(&'a str, Status)>,
    more_files: usize,
}

pub(crate) fn render(scan: &RunningScan) -> String {
    let board = scan.board();
    super::render(&RunningScanPage {
        id: &scan.id,
        domain: scan.domain.to_string(),
        started: second(scan.started_at),
        words: progress_words(&board),
        total: board.total.max(1),
        columns: columns(&board),
        files: files(&board),
        more_files: board.more_files,
        board: &board,
    })
}

/// The part of the page that changes.
pub(crate) fn render_board(board: &ScanBoard) -> String {
    super::render(&RunningBoard {
        columns: columns(board),
        files: files(board),
        more_files: board.more_files,
    })
}

/// `31 of 55 requests done`.
pub(crate) fn progress_words(board: &ScanBoard) -> String {
    match (board.accepted, board.total) {
        (false, _) => "Waiting for a free place.".to_owned(),
        (true, 0) => "Looking up the address and reading robots.txt.".to_owned(),
        (true, total) if board.done >= total => {
            format!("All {total} requests are done. Comparing, grading and signing.")
        }
        (true, total) => format!("{} of {total} requests done.", board.done),
    }
}

fn columns(board: &ScanBoard) -> Vec<BoardColumn> {
    let row = |identity: &service::IdentityProgress| {
        let row = BoardRow {
            name: short_name(&identity.label).to_owned(),
            status: read_status(identity.result.as_ref()),
            cause: None,
            detail: operator(&identity.label).unwrap_or_default().to_owned(),
        };
        (identity.role.clone(), row)
    };
    board::columns(board.identities.iter().map(row).collect(), |rows| {
        let done = rows.iter().filter(|row| row.status.icon != "wait").count();
        Status::new(
            "off",
            if done == rows.len() { "ok" } else { "wait" },
            format!("{done} of {}", rows.len()),
        )
    })
}

fn files(board: &ScanBoard) -> Vec<(&str, Status)> {
    let status = |result: &ReadResult| match result.status {
        Some(status @ 200..=299) => Status::ok(status.to_string()),
        Some(status @ (401 | 403)) => Status::bad(status.to_string()),
        Some(status) => Status::off(status.to_string()),
        None => Status::off("no answer"),
    };
    board.files.iter().map(|file| (file.path.as_str(), status(&file.result))).collect()
}

/// What is known of a request before anything is judged: only the status.
fn read_status(result: Option<&ReadResult>) -> Status {
    let Some(result) = result else { return Status::new("off", "wait", "Waiting") };
    match result.status {
        Some(status @ 200..=299) => Status::ok(format!("Answered {status}")),
        Some(status @ (401 | 403)) => Status::bad(format!("Refused {status}")),
        Some(402) => Status::warn("Asked to pay 402"),
        Some(429) => Status::warn("Rate limited 429"),
        Some(status) => Status::off(format!("Answered {status}")),
        None => Status::off("No answer"),
    }
}

#[cfg(test)]
mod tests {
    use contract::records::Role;
    use service::{FileProgress, IdentityProgress};

    use super::*;

    fn board() -> ScanBoard {
        let result = |status| Some(ReadResult { status: Some(status), failure: None });
        let identity = |id: &str, label: &str, role, result| IdentityProgress {
            id: id.to_owned(),
            label: label.to_owned(),
            role,
            result,
        };
        ScanBoard {
            accepted: true,
            done: 3,
            total: 50,
            identities: vec![
                identity("browser", "Chrome on Windows", Role::Browser, result(200)),
                identity("gptbot", "GPTBot (OpenAI, training)", Role::Train, result(403)),
                identity("ccbot", "CCBot (Common Crawl, training)", Role::Train, None),
            ],
            files: vec![FileProgress {
                path: "/<script>x</script>".to_owned(),
                result: ReadResult { status: None, failure: Some("timeout".to_owned()) },
            }],
            more_files: 7,
            result: None,
        }
    }

    #[test]
    fn the_board_shows_each_result_and_escapes_paths() {
        let html = render_board(&board());
        for shown in
            ["Answered 200", "Refused 403", "Waiting", "1 of 2", "and 7 more", "Common Crawl"]
        {
            assert!(html.contains(shown), "{shown}\n{html}");
        }
        assert!(!html.contains("<script>") && html.contains("/&lt;script&gt;"));
        assert_eq!(progress_words(&board()), "3 of 50 requests done.");
        assert_eq!(
            progress_words(&ScanBoard { done: 50, ..board() }),
            "All 50 requests are done. Comparing, grading and signing."
        );
    }
}
