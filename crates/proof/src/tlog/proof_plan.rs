//! Proofs built from tiles: which tiles a proof needs, and its hashes once those tiles are read.
//!
//! A plan is computed from sizes and indexes alone, so that the caller can read all tiles at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::right_edge::{TILE_HEIGHT, TILE_WIDTH};
use super::tiles::TileId;
use crate::digest::{Digest, sha256};
use crate::merkle_tree;

/// A complete subtree: the 2^`level` leaves from `index` × 2^`level` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subtree {
    pub level: u8,
    pub index: u64,
}

impl Subtree {
    /// The tile that contains the node, or the hashes directly below it.
    #[must_use]
    pub fn tile(self) -> TileId {
        TileId { level: self.level / TILE_HEIGHT, index: self.first_hash() / TILE_WIDTH }
    }

    /// The index of the first of its hashes on the level of its tile.
    fn first_hash(self) -> u64 {
        self.index << (self.level % TILE_HEIGHT)
    }

    /// The node's hash, if the tile is wide enough.
    fn hash(self, tile: &[Digest]) -> Option<Digest> {
        let start = usize::try_from(self.first_hash() % TILE_WIDTH).ok()?;
        let width = 1_usize << (self.level % TILE_HEIGHT);
        Some(merkle_tree::root(tile.get(start..start.checked_add(width)?)?))
    }
}

/// The nodes that a root or a proof consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofPlan {
    /// For every hash of the proof the complete subtrees under it, left to right.
    hashes: Vec<Vec<Subtree>>,
}

/// The plan for the root over the first `size` leaves: one hash.
#[must_use]
pub fn root_plan(size: u64) -> ProofPlan {
    ProofPlan { hashes: vec![subtrees_between(0, size)] }
}

/// The plan for the inclusion proof ([`merkle_tree::verify_inclusion`]) of the leaf at `index` in a
/// tree of `size` leaves. `None` if there is no such leaf.
#[must_use]
pub fn inclusion_plan(index: u64, size: u64) -> Option<ProofPlan> {
    if index >= size {
        return None;
    }
    let (mut start, mut end) = (0, size);
    let mut hashes = Vec::new();
    while end - start > 1 {
        let middle = start + split_point(end - start);
        if index < middle {
            hashes.push(subtrees_between(middle, end));
            end = middle;
        } else {
            hashes.push(subtrees_between(start, middle));
            start = middle;
        }
    }
    // Collected from the root down; a proof goes from the leaf up.
    hashes.reverse();
    Some(ProofPlan { hashes })
}

/// The plan for the consistency proof ([`merkle_tree::verify_consistency`]) from the tree of `old`
/// leaves to that of `new`. `None` if the old tree is empty or larger than the new one.
#[must_use]
pub fn consistency_plan(old: u64, new: u64) -> Option<ProofPlan> {
    if old == 0 || old > new {
        return None;
    }
    let (mut start, mut end) = (0, new);
    let mut hashes = Vec::new();
    while end != old {
        let middle = start + split_point(end - start);
        if old <= middle {
            hashes.push(subtrees_between(middle, end));
            end = middle;
        } else {
            hashes.push(subtrees_between(start, middle));
            start = middle;
        }
    }
    // If the old tree is a node of the new one, the verifier already knows its root.
    if start != 0 {
        hashes.push(subtrees_between(start, end));
    }
    hashes.reverse();
    Some(ProofPlan { hashes })
}

impl ProofPlan {
    /// The needed tiles, each once, level by level.
    #[must_use]
    pub fn tiles(&self) -> Vec<TileId> {
        let tiles: BTreeSet<TileId> =
            self.hashes.iter().flatten().map(|node| node.tile()).collect();
        tiles.into_iter().collect()
    }

