//! Storage of the transparency log: batches in order, the indexes of their leaves, the complete
//! tiles of the tree over all leaves, cosignatures, and contradicting heads.
//!
//! An engine stores bytes and refuses writes that would fork the chain. The meaning of the bytes is
//! defined in `proof`; the use cases decide what to append.

use bytes::Bytes;
use contract::{Domain, Timestamp};
use proof::tlog::{MAX_ENTRY_BYTES, TILE_WIDTH, TileId};

use crate::size::check_size;
use crate::{
    BoxFuture, Digest, MAX_VALUE_BYTES, NewChange, NewRevocation, Predecessor, StoreError,
    StoredAnswer, WithheldActions,
};

/// The length prefix before each content.
const LENGTH_BYTES: usize = 4;

/// One leaf of a batch, and the content that it is the hash of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    pub leaf: Digest,
    /// The kind of an entry that is not a decision (a build, a key event), so that entries can be
    /// listed by kind.
    pub kind: Option<String>,
    /// Canonical JSON of less than 65,536 bytes. All contents of a batch, with four bytes more for
    /// each, have at most [`MAX_VALUE_BYTES`].
    pub content: Bytes,
}

/// A batch to append to the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewBatch {
    pub batch: u64,
    pub first_index: u64,
    /// The signed head's own `sha256`, and the exact bytes that were signed.
    pub sth_sha256: Digest,
    pub sth: Bytes,
    /// Strictly ascending by leaf.
    pub entries: Vec<LogEntry>,
    /// The tiles of the tree over all leaves that this batch completes.
    pub tiles: Vec<LogTile>,
}

/// A complete tile: 256 hashes of 32 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogTile {
    pub level: u8,
    pub index: u64,
    pub hashes: Bytes,
}

/// A stored batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBatch {
    pub batch: u64,
    pub first_index: u64,
    pub sth_sha256: Digest,
    pub sth: Bytes,
    /// In batch order.
    pub leaves: Vec<Digest>,
}

/// One append to the log, written completely or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Append {
    /// The epoch of the lease under which the batch was built.
    pub epoch: u64,
    /// The digest of the head that this append follows; `None` for an empty log.
    pub previous_head: Option<Digest>,
    /// `None` when every leaf is already in the log.
    pub batch: Option<NewBatch>,
    /// Answers whose leaf is in this batch or an earlier one, in the order in which they are stored.
    pub answers: Vec<StoredAnswer>,
    /// What these answers follow, and the changes, revocations and withheld actions that result.
    pub extras: AppendExtras,
}

/// What is checked and written in the same transaction as answers, so that no answer is visible without
/// it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppendExtras {
    /// What answers of this append must follow; at most one for a domain. Refused with
    /// [`StoreError::AnswerSuperseded`], without any change, when one of them is not the latest answer
    /// about its domain.
    pub predecessors: Vec<Predecessor>,
    pub changes: Vec<NewChange>,
    /// They get their position in the chain in the same transaction.
    pub revocations: Vec<NewRevocation>,
    pub withheld_actions: Vec<WithheldActions>,
}

/// The result of requesting the lease to extend the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLease {
    /// The epoch grows every time the lease changes hands. An append with an earlier epoch is
    /// refused, so a process that lost the lease cannot write even if it has not noticed.
    Granted {
        epoch: u64,
    },
    HeldByOther {
        until: Timestamp,
    },
}

/// A witness's cosignature: it saw the log at this size, consistent with what it saw before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cosignature {
    pub tree_size: u64,
    /// The witness's name.
    pub witness: String,
    /// The signature line of its note.
    pub line: String,
    /// The time according to the witness.
    pub at: Timestamp,
}

/// A submitted head that is signed by this log's key but is not part of its chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContradictingHead {
    pub sth_sha256: Digest,
    pub batch: u64,
    pub seen_at: Timestamp,
    pub sth: Bytes,
    /// What it contradicts, as text.
    pub why: String,
}

