//! Signed tree heads and the chain they form.

use contract::records::CodeObject;
use contract::{Brand, Timestamp};
use serde_json::{Map, Value, json};

use crate::ProofError;
use crate::digest::Digest;
use crate::json_view::{Members, View};
use crate::merkle_tree::BatchTree;

pub const LEAF_RULE: &str =
    "SHA-256 of a zero byte followed by the RFC 8785 form of the decision content";
pub const TREE_RULE: &str = "RFC 9162 Merkle tree over the batch's leaf hashes, which are leaves already and are \
not hashed again; strictly ascending by their bytes, equal leaves standing once";
pub const CHAIN_RULE: &str = "Batches are numbered from 0 without a gap; prev_sth_sha256 is the sha256 member of \
the head before, null in the first; first_index is the tree_size of the head before, 0 in the first; tree_size is \
first_index plus batch_size";

/// The members of a signed tree head that define the chain and the tree. Parsing checks that its
/// numbers add up, not its digest or signature: [`crate::verify_document`] does that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainHead {
    pub log_id: String,
    pub batch: u64,
    pub first_index: u64,
    pub batch_size: u64,
    pub tree_size: u64,
    pub batch_root: Digest,
    pub prev_sth_sha256: Option<Digest>,
    pub created_at: Timestamp,
    /// The head's own digest, as it states it.
    pub sha256: Digest,
}

impl ChainHead {
    pub fn parse(head: &Value) -> Result<Self, ProofError> {
        // What is not an object has no members.
        let none = Map::new();
        Self::from_members(Members::Map(head.as_object().unwrap_or(&none)))
    }

    /// Like [`Self::parse`], for the members of a head in a document.
    pub(crate) fn from_members(head: Members<'_>) -> Result<Self, ProofError> {
        let number =
            |name: &str| head.get(name).and_then(View::as_u64).ok_or_else(|| invalid_member(name));
        let text = |name: &str| head.text(name).ok_or_else(|| invalid_member(name));
        let digest = |name: &str| text(name)?.parse::<Digest>().map_err(|_| invalid_member(name));
        let prev_sth_sha256 = match head.get("prev_sth_sha256") {
            Some(value) if value.is_null() => None,
            _ => Some(digest("prev_sth_sha256")?),
        };
        let read = Self {
            log_id: text("log_id")?.to_owned(),
            batch: number("batch")?,
            first_index: number("first_index")?,
            batch_size: number("batch_size")?,
            tree_size: number("tree_size")?,
            batch_root: digest("batch_root")?,
            prev_sth_sha256,
            created_at: text("created_at")?.parse().map_err(|_| invalid_member("created_at"))?,
            sha256: digest("sha256")?,
        };
        if read.batch_size == 0 {
            return Err(ProofError::Head("the batch is empty".to_owned()));
        }
        if read.first_index.checked_add(read.batch_size) != Some(read.tree_size) {
            return Err(ProofError::Head(
                "tree_size is not first_index plus batch_size".to_owned(),
            ));
        }
        let first = read.batch == 0;
        if first != read.prev_sth_sha256.is_none() || first != (read.first_index == 0) {
            return Err(ProofError::Head(
                "batch 0, and only batch 0, must have prev_sth_sha256 null and first_index 0"
                    .to_owned(),
            ));
        }
        Ok(read)
    }
}

fn invalid_member(member: &str) -> ProofError {
    ProofError::Head(format!("{member} is missing or malformed"))
}

/// Optional members of a head.
#[derive(Debug, Clone, Default)]
pub struct HeadExtras {
    /// The build that created the head.
    pub code: Option<CodeObject>,
    /// The root over all leaves of the log so far, in log order.
    pub tree_root: Option<Digest>,
}

/// The content of the head that follows `previous`, ready to be signed by the log-heads key. Each
/// head gets a later time than the previous one, even if the clock stands still or runs backwards.
pub fn next_head(
    previous: Option<&ChainHead>,
    batch: &BatchTree,
    now: Timestamp,
    extras: HeadExtras,
    brand: &Brand,
) -> Result<Value, ProofError> {
    if batch.size() == 0 {
        return Err(ProofError::Head("the batch is empty".to_owned()));
    }
    if previous.is_some_and(|previous| previous.log_id != brand.log_id()) {
        return Err(ProofError::Head("the previous head belongs to another log".to_owned()));
    }
    let first_index = previous.map_or(0, |previous| previous.tree_size);
    let mut head = json!({
        "kind": brand.kind("log-sth"),
        "v": 1,
        "log_id": brand.log_id(),
        "batch": previous.map_or(0, |previous| previous.batch + 1),
        "first_index": first_index,
        "batch_size": batch.size(),
        "tree_size": first_index + batch.size(),
        "batch_root": batch.root(),
        "prev_sth_sha256": previous.map(|previous| previous.sha256),
        "created_at": next_created_at(previous, now),
        "rules": { "leaf": LEAF_RULE, "tree": TREE_RULE, "chain": CHAIN_RULE },
    });
    if let Some(members) = head.as_object_mut() {
        members.extend(extras.code.map(|code| ("code".to_owned(), json!(code))));
        members.extend(extras.tree_root.map(|root| ("tree_root".to_owned(), json!(root))));
    }
    Ok(head)
}

/// The time of the head that follows `previous`: later than it, also after the clock was set back.
#[must_use]
pub fn next_created_at(previous: Option<&ChainHead>, now: Timestamp) -> Timestamp {
    previous.map_or(now, |previous| previous.created_at.plus_millis(1).max(now))
}

