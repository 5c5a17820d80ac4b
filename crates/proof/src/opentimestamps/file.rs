//! `.ots` files: a stamp together with the digest it belongs to.

use super::bytes::{ByteReader, write_number};
use super::error::OtsError;
use super::limits::MAX_STAMP_BYTES;
use super::stamp::Stamp;
use crate::Digest;

/// The media type of `.ots` files.
pub const MEDIA_TYPE: &str = "application/vnd.opentimestamps.ots";

/// A detached timestamp of data whose SHA-256 is `digest`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtsFile {
    pub digest: Digest,
    pub stamp: Stamp,
}

const MAGIC: &[u8] = b"\x00OpenTimestamps\x00\x00Proof\x00\xbf\x89\xe2\xe8\x84\xe8\x92\x94";
const VERSION: u64 = 1;
const SHA256: u8 = 0x08;

impl OtsFile {
    pub fn parse(bytes: &[u8]) -> Result<Self, OtsError> {
        let mut reader = ByteReader::new(bytes);
        let head = |found: bool| if found { Ok(()) } else { Err(OtsError::NotAFile) };
        head(reader.take(MAGIC.len()).is_ok_and(|magic| magic == MAGIC))?;
        head(reader.number() == Ok(VERSION))?;
        head(reader.byte() == Ok(SHA256))?;
        let digest = Digest(reader.array()?);
        let stamp = Stamp::read_from(&mut reader, digest.0.len())?;
        reader.expect_end()?;
        if bytes.len() > MAX_STAMP_BYTES {
            return Err(OtsError::TooLarge);
        }
        Ok(Self { digest, stamp })
    }

    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        write_number(&mut out, VERSION);
        out.push(SHA256);
        out.extend_from_slice(&self.digest.0);
        out.extend_from_slice(&self.stamp.to_bytes());
        out
    }
}
