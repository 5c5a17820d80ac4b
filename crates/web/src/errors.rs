//! The one way an error leaves: a handler returns an [`ApiError`], the edge writes it down.
//!
//! What the client may know is in the [`ErrorV1`]; what only we should know is logged once, at
//! the edge, and never sent.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use contract::errors::{ErrorCode, ErrorV1};
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
};
use serde_json::{Value, json};

use crate::{negotiation, pages};

/// An answer that is not a success.
#[derive(Debug, Clone)]
pub struct ApiError {
    shape: Box<ErrorV1>,
    status: StatusCode,
    close: bool,
    /// The names of the limits that refused.
    violated: Vec<String>,
    internal: Option<String>,
}

impl ApiError {
    /// With the status that belongs to the code.
    #[must_use]
    pub fn new(code: ErrorCode, sentence: impl Into<String>) -> Self {
        let status = StatusCode::from_u16(code.http_status());
        Self {
            shape: Box::new(ErrorV1::new(code, sentence)),
            status: status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            close: false,
            violated: Vec::new(),
            internal: None,
        }
    }

    #[must_use]
    pub fn bad_request(sentence: impl Into<String>) -> Self {
        Self::new(ErrorCode::BadRequest, sentence)
    }

    #[must_use]
    pub fn not_found() -> Self {
        Self::new(ErrorCode::NotFound, "There is nothing at this address.")
    }

    #[must_use]
    pub fn method_not_allowed() -> Self {
        let sentence =
            "This address does not take this method; the Allow header says which it does.";
        Self::new(ErrorCode::MethodNotAllowed, sentence)
    }

    #[must_use]
    pub fn body_too_large() -> Self {
        let sentence = format!("The body is larger than {} bytes.", contract::limits::BODY_BYTES);
        Self::new(ErrorCode::BodyTooLarge, sentence).closing()
    }

    /// The body did not come within its time.
    #[must_use]
    pub fn body_too_slow() -> Self {
        let mut error = Self::bad_request("The body did not come in time.").closing();
        error.status = StatusCode::REQUEST_TIMEOUT;
        error
    }

    #[must_use]
    pub fn unsupported_media_type(sentence: impl Into<String>) -> Self {
        Self::new(ErrorCode::UnsupportedMediaType, sentence)
    }

    #[must_use]
    pub fn overloaded() -> Self {
        let sentence = "The service is answering as many requests as it can; try again shortly.";
        Self::new(ErrorCode::Overloaded, sentence).retry_after(1)
    }

    /// We took too long.
    #[must_use]
    pub fn deadline() -> Self {
        Self::new(ErrorCode::Deadline, "The answer could not be made in time.")
    }

    /// A fault of ours. `internal` goes to the log and nowhere else.
    #[must_use]
    pub fn internal(internal: impl Into<String>) -> Self {
        let sentence = "Something went wrong on our side; the request id helps us find it.";
        Self::new(ErrorCode::Internal, sentence).because(internal)
    }

    /// The parameter or body member that is wrong.
    #[must_use]
    pub fn param(mut self, param: impl Into<String>) -> Self {
        self.shape.param = Some(param.into());
        self
    }

    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.shape.retry_after_s = Some(seconds);
        self
    }

    /// Which limits refused, by name: a problem document says so.
    #[must_use]
    pub(crate) fn violating(mut self, policies: Vec<String>) -> Self {
        self.violated = policies;
        self
    }

    /// What the log should say besides.
    #[must_use]
    pub fn because(mut self, internal: impl Into<String>) -> Self {
        self.internal = Some(internal.into());
        self
    }

    /// The connection cannot be used again: part of the request was not read.
    fn closing(mut self) -> Self {
        self.close = true;
        self
    }

    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }

    #[must_use]
    pub fn code(&self) -> &ErrorCode {
        &self.shape.code
    }

    /// The sentence for people.
    #[must_use]
    pub fn sentence(&self) -> &str {
        &self.shape.error
    }

    /// The same refusal on a page that was made for it: with its status, and the wait.
    pub(crate) fn on_page(&self, mut page: Response) -> Response {
        *page.status_mut() = self.status;
        if let Some(seconds) = self.shape.retry_after_s {
            page.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        page
    }

    pub(crate) fn internal_message(&self) -> Option<&str> {
        self.internal.as_deref()
    }
}

/// Only marks the response: the edge writes the body, because it knows the request's id and what
/// the client accepts.
impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = self.shape.retry_after_s {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if self.close {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response.extensions_mut().insert(Marked(Arc::new(self)));
        response
    }
}

/// `a name …` as `A name ….`
pub(crate) fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first: String = letters.next().map(char::to_uppercase).into_iter().flatten().collect();
    format!("{first}{}.", letters.as_str())
}

