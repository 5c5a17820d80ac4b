//! Messages of a process on this machine, which come over standard input and not over HTTP.

use axum::body::Body;
use http::{
    Request, StatusCode,
    header::{ACCEPT, CONTENT_TYPE},
};
use http_body_util::BodyExt;
use tower::ServiceExt;

use crate::{app::App, response::JSON};

/// What `/mcp` answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalReply {
    pub status: u16,
    pub body: Vec<u8>,
}

/// Sends a message to `/mcp` inside this process, with these header fields: limits, deadline and log lines are
/// those of a request.
pub async fn answer_local_message(
    app: &App,
    headers: &[(&'static str, String)],
    message: Vec<u8>,
) -> LocalReply {
    let mut request = Request::post("/mcp").header(ACCEPT, JSON).header(CONTENT_TYPE, JSON);
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    // A name of a tool need not be a valid header value.
    let Ok(request) = request.body(Body::from(message)) else {
        return LocalReply { status: StatusCode::BAD_REQUEST.as_u16(), body: Vec::new() };
    };
    let Ok(response) = app.current().router().oneshot(request).await;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await;
    LocalReply { status, body: body.map(|body| body.to_bytes().to_vec()).unwrap_or_default() }
}
