//! Reading block headers from explorers that the operator named.

use std::time::Duration;

use door::operator::Call;
use proof::Digest;
use serde::Deserialize;

/// A block's description is about half of this.
const MAX_BLOCK: usize = 16 * 1024;

/// What one explorer says about a block's merkle root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    Same,
    Another,
    Nothing(String),
}

/// Compares what a timestamp came to with the header at that height. `root` is in the order of the
/// chain's bytes; explorers write hashes turned round.
pub(super) async fn compare(explorer: &str, height: u64, root: &[u8], patience: Duration) -> Said {
    match merkle_root(explorer, height, patience).await {
        Ok(found) if found.iter().rev().eq(root) => Said::Same,
        Ok(_) => Said::Another,
        Err(why) => Said::Nothing(format!("{explorer}: {why}")),
    }
}

#[derive(Deserialize)]
struct Block {
    id: Digest,
    height: u64,
    merkle_root: Digest,
}

/// As the explorer writes it.
async fn merkle_root(explorer: &str, height: u64, patience: Duration) -> Result<[u8; 32], String> {
    let base = explorer.trim_end_matches('/');
    let hash = get(&format!("{base}/block-height/{height}"), patience).await?;
    let hash: Digest = std::str::from_utf8(hash.trim_ascii())
        .ok()
        .and_then(|hash| hash.parse().ok())
        .ok_or("it named no block")?;
    let block = get(&format!("{base}/block/{hash}"), patience).await?;
    let block: Block =
        serde_json::from_slice(&block).map_err(|_| "what it sent is no block".to_owned())?;
    if block.height != height || block.id != hash {
        return Err("it sent another block".to_owned());
    }
    Ok(block.merkle_root.0)
}

async fn get(url: &str, patience: Duration) -> Result<Vec<u8>, String> {
    let call = Call {
        method: "GET",
        url,
        body: None,
        accept: "application/json, text/plain",
        max_answer_bytes: MAX_BLOCK,
        patience,
    };
    let answer = call.make().await.map_err(|e| e.to_string())?;
    if answer.status == 200 {
        Ok(answer.body)
    } else {
        Err(format!("it answered {}", answer.status))
    }
}
