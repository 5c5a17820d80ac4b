//! Artefacts as files: compressed, named by digest, checked whenever they are read.
//!
//! Independent of the database. A file is written to a temporary place, synced, renamed, and its
//! directory is synced. Its modification time is when its bytes were last received.

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

use crate::data_dir::{hex_subdirs, make_one_private_dir, make_private_dir, sync_dir};
use store::compression::{compress, decompress};

/// Shared by all tasks that store, read and sweep artefacts.
#[derive(Debug)]
pub(crate) struct ArtifactFiles {
    root: PathBuf,
    /// Directory for files being written. Emptied when the store is opened: none of them was
    /// acknowledged.
    unfinished: PathBuf,
    next_unfinished: AtomicU64,
    /// Compressed bytes that were written since the start.
    bytes_written: AtomicU64,
    /// Second-level directories that are known to be durable.
    durable_dirs: Mutex<HashSet<[u8; 2]>>,
    /// Held while a file is renamed, removed or gets a new time, so that a sweep and a put, or two
    /// puts, do not interleave. Never held during a sync.
    names_lock: Mutex<()>,
    /// The reason, set once when a sync has failed. From then on nothing more is stored.
    stopped: OnceLock<String>,
}

/// The result of sweeping one first-level directory, with the removed digests.
#[derive(Debug, Default)]
pub(crate) struct SweptArtifacts {
    pub(crate) report: SweepReport,
    pub(crate) removed: Vec<Digest>,
}

impl ArtifactFiles {
    pub(crate) fn open(root: PathBuf) -> Result<Self, StoreError> {
        let unfinished = root.join("unfinished");
        let made = make_private_dir(&unfinished)
            .and_then(|()| remove_files_in(&unfinished))
            .and_then(|()| create_first_level_dirs(&root));
        made.map_err(|e| StoreError::CannotOpen {
            place: root.display().to_string(),
            why: e.to_string(),
        })?;
        Ok(Self::at(root, unfinished))
    }

    /// The same without creating or removing anything.
    pub(crate) fn open_read_only(root: PathBuf) -> Self {
        let unfinished = root.join("unfinished");
        Self::at(root, unfinished)
    }

    fn at(root: PathBuf, unfinished: PathBuf) -> Self {
        Self {
            root,
            unfinished,
            next_unfinished: AtomicU64::new(0),
            bytes_written: AtomicU64::new(0),
            durable_dirs: Mutex::default(),
            names_lock: Mutex::default(),
            stopped: OnceLock::new(),
        }
    }

