//! The signature lines of C2SP signed notes.

use std::fmt;

use data_encoding::BASE64;

use super::encoding::decode_base64;
use super::verifier_key::{VerifierKey, is_name};
use crate::ProofError;

const SIGNATURE_LINE_PREFIX: &str = "\u{2014} ";

/// One signature line of a note: name and id of the key, and the signature bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteSignature {
    name: String,
    id: u32,
    bytes: Vec<u8>,
}

impl NoteSignature {
    pub(super) fn new(key: &VerifierKey, bytes: Vec<u8>) -> Self {
        Self { name: key.name().to_owned(), id: key.id(), bytes }
    }

    /// Parses a line without its line feed.
    pub fn parse(line: &str) -> Result<Self, ProofError> {
        let rest = line.strip_prefix(SIGNATURE_LINE_PREFIX);
        let rest = rest.ok_or_else(|| note_error("a signature line does not begin with a dash"))?;
        let (name, bytes) =
            rest.split_once(' ').ok_or_else(|| note_error("a signature has no name"))?;
        if !is_name(name) {
            return Err(note_error("the key name of a signature is invalid"));
        }
        let bytes = decode_base64(bytes).ok_or_else(|| note_error("a signature is not base64"))?;
        match bytes.split_first_chunk() {
            Some((id, bytes)) if !bytes.is_empty() => Ok(Self {
                name: name.to_owned(),
                id: u32::from_be_bytes(*id),
                bytes: bytes.to_vec(),
            }),
            _ => Err(note_error("a signature is too short")),
        }
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[must_use]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The signature bytes after the key id.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether the line names this key.
    pub(super) fn claims_key(&self, key: &VerifierKey) -> bool {
        self.id == key.id() && self.name == key.name()
    }
}

/// The whole line, including its line feed.
impl fmt::Display for NoteSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = self.id.to_be_bytes().to_vec();
        bytes.extend_from_slice(&self.bytes);
        writeln!(f, "{SIGNATURE_LINE_PREFIX}{} {}", self.name, BASE64.encode(&bytes))
    }
}

pub(super) fn note_error(why: &'static str) -> ProofError {
    ProofError::Malformed { what: "signed note", why }
}
