//! Reading block headers from explorers that the operator configured.

use std::time::Duration;

use door::operator::Call;
use proof::Digest;
use serde::Deserialize;

/// The JSON of a block is about half of this.
const MAX_BLOCK_BYTES: usize = 16 * 1024;

/// How a merkle root compares with one explorer's block header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RootComparison {
    Matches,
    Differs,
    Unknown(String),
}

/// Compares the merkle root that a timestamp computes with the block header at that height. `root`
/// is in the byte order of the chain; explorers write hashes reversed.
pub(super) async fn compare_merkle_root(
    explorer: &str,
    height: u64,
    root: &[u8],
    patience: Duration,
) -> RootComparison {
    match fetch_merkle_root(explorer, height, patience).await {
        Ok(found) if found.iter().rev().eq(root) => RootComparison::Matches,
        Ok(_) => RootComparison::Differs,
        Err(why) => RootComparison::Unknown(format!("{explorer}: {why}")),
    }
}

#[derive(Deserialize)]
struct ExplorerBlock {
    id: Digest,
    height: u64,
    merkle_root: Digest,
}

/// The merkle root in the byte order of the explorer.
async fn fetch_merkle_root(
    explorer: &str,
    height: u64,
    patience: Duration,
) -> Result<[u8; 32], String> {
    let base = explorer.trim_end_matches('/');
    let hash = get(&format!("{base}/block-height/{height}"), patience).await?;
    let hash: Digest = std::str::from_utf8(hash.trim_ascii())
        .ok()
        .and_then(|hash| hash.parse().ok())
        .ok_or("it did not return a block hash")?;
    let block = get(&format!("{base}/block/{hash}"), patience).await?;
    let block: ExplorerBlock =
        serde_json::from_slice(&block).map_err(|_| "it did not return a block".to_owned())?;
    if block.height != height || block.id != hash {
        return Err("it returned a different block".to_owned());
    }
    Ok(block.merkle_root.0)
}

async fn get(url: &str, patience: Duration) -> Result<Vec<u8>, String> {
    let call = Call {
        method: "GET",
        url,
        body: None,
        accept: "application/json, text/plain",
        max_response_bytes: MAX_BLOCK_BYTES,
        timeout: patience,
    };
    let answer = call.send().await.map_err(|e| e.to_string())?;
    if answer.status == 200 {
        Ok(answer.body)
    } else {
        Err(format!("it answered {}", answer.status))
    }
}
