//! Verifier keys of signed notes: a name, a kind of signature and a public key, in one line.

use std::fmt;
use std::str::FromStr;

use data_encoding::{BASE64, HEXLOWER};

use super::encoding::decode_base64;
use crate::digest::Hasher;
use crate::{ProofError, PublicKey};

/// The supported kinds of note signatures, with their byte in the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum SignatureType {
    /// Ed25519 over the note's text: how a log signs its checkpoints.
    Ed25519 = 0x01,
    /// A witness's Ed25519 cosignature, with a timestamp.
    Cosignature = 0x04,
}

impl SignatureType {
    fn from_byte(byte: u8) -> Option<Self> {
        [Self::Ed25519, Self::Cosignature].into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// A key that a reader of notes trusts. Written as `name+hex key id+base64(type, key)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifierKey {
    name: String,
    kind: SignatureType,
    key: PublicKey,
    id: u32,
}

impl VerifierKey {
    /// Fails if the name is not allowed in a note.
    pub fn new(name: &str, kind: SignatureType, key: PublicKey) -> Result<Self, ProofError> {
        if !is_name(name) {
            return Err(refused("its name is empty or has a space, a plus or a control character"));
        }
        Ok(Self { name: name.to_owned(), kind, id: key_id(name, kind, &key), key })
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[must_use]
    pub fn kind(&self) -> SignatureType {
        self.kind
    }

    #[must_use]
    pub fn public(&self) -> &PublicKey {
        &self.key
    }

    /// The short number by which a signature line refers to the key. It is a hint, not a proof.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.id
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut material = vec![self.kind as u8];
        material.extend_from_slice(self.key.as_bytes());
        write!(f, "{}+{:08x}+{}", self.name, self.id, BASE64.encode(&material))
    }
}

impl FromStr for VerifierKey {
    type Err = ProofError;

    /// Fails on an unsupported signature type, on a key that [`PublicKey`] does not accept, and on
    /// a key id that does not match the name and the key.
    fn from_str(text: &str) -> Result<Self, ProofError> {
        // A name has no plus, but the base64 may.
        let mut parts = text.splitn(3, '+');
        let mut part = || parts.next().ok_or_else(|| refused("it does not have three parts"));
        let (name, id, material) = (part()?, part()?, part()?);
        let id: Option<[u8; 4]> =
            HEXLOWER.decode(id.as_bytes()).ok().and_then(|id| id.try_into().ok());
        let id = id.ok_or_else(|| refused("its id is not eight lower-case hex digits"))?;
        let material = decode_base64(material).ok_or_else(|| refused("its key is not base64"))?;
        let Some((kind, key)) = material.split_first() else {
            return Err(refused("its key is empty"));
        };
        let kind = SignatureType::from_byte(*kind)
            .ok_or_else(|| refused("its type is neither Ed25519 nor an Ed25519 cosignature"))?;
        let key = key.try_into().map_err(|_| refused("its key is not 32 bytes long"))?;
        let read = Self::new(name, kind, PublicKey::from_bytes(key)?)?;
        if read.id != u32::from_be_bytes(id) {
            return Err(refused("its id does not match its name and key"));
        }
        Ok(read)
    }
}

/// SHA-256 over the name, a line feed, the type and the key; the first four bytes.
fn key_id(name: &str, kind: SignatureType, key: &PublicKey) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(name.as_bytes());
    hasher.update(&[b'\n', kind as u8]);
    hasher.update(key.as_bytes());
    hasher.finish().0.first_chunk().map_or(0, |id| u32::from_be_bytes(*id))
}

/// Whether this name is allowed in a signature line.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.chars().any(|c| c.is_whitespace() || c == '+' || c.is_ascii_control())
}

fn refused(why: &'static str) -> ProofError {
    ProofError::Malformed { what: "verifier key", why }
}

#[cfg(test)]
mod tests {
    use contract::Timestamp;
    use proptest::prelude::*;

    use super::*;
    use crate::{KeyPurpose, SigningKey};

    fn public(seed: u8) -> PublicKey {
        let from = Timestamp::from_millis(0);
        let key = SigningKey::from_seed(&[seed; 32], KeyPurpose::LogHeads, from);
        key.unwrap().public().clone()
    }

    #[test]
    fn the_text_carries_the_key_and_its_kind() {
        for kind in [SignatureType::Ed25519, SignatureType::Cosignature] {
            let key = VerifierKey::new("log.example/one", kind, public(1)).unwrap();
            assert_eq!(key.to_string().parse(), Ok(key.clone()));
            assert!(key.to_string().starts_with(&format!("log.example/one+{:08x}+", key.id())));
        }
        // The id depends on all three.
        let id = |name, kind, seed| VerifierKey::new(name, kind, public(seed)).unwrap().id();
        let ids = [
            id("a", SignatureType::Ed25519, 1),
            id("b", SignatureType::Ed25519, 1),
            id("a", SignatureType::Cosignature, 1),
            id("a", SignatureType::Ed25519, 2),
        ];
        assert!(ids.iter().enumerate().all(|(n, id)| !ids[..n].contains(id)), "{ids:?}");
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let key = VerifierKey::new("log.example", SignatureType::Ed25519, public(1)).unwrap();
        let good = key.to_string();
        let [name, id, material] = *good.splitn(3, '+').collect::<Vec<_>>() else { panic!() };
        let of = |bytes: &[u8]| BASE64.encode(bytes);
        let other_type = of(&[&[2][..], key.public().as_bytes()].concat());
        let long = of(&[&[1][..], key.public().as_bytes(), &[0]].concat());
        let small_order = of(&[&[1][..], &[0; 32]].concat());
        for bad in [
            String::new(),
            format!("{name}+{id}"),
            format!("+{id}+{material}"),
            format!("{name} +{id}+{material}"),
            format!("{name}\u{a0}+{id}+{material}"),
            format!("{name}+{}+{material}", id.to_uppercase()),
            format!("{name}+0{id}+{material}"),
            format!("{name}+00000000+{material}"),
            format!("other.example+{id}+{material}"),
            format!("{name}+{id}+{}", material.trim_end_matches('=')),
            // Two padded texts that decode to the same bytes.
            format!("{name}+{id}+{}{}", of(&[1]), of(key.public().as_bytes())),
            format!("{name}+{id}+{other_type}"),
            format!("{name}+{id}+{long}"),
            format!("{name}+{id}+{small_order}"),
            format!("{name}+{id}+"),
            format!("{good}\n"),
        ] {
            // A key id may be all digits, and then has no upper case.
            assert!(bad == good || bad.parse::<VerifierKey>().is_err(), "{bad}");
        }
        for name in ["", "a b", "a+b", "a\nb", "a\u{2003}b", "a\u{1}"] {
            assert!(VerifierKey::new(name, SignatureType::Ed25519, public(1)).is_err(), "{name:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".*", name in "[a-z./]{1,20}", id in "[0-9a-f]{8}") {
            let _ = text.parse::<VerifierKey>();
            let _ = format!("{name}+{id}+{text}").parse::<VerifierKey>();
        }
    }
}
