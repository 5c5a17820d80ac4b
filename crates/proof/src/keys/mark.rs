//! The high-water mark of the log: the last head that was ever acknowledged, kept beside the keys
//! and apart from the log itself.
//!
//! A log that is put back from an old copy looks whole. Extended from there, it would sign a second
//! head for numbers that were signed before. The mark tells: a log that ends before it was rolled
//! back, and nothing more is signed. It belongs with the keys, because it says what they signed.
//!
//! Two slots are written in turns and synced, so that a write that breaks off leaves the other.
//! Both are laid out when the file is made: moving the mark needs no space that a full disk lacks.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::{Digest, ProofError, sha256};

/// The file's name in the key directory.
pub const MARK_NAME: &str = "log-mark";
const SLOT_BYTES: usize = 256;
const BLANK: u8 = b' ';
const TITLE: &str = "wayleave-log-mark-1";

/// Where a log stood when its last head was acknowledged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    pub log_id: String,
    pub tree_size: u64,
    /// Nothing for a log that was begun and has no batch yet.
    pub head: Option<(u64, Digest)>,
}

/// The file, open. One process at a time has it, because one process at a time has the log.
#[derive(Debug)]
pub struct LogMark {
    path: PathBuf,
    file: File,
    /// The slot that holds the newest mark.
    slot: u64,
}

impl LogMark {
    /// Opens the mark in the key directory, with what it says. Nothing in a new file; an error when
    /// neither slot can be read, because a mark that was lost must not count as none.
    pub fn open(directory: &Path) -> Result<(Self, Option<Marked>), ProofError> {
        let path = directory.join(MARK_NAME);
        let failed = |error: io::Error| store_error(&path, &error);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(failed)?;
        lay_out(&file, directory).map_err(failed)?;
        let mut newest: Option<(u64, Marked)> = None;
        let mut never_written = false;
        for slot in [0, 1] {
            let mut bytes = [0; SLOT_BYTES];
            file.read_exact_at(&mut bytes, slot * SLOT_BYTES as u64).map_err(failed)?;
            never_written |= bytes.iter().all(|byte| matches!(*byte, BLANK | 0));
            let Some(marked) = read_slot(&bytes) else { continue };
            let later = newest.as_ref().is_none_or(|(_, other)| marked.order() > other.order());
            if later {
                newest = Some((slot, marked));
            }
        }
        // With one slot blank, the very first mark broke off, and nothing was acknowledged by then.
        if newest.is_none() && !never_written {
            let why = "neither of its two marks can be read".to_owned();
            return Err(ProofError::Store { path, why });
        }
        let (slot, marked) = newest.map_or((1, None), |(slot, marked)| (slot, Some(marked)));
        Ok((Self { path, file, slot }, marked))
    }

    /// Writes a mark over the older of the two; on the disk when this returns. May be tried again
    /// after [`ProofError::NoSpace`], which a disk can say that never writes in place.
    pub fn put(&mut self, marked: &Marked) -> Result<(), ProofError> {
        let slot = 1 - self.slot;
        let written = self.file.write_all_at(&write_slot(marked), slot * SLOT_BYTES as u64);
        written.map_err(|error| store_error(&self.path, &error))?;
        // Whatever a sync fails of, also for want of space: it must not be tried again.
        let failed = |error: io::Error| ProofError::Store {
            path: self.path.clone(),
            why: error.to_string(),
        };
        self.file.sync_data().map_err(failed)?;
        self.slot = slot;
        Ok(())
    }
}

impl Marked {
    fn order(&self) -> (u64, Option<u64>) {
        (self.tree_size, self.head.map(|(batch, _)| batch))
    }
}

fn write_slot(marked: &Marked) -> Vec<u8> {
    let head = match &marked.head {
        Some((batch, sth_sha256)) => format!("{batch} {sth_sha256}"),
        None => "- -".to_owned(),
    };
    let text = format!("{TITLE} {} {} {head}", marked.log_id, marked.tree_size);
    let mut bytes = format!("{text} {}\n", sha256(text.as_bytes())).into_bytes();
    bytes.resize(SLOT_BYTES, BLANK);
    bytes
}