#[derive(Debug, Clone)]
struct Marked(Arc<ApiError>);

/// What the edge knows and a handler does not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ErrorContext<'a> {
    pub(crate) request_id: &'a str,
    pub(crate) accept: &'a HeaderMap,
    pub(crate) brand: &'a contract::Brand,
    pub(crate) base_url: &'a str,
}

/// The error a response was marked with.
pub(crate) fn marked(response: &Response) -> Option<Arc<ApiError>> {
    response.extensions().get::<Marked>().map(|marked| Arc::clone(&marked.0))
}

/// Writes the body: the flat shape, a problem document, or a page.
pub(crate) fn write_down(response: &mut Response, error: &ApiError, context: ErrorContext<'_>) {
    const JSON: &str = "application/json";
    const PROBLEM: &str = "application/problem+json";
    const HTML: &str = "text/html";
    let mut shape = (*error.shape).clone();
    shape.request_id = Some(context.request_id.to_owned());
    shape.docs = Some(format!("{}/docs#error-{}", context.base_url, shape.code));

    let (media_type, body) = if negotiation::prefers(context.accept, HTML, JSON)
        && !negotiation::prefers(context.accept, PROBLEM, HTML)
    {
        pages::add_headers(response.headers_mut());
        ("text/html; charset=utf-8", pages::error::render(error.status, &shape))
    } else if negotiation::prefers(context.accept, PROBLEM, JSON) {
        (PROBLEM, problem(error, &shape, context).to_string())
    } else {
        // Strings and booleans: this cannot fail.
        (JSON, serde_json::to_string(&shape).unwrap_or_default())
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.remove(http::header::CONTENT_LENGTH);
    *response.body_mut() = body.into();
}

/// RFC 9457, with the members of the flat shape beside the standard's own.
fn problem(error: &ApiError, shape: &ErrorV1, context: ErrorContext<'_>) -> Value {
    let status = error.status;
    let mut problem = json!({
        "type": shape.docs,
        "title": status.canonical_reason().unwrap_or("Error"),
        "status": status.as_u16(),
        "detail": shape.error,
        "instance": format!("urn:{}:request:{}", context.brand, context.request_id),
    });
    if let (Value::Object(problem), Ok(Value::Object(flat))) =
        (&mut problem, serde_json::to_value(shape))
    {
        for name in ["code", "errors", "param", "retryable", "retry_after_s", "request_id"] {
            if let Some(value) = flat.get(name) {
                problem.insert(name.to_owned(), value.clone());
            }
        }
        if !error.violated.is_empty() {
            problem.insert("violated-policies".to_owned(), json!(error.violated));
        }
    }
    problem
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    async fn written(accept: &str) -> (String, Value) {
        let mut headers = HeaderMap::new();
        headers.insert(http::header::ACCEPT, accept.parse().unwrap());
        let error = ApiError::new(ErrorCode::ScanInProgress, "Still running.")
            .retry_after(3)
            .param("domain")
            .violating(vec!["scan".to_owned()])
            .because("secret");
        let mut response = error.into_response();
        let error = marked(&response).unwrap();
        let brand = contract::Brand::default();
        let context = ErrorContext {
            request_id: "r-1",
            accept: &headers,
            brand: &brand,
            base_url: "https://svc.example",
        };
        write_down(&mut response, &error, context);
        assert_eq!(response.status(), 429);
        assert_eq!(response.headers()[RETRY_AFTER], "3");
        let media_type = response.headers()[CONTENT_TYPE].to_str().unwrap().to_owned();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert!(!String::from_utf8_lossy(&body).contains("secret"));
        (media_type, serde_json::from_slice(&body).unwrap_or_default())
    }

    #[tokio::test]
    async fn the_shape_is_flat_unless_another_form_is_preferred() {
        let (media_type, body) = written("*/*").await;
        assert_eq!(media_type, "application/json");
        assert_eq!(
            body,
            json!({
                "error": "Still running.", "code": "scan_in_progress", "param": "domain",
                "retryable": true, "retry_after_s": 3, "request_id": "r-1",
                "docs": "https://svc.example/docs#error-scan_in_progress",
            })
        );
        let (media_type, body) = written("application/problem+json").await;
        assert_eq!(media_type, "application/problem+json");
        assert_eq!(
            body,
            json!({
                "type": "https://svc.example/docs#error-scan_in_progress",
                "title": "Too Many Requests", "status": 429, "detail": "Still running.",
                "instance": "urn:svc:request:r-1", "code": "scan_in_progress",
                "param": "domain", "retryable": true, "retry_after_s": 3, "request_id": "r-1",
                "violated-policies": ["scan"],
            })
        );
        let (media_type, _) = written("text/html,*/*;q=0.8").await;
        assert_eq!(media_type, "text/html; charset=utf-8");
    }
}
