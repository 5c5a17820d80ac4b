//! The transparency log as it is kept: batches in order, the places of their leaves, the complete
//! tiles of the tree over all of them, and what others said of its heads.
//!
//! An engine keeps bytes and refuses what would fork the chain; what the bytes mean is known to
//! `proof` and decided in the use cases.

use bytes::Bytes;
use contract::Timestamp;

use crate::{BoxFuture, Digest, KeptAnswer, StoreError};

/// One leaf of a batch, and what it is the hash of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    pub leaf: Digest,
    /// Names what is no decision (a build, an event of a key), so that it can be listed.
    pub kind: Option<String>,
    /// Canonical JSON, less than 65,536 bytes.
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
    /// `after`; then nothing was changed.
    fn append(&self, append: Append) -> BoxFuture<'_, Result<(), StoreError>>;

    fn last_batch(&self) -> BoxFuture<'_, Result<Option<KeptBatch>, StoreError>>;

    fn batch(&self, batch: u64) -> BoxFuture<'_, Result<Option<KeptBatch>, StoreError>>;

    /// The batch that holds this place of the log.
    fn batch_at(&self, log_index: u64) -> BoxFuture<'_, Result<Option<KeptBatch>, StoreError>>;

    /// Signed heads from this batch on, oldest first.
    fn heads(&self, from: u64, limit: usize) -> BoxFuture<'_, Result<Vec<Bytes>, StoreError>>;

    /// Where each of these leaves stands in the log, in the order asked.
    fn leaf_places(
        &self,
        leaves: Vec<Digest>,
    ) -> BoxFuture<'_, Result<Vec<Option<u64>>, StoreError>>;

    /// Contents from this place on, in log order, each checked against its leaf.
    fn log_entries(&self, from: u64, limit: usize)
    -> BoxFuture<'_, Result<Vec<Bytes>, StoreError>>;

    /// The places of all entries of a kind, oldest first.
    fn entries_of_kind<'a>(&'a self, kind: &'a str) -> BoxFuture<'a, Result<Vec<u64>, StoreError>>;

    /// How many leaves can be found by their hash: one for each in the log, or something is wrong.
    fn indexed_leaves(&self) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// A complete tile.
    fn tile(&self, level: u8, index: u64) -> BoxFuture<'_, Result<Option<Bytes>, StoreError>>;

    /// Keeps what witnesses said. The same witness speaks of a size once.
    fn put_cosignatures(
        &self,
        cosignatures: Vec<Cosignature>,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    fn cosignatures(&self, tree_size: u64) -> BoxFuture<'_, Result<Vec<Cosignature>, StoreError>>;

    /// The largest size that a witness cosigned.
    fn last_cosigned(&self) -> BoxFuture<'_, Result<Option<u64>, StoreError>>;

    /// Keeps a contradicting head, once.
    fn put_sighting(&self, sighting: Sighting) -> BoxFuture<'_, Result<(), StoreError>>;

    fn sightings(&self) -> BoxFuture<'_, Result<Vec<Sighting>, StoreError>>;
}

impl NewBatch {
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
        let length = rest.split_to_checked(4).and_then(|four| <[u8; 4]>::try_from(&four[..]).ok());
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
