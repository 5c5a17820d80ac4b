//! One question to a server: a method, headers of a fixed list and a small body. Every guard,
//! deadline and limit of a read applies. Redirects are never followed: the question was meant for
//! the server that the caller named.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contract::evidence::{
    BodyFacts, Failure, FailureKind, FailurePhase, HeaderLine, Hop, Response, TlsFacts,
};
use http::Method;
use tokio::time::Instant;

use crate::failure::{new_failure, policy_refusal};
use crate::fetch::is_redirect;
use crate::guard::url::CheckedTarget;
use crate::http::connection::version_label;
use crate::http::headers::{RequestHeaders, response_header_lines};
use crate::http::request::Outgoing;
use crate::http::sha256_hex;
use crate::http::streamed_body::{Pace, StreamedBody};
use crate::read_timer::elapsed_millis;
use crate::send::RequestSender;
use crate::sse::stream::EventStream;
use crate::visit_state::VisitState;
use crate::{BodyCaps, ReadKind};

/// The headers that a question may carry. No credential is among them, so none can be sent.
const ALLOWED_HEADERS: [&str; 9] = [
    "user-agent",
    "accept",
    "accept-encoding",
    "accept-language",
    "content-type",
    "mcp-protocol-version",
    "mcp-session-id",
    "mcp-method",
    "cache-control",
];

/// One question.
#[derive(Debug, Clone)]
pub struct AskRequest {
    pub method: AskMethod,
    pub url: String,
    /// The id of the identity in the catalogue. Connections are never shared between identities.
    pub identity: String,
    /// Sent in this order after Host. Only the headers of a fixed list may be sent; any other makes
    /// the question fail with `header_not_allowed`.
    pub headers: Vec<(String, String)>,
    /// At most [`crate::Limits::max_request_body_bytes`].
    pub body: Bytes,
    /// The most bytes of the answer, before and after decoding, if less than the limit of MCP
    /// answers.
    pub max_answer_bytes: Option<u64>,
    /// For the whole question and its answer. The deadline of the visit applies as well.
    pub timeout: Option<Duration>,
    /// Open a new connection.
    pub fresh_connection: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskMethod {
    Get,
    Post,
    Delete,
}

impl AskMethod {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Delete => "DELETE",
        }
    }

    fn to_http(self) -> Method {
        match self {
            Self::Get => Method::GET,
            Self::Post => Method::POST,
            Self::Delete => Method::DELETE,
        }
    }
}

/// The head of an answer, and its body, which is still to be read.
#[derive(Debug)]
pub struct Answer {
    pub head: AnswerHead,
    body: StreamedBody,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerHead {
    /// The address that was asked, as it was sent.
    pub url: String,
    pub status: u16,
    /// `1.1` or `2`.
    pub http: String,
    /// Names in lower case.
    pub headers: Vec<HeaderLine>,
    pub tls: Option<TlsFacts>,
    /// The IP address and port that answered.
    pub address: Option<String>,
    pub reused_connection: bool,
    /// Until the head was there.
    pub took_ms: u32,
}

impl AnswerHead {
    /// The value of the first field with this (lower-case) name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|line| line.name == name).map(|line| line.value.as_str())
    }

    /// The media type without its parameters, in lower case; empty if there is none.
    #[must_use]
    pub fn media_type(&self) -> String {
        let value = self.header("content-type").unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// Where the answer wants the question to go instead. It is not followed.
    #[must_use]
    pub fn redirect_location(&self) -> Option<&str> {
        is_redirect(self.status).then(|| self.header("location")).flatten()
    }
}

/// A whole answer.
#[derive(Debug, Clone)]
pub struct WholeAnswer {
    pub response: Response,
    /// The decoded bytes that were read.
    pub body: Bytes,
}

impl Answer {
    /// Reads the body to its end or to a limit, which `response.body.cut` then names.
    pub async fn read_to_end(mut self) -> WholeAnswer {
        let mut bytes = Vec::new();
        let cut = loop {
            match self.body.next_bytes(Pace::MinimumRate).await {
                Ok(Some(more)) => bytes.extend_from_slice(&more),
                Ok(None) => break None,
                Err(failure) => break Some(failure),
            }
        };
        let facts = BodyFacts {
            sha256: sha256_hex(&bytes),
            bytes: bytes.len() as u64,
            wire_bytes: self.body.wire_bytes(),
            encoding: self.body.encoding().map(str::to_owned),
            cut,
        };
        let AnswerHead { url, status, http, headers, tls, .. } = self.head;
        let response = Response { url, status, http, headers, body: facts, tls };
        WholeAnswer { response, body: Bytes::from(bytes) }
    }

