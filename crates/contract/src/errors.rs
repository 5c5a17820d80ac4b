//! The body of every error response (section 7), and every error code.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::open_enum;

/// The body of every error response, on versioned and other endpoints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorV1 {
    /// What went wrong, in one sentence for people.
    pub error: String,
    /// What went wrong, as a stable code for programs.
    pub code: ErrorCode,
    /// Every problem found, when there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// The parameter or body member that is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub param: Option<String>,
    /// Whether the same request can succeed later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub retryable: Option<bool>,
    /// Seconds to wait before retrying; the same value as in the Retry-After header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub retry_after_s: Option<u64>,
    /// The id of this request in the server's logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub request_id: Option<String>,
    /// The address that explains this code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub docs: Option<String>,
}

impl ErrorV1 {
    /// Sets `retryable` from the code. Callers add the optional members.
    #[must_use]
    pub fn new(code: ErrorCode, error: impl Into<String>) -> Self {
        Self {
            error: error.into(),
            retryable: Some(code.retryable()),
            code,
            errors: Vec::new(),
            param: None,
            retry_after_s: None,
            request_id: None,
            docs: None,
        }
    }
}

open_enum! {
    /// What went wrong.
    pub enum ErrorCode {
        BadRequest = "bad_request",
        RateLimited = "rate_limited",
        /// A scan of the same domain is still running.
        ScanInProgress = "scan_in_progress",
        /// The daily total of free scans is reached.
        DailyBudget = "daily_budget",
        /// Free scans are paused; keyed scans are unaffected.
        ScansPaused = "scans_paused",
        BadDomain = "bad_domain",
        BadUrl = "bad_url",
        /// The name or address is not on the public internet.
        TargetNotPublic = "target_not_public",
        BodyTooLarge = "body_too_large",
        /// The prefix matches more domains than one response may contain: use a longer prefix.
        BucketTooLarge = "bucket_too_large",
        UnsupportedMediaType = "unsupported_media_type",
        UnknownField = "unknown_field",
        BatchSize = "batch_size",
        NotFound = "not_found",
        /// The operator deleted this report. Its digest stays in the daily seal of its day.
        ReportDeleted = "report_deleted",
        UnknownDecision = "unknown_decision",
        BadLock = "bad_lock",
        ProofNotFound = "proof_not_found",
        NotTracked = "not_tracked",
        Unauthorized = "unauthorized",
        Forbidden = "forbidden",
        Conflict = "conflict",
        IdempotencyReused = "idempotency_reused",
        IdempotencyInFlight = "idempotency_in_flight",
        CursorExpired = "cursor_expired",
        /// The link of a mail is no longer valid.
        LinkExpired = "link_expired",
        NotAcceptable = "not_acceptable",
        MethodNotAllowed = "method_not_allowed",
        StoreUnreadable = "store_unreadable",
        CannotAnswer = "cannot_answer",
        SigningUnavailable = "signing_unavailable",
        /// The server is handling as many requests as it accepts at once.
        Overloaded = "overloaded",
        Deadline = "deadline",
        /// A server error. The response gives only the request id; details are in the server's
        /// logs.
        Internal = "internal",
    }
}

impl ErrorCode {
    /// The HTTP status that goes with the code.
    #[must_use]
    pub fn http_status(&self) -> u16 {
        match self {
            Self::BadRequest
            | Self::BadDomain
            | Self::BadUrl
            | Self::TargetNotPublic
            | Self::UnknownField
            | Self::BatchSize
            | Self::BadLock => 400,
            Self::Unauthorized => 401,
            Self::Forbidden => 403,
            Self::NotFound | Self::UnknownDecision | Self::NotTracked => 404,
            Self::MethodNotAllowed => 405,
            Self::NotAcceptable => 406,
            Self::ProofNotFound | Self::Conflict | Self::IdempotencyInFlight => 409,
            Self::CursorExpired | Self::LinkExpired | Self::ReportDeleted => 410,
            Self::BodyTooLarge | Self::BucketTooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::IdempotencyReused => 422,
            Self::RateLimited | Self::ScanInProgress | Self::DailyBudget => 429,
            Self::Internal | Self::Unrecognised(_) => 500,
            Self::ScansPaused
            | Self::StoreUnreadable
            | Self::CannotAnswer
            | Self::SigningUnavailable
            | Self::Overloaded => 503,
            Self::Deadline => 504,
        }
    }

    /// Whether the same request can succeed later without changes. An unknown code counts as not
    /// retryable.
    #[must_use]
    pub fn retryable(&self) -> bool {
        match self {
            Self::IdempotencyInFlight => true,
            Self::Internal | Self::Unrecognised(_) => false,
            other => matches!(other.http_status(), 429 | 503 | 504),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_flat_and_omits_absent_members() {
        let plain = ErrorV1::new(ErrorCode::BadDomain, "An IP address is not a domain.");
        assert_eq!(
            serde_json::to_value(&plain).unwrap(),
            serde_json::json!({
                "error": "An IP address is not a domain.",
                "code": "bad_domain",
                "retryable": false,
            })
        );
        let full = ErrorV1 {
            errors: vec!["One.".to_owned(), "Two.".to_owned()],
            param: Some("domain".to_owned()),
            retry_after_s: Some(7),
            request_id: Some("01J9".to_owned()),
            docs: Some("https://svc.example/docs/errors#rate_limited".to_owned()),
            ..ErrorV1::new(ErrorCode::RateLimited, "Too many requests.")
        };
        let written = serde_json::to_value(&full).unwrap();
        assert_eq!(written["retryable"], true);
        assert_eq!(serde_json::from_value::<ErrorV1>(written).unwrap(), full);
    }

    #[test]
    fn the_statuses_the_interface_gives_are_kept() {
        for (code, status) in [
            ("bad_request", 400),
            ("rate_limited", 429),
            ("scan_in_progress", 429),
            ("daily_budget", 429),
            ("scans_paused", 503),
            ("store_unreadable", 503),
        ] {
            assert_eq!(ErrorCode::from_word(code).unwrap().http_status(), status, "{code}");
        }
        for word in ErrorCode::WORDS {
            let status = ErrorCode::from_word(word).unwrap().http_status();
            assert!((400..600).contains(&status), "{word}");
        }
    }
}
