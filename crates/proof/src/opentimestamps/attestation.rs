//! Attestations: the leaves of a stamp.

use std::cmp::Ordering;

use super::bytes::{ByteReader, write_length_prefixed, write_number};
use super::error::OtsError;

/// A claim about the message at its leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attestation {
    /// The message is the merkle root of the Bitcoin block at this height.
    Bitcoin(u64),
    /// The same of Litecoin.
    Litecoin(u64),
    /// The calendar at this address promised to include the message in a block.
    Pending(String),
    /// An unknown kind of attestation, kept unchanged.
    Unknown { tag: [u8; 8], payload: Vec<u8> },
}

const BITCOIN: [u8; 8] = [0x05, 0x88, 0x96, 0x0d, 0x73, 0xd7, 0x19, 0x01];
const LITECOIN: [u8; 8] = [0x06, 0x86, 0x9a, 0x0d, 0x73, 0xd7, 0x1b, 0x45];
const PENDING: [u8; 8] = [0x83, 0xdf, 0xe3, 0x0d, 0x2e, 0xf9, 0x0c, 0x8e];

const MAX_PAYLOAD: usize = 8192;
const MAX_URI: usize = 1000;

impl Attestation {
    /// A promise by this calendar. Fails if a stamp cannot contain its address.
    pub fn pending(uri: &str) -> Result<Self, OtsError> {
        let good = |b: u8| b.is_ascii_alphanumeric() || b"-._/:".contains(&b);
        if uri.len() <= MAX_URI && uri.bytes().all(good) {
            Ok(Self::Pending(uri.to_owned()))
        } else {
            Err(OtsError::BadUri)
        }
    }

    fn tag(&self) -> [u8; 8] {
        match self {
            Self::Bitcoin(_) => BITCOIN,
            Self::Litecoin(_) => LITECOIN,
            Self::Pending(_) => PENDING,
            Self::Unknown { tag, .. } => *tag,
        }
    }

    pub(super) fn read(reader: &mut ByteReader<'_>) -> Result<Self, OtsError> {
        let tag: [u8; 8] = reader.array()?;
        let payload = reader.length_prefixed(MAX_PAYLOAD)?;
        let mut inside = ByteReader::new(payload);
        let read = match tag {
            BITCOIN => Self::Bitcoin(inside.number()?),
            LITECOIN => Self::Litecoin(inside.number()?),
            PENDING => {
                let uri = inside.length_prefixed(MAX_URI)?;
                Self::pending(std::str::from_utf8(uri).map_err(|_| OtsError::BadUri)?)?
            }
            _ => return Ok(Self::Unknown { tag, payload: payload.to_vec() }),
        };
        inside.expect_end().map_err(|_| OtsError::BadAttestation)?;
        Ok(read)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let mut payload = Vec::new();
        match self {
            Self::Bitcoin(height) | Self::Litecoin(height) => write_number(&mut payload, *height),
            Self::Pending(uri) => write_length_prefixed(&mut payload, uri.as_bytes()),
            Self::Unknown { payload: kept, .. } => payload.extend_from_slice(kept),
        }
        out.extend_from_slice(&self.tag());
        write_length_prefixed(out, &payload);
    }

    fn value(&self) -> (u64, &[u8]) {
        match self {
            Self::Bitcoin(height) | Self::Litecoin(height) => (*height, &[]),
            Self::Pending(uri) => (0, uri.as_bytes()),
            Self::Unknown { payload, .. } => (0, payload),
        }
    }
}

/// By tag, then by value: the order in which they are written.
impl Ord for Attestation {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.tag(), self.value()).cmp(&(other.tag(), other.value()))
    }
}

impl PartialOrd for Attestation {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(attestation: &Attestation) -> Result<Attestation, OtsError> {
        let mut out = Vec::new();
        attestation.write(&mut out);
        let mut reader = ByteReader::new(&out);
        let read = Attestation::read(&mut reader)?;
        reader.expect_end()?;
        Ok(read)
    }

    #[test]
    fn each_kind_survives_writing_and_reading() {
        for attestation in [
            Attestation::Bitcoin(923_118),
            Attestation::Litecoin(1),
            Attestation::pending("https://calendar.example/a-b_c").unwrap(),
            Attestation::Unknown { tag: [9; 8], payload: vec![1, 2, 3] },
        ] {
            assert_eq!(through(&attestation), Ok(attestation.clone()));
        }
    }

    #[test]
    fn what_is_not_of_its_form_is_refused() {
        for uri in ["https://a.example/?q", "https://u@a.example", "a b", "ä", &"a".repeat(1001)] {
            assert_eq!(Attestation::pending(uri), Err(OtsError::BadUri), "{uri}");
        }
        let mut long = BITCOIN.to_vec();
        write_length_prefixed(&mut long, &[1, 2]);
        let read = Attestation::read(&mut ByteReader::new(&long));
        assert_eq!(read, Err(OtsError::BadAttestation), "more than a height");
        let mut cut = PENDING.to_vec();
        write_length_prefixed(&mut cut, &[5, b'a']);
        assert_eq!(Attestation::read(&mut ByteReader::new(&cut)), Err(OtsError::UnexpectedEnd));
    }
}
