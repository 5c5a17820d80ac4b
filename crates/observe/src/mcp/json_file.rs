//! Reads a JSON file on a server: metadata of a protected resource, or a server card. Redirects are not
//! followed, because the place is part of the proof.

use std::time::Duration;

use contract::json::parse_value;
use door::AskMethod;
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

use super::http_client::{HttpClient, Question};
use super::messages::Method;

/// Why a file was not read. Each has one sentence for people, without any text of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoFile {
    /// The server says that there is none, or answers with something that is not a file.
    Absent(String),
    /// There is one, but it is not an object of JSON or is too large.
    Faulty(String),
    /// It is not known whether there is one.
    Unread(String),
}

impl HttpClient {
    /// An object of JSON at an address, within the time and the bytes of the walk.
    pub(super) async fn read_json(
        &mut self,
        place: &Url,
        accept: &str,
        timeout: Duration,
    ) -> Result<Value, NoFile> {
        const MAX_BYTES: u64 = 256 * 1024;
        let unread = |problem: contract::mcp_evidence::McpProblem| NoFile::Unread(problem.detail);
        let timeout = self.time_for(timeout).map_err(unread)?;
        let most = self.bytes_for_answer().map_err(unread)?.min(MAX_BYTES);
        let question = Question {
            // Only questions that are sent with POST name their method.
            method: Method::Discover,
            url: place.as_str(),
            headers: vec![("accept".to_owned(), accept.to_owned())],
            body: String::new(),
            timeout,
        };
        let start = Instant::now();
        let (answer, at) =
            self.send(AskMethod::Get, question, timeout, most).await.map_err(unread)?;
        let status = answer.head.status;
        let media_type = answer.head.media_type();
        if let Some(why) = no_file_by_head(status, &media_type) {
            return Err(why);
        }
        let whole = answer.read_to_end().await;
        self.note_bytes(at, whole.response.body.bytes, whole.response.body.wire_bytes);
        self.note_time(at, start);
        if let Some(cut) = whole.response.body.cut {
            let is_too_large = cut.kind == contract::evidence::FailureKind::TooLarge;
            let detail = self.note_failure(at, cut).detail;
            return Err(if is_too_large { NoFile::Faulty(detail) } else { NoFile::Unread(detail) });
        }
        match parse_value(&whole.body) {
            Ok(value @ Value::Object(_)) => Ok(value),
            Ok(_) | Err(_) => {
                Err(NoFile::Faulty("The file is not a JSON object that can be read.".to_owned()))
            }
        }
    }
}

/// What the head alone says. Many sites answer every unknown path with a page or a redirect.
fn no_file_by_head(status: u16, media_type: &str) -> Option<NoFile> {
    let said = format!("The server answered with status {status}.");
    match status {
        200 if matches!(media_type, "text/html" | "text/event-stream") => {
            Some(NoFile::Absent("The server answered with something that is not JSON.".to_owned()))
        }
        200 => None,
        300..=399 | 404 | 405 | 406 | 410 => Some(NoFile::Absent(said)),
        _ => Some(NoFile::Unread(said)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_does_not_say_that_there_is_no_file() {
        for absent in [301, 404, 405, 410] {
            assert!(matches!(no_file_by_head(absent, ""), Some(NoFile::Absent(_))), "{absent}");
        }
        for unread in [204, 401, 403, 429, 500, 503] {
            assert!(matches!(no_file_by_head(unread, ""), Some(NoFile::Unread(_))), "{unread}");
        }
        assert!(matches!(no_file_by_head(200, "text/html"), Some(NoFile::Absent(_))));
        assert_eq!(no_file_by_head(200, "application/json"), None);
        assert_eq!(no_file_by_head(200, ""), None);
    }
}
