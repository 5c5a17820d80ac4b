//! The pending commitments, the mined blocks, and the path from a commitment to its block.
//!
//! Deliberately written without the service's own timestamp reader: two independent implementations
//! must produce the same bytes.

use std::collections::BTreeMap;

use aws_lc_rs::digest::{SHA256, digest};

type Hash = [u8; 32];

/// The height and time of the first block. Blocks are ten minutes apart.
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
    /// In the byte order of the chain; explorers show it reversed.
    pub(super) merkle_root: Hash,
    pub(super) time: u64,
}

#[derive(Debug, Default)]
pub(super) struct Chain {
    blocks: Vec<Block>,
    pending: Vec<Vec<u8>>,
    /// By commitment: the serialised timestamp from it to its block.
    mined: BTreeMap<Vec<u8>, Vec<u8>>,
    accepted: u32,
}

/// The status of a commitment.
pub(super) enum CommitmentStatus<'a> {
    Mined(&'a [u8]),
    Pending,
    Unknown,
}

impl Chain {
    /// Accepts a digest and returns the timestamp that ends in our pending attestation.
    pub(super) fn accept_digest(&mut self, message: &[u8], own_url: &str) -> Vec<u8> {
        self.accepted += 1;
        let (before, after) = (self.accepted.to_be_bytes(), sha256(&[message, b"of the lab"]));
        let after = after.iter().copied().take(8).collect::<Vec<u8>>();
        self.pending.push([&before[..], message, &after].concat());
        let mut out = vec![OP_PREPEND];
        write_with_length(&mut out, &before);
        out.push(OP_APPEND);
        write_with_length(&mut out, &after);
        out.push(0x00);
        out.extend(PENDING);
        let mut uri = Vec::new();
        write_with_length(&mut uri, own_url.as_bytes());
        write_with_length(&mut out, &uri);
        out
    }

    pub(super) fn commitment_status(&self, commitment: &[u8]) -> CommitmentStatus<'_> {
        match self.mined.get(commitment) {
            Some(timestamp) => CommitmentStatus::Mined(timestamp),
            None if self.pending.iter().any(|waiting| waiting == commitment) => {
                CommitmentStatus::Pending
            }
            None => CommitmentStatus::Unknown,
        }
    }

    /// The timestamp of some mined commitment, which is correct for that one only.
    pub(super) fn any_mined(&self) -> Option<&[u8]> {
        self.mined.values().next().map(Vec::as_slice)
    }

    pub(super) fn block_at(&self, height: u64) -> Option<&Block> {
        self.blocks.iter().find(|block| block.height == height)
    }

    pub(super) fn block_by_hash(&self, hash: &str) -> Option<&Block> {
        self.blocks.iter().find(|block| reversed_hex(&block.hash) == hash)
    }

    pub(super) fn tip(&self) -> Option<&Block> {
        self.blocks.last()
    }

    pub(super) fn mine(&mut self) -> Option<u64> {
        if self.pending.is_empty() {
            return None;
        }
        let height = FIRST_HEIGHT + self.blocks.len() as u64;
        let commitments = std::mem::take(&mut self.pending);
        let mut nodes: Vec<Node> = Vec::new();
        for (index, commitment) in commitments.iter().enumerate() {
            let hash = sha256(&[commitment]);
            nodes.push(Node { hash, paths: vec![(index, vec![PathStep::Sha256])] });
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
        // The root of the tree is part of a transaction, and the transaction id is hashed with
        // another one into the block.
        let (head, tail) = (b"a transaction of the lab, ".to_vec(), height.to_le_bytes().to_vec());
        let neighbour = sha256(&[b"another transaction", &height.to_le_bytes()]);
        let transaction = double_sha256(&[&head, &tree.hash, &tail]);
        let merkle_root = double_sha256(&[&transaction, &neighbour]);
        let last = [
            PathStep::Prepend(head),
            PathStep::Append(tail),
            PathStep::Sha256,
            PathStep::Sha256,
            PathStep::Append(neighbour.to_vec()),
            PathStep::Sha256,
            PathStep::Sha256,
        ];
        for (index, way) in tree.paths {
            let Some(commitment) = commitments.get(index) else { continue };
            let mut out = Vec::new();
            way.iter().chain(&last).for_each(|step| step.write(&mut out));
            out.push(0x00);
            out.extend(BITCOIN);
            let mut payload = Vec::new();
            write_varint(&mut payload, height);
            write_with_length(&mut out, &payload);
            self.mined.insert(commitment.clone(), out);
        }
        let hash = double_sha256(&[b"a block of the lab", &merkle_root]);
        let time = FIRST_TIME + 600 * self.blocks.len() as u64;
        self.blocks.push(Block { height, hash, merkle_root, time });
        Some(height)
    }
}

/// A node of the tree, and the path to it from each commitment below.
struct Node {
    hash: Hash,
    paths: Vec<(usize, Vec<PathStep>)>,
}

impl Node {
    fn join(self, other: Self) -> Self {
        let hash = sha256(&[&self.hash, &other.hash]);
        let further = |node: Self, step: PathStep| {
            node.paths.into_iter().map(move |(index, mut way)| {
                way.extend([step.clone(), PathStep::Sha256]);
                (index, way)
            })
        };
        let (left, right) = (self.hash.to_vec(), other.hash.to_vec());
        let below =
            further(self, PathStep::Append(right)).chain(further(other, PathStep::Prepend(left)));
        Self { hash, paths: below.collect() }
    }
}

#[derive(Debug, Clone)]
enum PathStep {
    Append(Vec<u8>),
    Prepend(Vec<u8>),
    Sha256,
}

impl PathStep {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Append(bytes) => {
                out.push(OP_APPEND);
                write_with_length(out, bytes);
            }
            Self::Prepend(bytes) => {
                out.push(OP_PREPEND);
                write_with_length(out, bytes);
            }
            Self::Sha256 => out.push(OP_SHA256),
        }
    }
}

/// A hash as explorers write it: hex, bytes reversed.
pub(super) fn reversed_hex(hash: &Hash) -> String {
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

fn double_sha256(parts: &[&[u8]]) -> Hash {
    sha256(&[&sha256(parts)])
}

/// Writes a variable-length integer: seven bits per byte, the lowest first.
fn write_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(u8::try_from(value & 0x7f).unwrap_or_default() | 0x80);
        value >>= 7;
    }
    out.push(u8::try_from(value).unwrap_or_default());
}

fn write_with_length(out: &mut Vec<u8>, bytes: &[u8]) {
    write_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}
