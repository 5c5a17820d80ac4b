//! The high-water mark of the log: the last head that was acknowledged. It is stored with the keys,
//! apart from the log itself.
//!
//! A log restored from an old copy looks complete. If it were extended, a second head would be
//! signed for a batch number that was signed before. A log that ends before the mark was rolled
//! back, so nothing more is signed. The mark is stored with the keys because it records what they
//! signed.
//!
//! The file has two slots that are written alternately and synced, so that an interrupted write
//! leaves the other slot intact. Both are allocated when the file is created, so that moving the
//! mark needs no free space.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::log_place::LogPlace;
use crate::{Digest, ProofError, sha256};

/// The file's name in the key directory.
pub const MARK_FILE_NAME: &str = "log-mark";
const SLOT_BYTES: usize = 256;
const PADDING: u8 = b' ';
const SLOT_TITLE: &str = "wayleave-log-mark-1";

/// The end of a log when its last head was acknowledged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPosition {
    pub log_id: String,
    pub tree_size: u64,
    /// Batch number and digest of the last head; `None` for a log without batches.
    pub head: Option<(u64, Digest)>,
}

/// The open file. One process at a time uses it, because one process at a time extends the log.
#[derive(Debug)]
pub struct LogMark {
    path: PathBuf,
    file: File,
    /// The slot that holds the newest mark.
    slot: u64,
    /// Where the mark was when the log was last opened, and where it is now.
    place_before: Option<LogPlace>,
    place_now: LogPlace,
}

impl LogMark {
    /// Opens the mark in the key directory and returns its position: `None` for a new file, an
    /// error if neither slot is valid, because a damaged mark must not count as no mark.
    pub fn open(directory: &Path) -> Result<(Self, Option<LogPosition>), ProofError> {
        let path = directory.join(MARK_FILE_NAME);
        let failed = |error: io::Error| store_error(&path, &error);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(failed)?;
        preallocate(&file, directory).map_err(failed)?;
        let mut newest: Option<(u64, LogPosition)> = None;
        let mut never_written = false;
        for slot in [0, 1] {
            let mut bytes = [0; SLOT_BYTES];
            file.read_exact_at(&mut bytes, slot * SLOT_BYTES as u64).map_err(failed)?;
            never_written |= bytes.iter().all(|byte| matches!(*byte, PADDING | 0));
            let Some(position) = read_slot(&bytes) else { continue };
            let later =
                newest.as_ref().is_none_or(|(_, other)| position.sort_key() > other.sort_key());
            if later {
                newest = Some((slot, position));
            }
        }
        // If a slot is blank, the very first write was interrupted: nothing was acknowledged yet.
        if newest.is_none() && !never_written {
            let why = "neither of its two slots is valid".to_owned();
            return Err(ProofError::KeyStore { path, why });
        }
        let (slot, position) = newest.map_or((1, None), |(slot, position)| (slot, Some(position)));
        let place_before = LogPlace::read(directory)?;
        let place_now = LogPlace::of(&file).map_err(failed)?;
        Ok((Self { path, file, slot, place_before, place_now }, position))
    }

    /// Where the mark was before, if it is another file or on another machine now: this data directory is a
    /// copy, or was moved.
    #[must_use]
    pub fn moved_from(&self) -> Option<&LogPlace> {
        self.place_before.as_ref().filter(|before| !self.place_now.is_same(before))
    }

    #[must_use]
    pub fn place(&self) -> &LogPlace {
        &self.place_now
    }

    /// The key directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// Stores where the mark is, unless that is stored already.
    pub fn record_place(&mut self) -> Result<(), ProofError> {
        if self.place_before.as_ref() == Some(&self.place_now) {
            return Ok(());
        }
        self.place_now.write(self.directory())?;
        self.place_before = Some(self.place_now.clone());
        Ok(())
    }

    /// Overwrites the older slot; the position is on the disk when this returns. The caller may try
    /// again after [`ProofError::NoSpace`], which copy-on-write file systems can return.
    pub fn write(&mut self, position: &LogPosition) -> Result<(), ProofError> {
        let slot = 1 - self.slot;
        let written = self.file.write_all_at(&write_slot(position), slot * SLOT_BYTES as u64);
        written.map_err(|error| store_error(&self.path, &error))?;
        // A failed sync must never be tried again, not even when it failed for lack of space.
        let failed = |error: io::Error| ProofError::KeyStore {
            path: self.path.clone(),
            why: error.to_string(),
        };
        self.file.sync_data().map_err(failed)?;
        self.slot = slot;
        Ok(())
    }
}

impl LogPosition {
    fn sort_key(&self) -> (u64, Option<u64>) {
        (self.tree_size, self.head.map(|(batch, _)| batch))
    }
}

fn write_slot(position: &LogPosition) -> Vec<u8> {
    let head = match &position.head {
        Some((batch, sth_sha256)) => format!("{batch} {sth_sha256}"),
        None => "- -".to_owned(),
    };
    let text = format!("{SLOT_TITLE} {} {} {head}", position.log_id, position.tree_size);
    let mut bytes = format!("{text} {}\n", sha256(text.as_bytes())).into_bytes();
    bytes.resize(SLOT_BYTES, PADDING);
    bytes
}