    /// Fails once a sync has failed.
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
        let (dir, path) = self.artifact_path(sha256);
        self.make_durable_dir(sha256, &dir)?;
        // An intact file is kept; a damaged one is replaced.
        let exists = matches!(self.get(sha256), Ok(Some(_))) && self.touch_existing(&path, at)?;
        if !exists {
            self.write(&path, bytes, at)?;
        }
        // Also if the file existed: the task that wrote it may not have synced the directory yet.
        self.check_sync(sync_dir(&dir))
    }

    pub(crate) fn get(&self, sha256: Digest) -> Result<Option<Bytes>, StoreError> {
        let (_, path) = self.artifact_path(sha256);
        let damaged = |why: String| StoreError::Damaged { what: format!("artefact {sha256}"), why };
        // Incompressible bytes grow a little; a longer file was not written by this program.
        let longest = MAX_VALUE_BYTES as u64 + MAX_VALUE_BYTES as u64 / 100;
        let packed = match fs::metadata(&path).and_then(|facts| {
            if facts.len() > longest { Ok(None) } else { fs::read(&path).map(Some) }
        }) {
            Ok(Some(packed)) => packed,
            Ok(None) => return Err(damaged(String::from("the file is too long"))),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(failed("reading an artefact", &e)),
        };
        let bytes = decompress(&packed).map_err(damaged)?;
        if Digest::of(&bytes) != sha256 {
            return Err(damaged(String::from("its bytes have another digest")));
        }
        Ok(Some(bytes))
    }

    pub(crate) fn bytes_written(&self) -> u64 {
        self.bytes_written.load(Ordering::Relaxed)
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
        for (first, dir) in hex_subdirs(&self.root).map_err(read)? {
            if first < from_first {
                continue;
            }
            for (second, dir) in hex_subdirs(&dir).map_err(read)? {
                if (first, second) < (from_first, from_second) {
                    continue;
                }
                for (sha256, path) in files_in(&dir).map_err(read)? {
                    if rows.len() >= limit {
                        return Ok(rows);
                    }
                    if after.is_none_or(|after| sha256 > after)
                        && let Some((kept_at, _)) = received_at_and_size(&path).map_err(read)?
                    {
                        rows.push(ArtifactRow { sha256, kept_at });
                    }
                }
            }
        }
        Ok(rows)
    }

    /// Removes the artefacts that are old and not in use, among digests that begin with `first`.
    pub(crate) fn sweep(
        &self,
        first: u8,
        older_than: Timestamp,
        in_use: &mut dyn FnMut(Digest) -> Result<bool, StoreError>,
    ) -> Result<SweptArtifacts, StoreError> {
        let failed = |e: io::Error| failed("sweeping the artefacts", &e);
        let mut swept = SweptArtifacts::default();
        let dir = self.root.join(format!("{first:02x}"));
        if !dir.is_dir() {
            return Ok(swept);
        }
        for (_, dir) in hex_subdirs(&dir).map_err(failed)? {
            for (sha256, path) in files_in(&dir).map_err(failed)? {
                let is_old =
                    |facts: Option<(Timestamp, u64)>| facts.filter(|(at, _)| *at < older_than);
                let facts = received_at_and_size(&path).map_err(failed)?;
                if is_old(facts).is_none() || in_use(sha256)? {
                    swept.report.kept += 1;
                    swept.report.kept_bytes += facts.map_or(0, |(_, bytes)| bytes);
                    continue;
                }
                // Checked again under the lock: the artefact may have been received since.
                let _names = self.lock_names();
                match is_old(received_at_and_size(&path).map_err(failed)?) {
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

    /// Removes an artefact that was not received after `received_at`, and returns whether it was there.
    pub(crate) fn remove_unless_newer(
        &self,
        sha256: Digest,
        received_at: Timestamp,
    ) -> Result<bool, StoreError> {
        let failed = |e: io::Error| failed("removing an artefact", &e);
        let (dir, path) = self.artifact_path(sha256);
        let _names = self.lock_names();
        let facts = received_at_and_size(&path).map_err(failed)?;
        if facts.is_none_or(|(at, _)| at > received_at) {
            return Ok(false);
        }
        fs::remove_file(&path).and_then(|()| sync_dir(&dir)).map_err(failed)?;
        Ok(true)
    }

    /// The directory of an artefact and its path: `ab/cd/abcd….zst`.
    pub(crate) fn artifact_path(&self, sha256: Digest) -> (PathBuf, PathBuf) {
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
        made.map_err(|e| failed("creating a directory for artefacts", &e))?;
        // Also if it existed: the process that created it may have ended before the sync.
        if let Some(parent) = dir.parent() {
            self.check_sync(sync_dir(parent))?;
        }
        durable().insert([first, second]);
        Ok(())
    }

    /// Updates the time of an existing file whose bytes were received again. Returns false if the
    /// file has just been removed by a sweep.
    fn touch_existing(&self, path: &Path, at: Timestamp) -> Result<bool, StoreError> {
        let failed = |e: io::Error| failed("updating an artefact's time", &e);
        let _names = self.lock_names();
        let Some((kept_at, _)) = received_at_and_size(path).map_err(failed)? else {
            return Ok(false);
        };
        if at > kept_at {
            File::open(path).and_then(|file| set_time(&file, at)).map_err(failed)?;
        }
        Ok(true)
    }

    fn write(&self, path: &Path, bytes: &[u8], at: Timestamp) -> Result<(), StoreError> {
        let number = self.next_unfinished.fetch_add(1, Ordering::Relaxed);
        let aside = self.unfinished.join(number.to_string());
        let written = self.write_and_rename(&aside, path, bytes, at);
        if written.is_err() {
            // The file was not renamed yet, so nothing is lost.
            let _ = fs::remove_file(&aside);
        }
        written
    }

    fn write_and_rename(
        &self,
        aside: &Path,
        path: &Path,
        bytes: &[u8],
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let failed = |e: io::Error| failed("writing an artefact", &e);
        let packed = compress(bytes).map_err(failed)?;
        self.bytes_written.fetch_add(packed.len() as u64, Ordering::Relaxed);
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(aside)
            .map_err(failed)?;
        file.write_all(&packed).map_err(failed)?;
        set_time(&file, at).map_err(failed)?;
        match file.sync_all() {
            // Harmless, like a failed write: the file was not renamed yet.
            Err(e) if is_full(&e) => return Err(StoreError::Full),
            other => self.check_sync(other)?,
        }
        let _names = self.lock_names();
        if let Some((kept_at, _)) =
            received_at_and_size(path).map_err(failed)?.filter(|(kept, _)| *kept > at)
        {
            set_time(&file, kept_at).map_err(failed)?;
        }
        fs::rename(aside, path).map_err(failed)
    }

    /// A failed sync is never tried again: the system may have dropped the data and report the
    /// error only once.
    fn check_sync(&self, result: io::Result<()>) -> Result<(), StoreError> {
        match result {
            Ok(()) => self.check(),
            Err(e) => {
                let why = format!("an artefact could not be synced to the disk: {e}");
                tracing::error!(%why, "the store accepts no more artefacts");
                let why = self.stopped.get_or_init(|| why).clone();
                Err(StoreError::Unavailable { why })
            }
        }
    }

    fn lock_names(&self) -> MutexGuard<'_, ()> {
        self.names_lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The artefacts in one directory, in order. Files with other names are ignored.
pub(crate) fn files_in(dir: &Path) -> io::Result<Vec<(Digest, PathBuf)>> {
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

/// When a file's bytes were last received and its length; `None` if it does not exist.
fn received_at_and_size(path: &Path) -> io::Result<Option<(Timestamp, u64)>> {
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

fn remove_files_in(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        fs::remove_file(entry?.path())?;
    }
    Ok(())
}

/// Creates all 256 directories, so that a put has to create at most one level.
fn create_first_level_dirs(root: &Path) -> io::Result<()> {
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
