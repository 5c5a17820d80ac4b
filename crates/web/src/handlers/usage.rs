//! `GET /api/v1/usage`: what the holder of a licence has used of it.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::ErrorV1,
    records::{UsageOfDay, UsageQuota, UsageRecord},
};
use http::{
    Uri,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use service::{
    Service,
    access::account::{MAX_USAGE_DAYS, USAGE_DAYS},
};

use super::error_mapping::store_unreadable;
use crate::{
    principal::write_quota_headers,
    rate_limits::GatedReadLimit,
    request::{parameters::count_parameter, query_parameters},
    response::{ApiError, JSON, PRIVATE_NO_STORE},
    state::ServiceInfo,
};

/// See what a licence has used
///
/// The quota of the current month, and the calls by day and operation. Needs a licence key, in the header
/// `x-svc-key` or as a bearer token, or a session at `/manage`; without a valid one the response is 404, as
/// if this address did not exist. Asking does not count as a call.
#[utoipa::path(
    get,
    path = "/api/v1/usage",
    operation_id = "getUsage",
    tag = "licences",
    params(("days" = Option<u32>, Query,
        description = "How many days to list, today included: 1 to 400; default 31.")),
    responses(
        (status = 200, description = "What was used.", body = UsageRecord,
            content_type = "application/json"),
        (status = 400, description = "`bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 404, description = "No valid licence key: `not_found`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_usage(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    GatedReadLimit(holder): GatedReadLimit,
    uri: Uri,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["days"])?;
    let most = usize::try_from(MAX_USAGE_DAYS).unwrap_or(usize::MAX);
    let days = count_parameter(&parameters, "days", most)?
        .and_then(|days| i64::try_from(days).ok())
        .unwrap_or(USAGE_DAYS);
    let unreadable =
        |error: service::StoreError| store_unreadable().with_internal_message(error.to_string());
    let licence = &holder.licence;
    let quota = service.access.quota(licence).await.map_err(unreadable)?;
    let usage = service.access.usage(licence, days).await.map_err(unreadable)?;
    let brand = &service_info.issuer.brand;
    let record = UsageRecord {
        kind: brand.kind("usage"),
        v: 1,
        licence: licence.id.clone(),
        plan: licence.plan.clone(),
        quota: UsageQuota {
            limit: quota.limit,
            used: quota.used,
            remaining: quota.remaining(),
            resets_at: quota.resets_at,
        },
        from: usage.first,
        to: usage.last,
        days: usage
            .rows
            .into_iter()
            .map(|row| UsageOfDay { day: row.day, operation: row.operation, calls: row.calls })
            .collect(),
        generated_at: service.now(),
    };
    let body =
        serde_json::to_vec(&record).map_err(|error| ApiError::internal(error.to_string()))?;
    let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, PRIVATE_NO_STORE)];
    let mut response = (headers, body).into_response();
    write_quota_headers(brand, &quota, response.headers_mut());
    Ok(response)
}
