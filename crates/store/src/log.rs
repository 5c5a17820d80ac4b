//! The transparency log as it is kept: batches in order, the places of their leaves, the complete
//! tiles of the tree over all of them, and what others said of its heads.
//!
//! An engine keeps bytes and refuses what would fork the chain; what the bytes mean is known to
//! `proof` and decided in the use cases.

use bytes::Bytes;
use contract::Timestamp;
use proof::tlog::{MAX_ENTRY_BYTES, TILE_WIDTH, TileId};

use crate::scans::check_size;
use crate::{
    BoxFuture, Digest, KeptAnswer, MAX_VALUE_BYTES, NewChange, NewRevocation, Standing, StoreError,
};

/// Before each content stands its length.
const LENGTH_BYTES: usize = 4;

/// One leaf of a batch, and what it is the hash of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    pub leaf: Digest,
    /// Names what is no decision (a build, an event of a key), so that it can be listed.
    pub kind: Option<String>,
    /// Canonical JSON, less than 65,536 bytes; [`MAX_VALUE_BYTES`] for a whole batch, each with
    /// four bytes more.
    pub content: Bytes,
}

/// What a batch adds to the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewBatch {
    pub batch: u64,
    pub first_index: u64,
    /// The signed head's own `sha256`, and the very bytes that were signed.
    pub sth_sha256: Digest,
    pub sth: Bytes,
    /// Strictly ascending by leaf.
    pub entries: Vec<LogEntry>,
    /// The tiles of the tree over all leaves that this batch completed.
    pub tiles: Vec<LogTile>,
}

/// A complete tile: 256 hashes of 32 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogTile {
    pub level: u8,
    pub index: u64,
    pub hashes: Bytes,
}

/// A batch as it was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptBatch {
    pub batch: u64,
    pub first_index: u64,
    pub sth_sha256: Digest,
    pub sth: Bytes,
    /// In the order of the batch.
    pub leaves: Vec<Digest>,
}

/// One step of the log, whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Append {
    /// The lease under which the batch was made.
    pub epoch: u64,
    /// The digest of the last head that the maker knew; null for an empty log.
    pub after: Option<Digest>,
    /// Nothing where every leaf was in the log already.
    pub batch: Option<NewBatch>,
    /// Answers that rest on this batch or on an earlier one.
    pub answers: Vec<KeptAnswer>,
    /// What these answers change for others.
    pub beside: Beside,
}

/// What is kept in one step with answers, so that no answer is ever known without it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Beside {
    pub changes: Vec<NewChange>,
    /// They get their places in the chain in the same step.
    pub revocations: Vec<NewRevocation>,
    pub standings: Vec<Standing>,
}

/// Whether somebody may extend the log now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leasing {
    /// Under this number. It grows with every change of hands, and an append under an earlier one
    /// is refused: whoever lost the lease cannot write, even if it has not noticed.
    Taken {
        epoch: u64,
    },
    Held {
        until: Timestamp,
    },
}

/// A witness's word that it saw the log at a size and found it consistent with what it saw before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cosignature {
    pub tree_size: u64,
    /// The witness's name.
    pub witness: String,
    /// The signature line of its note.
    pub line: String,
    /// The witness's own time.
    pub at: Timestamp,
}

/// A head that somebody showed us, signed by our key and not of our chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    pub sth_sha256: Digest,
    pub batch: u64,
    pub seen_at: Timestamp,
    pub sth: Bytes,
    /// What it contradicts, in words.
    pub why: String,
}

