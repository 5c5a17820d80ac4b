//! Copies the keys of a deployment for a backup.

use std::path::Path;

use super::private_dir::PrivateDir;
use super::secret;
use crate::ProofError;

/// Copies every key and the secret into the new directory `to`, and returns how many files that were. The
/// log's mark is left out: it says what was signed last, and a copy cannot know that. So a server that is
/// started on a copy signs nothing.
pub fn copy_keys(from: &Path, to: &Path) -> Result<usize, ProofError> {
    if !from.is_dir() {
        let why = "there is no such directory".to_owned();
        return Err(ProofError::KeyStore { path: from.to_owned(), why });
    }
    // Holds the lock, so that no key is replaced in between.
    let source = PrivateDir::open(from)?;
    let target = PrivateDir::open(to)?;
    let mut names = source.json_names()?;
    if from.join(secret::FILE_NAME).exists() {
        names.push(secret::FILE_NAME.to_owned());
    }
    for name in &names {
        target.write(name, &source.read(name)?)?;
    }
    Ok(names.len())
}

#[cfg(test)]
mod tests {
    use contract::{Brand, Timestamp};

    use super::*;
    use crate::KeyStore;
    use crate::keys::{DeploymentSecret, LogMark, LogPosition, MARK_FILE_NAME, PLACE_FILE_NAME};

    #[test]
    fn keys_and_secret_are_copied_and_the_mark_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
        assert!(copy_keys(&from, &to).is_err());
        let now = Timestamp::from_millis(1_800_000_000_000);
        let keys = KeyStore::open(&from, now).unwrap();
        let secret = DeploymentSecret::open(&from).unwrap();
        let (mut mark, _) = LogMark::open(&from).unwrap();
        mark.write(&LogPosition { log_id: "x".into(), tree_size: 0, head: None }).unwrap();
        mark.record_place().unwrap();
        assert!(from.join(PLACE_FILE_NAME).exists());
        assert_eq!(copy_keys(&from, &to).unwrap(), 5);
        let brand = Brand::default();
        let copied = KeyStore::open_existing(&to, now).unwrap();
        assert_eq!(copied.directory(&brand), keys.directory(&brand));
        let copied = DeploymentSecret::open(&to).unwrap();
        assert_eq!(copied.mac("x", &[]), secret.mac("x", &[]));
        for name in [MARK_FILE_NAME, PLACE_FILE_NAME] {
            assert!(!to.join(name).exists(), "{name}");
        }
    }
}
