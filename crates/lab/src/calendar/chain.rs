//! What waits, what is mined, and the way from the one to the other.
//!
//! Written without the reader that the service has, on purpose: two hands must come to the same
//! bytes.

use std::collections::BTreeMap;

use aws_lc_rs::digest::{SHA256, digest};

type Hash = [u8; 32];

/// The first block's height, and its time; ten minutes lie between blocks.
const FIRST_HEIGHT: u64 = 900_000;
const FIRST_TIME: u64 = 1_794_700_000;

const OP_APPEND: u8 = 0xf0;
const OP_PREPEND: u8 = 0xf1;
const OP_SHA256: u8 = 0x08;
const BITCOIN: [u8; 8] = [0x05, 0x88, 0x96, 0x0d, 0x73, 0xd7, 0x19, 0x01];
const PENDING: [u8; 8] = [0x83, 0xdf, 0xe3, 0x0d, 0x2e, 0xf9, 0x0c, 0x8e];

#[derive(Debug)]
pub(super) struct Block {
    pub(super) height: u64,
    pub(super) hash: Hash,
    /// In the order of the chain's own bytes, which explorers turn round.
    pub(super) merkle_root: Hash,
    pub(super) time: u64,
}

#[derive(Debug, Default)]
pub(super) struct Chain {
    blocks: Vec<Block>,
    waiting: Vec<Vec<u8>>,
    /// By commitment: the written timestamp that leads from it to its block.
    mined: BTreeMap<Vec<u8>, Vec<u8>>,
    taken: u32,
}

/// What is known of a commitment.
pub(super) enum Known<'a> {
    Mined(&'a [u8]),
    Waiting,
    Nothing,
}

impl Chain {
    /// Takes a digest and answers with the timestamp that ends in our promise.
    pub(super) fn take(&mut self, message: &[u8], own_url: &str) -> Vec<u8> {
        self.taken += 1;
        let (before, after) = (self.taken.to_be_bytes(), sha256(&[message, b"of the lab"]));
        let after = after.iter().copied().take(8).collect::<Vec<u8>>();
        self.waiting.push([&before[..], message, &after].concat());
        let mut out = vec![OP_PREPEND];
        with_length(&mut out, &before);
        out.push(OP_APPEND);
        with_length(&mut out, &after);
        out.push(0x00);
        out.extend(PENDING);
        let mut uri = Vec::new();
        with_length(&mut uri, own_url.as_bytes());
        with_length(&mut out, &uri);
        out
    }

    pub(super) fn known(&self, commitment: &[u8]) -> Known<'_> {
        match self.mined.get(commitment) {
            Some(timestamp) => Known::Mined(timestamp),
            None if self.waiting.iter().any(|waiting| waiting == commitment) => Known::Waiting,
            None => Known::Nothing,
        }
    }

    /// The timestamp of any commitment that was mined: right for that one alone.
    pub(super) fn any_mined(&self) -> Option<&[u8]> {
        self.mined.values().next().map(Vec::as_slice)
    }

    pub(super) fn block_at(&self, height: u64) -> Option<&Block> {
        self.blocks.iter().find(|block| block.height == height)
    }

    pub(super) fn block(&self, hash: &str) -> Option<&Block> {
        self.blocks.iter().find(|block| turned(&block.hash) == hash)
    }

    pub(super) fn tip(&self) -> Option<&Block> {
        self.blocks.last()
    }

    pub(super) fn mine(&mut self) -> Option<u64> {
        if self.waiting.is_empty() {
            return None;
        }
        let height = FIRST_HEIGHT + self.blocks.len() as u64;
        let commitments = std::mem::take(&mut self.waiting);
        let mut nodes: Vec<Node> = Vec::new();
        for (index, commitment) in commitments.iter().enumerate() {
            let hash = sha256(&[commitment]);
            nodes.push(Node { hash, below: vec![(index, vec![Step::Sha256])] });
        }
        while nodes.len() > 1 {
            let mut above = Vec::new();
            let mut left = nodes.into_iter();
            while let Some(one) = left.next() {
                above.push(match left.next() {
                    Some(two) => one.join(two),
                    None => one,
                });
            }
            nodes = above;
        }
        let tree = nodes.pop()?;
        // The tree's tip stands in a transaction, the transaction's name beside another in a block.
        let (head, tail) = (b"a transaction of the lab, ".to_vec(), height.to_le_bytes().to_vec());
        let neighbour = sha256(&[b"another transaction", &height.to_le_bytes()]);
        let transaction = twice(&[&head, &tree.hash, &tail]);
        let merkle_root = twice(&[&transaction, &neighbour]);
        let last = [
            Step::Prepend(head),
            Step::Append(tail),
            Step::Sha256,
            Step::Sha256,
            Step::Append(neighbour.to_vec()),
            Step::Sha256,
            Step::Sha256,
        ];
        for (index, way) in tree.below {
            let Some(commitment) = commitments.get(index) else { continue };
            let mut out = Vec::new();
            way.iter().chain(&last).for_each(|step| step.write(&mut out));
            out.push(0x00);
            out.extend(BITCOIN);
            let mut payload = Vec::new();
            number(&mut payload, height);
            with_length(&mut out, &payload);
            self.mined.insert(commitment.clone(), out);
        }
        let hash = twice(&[b"a block of the lab", &merkle_root]);
        let time = FIRST_TIME + 600 * self.blocks.len() as u64;
        self.blocks.push(Block { height, hash, merkle_root, time });
        Some(height)
    }
}

/// A part of the tree, and the way to it from each commitment below.
struct Node {
    hash: Hash,
    below: Vec<(usize, Vec<Step>)>,
}

impl Node {
    fn join(self, other: Self) -> Self {
        let hash = sha256(&[&self.hash, &other.hash]);
        let further = |node: Self, step: Step| {
            node.below.into_iter().map(move |(index, mut way)| {
                way.extend([step.clone(), Step::Sha256]);
                (index, way)
            })
        };
        let (left, right) = (self.hash.to_vec(), other.hash.to_vec());
        let below = further(self, Step::Append(right)).chain(further(other, Step::Prepend(left)));
        Self { hash, below: below.collect() }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Append(Vec<u8>),
    Prepend(Vec<u8>),
    Sha256,
}

impl Step {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Append(bytes) => {
                out.push(OP_APPEND);
                with_length(out, bytes);
            }
            Self::Prepend(bytes) => {
                out.push(OP_PREPEND);
                with_length(out, bytes);
            }
            Self::Sha256 => out.push(OP_SHA256),
        }
    }
}

/// As explorers write hashes: hex, the bytes turned round.
pub(super) fn turned(hash: &Hash) -> String {
    let bytes: Vec<u8> = hash.iter().rev().copied().collect();
    data_encoding::HEXLOWER.encode(&bytes)
}

fn sha256(parts: &[&[u8]]) -> Hash {
    let mut hash = [0; 32];
    let taken = digest(&SHA256, &parts.concat());
    for (to, from) in hash.iter_mut().zip(taken.as_ref()) {
        *to = *from;
    }
    hash
}

fn twice(parts: &[&[u8]]) -> Hash {
    sha256(&[&sha256(parts)])
}

/// Seven bits a byte, the lowest first.
fn number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(u8::try_from(value & 0x7f).unwrap_or_default() | 0x80);
        value >>= 7;
    }
    out.push(u8::try_from(value).unwrap_or_default());
}

fn with_length(out: &mut Vec<u8>, bytes: &[u8]) {
    number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}
