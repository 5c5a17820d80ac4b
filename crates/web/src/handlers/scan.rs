//! `POST /api/scan`: read a domain now.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::{ScanRecord, ScanRequest, Visibility},
};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use service::{ScanAsk, ScanError, Service};

use crate::{body::StrictJson, documents, errors::ApiError};

/// Scan a domain
///
/// Reads the home page as a browser, as an unnamed control and as AI crawlers, and the machine
/// files; answers with the graded record. A domain scanned within the last two minutes is
/// answered with that report and `cached`; only a public report answers others, so an unlisted
/// scan is made anew unless there is one. When nothing answered, `unreachable` is true, `id` is
/// null and nothing is kept. No credential is read.
#[utoipa::path(
    post,
    path = "/api/scan",
    operation_id = "scanDomain",
    tag = "scans",
    request_body(content = ScanRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "The signed record.", body = ScanRecord,
            content_type = "application/json"),
        (status = 400, description = "Not a public domain, no JSON body, or a body that is not \
            understood: `bad_domain`, `bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 403, description = "A private scan needs a licence: `forbidden`.", body = ErrorV1),
        (status = 413, description = "A body of more than 1048576 bytes: `body_too_large`.",
            body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 429, description = "A scan of this domain is still running: \
            `scan_in_progress`. Retry-After gives the wait.", body = ErrorV1),
        (status = 503, description = "`overloaded`, `store_unreadable`, `signing_unavailable`.",
            body = ErrorV1),
    )
)]
pub(crate) async fn scan_domain(
    State(service): State<Arc<Service>>,
    StrictJson(request): StrictJson<ScanRequest>,
) -> Result<Response, ApiError> {
    let ask = ScanAsk {
        input: request.domain,
        visibility: request.visibility.unwrap_or(Visibility::Public),
    };
    let reply = service.scan(ask).await.map_err(refusal)?;
    let headers = [(CONTENT_TYPE, documents::JSON), (CACHE_CONTROL, documents::NOT_AT_ALL)];
    Ok((headers, reply.bytes).into_response())
}

/// What the caller is told when there is no scan.
pub(super) fn refusal(error: ScanError) -> ApiError {
    let said = error.to_string();
    match error {
        ScanError::BadDomain(refusal) => {
            ApiError::new(ErrorCode::BadDomain, sentence(&refusal.to_string())).param("domain")
        }
        ScanError::InProgress { retry_after_s } => {
            ApiError::new(ErrorCode::ScanInProgress, sentence(&said)).retry_after(retry_after_s)
        }
        ScanError::Busy { retry_after_s } => {
            ApiError::new(ErrorCode::Overloaded, sentence(&said)).retry_after(retry_after_s)
        }
        ScanError::PrivateNeedsLicence => {
            ApiError::new(ErrorCode::Forbidden, sentence(&said)).param("visibility")
        }
        ScanError::Store(_) => {
            ApiError::new(ErrorCode::StoreUnreadable, "The scan could not be kept; try again.")
                .retry_after(5)
                .because(said)
        }
        ScanError::Signing(_) => {
            ApiError::new(ErrorCode::SigningUnavailable, "The record could not be signed.")
                .because(said)
        }
        ScanError::Internal(_) => ApiError::internal(said),
    }
}

/// `a name …` as `A name ….`
fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first: String = letters.next().map(char::to_uppercase).into_iter().flatten().collect();
    format!("{first}{}.", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::NameRefusal;

    #[test]
    fn each_refusal_has_its_code_and_says_only_what_the_caller_may_know() {
        let internal = ScanError::Internal("/data/secret".to_owned());
        let cases = [
            (ScanError::BadDomain(NameRefusal::IpAddress), 400, "bad_domain"),
            (ScanError::InProgress { retry_after_s: 9 }, 429, "scan_in_progress"),
            (ScanError::Busy { retry_after_s: 9 }, 503, "overloaded"),
            (ScanError::PrivateNeedsLicence, 403, "forbidden"),
            (internal, 500, "internal"),
        ];
        for (error, status, code) in cases {
            let error = refusal(error);
            assert_eq!((error.status().as_u16(), error.code().as_str()), (status, code));
            assert!(error.sentence().ends_with('.') && !error.sentence().contains("secret"));
        }
        let refused = refusal(ScanError::BadDomain(NameRefusal::IpAddress));
        assert_eq!(refused.sentence(), "An IP address is not a domain.");
    }
}
