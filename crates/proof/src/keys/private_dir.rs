//! A directory of files that only their owner may read, each replaced atomically.
//!
//! A file is written under a temporary name, synced and renamed, and the directory is synced. After
//! a crash there is the old file or the new one, and at most a temporary file, which the next start
//! wipes.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::ProofError;

/// Larger files are refused: a key file is much smaller.
const MAX_FILE_BYTES: u64 = 16 * 1024;
/// The permission bits of group and others.
const OTHERS_MODE_BITS: u32 = 0o077;
const LOCK_NAME: &str = ".lock";
/// Prefix of the temporary names.
const UNFINISHED_PREFIX: &str = ".unfinished-";

/// A directory of private files and the lock on it. The lock keeps other processes out for as long
/// as this value lives.
#[derive(Debug)]
pub struct PrivateDir {
    path: PathBuf,
    _lock: File,
    #[cfg(test)]
    steps_left: std::cell::Cell<Option<u32>>,
}

impl PrivateDir {
    /// Creates the directory if it is missing, waits for the lock, and wipes temporary files that a
    /// crash left.
    pub fn open(path: &Path) -> Result<Self, ProofError> {
        let at = |error: io::Error| failed(path, &error);
        create_private_dir(path).map_err(at)?;
        let metadata = fs::metadata(path).map_err(at)?;
        if !metadata.is_dir() {
            return Err(refused(path, "it is not a directory"));
        }
        require_owner_only(path, &metadata, "0700")?;
        let lock_path = path.join(LOCK_NAME);
        let lock = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&lock_path)
            .map_err(|error| failed(&lock_path, &error))?;
        lock.lock().map_err(|error| failed(&lock_path, &error))?;
        let dir = Self {
            path: path.to_owned(),
            _lock: lock,
            #[cfg(test)]
            steps_left: std::cell::Cell::new(tests::steps_to_crash()),
        };
        dir.wipe_unfinished()?;
        Ok(dir)
    }

    /// The names of all `.json` files, in order.
    pub fn json_names(&self) -> Result<Vec<String>, ProofError> {
        let mut names: Vec<String> = self.all_names()?;
        names.retain(|name| name.ends_with(".json") && !name.starts_with('.'));
        names.sort();
        Ok(names)
    }

    /// Reads a file. Fails if other users may read it.
    pub fn read(&self, name: &str) -> Result<Zeroizing<Vec<u8>>, ProofError> {
        let path = self.path.join(name);
        let at = |error: io::Error| failed(&path, &error);
        if !fs::symlink_metadata(&path).map_err(at)?.is_file() {
            return Err(refused(&path, "it is not a regular file"));
        }
        let file = File::open(&path).map_err(at)?;
        let metadata = file.metadata().map_err(at)?;
        require_owner_only(&path, &metadata, "0600")?;
        if metadata.len() > MAX_FILE_BYTES {
            return Err(refused(&path, "it is too large for a key file"));
        }
        let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_FILE_BYTES as usize));
        file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).map_err(at)?;
        Ok(bytes)
    }

    /// Creates or replaces a file. The replaced bytes are overwritten on the disk, as far as the
    /// file system allows.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), ProofError> {
        let path = self.path.join(name);
        let at = |error: io::Error| failed(&path, &error);
        let replaced = match OpenOptions::new().write(true).open(&path) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(at(error)),
        };
        let unfinished = self.path.join(format!("{UNFINISHED_PREFIX}{name}"));
        self.crash_point(&path)?;
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&unfinished)
            .map_err(at)?;
        self.crash_point(&path)?;
        file.write_all(bytes).map_err(at)?;
        self.crash_point(&path)?;
        file.sync_all().map_err(at)?;
        self.crash_point(&path)?;
        fs::rename(&unfinished, &path).map_err(at)?;
        self.crash_point(&path)?;
        self.sync()?;
        self.crash_point(&path)?;
        if let Some(file) = replaced {
            wipe(file).map_err(at)?;
        }
        Ok(())
    }

    fn sync(&self) -> Result<(), ProofError> {
        let synced = File::open(&self.path).and_then(|dir| dir.sync_all());
        synced.map_err(|error| failed(&self.path, &error))
    }

    /// Safe because this process holds the lock: nobody is still writing them.
    fn wipe_unfinished(&self) -> Result<(), ProofError> {
        for name in self.all_names()?.iter().filter(|name| name.starts_with(UNFINISHED_PREFIX)) {
            let path = self.path.join(name);
            let wiped = OpenOptions::new().write(true).open(&path).and_then(wipe);
            wiped.and_then(|()| fs::remove_file(&path)).map_err(|error| failed(&path, &error))?;
        }
        Ok(())
    }

    fn all_names(&self) -> Result<Vec<String>, ProofError> {
        let at = |error: io::Error| failed(&self.path, &error);
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(at)? {
            // Our file names are always UTF-8.
            names.extend(entry.map_err(at)?.file_name().into_string());
        }
        Ok(names)
    }

    /// Does nothing outside tests.
    #[cfg(not(test))]
    fn crash_point(&self, _: &Path) -> Result<(), ProofError> {
        Ok(())
    }

    /// In tests: a point at which a crash can be simulated.
    #[cfg(test)]
    fn crash_point(&self, path: &Path) -> Result<(), ProofError> {
        match self.steps_left.get() {
            Some(0) => return Err(refused(path, "crash")),
            Some(left) => self.steps_left.set(Some(left - 1)),
            None => {}
        }
        Ok(())
    }
}

