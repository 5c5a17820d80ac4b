//! Calls of licence holders, counted against the quota of the month.
//!
//! A call is counted before it is carried out, so that no two calls get the last one of a quota. It is given
//! back if it was not carried out: because of a fault of ours (5xx), because another limit refused it (429),
//! or because the reply of an earlier request was returned. What somebody looks at in a browser after signing
//! in is not counted; what they start there is.

use std::sync::{Arc, Mutex, PoisonError};

use axum::{
    extract::{FromRequestParts, MatchedPath, Request, State},
    middleware::Next,
    response::Response,
};
use contract::{Brand, errors::ErrorCode};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, request::Parts};
use service::{CountedCall, QuotaError, QuotaState};

use super::extractor::{Credential, Principal};
use crate::{request::is_replayed, response::ApiError, state::AppState};

/// The name by which a problem document names the quota.
const QUOTA_POLICY: &str = "quota";

/// Extractor: the principal, whose call is counted if it is the holder of a licence. Refused with 429 if the
/// quota is used up.
#[derive(Debug, Clone)]
pub(crate) struct CountedPrincipal(pub(crate) Principal);

/// What was counted for one request. Owned by that request: its extractors write to it, and [`settle_calls`]
/// reads it at the end. The mutex is never held across an await.
#[derive(Debug, Clone, Default)]
struct CallLedger(Arc<Mutex<Ledger>>);

#[derive(Debug, Clone, Default)]
enum Ledger {
    #[default]
    NotCounted,
    Counted(CountedCall),
    Spent(QuotaState),
}

impl CallLedger {
    fn get(&self) -> Ledger {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, ledger: Ledger) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = ledger;
    }
}

impl FromRequestParts<AppState> for CountedPrincipal {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let Ok(principal) = Principal::from_request_parts(parts, state).await;
        let Some(holder) = &principal.holder else { return Ok(Self(principal)) };
        let is_looking =
            matches!(holder.credential, Credential::Session(_)) && parts.method.is_safe();
        if is_looking {
            return Ok(Self(principal));
        }
        let ledger = parts.extensions.get_or_insert_default::<CallLedger>().clone();
        match ledger.get() {
            Ledger::Counted(_) => return Ok(Self(principal)),
            Ledger::Spent(quota) => return Err(quota_spent(&quota)),
            Ledger::NotCounted => {}
        }
        let operation = operation_name(parts);
        match state.service.access.count_call(&holder.licence, &operation).await {
            Ok(call) => {
                ledger.set(Ledger::Counted(call));
                Ok(Self(principal))
            }
            Err(QuotaError::Spent(quota)) => {
                ledger.set(Ledger::Spent(quota));
                Err(quota_spent(&quota))
            }
            Err(QuotaError::Store(error)) => Err(ApiError::new(
                ErrorCode::StoreUnreadable,
                "The call cannot be counted against its quota at the moment. Try again in 5 s.",
            )
            .retry_after(5)
            .with_internal_message(error.to_string())),
        }
    }
}

/// As in the documentation: the method and the route.
fn operation_name(parts: &Parts) -> String {
    let route = parts.extensions.get::<MatchedPath>().map_or("unknown", MatchedPath::as_str);
    format!("{} {route}", parts.method)
}

fn quota_spent(quota: &QuotaState) -> ApiError {
    let (limit, seconds) = (quota.limit.unwrap_or(0), quota.resets_in_s);
    let sentence = format!(
        "This licence has used its {limit} calls of this month. The quota begins anew at {} (in {seconds} s).",
        quota.resets_at
    );
    ApiError::new(ErrorCode::RateLimited, sentence)
        .retry_after(seconds)
        .with_violated_policies(vec![QUOTA_POLICY.to_owned()])
}

/// Middleware: gives calls back that were not carried out, and reports the quota in the answer.
pub(crate) async fn settle_calls(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    let ledger = CallLedger::default();
    request.extensions_mut().insert(ledger.clone());
    let mut response = next.run(request).await;
    let quota = match ledger.get() {
        Ledger::NotCounted => return response,
        Ledger::Spent(quota) => quota,
        Ledger::Counted(call) if was_not_carried_out(&response) => {
            state.service.access.give_back_call(&call).await
        }
        Ledger::Counted(call) => call.quota,
    };
    write_quota_headers(&state.service_info.issuer.brand, &quota, response.headers_mut());
    response
}

fn was_not_carried_out(response: &Response) -> bool {
    let status = response.status();
    status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS || is_replayed(response)
}

/// `unlimited` where a plan has no quota.
pub(crate) fn write_quota_headers(brand: &Brand, quota: &QuotaState, headers: &mut HeaderMap) {
    let number = |number: Option<u64>| number.map_or("unlimited".to_owned(), |n| n.to_string());
    for (name, value) in [
        ("limit", number(quota.limit)),
        ("remaining", number(quota.remaining())),
        ("reset", quota.resets_in_s.to_string()),
    ] {
        let name = HeaderName::try_from(brand.quota_header(name));
        if let (Ok(name), Ok(value)) = (name, HeaderValue::try_from(value)) {
            headers.insert(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::Timestamp;

    use super::*;

    fn quota(limit: Option<u64>) -> QuotaState {
        let resets_at = Timestamp::from_rfc3339("2026-12-01T00:00:00Z").unwrap();
        QuotaState { limit, used: 3, resets_at, resets_in_s: 90 }
    }

    #[test]
    fn the_quota_is_reported_under_the_brand() {
        let written = |limit| {
            let mut headers = HeaderMap::new();
            write_quota_headers(&Brand::default(), &quota(limit), &mut headers);
            ["limit", "remaining", "reset"]
                .map(|name| headers[format!("x-svc-quota-{name}")].to_str().unwrap().to_owned())
        };
        assert_eq!(written(Some(10)), ["10", "7", "90"]);
        assert_eq!(written(None), ["unlimited", "unlimited", "90"]);
    }

    #[test]
    fn a_spent_quota_says_when_it_begins_anew() {
        let error = quota_spent(&quota(Some(3)));
        assert_eq!((error.status().as_u16(), error.code().as_str()), (429, "rate_limited"));
        assert_eq!(
            error.message(),
            "This licence has used its 3 calls of this month. The quota begins anew at \
             2026-12-01T00:00:00Z (in 90 s)."
        );
    }
}
