//! The tree of operations and attestations.

use std::collections::{BTreeMap, BTreeSet};

use super::attestation::Attestation;
use super::bytes::ByteReader;
use super::error::OtsError;
use super::limits::{MAX_DEPTH, MAX_NODES, MAX_STAMP_BYTES};
use super::op::Op;

/// The claims about one message: attestations of the message itself, and stamps of what operations
/// make of it. The message is not stored here; the caller supplies it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    attestations: BTreeSet<Attestation>,
    branches: BTreeMap<Op, Stamp>,
}

/// An attestation and the message that it attests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttestedMessage {
    pub attestation: Attestation,
    /// `None` if an operation on the way cannot be computed here.
    pub message: Option<Vec<u8>>,
}

/// Tags in the binary form.
const ATTESTATION_TAG: u8 = 0x00;
const MORE_FOLLOWS_TAG: u8 = 0xff;

impl Stamp {
    /// A stamp with a single attestation.
    #[must_use]
    pub fn from_attestation(attestation: Attestation) -> Self {
        Self { attestations: BTreeSet::from([attestation]), branches: BTreeMap::new() }
    }

    /// The stamp of the message before `op`, if `self` is the stamp of the message after it.
    #[must_use]
    pub fn preceded_by(self, op: Op) -> Self {
        Self { attestations: BTreeSet::new(), branches: BTreeMap::from([(op, self)]) }
    }

    /// Parses a stamp for a message of this length. Nothing may follow it.
    pub fn parse(bytes: &[u8], message_length: usize) -> Result<Self, OtsError> {
        if bytes.len() > MAX_STAMP_BYTES {
            return Err(OtsError::TooLarge);
        }
        let mut reader = ByteReader::new(bytes);
        let stamp = Self::read_from(&mut reader, message_length)?;
        reader.expect_end()?;
        Ok(stamp)
    }

    pub(super) fn read_from(reader: &mut ByteReader<'_>, length: usize) -> Result<Self, OtsError> {
        let mut room = MAX_NODES;
        Self::read_node(reader, length, MAX_DEPTH, &mut room)
    }

    /// Depth and room decrease with every step, which bounds the recursion and the memory.
    fn read_node(
        reader: &mut ByteReader<'_>,
        length: usize,
        depth: usize,
        room: &mut usize,
    ) -> Result<Self, OtsError> {
        let depth = depth.checked_sub(1).ok_or(OtsError::TooDeep)?;
        let mut stamp = Self { attestations: BTreeSet::new(), branches: BTreeMap::new() };
        loop {
            let first = reader.byte()?;
            let more = first == MORE_FOLLOWS_TAG;
            let tag = if more { reader.byte()? } else { first };
            *room = room.checked_sub(1).ok_or(OtsError::TooLarge)?;
            if tag == ATTESTATION_TAG {
                stamp.attestations.insert(Attestation::read(reader)?);
            } else {
                let op = Op::read(tag, reader)?;
                let below = Self::read_node(reader, op.length_after(length)?, depth, room)?;
                stamp.add_branch(op, below);
            }
            if !more {
                return Ok(stamp);
            }
        }
    }

    /// The binary form, in the defined order.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_to(&mut out);
        out
    }

    fn write_to(&self, out: &mut Vec<u8>) {
        let mut left = self.attestations.len() + self.branches.len();
        let mut mark = |out: &mut Vec<u8>| {
            left = left.saturating_sub(1);
            if left > 0 {
                out.push(MORE_FOLLOWS_TAG);
            }
        };
        for attestation in &self.attestations {
            mark(out);
            out.push(ATTESTATION_TAG);
            attestation.write(out);
        }
        for (op, below) in &self.branches {
            mark(out);
            op.write(out);
            below.write_to(out);
        }
    }

    /// Adds everything from another stamp of the same message.
    pub fn merge(&mut self, other: Self) {
        self.attestations.extend(other.attestations);
        for (op, below) in other.branches {
            self.add_branch(op, below);
        }
    }

    fn add_branch(&mut self, op: Op, below: Self) {
        match self.branches.get_mut(&op) {
            Some(known) => known.merge(below),
            None => {
                self.branches.insert(op, below);
            }
        }
    }

    /// Adds a stamp of an intermediate message `at`, wherever that message occurs. Returns false if
    /// it does not occur.
    pub fn merge_at(&mut self, message: &[u8], at: &[u8], other: &Self) -> bool {
        let mut found = message == at;
        if found {
            self.merge(other.clone());
            return true;
        }
        for (op, below) in &mut self.branches {
            if let Some(next) = op.apply(message) {
                found |= below.merge_at(&next, at, other);
            }
        }
        found
    }

    /// The same stamp of `message` with only the attestations for which `keep` returns true; `None`
    /// if there are none.
    #[must_use]
    pub fn retain(&self, message: &[u8], keep: &dyn Fn(&AttestedMessage) -> bool) -> Option<Self> {
        self.retain_at(Some(message), keep)
    }

    fn retain_at(
        &self,
        message: Option<&[u8]>,
        keep: &dyn Fn(&AttestedMessage) -> bool,
    ) -> Option<Self> {
        let kept = |attestation: &Attestation| {
            let attestation = attestation.clone();
            let attested = AttestedMessage { attestation, message: message.map(<[u8]>::to_vec) };
            keep(&attested).then_some(attested.attestation)
        };
        let below = |(op, below): (&Op, &Self)| {
            let next = message.and_then(|message| op.apply(message));
            Some((op.clone(), below.retain_at(next.as_deref(), keep)?))
        };
        let stamp = Self {
            attestations: self.attestations.iter().filter_map(kept).collect(),
            branches: self.branches.iter().filter_map(below).collect(),
        };
        let empty = stamp.attestations.is_empty() && stamp.branches.is_empty();
        (!empty).then_some(stamp)
    }

    /// Every attestation with the message it attests, if this is a stamp of `message`.
    #[must_use]
    pub fn evaluate(&self, message: &[u8]) -> Vec<AttestedMessage> {
        let mut all = Vec::new();
        self.evaluate_into(Some(message), &mut all);
        all
    }

    fn evaluate_into(&self, message: Option<&[u8]>, all: &mut Vec<AttestedMessage>) {
        let here = |attestation: &Attestation| AttestedMessage {
            attestation: attestation.clone(),
            message: message.map(<[u8]>::to_vec),
        };
        all.extend(self.attestations.iter().map(here));
        for (op, below) in &self.branches {
            let next = message.and_then(|message| op.apply(message));
            below.evaluate_into(next.as_deref(), all);
        }
    }
}

#[cfg(test)]
mod tests;
