//! `.ots` files: a stamp together with the digest it is of.

use super::bytes::{Reader, write_number};
use super::{MAX_STAMP, OtsError, Stamp};
use crate::Digest;

/// What such files are served as.
pub const MEDIA_TYPE: &str = "application/vnd.opentimestamps.ots";

/// A detached timestamp of something whose SHA-256 is `digest`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtsFile {
    pub digest: Digest,
    pub stamp: Stamp,
}

const MAGIC: &[u8] = b"\x00OpenTimestamps\x00\x00Proof\x00\xbf\x89\xe2\xe8\x84\xe8\x92\x94";
const VERSION: u64 = 1;
const SHA256: u8 = 0x08;

impl OtsFile {
    pub fn read(bytes: &[u8]) -> Result<Self, OtsError> {
        let mut reader = Reader::new(bytes);
        let head = |found: bool| if found { Ok(()) } else { Err(OtsError::NotAFile) };
        head(reader.take(MAGIC.len()).is_ok_and(|magic| magic == MAGIC))?;
        head(reader.number() == Ok(VERSION))?;
        head(reader.byte() == Ok(SHA256))?;
        let digest = Digest(reader.array()?);
        let stamp = Stamp::read_from(&mut reader, digest.0.len())?;
        reader.end()?;
        if bytes.len() > MAX_STAMP {
            return Err(OtsError::TooLarge);
        }
        Ok(Self { digest, stamp })
    }

    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        write_number(&mut out, VERSION);
        out.push(SHA256);
        out.extend_from_slice(&self.digest.0);
        out.extend_from_slice(&self.stamp.write());
        out
    }
}
