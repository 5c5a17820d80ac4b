//! Writes the body of an error response, in the form that the client prefers.

use axum::response::Response;
use contract::{Issuer, errors::ErrorV1};
use http::{
    HeaderMap, HeaderValue,
    header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE},
};
use serde_json::{Value, json};

use crate::{
    pages,
    request::content_negotiation,
    response::{ApiError, HTML, JSON, NO_STORE},
};

/// What the middleware knows about the request and a handler does not.
#[derive(Debug, Clone, Copy)]
pub(super) struct ErrorContext<'a> {
    pub(super) request_id: &'a str,
    pub(super) accept: &'a HeaderMap,
    pub(super) issuer: &'a Issuer,
}

/// Writes the body that the client prefers: the flat JSON shape, a problem document, or a page.
pub(super) fn write_error_body(
    response: &mut Response,
    error: &ApiError,
    context: ErrorContext<'_>,
) {
    const PROBLEM: &str = "application/problem+json";
    const PLAIN_HTML: &str = "text/html";
    let mut shape = error.body().clone();
    shape.request_id = Some(context.request_id.to_owned());
    shape.docs = Some(context.issuer.url(&format!("/docs/errors#{}", shape.code)));

    let (media_type, body) = if content_negotiation::prefers(context.accept, PLAIN_HTML, JSON)
        && !content_negotiation::prefers(context.accept, PROBLEM, PLAIN_HTML)
    {
        pages::add_page_headers(response.headers_mut());
        (HTML, pages::error::render(error.status(), &shape))
    } else if content_negotiation::prefers(context.accept, PROBLEM, JSON) {
        (PROBLEM, problem_document(error, &shape, context).to_string())
    } else {
        // Only strings, numbers and booleans: serializing cannot fail.
        (JSON, serde_json::to_string(&shape).unwrap_or_default())
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(NO_STORE));
    headers.remove(CONTENT_LENGTH);
    *response.body_mut() = body.into();
}

/// An RFC 9457 problem document that also has the members of the flat shape.
fn problem_document(error: &ApiError, shape: &ErrorV1, context: ErrorContext<'_>) -> Value {
    let status = error.status();
    let mut problem = json!({
        "type": shape.docs,
        "title": status.canonical_reason().unwrap_or("Error"),
        "status": status.as_u16(),
        "detail": shape.error,
        "instance": format!("urn:{}:request:{}", context.issuer.brand, context.request_id),
    });
    if let (Value::Object(problem), Ok(Value::Object(flat))) =
        (&mut problem, serde_json::to_value(shape))
    {
        for name in ["code", "errors", "param", "retryable", "retry_after_s", "request_id"] {
            if let Some(value) = flat.get(name) {
                problem.insert(name.to_owned(), value.clone());
            }
        }
        if !error.violated_policies().is_empty() {
            problem.insert("violated-policies".to_owned(), json!(error.violated_policies()));
        }
    }
    problem
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::attached_error;
    use axum::response::IntoResponse;
    use contract::errors::ErrorCode;
    use http::header::RETRY_AFTER;
    use http_body_util::BodyExt;

    async fn written(accept: &str) -> (String, Value) {
        let mut headers = HeaderMap::new();
        headers.insert(http::header::ACCEPT, accept.parse().unwrap());
        let error = ApiError::new(ErrorCode::ScanInProgress, "Still running.")
            .retry_after(3)
            .param("domain")
            .with_violated_policies(vec!["scan".to_owned()])
            .with_internal_message("secret");
        let mut response = error.into_response();
        let error = attached_error(&response).unwrap();
        let issuer = Issuer::new(contract::Brand::default(), "https://svc.example");
        let context = ErrorContext { request_id: "r-1", accept: &headers, issuer: &issuer };
        write_error_body(&mut response, &error, context);
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
                "docs": "https://svc.example/docs/errors#scan_in_progress",
            })
        );
        let (media_type, body) = written("application/problem+json").await;
        assert_eq!(media_type, "application/problem+json");
        assert_eq!(
            body,
            json!({
                "type": "https://svc.example/docs/errors#scan_in_progress",
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