fn read_slot(bytes: &[u8]) -> Option<LogPosition> {
    let line = std::str::from_utf8(bytes).ok()?.lines().next()?;
    let (text, check) = line.rsplit_once(' ')?;
    if check.parse() != Ok(sha256(text.as_bytes())) {
        return None;
    }
    let mut words = text.split(' ');
    let (title, log_id, size) = (words.next()?, words.next()?, words.next()?);
    let (batch, sth_sha256) = (words.next()?, words.next()?);
    let head = match (batch, sth_sha256) {
        ("-", "-") => None,
        (batch, sth_sha256) => Some((batch.parse().ok()?, sth_sha256.parse().ok()?)),
    };
    let position = LogPosition { log_id: log_id.to_owned(), tree_size: size.parse().ok()?, head };
    (title == SLOT_TITLE && words.next().is_none()).then_some(position)
}

/// Extends a new or incomplete file to its full length.
fn preallocate(file: &File, directory: &Path) -> io::Result<()> {
    let (length, whole) = (file.metadata()?.len(), 2 * SLOT_BYTES as u64);
    let missing = usize::try_from(whole.saturating_sub(length)).unwrap_or_default();
    if missing > 0 {
        file.write_all_at(&vec![PADDING; missing], length)?;
        file.sync_all()?;
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}

fn store_error(path: &Path, error: &io::Error) -> ProofError {
    let path = path.to_owned();
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ProofError::NoSpace { path },
        _ => ProofError::KeyStore { path, why: error.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(batch: u64) -> LogPosition {
        let head = (batch, sha256(&batch.to_be_bytes()));
        LogPosition {
            log_id: "svc-resolve-log-v1".into(),
            tree_size: batch * 3 + 1,
            head: Some(head),
        }
    }

    #[test]
    fn the_last_mark_comes_back_and_a_torn_one_leaves_the_one_before() {
        let dir = tempfile::tempdir().unwrap();
        let begun = LogPosition { log_id: "svc-resolve-log-v1".into(), tree_size: 0, head: None };
        {
            let (mut mark, found) = LogMark::open(dir.path()).unwrap();
            assert_eq!(found, None);
            mark.write(&begun).unwrap();
        }
        assert_eq!(LogMark::open(dir.path()).unwrap().1, Some(begun));
        for batch in 0..5 {
            let (mut mark, _) = LogMark::open(dir.path()).unwrap();
            mark.write(&position(batch)).unwrap();
            assert_eq!(LogMark::open(dir.path()).unwrap().1, Some(position(batch)));
        }
        let path = dir.path().join(MARK_FILE_NAME);
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(whole.len(), 2 * SLOT_BYTES);
        // Batch 4 went over batch 2, in whichever slot that was.
        for at in 0..whole.len() {
            let mut torn = whole.clone();
            torn[at] ^= 0x20;
            std::fs::write(&path, &torn).unwrap();
            let found = LogMark::open(dir.path()).unwrap().1.unwrap();
            assert!(found == position(4) || found == position(3), "{at}: {found:?}");
        }
        std::fs::write(&path, b"nonsense".repeat(64)).unwrap();
        assert!(LogMark::open(dir.path()).is_err());
    }

    #[test]
    fn a_new_file_has_room_for_both_marks_and_a_first_one_that_broke_off_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(MARK_FILE_NAME);
        for begun in [0, 1, 100, SLOT_BYTES, SLOT_BYTES + 9, 2 * SLOT_BYTES] {
            // Zeros: what a file system may leave of a write that broke off.
            for byte in [PADDING, 0] {
                std::fs::write(&path, vec![byte; begun]).unwrap();
                let (_, found) = LogMark::open(dir.path()).unwrap();
                assert_eq!(found, None, "{begun}");
                assert_eq!(std::fs::metadata(&path).unwrap().len(), 2 * SLOT_BYTES as u64);
            }
        }
        let first = write_slot(&position(0));
        for cut in [1, 50, 150] {
            std::fs::write(&path, &first[..cut]).unwrap();
            assert_eq!(LogMark::open(dir.path()).unwrap().1, None, "{cut}");
        }
        // A file of an earlier version, with its one mark.
        std::fs::write(&path, &first).unwrap();
        assert_eq!(LogMark::open(dir.path()).unwrap().1, Some(position(0)));
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 2 * SLOT_BYTES as u64);
    }

    #[test]
    fn the_longest_mark_fits_its_slot() {
        let longest = LogPosition {
            log_id: contract::Brand::new(&"b".repeat(32)).unwrap().log_id(),
            tree_size: u64::MAX,
            head: Some((u64::MAX, sha256(b"x"))),
        };
        let slot = write_slot(&longest);
        assert_eq!(slot.len(), SLOT_BYTES);
        assert_eq!(read_slot(&slot), Some(longest));
    }
}
