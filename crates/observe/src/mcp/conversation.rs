//! An open conversation with a server of any era: asks for one page of a list, and ends.

use contract::mcp_evidence::{McpProblem, McpProblemReason as Reason};
use door::{AnswerHead, AskMethod};

use super::http_client::{HttpClient, Question, RpcAnswer, is_success};
use super::legacy_stream::LegacyStream;
use super::messages::{
    ClientInfo, List, MODERN_VERSION, Method, Reply, RpcError, RpcResult, legacy_question,
    modern_question,
};
use super::problem::problem;

/// How the server is asked.
#[derive(Debug)]
pub(super) enum Conversation {
    Modern { url: String, client: ClientInfo },
    Streamable { url: String, version: String, session: Option<String> },
    Stream(Box<LegacyStream>),
}

/// Why a page was not read.
#[derive(Debug)]
pub(super) struct PageProblem {
    pub(super) problem: McpProblem,
    /// The server does not know this list at all.
    pub(super) is_unknown_method: bool,
    /// The head of the answer that asks for credentials.
    pub(super) challenge: Option<Box<AnswerHead>>,
}

impl From<McpProblem> for PageProblem {
    fn from(problem: McpProblem) -> Self {
        Self { problem, is_unknown_method: false, challenge: None }
    }
}

/// The reply, or why there is none: with the head, if that has a challenge.
fn reply_of(answer: RpcAnswer) -> Result<Reply, PageProblem> {
    let RpcAnswer { head, reply, .. } = answer;
    reply.map_err(|problem| {
        let is_challenge = problem.reason == Reason::AuthRequired;
        PageProblem {
            challenge: is_challenge.then(|| Box::new(head)),
            ..PageProblem::from(problem)
        }
    })
}

impl Conversation {
    /// The result of one list request.
    pub(super) async fn ask_page(
        &mut self,
        http: &mut HttpClient,
        list: List,
        cursor: Option<&str>,
    ) -> Result<RpcResult, PageProblem> {
        let method = Method::List(list);
        let id = http.next_id();
        let timeout = http.budget.request;
        let reply = match self {
            Self::Modern { url, client } => {
                let body = modern_question(method, id, cursor, client);
                let headers = modern_headers(method);
                let question = Question { method, url, headers, body, timeout };
                reply_of(http.ask(question, id).await?)?
            }
            Self::Streamable { url, version, session } => {
                let body = legacy_question(method, id, cursor);
                let headers = legacy_headers(Some(version), session.as_deref());
                let question = Question { method, url, headers, body, timeout };
                reply_of(http.ask(question, id).await?)?
            }
            Self::Stream(stream) => {
                let asked = stream.ask(http, method, legacy_question(method, id, cursor), id).await;
                let challenge = stream.challenge.take();
                asked.map_err(|problem| PageProblem { challenge, ..PageProblem::from(problem) })?
            }
        };
        match reply {
            Reply::Result(result) => Ok(result),
            Reply::Error(error) => Err(PageProblem {
                problem: error.to_problem(),
                is_unknown_method: error.code == RpcError::METHOD_NOT_FOUND,
                challenge: None,
            }),
        }
    }

    /// Ends the session, if there is one, in the time that was kept for it. Whether the server agreed is
    /// in [`HttpClient::session_ended`].
    pub(super) async fn end(self, http: &mut HttpClient) {
        let Self::Streamable { url, version, session: Some(session) } = self else { return };
        // More than what was kept if there is more, but not all of it: other things are read after this.
        let timeout = http.visit.remaining().min(http.budget.closing() * 4);
        let question = Question {
            method: Method::Initialize,
            url: &url,
            headers: legacy_headers(Some(&version), Some(&session)),
            body: String::new(),
            timeout,
        };
        let told = http.tell(AskMethod::Delete, question).await;
        let is_ended = told.is_ok_and(|head| is_success(head.status));
        http.session_ended = Some(is_ended && http.session_ended != Some(false));
    }
}

/// Ends a session that an answer issued although no conversation came of it.
pub(super) async fn end_issued_session(
    http: &mut HttpClient,
    url: &str,
    version: &str,
    head: &AnswerHead,
) {
    let session = session_id(head.header("mcp-session-id")).ok().flatten();
    let (url, version) = (url.to_owned(), version.to_owned());
    Conversation::Streamable { url, version, session }.end(http).await;
}

const BOTH_FORMS: &str = "application/json, text/event-stream";

fn common_headers() -> Vec<(String, String)> {
    vec![
        ("accept".to_owned(), BOTH_FORMS.to_owned()),
        ("content-type".to_owned(), "application/json".to_owned()),
    ]
}

pub(super) fn modern_headers(method: Method) -> Vec<(String, String)> {
    let mut headers = common_headers();
    headers.push(("mcp-protocol-version".to_owned(), MODERN_VERSION.to_owned()));
    headers.push(("mcp-method".to_owned(), method.as_str().to_owned()));
    headers
}

/// The version is named after the handshake only, and not to servers that do not know the header.
pub(super) fn legacy_headers(
    version: Option<&str>,
    session: Option<&str>,
) -> Vec<(String, String)> {
    const FIRST_WITH_HEADER: &str = "2025-06-18";
    let mut headers = common_headers();
    if let Some(version) = version.filter(|version| *version >= FIRST_WITH_HEADER) {
        headers.push(("mcp-protocol-version".to_owned(), version.to_owned()));
    }
    if let Some(session) = session {
        headers.push(("mcp-session-id".to_owned(), session.to_owned()));
    }
    headers
}

/// The session id of a response, if it may be sent back: visible ASCII, as the protocol demands.
pub(super) fn session_id(value: Option<&str>) -> Result<Option<String>, McpProblem> {
    const MAX_BYTES: usize = 1024;
    let Some(value) = value else { return Ok(None) };
    let is_good = (1..=MAX_BYTES).contains(&value.len())
        && value.bytes().all(|byte| (0x21..=0x7e).contains(&byte));
    if is_good {
        return Ok(Some(value.to_owned()));
    }
    Err(problem(Reason::BadResponse, "The id of the session has characters that it must not have."))
}
