//! SHA-256 digests: computing, formatting and parsing them.

use std::fmt;
use std::str::FromStr;

use aws_lc_rs::digest as lc;
use data_encoding::HEXLOWER;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::ProofError;

/// A SHA-256 digest. On the wire it is 64 lower-case hex digits; no other form is accepted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The same as [`sha256`], for places where a field is already called `sha256`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        sha256(bytes)
    }

    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    #[must_use]
    pub fn to_hex(&self) -> String {
        HEXLOWER.encode(&self.0)
    }
}

/// The digest of all of `bytes`.
#[must_use]
pub fn sha256(bytes: &[u8]) -> Digest {
    from_library_digest(lc::digest(&lc::SHA256, bytes))
}

/// Computes a digest piece by piece.
#[derive(Clone)]
pub struct Hasher(lc::Context);

impl Hasher {
    #[must_use]
    pub fn new() -> Self {
        Self(lc::Context::new(&lc::SHA256))
    }

    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    #[must_use]
    pub fn finish(self) -> Digest {
        from_library_digest(self.0.finish())
    }
}

impl Default for Hasher {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hasher(SHA-256)")
    }
}

fn from_library_digest(digest: lc::Digest) -> Digest {
    let mut bytes = [0; 32];
    // SHA-256 is 32 bytes long, so both sides have the same length.
    for (to, from) in bytes.iter_mut().zip(digest.as_ref()) {
        *to = *from;
    }
    Digest(bytes)
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = ProofError;

    fn from_str(text: &str) -> Result<Self, ProofError> {
        let bytes = HEXLOWER.decode(text.as_bytes()).map_err(|_| ProofError::Digest)?;
        bytes.try_into().map(Self).map_err(|_| ProofError::Digest)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_hex())
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_sha256_in_one_piece_or_many() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc").to_string(), abc);
        let mut pieces = Hasher::new();
        pieces.update(b"a");
        pieces.update(b"");
        pieces.update(b"bc");
        assert_eq!(pieces.finish(), sha256(b"abc"));
        assert_eq!(serde_json::to_string(&sha256(b"abc")).unwrap(), format!("\"{abc}\""));
    }

    #[test]
    fn reads_lower_case_hex_of_the_right_length_only() {
        let good = sha256(b"x");
        assert_eq!(good.to_hex().parse(), Ok(good));
        assert_eq!(serde_json::from_str::<Digest>(&format!("\"{good}\"")).unwrap(), good);
        let hex = good.to_hex();
        for bad in [
            hex.to_uppercase(),
            hex.chars().skip(1).collect(),
            hex.chars().skip(2).collect(),
            format!("{hex}00"),
            format!(" {hex}"),
            String::new(),
            "g".repeat(64),
        ] {
            assert_eq!(bad.parse::<Digest>(), Err(ProofError::Digest), "{bad}");
        }
    }
}
