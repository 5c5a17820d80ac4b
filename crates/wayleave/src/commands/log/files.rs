//! Files put in place whole: written beside their place, synced, renamed.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The bytes of a file; nothing when there is none.
pub(super) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Puts a file in place, with the folders above it. The folders that have to be synced for its name
/// to last are added to `folders`.
pub(super) fn put(path: &Path, bytes: &[u8], folders: &mut BTreeSet<PathBuf>) -> io::Result<()> {
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

/// Makes the names in these folders last.
pub(super) fn sync(folders: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    while let Some(folder) = folders.pop_first() {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_put_whole_and_nothing_is_left_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/c");
        let mut folders = BTreeSet::new();
        assert_eq!(read(&path).unwrap(), None);
        for bytes in [&b"one"[..], b"two"] {
            put(&path, bytes, &mut folders).unwrap();
            assert_eq!(read(&path).unwrap().as_deref(), Some(bytes));
        }
        assert!(folders.contains(&dir.path().join("a/b")) && folders.contains(dir.path()));
        sync(&mut folders).unwrap();
        assert!(folders.is_empty());
        assert_eq!(fs::read_dir(dir.path().join("a/b")).unwrap().count(), 1);
    }
}
