//! The right edge of the log's tree: all that is needed to append leaves and to compute the root.

use crate::canonical::MAX_INTEGER;
use crate::digest::{Digest, sha256};
use crate::merkle_tree::node_hash;

/// The number of hashes in a full tile (C2SP tlog-tiles).
pub const TILE_WIDTH: u64 = 256;

/// The number of tree levels that one level of tiles spans: 2 to this power is [`TILE_WIDTH`].
pub const TILE_HEIGHT: u8 = 8;

/// The incomplete tile of each level, and the roots over its hashes. Level 0 holds leaves; a hash
/// of level L + 1 is the root over a complete tile of level L.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RightEdge {
    size: u64,
    levels: Vec<PartialTile>,
}

/// A tile that has just become complete. It never changes again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FullTile {
    pub level: u8,
    pub index: u64,
    /// The content of the tile file: 256 hashes of 32 bytes.
    pub hashes: Vec<u8>,
}

impl RightEdge {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Restores the edge from the partial tiles of every level for `size` leaves, level 0 first.
    /// `None` if they do not match the size. The hashes themselves are not checked: compare
    /// [`Self::root`] with the signed root.
    #[must_use]
    pub fn restore(size: u64, partial: Vec<Vec<Digest>>) -> Option<Self> {
        // A head cannot state a larger size.
        if size > MAX_INTEGER {
            return None;
        }
        let mut levels = Vec::new();
        let mut stored = partial.into_iter();
        let mut hashes_of_level = size;
        while hashes_of_level > 0 {
            let hashes = stored.next()?;
            if hashes.len() as u64 != hashes_of_level % TILE_WIDTH {
                return None;
            }
            let mut tile = PartialTile::default();
            hashes.into_iter().for_each(|hash| tile.push(hash));
            levels.push(tile);
            hashes_of_level /= TILE_WIDTH;
        }
        stored.all(|above| above.is_empty()).then_some(Self { size, levels })
    }

    /// Appends a leaf. Tiles that become complete, on any level, are added to `full`.
    pub fn push(&mut self, leaf: Digest, full: &mut Vec<FullTile>) {
        self.size += 1;
        let mut hash = leaf;
        let mut end = self.size;
        for level in 0.. {
            if self.levels.len() <= usize::from(level) {
                self.levels.push(PartialTile::default());
            }
            let Some(tile) = self.levels.get_mut(usize::from(level)) else { return };
            tile.push(hash);
            let Some((hashes, root)) = tile.take_if_full() else { return };
            // The tile that ends at hash `end` of its level.
            full.push(FullTile { level, index: end / TILE_WIDTH - 1, hashes });
            hash = root;
            end /= TILE_WIDTH;
        }
    }

    /// How many leaves the tree has.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The root over all leaves. Without leaves: the digest of zero bytes.
    #[must_use]
    pub fn root(&self) -> Digest {
        let from_the_right = self.levels.iter().flat_map(|tile| tile.peaks.iter().rev());
        from_the_right
            .copied()
            .reduce(|right, left| node_hash(&left, &right))
            .unwrap_or_else(|| sha256(b""))
    }

    /// The hashes of the partial tile of a level; empty if the level ends with a complete tile or
    /// does not exist.
    #[must_use]
    pub fn partial_tile(&self, level: u8) -> &[Digest] {
        self.levels.get(usize::from(level)).map_or(&[], |tile| &tile.hashes)
    }

    /// The number of tile levels, including those with complete tiles only.
    #[must_use]
    pub fn levels(&self) -> u8 {
        // A 64-bit size has at most eight levels.
        u8::try_from(self.levels.len()).unwrap_or(u8::MAX)
    }
}

/// Fewer than 256 hashes, and the roots of the complete subtrees over them, largest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct PartialTile {
    hashes: Vec<Digest>,
    peaks: Vec<Digest>,
}

impl PartialTile {
    fn push(&mut self, hash: Digest) {
        // As in a binary counter: each trailing one bit is a peak that is merged with the new one.
        let mut peak = hash;
        for _ in 0..self.hashes.len().trailing_ones() {
            if let Some(left) = self.peaks.pop() {
                peak = node_hash(&left, &peak);
            }
        }
        self.peaks.push(peak);
        self.hashes.push(hash);
    }

