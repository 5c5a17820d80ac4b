//! The saved state with which an audit can be resumed. It is small, whatever the size of the log.

use contract::Brand;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::log_audit::{AuditCounts, LogAudit, VerifiedHead};
use crate::digest::Digest;
use crate::tlog::RightEdge;
use crate::tree_head::ChainHead;
use crate::{KeyPolicy, ProofError};

/// The last head's members and the right edge of the tree. It is trusted when it is loaded: whoever
/// can change it can hide what happened before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditState {
    pub v: u8,
    pub log_id: String,
    /// The members of the last head that define the chain and the tree; null before batch 0.
    head: Option<Value>,
    tree_size: u64,
    /// The hashes of the partial tile of every level, leaves first.
    partial_tiles: Vec<Vec<Digest>>,
}

impl AuditState {
    pub const V: u8 = 1;

    /// The number of the last audited batch.
    #[must_use]
    pub fn last_batch(&self) -> Option<u64> {
        self.head.as_ref().and_then(|head| head.get("batch")).and_then(Value::as_u64)
    }
}

impl LogAudit {
    #[must_use]
    pub fn state(&self) -> AuditState {
        AuditState {
            v: AuditState::V,
            log_id: self.brand.log_id(),
            head: self.last.as_ref().map(head_to_json),
            tree_size: self.edge.size(),
            partial_tiles: (0..self.edge.levels())
                .map(|level| self.edge.partial_tile(level).to_vec())
                .collect(),
        }
    }

    /// Resumes after the last batch of a state. Fails if the state belongs to another log or
    /// contradicts itself.
    pub fn resume(policy: KeyPolicy, brand: Brand, state: AuditState) -> Result<Self, ProofError> {
        if state.v != AuditState::V {
            return Err(state_error("unsupported version"));
        }
        if state.log_id != brand.log_id() {
            return Err(state_error("it belongs to another log"));
        }
        let last = state.head.as_ref().map(head_from_json).transpose()?;
        if last.as_ref().is_some_and(|last| last.head.log_id != state.log_id) {
            return Err(state_error("its head belongs to another log"));
        }
        if last.as_ref().map_or(0, |last| last.head.tree_size) != state.tree_size {
            return Err(state_error("its head has another tree size"));
        }
        let edge = RightEdge::restore(state.tree_size, state.partial_tiles)
            .ok_or_else(|| state_error("its tiles do not match its size"))?;
        let stated = last.as_ref().and_then(|last| last.tree_root);
        if stated.is_some_and(|stated| stated != edge.root()) {
            return Err(state_error("its tiles do not hash to its head's root"));
        }
        Ok(Self { policy, brand, last, edge, counts: AuditCounts::default() })
    }
}

fn head_to_json(known: &VerifiedHead) -> Value {
    let VerifiedHead { head, tree_root } = known;
    json!({
        "log_id": head.log_id,
        "batch": head.batch,
        "first_index": head.first_index,
        "batch_size": head.batch_size,
        "tree_size": head.tree_size,
        "batch_root": head.batch_root,
        "prev_sth_sha256": head.prev_sth_sha256,
        "created_at": head.created_at,
        "sha256": head.sha256,
        "tree_root": tree_root,
    })
}

fn head_from_json(members: &Value) -> Result<VerifiedHead, ProofError> {
    let tree_root = match members.get("tree_root") {
        None | Some(Value::Null) => None,
        Some(stated) => Some(
            stated
                .as_str()
                .and_then(|hex| hex.parse().ok())
                .ok_or_else(|| state_error("tree_root is not a digest"))?,
        ),
    };
    Ok(VerifiedHead { head: ChainHead::parse(members)?, tree_root })
}

fn state_error(why: &'static str) -> ProofError {
    ProofError::Malformed { what: "audit state", why }
}
