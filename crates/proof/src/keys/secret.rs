//! A secret that only this deployment knows. With it the deployment authenticates its own values
//! (for example cursors) and recognises them later; nobody else can forge them.

use std::fmt;
use std::path::Path;

use aws_lc_rs::hmac;
use zeroize::Zeroizing;

use super::private_dir::PrivateDir;
use crate::{Digest, ProofError};

/// Not `.json`, because the key store reads every such file as a key.
pub(super) const FILE_NAME: &str = "deployment.secret";
const SECRET_BYTES: usize = 32;

/// Stored in the key directory, generated at the first start. All processes of a deployment share
/// it.
#[derive(Clone)]
pub struct DeploymentSecret(hmac::Key);

impl DeploymentSecret {
    /// Reads the secret from a key directory, and generates it if there is none.
    pub fn open(directory: &Path) -> Result<Self, ProofError> {
        let dir = PrivateDir::open(directory)?;
        if !directory.join(FILE_NAME).exists() {
            let mut fresh = Zeroizing::new([0; SECRET_BYTES]);
            aws_lc_rs::rand::fill(fresh.as_mut_slice())
                .map_err(|_| ProofError::Crypto("generate a secret"))?;
            dir.write(FILE_NAME, fresh.as_slice())?;
        }
        let bytes = dir.read(FILE_NAME)?;
        // A truncated file would be a secret that can be guessed.
        if bytes.len() != SECRET_BYTES {
            let path = directory.join(FILE_NAME);
            let why = format!("expected {SECRET_BYTES} bytes, found {}", bytes.len());
            return Err(ProofError::KeyStore { path, why });
        }
        Ok(Self::from_bytes(&bytes))
    }

    /// For tests and for secrets stored elsewhere.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, bytes))
    }

    /// HMAC-SHA-256 over a label and the parts, each preceded by its length, so that different
    /// lists of parts never give the same input. The label separates the uses.
    #[must_use]
    pub fn mac(&self, label: &str, parts: &[&[u8]]) -> Digest {
        let mut context = hmac::Context::with_key(&self.0);
        for part in std::iter::once(label.as_bytes()).chain(parts.iter().copied()) {
            context.update(&(part.len() as u64).to_be_bytes());
            context.update(part);
        }
        let mut digest = [0; SECRET_BYTES];
        digest.iter_mut().zip(context.sign().as_ref()).for_each(|(to, from)| *to = *from);
        Digest(digest)
    }

    /// Whether `given` is the value of [`DeploymentSecret::mac`], compared in constant time.
    #[must_use]
    pub fn verifies(&self, label: &str, parts: &[&[u8]], given: &[u8]) -> bool {
        let right = self.mac(label, parts);
        aws_lc_rs::constant_time::verify_slices_are_equal(right.as_bytes(), given).is_ok()
    }
}

impl fmt::Debug for DeploymentSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn is_created_once_with_private_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join("keys");
        let first = DeploymentSecret::open(&directory).unwrap().mac("x", &[b"y"]);
        assert_eq!(DeploymentSecret::open(&directory).unwrap().mac("x", &[b"y"]), first);
        let file = directory.join(FILE_NAME);
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let other = DeploymentSecret::open(&folder.path().join("other")).unwrap();
        assert_ne!(other.mac("x", &[b"y"]), first);

        std::fs::write(&file, "short").unwrap();
        assert!(matches!(DeploymentSecret::open(&directory), Err(ProofError::KeyStore { .. })));
    }

    #[test]
    fn the_key_store_is_in_the_same_directory() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join("keys");
        DeploymentSecret::open(&directory).unwrap();
        let now = contract::Timestamp::from_millis(1_794_711_380_000);
        let keys = crate::KeyStore::open(&directory, now).unwrap();
        assert_eq!(keys.ring().records().len(), 4);
    }

    #[test]
    fn a_mark_is_known_again_and_no_other_is() {
        let secret = DeploymentSecret::from_bytes(&[7; 32]);
        let mark = secret.mac("token", &[b"ab", b"c"]);
        assert!(secret.verifies("token", &[b"ab", b"c"], mark.as_bytes()));
        for (label, parts) in [
            ("token", [b"a".as_slice(), b"bc".as_slice()]),
            ("toke", [b"nab", b"c"]),
            ("token", [b"ab", b"d"]),
            ("other", [b"ab", b"c"]),
        ] {
            assert!(!secret.verifies(label, &parts, mark.as_bytes()), "{label} {parts:?}");
        }
        assert!(!secret.verifies("token", &[b"ab", b"c"], b""));
        assert!(!secret.verifies("token", &[b"abc"], mark.as_bytes()));
        assert!(!DeploymentSecret::from_bytes(&[8; 32]).verifies(
            "token",
            &[b"ab", b"c"],
            mark.as_bytes()
        ));
        assert_eq!(format!("{secret:?}"), "Secret");
    }
}
