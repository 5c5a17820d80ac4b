//! The form of 2024-11-05: a stream of events names the address for questions, and the answers come
//! on the stream.

use contract::mcp_evidence::{McpProblem, McpProblemReason as Reason};
use door::{AnswerHead, AskMethod, EventStream};
use url::Url;

use super::http_client::{
    HttpClient, Question, http_status, is_success, problem_of_head, response_in_stream,
};
use super::messages::{Method, Reply};
use super::problem::{failed, problem};

/// An open stream.
#[derive(Debug)]
pub(super) struct LegacyStream {
    events: EventStream,
    /// The place of its request in the record.
    at: usize,
    /// Where questions are sent.
    endpoint: Url,
    /// The head of the answer that asked for credentials, if one did.
    pub(super) challenge: Option<Box<AnswerHead>>,
}

/// Why no stream was opened.
#[derive(Debug)]
pub(super) struct NoStream {
    pub(super) why: McpProblem,
    /// The head of the answer that asks for credentials.
    pub(super) challenge: Option<Box<AnswerHead>>,
}

impl From<McpProblem> for NoStream {
    fn from(why: McpProblem) -> Self {
        Self { why, challenge: None }
    }
}

impl LegacyStream {
    /// Opens the stream and waits for the address for questions.
    pub(super) async fn open(
        client: &mut HttpClient,
        url: &str,
    ) -> Result<(Self, AnswerHead), NoStream> {
        let (answer, at) = client.open_stream(url).await?;
        if let Some(why) = auth_problem(&answer.head) {
            return Err(NoStream { why, challenge: Some(Box::new(answer.head.clone())) });
        }
        if !is_success(answer.head.status) {
            return Err(http_status(answer.head.status).into());
        }
        if answer.head.media_type() != "text/event-stream" {
            let why = problem(Reason::WrongContentType, "The address is no stream of events.");
            return Err(why.into());
        }
        let limit = usize::try_from(client.budget.response_bytes).unwrap_or(usize::MAX);
        let (head, mut events) = answer.into_events(limit);
        let within = client.time_for(client.budget.request)?;
        let first = events.next(within).await;
        client.note_bytes(at, events.bytes(), events.wire_bytes());
        let event = first.map_err(failed)?.filter(|event| event.name == "endpoint");
        let Some(event) = event else {
            let why = "The first event of the stream does not name an address for questions.";
            return Err(problem(Reason::BadResponse, why).into());
        };
        let endpoint = endpoint_of(url, event.data.trim())?;
        Ok((Self { events, at, endpoint, challenge: None }, head))
    }

    pub(super) async fn ask(
        &mut self,
        client: &mut HttpClient,
        method: Method,
        body: String,
        id: u64,
    ) -> Result<Reply, McpProblem> {
        let timeout = client.time_for(client.budget.request)?;
        self.send(client, method, body).await?;
        let read = response_in_stream(&mut self.events, id, timeout).await;
        client.note_bytes(self.at, self.events.bytes(), self.events.wire_bytes());
        read.map_err(|problem| client.blame_walk(problem))
    }

    // Not `&self`: a connection that is read cannot be shared between threads.
    pub(super) async fn send(
        &mut self,
        client: &mut HttpClient,
        method: Method,
        body: String,
    ) -> Result<(), McpProblem> {
        let timeout = client.time_for(client.budget.request)?;
        let headers = vec![
            ("accept".to_owned(), "application/json, text/event-stream".to_owned()),
            ("content-type".to_owned(), "application/json".to_owned()),
        ];
        let question = Question { method, url: self.endpoint.as_str(), headers, body, timeout };
        let head = client.tell(AskMethod::Post, question).await?;
        if let Some(why) = auth_problem(&head) {
            self.challenge = Some(Box::new(head));
            return Err(why);
        }
        if is_success(head.status) { Ok(()) } else { Err(http_status(head.status)) }
    }
}

fn auth_problem(head: &AnswerHead) -> Option<McpProblem> {
    problem_of_head(head).filter(|problem| problem.reason == Reason::AuthRequired)
}

/// The address must have the origin of the stream: a server must not make us ask another one.
fn endpoint_of(url: &str, text: &str) -> Result<Url, McpProblem> {
    let stream = Url::parse(url).ok();
    let endpoint = stream.as_ref().and_then(|stream| stream.join(text).ok());
    let (Some(stream), Some(endpoint)) = (stream, endpoint) else {
        return Err(problem(Reason::BadResponse, "The address for questions is not valid."));
    };
    if stream.origin() != endpoint.origin() {
        return Err(problem(
            Reason::ForeignEndpoint,
            "The stream names an address for questions that is not of its own origin.",
        ));
    }
    Ok(endpoint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_stay_at_the_origin() {
        let ok = |text| endpoint_of("https://a.lab/sse", text).map(String::from).unwrap();
        assert_eq!(ok("/message?sessionId=1"), "https://a.lab/message?sessionId=1");
        assert_eq!(ok("https://a.lab:443/m"), "https://a.lab/m");
        for foreign in ["//b.lab/m", "http://a.lab/m", "https://a.lab:8443/m", "file:///m"] {
            let refused = endpoint_of("https://a.lab/sse", foreign).unwrap_err();
            assert_eq!(refused.reason, Reason::ForeignEndpoint, "{foreign}");
        }
    }
}