fn read_slot(bytes: &[u8]) -> Option<Marked> {
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
    let marked = Marked { log_id: log_id.to_owned(), tree_size: size.parse().ok()?, head };
    (title == TITLE && words.next().is_none()).then_some(marked)
}

/// Gives a file that is new, or was never finished, its whole length.
fn lay_out(file: &File, directory: &Path) -> io::Result<()> {
    let (length, whole) = (file.metadata()?.len(), 2 * SLOT_BYTES as u64);
    let missing = usize::try_from(whole.saturating_sub(length)).unwrap_or_default();
    if missing > 0 {
        file.write_all_at(&vec![BLANK; missing], length)?;
        file.sync_all()?;
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}

fn store_error(path: &Path, error: &io::Error) -> ProofError {
    let path = path.to_owned();
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ProofError::NoSpace { path },
        _ => ProofError::Store { path, why: error.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(batch: u64) -> Marked {
        let head = (batch, sha256(&batch.to_be_bytes()));
        Marked { log_id: "svc-resolve-log-v1".into(), tree_size: batch * 3 + 1, head: Some(head) }
    }

    #[test]
    fn the_last_mark_comes_back_and_a_torn_one_leaves_the_one_before() {
        let dir = tempfile::tempdir().unwrap();
        let begun = Marked { log_id: "svc-resolve-log-v1".into(), tree_size: 0, head: None };
        {
            let (mut mark, found) = LogMark::open(dir.path()).unwrap();
            assert_eq!(found, None);
            mark.put(&begun).unwrap();
        }
        assert_eq!(LogMark::open(dir.path()).unwrap().1, Some(begun));
        for batch in 0..5 {
            let (mut mark, _) = LogMark::open(dir.path()).unwrap();
            mark.put(&marked(batch)).unwrap();
            assert_eq!(LogMark::open(dir.path()).unwrap().1, Some(marked(batch)));
        }
        let path = dir.path().join(MARK_NAME);
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(whole.len(), 2 * SLOT_BYTES);
        // Batch 4 went over batch 2, in whichever slot that was.
        for at in 0..whole.len() {
            let mut torn = whole.clone();
            torn[at] ^= 0x20;
            std::fs::write(&path, &torn).unwrap();
            let found = LogMark::open(dir.path()).unwrap().1.unwrap();
            assert!(found == marked(4) || found == marked(3), "{at}: {found:?}");
        }
        std::fs::write(&path, b"nonsense".repeat(64)).unwrap();
        assert!(LogMark::open(dir.path()).is_err());
    }

    #[test]
    fn a_new_file_has_room_for_both_marks_and_a_first_one_that_broke_off_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(MARK_NAME);
        for begun in [0, 1, 100, SLOT_BYTES, SLOT_BYTES + 9, 2 * SLOT_BYTES] {
            // Zeros: what a file system may leave of a write that broke off.
            for byte in [BLANK, 0] {
                std::fs::write(&path, vec![byte; begun]).unwrap();
                let (_, found) = LogMark::open(dir.path()).unwrap();
                assert_eq!(found, None, "{begun}");
                assert_eq!(std::fs::metadata(&path).unwrap().len(), 2 * SLOT_BYTES as u64);
            }
        }
        let first = write_slot(&marked(0));
        for cut in [1, 50, 150] {
            std::fs::write(&path, &first[..cut]).unwrap();
            assert_eq!(LogMark::open(dir.path()).unwrap().1, None, "{cut}");
        }
        // A file of an earlier version, with its one mark.
        std::fs::write(&path, &first).unwrap();
        assert_eq!(LogMark::open(dir.path()).unwrap().1, Some(marked(0)));
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 2 * SLOT_BYTES as u64);
    }

    #[test]
    fn the_longest_mark_fits_its_slot() {
        let longest = Marked {
            log_id: contract::Brand::new(&"b".repeat(32)).unwrap().log_id(),
            tree_size: u64::MAX,
            head: Some((u64::MAX, sha256(b"x"))),
        };
        let slot = write_slot(&longest);
        assert_eq!(slot.len(), SLOT_BYTES);
        assert_eq!(read_slot(&slot), Some(longest));
    }
}
