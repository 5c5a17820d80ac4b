//! Artefacts as files: compressed, named by digest, checked whenever they are read.
//!
//! Knows nothing of the database. A file is written aside, synced, renamed into place, and its
//! directory synced; its modification time says when its bytes were last received.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use contract::Timestamp;
use store::artifacts::check_artifact;
use store::{ArtifactRow, Digest, MAX_VALUE_BYTES, StoreError, SweepReport};

use crate::data_dir::{fan_out, make_one_private_dir, make_private_dir, sync_dir};
use crate::packed::{pack, unpack};

/// Shared by all tasks that put, read and sweep.
#[derive(Debug)]
pub(crate) struct ArtifactFiles {
    root: PathBuf,
    /// Files being written. Emptied when the store is opened: what is in there was never named.
    unfinished: PathBuf,
    next_unfinished: AtomicU64,
    /// Directories of the second level that are known to be durable.
    durable_dirs: Mutex<HashSet<[u8; 2]>>,
    /// Held while a file's name or time is decided, so that a sweep and a put, or two puts, see
    /// one another whole. Never held during a sync.
    names: Mutex<()>,
    /// Set once a sync has failed: from then on nothing more is promised.
    stopped: OnceLock<String>,
}

/// What a sweep of a part did, and which digests are gone.
#[derive(Debug, Default)]
pub(crate) struct Swept {
    pub(crate) report: SweepReport,
    pub(crate) removed: Vec<Digest>,
}

impl ArtifactFiles {
    pub(crate) fn open(root: PathBuf) -> Result<Self, StoreError> {
        let unfinished = root.join("unfinished");
        let made = make_private_dir(&unfinished)
            .and_then(|()| empty(&unfinished))
            .and_then(|()| make_first_level(&root));
        made.map_err(|e| StoreError::CannotOpen {
            place: root.display().to_string(),
            why: e.to_string(),
        })?;
        Ok(Self {
            root,
            unfinished,
            next_unfinished: AtomicU64::new(0),
            durable_dirs: Mutex::default(),
            names: Mutex::default(),
            stopped: OnceLock::new(),
        })
    }

