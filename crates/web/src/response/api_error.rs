//! Errors that leave over HTTP: a handler returns an [`ApiError`], the middleware writes its body.
//!
//! The client gets the [`ErrorV1`]. The internal message is logged once, by the middleware, and is
//! never sent.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use contract::errors::{ErrorCode, ErrorV1};
use http::{
    HeaderValue, StatusCode,
    header::{CONNECTION, RETRY_AFTER, WWW_AUTHENTICATE},
};

/// An error response: what the client is told, and what only the log gets.
#[derive(Debug, Clone)]
pub struct ApiError {
    body: Box<ErrorV1>,
    status: StatusCode,
    close_connection: bool,
    /// The names of the rate limit policies that refused the request.
    violated_policies: Vec<String>,
    internal_message: Option<String>,
}

impl ApiError {
    /// An error with the HTTP status that belongs to its code.
    #[must_use]
    pub fn new(code: ErrorCode, sentence: impl Into<String>) -> Self {
        let status = StatusCode::from_u16(code.http_status());
        Self {
            body: Box::new(ErrorV1::new(code, sentence)),
            status: status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            close_connection: false,
            violated_policies: Vec::new(),
            internal_message: None,
        }
    }

    #[must_use]
    pub fn bad_request(sentence: impl Into<String>) -> Self {
        Self::new(ErrorCode::BadRequest, sentence)
    }

    #[must_use]
    pub fn not_found() -> Self {
        Self::new(ErrorCode::NotFound, "There is no resource at this address.")
    }

    #[must_use]
    pub fn method_not_allowed() -> Self {
        let sentence = "This address does not support this method. The Allow header lists the \
                        supported methods.";
        Self::new(ErrorCode::MethodNotAllowed, sentence)
    }

    #[must_use]
    pub fn body_too_large(max_bytes: usize) -> Self {
        let sentence = format!("The request body is larger than {max_bytes} bytes.");
        Self::new(ErrorCode::BodyTooLarge, sentence).closing_connection()
    }

    /// The request body was not received in time (408).
    #[must_use]
    pub fn body_too_slow() -> Self {
        let mut error =
            Self::bad_request("The request body was not received in time.").closing_connection();
        error.status = StatusCode::REQUEST_TIMEOUT;
        error
    }

    #[must_use]
    pub fn unsupported_media_type(sentence: impl Into<String>) -> Self {
        Self::new(ErrorCode::UnsupportedMediaType, sentence)
    }

    #[must_use]
    pub fn overloaded() -> Self {
        let sentence = "The service is overloaded. Try again in 1 s.";
        Self::new(ErrorCode::Overloaded, sentence).retry_after(1)
    }

    /// The service took too long to answer (504).
    #[must_use]
    pub fn deadline() -> Self {
        Self::new(ErrorCode::Deadline, "The service could not answer in time. Try again.")
    }

    /// An internal error. `internal` goes to the log and is never sent.
    #[must_use]
    pub fn internal(internal: impl Into<String>) -> Self {
        let sentence = "Internal error. Give the operator the request id.";
        Self::new(ErrorCode::Internal, sentence).with_internal_message(internal)
    }

    /// Names the parameter or body member that is wrong.
    #[must_use]
    pub fn param(mut self, param: impl Into<String>) -> Self {
        self.body.param = Some(param.into());
        self
    }

    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.body.retry_after_s = Some(seconds);
        self
    }

    /// For an error that lasts until the operator acts: no retry can mend it.
    #[must_use]
    pub fn not_retryable(mut self) -> Self {
        self.body.retryable = Some(false);
        self.body.retry_after_s = None;
        self
    }

    /// Every problem that was found, or what was seen, in sentences.
    #[must_use]
    pub(crate) fn with_errors(mut self, errors: Vec<String>) -> Self {
        self.body.errors = errors;
        self
    }

    /// Names the rate limit policies that refused. A problem document lists them.
    #[must_use]
    pub(crate) fn with_violated_policies(mut self, policies: Vec<String>) -> Self {
        self.violated_policies = policies;
        self
    }

    /// Adds a message for the log only.
    #[must_use]
    pub fn with_internal_message(mut self, internal: impl Into<String>) -> Self {
        self.internal_message = Some(internal.into());
        self
    }

    /// Closes the connection after the response, because part of the request was not read.
    fn closing_connection(mut self) -> Self {
        self.close_connection = true;
        self
    }

    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }

    #[must_use]
    pub fn code(&self) -> &ErrorCode {
        &self.body.code
    }

    /// The message for people.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.body.error
    }

    /// Puts the status and `Retry-After` of this error on an HTML page that already shows it.
    pub(crate) fn apply_to_page(&self, mut page: Response) -> Response {
        *page.status_mut() = self.status;
        if let Some(seconds) = self.body.retry_after_s {
            page.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        page
    }

    /// What the client is told.
    pub(crate) fn body(&self) -> &ErrorV1 {
        &self.body
    }

    pub(crate) fn violated_policies(&self) -> &[String] {
        &self.violated_policies
    }

    pub(crate) fn internal_message(&self) -> Option<&str> {
        self.internal_message.as_deref()
    }
}

/// Attaches the error to the response. The middleware writes the body, because it knows the request
/// id and what the client accepts.
impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = self.body.retry_after_s {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if self.close_connection {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response.extensions_mut().insert(AttachedError(Arc::new(self)));
        response
    }
}

/// Makes a sentence of a clause: `a name …` becomes `A name ….`
pub(crate) fn to_sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first: String = letters.next().map(char::to_uppercase).into_iter().flatten().collect();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}

#[derive(Debug, Clone)]
struct AttachedError(Arc<ApiError>);

/// The error attached to a response, if any.
pub(crate) fn attached_error(response: &Response) -> Option<Arc<ApiError>> {
    response.extensions().get::<AttachedError>().map(|marked| Arc::clone(&marked.0))
}
