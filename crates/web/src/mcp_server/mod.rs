//! This service as an MCP server, at `/mcp` (Streamable HTTP, without sessions).
//!
//! A tool call becomes a request to the API, inside this process: limits, errors, checks of the input and
//! signatures are those of the API. Both eras of the protocol are spoken: 2026-07-28, which has no handshake, and
//! the versions before it, which begin with `initialize`.

mod dispatch;
mod host_guard;
mod messages;
mod tool_call;
mod tools;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    response::{IntoResponse, Response},
    routing::post,
};
use contract::{Issuer, errors::ErrorCode};
use http::{HeaderMap, StatusCode, header::ACCEPT, header::CONTENT_TYPE};
use serde_json::Value;
use service::Service;

use self::dispatch::{Answer, Transport};
use self::tools::Tools;
use crate::{
    request::body::read_body,
    response::{ApiError, JSON},
};

pub(crate) use dispatch::SUPPORTED_VERSIONS;

/// Answers MCP messages. Shared by all requests; never written to.
#[derive(Debug)]
pub struct McpServer {
    /// The API, without the middleware that every request has passed already.
    api: Router,
    service: Arc<Service>,
    issuer: Issuer,
    tools: Tools,
}

impl McpServer {
    pub(crate) fn new(api: Router, service: Arc<Service>, openapi: &Value) -> Self {
        let issuer = service.issuer().clone();
        Self { api, service, tools: Tools::from_openapi(openapi, &issuer), issuer }
    }

    pub(crate) fn router(self: Arc<Self>) -> Router {
        Router::new().route("/mcp", post(answer_request)).with_state(self)
    }

    /// Answers one line of standard input. `None` if there is nothing to answer.
    pub async fn answer_line(&self, line: &[u8]) -> Option<String> {
        let caller = tool_call::Caller::default();
        match self.answer_body(line, &Transport::Stdio, &caller).await {
            Answer::Message { body, .. } => Some(body),
            Answer::Nothing => None,
        }
    }
}

async fn answer_request(State(server): State<Arc<McpServer>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if let Err(why) = host_guard::check(&server.issuer.base_url, &parts.headers, &parts.uri) {
        return ApiError::new(ErrorCode::Forbidden, why).into_response();
    }
    if !accepts_both_forms(&parts.headers) {
        let sentence = "`Accept` must name application/json and text/event-stream.";
        return ApiError::new(ErrorCode::NotAcceptable, sentence).into_response();
    }
    let is_json = |value: &http::HeaderValue| value.as_bytes().starts_with(JSON.as_bytes());
    if !parts.headers.get(CONTENT_TYPE).is_some_and(is_json) {
        let sentence = "Send the message as application/json.";
        return ApiError::unsupported_media_type(sentence).into_response();
    }
    let body = match read_body(&parts.headers, body).await {
        Ok(body) => body,
        Err(error) => return error.into_response(),
    };
    let header = |name: &str| {
        parts.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let transport = Transport::Http {
        version: header("mcp-protocol-version"),
        method: header("mcp-method"),
        name: header("mcp-name"),
    };
    let caller = tool_call::Caller::of(&parts, &server.issuer.brand);
    match server.answer_body(&body, &transport, &caller).await {
        Answer::Message { status, body } => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
            (status, [(CONTENT_TYPE, JSON)], body).into_response()
        }
        Answer::Nothing => StatusCode::ACCEPTED.into_response(),
    }
}

fn accepts_both_forms(headers: &HeaderMap) -> bool {
    let mut accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let (mut json, mut events) = (false, false);
    for part in accepted.by_ref().flat_map(|line| line.split(',')) {
        match part.split(';').next().unwrap_or_default().trim() {
            "*/*" => return true,
            "application/json" | "application/*" => json = true,
            "text/event-stream" | "text/*" => events = true,
            _ => {}
        }
    }
    json && events
}
