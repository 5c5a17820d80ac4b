//! Asks one question over HTTP within the budget of the walk, and keeps the record of all requests.

use std::time::Duration;

use bytes::Bytes;
use contract::evidence::Failure;
use contract::mcp_evidence::{McpProblem, McpProblemReason as Reason, McpRequest, McpResponseForm};
use door::{Answer, AnswerHead, AskMethod, AskRequest, Event, EventStream, Visit};
use tokio::time::Instant;

use super::budget::McpBudget;
use super::messages::{Message, Method, Reply, parse_messages};
use super::problem::{deadline, failed, problem};

/// The most messages of the server (notifications, requests, other ids) before its response.
const MAX_OTHER_MESSAGES: usize = 100;

/// The state of one walk below the protocol.
#[derive(Debug)]
pub(super) struct HttpClient {
    pub(super) visit: Visit,
    /// The id of our identity.
    pub(super) identity: String,
    /// User agent and codings.
    pub(super) own_headers: Vec<(String, String)>,
    pub(super) budget: McpBudget,
    /// When the lists must have been read.
    pub(super) deadline: Instant,
    pub(super) requests: Vec<McpRequest>,
    pub(super) bytes: u64,
    /// Whether every session that the server issued was ended; `None` if it issued none.
    pub(super) session_ended: Option<bool>,
    next_id: u64,
}

/// One question of the protocol.
#[derive(Debug)]
pub(super) struct Question<'a> {
    pub(super) method: Method,
    pub(super) url: &'a str,
    /// Besides our own.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
    pub(super) timeout: Duration,
}

/// What came in answer to a question.
#[derive(Debug)]
pub(super) struct RpcAnswer {
    pub(super) head: AnswerHead,
    pub(super) form: Option<McpResponseForm>,
    pub(super) reply: Result<Reply, McpProblem>,
}

impl HttpClient {
    pub(super) fn new(
        visit: Visit,
        identity: String,
        own_headers: Vec<(String, String)>,
        budget: McpBudget,
        deadline: Instant,
    ) -> Self {
        Self {
            visit,
            identity,
            own_headers,
            budget,
            deadline,
            requests: Vec::new(),
            bytes: 0,
            session_ended: None,
            next_id: 1,
        }
    }