/// Creates the directory and its missing parents, and syncs each so that it survives a crash.
fn create_private_dir(path: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = path.ancestors().take_while(|above| !above.exists()).collect();
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    for made in missing {
        // A path without a parent is in the working directory.
        let parent = made.parent().filter(|parent| !parent.as_os_str().is_empty());
        File::open(parent.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}

/// Overwrites a file with zeros.
fn wipe(mut file: File) -> io::Result<()> {
    let length = file.metadata()?.len().min(MAX_FILE_BYTES);
    file.rewind()?;
    file.write_all(&vec![0; usize::try_from(length).unwrap_or_default()])?;
    file.sync_all()
}

fn require_owner_only(
    path: &Path,
    metadata: &fs::Metadata,
    wanted: &str,
) -> Result<(), ProofError> {
    let mode = metadata.permissions().mode();
    if mode & OTHERS_MODE_BITS == 0 {
        return Ok(());
    }
    let mode = mode & 0o777;
    Err(refused(
        path,
        &format!(
            "other users have access to it (mode {mode:04o}) and may know its keys. If they do not, set the mode to {wanted}"
        ),
    ))
}

fn refused(path: &Path, why: &str) -> ProofError {
    ProofError::KeyStore { path: path.to_owned(), why: why.to_owned() }
}

fn failed(path: &Path, error: &io::Error) -> ProofError {
    refused(path, &error.to_string())
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        static CRASH_AFTER: Cell<Option<u32>> = const { Cell::new(None) };
    }

    /// Directories opened by this thread from now on fail at the step of this number.
    pub(in crate::keys) fn crash_after(steps: Option<u32>) {
        CRASH_AFTER.set(steps);
    }

    pub(super) fn steps_to_crash() -> Option<u32> {
        CRASH_AFTER.get()
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn makes_private_things_and_reads_them_back() {
        let outer = tempfile::tempdir().unwrap();
        let path = outer.path().join("a/b");
        let dir = PrivateDir::open(&path).unwrap();
        dir.write("k.json", b"secret").unwrap();
        assert_eq!(mode(&path), 0o700);
        assert_eq!(mode(&path.join("k.json")), 0o600);
        assert_eq!(mode(&path.join(LOCK_NAME)), 0o600);
        assert_eq!(**dir.read("k.json").unwrap(), *b"secret");
        assert_eq!(dir.json_names().unwrap(), ["k.json"]);
    }

    #[test]
    fn refuses_what_others_can_read() {
        let outer = tempfile::tempdir().unwrap();
        let path = outer.path().join("keys");
        let dir = PrivateDir::open(&path).unwrap();
        dir.write("k.json", b"secret").unwrap();
        for open in [0o640, 0o604, 0o620, 0o601] {
            fs::set_permissions(path.join("k.json"), fs::Permissions::from_mode(open)).unwrap();
            let why = dir.read("k.json").unwrap_err().to_string();
            assert!(why.contains("other users have access") && why.contains("k.json"), "{why}");
        }
        drop(dir);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
        let why = PrivateDir::open(&path).unwrap_err().to_string();
        assert!(why.contains("mode 0750"), "{why}");
    }

    #[test]
    fn refuses_links_directories_and_giants() {
        let outer = tempfile::tempdir().unwrap();
        let path = outer.path().join("keys");
        let dir = PrivateDir::open(&path).unwrap();
        dir.write("k.json", b"secret").unwrap();
        std::os::unix::fs::symlink(path.join("k.json"), path.join("link.json")).unwrap();
        fs::create_dir(path.join("dir.json")).unwrap();
        dir.write("giant.json", &vec![b' '; 20_000]).unwrap();
        for name in ["link.json", "dir.json", "giant.json", "absent.json"] {
            assert!(dir.read(name).is_err(), "{name}");
        }
    }

    #[test]
    fn what_is_replaced_is_wiped_where_it_lay() {
        let outer = tempfile::tempdir().unwrap();
        let dir = PrivateDir::open(&outer.path().join("keys")).unwrap();
        dir.write("k.json", b"secret").unwrap();
        let mut old = File::open(outer.path().join("keys/k.json")).unwrap();
        dir.write("k.json", b"public").unwrap();
        let mut left = Vec::new();
        old.read_to_end(&mut left).unwrap();
        assert_eq!(left, [0; 6]);
        assert_eq!(**dir.read("k.json").unwrap(), *b"public");
    }

    #[test]
    fn a_crash_leaves_the_old_file_or_the_new() {
        let outer = tempfile::tempdir().unwrap();
        let path = outer.path().join("keys");
        for steps in 0..6 {
            PrivateDir::open(&path).unwrap().write("k.json", b"old").unwrap();
            crash_after(Some(steps));
            assert!(PrivateDir::open(&path).unwrap().write("k.json", b"new").is_err());
            crash_after(None);
            let dir = PrivateDir::open(&path).unwrap();
            let expected: &[u8] = if steps < 4 { b"old" } else { b"new" };
            assert_eq!(**dir.read("k.json").unwrap(), *expected, "after {steps} steps");
            assert_eq!(dir.all_names().unwrap().len(), 2, "the lock and the file");
        }
    }
}
