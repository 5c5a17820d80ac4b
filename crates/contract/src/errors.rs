//! The one shape of an error answer (section 7), and every code it can carry.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::open_enum;

/// The body of every answer that is not a success, versioned endpoints and others alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorV1 {
    /// One sentence for people.
    pub error: String,
    /// For machines.
    pub code: ErrorCode,
    /// Every single thing that is wrong, when there are several.
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
    /// Seconds to wait before that; the Retry-After header says the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub retry_after_s: Option<u64>,
    /// Names this request in our logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub request_id: Option<String>,
    /// Where this code is explained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub docs: Option<String>,
}

impl ErrorV1 {
    /// With `retryable` as the code has it; the other members are set by whoever knows them.
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
        /// The name or address is not one of the public internet.
        TargetNotPublic = "target_not_public",
        BodyTooLarge = "body_too_large",
        /// More is meant than is given at once: ask for less.
        BucketTooLarge = "bucket_too_large",
        UnsupportedMediaType = "unsupported_media_type",
        UnknownField = "unknown_field",
        BatchSize = "batch_size",
        NotFound = "not_found",
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
        NotAcceptable = "not_acceptable",
        MethodNotAllowed = "method_not_allowed",
        StoreUnreadable = "store_unreadable",
        CannotAnswer = "cannot_answer",
        SigningUnavailable = "signing_unavailable",
        /// More requests are being answered than this process takes on at once.
        Overloaded = "overloaded",
        Deadline = "deadline",
        /// A fault of ours; the request id is all we say about it.
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
            Self::CursorExpired => 410,
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

    /// Whether the very same request can succeed later without anybody changing it. A code that
    /// is not known is not retried.
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
    fn the_shape_is_flat_and_holds_only_what_applies() {
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
            assert_eq!(ErrorCode::known(code).unwrap().http_status(), status, "{code}");
        }
        for word in ErrorCode::WORDS {
            let status = ErrorCode::known(word).unwrap().http_status();
            assert!((400..600).contains(&status), "{word}");
        }
    }
}