    /// An error once a sync has failed.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        match self.stopped.get() {
            Some(why) => Err(StoreError::Unavailable { why: why.clone() }),
            None => Ok(()),
        }
    }

    pub(crate) fn put(
        &self,
        sha256: Digest,
        bytes: &[u8],
        at: Timestamp,
    ) -> Result<(), StoreError> {
        check_artifact(sha256, bytes)?;
        self.check()?;
        let (dir, path) = self.place(sha256);
        self.make_durable_dir(sha256, &dir)?;
        // A file that is there and whole stays; one that is damaged is replaced.
        let there = matches!(self.get(sha256), Ok(Some(_))) && self.receive_again(&path, at)?;
        if !there {
            self.write(&path, bytes, at)?;
        }
        // Also when it was there: whoever put it may not have come this far yet.
        self.synced(sync_dir(&dir))
    }

    pub(crate) fn get(&self, sha256: Digest) -> Result<Option<Bytes>, StoreError> {
        let (_, path) = self.place(sha256);
        let damaged = |why: String| StoreError::Damaged { what: format!("artefact {sha256}"), why };
        // Incompressible bytes grow a little; anything beyond that was not written here.
        let longest = MAX_VALUE_BYTES as u64 + MAX_VALUE_BYTES as u64 / 100;
        let packed = match fs::metadata(&path).and_then(|facts| {
            if facts.len() > longest { Ok(None) } else { fs::read(&path).map(Some) }
        }) {
            Ok(Some(packed)) => packed,
            Ok(None) => return Err(damaged(String::from("the file is too long"))),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(failed("reading an artefact", &e)),
        };
        let bytes = unpack(&packed).map_err(damaged)?;
        if Digest::of(&bytes) != sha256 {
            return Err(damaged(String::from("its bytes have another digest")));
        }
        Ok(Some(bytes))
    }

    /// The artefacts after `after` in the order of their digests.
    pub(crate) fn list(
        &self,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<ArtifactRow>, StoreError> {
        let read = |e: io::Error| failed("listing the artefacts", &e);
        let [from_first, from_second, ..] = after.map_or([0; 32], |sha256| *sha256.as_bytes());
        let mut rows = Vec::new();
        for (first, dir) in fan_out(&self.root).map_err(read)? {
            if first < from_first {
                continue;
            }
            for (second, dir) in fan_out(&dir).map_err(read)? {
                if (first, second) < (from_first, from_second) {
                    continue;
                }
                for (sha256, path) in files_in(&dir).map_err(read)? {
                    if rows.len() >= limit {
                        return Ok(rows);
                    }
                    if after.is_none_or(|after| sha256 > after)
                        && let Some((kept_at, _)) = facts_of(&path).map_err(read)?
                    {
                        rows.push(ArtifactRow { sha256, kept_at });
                    }
                }
            }
        }
        Ok(rows)
    }

    /// Removes what is old and not in use among the digests that begin with `first`.
    pub(crate) fn sweep(
        &self,
        first: u8,
        older_than: Timestamp,
        in_use: &mut dyn FnMut(Digest) -> Result<bool, StoreError>,
    ) -> Result<Swept, StoreError> {
        let failed = |e: io::Error| failed("sweeping the artefacts", &e);
        let mut swept = Swept::default();
        let dir = self.root.join(format!("{first:02x}"));
        if !dir.is_dir() {
            return Ok(swept);
        }
        for (_, dir) in fan_out(&dir).map_err(failed)? {
            for (sha256, path) in files_in(&dir).map_err(failed)? {
                let is_old =
                    |facts: Option<(Timestamp, u64)>| facts.filter(|(at, _)| *at < older_than);
                if is_old(facts_of(&path).map_err(failed)?).is_none() || in_use(sha256)? {
                    swept.report.kept += 1;
                    continue;
                }
                // Asked again with the name held: it may have been received since.
                let _names = self.names();
                match is_old(facts_of(&path).map_err(failed)?) {
                    Some((_, bytes)) => {
                        fs::remove_file(&path).map_err(failed)?;
                        swept.report.removed += 1;
                        swept.report.removed_bytes += bytes;
                        swept.removed.push(sha256);
                    }
                    None => swept.report.kept += 1,
                }
            }
        }
        Ok(swept)
    }

    /// The directory of an artefact and its path: `ab/cd/abcd….zst`.
    pub(crate) fn place(&self, sha256: Digest) -> (PathBuf, PathBuf) {
        let [first, second, ..] = *sha256.as_bytes();
        let dir = self.root.join(format!("{first:02x}")).join(format!("{second:02x}"));
        let path = dir.join(format!("{sha256}.zst"));
        (dir, path)
    }

    fn make_durable_dir(&self, sha256: Digest, dir: &Path) -> Result<(), StoreError> {
        let [first, second, ..] = *sha256.as_bytes();
        let durable = || self.durable_dirs.lock().unwrap_or_else(PoisonError::into_inner);
        if durable().contains(&[first, second]) {
            return Ok(());
        }
        let made = make_one_private_dir(dir);
        made.map_err(|e| failed("making a directory for artefacts", &e))?;
        // Also when it was there: whoever made it may have ended before this.
        if let Some(parent) = dir.parent() {
            self.synced(sync_dir(parent))?;
        }
        durable().insert([first, second]);
        Ok(())
    }

    /// Notes that a file that is there was received again. False when it has just been swept.
    fn receive_again(&self, path: &Path, at: Timestamp) -> Result<bool, StoreError> {
        let failed = |e: io::Error| failed("noting an artefact", &e);
        let _names = self.names();
        let Some((kept_at, _)) = facts_of(path).map_err(failed)? else { return Ok(false) };
        if at > kept_at {
            File::open(path).and_then(|file| set_time(&file, at)).map_err(failed)?;
        }
        Ok(true)
    }

    fn write(&self, path: &Path, bytes: &[u8], at: Timestamp) -> Result<(), StoreError> {
        let number = self.next_unfinished.fetch_add(1, Ordering::Relaxed);
        let aside = self.unfinished.join(number.to_string());
        let written = self.write_aside(&aside, path, bytes, at);
        if written.is_err() {
            // It has no name yet: nothing is lost with it.
            let _ = fs::remove_file(&aside);
        }
        written
    }

    fn write_aside(
        &self,
        aside: &Path,
        path: &Path,
        bytes: &[u8],
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let failed = |e: io::Error| failed("writing an artefact", &e);
        let packed = pack(bytes).map_err(failed)?;
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(aside)
            .map_err(failed)?;
        file.write_all(&packed).map_err(failed)?;
        set_time(&file, at).map_err(failed)?;
        match file.sync_all() {
            // No more than the writes before it: what was written has no name yet.
            Err(e) if is_full(&e) => return Err(StoreError::Full),
            other => self.synced(other)?,
        }
        let _names = self.names();
        if let Some((kept_at, _)) = facts_of(path).map_err(failed)?.filter(|(kept, _)| *kept > at) {
            set_time(&file, kept_at).map_err(failed)?;
        }
        fs::rename(aside, path).map_err(failed)
    }

    /// A sync that failed is never tried again: the system may have dropped what it could not
    /// write, and say so only once.
    fn synced(&self, result: io::Result<()>) -> Result<(), StoreError> {
        match result {
            Ok(()) => self.check(),
            Err(e) => {
                let why = format!("an artefact could not be brought to the disk: {e}");
                tracing::error!(%why, "the store takes no more artefacts");
                let why = self.stopped.get_or_init(|| why).clone();
                Err(StoreError::Unavailable { why })
            }
        }
    }

    fn names(&self) -> MutexGuard<'_, ()> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The artefacts in one directory, in order. Files with other names are none of ours.
fn files_in(dir: &Path) -> io::Result<Vec<(Digest, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let named = path.file_stem().and_then(OsStr::to_str).and_then(|name| name.parse().ok());
        if let Some(sha256) = named.filter(|_| path.extension() == Some(OsStr::new("zst"))) {
            files.push((sha256, path));
        }
    }
    files.sort();
    Ok(files)
}

