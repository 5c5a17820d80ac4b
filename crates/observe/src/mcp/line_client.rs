//! Asks one question on a line and reads lines until its response comes, within the budget of the walk.

use contract::mcp_evidence::{McpProblem, McpProblemReason as Reason, McpRequest};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::Instant;

use super::budget::McpBudget;
use super::messages::{Message, Method, Reply, parse_messages};
use super::problem::{deadline, problem};

/// The most lines (notifications, requests, other ids, logs) before a response.
const MAX_OTHER_LINES: usize = 100;
const CHUNK_BYTES: usize = 16 * 1024;

pub(super) struct LineClient<R, W> {
    reader: R,
    writer: W,
    budget: McpBudget,
    deadline: Instant,
    /// What was read and is not a whole line yet.
    pending: Vec<u8>,
    /// How much of `pending` is known to have no end of a line.
    searched: usize,
    /// What is still to be written: a question that was given up may be half written, and the next
    /// one must not begin in the middle of a line.
    unsent: Vec<u8>,
    bytes: u64,
    next_id: u64,
    /// Why nothing more can be read.
    closed: Option<McpProblem>,
    pub(super) requests: Vec<McpRequest>,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> LineClient<R, W> {
    pub(super) fn new(reader: R, writer: W, budget: McpBudget, deadline: Instant) -> Self {
        Self {
            reader,
            writer,
            budget,
            deadline,
            pending: Vec::new(),
            searched: 0,
            unsent: Vec::new(),
            bytes: 0,
            next_id: 1,
            closed: None,
            requests: Vec::new(),
        }
    }

    pub(super) fn next_id(&mut self) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        id
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.is_some()
    }

    /// Asks a question and reads its response.
    pub(super) async fn ask(
        &mut self,
        method: Method,
        question: String,
        id: u64,
    ) -> Result<Reply, McpProblem> {
        let start = Instant::now();
        let before = self.bytes;
        let reply = self.ask_in_time(question, id).await;
        self.note_request(method, start, self.bytes - before);
        reply
    }

    fn note_request(&mut self, method: Method, start: Instant, bytes: u64) {
        self.requests.push(McpRequest {
            http_method: "stdio".to_owned(),
            method: Some(method.as_str().to_owned()),
            url: String::new(),
            address: None,
            status: None,
            bytes,
            wire_bytes: bytes,
            took_ms: u32::try_from(start.elapsed().as_millis()).unwrap_or(u32::MAX),
            failure: None,
        });
    }

    async fn ask_in_time(&mut self, question: String, id: u64) -> Result<Reply, McpProblem> {
        if let Some(why) = &self.closed {
            return Err(why.clone());
        }
        let time = self.time_for_question()?;
        let mut garbage = None;
        match tokio::time::timeout(time, self.exchange(question, id, &mut garbage)).await {
            Ok(Err(_)) | Err(_) if garbage.is_some() && self.closed_by_end_or_time() => {
                Err(garbage.unwrap_or_else(deadline))
            }
            Ok(reply) => reply,
            Err(_) if Instant::now() >= self.deadline => Err(deadline()),
            Err(_) => Err(problem(Reason::Timeout, "The server did not answer in time.")),
        }
    }

    /// What the server wrote instead of a response says more than that it ended or that time passed,
    /// but less than that it wrote too much.
    fn closed_by_end_or_time(&self) -> bool {
        self.closed.as_ref().is_none_or(|why| why.reason == Reason::RequestFailed)
    }

    fn time_for_question(&self) -> Result<Duration, McpProblem> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(deadline()) } else { Ok(self.budget.request.min(left)) }
    }

    /// Writes a message that has no response.
    pub(super) async fn tell(&mut self, method: Method, message: String) -> Result<(), McpProblem> {
        let start = Instant::now();
        let time = self.time_for_question()?;
        let written = tokio::time::timeout(time, self.write(message)).await;
        self.note_request(method, start, 0);
        written
            .unwrap_or_else(|_| Err(problem(Reason::Timeout, "The server did not read in time.")))
    }

    async fn exchange(
        &mut self,
        question: String,
        id: u64,
        garbage: &mut Option<McpProblem>,
    ) -> Result<Reply, McpProblem> {
        self.write(question).await?;
        for _ in 0..MAX_OTHER_LINES {
            let line = self.read_line().await?;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let messages = match std::str::from_utf8(&line) {
                Ok(text) => parse_messages(text),
                Err(_) => Err(problem(Reason::BadJson, "The answer is not valid UTF-8.")),
            };
            match messages {
                Ok(messages) => {
                    if let Some(reply) = pick_response(messages, id) {
                        return Ok(reply);
                    }
                }
                // Servers should write logs elsewhere, but some do not.
                Err(why) => *garbage = Some(why),
            }
        }
        Err(self.close(problem(
            Reason::TooManyMessages,
            "The server wrote more lines before its response than are read.",
        )))
    }

    async fn write(&mut self, message: String) -> Result<(), McpProblem> {
        self.unsent.extend_from_slice(message.as_bytes());
        self.unsent.push(b'\n');
        while !self.unsent.is_empty() {
            match self.writer.write(&self.unsent).await {
                Ok(0) | Err(_) => return Err(self.close(ended())),
                Ok(written) => drop(self.unsent.drain(..written)),
            }
        }
        match self.writer.flush().await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.close(ended())),
        }
    }

    /// The next line. May be given up at any time: what was read stays.
    async fn read_line(&mut self) -> Result<Vec<u8>, McpProblem> {
        loop {
            let unsearched = self.pending.get(self.searched..).unwrap_or_default();
            if let Some(at) = unsearched.iter().position(|byte| *byte == b'\n') {
                let end = self.searched + at + 1;
                let rest = self.pending.split_off(end);
                self.searched = 0;
                return Ok(std::mem::replace(&mut self.pending, rest));
            }
            self.searched = self.pending.len();
            if self.pending.len() as u64 > self.budget.response_bytes {
                return Err(self.close(problem(
                    Reason::ResponseTooLarge,
                    "A line of the server exceeds the size limit of an answer.",
                )));
            }
            let mut chunk = [0; CHUNK_BYTES];
            let count = match self.reader.read(&mut chunk).await {
                Ok(0) | Err(_) => return Err(self.close(ended())),
                Ok(count) => count,
            };
            self.bytes += count as u64;
            if self.bytes > self.budget.walk_bytes {
                return Err(self.close(problem(
                    Reason::WalkTooLarge,
                    "All answers together exceed the size limit of a walk.",
                )));
            }
            self.pending.extend_from_slice(chunk.get(..count).unwrap_or_default());
        }
    }

    fn close(&mut self, why: McpProblem) -> McpProblem {
        self.closed.get_or_insert(why).clone()
    }
}

fn ended() -> McpProblem {
    problem(Reason::RequestFailed, "The server ended or closed its output.")
}

/// The response to this id. Late responses to questions that were given up are passed over. Errors may
/// have no id: the server could not read ours.
fn pick_response(messages: Vec<Message>, id: u64) -> Option<Reply> {
    messages.into_iter().find_map(|message| match message {
        Message::Response { id: found, reply } => {
            let is_unnamed_error = found.is_null() && matches!(reply, Reply::Error(_));
            (found == id || is_unnamed_error).then_some(reply)
        }
        Message::Other => None,
    })
}
