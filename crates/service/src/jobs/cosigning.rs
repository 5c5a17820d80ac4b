//! Requests cosignatures of every checkpoint from the configured witnesses.

use std::sync::Arc;

use crate::log::{TransparencyLog, request_cosignatures};

/// Runs until it is dropped.
pub async fn run_cosigning(log: Arc<TransparencyLog>) {
    request_cosignatures(log).await;
}
