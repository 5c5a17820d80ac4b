//! Every read of a scan with the command that repeats it, and what refused clients were served.

use contract::{
    evidence::{Evidence, ExchangeOutcome, Reading},
    records::{AgentRow, RowCause, ScanRecord},
    text::{curl_command, display_safe},
};
use service::RefusedBody;

use crate::pages::board::short_name;

/// Further reads are only counted; the raw record has all of them.
const MAX_READS: usize = 80;
/// The most header fields shown of a refusal.
const MAX_HEADERS: usize = 16;

pub(super) struct ReadRow {
    pub(super) id: String,
    pub(super) path: String,
    pub(super) identity: String,
    /// The status, or why there is none.
    pub(super) result: String,
    pub(super) took: String,
    pub(super) command: String,
}

/// What was served instead of the page, once for all who got it.
pub(super) struct RefusedAnswer {
    /// `GPTBot and 9 others`.
    pub(super) who: String,
    /// Status line, header fields and the beginning of the body, in pieces that are short enough to be shown
    /// whole.
    pub(super) head: String,
    pub(super) body: Vec<String>,
    pub(super) is_cut: bool,
}

pub(super) fn list(evidence: Option<&Evidence>) -> (Vec<ReadRow>, usize) {
    let Some(evidence) = evidence else { return (Vec::new(), 0) };
    let rows = evidence.reads.iter().take(MAX_READS).map(read_row).collect();
    (rows, evidence.reads.len().saturating_sub(MAX_READS))
}

fn read_row(read: &Reading) -> ReadRow {
    let result = match &read.exchange.outcome {
        ExchangeOutcome::Response(response) => response.status.to_string(),
        ExchangeOutcome::Failed(failure) => failure.detail.clone(),
    };
    ReadRow {
        id: read.id.clone(),
        path: display_safe(&read.path, 120),
        identity: read.identity.clone(),
        result,
        took: format!("{} ms", read.exchange.took_ms),
        command: curl_command(&read.exchange),
    }
}

fn is_refused(row: &&AgentRow) -> bool {
    matches!(
        row.cause,
        RowCause::Refused
            | RowCause::Challenge
            | RowCause::PaymentRequired
            | RowCause::RateLimited
            | RowCause::Gated
    )
}

pub(super) fn refused_bodies(record: &ScanRecord) -> Vec<String> {
    let mut digests: Vec<String> = Vec::new();
    for digest in
        record.agentview.rows.iter().filter(is_refused).filter_map(|row| row.body_sha256.as_ref())
    {
        if !digests.contains(digest) {
            digests.push(digest.clone());
        }
    }
    digests
}

pub(super) fn refused_answers(
    record: &ScanRecord,
    evidence: Option<&Evidence>,
    bodies: &[RefusedBody],
) -> Vec<RefusedAnswer> {
    let answer = |body: &RefusedBody| {
        let rows: Vec<&AgentRow> = record
            .agentview
            .rows
            .iter()
            .filter(is_refused)
            .filter(|row| row.body_sha256.as_deref() == Some(body.sha256.as_str()))
            .collect();
        let first = rows.first()?;
        let who = match rows.len() {
            1 => short_name(&first.label).to_owned(),
            2 => format!("{} and one other", short_name(&first.label)),
            many => format!("{} and {} others", short_name(&first.label), many - 1),
        };
        let reading = first.reading.as_deref();
        let read = evidence?.reads.iter().find(|read| Some(read.id.as_str()) == reading);
        // Bytes that are not text are shown as such, never interpreted.
        let text: Vec<char> = String::from_utf8_lossy(&body.beginning).chars().collect();
        Some(RefusedAnswer {
            who,
            head: read.map(head).unwrap_or_default(),
            body: text.chunks(1_000).map(|piece| piece.iter().collect()).collect(),
            is_cut: body.is_cut,
        })
    };
    bodies.iter().filter_map(answer).collect()
}

fn head(read: &Reading) -> String {
    let Some(response) = read.exchange.response() else { return String::new() };
    let mut text = format!("HTTP/{} {}\n", response.http, response.status);
    for line in response.headers.iter().take(MAX_HEADERS) {
        text.push_str(&format!(
            "{}: {}\n",
            display_safe(&line.name, 60),
            display_safe(&line.value, 160)
        ));
    }
    display_safe_lines(&text)
}

/// At most the length that a page shows of one text.
fn display_safe_lines(text: &str) -> String {
    text.chars().take(1_900).collect()
}
