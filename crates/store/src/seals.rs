//! Daily seals and their timestamps.

use bytes::Bytes;
use contract::{Day, Timestamp};

use crate::size::check_size;
use crate::{BoxFuture, Digest, StoreError};

/// A sealed day. Reading returns exactly the bytes that were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSeal {
    pub day: Day,
    /// The statement's own digest, which is timestamped.
    pub sha256: Digest,
    pub root: Digest,
    pub sealed_at: Timestamp,
    /// The signed statement, as the exact bytes that were signed.
    pub statement: Bytes,
    /// The digests of the sealed records, in leaf order.
    pub digests: Vec<Digest>,
}

/// A seal as listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealRow {
    pub day: Day,
    pub sha256: Digest,
    pub root: Digest,
    pub leaves: u64,
    pub sealed_at: Timestamp,
}

/// The day and leaf in which a record's digest is sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealPosition {
    pub day: Day,
    /// The index of its leaf, from 0.
    pub index: u64,
}

/// The state of a seal's timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnchorStage {
    /// The calendar has not answered yet.
    Waiting,
    /// The calendar has accepted the digest but not yet committed it to a block.
    Pending,
    /// It leads to a block whose header was not checked by this service.
    Upgraded,
    /// It leads to a block whose header was checked.
    Verified,
    /// It does not match the block that it names.
    Failed,
}

/// The timestamp of one day's seal at one calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    pub day: Day,
    /// The calendar's address, as configured.
    pub calendar: String,
    pub stage: AnchorStage,
    pub submitted_at: Option<Timestamp>,
    pub upgraded_at: Option<Timestamp>,
    pub verified_at: Option<Timestamp>,
    /// The block it leads to.
    pub block_height: Option<u64>,
    /// The current timestamp of the seal's digest; empty before the calendar answered.
    pub timestamp: Bytes,
    /// Attempts since the stage last changed.
    pub tries: u32,
    /// The next attempt is not made before this time.
    pub next_try_at: Timestamp,
    /// What went wrong at the last attempt.
    pub last_error: Option<String>,
}

pub trait Seals: Send + Sync {
    /// Stores a day's seal completely or not at all; durable when this returns. Storing the same
    /// seal again has no effect; a different seal for a sealed day is refused.
    fn put_seal(&self, seal: StoredSeal) -> BoxFuture<'_, Result<(), StoreError>>;

    fn seal(&self, day: Day) -> BoxFuture<'_, Result<Option<StoredSeal>, StoreError>>;

    /// Seals of days before `before`, newest first, at most `limit`.
    fn seals(
        &self,
        before: Option<Day>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<SealRow>, StoreError>>;

    /// The first day that was sealed.
    fn first_sealed_day(&self) -> BoxFuture<'_, Result<Option<Day>, StoreError>>;

    /// Where a record's digest is sealed; the earliest day if there are several.
    fn seal_position(
        &self,
        digest: Digest,
    ) -> BoxFuture<'_, Result<Option<SealPosition>, StoreError>>;

    /// Stores the state of a timestamp, replacing that of the same day and calendar; durable when
    /// this returns.
    fn put_anchor(&self, anchor: Anchor) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The timestamps of a day, ordered by calendar.
    fn anchors(&self, day: Day) -> BoxFuture<'_, Result<Vec<Anchor>, StoreError>>;

    /// Timestamps at one of these stages whose next attempt is due, the longest overdue first, at
    /// most `limit`.
    fn due_anchors(
        &self,
        stages: Vec<AnchorStage>,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Anchor>, StoreError>>;
}

impl StoredSeal {
    #[must_use]
    pub fn row(&self) -> SealRow {
        SealRow {
            day: self.day,
            sha256: self.sha256,
            root: self.root,
            leaves: self.digests.len() as u64,
            sealed_at: self.sealed_at,
        }
    }

    /// The digests concatenated, 32 bytes each: the form that engines store.
    #[must_use]
    pub fn digest_bytes(&self) -> Vec<u8> {
        self.digests.iter().flat_map(|digest| *digest.as_bytes()).collect()
    }

    /// A digest over all members, like [`crate::Scan::fingerprint`].
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        let head = format!(
            "seal 1\n{} {} {} {} {} {}\n",
            self.day,
            self.sha256,
            self.root,
            self.sealed_at.as_millis(),
            self.statement.len(),
            self.digests.len(),
        );
        let mut hasher = proof::Hasher::new();
        hasher.update(head.as_bytes());
        hasher.update(&self.statement);
        self.digests.iter().for_each(|digest| hasher.update(digest.as_bytes()));
        hasher.finish()
    }

    /// Refuses a seal that is too large for any engine. Engines call this before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("seal's statement", &self.statement)?;
        check_size("seal's digests", &self.digest_bytes())
    }
}

impl AnchorStage {
    pub const ALL: [Self; 5] =
        [Self::Waiting, Self::Pending, Self::Upgraded, Self::Verified, Self::Failed];

    /// The word that engines store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Pending => "pending",
            Self::Upgraded => "upgraded",
            Self::Verified => "verified",
            Self::Failed => "failed",
        }
    }

    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.as_str() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_moves_the_fingerprint() {
        let before = StoredSeal {
            day: Day::from_number(1),
            sha256: Digest::of(b"s"),
            root: Digest::of(b"r"),
            sealed_at: Timestamp::from_millis(5),
            statement: Bytes::from_static(b"statement"),
            digests: vec![Digest::of(b"a")],
        };
        let changes: [fn(&mut StoredSeal); 6] = [
            |s| s.day = s.day.next(),
            |s| s.sha256 = Digest::of(b"t"),
            |s| s.root = Digest::of(b"t"),
            |s| s.sealed_at = Timestamp::from_millis(6),
            |s| s.statement = Bytes::from_static(b"statemend"),
            |s| s.digests.push(Digest::of(b"b")),
        ];
        for change in changes {
            let mut after = before.clone();
            change(&mut after);
            assert_ne!(after.fingerprint(), before.fingerprint(), "{after:?}");
        }
    }

    #[test]
    fn stages_are_read_back() {
        for stage in AnchorStage::ALL {
            assert_eq!(AnchorStage::from_word(stage.as_str()), Some(stage));
        }
        assert_eq!(AnchorStage::from_word("anchored"), None);
    }
}
