//! Licences: making one, ending one, and knowing a key when it is shown.
//!
//! Here is the place for what a licence entitles to: plans and quotas will be asked for in
//! [`Service::licensed`] and nowhere else.

use std::fmt;

use contract::{Domain, Timestamp};
use data_encoding::BASE64URL_NOPAD;
use store::{Digest, Licence, Licences, LicensedDomains, StoreError};

use crate::{Ids, NoChance, Service};

/// A key in the form we make them. Never shown by `Debug`, so that no log can hold one.
#[derive(Clone, PartialEq, Eq)]
pub struct LicenceKey(String);

/// What a caller showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presented {
    Nothing,
    /// Something that was never a key of ours.
    NoKeyOfOurs,
    Key(LicenceKey),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LicenceError {
    #[error("this needs a licence key")]
    NoKey,
    /// One sentence for a key that never was and one that is over: the difference is nobody's
    /// business.
    #[error("this licence key is not in force")]
    UnknownKey,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    NoChance(#[from] NoChance),
}

/// A licence that has just been made, with the only copy of its key there will ever be.
#[derive(Debug, Clone)]
pub struct Minted {
    pub licence: Licence,
    pub key: LicenceKey,
}

/// Makes a licence. Of the key only the digest is kept.
pub async fn mint(
    licences: &dyn Licences,
    ids: &dyn Ids,
    now: Timestamp,
    domains: LicensedDomains,
    label: Option<String>,
) -> Result<Minted, LicenceError> {
    let key = LicenceKey::from_secret(&ids.secret()?);
    let licence = Licence {
        id: ids.unguessable()?,
        key_sha256: key.sha256(),
        domains,
        label,
        created_at: now.whole_seconds(),
        revoked_at: None,
    };
    licences.put_licence(licence.clone()).await?;
    Ok(Minted { licence, key })
}

impl LicenceKey {
    const PREFIX: &str = "wl_";
    /// What 32 bytes are in base64url.
    const LETTERS: usize = 43;

    fn from_secret(secret: &[u8; 32]) -> Self {
        Self(format!("{}{}", Self::PREFIX, BASE64URL_NOPAD.encode(secret)))
    }

    /// Nothing for a text that cannot be a key of ours, whatever its length or letters.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let letters = text.strip_prefix(Self::PREFIX)?;
        let plain = letters.len() == Self::LETTERS
            && letters.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        plain.then(|| Self(text.to_owned()))
    }

    /// For the one moment when a key is shown to whoever made it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    fn sha256(&self) -> Digest {
        Digest::of(self.0.as_bytes())
    }
}

impl fmt::Debug for LicenceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LicenceKey")
    }
}

impl Service {
    /// The licence whose key was shown. Keys are compared by looking their digest up: how long
    /// that takes says nothing about a key.
    pub async fn licensed(&self, presented: &Presented) -> Result<Licence, LicenceError> {
        let key = match presented {
            Presented::Nothing => return Err(LicenceError::NoKey),
            Presented::NoKeyOfOurs => return Err(LicenceError::UnknownKey),
            Presented::Key(key) => key,
        };
        let licence = self.store.licence_by_key(key.sha256()).await?;
        licence.filter(Licence::in_force).ok_or(LicenceError::UnknownKey)
    }

    /// Whether what was shown opens what is kept of this domain for its licence holders.
    pub(crate) async fn opens(
        &self,
        presented: &Presented,
        domain: &Domain,
    ) -> Result<bool, StoreError> {
        match self.licensed(presented).await {
            Ok(licence) => Ok(licence.covers(domain)),
            Err(LicenceError::Store(error)) => Err(error),
            Err(_) => Ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SystemIds;

    #[test]
    fn a_key_is_what_we_make_and_nothing_else() {
        let key = LicenceKey::from_secret(&[0xff; 32]);
        assert_eq!(key.reveal().len(), 46);
        assert_eq!(LicenceKey::read(key.reveal()), Some(key.clone()));
        let good = key.reveal();
        for bad in [
            "",
            "wl_",
            good.trim_start_matches('w'),
            &format!("{good}a"),
            good.strip_suffix(|_: char| true).unwrap(),
            &good.replace("wl_", "WL_"),
            &good.replacen('_', "é", 2),
            &format!("wl_{}", "a".repeat(100_000)),
            &format!("wl_{}", "é".repeat(21) + "a"),
            &format!("wl_{}=", "a".repeat(42)),
            &format!(" {good}"),
        ] {
            assert_eq!(LicenceKey::read(bad), None, "{bad}");
        }
    }

    #[test]
    fn no_log_can_hold_a_key() {
        let key = LicenceKey::from_secret(&SystemIds.secret().unwrap());
        let shown = format!("{:?} {:?}", key, Presented::Key(key.clone()));
        let letters = key.reveal().strip_prefix(LicenceKey::PREFIX).unwrap();
        assert!(!shown.contains(letters), "{shown}");
    }
}
