//! Merkle trees (RFC 9162, section 2.1) over leaves that are already hashed.
//!
//! A leaf hash is SHA-256(0x00 ‖ content) and is not hashed again: the root of a tree of one leaf
//! is that leaf.

use crate::digest::{Digest, Hasher, sha256};

/// The leaf hash of this content.
#[must_use]
pub fn leaf_hash(content: &[u8]) -> Digest {
    let mut hasher = Hasher::new();
    hasher.update(&[0]);
    hasher.update(content);
    hasher.finish()
}

/// The parent of two nodes.
#[must_use]
pub fn node_hash(left: &Digest, right: &Digest) -> Digest {
    let mut bytes = [1; 65];
    let halves = left.0.iter().chain(&right.0);
    for (to, from) in bytes.iter_mut().skip(1).zip(halves) {
        *to = *from;
    }
    sha256(&bytes)
}

/// The root over leaves in this order. Without leaves: the digest of zero bytes.
#[must_use]
pub fn root(leaves: &[Digest]) -> Digest {
    match leaves {
        [] => sha256(b""),
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(split_point(leaves.len()));
            node_hash(&root(left), &root(right))
        }
    }
}

/// The largest power of two below `size`, which is 2 or more.
fn split_point(size: usize) -> usize {
    1 << (size - 1).ilog2()
}

/// The tree of one batch of the log: leaves strictly ascending, each once. Two answers with the
/// same leaf share one index. The strict order makes it possible to prove that a leaf is absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchTree {
    /// Level by level, leaves first, the root last. A node without a sibling moves up unchanged.
    levels: Vec<Vec<Digest>>,
}

impl BatchTree {
    #[must_use]
    pub fn new(leaves: impl IntoIterator<Item = Digest>) -> Self {
        let mut level: Vec<Digest> = leaves.into_iter().collect();
        level.sort_unstable();
        level.dedup();
        let mut levels = Vec::new();
        while level.len() > 1 {
            let above = level
                .chunks(2)
                .filter_map(|pair| match pair {
                    [left, right] => Some(node_hash(left, right)),
                    [alone] => Some(*alone),
                    _ => None,
                })
                .collect();
            levels.push(std::mem::replace(&mut level, above));
        }
        levels.push(level);
        Self { levels }
    }

    /// The leaves in the order of the tree.
    #[must_use]
    pub fn leaves(&self) -> &[Digest] {
        self.levels.first().map_or(&[], Vec::as_slice)
    }

    #[must_use]
    pub fn size(&self) -> u64 {
        self.leaves().len() as u64
    }

    #[must_use]
    pub fn root(&self) -> Digest {
        self.levels.last().and_then(|top| top.first()).copied().unwrap_or_else(|| sha256(b""))
    }

    /// The index of a leaf, counted from 0.
    #[must_use]
    pub fn index_of(&self, leaf: &Digest) -> Option<u64> {
        self.leaves().binary_search(leaf).ok().map(|index| index as u64)
    }

    /// The inclusion path for [`verify_inclusion`]: from the leaf at this index to the root.
    #[must_use]
    pub fn path(&self, index: u64) -> Option<Vec<Digest>> {
        let mut index = usize::try_from(index).ok().filter(|index| *index < self.leaves().len())?;
        let mut path = Vec::with_capacity(self.levels.len());
        for level in &self.levels {
            path.extend(level.get(index ^ 1).copied());
            index /= 2;
        }
        Some(path)
    }
}

/// Whether `leaf` is at `index` in the tree of `size` leaves with this root (RFC 9162, 2.1.3.2).
/// False for a path that is too long or too short.
#[must_use]
pub fn verify_inclusion(
    leaf: &Digest,
    index: u64,
    size: u64,
    path: &[Digest],
    root: &Digest,
) -> bool {
    if index >= size {
        return false;
    }
    let mut walk = NodePosition { node_index: index, last_index: size - 1 };
    let mut hash = *leaf;
    for sibling in path {
        if walk.last_index == 0 {
            return false;
        }
        if walk.has_left_sibling() {
            hash = node_hash(sibling, &hash);
            walk.up_to_right_child();
        } else {
            hash = node_hash(&hash, sibling);
        }
        walk.up();
    }
    walk.last_index == 0 && hash == *root
}

/// The proof for [`verify_consistency`] that the tree over the first `old_size` of these leaves is
/// a prefix of the whole tree. `None` if `old_size` is 0 or larger than the tree.
#[must_use]
pub fn consistency_proof(leaves: &[Digest], old_size: u64) -> Option<Vec<Digest>> {
    let old_size = usize::try_from(old_size).ok()?;
    if old_size == 0 || old_size > leaves.len() {
        return None;
    }
    let mut proof = Vec::new();
    subproof(leaves, old_size, true, &mut proof);
    Some(proof)
}

/// SUBPROOF of RFC 9162, 2.1.4.1. `whole` is true while the old tree starts where this subtree
/// starts.
fn subproof(leaves: &[Digest], old_size: usize, whole: bool, proof: &mut Vec<Digest>) {
    if old_size == leaves.len() {
        if !whole {
            proof.push(root(leaves));
        }
        return;
    }
    let (left, right) = leaves.split_at(split_point(leaves.len()));
    if old_size <= left.len() {
        subproof(left, old_size, whole, proof);
        proof.push(root(right));
    } else {
        subproof(right, old_size - left.len(), false, proof);
        proof.push(root(left));
    }
}

/// Whether the tree of `new_size` leaves extends the tree of `old_size` (RFC 9162, 2.1.4.2). Equal
/// sizes need equal roots and an empty proof. False if `old_size` is 0.
#[must_use]
pub fn verify_consistency(
    old_size: u64,
    new_size: u64,
    old_root: &Digest,
    new_root: &Digest,
    proof: &[Digest],
) -> bool {
    if old_size == new_size {
        return proof.is_empty() && old_root == new_root;
    }
    if old_size == 0 || old_size > new_size {
        return false;
    }
    // A complete old tree is a node of the new one, and its root is not repeated in the proof.
    let (start, rest) = match proof {
        [] => return false,
        rest if old_size.is_power_of_two() => (old_root, rest),
        [start, rest @ ..] => (start, rest),
    };
    let mut walk = NodePosition { node_index: old_size - 1, last_index: new_size - 1 };
    while walk.node_index & 1 == 1 {
        walk.up();
    }
    let (mut old, mut new) = (*start, *start);
    for node in rest {
        if walk.last_index == 0 {
            return false;
        }
        if walk.has_left_sibling() {
            old = node_hash(node, &old);
            new = node_hash(node, &new);
            walk.up_to_right_child();
        } else {
            new = node_hash(&new, node);
        }
        walk.up();
    }
    walk.last_index == 0 && old == *old_root && new == *new_root
}

/// The index of a node and of the last node on its level: `fn` and `sn` of the RFC.
struct NodePosition {
    node_index: u64,
    last_index: u64,
}

impl NodePosition {
    /// At the right edge the next hash comes from the left, even if the index is even.
    fn has_left_sibling(&self) -> bool {
        self.node_index & 1 == 1 || self.node_index == self.last_index
    }

    /// Skips the levels on which the node had no sibling.
    fn up_to_right_child(&mut self) {
        while self.node_index & 1 == 0 && self.node_index != 0 {
            self.up();
        }
    }

    fn up(&mut self) {
        self.node_index >>= 1;
        self.last_index >>= 1;
    }
}
