//! The witness protocol (C2SP tlog-witness) without I/O: the log's request, the witness's decision,
//! and how the log reads the response.
//!
//! A witness must store the new state before it responds, and must not decide two requests for one
//! log at the same time. [`decide_cosignature`] is a pure function, so the caller has to ensure
//! both.

use std::fmt;

use super::checkpoint::Checkpoint;
use super::encoding::{parse_base64_digest, parse_decimal, to_base64};
use super::note::{MAX_NOTE_BYTES, Note};
use super::note_signature::NoteSignature;
use super::verifier_key::{SignatureType, VerifierKey};
use crate::ProofError;
use crate::digest::{Digest, sha256};
use crate::merkle_tree::verify_consistency;

/// The most hashes in a request.
pub const MAX_PROOF_HASHES: usize = 63;

/// The longest request that is accepted: the old size, the hashes, an empty line, the note.
pub const MAX_REQUEST_BYTES: usize = MAX_NOTE_BYTES + 64 * 46;

/// The media type of the response to a request with a wrong old size.
pub const SIZE_MEDIA_TYPE: &str = "text/x.tlog.size";

/// A log's request to a witness: cosign this checkpoint, given that the tree grew from `old_size`
/// leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WitnessRequest {
    pub old_size: u64,
    pub proof: Vec<Digest>,
    note: Note,
    checkpoint: Checkpoint,
}

/// The latest tree of a log that the witness cosigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WitnessState {
    pub size: u64,
    pub root: Digest,
}

impl WitnessState {
    /// The state for a log that was never cosigned: the empty tree.
    #[must_use]
    pub fn empty() -> Self {
        Self { size: 0, root: sha256(b"") }
    }
}

/// A log that the witness is configured for.
#[derive(Debug, Clone)]
pub struct KnownLog {
    pub origin: String,
    /// A signature by any of these is enough.
    pub keys: Vec<VerifierKey>,
    pub state: WitnessState,
}

/// What the witness has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WitnessDecision {
    /// Store this state, then cosign.
    Cosign(WitnessState),
    /// The request does not start from the last cosigned size, which is `size`, or states another
    /// root for that size.
    Conflict {
        size: u64,
    },
    UnknownOrigin,
    BadSignature,
    BadProof,
    BadRequest,
}

impl WitnessDecision {
    /// The HTTP status of the response.
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

/// Decides on a request. `log` is the log of the request's origin, if it is known. The checks are
/// in the order of the specification.
#[must_use]
pub fn decide_cosignature(request: &WitnessRequest, log: Option<&KnownLog>) -> WitnessDecision {
    let checkpoint = &request.checkpoint;
    let Some(log) = log.filter(|log| log.origin == checkpoint.origin()) else {
        return WitnessDecision::UnknownOrigin;
    };
    if request.note.verify(&log.keys).is_err() {
        return WitnessDecision::BadSignature;
    }
    let known = log.state;
    let new = WitnessState { size: checkpoint.size(), root: checkpoint.root() };
    if request.old_size > new.size {
        return WitnessDecision::BadRequest;
    }
    if request.old_size != known.size || (new.size == known.size && new.root != known.root) {
        return WitnessDecision::Conflict { size: known.size };
    }
    let consistent = if known.size == 0 {
        // Every tree extends the empty one: there is nothing to prove.
        request.proof.is_empty()
    } else {
        verify_consistency(known.size, new.size, &known.root, &new.root, &request.proof)
    };
    if consistent { WitnessDecision::Cosign(new) } else { WitnessDecision::BadProof }
}

impl WitnessRequest {
    /// Fails if the note is not a checkpoint, the old size is larger than the checkpoint's, or the
    /// proof is too long.
    pub fn new(old: u64, proof: Vec<Digest>, note: Note) -> Result<Self, ProofError> {
        let checkpoint = Checkpoint::parse(note.text())?;
        if old > checkpoint.size() {
            return Err(refused("the old size is larger than the new one"));
        }
        if proof.len() > MAX_PROOF_HASHES {
            return Err(refused("its proof is too long"));
        }
        Ok(Self { old_size: old, proof, note, checkpoint })
    }

    /// Parses a request. Every error is a bad request (400). An old size larger than the
    /// checkpoint's is no error here, because a witness must check origin and signature first.
    pub fn parse(bytes: &[u8]) -> Result<Self, ProofError> {
        if bytes.len() > MAX_REQUEST_BYTES {
            return Err(refused("it is too long"));
        }
        let text = str::from_utf8(bytes).map_err(|_| refused("it is not UTF-8"))?;
        let (head, note) =
            text.split_once("\n\n").ok_or_else(|| refused("no empty line follows its proof"))?;
        let mut lines = head.split('\n');
        let old = lines.next().and_then(|line| line.strip_prefix("old ")).and_then(parse_decimal);
        let old = old.ok_or_else(|| refused("it does not begin with the old size"))?;
        let mut proof = Vec::new();
        for line in lines {
            if proof.len() == MAX_PROOF_HASHES {
                return Err(refused("its proof is too long"));
            }
            let hash = parse_base64_digest(line);
            proof.push(hash.ok_or_else(|| refused("a line of its proof is not a hash"))?);
        }
        let note = Note::parse(note.as_bytes())?;
        let checkpoint = Checkpoint::parse(note.text())?;
        Ok(Self { old_size: old, proof, note, checkpoint })
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

impl fmt::Display for WitnessRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "old {}", self.old_size)?;
        for hash in &self.proof {
            writeln!(f, "{}", to_base64(hash))?;
        }
        write!(f, "\n{}", self.note)
    }
}

/// The cosignatures of this note by known witnesses in a witness's response, each with its time in
/// Unix seconds. Lines of other keys are ignored. Fails if the response contains anything but
/// signature lines, or an invalid signature of a known witness.
pub fn parse_cosignatures(
    note: &Note,
    answer: &[u8],
    witnesses: &[VerifierKey],
) -> Result<Vec<(NoteSignature, u64)>, ProofError> {
    // As the specification says: checkpoint text and response together are a note again.
    let whole = [note.text().as_bytes(), b"\n", answer].concat();
    let cosigned = Note::parse(&whole)?;
    if cosigned.text() != note.text() {
        let why = "it contains something other than signature lines";
        return Err(ProofError::Malformed { what: "witness response", why });
    }
    let verified = cosigned.verify(witnesses).map_err(|fault| {
        ProofError::Document(format!("the witness's response is invalid: {fault}"))
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

/// The size in the response to a request with a wrong old size.
#[must_use]
pub fn parse_size(answer: &[u8]) -> Option<u64> {
    parse_decimal(str::from_utf8(answer).ok()?.strip_suffix('\n')?)
}

fn refused(why: &'static str) -> ProofError {
    ProofError::Malformed { what: "witness request", why }
}

#[cfg(test)]
#[path = "witness_tests.rs"]
mod tests;
