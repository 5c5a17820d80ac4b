//! Atomic file writes: write a temporary file, sync it, rename it.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The bytes of a file, or `None` if it does not exist.
pub(super) fn read_if_exists(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes a file atomically and creates missing parent folders. Adds to `folders` the folders that must
/// be synced before the file name is durable.
pub(super) fn write_atomically(
    path: &Path,
    bytes: &[u8],
    folders: &mut BTreeSet<PathBuf>,
) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    if !folder.is_dir() {
        let missing = folder.ancestors().take_while(|above| !above.exists());
        let parents = missing.filter_map(Path::parent);
        folders.extend(parents.filter(|p| !p.as_os_str().is_empty()).map(Path::to_owned));
        fs::create_dir_all(&folder)?;
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = folder.join(format!(".{name}.unfinished"));
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(&unfinished)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&unfinished, path)?;
    folders.insert(folder);
    Ok(())
}

/// Syncs these folders, so that the file names in them are durable.
pub(super) fn sync_folders(folders: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    while let Some(folder) = folders.pop_first() {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_atomically_and_no_temporary_file_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/c");
        let mut folders = BTreeSet::new();
        assert_eq!(read_if_exists(&path).unwrap(), None);
        for bytes in [&b"one"[..], b"two"] {
            write_atomically(&path, bytes, &mut folders).unwrap();
            assert_eq!(read_if_exists(&path).unwrap().as_deref(), Some(bytes));
        }
        assert!(folders.contains(&dir.path().join("a/b")) && folders.contains(dir.path()));
        sync_folders(&mut folders).unwrap();
        assert!(folders.is_empty());
        assert_eq!(fs::read_dir(dir.path().join("a/b")).unwrap().count(), 1);
    }
}
