//! Proofs about the log: inclusion of a leaf, consistency of two sizes, absence of a leaf from a batch.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::{AbsenceState, LogAbsence, LogConsistency, LogInclusion, LogNeighbour, LogSize},
};
use http::{HeaderMap, Uri};
use service::{
    Service,
    log::{LeafPosition, LeafWithPath},
};

use super::heads::{batch_not_found, to_hex_list};
use crate::{
    handlers::error_mapping::log_to_api_error,
    rate_limits::FeedLimit,
    request::{
        parameters::{leaf_parameter, number_parameter, required},
        query_parameters,
    },
    response::{ApiError, CACHE_FOREVER, CACHE_THIRTY_SECONDS, HttpDocument},
};

/// Prove that a leaf is in the log
///
/// The inclusion path to the root of the leaf's batch, with the signed head of that batch, and the
/// inclusion path to the root of the tree over all leaves at `tree_size` (default: the newest size).
#[utoipa::path(
    get,
    path = "/api/v1/log/inclusion",
    operation_id = "getLogInclusion",
    tag = "log",
    params(
        ("leaf" = String, Query, description = "The leaf hash: 64 lower-case hex digits."),
        ("tree_size" = Option<u64>, Query, description = "The size of the log, in leaves."),
    ),
    responses(
        (status = 200, description = "The proof.", body = LogInclusion,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "Also if the log has not reached this size: \
            `bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 404, description = "The leaf is not in the log, or not at that size: \
            `not_found`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_inclusion(
    State(service): State<Arc<Service>>,
    _: FeedLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["leaf", "tree_size"])?;
    let leaf = required(leaf_parameter(&parameters)?, "leaf")?;
    let tree_size = number_parameter(&parameters, "tree_size")?;
    if let Some(size) = tree_size {
        check_size(&service, size, "tree_size")?;
    }
    let found = service.log.inclusion_proof(leaf, tree_size).await.map_err(log_to_api_error)?;
    let found = found.ok_or_else(|| {
        let sentence = match tree_size {
            Some(_) => "This leaf is not in the log at this size.",
            None => "This leaf is not in the log.",
        };
        ApiError::new(ErrorCode::NotFound, sentence).param("leaf")
    })?;
    let (sealed, chain) = (&found.sealed, &found.sealed.head.chain);
    let body = LogInclusion {
        log_id: chain.log_id.clone(),
        leaf_hash: leaf.to_hex(),
        batch: chain.batch,
        index: sealed.index,
        log_index: sealed.log_index,
        batch_size: chain.batch_size,
        path: to_hex_list(&sealed.path),
        sth: sealed.head.document.clone(),
        tree_size: found.tree_size,
        tree_root: found.tree_root.to_hex(),
        tree_path: to_hex_list(&found.tree_path),
    };
    let cache = if tree_size.is_some() { CACHE_FOREVER } else { CACHE_THIRTY_SECONDS };
    Ok(HttpDocument::json(&body, cache)?.reply(&headers))
}

/// Checks that the log has reached this size.
fn check_size(service: &Service, size: u64, name: &'static str) -> Result<(), ApiError> {
    let newest =
        service.log.head().map_err(log_to_api_error)?.map_or(0, |head| head.chain.tree_size);
    if (1..=newest).contains(&size) {
        return Ok(());
    }
    let sentence =
        format!("`{name}` must be at least 1 and at most {newest}, the current size of the log.");
    Err(ApiError::bad_request(sentence).param(name))
}

/// Prove that the log only grew
///
/// A consistency proof: the log at size `to` (default: the newest size) begins with the complete log of
/// size `from`.
#[utoipa::path(
    get,
    path = "/api/v1/log/consistency",
    operation_id = "getLogConsistency",
    tag = "log",
    params(
        ("from" = u64, Query, description = "The earlier size, in leaves."),
        ("to" = Option<u64>, Query, description = "The later size."),
    ),
    responses(
        (status = 200, description = "The proof.", body = LogConsistency,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "Also if the log has not reached these sizes: \
            `bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_consistency(
    State(service): State<Arc<Service>>,
    _: FeedLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["from", "to"])?;
    let from = required(number_parameter(&parameters, "from")?, "from")?;
    let named = number_parameter(&parameters, "to")?;
    check_size(&service, from, "from")?;
    let newest =
        service.log.head().map_err(log_to_api_error)?.map_or(0, |head| head.chain.tree_size);
    let to = named.unwrap_or(newest);
    check_size(&service, to, "to")?;
    let proved = service.log.consistency_proof(from, to).await.map_err(log_to_api_error)?;
    let proved = proved.ok_or_else(|| {
        ApiError::bad_request("`from` must not be larger than `to`.").param("from")
    })?;
    let size =
        |(tree_size, root): (u64, proof::Digest)| LogSize { tree_size, tree_root: root.to_hex() };
    let body = LogConsistency {
        log_id: service.brand().log_id(),
        from: size(proved.from),
        to: size(proved.to),
        proof: to_hex_list(&proved.proof),
    };
    let cache = if named.is_some() { CACHE_FOREVER } else { CACHE_THIRTY_SECONDS };
    Ok(HttpDocument::json(&body, cache)?.reply(&headers))
}

/// Prove that a leaf is not in a batch
///
/// The two adjacent leaves between which the leaf would be, with their inclusion paths to the root of the
/// batch. At the edge of the batch there is only one. The proof says nothing about other batches.
#[utoipa::path(
    get,
    path = "/api/v1/log/absence",
    operation_id = "getLogAbsence",
    tag = "log",
    params(
        ("batch" = u64, Query, description = "The number of the batch."),
        ("leaf" = String, Query, description = "The leaf hash: 64 lower-case hex digits."),
    ),
    responses(
        (status = 200, description = "The proof, or the statement that the leaf is in the batch.",
            body = LogAbsence, content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 404, description = "No such batch yet: `not_found`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_absence(
    State(service): State<Arc<Service>>,
    _: FeedLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["batch", "leaf"])?;
    let batch = required(number_parameter(&parameters, "batch")?, "batch")?;
    let leaf = required(leaf_parameter(&parameters)?, "leaf")?;
    let absence = service.log.absence_proof(batch, leaf).await.map_err(log_to_api_error)?;
    let absence = absence.ok_or_else(batch_not_found)?;
    let shown = |found: LeafWithPath| LogNeighbour {
        leaf_hash: found.leaf.to_hex(),
        index: found.index,
        path: to_hex_list(&found.path),
    };
    let (state, found, left, right) = match absence.position {
        LeafPosition::Found(found) => (AbsenceState::Included, Some(shown(found)), None, None),
        LeafPosition::Between { left, right } => {
            (AbsenceState::Absent, None, left.map(shown), right.map(shown))
        }
    };
    let body = LogAbsence {
        log_id: service.brand().log_id(),
        leaf_hash: leaf.to_hex(),
        batch,
        state,
        found,
        left,
        right,
        sth: absence.head.document,
    };
    Ok(HttpDocument::json(&body, CACHE_FOREVER)?.reply(&headers))
}
