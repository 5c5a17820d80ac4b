//! `GET /api/v1/core`: the operations with guaranteed availability.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::core_contract::CoreContract;
use http::HeaderMap;

use crate::{
    response::{CACHE_FIVE_MINUTES, HttpDocument, JSON},
    state::ServiceInfo,
};

/// List the core contract
///
/// The nine operations that stay available for at least 180 days after any `/api/v2` is announced.
/// `served` says whether this build implements the operation.
#[utoipa::path(
    get,
    path = "/api/v1/core",
    operation_id = "coreContract",
    tag = "contract",
    responses(
        (status = 200, description = "The list of operations, and the guarantee.",
            body = CoreContract, content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
    )
)]
pub(crate) async fn core_contract(
    State(service_info): State<Arc<ServiceInfo>>,
    headers: HeaderMap,
) -> Response {
    let contract =
        CoreContract::current(&service_info.issuer.brand, &service_info.issuer.base_url, &|id| {
            service_info.served_operations.contains(id)
        });
    // Only strings, numbers and booleans: serializing cannot fail.
    let bytes = serde_json::to_string(&contract).unwrap_or_default();
    HttpDocument::new(bytes, JSON, CACHE_FIVE_MINUTES).reply(&headers)
}
