//! The entry that must be the next one in the log, stored with the keys: a log that was restored records
//! that before anything else. It is written before the log may be extended and removed once it is sealed,
//! so that a crash in between cannot leave it out.

use std::fs::File;
use std::io;
use std::path::Path;

use super::private_dir::PrivateDir;
use crate::{ProofError, sha256};

/// The file's name in the key directory.
pub const NEXT_ENTRY_FILE_NAME: &str = "log-next-entry";
const TITLE: &str = "wayleave-log-next-entry-1";

/// Stores the content of the entry; it is on the disk when this returns.
pub fn write_next_entry(directory: &Path, content: &[u8]) -> Result<(), ProofError> {
    let mut bytes = format!("{TITLE} {}\n", sha256(content)).into_bytes();
    bytes.extend_from_slice(content);
    PrivateDir::open(directory)?.write(NEXT_ENTRY_FILE_NAME, &bytes)
}

/// The content of the entry; `None` if there is none. A damaged file must not count as none.
pub fn read_next_entry(directory: &Path) -> Result<Option<Vec<u8>>, ProofError> {
    let path = directory.join(NEXT_ENTRY_FILE_NAME);
    if !path.exists() {
        return Ok(None);
    }
    let bytes = PrivateDir::open(directory)?.read(NEXT_ENTRY_FILE_NAME)?;
    let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
    match (parts.next(), parts.next()) {
        (Some(title), Some(content))
            if title == format!("{TITLE} {}", sha256(content)).as_bytes() =>
        {
            Ok(Some(content.to_vec()))
        }
        _ => Err(ProofError::KeyStore { path, why: "it is damaged".to_owned() }),
    }
}

/// Removes the entry once it is in the log.
pub fn remove_next_entry(directory: &Path) -> Result<(), ProofError> {
    let path = directory.join(NEXT_ENTRY_FILE_NAME);
    let removed = std::fs::remove_file(&path).and_then(|()| File::open(directory)?.sync_all());
    let failed = |error: io::Error| ProofError::KeyStore { path, why: error.to_string() };
    removed.map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back_until_it_is_removed_and_a_changed_one_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let keys = dir.path().join("keys");
        assert_eq!(read_next_entry(&keys).unwrap(), None);
        let content = b"{\"a\":\"two\nlines\"}";
        write_next_entry(&keys, content).unwrap();
        for _ in 0..2 {
            assert_eq!(read_next_entry(&keys).unwrap().unwrap(), content);
        }
        let path = keys.join(NEXT_ENTRY_FILE_NAME);
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 1;
            std::fs::write(&path, &flipped).unwrap();
            assert!(read_next_entry(&keys).is_err(), "{at}");
            std::fs::write(&path, &whole[..at]).unwrap();
            assert!(read_next_entry(&keys).is_err(), "{at}");
        }
        remove_next_entry(&keys).unwrap();
        assert_eq!(read_next_entry(&keys).unwrap(), None);
    }
}
