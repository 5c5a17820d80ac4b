//! The operations that turn one message into the next.

use aws_lc_rs::digest as lc;
use data_encoding::HEXLOWER;

use super::bytes::{ByteReader, write_length_prefixed};
use super::error::OtsError;
use super::limits::MAX_MESSAGE;
use crate::sha256;

/// One operation. The variants are ordered by tag, which is the order in which they are written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    Sha1,
    Ripemd160,
    Sha256,
    Keccak256,
    Append(Vec<u8>),
    Prepend(Vec<u8>),
    Reverse,
    Hexlify,
}

impl Op {
    fn tag(&self) -> u8 {
        match self {
            Self::Sha1 => 0x02,
            Self::Ripemd160 => 0x03,
            Self::Sha256 => 0x08,
            Self::Keccak256 => 0x67,
            Self::Append(_) => 0xf0,
            Self::Prepend(_) => 0xf1,
            Self::Reverse => 0xf2,
            Self::Hexlify => 0xf3,
        }
    }

    pub(super) fn read(tag: u8, reader: &mut ByteReader<'_>) -> Result<Self, OtsError> {
        let argument = |reader: &mut ByteReader<'_>| match reader.length_prefixed(MAX_MESSAGE)? {
            [] => Err(OtsError::BadMessageLength),
            bytes => Ok(bytes.to_vec()),
        };
        Ok(match tag {
            0x02 => Self::Sha1,
            0x03 => Self::Ripemd160,
            0x08 => Self::Sha256,
            0x67 => Self::Keccak256,
            0xf0 => Self::Append(argument(reader)?),
            0xf1 => Self::Prepend(argument(reader)?),
            0xf2 => Self::Reverse,
            0xf3 => Self::Hexlify,
            _ => return Err(OtsError::UnknownOp),
        })
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.push(self.tag());
        if let Self::Append(bytes) | Self::Prepend(bytes) = self {
            write_length_prefixed(out, bytes);
        }
    }

    /// The length of the resulting message, without computing the message.
    pub(super) fn length_after(&self, length: usize) -> Result<usize, OtsError> {
        let after = match self {
            Self::Sha1 | Self::Ripemd160 => 20,
            Self::Sha256 | Self::Keccak256 => 32,
            Self::Append(bytes) | Self::Prepend(bytes) => length.saturating_add(bytes.len()),
            Self::Reverse => length,
            Self::Hexlify => length.saturating_mul(2),
        };
        if (1..=MAX_MESSAGE).contains(&after) { Ok(after) } else { Err(OtsError::BadMessageLength) }
    }

    /// The resulting message; `None` for an operation that this module can parse but not compute.
    #[must_use]
    pub fn apply(&self, message: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Sha1 => {
                Some(lc::digest(&lc::SHA1_FOR_LEGACY_USE_ONLY, message).as_ref().to_vec())
            }
            Self::Sha256 => Some(sha256(message).0.to_vec()),
            Self::Append(bytes) => Some([message, bytes].concat()),
            Self::Prepend(bytes) => Some([bytes, message].concat()),
            Self::Reverse => Some(message.iter().rev().copied().collect()),
            Self::Hexlify => Some(HEXLOWER.encode(message).into_bytes()),
            Self::Ripemd160 | Self::Keccak256 => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_does_what_it_is_named_for() {
        let done = |op: Op| op.apply(b"abc").unwrap();
        assert_eq!(done(Op::Append(b"de".to_vec())), b"abcde");
        assert_eq!(done(Op::Prepend(b"de".to_vec())), b"deabc");
        assert_eq!(done(Op::Reverse), b"cba");
        assert_eq!(done(Op::Hexlify), b"616263");
        assert_eq!(done(Op::Sha256), sha256(b"abc").0);
        let sha1 = "a9993e364706816aba3e25717850c26c9cd0d89d";
        assert_eq!(HEXLOWER.encode(&done(Op::Sha1)), sha1);
        assert_eq!(Op::Ripemd160.apply(b"abc"), None);
        assert_eq!(Op::Keccak256.apply(b"abc"), None);
    }

    #[test]
    fn lengths_are_foretold() {
        for op in [
            Op::Sha1,
            Op::Sha256,
            Op::Append(vec![0; 7]),
            Op::Prepend(vec![0; 9]),
            Op::Reverse,
            Op::Hexlify,
        ] {
            for length in [1, 32, 100] {
                let after = op.apply(&vec![0; length]).unwrap().len();
                assert_eq!(op.length_after(length), Ok(after), "{op:?}");
            }
        }
        assert_eq!(Op::Hexlify.length_after(2049), Err(OtsError::BadMessageLength));
        assert_eq!(Op::Hexlify.length_after(2048), Ok(4096));
        assert_eq!(Op::Reverse.length_after(0), Err(OtsError::BadMessageLength));
    }
}