    /// Reads the body as a stream of events.
    #[must_use]
    pub fn into_events(self, max_event_bytes: usize) -> (AnswerHead, EventStream) {
        (self.head, EventStream::new(self.body, max_event_bytes))
    }
}

pub(crate) async fn ask(visit: &Arc<VisitState>, request: AskRequest) -> Result<Answer, Failure> {
    let start = Instant::now();
    let limits = &visit.context.policy.limits;
    if request.body.len() > limits.max_request_body_bytes {
        return Err(new_failure(
            FailureKind::TooLarge,
            FailurePhase::Request,
            "request_too_large",
            "The body of the request exceeds the size limit.",
        ));
    }
    check_headers(&request.headers)?;
    let fields = RequestHeaders::new(request.headers)?;
    let own_deadline = request.timeout.and_then(|timeout| start.checked_add(timeout));
    let deadline = own_deadline.map_or(visit.deadline, |own| own.min(visit.deadline));
    let timer = visit.start_timer(start, deadline);
    let target = CheckedTarget::parse(&request.url, &visit.context.policy, visit.ports)?;
    let signature = visit.context.signature_fields(&request.identity, &target);
    let fields = fields.with_fields(&signature);
    let mut hop = Hop {
        url: target.url.to_string(),
        address: None,
        status: None,
        location: None,
        took_ms: 0,
        reused_connection: false,
    };
    let sender = RequestSender {
        visit,
        timer: &timer,
        identity: &request.identity,
        fresh_connection: request.fresh_connection,
        trusted_only: false,
    };
    let outgoing = Outgoing { method: request.method.to_http(), body: request.body };
    let sent = sender.send(&target, &fields, &outgoing, &mut hop).await;
    let took_ms = elapsed_millis(start);
    let hop_response = match sent {
        Ok(hop_response) => hop_response,
        Err(failure) => {
            tracing::debug!(url = %hop.url, reason = %failure.reason, took_ms, "no answer");
            return Err(failure);
        }
    };
    let response = &hop_response.response;
    let head = AnswerHead {
        url: hop.url,
        status: response.status().as_u16(),
        http: version_label(response.version()).to_owned(),
        headers: response_header_lines(response.headers()),
        tls: hop_response.connection.tls.as_deref().cloned(),
        address: hop.address,
        reused_connection: hop.reused_connection,
        took_ms,
    };
    tracing::debug!(url = %head.url, status = head.status, took_ms, "answered");
    let kind = ReadKind::Mcp;
    let of_kind = limits.body_caps(kind);
    let most = request.max_answer_bytes.unwrap_or(u64::MAX);
    let caps = BodyCaps { wire: of_kind.wire.min(most), decoded: of_kind.decoded.min(most) };
    let headers = response.headers().clone();
    let body = StreamedBody::new(Arc::clone(visit), timer, &headers, hop_response, kind, caps);
    Ok(Answer { head, body })
}

fn check_headers(headers: &[(String, String)]) -> Result<(), Failure> {
    let is_allowed =
        |name: &str| ALLOWED_HEADERS.iter().any(|allowed| name.eq_ignore_ascii_case(allowed));
    if headers.iter().all(|(name, _)| is_allowed(name)) {
        return Ok(());
    }
    Err(policy_refusal(
        FailurePhase::Request,
        "header_not_allowed",
        "The request has a header that questions must not carry.",
    ))
}
