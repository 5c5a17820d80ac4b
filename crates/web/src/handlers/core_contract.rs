//! `GET /api/v1/core`: the operations that keep answering.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::core_ops::CoreContract;
use http::HeaderMap;

use crate::{
    documents::{Document, FOR_MINUTES, JSON},
    state::Site,
};

/// List the core contract
///
/// The nine operations that keep answering for at least 180 days after any `/api/v2` is
/// announced. `served` says whether this build answers the operation already.
#[utoipa::path(
    get,
    path = "/api/v1/core",
    operation_id = "coreContract",
    tag = "contract",
    responses(
        (status = 200, description = "The list, and the promise made about it.",
            body = CoreContract, content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
    )
)]
pub(crate) async fn core_contract(State(site): State<Arc<Site>>, headers: HeaderMap) -> Response {
    let contract =
        CoreContract::current(&site.brand, &site.base_url, &|id| site.served.contains(id));
    // Strings and numbers: this cannot fail.
    let bytes = serde_json::to_string(&contract).unwrap_or_default();
    Document::new(bytes, JSON, FOR_MINUTES).reply(&headers)
}
