//! Proving that a leaf is not in a batch: leaves are strictly ascending, so the two on both sides of
//! where it would be are neighbours.

use proof::Digest;
use proof::tree::BatchTree;

use super::SealError;
use super::view::SealedHead;
use crate::Service;

/// A leaf of a batch and its way to the batch's root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    pub leaf: Digest,
    pub index: u64,
    pub path: Vec<Digest>,
}

/// Whether a leaf is in a batch, under the batch's head.
#[derive(Debug, Clone, PartialEq)]
pub struct Absence {
    pub head: SealedHead,
    pub place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// It is in the batch after all.
    Found(Neighbour),
    /// It would be between these; nothing on a side where it would be at the edge of the batch.
    Between { left: Option<Neighbour>, right: Option<Neighbour> },
}

impl Service {
    /// Whether a leaf is in a batch. Nothing where there is no such batch. It says nothing of
    /// other batches.
    pub async fn log_absence(
        &self,
        batch: u64,
        leaf: Digest,
    ) -> Result<Option<Absence>, SealError> {
        let Some((kept, _)) = self.log_batch(batch).await? else { return Ok(None) };
        let head = SealedHead::read(kept.sth).map_err(SealError::NotSigned)?;
        let tree = BatchTree::new(kept.leaves);
        Ok(Some(Absence { head, place: place(&tree, &leaf) }))
    }
}

fn place(tree: &BatchTree, leaf: &Digest) -> Place {
    let at = |index: Option<usize>| {
        let index = index?;
        let leaf = *tree.leaves().get(index)?;
        let index = index as u64;
        Some(Neighbour { leaf, index, path: tree.path(index)? })
    };
    match tree.leaves().binary_search(leaf) {
        Ok(index) => match at(Some(index)) {
            Some(found) => Place::Found(found),
            None => Place::Between { left: None, right: None },
        },
        Err(index) => Place::Between { left: at(index.checked_sub(1)), right: at(Some(index)) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proof::tree::verify_inclusion;

    #[test]
    fn neighbours_are_neighbours_and_edges_are_edges() {
        for size in 1..=20_u8 {
            let tree = BatchTree::new((0..size).map(|n| proof::sha256(&[n])));
            let holds = |found: &Neighbour| {
                verify_inclusion(&found.leaf, found.index, tree.size(), &found.path, &tree.root())
            };
            for probe in 0..60_u8 {
                let leaf = proof::sha256(&[probe]);
                match place(&tree, &leaf) {
                    Place::Found(found) => {
                        assert!(probe < size && found.leaf == leaf && holds(&found));
                    }
                    Place::Between { left, right } => {
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
