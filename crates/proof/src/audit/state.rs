//! What an audit keeps to go on later: small, whatever the size of the log.

use contract::Brand;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Counts, KnownHead, LogAudit};
use crate::digest::Digest;
use crate::head::ChainHead;
use crate::tlog::RightEdge;
use crate::{KeyPolicy, ProofError};

/// The last head's members and the right edge of the tree. It is trusted when it is read back:
/// whoever can change it can hide what the audit found before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditState {
    pub v: u8,
    pub log_id: String,
    /// What the chain and the tree stand on, as the head states it; null before batch 0.
    head: Option<Value>,
    tree_size: u64,
    /// The hashes of the partial tile of every level, leaves first.
    partial_tiles: Vec<Vec<Digest>>,
}

impl AuditState {
    pub const V: u8 = 1;

    /// The number of the last batch that is behind.
    #[must_use]
    pub fn batch(&self) -> Option<u64> {
        self.head.as_ref().and_then(|head| head.get("batch")).and_then(Value::as_u64)
    }
}

impl LogAudit {
    #[must_use]
    pub fn state(&self) -> AuditState {
        AuditState {
            v: AuditState::V,
            log_id: self.brand.log_id(),
            head: self.last.as_ref().map(write_head),
            tree_size: self.edge.size(),
            partial_tiles: (0..self.edge.levels())
                .map(|level| self.edge.partial(level).to_vec())
                .collect(),
        }
    }

    /// Goes on behind the last batch of a state. Refused where the state is not one of this log
    /// or does not agree with itself.
    pub fn resume(policy: KeyPolicy, brand: Brand, state: AuditState) -> Result<Self, ProofError> {
        if state.v != AuditState::V {
            return Err(refused("it is of another version"));
        }
        if state.log_id != brand.log_id() {
            return Err(refused("it is of another log"));
        }
        let last = state.head.as_ref().map(read_head).transpose()?;
        if last.as_ref().is_some_and(|last| last.head.log_id != state.log_id) {
            return Err(refused("its head is of another log"));
        }
        if last.as_ref().map_or(0, |last| last.head.tree_size) != state.tree_size {
            return Err(refused("its head is of another size"));
        }
        let edge = RightEdge::restore(state.tree_size, state.partial_tiles)
            .ok_or_else(|| refused("its tiles do not fit its size"))?;
        let stated = last.as_ref().and_then(|last| last.tree_root);
        if stated.is_some_and(|stated| stated != edge.root()) {
            return Err(refused("its tiles do not give the root of its head"));
        }
        Ok(Self { policy, brand, last, edge, counts: Counts::default() })
    }
}

fn write_head(known: &KnownHead) -> Value {
    let KnownHead { head, tree_root } = known;
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

fn read_head(members: &Value) -> Result<KnownHead, ProofError> {
    let tree_root = match members.get("tree_root") {
        None | Some(Value::Null) => None,
        Some(stated) => Some(
            stated
                .as_str()
                .and_then(|hex| hex.parse().ok())
                .ok_or_else(|| refused("tree_root is no digest"))?,
        ),
    };
    Ok(KnownHead { head: ChainHead::read(members)?, tree_root })
}

fn refused(why: &'static str) -> ProofError {
    ProofError::Form { what: "state of an audit", why }
}
