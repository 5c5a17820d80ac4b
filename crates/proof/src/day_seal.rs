//! Daily seals: the tree over a day's records, the statement about it, and the chain of days.
//!
//! The statement's own `sha256` (the `seal_sha256` of the lookup) is anchored. It covers the root
//! of the day's records, the newest head of the transparency log, and the previous day's seal, so
//! one timestamp proves the age of all of that and of everything earlier.

use std::collections::BTreeMap;

use contract::records::{DaySeal, PreviousSeal, SealedLogHead};
use contract::{Brand, Day, Timestamp};

use crate::merkle_tree::{BatchTree, leaf_hash};
use crate::{Digest, ProofError, canonical};

/// A statement's `kind` without the brand.
pub const KIND_WORD: &str = "day-seal";

/// The leaf for a record's digest.
#[must_use]
pub fn record_leaf(digest: &Digest) -> Digest {
    leaf_hash(&digest.0)
}

/// The tree over the digests of one day's records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayTree {
    tree: BatchTree,
    /// In the order of their leaves.
    digests: Vec<Digest>,
}

impl DayTree {
    /// Repeated digests are included once.
    #[must_use]
    pub fn new(digests: impl IntoIterator<Item = Digest>) -> Self {
        let by_leaf: BTreeMap<Digest, Digest> =
            digests.into_iter().map(|digest| (record_leaf(&digest), digest)).collect();
        Self {
            tree: BatchTree::new(by_leaf.keys().copied()),
            digests: by_leaf.into_values().collect(),
        }
    }

    /// In the order of their leaves: a position here is the leaf index in the tree.
    #[must_use]
    pub fn digests(&self) -> &[Digest] {
        &self.digests
    }

    #[must_use]
    pub fn size(&self) -> u64 {
        self.tree.size()
    }

    #[must_use]
    pub fn root(&self) -> Digest {
        self.tree.root()
    }

    #[must_use]
    pub fn index_of(&self, digest: &Digest) -> Option<u64> {
        self.tree.index_of(&record_leaf(digest))
    }

    /// The inclusion path for [`crate::merkle_tree::verify_inclusion`].
    #[must_use]
    pub fn path(&self, index: u64) -> Option<Vec<Digest>> {
        self.tree.path(index)
    }
}

/// The facts about a day's seal that the next day's statement refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviousDaySeal {
    pub day: Day,
    pub root: Digest,
    pub sha256: Digest,
    pub sealed_at: Timestamp,
}

/// The statement of a day, ready to be signed. Fails if the day is not over or does not follow the
/// previous sealed day. `sealed_at` is never before the previous one, even if the clock ran back.
pub fn build_statement(
    day: Day,
    tree: &DayTree,
    streams: BTreeMap<String, u64>,
    log: Option<SealedLogHead>,
    previous: Option<&PreviousDaySeal>,
    now: Timestamp,
    brand: &Brand,
) -> Result<DaySeal, ProofError> {
    if now < day.ends_at() {
        return Err(seal_error(day, "the day is not over"));
    }
    if previous.is_some_and(|previous| previous.day.next() != day || previous.day == day) {
        return Err(seal_error(day, "it is not the day after the last sealed day"));
    }
    Ok(DaySeal {
        kind: brand.kind(KIND_WORD),
        v: 1,
        day,
        root: tree.root().to_hex(),
        leaves: tree.size(),
        streams,
        log,
        previous: previous.map(|previous| PreviousSeal {
            day: previous.day,
            root: previous.root.to_hex(),
            seal_sha256: previous.sha256.to_hex(),
        }),
        sealed_at: previous.map_or(now, |previous| previous.sealed_at.max(now)),
        sha256: None,
        signature: None,
    })
}

/// The bytes that are hashed and anchored: the canonical form without `sha256` and `signature`.
pub fn anchored_bytes(statement: &DaySeal) -> Result<Vec<u8>, ProofError> {
    canonical::to_vec(&DaySeal { sha256: None, signature: None, ..statement.clone() })
}

/// The digest of those bytes: the statement's `sha256`, and `seal_sha256` in the lookup.
pub fn seal_sha256(statement: &DaySeal) -> Result<Digest, ProofError> {
    Ok(Digest::of(&anchored_bytes(statement)?))
}

/// Checks that these are the digests a statement covers, in leaf order.
pub fn check_digests(statement: &DaySeal, digests: &[Digest]) -> Result<DayTree, ProofError> {
    let tree = DayTree::new(digests.iter().copied());
    if tree.digests() != digests {
        return Err(seal_error(statement.day, "its digests are not in the order of their leaves"));
    }
    if tree.size() != statement.leaves || tree.root().to_hex() != statement.root {
        return Err(seal_error(statement.day, "its digests do not hash to its root"));
    }
    Ok(tree)
}

/// Checks that `next` is the statement of the day after `previous`.
pub fn check_link(previous: &DaySeal, next: &DaySeal) -> Result<(), ProofError> {
    let Some(named) = &next.previous else {
        return Err(seal_error(next.day, "it does not name the previous day's seal"));
    };
    if named.day != previous.day || previous.day.next() != next.day {
        Err(seal_error(next.day, "it does not follow the previous day"))
    } else if named.seal_sha256 != seal_sha256(previous)?.to_hex() || named.root != previous.root {
        Err(seal_error(next.day, "it names a different seal for the previous day"))
    } else if next.sealed_at < previous.sealed_at {
        Err(seal_error(next.day, "it is older than the previous day's seal"))
    } else {
        Ok(())
    }
}