    /// The bytes and the root of the tile if it is complete, which also empties it.
    fn take_if_full(&mut self) -> Option<(Vec<u8>, Digest)> {
        if (self.hashes.len() as u64) < TILE_WIDTH {
            return None;
        }
        let root = self.peaks.pop()?;
        let bytes = self.hashes.iter().flat_map(|hash| hash.0).collect();
        self.hashes.clear();
        Some((bytes, root))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::merkle_tree::{leaf_hash, root};

    fn leaves(count: u64) -> Vec<Digest> {
        (0..count).map(|n| leaf_hash(&n.to_be_bytes())).collect()
    }

    fn partials(edge: &RightEdge) -> Vec<Vec<Digest>> {
        (0..edge.levels()).map(|level| edge.partial_tile(level).to_vec()).collect()
    }

    #[test]
    fn the_root_is_that_of_the_whole_tree_at_every_size() {
        let leaves = leaves(70_001);
        let (mut edge, mut full) = (RightEdge::new(), Vec::new());
        let looked_at = |size: u64| {
            size < 520 || size.is_multiple_of(9973) || [65_535, 65_536, 65_792].contains(&size)
        };
        for size in 0..=leaves.len() {
            assert_eq!(edge.size(), size as u64);
            if looked_at(size as u64) {
                assert_eq!(edge.root(), root(&leaves[..size]), "{size}");
                assert_eq!(RightEdge::restore(size as u64, partials(&edge)), Some(edge.clone()));
            }
            if let Some(leaf) = leaves.get(size) {
                edge.push(*leaf, &mut full);
            }
        }
        // 273 complete tiles of leaves, and one of their roots.
        assert_eq!(full.len(), 273 + 1);
        assert_eq!(edge.levels(), 3);
        assert_eq!([0, 1, 2, 3].map(|level| edge.partial_tile(level).len()), [113, 17, 1, 0]);
    }

    #[test]
    fn complete_tiles_hold_their_subtrees() {
        let leaves = leaves(66_000);
        let (mut edge, mut full) = (RightEdge::new(), Vec::new());
        leaves.iter().for_each(|leaf| edge.push(*leaf, &mut full));
        let mut expected: Vec<(u8, u64)> = (0..257).map(|index| (0, index)).collect();
        // The tile of level 1 becomes complete right after the 256th of level 0.
        expected.insert(256, (1, 0));
        let got: Vec<_> = full.iter().map(|tile| (tile.level, tile.index)).collect();
        assert_eq!(got, expected);
        for tile in &full {
            assert_eq!(tile.hashes.len(), 8192);
            for (n, hash) in tile.hashes.chunks(32).enumerate() {
                let width = 256_usize.pow(u32::from(tile.level));
                let start = (tile.index as usize * 256 + n) * width;
                assert_eq!(hash, root(&leaves[start..start + width]).as_bytes());
            }
        }
    }

    #[test]
    fn the_root_of_nothing_is_the_digest_of_nothing() {
        assert_eq!(RightEdge::new().root(), sha256(b""));
        assert_eq!(RightEdge::restore(0, vec![]), Some(RightEdge::new()));
        assert_eq!(RightEdge::new().partial_tile(0), []);
    }

    #[test]
    fn what_does_not_fit_the_size_is_not_restored() {
        let hash = sha256(b"x");
        let tiles = |lengths: &[usize]| lengths.iter().map(|length| vec![hash; *length]).collect();
        let fits = |size, lengths: &[usize]| RightEdge::restore(size, tiles(lengths)).is_some();
        assert!(fits(0, &[0, 0]));
        assert!(fits(3, &[3]));
        assert!(fits(3, &[3, 0]));
        assert!(fits(256, &[0, 1]));
        assert!(fits(65_536 + 2, &[2, 0, 1]));
        for (size, lengths) in [
            (0, &[1][..]),
            (3, &[]),
            (3, &[2]),
            (3, &[4]),
            (3, &[3, 1]),
            (256, &[256]),
            (256, &[0]),
            (256, &[0, 0]),
            (256, &[1]),
            (65_538, &[2, 1]),
            (u64::MAX, &[255; 8]),
        ] {
            assert!(!fits(size, lengths), "{size} {lengths:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn goes_on_after_a_restart_as_if_there_had_been_none(first in 0_u64..1500, then in 0_u64..1500) {
            let leaves = leaves(first + then);
            let (mut whole, mut all) = (RightEdge::new(), Vec::new());
            leaves.iter().for_each(|leaf| whole.push(*leaf, &mut all));
            let (mut edge, mut full) = (RightEdge::new(), Vec::new());
            for (n, leaf) in leaves.iter().enumerate() {
                if n as u64 == first {
                    edge = RightEdge::restore(edge.size(), partials(&edge)).unwrap();
                }
                edge.push(*leaf, &mut full);
            }
            prop_assert_eq!(edge.root(), root(&leaves));
            prop_assert_eq!(&edge, &whole);
            prop_assert_eq!(full, all);
        }

        #[test]
        fn restores_or_refuses_any_shape(size in any::<u64>(), lengths in prop::collection::vec(0_usize..300, 0..10)) {
            let tiles = lengths.iter().map(|length| vec![sha256(b"x"); *length]).collect();
            if let Some(mut edge) = RightEdge::restore(size, tiles) {
                edge.push(sha256(b"y"), &mut Vec::new());
                prop_assert_eq!(edge.size(), size + 1);
            }
        }
    }
}