pub trait Log: Send + Sync {
    /// Takes or renews the right to extend the log. Granted when nobody has it, when `holder` has
    /// it, when it ran out, and when the engine knows that whoever had it is gone.
    fn take_log_lease<'a>(
        &'a self,
        holder: &'a str,
        now: Timestamp,
        until: Timestamp,
    ) -> BoxFuture<'a, Result<Leasing, StoreError>>;

    /// Adds a batch and the answers that rest on it, durable when this returns. Refused as
    /// [`StoreError::Moved`] when the lease has changed hands or the last head is another than
    /// `after`; then nothing was changed. Refused as well is what could not be read again (see
    /// [`Append::check`]), and an answer whose place the log does not have.
    ///
    /// An answer whose digest is kept already stays as it was kept first.
    fn append(&self, append: Append) -> BoxFuture<'_, Result<(), StoreError>>;

    fn last_batch(&self) -> BoxFuture<'_, Result<Option<KeptBatch>, StoreError>>;

    fn batch(&self, batch: u64) -> BoxFuture<'_, Result<Option<KeptBatch>, StoreError>>;

    /// The batch that holds this place of the log.
    fn batch_at(&self, log_index: u64) -> BoxFuture<'_, Result<Option<KeptBatch>, StoreError>>;

    /// Signed heads from this batch on, oldest first. The one verb that gives bytes as they lie
    /// on the disk: a head carries its own digest and signature, and whoever is given one checks it.
    fn heads(&self, from: u64, limit: usize) -> BoxFuture<'_, Result<Vec<Bytes>, StoreError>>;

    /// Where each of these leaves stands in the log, in the order asked.
    fn leaf_places(
        &self,
        leaves: Vec<Digest>,
    ) -> BoxFuture<'_, Result<Vec<Option<u64>>, StoreError>>;

    /// The kind of each of these leaves, in the order asked: nothing where it has none, or is not
    /// in the log.
    fn leaf_kinds(
        &self,
        leaves: Vec<Digest>,
    ) -> BoxFuture<'_, Result<Vec<Option<String>>, StoreError>>;

    /// Contents from this place on, in log order, each checked against its leaf.
    fn log_entries(&self, from: u64, limit: usize)
    -> BoxFuture<'_, Result<Vec<Bytes>, StoreError>>;

    /// The places of all entries of a kind, oldest first.
    fn entries_of_kind<'a>(&'a self, kind: &'a str) -> BoxFuture<'a, Result<Vec<u64>, StoreError>>;

    /// How many leaves can be found by their hash: one for each in the log, or something is wrong.
    fn indexed_leaves(&self) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// A complete tile; nothing while the tree is too small to have it.
    fn tile(&self, level: u8, index: u64) -> BoxFuture<'_, Result<Option<Bytes>, StoreError>>;

    /// Keeps what witnesses said. The same witness speaks of a size once.
    fn put_cosignatures(
        &self,
        cosignatures: Vec<Cosignature>,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    fn cosignatures(&self, tree_size: u64) -> BoxFuture<'_, Result<Vec<Cosignature>, StoreError>>;

    /// The sizes from this one on that a witness cosigned, the smallest first.
    fn cosigned_sizes(
        &self,
        from: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<u64>, StoreError>>;

    /// The largest size that a witness cosigned.
    fn last_cosigned(&self) -> BoxFuture<'_, Result<Option<u64>, StoreError>>;

    /// Keeps a contradicting head, once.
    fn put_sighting(&self, sighting: Sighting) -> BoxFuture<'_, Result<(), StoreError>>;

    fn sightings(&self) -> BoxFuture<'_, Result<Vec<Sighting>, StoreError>>;
}

impl Beside {
    /// Everything of both, in this order.
    pub fn add(&mut self, mut other: Self) {
        self.changes.append(&mut other.changes);
        self.revocations.append(&mut other.revocations);
        self.standings.append(&mut other.standings);
    }
}

impl Append {
    /// Refuses what an engine could keep and then not give back: called by engines before they
    /// write. Contents must be those of their leaves, because they are compared when they are read.
    pub fn check(&self) -> Result<(), StoreError> {
        self.batch.as_ref().map_or(Ok(()), NewBatch::check)?;
        self.answers.iter().try_for_each(|answer| check_size("answer", &answer.bytes))?;
        self.beside.check()
    }
}

impl Beside {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.revocations.is_empty() && self.standings.is_empty()
    }

    /// Puts what stands beside another answer after this.
    pub fn extend(&mut self, other: Self) {
        self.changes.extend(other.changes);
        self.revocations.extend(other.revocations);
        self.standings.extend(other.standings);
    }

    fn check(&self) -> Result<(), StoreError> {
        self.changes.iter().try_for_each(NewChange::check)?;
        self.revocations.iter().try_for_each(NewRevocation::check)?;
        self.standings.iter().try_for_each(Standing::check)
    }
}

