//! `POST /mcp`.

use std::sync::Arc;

use axum::{
    Router,
    extract::{FromRequestParts, Request, State},
    response::{IntoResponse, Response},
    routing::post,
};
use contract::errors::ErrorCode;
use http::{HeaderMap, HeaderValue, StatusCode, header::ACCEPT, header::CONTENT_TYPE};

use super::{
    caller::Caller, dispatch::Answer, host_guard, server::McpServer, versions::McpHeaders,
};
use crate::{
    rate_limits::McpMessageLimit,
    request::body::read_body,
    response::{ApiError, JSON},
};

pub(crate) fn router(server: Arc<McpServer>) -> Router {
    Router::new().route("/mcp", post(answer_request)).with_state(server)
}

async fn answer_request(State(server): State<Arc<McpServer>>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    // Before the body is read.
    let limited = McpMessageLimit::from_request_parts(&mut parts, &server.state).await;
    if let Err(refused) = limited {
        return refused.into_response();
    }
    if let Err(why) = host_guard::check(&server.issuer().base_url, &parts.headers, &parts.uri) {
        return ApiError::new(ErrorCode::Forbidden, why).into_response();
    }
    if !accepts_json(&parts.headers) {
        let sentence = "Answers are application/json: name it in `Accept`.";
        return ApiError::new(ErrorCode::NotAcceptable, sentence).into_response();
    }
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
    let headers = McpHeaders {
        version: header("mcp-protocol-version"),
        method: header("mcp-method"),
        name: header("mcp-name"),
    };
    let caller = Caller::of(&parts, &server.issuer().brand);
    match server.answer_body(body, &headers, &caller).await {
        Answer::Message { status, body } => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
            (status, [(CONTENT_TYPE, JSON)], body).into_response()
        }
        Answer::Nothing => StatusCode::ACCEPTED.into_response(),
    }
}

/// `application/json`, with or without parameters.
fn is_json(value: &HeaderValue) -> bool {
    let text = value.to_str().unwrap_or_default();
    text.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(JSON)
}

/// Clients name two forms, JSON and streams of events. Answers are always JSON, so that is the one that counts.
fn accepts_json(headers: &HeaderMap) -> bool {
    let mut lines = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    !headers.contains_key(ACCEPT)
        || lines.by_ref().flat_map(|line| line.split(',')).any(|part| {
            let form = part.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            matches!(form.as_str(), "application/json" | "application/*" | "*/*")
        })
}
