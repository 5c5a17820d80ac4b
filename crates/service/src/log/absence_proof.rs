//! Proving that a leaf is not in a batch. The leaves of a batch are strictly ascending, so it is
//! enough to show the two adjacent leaves between which the missing one would be.

use proof::Digest;
use proof::merkle_tree::BatchTree;

use super::errors::SealError;
use super::snapshot::SignedTreeHead;
use super::transparency_log::TransparencyLog;

/// A leaf of a batch and its path to the batch's root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafWithPath {
    pub leaf: Digest,
    pub index: u64,
    pub path: Vec<Digest>,
}

/// Whether a leaf is in a batch, under the batch's head.
#[derive(Debug, Clone, PartialEq)]
pub struct AbsenceProof {
    pub head: SignedTreeHead,
    pub position: LeafPosition,
}

/// Where a leaf is in a batch, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeafPosition {
    /// It is in the batch.
    Found(LeafWithPath),
    /// It would be between these two; `None` on a side where the batch ends.
    Between { left: Option<LeafWithPath>, right: Option<LeafWithPath> },
}

impl TransparencyLog {
    /// Proves whether a leaf is in a batch; says nothing about other batches. `None` if the log has
    /// no such batch.
    pub async fn absence_proof(
        &self,
        batch: u64,
        leaf: Digest,
    ) -> Result<Option<AbsenceProof>, SealError> {
        let Some((stored, _)) = self.batch_with_cosignatures(batch).await? else { return Ok(None) };
        let head = self.servable_head(stored.sth)?;
        let tree = BatchTree::new(stored.leaves);
        Ok(Some(AbsenceProof { head, position: find_position(&tree, &leaf) }))
    }
}

fn find_position(tree: &BatchTree, leaf: &Digest) -> LeafPosition {
    let leaf_at = |index: Option<usize>| {
        let index = index?;
        let leaf = *tree.leaves().get(index)?;
        let index = index as u64;
        Some(LeafWithPath { leaf, index, path: tree.path(index)? })
    };
    match tree.leaves().binary_search(leaf) {
        Ok(index) => match leaf_at(Some(index)) {
            Some(found) => LeafPosition::Found(found),
            None => LeafPosition::Between { left: None, right: None },
        },
        Err(index) => LeafPosition::Between {
            left: leaf_at(index.checked_sub(1)),
            right: leaf_at(Some(index)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proof::merkle_tree::verify_inclusion;

    #[test]
    fn neighbours_are_neighbours_and_edges_are_edges() {
        for size in 1..=20_u8 {
            let tree = BatchTree::new((0..size).map(|n| proof::sha256(&[n])));
            let holds = |found: &LeafWithPath| {
                verify_inclusion(&found.leaf, found.index, tree.size(), &found.path, &tree.root())
            };
            for probe in 0..60_u8 {
                let leaf = proof::sha256(&[probe]);
                match find_position(&tree, &leaf) {
                    LeafPosition::Found(found) => {
                        assert!(probe < size && found.leaf == leaf && holds(&found));
                    }
                    LeafPosition::Between { left, right } => {
                        assert!(probe >= size, "{probe} of {size}");
                        assert!(left.iter().chain(&right).all(holds));
                        match (&left, &right) {
                            (Some(left), Some(right)) => {
                                assert!(left.leaf < leaf && leaf < right.leaf);
                                assert_eq!(left.index + 1, right.index);
                            }
                            (Some(left), None) => {
                                assert!(left.leaf < leaf);
                                assert_eq!(left.index + 1, tree.size());
                            }
                            (None, Some(right)) => {
                                assert!(leaf < right.leaf);
                                assert_eq!(right.index, 0);
                            }
                            (None, None) => panic!("no batch is empty"),
                        }
                    }
                }
            }
        }
    }
}