impl NewBatch {
    fn check(&self) -> Result<(), StoreError> {
        let refused = |why: &str| StoreError::Failed {
            doing: "extending the log",
            why: format!("batch {} {why}", self.batch),
        };
        if self.entries.is_empty() {
            return Err(refused("has no leaf"));
        }
        if !self.entries.is_sorted_by(|one, next| one.leaf < next.leaf) {
            return Err(refused("does not have its leaves in strictly ascending order"));
        }
        if self.tiles.iter().any(|tile| tile.hashes.len() != LogTile::BYTES) {
            return Err(refused("has a tile that is not complete"));
        }
        check_size("tree head", &self.sth)?;
        let mut bytes = 0;
        for entry in &self.entries {
            let length = entry.content.len();
            if length > MAX_ENTRY_BYTES {
                let (what, limit) = ("log entry", MAX_ENTRY_BYTES);
                return Err(StoreError::TooLarge { what, bytes: length, limit });
            }
            let found = proof::tree::leaf_hash(&entry.content);
            if found != entry.leaf {
                return Err(StoreError::WrongDigest { named: entry.leaf, found });
            }
            bytes += LENGTH_BYTES + length;
        }
        if bytes > MAX_VALUE_BYTES {
            let (what, limit) = ("batch's contents", MAX_VALUE_BYTES);
            return Err(StoreError::TooLarge { what, bytes, limit });
        }
        Ok(())
    }

    /// What is given back of it.
    #[must_use]
    pub fn kept(&self) -> KeptBatch {
        KeptBatch {
            batch: self.batch,
            first_index: self.first_index,
            sth_sha256: self.sth_sha256,
            sth: self.sth.clone(),
            leaves: self.entries.iter().map(|entry| entry.leaf).collect(),
        }
    }
}

impl LogTile {
    pub const BYTES: usize = 256 * 32;

    /// A digest over everything in here, its place included: engines keep it beside the tile, so
    /// that no tile is ever taken for another.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        let mut hasher = proof::Hasher::new();
        hasher.update(format!("log tile 1\n{} {}\n", self.level, self.index).as_bytes());
        hasher.update(&self.hashes);
        hasher.finish()
    }

    /// Whether a tree of this size has this tile, complete.
    #[must_use]
    pub fn is_complete(level: u8, index: u64, tree_size: u64) -> bool {
        u64::from(TileId { level, index }.width(tree_size)) == TILE_WIDTH
    }
}

impl KeptBatch {
    #[must_use]
    pub fn tree_size(&self) -> u64 {
        self.first_index.saturating_add(self.leaves.len() as u64)
    }

    /// A digest over everything in here. Engines keep it beside the batch and compare it when they
    /// read, so that damage on disk is found and never served.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        let head = format!(
            "log batch 1\n{} {} {} {}\n",
            self.batch,
            self.first_index,
            self.leaves.len(),
            self.sth.len()
        );
        let mut hasher = proof::Hasher::new();
        hasher.update(head.as_bytes());
        hasher.update(self.sth_sha256.as_bytes());
        self.leaves.iter().for_each(|leaf| hasher.update(leaf.as_bytes()));
        hasher.update(&self.sth);
        hasher.finish()
    }
}

/// Contents one after the other, each behind its length: how engines keep the contents of a batch.
#[must_use]
pub fn write_contents<'a>(contents: impl Iterator<Item = &'a Bytes>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for content in contents {
        let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(content);
    }
    bytes
}

/// The contents of a batch, if they are those of its leaves.
pub fn read_contents(
    bytes: &Bytes,
    batch: u64,
    leaves: &[Digest],
) -> Result<Vec<Bytes>, StoreError> {
    let damaged = |why: &str| StoreError::Damaged {
        what: format!("the contents of batch {batch}"),
        why: why.to_owned(),
    };
    let mut rest = bytes.clone();
    let mut contents = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        let length = rest
            .split_to_checked(LENGTH_BYTES)
            .and_then(|four| <[u8; 4]>::try_from(&four[..]).ok());
        let length = length.ok_or_else(|| damaged("they end early"))?;
        let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
        let content = rest.split_to_checked(length).ok_or_else(|| damaged("they end early"))?;
        if proof::tree::leaf_hash(&content) != *leaf {
            return Err(damaged("one is not that of its leaf"));
        }
        contents.push(content);
    }
    if rest.is_empty() { Ok(contents) } else { Err(damaged("there is more than its leaves")) }
}

trait SplitToChecked {
    fn split_to_checked(&mut self, at: usize) -> Option<Bytes>;
}

