//! Reports the remaining quotas in `RateLimit-Policy` and `RateLimit`.

use std::fmt::Write as _;

use axum::{extract::Request, middleware::Next, response::Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::{quota::QuotaStatus, rate::ceil_seconds, status::RateLimitStatus};

pub(super) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
pub(super) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// Middleware: adds the rate limit headers for every policy that the request was counted against.
pub(crate) async fn add_rate_limit_headers(mut request: Request, next: Next) -> Response {
    let status = RateLimitStatus::default();
    request.extensions_mut().insert(status.clone());
    let mut response = next.run(request).await;
    let refused = response.status() == StatusCode::TOO_MANY_REQUESTS;
    write_rate_limit_headers(&status.quotas(), response.headers_mut(), refused);
    response
}

/// Writes `RateLimit-Policy` and `RateLimit`. On a refusal, `RateLimit` lists only the policies that
/// refused: only their reset tells when to try again, and Retry-After must not be earlier than it.
pub(crate) fn write_rate_limit_headers(
    quotas: &[QuotaStatus],
    headers: &mut HeaderMap,
    refused: bool,
) {
    let (mut policies, mut remaining_quotas) = (String::new(), String::new());
    for quota in quotas {
        let (name, rate) = (&quota.policy.name, quota.policy.limit);
        let comma = if policies.is_empty() { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(policies, "{comma}\"{name}\";q={};w={}", rate.max, rate.window.as_secs());
        if refused && !quota.refused {
            continue;
        }
        let comma = if remaining_quotas.is_empty() { "" } else { ", " };
        let (remaining, reset) = (quota.remaining, ceil_seconds(quota.reset));
        let _ = write!(remaining_quotas, "{comma}\"{name}\";r={remaining};t={reset}");
    }
    for (field, text) in [(RATE_LIMIT_POLICY, policies), (RATE_LIMIT, remaining_quotas)] {
        if let (false, Ok(value)) = (text.is_empty(), HeaderValue::from_str(&text)) {
            headers.insert(field, value);
        }
    }
}
