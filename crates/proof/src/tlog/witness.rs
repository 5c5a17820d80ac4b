//! The witness protocol (C2SP tlog-witness) as values: what a log asks, what a witness decides,
//! and what the log makes of the answer.
//!
//! A witness must keep the new state before it answers, and must not let two requests for one log
//! be decided at once: [`decide`] is a function and cannot see to that.

use std::fmt;

use super::checkpoint::Checkpoint;
use super::note::{MAX_NOTE_BYTES, Note, NoteSignature};
use super::text::{base64_digest, decimal, to_base64};
use super::vkey::{SignatureType, VerifierKey};
use crate::ProofError;
use crate::digest::{Digest, sha256};
use crate::tree::verify_consistency;

/// The most hashes that a request may carry.
pub const MAX_PROOF: usize = 63;

/// The longest request that is read: the old size, the hashes, an empty line, the note.
pub const MAX_REQUEST_BYTES: usize = MAX_NOTE_BYTES + 64 * 46;

/// The media type of the answer to a request that began at another size.
pub const SIZE_MEDIA_TYPE: &str = "text/x.tlog.size";

/// What a log asks of a witness: to cosign a checkpoint, given that the tree grew from `old`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub old: u64,
    pub proof: Vec<Digest>,
    note: Note,
    checkpoint: Checkpoint,
}

/// The latest tree of a log that the witness has cosigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WitnessState {
    pub size: u64,
    pub root: Digest,
}

impl WitnessState {
    /// Of a log that was never cosigned: the empty tree.
    #[must_use]
    pub fn empty() -> Self {
        Self { size: 0, root: sha256(b"") }
    }
}

/// A log that the witness is there for.
#[derive(Debug, Clone)]
pub struct KnownLog {
    pub origin: String,
    /// Any one of these is enough.
    pub keys: Vec<VerifierKey>,
    pub state: WitnessState,
}

/// What the witness does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Keep this state, then cosign.
    Cosign(WitnessState),
    /// The request does not start from what was cosigned last, which has this size; or it states
    /// another root for it.
    Conflict {
        size: u64,
    },
    UnknownOrigin,
    BadSignature,
    BadProof,
    BadRequest,
}

impl Decision {
    /// The HTTP status of the answer.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Self::Cosign(_) => 200,
            Self::BadRequest => 400,
            Self::BadSignature => 403,
            Self::UnknownOrigin => 404,
            Self::Conflict { .. } => 409,
            Self::BadProof => 422,
        }
    }
}

/// What a witness does with a request. `log` is the log of the request's origin, if it is known.
/// The checks stand in the order of the specification.
#[must_use]
pub fn decide(request: &Request, log: Option<&KnownLog>) -> Decision {
    let checkpoint = &request.checkpoint;
    let Some(log) = log.filter(|log| log.origin == checkpoint.origin()) else {
        return Decision::UnknownOrigin;
    };
    if request.note.verify(&log.keys).is_err() {
        return Decision::BadSignature;
    }
    let known = log.state;
    let new = WitnessState { size: checkpoint.size(), root: checkpoint.root() };
    if request.old > new.size {
        return Decision::BadRequest;
    }
    if request.old != known.size || (new.size == known.size && new.root != known.root) {
        return Decision::Conflict { size: known.size };
    }
    let consistent = if known.size == 0 {
        // Every tree begins with the empty one: there is nothing to prove.
        request.proof.is_empty()
    } else {
        verify_consistency(known.size, new.size, &known.root, &new.root, &request.proof)
    };
    if consistent { Decision::Cosign(new) } else { Decision::BadProof }
}

impl Request {
    /// Refused: a note that is no checkpoint, an old size above it, and too long a proof.
    pub fn new(old: u64, proof: Vec<Digest>, note: Note) -> Result<Self, ProofError> {
        let checkpoint = Checkpoint::parse(note.text())?;
        if old > checkpoint.size() {
            return Err(refused("the old size is above the new one"));
        }
        if proof.len() > MAX_PROOF {
            return Err(refused("its proof is too long"));
        }
        Ok(Self { old, proof, note, checkpoint })
    }

    /// Reads a request. Everything refused here is a bad request (400); an old size above the
    /// checkpoint's is read, since a witness has to look at the origin and the signature first.
    pub fn parse(bytes: &[u8]) -> Result<Self, ProofError> {
        if bytes.len() > MAX_REQUEST_BYTES {
            return Err(refused("it is too long"));
        }
        let text = str::from_utf8(bytes).map_err(|_| refused("it is not UTF-8"))?;
        let (head, note) =
            text.split_once("\n\n").ok_or_else(|| refused("no empty line ends its proof"))?;
        let mut lines = head.split('\n');
        let old = lines.next().and_then(|line| line.strip_prefix("old ")).and_then(decimal);
        let old = old.ok_or_else(|| refused("it does not begin with the old size"))?;
        let mut proof = Vec::new();
        for line in lines {
            if proof.len() == MAX_PROOF {
                return Err(refused("its proof is too long"));
            }
            let hash = base64_digest(line);
            proof.push(hash.ok_or_else(|| refused("a line of its proof is no hash"))?);
        }
        let note = Note::parse(note.as_bytes())?;
        let checkpoint = Checkpoint::parse(note.text())?;
        Ok(Self { old, proof, note, checkpoint })
    }

    #[must_use]
    pub fn note(&self) -> &Note {
        &self.note
    }

    #[must_use]
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "old {}", self.old)?;
        for hash in &self.proof {
            writeln!(f, "{}", to_base64(hash))?;
        }
        write!(f, "\n{}", self.note)
    }
}

/// The cosignatures in a witness's answer that are by known witnesses over this note, with the
/// time each names in seconds. Lines of other keys are passed over. Refused: an answer that is
/// not made of signature lines, and one with a bad signature of a known witness.
pub fn read_answer(
    note: &Note,
    answer: &[u8],
    witnesses: &[VerifierKey],
) -> Result<Vec<(NoteSignature, u64)>, ProofError> {
    // The specification's own way: the answer put behind the checkpoint is a note again.
    let whole = [note.text().as_bytes(), b"\n", answer].concat();
    let cosigned = Note::parse(&whole)?;
    if cosigned.text() != note.text() {
        return Err(refused("its answer is not made of signature lines"));
    }
    let verified = cosigned.verify(witnesses).map_err(|fault| {
        ProofError::Document(format!("the witness's answer is not to be used: {fault}"))
    })?;
    let line = |name: &str, id: u32| {
        cosigned.signatures().iter().find(|line| line.name() == name && line.id() == id).cloned()
    };
    Ok(verified
        .into_iter()
        .filter(|by| by.key.kind() == SignatureType::Cosignature)
        .filter_map(|by| Some((line(by.key.name(), by.key.id())?, by.cosigned_at?)))
        .collect())
}

/// The size in the answer to a request that began at another one.
#[must_use]
pub fn read_size(answer: &[u8]) -> Option<u64> {
    decimal(str::from_utf8(answer).ok()?.strip_suffix('\n')?)
}

fn refused(why: &'static str) -> ProofError {
    ProofError::Form { what: "request to a witness", why }
}

#[cfg(test)]
#[path = "witness_tests.rs"]
mod tests;