/// Whether `next` is the head that follows `previous`; without one, whether it is the first.
pub fn check_link(previous: Option<&ChainHead>, next: &ChainHead) -> Result<(), ProofError> {
    let broken = |why: &str| Err(ProofError::Head(format!("batch {}: {why}", next.batch)));
    let Some(previous) = previous else {
        return if next.batch == 0 { Ok(()) } else { broken("it is not batch 0") };
    };
    if next.log_id != previous.log_id {
        broken("it belongs to another log")
    } else if previous.batch.checked_add(1) != Some(next.batch) {
        broken("its number does not follow the previous head's number")
    } else if next.first_index != previous.tree_size {
        broken("first_index is not the previous head's tree_size")
    } else if next.prev_sth_sha256 != Some(previous.sha256) {
        broken("prev_sth_sha256 is not the previous head's sha256")
    } else if next.created_at < previous.created_at {
        broken("it is older than the previous head")
    } else {
        Ok(())
    }
}

/// Whether these heads, oldest first, are links of one chain. They need not begin with batch 0.
pub fn check_chain(heads: &[ChainHead]) -> Result<(), ProofError> {
    heads.iter().zip(heads.iter().skip(1)).try_for_each(|(a, b)| check_link(Some(a), b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sha256;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millis(second * 1000)
    }

    /// Three heads as they would be read back, with a digest each.
    fn chain() -> Vec<ChainHead> {
        let mut heads: Vec<ChainHead> = Vec::new();
        for (batch, size) in [1_u8, 3, 2].into_iter().enumerate() {
            let tree = BatchTree::new((0..size).map(|n| sha256(&[batch as u8, n])));
            let now = at(if batch == 2 { 5 } else { 10 });
            let mut head =
                next_head(heads.last(), &tree, now, HeadExtras::default(), &Brand::default())
                    .unwrap();
            head["sha256"] = json!(sha256(&serde_json::to_vec(&head).unwrap()));
            heads.push(ChainHead::parse(&head).unwrap());
        }
        heads
    }

    #[test]
    fn heads_follow_one_another() {
        let heads = chain();
        let sizes: Vec<_> = heads.iter().map(|h| (h.batch, h.first_index, h.tree_size)).collect();
        assert_eq!(sizes, [(0, 0, 1), (1, 1, 4), (2, 4, 6)]);
        assert_eq!(heads[0].prev_sth_sha256, None);
        let after = Timestamp::from_millis(10_001);
        assert_eq!(heads[1].created_at, after, "the clock stood still, the chain did not");
        assert_eq!(heads[2].created_at, after.plus_millis(1), "the clock ran back");
        check_link(None, &heads[0]).unwrap();
        check_chain(&heads).unwrap();
    }

    #[test]
    fn a_broken_link_is_seen() {
        type Break = fn(&mut ChainHead);
        let breaks: [(&str, Break); 6] = [
            ("number", |h| h.batch += 1),
            ("first_index", |h| h.first_index += 1),
            ("prev_sth_sha256", |h| h.prev_sth_sha256 = Some(sha256(b"another"))),
            ("prev_sth_sha256", |h| h.prev_sth_sha256 = None),
            ("older", |h| h.created_at = at(9)),
            ("another log", |h| h.log_id.push('x')),
        ];
        for (word, damage) in breaks {
            let mut heads = chain();
            damage(&mut heads[1]);
            let why = check_link(Some(&heads[0]), &heads[1]).unwrap_err().to_string();
            assert!(why.contains(word), "{why}");
        }
        let heads = chain();
        assert!(check_link(None, &heads[1]).is_err());
        assert!(check_chain(&[heads[0].clone(), heads[2].clone()]).is_err(), "a batch left out");
        assert!(check_chain(&[heads[1].clone(), heads[0].clone()]).is_err(), "order turned round");
    }

    #[test]
    fn reading_checks_the_sums() {
        let tree = BatchTree::new([sha256(b"leaf")]);
        let first = chain().remove(0);
        let brand = Brand::default();
        let mut good =
            next_head(Some(&first), &tree, at(11), HeadExtras::default(), &brand).unwrap();
        good["sha256"] = json!(sha256(b"x"));
        ChainHead::parse(&good).unwrap();
        for (member, value) in [
            ("batch", json!(0)),
            ("batch", json!(-1)),
            ("batch", json!("1")),
            ("batch_size", json!(0)),
            ("batch_size", json!(2)),
            ("first_index", json!(0)),
            ("tree_size", json!(1)),
            ("batch_root", json!("AB")),
            ("prev_sth_sha256", json!(null)),
            ("prev_sth_sha256", json!(1)),
            ("created_at", json!("yesterday")),
            ("sha256", json!(null)),
        ] {
            let mut bad = good.clone();
            bad[member] = value.clone();
            assert!(ChainHead::parse(&bad).is_err(), "{member} {value}");
        }
        let empty = BatchTree::new([]);
        assert!(next_head(None, &empty, at(0), HeadExtras::default(), &brand).is_err());
        let other = Brand::new("other").unwrap();
        assert!(next_head(Some(&first), &tree, at(0), HeadExtras::default(), &other).is_err());
    }

    #[test]
    fn extras_are_members_like_the_others() {
        let tree = BatchTree::new([sha256(b"leaf")]);
        let code = json!({
            "version_id": "v", "script_sha16": null, "state": "unattested", "build_log_entry": null,
            "deployed": { "at": null, "commit": null, "run": null }, "score_version": 1,
            "scoring_policy_sha256": "s", "decision_rules_sha256": "d", "check": "c",
        });
        let extras = HeadExtras {
            code: Some(serde_json::from_value(code.clone()).unwrap()),
            tree_root: Some(tree.root()),
        };
        let head = next_head(None, &tree, at(0), extras, &Brand::default()).unwrap();
        assert_eq!(head["code"], code);
        assert_eq!(head["tree_root"], head["batch_root"]);
    }
}