fn seal_error(day: Day, why: &str) -> ProofError {
    ProofError::Seal(format!("{day}: {why}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::merkle_tree::verify_inclusion;
    use crate::sha256;

    fn digests(count: u16) -> Vec<Digest> {
        (0..count).map(|n| sha256(&n.to_be_bytes())).collect()
    }

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    fn seal(of: &str, tree: &DayTree, previous: Option<&DaySeal>, now: &str) -> DaySeal {
        let last = previous.map(|previous| PreviousDaySeal {
            day: previous.day,
            root: previous.root.parse().unwrap(),
            sha256: seal_sha256(previous).unwrap(),
            sealed_at: previous.sealed_at,
        });
        let streams = BTreeMap::from([("scans".to_owned(), tree.size())]);
        let now = now.parse().unwrap();
        build_statement(day(of), tree, streams, None, last.as_ref(), now, &Brand::default())
            .unwrap()
    }

    #[test]
    fn every_record_is_provably_in_its_day() {
        for count in [0, 1, 2, 3, 7, 64, 65] {
            let tree = DayTree::new(digests(count));
            assert_eq!(tree.size(), u64::from(count));
            for digest in digests(count) {
                let index = tree.index_of(&digest).unwrap();
                let path = tree.path(index).unwrap();
                let leaf = record_leaf(&digest);
                assert!(verify_inclusion(&leaf, index, tree.size(), &path, &tree.root()));
                assert_eq!(tree.digests()[usize::try_from(index).unwrap()], digest);
            }
            assert_eq!(tree.index_of(&sha256(b"another")), None);
        }
        assert_eq!(DayTree::new([]).root(), sha256(b""), "a day without records");
    }

    #[test]
    fn the_statement_has_one_form() {
        let statement = seal("2026-11-14", &DayTree::new([]), None, "2026-11-15T00:05:00Z");
        let nothing = sha256(b"");
        let text = format!(
            r#"{{"day":"2026-11-14","kind":"svc-day-seal","leaves":0,"log":null,"previous":null,"root":"{nothing}","sealed_at":"2026-11-15T00:05:00Z","streams":{{"scans":0}},"v":1}}"#
        );
        assert_eq!(anchored_bytes(&statement).unwrap(), text.as_bytes());
        assert_eq!(seal_sha256(&statement).unwrap(), sha256(text.as_bytes()));
        let signed = DaySeal { sha256: Some("x".to_owned()), ..statement.clone() };
        assert_eq!(seal_sha256(&signed).unwrap(), seal_sha256(&statement).unwrap());
    }

    #[test]
    fn days_follow_without_a_gap() {
        let tree = DayTree::new(digests(3));
        let first = seal("2026-11-13", &tree, None, "2026-11-14T00:05:00Z");
        let second = seal("2026-11-14", &tree, Some(&first), "2026-11-15T00:05:00Z");
        check_link(&first, &second).unwrap();
        check_digests(&second, tree.digests()).unwrap();
        // The clock ran back by hours; the chain did not.
        let third = seal(
            "2026-11-15",
            &tree,
            Some(&DaySeal { sealed_at: "2026-11-17T00:00:00Z".parse().unwrap(), ..second.clone() }),
            "2026-11-16T00:05:00Z",
        );
        assert_eq!(third.sealed_at, "2026-11-17T00:00:00Z".parse().unwrap());

        let brand = Brand::default();
        let last = PreviousDaySeal {
            day: first.day,
            root: tree.root(),
            sha256: sha256(b"x"),
            sealed_at: first.sealed_at,
        };
        let make = |of: &str, now: &str| {
            let now = now.parse().unwrap();
            build_statement(day(of), &tree, BTreeMap::new(), None, Some(&last), now, &brand)
        };
        assert!(make("2026-11-15", "2026-11-16T00:05:00Z").is_err(), "a gap");
        assert!(make("2026-11-13", "2026-11-16T00:05:00Z").is_err(), "the same day");
        assert!(make("2026-11-14", "2026-11-14T23:59:59.999Z").is_err(), "not over");
        assert!(make("2026-11-14", "2026-11-15T00:00:00Z").is_ok());
    }

    #[test]
    fn what_was_changed_is_seen() {
        let tree = DayTree::new(digests(3));
        let first = seal("2026-11-13", &tree, None, "2026-11-14T00:05:00Z");
        let second = seal("2026-11-14", &tree, Some(&first), "2026-11-15T00:05:00Z");
        type Change = fn(&mut DaySeal);
        let changes: [Change; 5] = [
            |s| s.leaves += 1,
            |s| s.root = sha256(b"y").to_hex(),
            |s| s.day = s.day.next(),
            |s| s.sealed_at = s.sealed_at.plus_millis(1),
            |s| s.streams = BTreeMap::new(),
        ];
        for change in changes {
            let mut other = first.clone();
            change(&mut other);
            assert!(check_link(&other, &second).is_err(), "{other:?}");
        }
        assert!(check_link(&second, &first).is_err());
        assert!(check_link(&first, &DaySeal { previous: None, ..second.clone() }).is_err());
        let mut turned = tree.digests().to_vec();
        turned.reverse();
        assert!(check_digests(&first, &turned).is_err(), "another order");
        assert!(check_digests(&first, &turned[..2]).is_err(), "one left out");
        assert!(check_digests(&first, &digests(4)).is_err(), "one put in");
    }

    proptest! {
        #[test]
        fn order_and_repetition_change_nothing(
            seeds in proptest::collection::vec(any::<u8>(), 0..40),
        ) {
            let digests: Vec<Digest> = seeds.iter().map(|seed| sha256(&[*seed])).collect();
            let tree = DayTree::new(digests.clone());
            let turned = DayTree::new(digests.iter().rev().chain(&digests).copied());
            prop_assert_eq!(&tree, &turned);
        }
    }
}
