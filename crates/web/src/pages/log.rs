//! The page about the transparency log: what it is, its current state, and how to check it.

use askama::Template;
use contract::records::{LogRecord, LogWitnessedHead};

use super::dates::second;

#[derive(Template)]
#[template(path = "log.html")]
struct LogPage<'a> {
    record: &'a LogRecord,
    witnessed: Option<&'a LogWitnessedHead>,
    /// Commands to copy.
    check_answer: String,
    monitor: String,
    tiles: String,
    gossip: String,
}

pub(crate) fn render(
    record: &LogRecord,
    witnessed: Option<&LogWitnessedHead>,
    base_url: &str,
) -> String {
    super::render(&LogPage {
        record,
        witnessed,
        check_answer: format!(
            "curl -O {}\nnode crawlcheck-verify.mjs answer.json --keys {} --log {base_url}",
            record.verify.verifier, record.key.published_in
        ),
        monitor: format!("wayleave log monitor {base_url}"),
        tiles: format!("curl {}\ncurl {}0/000", record.checkpoint.address, record.tiles),
        gossip: format!(
            "curl -H 'content-type: application/json' -d '{{\"sths\":[…]}}' {base_url}/api/v1/log/gossip"
        ),
    })
}
