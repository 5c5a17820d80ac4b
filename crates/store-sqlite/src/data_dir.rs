//! The data directory: its files, their modes, and the lock against a second process.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use store::StoreError;

/// A data directory that is locked by this process until the value is dropped.
#[derive(Debug)]
pub(crate) struct DataDir {
    root: PathBuf,
    /// Open only for its lock, which the system releases when the process ends for any reason.
    lock: Option<File>,
}

impl Drop for DataDir {
    /// Closing the file is not enough: a program that this process is just starting has a copy of the open
    /// file between fork and exec, and with it the lock.
    fn drop(&mut self) {
        if let Some(lock) = &self.lock {
            // If it fails, closing the file releases the lock.
            let _ = lock.unlock();
        }
    }
}

impl DataDir {
    /// The name of the database file.
    pub(crate) const DATABASE: &str = "wayleave.db";
    const LOCK: &str = "wayleave.lock";
    /// Is there while a backup is being restored into the directory.
    pub(crate) const UNFINISHED_RESTORE: &str = "restore.unfinished";

    /// Refuses a directory with an incomplete copy.
    pub(crate) fn require_finished_restore(root: &Path) -> Result<(), StoreError> {
        if !root.join(Self::UNFINISHED_RESTORE).exists() {
            return Ok(());
        }
        let why = "a restore into it did not finish, so it is incomplete. Run `wayleave restore` again; it removes \
                   what is there and begins anew";
        Err(StoreError::CannotOpen { place: root.display().to_string(), why: why.to_owned() })
    }

    /// Creates the directory if it is missing, with mode 0700, and takes its lock.
    pub(crate) fn open(root: &Path) -> Result<Self, StoreError> {
        let refused = |path: &Path| {
            let place = path.display().to_string();
            move |e: io::Error| StoreError::CannotOpen { place, why: e.to_string() }
        };
        make_private_dir(root).map_err(refused(root))?;
        let lock_path = root.join(Self::LOCK);
        let lock = open_private_file(&lock_path).map_err(refused(&lock_path))?;
        acquire_lock(root, &lock)?;
        let dir = Self { root: root.to_owned(), lock: Some(lock) };
        // SQLite gives its -wal and -shm files the mode of the database, so create it with 0600.
        open_private_file(&dir.database()).map_err(refused(&dir.database()))?;
        Ok(dir)
    }

    /// Acquires the lock of a directory and creates nothing. Without a lock file no process has it.
    pub(crate) fn open_read_only(root: &Path) -> Result<Self, StoreError> {
        let lock_path = root.join(Self::LOCK);
        let lock = match File::open(&lock_path) {
            Ok(lock) => Some(lock),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => {
                let place = lock_path.display().to_string();
                return Err(StoreError::CannotOpen { place, why: e.to_string() });
            }
        };
        if let Some(lock) = &lock {
            acquire_lock(root, lock)?;
        }
        Ok(Self { root: root.to_owned(), lock })
    }

    /// Makes the file names in the directory durable. SQLite does so too, but does not report a
    /// failure.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        sync_dir(&self.root).map_err(|e| StoreError::CannotOpen {
            place: self.root.display().to_string(),
            why: e.to_string(),
        })
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.root.join(Self::DATABASE)
    }

    pub(crate) fn artifacts(&self) -> PathBuf {
        self.root.join("artifacts")
    }
}

fn acquire_lock(root: &Path, lock: &File) -> Result<(), StoreError> {
    let place = root.display().to_string();
    lock.try_lock().map_err(|e| match e {
        TryLockError::WouldBlock => StoreError::InUse { place },
        TryLockError::Error(e) => StoreError::CannotOpen { place, why: e.to_string() },
    })
}

/// Creates a directory and its missing parents with mode 0700, and syncs each parent.
pub(crate) fn make_private_dir(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let parent = parent_of(path);
    make_private_dir(parent)?;
    make_one_private_dir(path)?;
    sync_dir(parent)
}

/// Creates one directory with mode 0700 unless it exists. The caller must sync its parent.
pub(crate) fn make_one_private_dir(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        other => other,
    }
}

/// Makes the names in a directory durable.
pub(crate) fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// For a relative name the parent is the current directory, not the empty path.
fn parent_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) => Path::new("."),
        None => Path::new("/"),
    }
}

fn open_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

/// The subdirectories whose names are two hexadecimal digits, in order.
pub(crate) fn hex_subdirs(path: &Path) -> io::Result<Vec<(u8, PathBuf)>> {
    let mut dirs = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| u8::from_str_radix(name, 16).ok());
        if let Some(number) =
            number.filter(|number| name.to_str() == Some(&format!("{number:02x}")))
        {
            dirs.push((number, entry.path()));
        }
    }
    dirs.sort();
    Ok(dirs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_is_released_although_a_starting_program_has_a_copy_of_it() {
        let root = tempfile::tempdir().unwrap();
        let dir = DataDir::open(root.path()).unwrap();
        // What fork does to every open file.
        let _copy = dir.lock.as_ref().unwrap().try_clone().unwrap();
        assert!(matches!(DataDir::open(root.path()), Err(StoreError::InUse { .. })));
        drop(dir);
        drop(DataDir::open(root.path()).unwrap());
        drop(DataDir::open_read_only(root.path()).unwrap());
    }
}