pub trait Log: Send + Sync {
    /// Acquires or renews the lease to extend the log. Granted when no one holds it, when `holder`
    /// holds it, when it has expired, and when the engine knows that its holder no longer runs.
    fn acquire_log_lease<'a>(
        &'a self,
        holder: &'a str,
        now: Timestamp,
        until: Timestamp,
    ) -> BoxFuture<'a, Result<LogLease, StoreError>>;

    /// Appends a batch and answers; durable when this returns. Refused with
    /// [`StoreError::LogConflict`], without any change, when the lease has changed hands or the
    /// last head is not `previous_head`. Also refused are values that could not be read back (see
    /// [`Append::check`]) and answers whose index is not in the log.
    ///
    /// An answer whose digest is already stored stays unchanged.
    fn append(&self, append: Append) -> BoxFuture<'_, Result<(), StoreError>>;

    fn last_batch(&self) -> BoxFuture<'_, Result<Option<StoredBatch>, StoreError>>;

    fn batch(&self, batch: u64) -> BoxFuture<'_, Result<Option<StoredBatch>, StoreError>>;

    /// The batch that contains this log index.
    fn batch_at(&self, log_index: u64) -> BoxFuture<'_, Result<Option<StoredBatch>, StoreError>>;

    /// Signed heads from this batch on, oldest first. The only method that returns stored bytes
    /// unchecked: a head contains its own digest and signature, which callers verify.
    fn heads(&self, from: u64, limit: usize) -> BoxFuture<'_, Result<Vec<Bytes>, StoreError>>;

    /// The log index of each of these leaves, in the given order.
    fn leaf_indexes(
        &self,
        leaves: Vec<Digest>,
    ) -> BoxFuture<'_, Result<Vec<Option<u64>>, StoreError>>;

    /// The kind of each of these leaves, in the given order; `None` for a leaf without a kind or
    /// not in the log.
    fn leaf_kinds(
        &self,
        leaves: Vec<Digest>,
    ) -> BoxFuture<'_, Result<Vec<Option<String>>, StoreError>>;

    /// Contents from this index on, in log order, each checked against its leaf.
    fn log_entries(&self, from: u64, limit: usize)
    -> BoxFuture<'_, Result<Vec<Bytes>, StoreError>>;

    /// The log indexes of all entries of a kind, oldest first.
    fn entries_of_kind<'a>(&'a self, kind: &'a str) -> BoxFuture<'a, Result<Vec<u64>, StoreError>>;

    /// How many leaves can be found by their hash. In an intact store this is the size of the log.
    fn count_indexed_leaves(&self) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// A complete tile; `None` while the tree is too small to have it.
    fn tile(&self, level: u8, index: u64) -> BoxFuture<'_, Result<Option<Bytes>, StoreError>>;

    /// Stores cosignatures. Only the first of each witness and size is stored.
    fn put_cosignatures(
        &self,
        cosignatures: Vec<Cosignature>,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    fn cosignatures(&self, tree_size: u64) -> BoxFuture<'_, Result<Vec<Cosignature>, StoreError>>;

    /// The cosigned sizes from this one on, in ascending order.
    fn cosigned_sizes(
        &self,
        from: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<u64>, StoreError>>;

    /// The largest cosigned size.
    fn last_cosigned(&self) -> BoxFuture<'_, Result<Option<u64>, StoreError>>;

    /// Stores a contradicting head, once per digest.
    fn put_contradicting_head(
        &self,
        sighting: ContradictingHead,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    fn contradicting_heads(&self) -> BoxFuture<'_, Result<Vec<ContradictingHead>, StoreError>>;
}

impl AppendExtras {
    /// Appends everything of `other`.
    pub fn add(&mut self, mut other: Self) {
        self.predecessors.append(&mut other.predecessors);
        self.changes.append(&mut other.changes);
        self.revocations.append(&mut other.revocations);
        self.withheld_actions.append(&mut other.withheld_actions);
    }
}

impl Append {
    /// Refuses values that an engine could write but not read back. Engines call this before they
    /// write. Contents must match their leaves, because they are compared when they are read.
    pub fn check(&self) -> Result<(), StoreError> {
        self.batch.as_ref().map_or(Ok(()), NewBatch::check)?;
        self.answers.iter().try_for_each(|answer| check_size("answer", &answer.bytes))?;
        self.extras.check()
    }
}

impl AppendExtras {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.predecessors.is_empty()
            && self.changes.is_empty()
            && self.revocations.is_empty()
            && self.withheld_actions.is_empty()
    }

    /// Appends everything of `other`.
    pub fn extend(&mut self, other: Self) {
        self.predecessors.extend(other.predecessors);
        self.changes.extend(other.changes);
        self.revocations.extend(other.revocations);
        self.withheld_actions.extend(other.withheld_actions);
    }

    fn check(&self) -> Result<(), StoreError> {
        let mut domains: Vec<&Domain> =
            self.predecessors.iter().map(|named| &named.domain).collect();
        domains.sort_unstable();
        if domains.is_sorted_by(|one, next| one < next) {
            Ok(())
        } else {
            let why = String::from("it has two answers that follow the same one");
            Err(StoreError::Failed { doing: "extending the log", why })
        }?;
        self.changes.iter().try_for_each(NewChange::check)?;
        self.revocations.iter().try_for_each(NewRevocation::check)?;
        self.withheld_actions.iter().try_for_each(WithheldActions::check)
    }
}

impl NewBatch {
    fn check(&self) -> Result<(), StoreError> {
        let refused = |why: &str| StoreError::Failed {
            doing: "extending the log",
            why: format!("batch {} {why}", self.batch),
        };
        if self.entries.is_empty() {
            return Err(refused("has no leaves"));
        }
        if !self.entries.is_sorted_by(|one, next| one.leaf < next.leaf) {
            return Err(refused("has leaves that are not in strictly ascending order"));
        }
        if self.tiles.iter().any(|tile| tile.hashes.len() != LogTile::BYTES) {
            return Err(refused("has an incomplete tile"));
        }
        check_size("tree head", &self.sth)?;
        let mut bytes = 0;
        for entry in &self.entries {
            let length = entry.content.len();
            if length > MAX_ENTRY_BYTES {
                let (what, limit) = ("log entry", MAX_ENTRY_BYTES);
                return Err(StoreError::TooLarge { what, bytes: length, limit });
            }
            let found = proof::merkle_tree::leaf_hash(&entry.content);
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

    /// The batch as it is stored.
    #[must_use]
    pub fn to_stored(&self) -> StoredBatch {
        StoredBatch {
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

    /// A digest over all members, including the position. Engines store it with the tile, so that
    /// no tile is mistaken for another.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        let mut hasher = proof::Hasher::new();
        hasher.update(format!("log tile 1\n{} {}\n", self.level, self.index).as_bytes());
        hasher.update(&self.hashes);
        hasher.finish()
    }

    /// Whether this tile is complete in a tree of this size.
    #[must_use]
    pub fn is_complete(level: u8, index: u64, tree_size: u64) -> bool {
        u64::from(TileId { level, index }.width(tree_size)) == TILE_WIDTH
    }
}

impl StoredBatch {
    #[must_use]
    pub fn tree_size(&self) -> u64 {
        self.first_index.saturating_add(self.leaves.len() as u64)
    }

    /// A digest over all members. Engines store it with the batch and compare it when they read, so
    /// that damaged data is found and never served.
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

/// Concatenates the contents of a batch, each preceded by its length: the form that engines store.
#[must_use]
pub fn encode_contents<'a>(contents: impl Iterator<Item = &'a Bytes>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for content in contents {
        let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(content);
    }
    bytes
}

/// Decodes the contents of a batch and checks them against its leaves.
pub fn decode_contents(
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
        let length = length.ok_or_else(|| damaged("they are truncated"))?;
        let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
        let content = rest.split_to_checked(length).ok_or_else(|| damaged("they are truncated"))?;
        if proof::merkle_tree::leaf_hash(&content) != *leaf {
            return Err(damaged("a content does not match its leaf"));
        }
        contents.push(content);
    }
    if rest.is_empty() {
        Ok(contents)
    } else {
        Err(damaged("there are bytes after the last content"))
    }
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
        let before = StoredBatch {
            batch: 1,
            first_index: 2,
            sth_sha256: Digest::of(b"h"),
            sth: Bytes::from_static(b"sth"),
            leaves: vec![Digest::of(b"a"), Digest::of(b"b")],
        };
        let changes: [fn(&mut StoredBatch); 5] = [
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
    fn values_that_could_not_be_read_back_are_refused() {
        let entry = |content: &[u8]| LogEntry {
            leaf: proof::merkle_tree::leaf_hash(content),
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
                let leaf = proof::merkle_tree::leaf_hash(&content);
                b.entries = vec![LogEntry { leaf, kind: None, content }];
            },
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut bad = good.clone();
            change(&mut bad);
            assert!(bad.check().is_err(), "change {number}");
        }
        // Each content fits. Together they have exactly the maximum size, or one byte each more.
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
        let leaves: Vec<Digest> =
            contents.iter().map(|c| proof::merkle_tree::leaf_hash(c)).collect();
        let written = encode_contents(contents.iter());
        let read = |bytes: Vec<u8>| decode_contents(&Bytes::from(bytes), 3, &leaves);
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