    /// The hashes of the proof. Each tile is requested once. It may be partial or full, if it is
    /// wide enough for the size of the plan. `None` if a tile is missing or too short.
    #[must_use]
    pub fn build_hashes(
        &self,
        tile: &impl Fn(TileId) -> Option<Arc<[Digest]>>,
    ) -> Option<Vec<Digest>> {
        let mut tiles = BTreeMap::new();
        for id in self.tiles() {
            tiles.insert(id, tile(id)?);
        }
        let hash = |node: &Subtree| node.hash(tiles.get(&node.tile())?);
        let fold = |nodes: &Vec<Subtree>| {
            let mut from_the_right = nodes.iter().rev();
            let Some(last) = from_the_right.next() else { return Some(sha256(b"")) };
            from_the_right.try_fold(hash(last)?, |right, left| {
                Some(merkle_tree::node_hash(&hash(left)?, &right))
            })
        };
        self.hashes.iter().map(fold).collect()
    }

    /// The single hash of a [`root_plan`].
    #[must_use]
    pub fn build_root(&self, tile: &impl Fn(TileId) -> Option<Arc<[Digest]>>) -> Option<Digest> {
        match self.build_hashes(tile)?.as_slice() {
            [root] => Some(*root),
            _ => None,
        }
    }
}

/// The largest power of two below `size`, which is 2 or more.
fn split_point(size: u64) -> u64 {
    1 << (size - 1).ilog2()
}