    pub(super) fn next_id(&mut self) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        id
    }

    /// The time that one question may take now, or why none may be asked.
    pub(super) fn time_for(&self, timeout: Duration) -> Result<Duration, McpProblem> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(deadline()) } else { Ok(timeout.min(left)) }
    }

    /// The bytes that one answer may have now, or why none may be asked for.
    pub(super) fn bytes_for_answer(&self) -> Result<u64, McpProblem> {
        match self.budget.walk_bytes.saturating_sub(self.bytes) {
            0 => Err(walk_too_large()),
            left => Ok(left.min(self.budget.response_bytes)),
        }
    }

    /// Asks a question and reads its response. An error means that no HTTP response came.
    pub(super) async fn ask(
        &mut self,
        question: Question<'_>,
        id: u64,
    ) -> Result<RpcAnswer, McpProblem> {
        let timeout = self.time_for(question.timeout)?;
        let start = Instant::now();
        let most = self.bytes_for_answer()?;
        let (answer, at) = self.send(AskMethod::Post, question, timeout, most).await?;
        let head = answer.head.clone();
        if let Some(problem) = problem_of_head(&head) {
            self.note_time(at, start);
            return Ok(RpcAnswer { head, form: None, reply: Err(problem) });
        }
        let (form, reply) = match head.media_type().as_str() {
            "text/event-stream" => {
                let limit = usize::try_from(self.budget.response_bytes).unwrap_or(usize::MAX);
                let (_, mut events) = answer.into_events(limit);
                let left = timeout.saturating_sub(start.elapsed());
                let read = response_in_stream(&mut events, id, left).await;
                self.note_bytes(at, events.bytes(), events.wire_bytes());
                if read.is_ok() {
                    events.finish().await;
                }
                (Some(McpResponseForm::Sse), read)
            }
            "application/json" => {
                let whole = answer.read_to_end().await;
                self.note_bytes(at, whole.response.body.bytes, whole.response.body.wire_bytes);
                let read = match whole.response.body.cut {
                    Some(cut) => Err(self.note_failure(at, cut)),
                    None => response_in_body(&whole.body, id, head.status),
                };
                (Some(McpResponseForm::Json), read)
            }
            _ if !is_success(head.status) => (None, Err(http_status(head.status))),
            _ => (None, Err(wrong_content_type())),
        };
        self.note_time(at, start);
        let reply = reply.map_err(|problem| self.blame_walk(problem));
        Ok(RpcAnswer { head, form, reply })
    }

    /// Sends a notification or ends something: only the head of the answer matters. This works also when
    /// the lists used up all bytes of the walk, because a session must be ended then as well.
    pub(super) async fn tell(
        &mut self,
        http_method: AskMethod,
        question: Question<'_>,
    ) -> Result<AnswerHead, McpProblem> {
        const MAX_BYTES: u64 = 64 * 1024;
        let start = Instant::now();
        let timeout = question.timeout;
        let (answer, at) = self.send(http_method, question, timeout, MAX_BYTES).await?;
        let head = answer.head.clone();
        // Read so that the connection can be reused; the content does not matter.
        if answer.head.media_type() != "text/event-stream" {
            let whole = answer.read_to_end().await;
            self.note_bytes(at, whole.response.body.bytes, whole.response.body.wire_bytes);
        }
        self.note_time(at, start);
        Ok(head)
    }

    /// Opens a stream of events that stays open for the rest of the walk.
    pub(super) async fn open_stream(&mut self, url: &str) -> Result<(Answer, usize), McpProblem> {
        let timeout = self.time_for(self.budget.total)?;
        let headers = vec![("accept".to_owned(), "text/event-stream".to_owned())];
        let question =
            Question { method: Method::Initialize, url, headers, body: String::new(), timeout };
        // The stream carries many answers.
        let most = self.budget.walk_bytes.saturating_sub(self.bytes).max(1);
        self.send(AskMethod::Get, question, timeout, most).await
    }

    pub(super) async fn send(
        &mut self,
        http_method: AskMethod,
        question: Question<'_>,
        timeout: Duration,
        most: u64,
    ) -> Result<(Answer, usize), McpProblem> {
        let Question { method, url, headers, body, .. } = question;
        let mut all = self.own_headers.clone();
        all.extend(headers);
        let request = AskRequest {
            method: http_method,
            url: url.to_owned(),
            identity: self.identity.clone(),
            headers: all,
            body: Bytes::from(body),
            max_answer_bytes: Some(most),
            timeout: Some(timeout),
            fresh_connection: false,
        };
        let start = Instant::now();
        let asked = self.visit.ask(request).await;
        let head = asked.as_ref().ok().map(|answer| &answer.head);
        self.requests.push(McpRequest {
            http_method: http_method.as_str().to_owned(),
            method: (http_method == AskMethod::Post).then(|| method.as_str().to_owned()),
            url: url.to_owned(),
            address: head.and_then(|head| head.address.clone()),
            status: head.map(|head| head.status),
            bytes: 0,
            wire_bytes: 0,
            took_ms: u32::try_from(start.elapsed().as_millis()).unwrap_or(u32::MAX),
            failure: asked.as_ref().err().cloned(),
        });
        let at = self.requests.len() - 1;
        asked.map(|answer| (answer, at)).map_err(failed)
    }

    pub(super) fn note_bytes(&mut self, at: usize, bytes: u64, wire_bytes: u64) {
        let Some(request) = self.requests.get_mut(at) else { return };
        self.bytes += bytes.saturating_sub(request.bytes);
        (request.bytes, request.wire_bytes) = (bytes, wire_bytes);
    }

    pub(super) fn note_time(&mut self, at: usize, start: Instant) {
        if let Some(request) = self.requests.get_mut(at) {
            request.took_ms = u32::try_from(start.elapsed().as_millis()).unwrap_or(u32::MAX);
        }
    }

    pub(super) fn note_failure(&mut self, at: usize, failure: Failure) -> McpProblem {
        if let Some(request) = self.requests.get_mut(at) {
            request.failure = Some(failure.clone());
        }
        failed(failure)
    }

    /// Names the walk as the reason if it, and not the single question, reached its limit.
    pub(super) fn blame_walk(&self, given: McpProblem) -> McpProblem {
        let is_late = Instant::now() >= self.deadline;
        match given.reason {
            Reason::Timeout if is_late => McpProblem { failure: given.failure, ..deadline() },
            Reason::ResponseTooLarge if self.bytes >= self.budget.walk_bytes => walk_too_large(),
            _ => given,
        }
    }
}

