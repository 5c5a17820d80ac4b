//! An open conversation with a server of any era: asks for one page of a list, and ends.

use std::time::Duration;

use contract::mcp_evidence::{McpProblem, McpProblemReason as Reason};
use door::AskMethod;

use super::http_client::{HttpClient, Question, is_success};
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
}

impl From<McpProblem> for PageProblem {
    fn from(problem: McpProblem) -> Self {
        Self { problem, is_unknown_method: false }
    }
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
                http.ask(question, id).await?.reply?
            }
            Self::Streamable { url, version, session } => {
                let body = legacy_question(method, id, cursor);
                let headers = legacy_headers(Some(version), session.as_deref());
                let question = Question { method, url, headers, body, timeout };
                http.ask(question, id).await?.reply?
            }
            Self::Stream(stream) => {
                stream.ask(http, method, legacy_question(method, id, cursor), id).await?
            }
        };
        match reply {
            Reply::Result(result) => Ok(result),
            Reply::Error(error) => Err(PageProblem {
                problem: error.to_problem(),
                is_unknown_method: error.code == RpcError::METHOD_NOT_FOUND,
            }),
        }
    }

    /// Ends the session, if there is one: whether the server agreed.
    pub(super) async fn end(self, http: &mut HttpClient, timeout: Duration) -> Option<bool> {
        let Self::Streamable { url, version, session: Some(session) } = self else { return None };
        let question = Question {
            method: Method::Initialize,
            url: &url,
            headers: legacy_headers(Some(&version), Some(&session)),
            body: String::new(),
            timeout,
        };
        Some(http.tell(AskMethod::Delete, question).await.is_ok_and(is_success))
    }
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
