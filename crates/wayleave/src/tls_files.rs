//! The files of `server.tls_cert` and `server.tls_key`.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use contract::Timestamp;
use proof::Digest;
use web::TlsPair;
use zeroize::Zeroizing;

use crate::config::Config;

/// A chain has a few KB. Whatever is longer is not what it should be.
const MAX_FILE_BYTES: u64 = 256 * 1_024;
/// How long before its end a certificate is warned about.
pub(crate) const WARNING_DAYS: i64 = 14;

/// Where the certificate and its key are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TlsFiles {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

/// What the two files contain. The key is wiped from memory when this is dropped.
pub(crate) struct TlsFileContents {
    certificate: Vec<u8>,
    key: Zeroizing<Vec<u8>>,
    /// Whether all users of this machine can read the key.
    pub(crate) key_is_public: bool,
}

impl TlsFiles {
    /// `None` if the server speaks plain HTTP.
    pub(crate) fn of(config: &Config) -> Option<Self> {
        let server = &config.server;
        Some(Self { certificate: server.tls_cert.clone()?, key: server.tls_key.clone()? })
    }

    pub(crate) fn read(&self) -> Result<TlsFileContents> {
        let mut certificate = Vec::new();
        read_into(&self.certificate, &mut certificate).context("server.tls_cert")?;
        // One allocation of full size: a buffer that grows would leave copies of the key behind.
        let mut key = Zeroizing::new(Vec::with_capacity(MAX_FILE_BYTES as usize + 1));
        let mode = read_into(&self.key, &mut key).context("server.tls_key")?;
        Ok(TlsFileContents { certificate, key, key_is_public: mode & 0o007 != 0 })
    }

    /// Reads the pair that the server begins with.
    pub(crate) fn load(&self) -> Result<(TlsPair, TlsFileContents)> {
        let contents = self.read()?;
        let pair = contents.pair(self)?;
        Ok((pair, contents))
    }
}

impl TlsFileContents {
    pub(crate) fn pair(&self, files: &TlsFiles) -> Result<TlsPair> {
        TlsPair::from_pem(&self.certificate, &self.key).with_context(|| {
            format!(
                "server.tls_cert {} and server.tls_key {}",
                files.certificate.display(),
                files.key.display()
            )
        })
    }

    /// Tells whether the files are the same as before, whatever their times say.
    pub(crate) fn digest(&self) -> (Digest, Digest) {
        (proof::sha256(&self.certificate), proof::sha256(&self.key))
    }
}

/// Returns the file's mode. Only plain files: reading a pipe might never end.
fn read_into(path: &Path, contents: &mut Vec<u8>) -> Result<u32> {
    let shown = path.display();
    let metadata = std::fs::metadata(path).with_context(|| format!("{shown} cannot be read"))?;
    if !metadata.is_file() {
        bail!("{shown} is not a file");
    }
    let file = File::open(path).with_context(|| format!("{shown} cannot be read"))?;
    let read = file.take(MAX_FILE_BYTES + 1).read_to_end(contents);
    if read.with_context(|| format!("{shown} cannot be read"))? as u64 > MAX_FILE_BYTES {
        bail!("{shown} is longer than {} KB", MAX_FILE_BYTES / 1_024);
    }
    Ok(metadata.mode())
}

/// Whole seconds until the certificate ends; negative after that.
pub(crate) fn seconds_left(pair: &TlsPair, now: Timestamp) -> i64 {
    pair.facts().not_after.saturating_sub(now.as_millis().div_euclid(1_000))
}

/// When the certificate ends, as people read it.
pub(crate) fn end_text(pair: &TlsPair) -> String {
    let end = Timestamp::from_millis(pair.facts().not_after.saturating_mul(1_000));
    end.whole_seconds().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_short_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let good = folder.path().join("good.pem");
        std::fs::write(&good, "x").unwrap();
        let long = folder.path().join("long.pem");
        std::fs::write(&long, vec![b'x'; MAX_FILE_BYTES as usize + 1]).unwrap();
        let missing = folder.path().join("missing.pem");
        let zero = PathBuf::from("/dev/zero");
        let why = |certificate: &Path, key: &Path| {
            let files = TlsFiles { certificate: certificate.to_owned(), key: key.to_owned() };
            files.read().err().map(|error| format!("{error:#}")).unwrap_or_default()
        };
        assert_eq!(why(&good, &good), "");
        for (bad, says) in [
            (missing.as_path(), "cannot be read"),
            (long.as_path(), "is longer than 256 KB"),
            (folder.path(), "is not a file"),
            (zero.as_path(), "is not a file"),
        ] {
            let (certificate, key) = (why(bad, &good), why(&good, bad));
            assert!(certificate.contains("server.tls_cert") && certificate.contains(says));
            assert!(key.contains("server.tls_key") && key.contains(says), "{key}");
        }
    }

    #[test]
    fn a_key_that_everybody_can_read_is_noticed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key.pem");
        std::fs::write(&file, "x").unwrap();
        let files = TlsFiles { certificate: file.clone(), key: file.clone() };
        for (mode, public) in [(0o600, false), (0o640, false), (0o644, true), (0o604, true)] {
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(files.read().unwrap().key_is_public, public, "{mode:o}");
        }
    }
}
