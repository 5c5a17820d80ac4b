//! What can be proved of the log: that a leaf is in it, that it only grew, that a leaf is not in a
//! batch.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::{AbsenceState, LogAbsence, LogConsistency, LogInclusion, LogNeighbour, LogSize},
};
use http::{HeaderMap, Uri};
use service::{
    Service,
    log::{Neighbour, Place},
};

use super::{document, failed, hex, leaf, needed, no_such_batch, number};
use crate::{
    address,
    documents::{FOR_EVER, FOR_HALF_A_MINUTE},
    errors::ApiError,
    limits::Feeds,
};

/// Prove that a leaf is in the log
///
/// Its way to the root of its batch, under the signed head of that batch, and its way to the root
/// over all leaves of the log at a size: the newest, if none is named.
#[utoipa::path(
    get,
    path = "/api/v1/log/inclusion",
    operation_id = "getLogInclusion",
    tag = "log",
    params(
        ("leaf" = String, Query, description = "The leaf's hash, 64 hexadecimal digits."),
        ("tree_size" = Option<u64>, Query, description = "The size of the log, in leaves."),
    ),
    responses(
        (status = 200, description = "The proof.", body = LogInclusion,
            content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "Also for a size that the log has not come to: \
            `bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 404, description = "The leaf is not in the log, or not at that size: \
            `not_found`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_inclusion(
    State(service): State<Arc<Service>>,
    _: Feeds,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let asked = address::parameters(&uri, &["leaf", "tree_size"])?;
    let leaf = needed(leaf(&asked)?, "leaf")?;
    let tree_size = number(&asked, "tree_size")?;
    if let Some(size) = tree_size {
        check_size(&service, size, "tree_size")?;
    }
    let found = service.log_inclusion(leaf, tree_size).await.map_err(failed)?;
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
        path: hex(&sealed.path),
        sth: sealed.head.document.clone(),
        tree_size: found.tree_size,
        tree_root: found.tree_root.to_hex(),
        tree_path: hex(&found.tree_path),
    };
    let cache = if tree_size.is_some() { FOR_EVER } else { FOR_HALF_A_MINUTE };
    Ok(document(&body, cache)?.reply(&headers))
}

/// From 1 to what the log has.
fn check_size(service: &Service, size: u64, name: &'static str) -> Result<(), ApiError> {
    let newest = service.log_head().map_err(failed)?.map_or(0, |head| head.chain.tree_size);
    if (1..=newest).contains(&size) {
        return Ok(());
    }
    let sentence = format!("`{name}` is a size of the log, which has {newest} leaves.");
    Err(ApiError::bad_request(sentence).param(name))
}

/// Prove that the log only grew
///
/// That the log at size `to` (the newest, if it is left out) begins with the whole log of size
/// `from`.
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
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "Also for sizes that the log has not come to: \
            `bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_consistency(
    State(service): State<Arc<Service>>,
    _: Feeds,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let asked = address::parameters(&uri, &["from", "to"])?;
    let from = needed(number(&asked, "from")?, "from")?;
    let named = number(&asked, "to")?;
    check_size(&service, from, "from")?;
    let newest = service.log_head().map_err(failed)?.map_or(0, |head| head.chain.tree_size);
    let to = named.unwrap_or(newest);
    check_size(&service, to, "to")?;
    let proved = service.log_consistency(from, to).await.map_err(failed)?;
    let proved = proved
        .ok_or_else(|| ApiError::bad_request("`from` is not larger than `to`.").param("from"))?;
    let size =
        |(tree_size, root): (u64, proof::Digest)| LogSize { tree_size, tree_root: root.to_hex() };
    let body = LogConsistency {
        log_id: service.brand().log_id(),
        from: size(proved.from),
        to: size(proved.to),
        proof: hex(&proved.proof),
    };
    let cache = if named.is_some() { FOR_EVER } else { FOR_HALF_A_MINUTE };
    Ok(document(&body, cache)?.reply(&headers))
}

/// Prove that a leaf is not in a batch
///
/// The leaves on both sides of where it would be, which are neighbours, with their ways to the
/// root of the batch; one of them at the edge of the batch. It says nothing of other batches.
#[utoipa::path(
    get,
    path = "/api/v1/log/absence",
    operation_id = "getLogAbsence",
    tag = "log",
    params(
        ("batch" = u64, Query, description = "The batch's number."),
        ("leaf" = String, Query, description = "The leaf's hash, 64 hexadecimal digits."),
    ),
    responses(
        (status = 200, description = "The proof, or that the leaf is in the batch after all.",
            body = LogAbsence, content_type = "application/json"),
        (status = 304, description = "The copy you have is still right."),
        (status = 400, description = "`bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 404, description = "No such batch yet: `not_found`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_log_absence(
    State(service): State<Arc<Service>>,
    _: Feeds,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let asked = address::parameters(&uri, &["batch", "leaf"])?;
    let batch = needed(number(&asked, "batch")?, "batch")?;
    let leaf = needed(leaf(&asked)?, "leaf")?;
    let absence = service.log_absence(batch, leaf).await.map_err(failed)?;
    let absence = absence.ok_or_else(no_such_batch)?;
    let shown = |found: Neighbour| LogNeighbour {
        leaf_hash: found.leaf.to_hex(),
        index: found.index,
        path: hex(&found.path),
    };
    let (state, found, left, right) = match absence.place {
        Place::Found(found) => (AbsenceState::Included, Some(shown(found)), None, None),
        Place::Between { left, right } => {
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
    Ok(document(&body, FOR_EVER)?.reply(&headers))
}