/// The complete subtrees that cover the leaves from `start` up to but not including `end`, where
/// `start` is a multiple of the largest subtree's size.
fn subtrees_between(mut start: u64, end: u64) -> Vec<Subtree> {
    let mut nodes = Vec::new();
    while start < end {
        let level = (end - start).ilog2();
        // The logarithm of a 64-bit number is below 64.
        nodes.push(Subtree { level: level as u8, index: start >> level });
        start += 1 << level;
    }
    nodes
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::merkle_tree::{leaf_hash, verify_consistency, verify_inclusion};
    use crate::tlog::{RightEdge, decode_tile_hashes};

    type Tiles = BTreeMap<TileId, Arc<[Digest]>>;

    fn leaves(count: u64) -> Vec<Digest> {
        (0..count).map(|n| leaf_hash(&n.to_be_bytes())).collect()
    }

    /// Every tile of the tree, as wide as it is.
    fn tiles(leaves: &[Digest]) -> Tiles {
        let (mut edge, mut full) = (RightEdge::new(), Vec::new());
        leaves.iter().for_each(|leaf| edge.push(*leaf, &mut full));
        let mut tiles = BTreeMap::new();
        for tile in full {
            let id = TileId { level: tile.level, index: tile.index };
            tiles.insert(id, decode_tile_hashes(&tile.hashes).unwrap().into());
        }
        for level in 0..edge.levels() {
            let index = edge.size() >> (8 * (u32::from(level) + 1));
            tiles.insert(TileId { level, index }, edge.partial_tile(level).into());
        }
        tiles
    }

    #[test]
    fn agrees_with_the_naive_proofs_at_every_small_size() {
        let leaves = leaves(300);
        let tiles = tiles(&leaves);
        let tile = |id: TileId| tiles.get(&id).cloned();
        let mut root = merkle_tree::root(&[]);
        assert_eq!(root_plan(0).build_root(&tile), Some(root));
        for size in 1..=300 {
            let whole = &leaves[..size as usize];
            root = merkle_tree::root(whole);
            assert_eq!(root_plan(size).build_root(&tile), Some(root), "{size}");
            let every = if size < 70 || (254..260).contains(&size) { 1 } else { 17 };
            for n in (0..size).step_by(every) {
                let path = inclusion_plan(n, size).unwrap().build_hashes(&tile).unwrap();
                assert!(verify_inclusion(&leaves[n as usize], n, size, &path, &root), "{n} {size}");
            }
        }
        for new in (1..=300).step_by(7).chain([255, 256, 257]) {
            for old in 1..=new {
                let proof = consistency_plan(old, new).unwrap().build_hashes(&tile).unwrap();
                let naive = merkle_tree::consistency_proof(&leaves[..new as usize], old).unwrap();
                assert_eq!(proof, naive, "{old} {new}");
            }
        }
    }

    #[test]
    fn asks_for_no_tile_that_it_does_not_need() {
        let id = |level, index| TileId { level, index };
        assert_eq!(root_plan(0).tiles(), []);
        assert_eq!(root_plan(256).tiles(), [id(1, 0)]);
        assert_eq!(root_plan(70_000).tiles(), [id(0, 273), id(1, 1), id(2, 0)]);
        // The leaf's own tile, the level above it, the right edge.
        let plan = inclusion_plan(1000, 70_000).unwrap();
        assert_eq!(plan.tiles(), [id(0, 3), id(0, 273), id(1, 0), id(1, 1)]);
        assert_eq!(inclusion_plan(0, 1).unwrap().tiles(), []);
        assert_eq!(consistency_plan(5, 5).unwrap().tiles(), []);
    }

    #[test]
    fn what_cannot_be_proved_has_no_plan() {
        assert_eq!(inclusion_plan(0, 0), None);
        assert_eq!(inclusion_plan(5, 5), None);
        assert_eq!(consistency_plan(0, 5), None);
        assert_eq!(consistency_plan(6, 5), None);
        assert_eq!(consistency_plan(5, 5).unwrap().build_hashes(&|_| None), Some(vec![]));
    }

    #[test]
    fn a_missing_or_short_tile_gives_no_proof() {
        let leaves = leaves(300);
        let tiles = tiles(&leaves);
        let plan = inclusion_plan(3, 300).unwrap();
        for lost in plan.tiles() {
            assert_eq!(
                plan.build_hashes(&|id| tiles.get(&id).filter(|_| id != lost).cloned()),
                None
            );
            let short = |id: TileId| {
                let tile = tiles.get(&id)?;
                Some(if id == lost { tile[..tile.len() - 1].into() } else { tile.clone() })
            };
            assert_eq!(plan.build_hashes(&short), None, "{lost:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn agrees_with_the_verifiers_at_large_sizes(size in 60_000_u64..=70_000, old in any::<u64>(), index in any::<u64>()) {
            // Tiles of a larger log serve every smaller size.
            static LARGE: LazyLock<(Vec<Digest>, Tiles)> = LazyLock::new(|| {
                let leaves = leaves(70_000);
                let tiles = tiles(&leaves);
                (leaves, tiles)
            });
            let (leaves, tiles) = &*LARGE;
            let tile = |id: TileId| tiles.get(&id).cloned();
            let root = root_plan(size).build_root(&tile).unwrap();
            prop_assert_eq!(root, merkle_tree::root(&leaves[..size as usize]));
            let (old, index) = (1 + old % size, index % size);
            let path = inclusion_plan(index, size).unwrap().build_hashes(&tile).unwrap();
            prop_assert!(verify_inclusion(&leaves[index as usize], index, size, &path, &root));
            let before = root_plan(old).build_root(&tile).unwrap();
            let proof = consistency_plan(old, size).unwrap().build_hashes(&tile).unwrap();
            prop_assert!(verify_consistency(old, size, &before, &root, &proof));
        }

        #[test]
        fn any_numbers_give_a_short_plan_or_none(a in any::<u64>(), b in any::<u64>()) {
            for plan in [Some(root_plan(a.max(1))), inclusion_plan(a, b), consistency_plan(a, b)].into_iter().flatten() {
                prop_assert!(plan.hashes.len() <= 65);
                // The tree above a leaf spans eight levels of tiles, and so does its right edge.
                prop_assert!(plan.tiles().len() <= 16);
                prop_assert_eq!(plan.build_hashes(&|_| None), plan.tiles().is_empty().then(Vec::new));
            }
        }
    }
}
