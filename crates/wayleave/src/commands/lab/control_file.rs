//! The file that tells other commands of the same user where the control channel of a running lab is.

use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

const PREFIX: &str = "wayleave-lab-";
const SUFFIX: &str = ".url";
const MAX_FILE_BYTES: u64 = 512;

/// The file of a lab of this process. It is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct ControlFile(NamedTempFile);

impl ControlFile {
    /// Writes the URL to a new file in the folder for temporary files, which only this user can read.
    pub(crate) fn write(url: &str) -> Result<Self> {
        let folder = std::env::temp_dir();
        let written = || -> std::io::Result<NamedTempFile> {
            // A temporary file is created with mode 0600.
            let builder =
                tempfile::Builder::new().prefix(PREFIX).suffix(SUFFIX).tempfile_in(&folder);
            let mut file = builder?;
            writeln!(file, "{url}")?;
            file.flush()?;
            Ok(file)
        };
        let file = written().with_context(|| {
            format!(
                "the address of the lab's control channel cannot be written to {}",
                folder.display()
            )
        })?;
        Ok(Self(file))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

/// The files of this user's labs, the newest first. A lab that was killed leaves its file behind.
pub(super) fn find_files() -> Vec<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let Ok(entries) = std::fs::read_dir(std::env::temp_dir()) else { return Vec::new() };
    let mut files: Vec<_> = entries
        .filter_map(Result::ok)
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with(PREFIX) && name.ends_with(SUFFIX)
        })
        .filter_map(|entry| {
            // Not of a link, and not of a file that another user put there.
            let facts = entry.path().symlink_metadata().ok()?;
            let is_own = facts.is_file() && facts.uid() == user;
            is_own.then(|| ((facts.mtime(), facts.mtime_nsec()), entry.path()))
        })
        .collect();
    files.sort();
    files.into_iter().rev().map(|(_, path)| path).collect()
}

/// The URL in a file.
pub(super) fn read_url(path: &Path) -> Result<String> {
    let read = || -> std::io::Result<String> {
        let mut text = String::new();
        std::fs::File::open(path)?.take(MAX_FILE_BYTES).read_to_string(&mut text)?;
        Ok(text)
    };
    let text = read().with_context(|| format!("{} cannot be read", path.display()))?;
    let url = text.trim();
    if !url.starts_with("http://127.0.0.1:") {
        bail!("{} does not hold the address of a lab", path.display());
    }
    Ok(url.to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_file_is_private_found_and_removed() {
        let file = ControlFile::write("http://127.0.0.1:1/secret/").unwrap();
        let path = file.path().to_owned();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(read_url(&path).unwrap(), "http://127.0.0.1:1/secret/");
        // Two files of one tick of the clock have the same time.
        std::thread::sleep(std::time::Duration::from_millis(50));
        let newer = ControlFile::write("http://127.0.0.1:2/secret/").unwrap();
        let found = find_files();
        let place = |wanted: &Path| found.iter().position(|path| path == wanted).unwrap();
        assert!(place(newer.path()) < place(&path), "the newest comes first: {found:?}");
        drop(file);
        assert!(!path.exists() && read_url(&path).is_err());
    }

    #[test]
    fn only_addresses_on_this_machine_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        for text in ["", "http://example.com/", "http://127.0.0.1.example.com/", "\u{0}"] {
            std::fs::write(&file, text).unwrap();
            assert!(read_url(&file).is_err(), "{text:?}");
        }
    }
}