/// When a file's bytes were last received and how long it is, if it is there.
fn facts_of(path: &Path) -> io::Result<Option<(Timestamp, u64)>> {
    let facts = match fs::metadata(path) {
        Ok(facts) => facts,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(e),
    };
    let millis = |duration: Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
    let at = match facts.modified()?.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => millis(after),
        Err(before) => millis(before.duration()).saturating_neg(),
    };
    Ok(Some((Timestamp::from_millis(at), facts.len())))
}

fn set_time(file: &File, at: Timestamp) -> io::Result<()> {
    let distance = Duration::from_millis(at.as_millis().unsigned_abs());
    let time = if at.as_millis() < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(distance)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(distance)
    };
    let time = time.ok_or_else(|| io::Error::other("the time is out of the system's range"))?;
    file.set_times(FileTimes::new().set_modified(time))
}

fn empty(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        fs::remove_file(entry?.path())?;
    }
    Ok(())
}

/// All 256 at once, so that a put has one level to make and no more.
fn make_first_level(root: &Path) -> io::Result<()> {
    for first in 0..=u8::MAX {
        make_one_private_dir(&root.join(format!("{first:02x}")))?;
    }
    sync_dir(root)
}

fn failed(doing: &'static str, error: &io::Error) -> StoreError {
    if is_full(error) {
        return StoreError::Full;
    }
    StoreError::Failed { doing, why: error.to_string() }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
