//! Reads the signing keys without changing them. The server makes missing keys and finishes rotations when
//! it starts; a check must not.

use std::fs::{self, File};
use std::io::{BufReader, ErrorKind, Read};
use std::path::Path;

use anyhow::{Context, Result};
use contract::Timestamp;
use proof::keys::KeyPurpose;
use proof::{KeyStore, ProofError};
use serde::Deserialize;

use crate::config::Config;
use crate::wiring;

/// Begins the names of files that an interrupted change leaves; the key store removes them.
const UNFINISHED_PREFIX: &str = ".unfinished-";

/// The keys of an installation.
#[derive(Debug)]
pub(super) enum FoundKeys {
    NoneYet,
    /// The server changes them at its next start. The text says what.
    Unfinished(String),
    Complete(KeyStore),
}

/// Reads the keys. An error if a log has lost its keys, or a key cannot be used.
pub(super) fn read_keys(config: &Config) -> Result<FoundKeys> {
    let (data_dir, folder) = (config.data_dir(), config.keys_dir());
    store_sqlite::require_finished_restore(&data_dir)
        .with_context(|| format!("cannot use the keys in {}", data_dir.display()))?;
    let has_log = store_sqlite::has_log(&data_dir)
        .with_context(|| format!("cannot read the store in {}", data_dir.display()))?;
    let names = list_names(&folder)
        .with_context(|| format!("cannot use the keys in {}", folder.display()))?;
    let is_key = |name: &&String| name.ends_with(".json") && !name.starts_with('.');
    let key_files: Vec<&String> = names.iter().filter(is_key).collect();
    if key_files.is_empty() {
        if !has_log {
            return Ok(FoundKeys::NoneYet);
        }
        let purposes = KeyPurpose::ALL.map(KeyPurpose::as_str).join(", ");
        let missing = ProofError::KeysMissing { path: folder, purposes };
        return wiring::explain_missing_keys(config, Err(missing)).map(FoundKeys::Complete);
    }
    if names.iter().any(|name| name.starts_with(UNFINISHED_PREFIX)) {
        let why = "a change of the keys was interrupted; the server finishes it at its next start";
        return Ok(FoundKeys::Unfinished(why.to_owned()));
    }
    let states: Option<Vec<KeyState>> =
        key_files.into_iter().map(|name| read_state(&folder.join(name))).collect();
    // The key store refuses a file that is no key before it changes anything, and says what is wrong.
    if let Some(states) = states
        && let Some(why) = describe_missing_signer(&states, has_log)
    {
        return Ok(FoundKeys::Unfinished(why));
    }
    wiring::open_keys_unchanged(config).map(FoundKeys::Complete)
}

/// What is read of a key file here. The key store reads and checks the rest.
#[derive(Debug, Deserialize)]
struct KeyState {
    purpose: String,
    stopped_signing_at: Option<Timestamp>,
}

fn read_state(path: &Path) -> Option<KeyState> {
    const MAX_BYTES: u64 = 16 << 10;
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let file = BufReader::new(File::open(path).ok()?.take(MAX_BYTES));
    serde_json::from_reader(file).ok()
}

/// The names in a folder; none if it does not exist.
fn list_names(folder: &Path) -> std::io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// For which purpose the key store would make a key.
fn describe_missing_signer(states: &[KeyState], has_log: bool) -> Option<String> {
    for purpose in KeyPurpose::ALL.map(KeyPurpose::as_str) {
        let mut of_purpose = states.iter().filter(|state| state.purpose == purpose).peekable();
        // Lost keys of a log are an error, and the key store says which.
        let is_lost = of_purpose.peek().is_none() && has_log;
        if !is_lost && of_purpose.all(|state| state.stopped_signing_at.is_some()) {
            return Some(format!(
                "no key signs for {purpose} now; the server makes one at its next start"
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use contract::Clock;

    use super::*;

    fn config_in(folder: &Path) -> Config {
        let mut config = Config::default();
        config.store.data_dir = Some(folder.join("data"));
        config.store.keys_dir = Some(folder.join("keys"));
        config
    }

    /// Names and contents.
    fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let mut names = list_names(folder).unwrap();
        names.sort();
        names.into_iter().map(|name| (name.clone(), fs::read(folder.join(name)).unwrap())).collect()
    }

    #[test]
    fn keys_are_read_and_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let config = config_in(folder.path());
        let keys = config.keys_dir();
        assert!(matches!(read_keys(&config), Ok(FoundKeys::NoneYet)));
        assert!(!keys.exists());
        fs::create_dir(&keys).unwrap();
        assert!(matches!(read_keys(&config), Ok(FoundKeys::NoneYet)));
        assert!(contents(&keys).is_empty());
        fs::remove_dir(&keys).unwrap();
        // A rotation that is due stays due.
        let now = door::SystemClock.now();
        let mut store = KeyStore::open(&keys, now.plus_millis(-60_000)).unwrap();
        let start = now.plus_millis(-30_000);
        store.rotate_from(KeyPurpose::Documents, start, now.plus_millis(-60_000)).unwrap();
        let before = contents(&keys);
        let Ok(FoundKeys::Complete(read)) = read_keys(&config) else { panic!("not read") };
        assert_eq!(read.ring().records().len(), 5);
        assert!(read.has_overdue_key(now));
        assert_eq!(contents(&keys), before);
        // What an interruption left is left.
        fs::write(keys.join(".unfinished-x.json"), "x").unwrap();
        let before = contents(&keys);
        assert!(matches!(read_keys(&config), Ok(FoundKeys::Unfinished(_))));
        assert_eq!(contents(&keys), before);
    }

    #[test]
    fn a_purpose_without_a_key_that_signs_is_named() {
        let stopped_at = Timestamp::from_millis(0);
        let state = |purpose: &str, stopped_signing_at| KeyState {
            purpose: purpose.to_owned(),
            stopped_signing_at,
        };
        let mut states: Vec<_> =
            KeyPurpose::ALL.map(|purpose| state(purpose.as_str(), None)).into();
        assert_eq!(describe_missing_signer(&states, true), None);
        states[1] = state("documents", Some(stopped_at));
        let found = describe_missing_signer(&states, true).unwrap();
        assert!(found.starts_with("no key signs for documents now"), "{found}");
        states.remove(1);
        assert_eq!(describe_missing_signer(&states, true), None, "that is an error");
        assert!(describe_missing_signer(&states, false).is_some());
    }
}
