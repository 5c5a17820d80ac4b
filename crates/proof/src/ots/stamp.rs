//! The tree of operations and attestations.

use std::collections::{BTreeMap, BTreeSet};

use super::bytes::Reader;
use super::{Attestation, MAX_DEPTH, MAX_NODES, MAX_STAMP, Op, OtsError};

/// What is claimed of one message: directly, and of what operations make of it. The message itself
/// is not in here; whoever reads or evaluates a stamp knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    attestations: BTreeSet<Attestation>,
    branches: BTreeMap<Op, Stamp>,
}

/// An attestation with the message it stands at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attested {
    pub attestation: Attestation,
    /// Nothing when an operation on the way is not computed here.
    pub message: Option<Vec<u8>>,
}

/// Marks in the written form.
const ATTESTATION: u8 = 0x00;
const ANOTHER: u8 = 0xff;

impl Stamp {
    /// A single claim.
    #[must_use]
    pub fn of(attestation: Attestation) -> Self {
        Self { attestations: BTreeSet::from([attestation]), branches: BTreeMap::new() }
    }

    /// The stamp that holds before an operation, when this one holds after it.
    #[must_use]
    pub fn after(self, op: Op) -> Self {
        Self { attestations: BTreeSet::new(), branches: BTreeMap::from([(op, self)]) }
    }

    /// Reads a stamp of a message of this length, and nothing behind it.
    pub fn read(bytes: &[u8], message_length: usize) -> Result<Self, OtsError> {
        if bytes.len() > MAX_STAMP {
            return Err(OtsError::TooLarge);
        }
        let mut reader = Reader::new(bytes);
        let stamp = Self::read_from(&mut reader, message_length)?;
        reader.end()?;
        Ok(stamp)
    }

    pub(super) fn read_from(reader: &mut Reader<'_>, length: usize) -> Result<Self, OtsError> {
        let mut room = MAX_NODES;
        Self::read_node(reader, length, MAX_DEPTH, &mut room)
    }

    /// Depth and room go down with every step, so that this ends and the stack holds.
    fn read_node(
        reader: &mut Reader<'_>,
        length: usize,
        depth: usize,
        room: &mut usize,
    ) -> Result<Self, OtsError> {
        let depth = depth.checked_sub(1).ok_or(OtsError::TooDeep)?;
        let mut stamp = Self { attestations: BTreeSet::new(), branches: BTreeMap::new() };
        loop {
            let first = reader.byte()?;
            let more = first == ANOTHER;
            let tag = if more { reader.byte()? } else { first };
            *room = room.checked_sub(1).ok_or(OtsError::TooLarge)?;
            if tag == ATTESTATION {
                stamp.attestations.insert(Attestation::read(reader)?);
            } else {
                let op = Op::read(tag, reader)?;
                let below = Self::read_node(reader, op.length_after(length)?, depth, room)?;
                stamp.add(op, below);
            }
            if !more {
                return Ok(stamp);
            }
        }
    }

    /// The written form, in the one order.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_to(&mut out);
        out
    }

    fn write_to(&self, out: &mut Vec<u8>) {
        let mut left = self.attestations.len() + self.branches.len();
        let mut mark = |out: &mut Vec<u8>| {
            left = left.saturating_sub(1);
            if left > 0 {
                out.push(ANOTHER);
            }
        };
        for attestation in &self.attestations {
            mark(out);
            out.push(ATTESTATION);
            attestation.write(out);
        }
        for (op, below) in &self.branches {
            mark(out);
            op.write(out);
            below.write_to(out);
        }
    }

    /// Takes over everything that another stamp of the same message holds.
    pub fn merge(&mut self, other: Self) {
        self.attestations.extend(other.attestations);
        for (op, below) in other.branches {
            self.add(op, below);
        }
    }

    fn add(&mut self, op: Op, below: Self) {
        match self.branches.get_mut(&op) {
            Some(known) => known.merge(below),
            None => {
                self.branches.insert(op, below);
            }
        }
    }

    /// Takes over a stamp of a message on the way, wherever that message occurs; false when it
    /// does not.
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

    /// The same stamp of `message` with only the attestations that are kept; nothing when none is.
    #[must_use]
    pub fn retain(&self, message: &[u8], keep: &dyn Fn(&Attested) -> bool) -> Option<Self> {
        self.retained(Some(message), keep)
    }

    fn retained(&self, message: Option<&[u8]>, keep: &dyn Fn(&Attested) -> bool) -> Option<Self> {
        let kept = |attestation: &Attestation| {
            let attestation = attestation.clone();
            let attested = Attested { attestation, message: message.map(<[u8]>::to_vec) };
            keep(&attested).then_some(attested.attestation)
        };
        let below = |(op, below): (&Op, &Self)| {
            let next = message.and_then(|message| op.apply(message));
            Some((op.clone(), below.retained(next.as_deref(), keep)?))
        };
        let stamp = Self {
            attestations: self.attestations.iter().filter_map(kept).collect(),
            branches: self.branches.iter().filter_map(below).collect(),
        };
        let empty = stamp.attestations.is_empty() && stamp.branches.is_empty();
        (!empty).then_some(stamp)
    }

    /// Every attestation with the message it stands at, when this is a stamp of `message`.
    #[must_use]
    pub fn evaluate(&self, message: &[u8]) -> Vec<Attested> {
        let mut all = Vec::new();
        self.evaluate_into(Some(message), &mut all);
        all
    }

    fn evaluate_into(&self, message: Option<&[u8]>, all: &mut Vec<Attested>) {
        let here = |attestation: &Attestation| Attested {
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