/// What the head alone says: a challenge or a redirect.
pub(super) fn problem_of_head(head: &AnswerHead) -> Option<McpProblem> {
    let challenged =
        head.status == 401 || (head.status == 403 && head.header("www-authenticate").is_some());
    if challenged {
        return Some(problem(Reason::AuthRequired, "The server asks for credentials."));
    }
    if (300..400).contains(&head.status) {
        return Some(problem(
            Reason::Redirected,
            "The server answers with a redirect, and redirects of questions are not followed.",
        ));
    }
    None
}

pub(super) fn is_success(status: u16) -> bool {
    (200..300).contains(&status)
}

pub(super) fn http_status(status: u16) -> McpProblem {
    problem(Reason::HttpStatus, format!("The server answered with status {status}."))
}

fn wrong_content_type() -> McpProblem {
    problem(
        Reason::WrongContentType,
        "The media type of the answer is neither application/json nor text/event-stream.",
    )
}

fn walk_too_large() -> McpProblem {
    problem(Reason::WalkTooLarge, "All answers together exceed the size limit of a walk.")
}

fn response_in_body(body: &[u8], id: u64, status: u16) -> Result<Reply, McpProblem> {
    let text = std::str::from_utf8(body)
        .map_err(|_| problem(Reason::BadJson, "The answer is not valid UTF-8."))?;
    let found = parse_messages(text).and_then(|messages| {
        pick_response(messages, id).transpose().unwrap_or_else(|| Err(no_response()))
    });
    match found {
        // A body that is no message says less than the status.
        Err(_) if !is_success(status) => Err(http_status(status)),
        Ok(Reply::Result(_)) if !is_success(status) => Err(http_status(status)),
        found => found,
    }
}

/// Reads events until the response comes.
pub(super) async fn response_in_stream(
    events: &mut EventStream,
    id: u64,
    within: Duration,
) -> Result<Reply, McpProblem> {
    let until = Instant::now() + within;
    for _ in 0..MAX_OTHER_MESSAGES {
        let left = until.saturating_duration_since(Instant::now());
        let Some(event) = events.next(left).await.map_err(failed)? else {
            return Err(no_response());
        };
        if !is_message(&event) {
            continue;
        }
        if let Some(reply) = pick_response(parse_messages(&event.data)?, id)? {
            return Ok(reply);
        }
    }
    Err(problem(
        Reason::TooManyMessages,
        "The server sent more messages before its response than are read.",
    ))
}

/// An event without data keeps a connection open or marks a place in the stream.
fn is_message(event: &Event) -> bool {
    event.name == "message" && !event.data.trim().is_empty()
}

/// The response to this id. Errors may have no id: the server could not read ours.
fn pick_response(messages: Vec<Message>, id: u64) -> Result<Option<Reply>, McpProblem> {
    for message in messages {
        let Message::Response { id: found, reply } = message else { continue };
        let is_ours = found == id;
        let is_unnamed_error = found.is_null() && matches!(reply, Reply::Error(_));
        if is_ours || is_unnamed_error {
            return Ok(Some(reply));
        }
        return Err(problem(
            Reason::IdMismatch,
            "The response has the id of another request than the one that was asked.",
        ));
    }
    Ok(None)
}

fn no_response() -> McpProblem {
    problem(Reason::NoResponse, "The answer ended without the response to the request.")
}