impl SplitToChecked for Bytes {
    fn split_to_checked(&mut self, at: usize) -> Option<Bytes> {
        (at <= self.len()).then(|| self.split_to(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_moves_the_fingerprint() {
        let before = KeptBatch {
            batch: 1,
            first_index: 2,
            sth_sha256: Digest::of(b"h"),
            sth: Bytes::from_static(b"sth"),
            leaves: vec![Digest::of(b"a"), Digest::of(b"b")],
        };
        let changes: [fn(&mut KeptBatch); 5] = [
            |b| b.batch = 2,
            |b| b.first_index = 3,
            |b| b.sth_sha256 = Digest::of(b"i"),
            |b| b.sth = Bytes::from_static(b"sti"),
            |b| b.leaves.truncate(1),
        ];
        for change in changes {
            let mut after = before.clone();
            change(&mut after);
            assert_ne!(after.fingerprint(), before.fingerprint(), "{after:?}");
        }
    }

    #[test]
    fn every_member_moves_a_tiles_fingerprint() {
        let tile = LogTile { level: 1, index: 2, hashes: Bytes::from(vec![7; LogTile::BYTES]) };
        let others = [
            LogTile { level: 2, ..tile.clone() },
            LogTile { index: 1, ..tile.clone() },
            LogTile { hashes: Bytes::from(vec![8; LogTile::BYTES]), ..tile.clone() },
        ];
        for other in others {
            assert_ne!(other.fingerprint(), tile.fingerprint(), "{} {}", other.level, other.index);
        }
        assert!(!LogTile::is_complete(0, 1, 511) && LogTile::is_complete(0, 1, 512));
        assert!(!LogTile::is_complete(1, 0, 65_535) && LogTile::is_complete(1, 0, 65_536));
        assert!(!LogTile::is_complete(u8::MAX, u64::MAX, u64::MAX));
    }

    #[test]
    fn what_could_not_be_read_again_is_refused() {
        let entry = |content: &[u8]| LogEntry {
            leaf: proof::tree::leaf_hash(content),
            kind: None,
            content: Bytes::copy_from_slice(content),
        };
        let mut entries = vec![entry(b"a"), entry(b"b")];
        entries.sort_by_key(|entry| entry.leaf);
        let tiles = vec![LogTile { level: 0, index: 0, hashes: Bytes::from(vec![0; 8192]) }];
        let (sth, sth_sha256) = (Bytes::from_static(b"sth"), Digest::of(b"h"));
        let good = NewBatch { batch: 0, first_index: 0, sth_sha256, sth, entries, tiles };
        good.check().unwrap();
        let longest = entry(&[b'x'; MAX_ENTRY_BYTES]);
        NewBatch { entries: vec![longest], ..good.clone() }.check().unwrap();
        let changes: [fn(&mut NewBatch); 7] = [
            |b| b.entries.clear(),
            |b| b.entries.reverse(),
            |b| b.entries[1] = b.entries[0].clone(),
            |b| b.entries[0].content = Bytes::from_static(b"c"),
            |b| b.tiles[0].hashes = Bytes::from(vec![0; 8191]),
            |b| b.sth = Bytes::from(vec![0; MAX_VALUE_BYTES + 1]),
            |b| {
                let content = Bytes::from(vec![b'x'; MAX_ENTRY_BYTES + 1]);
                let leaf = proof::tree::leaf_hash(&content);
                b.entries = vec![LogEntry { leaf, kind: None, content }];
            },
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut bad = good.clone();
            change(&mut bad);
            assert!(bad.check().is_err(), "change {number}");
        }
        // Each fits. Together they are as much as can be unpacked, or one byte each more.
        for (content, fits) in [(MAX_ENTRY_BYTES - 3, true), (MAX_ENTRY_BYTES - 2, false)] {
            let mut many: Vec<LogEntry> =
                (0..=255_u8).map(|number| entry(&vec![number; content])).collect();
            many.sort_by_key(|entry| entry.leaf);
            let checked = NewBatch { entries: many, ..good.clone() }.check();
            assert_eq!(checked.is_ok(), fits, "{content}: {checked:?}");
        }
    }

    #[test]
    fn contents_come_back_and_damage_is_found() {
        let contents = [Bytes::from_static(b"{}"), Bytes::new(), Bytes::from(vec![7; 70_000])];
        let leaves: Vec<Digest> = contents.iter().map(|c| proof::tree::leaf_hash(c)).collect();
        let written = write_contents(contents.iter());
        let read = |bytes: Vec<u8>| read_contents(&Bytes::from(bytes), 3, &leaves);
        assert_eq!(read(written.clone()).unwrap(), contents);
        for at in 0..written.len().min(200) {
            let mut flipped = written.clone();
            flipped[at] ^= 1;
            assert!(read(flipped).is_err(), "{at}");
        }
        assert!(read(written[..written.len() - 1].to_vec()).is_err());
        assert!(read([written, vec![0]].concat()).is_err());
    }
}
