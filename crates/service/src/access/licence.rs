//! Licences: creating one, and checking the key that a caller sent.
//!
//! `Access::find_active_licence` is the only place that decides what a licence entitles to.

use std::fmt;

use contract::{Domain, Timestamp};
use data_encoding::BASE64URL_NOPAD;
use store::{Digest, Licence, Licences, LicensedDomains, StoreError, StoredKey};

use crate::access::Access;
use crate::random_ids::{Ids, RandomnessError};

/// A licence key in our format. `Debug` does not print it, so that it cannot end up in a log.
#[derive(Clone, PartialEq, Eq)]
pub struct LicenceKey(String);

/// The licence key that a caller sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PresentedKey {
    Missing,
    /// Something that is not in the format of our keys.
    Malformed,
    Key(LicenceKey),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LicenceError {
    #[error("a licence key is required")]
    NoKey,
    /// The same error for unknown and for revoked keys, so that callers cannot tell them apart.
    #[error("this licence key is not valid")]
    UnknownKey,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    NoChance(#[from] RandomnessError),
}

/// A licence that was just created, with the only copy of its key.
#[derive(Debug, Clone)]
pub struct NewLicence {
    pub licence: Licence,
    pub key: LicenceKey,
}

/// Creates a licence. Only the digest of the key is stored.
pub async fn create_licence(
    licences: &dyn Licences,
    ids: &dyn Ids,
    now: Timestamp,
    domains: LicensedDomains,
    label: Option<String>,
) -> Result<NewLicence, LicenceError> {
    let key = LicenceKey::from_secret(&ids.random_bytes()?);
    let licence = Licence {
        id: ids.random_id()?,
        plan: "unlimited".to_owned(),
        domains,
        label,
        mailbox: None,
        created_at: now.whole_seconds(),
        expires_at: None,
        revoked_at: None,
        last_used: None,
    };
    let first_key = StoredKey {
        key_sha256: key.sha256(),
        licence_id: licence.id.clone(),
        prefix: key.recognisable_prefix(),
        created_at: licence.created_at,
        expires_at: None,
        revoked_at: None,
    };
    licences.put_licence(licence.clone(), first_key).await?;
    Ok(NewLicence { licence, key })
}

impl LicenceKey {
    const PREFIX: &str = "wl_";
    /// 32 bytes in base64url.
    const SECRET_CHARS: usize = 43;

    fn from_secret(secret: &[u8; 32]) -> Self {
        Self(format!("{}{}", Self::PREFIX, BASE64URL_NOPAD.encode(secret)))
    }

    /// `None` for a text that is not in the format of our keys.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let letters = text.strip_prefix(Self::PREFIX)?;
        let plain = letters.len() == Self::SECRET_CHARS
            && letters.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        plain.then(|| Self(text.to_owned()))
    }

    /// The key itself, to show it once to whoever created it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Its first characters, by which its holder tells it from others. They give 30 of 256 bits away.
    #[must_use]
    pub fn recognisable_prefix(&self) -> String {
        self.0.chars().take(Self::PREFIX.len() + 5).collect()
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

impl Access {
    /// The active licence of the key that was sent. Keys are looked up by digest, so the response
    /// time reveals nothing about them.
    pub async fn find_active_licence(
        &self,
        presented: &PresentedKey,
    ) -> Result<Licence, LicenceError> {
        let key = match presented {
            PresentedKey::Missing => return Err(LicenceError::NoKey),
            PresentedKey::Malformed => return Err(LicenceError::UnknownKey),
            PresentedKey::Key(key) => key,
        };
        let now = self.clock.now();
        let found = self.store.licence_by_key(key.sha256()).await?;
        found
            .filter(|(licence, key)| licence.is_active(now) && key.is_valid(now))
            .map(|(licence, _)| licence)
            .ok_or(LicenceError::UnknownKey)
    }

    /// Whether the key that was sent belongs to an active licence for this domain.
    pub(crate) async fn has_licence_for(
        &self,
        presented: &PresentedKey,
        domain: &Domain,
    ) -> Result<bool, StoreError> {
        match self.find_active_licence(presented).await {
            Ok(licence) => Ok(licence.covers(domain)),
            Err(LicenceError::Store(error)) => Err(error),
            Err(_) => Ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_ids::SystemIds;

    #[test]
    fn only_keys_in_our_format_are_parsed() {
        let key = LicenceKey::from_secret(&[0xff; 32]);
        assert_eq!(key.reveal().len(), 46);
        assert_eq!(LicenceKey::parse(key.reveal()), Some(key.clone()));
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
            assert_eq!(LicenceKey::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn debug_does_not_print_keys() {
        let key = LicenceKey::from_secret(&SystemIds.random_bytes().unwrap());
        let shown = format!("{:?} {:?}", key, PresentedKey::Key(key.clone()));
        let letters = key.reveal().strip_prefix(LicenceKey::PREFIX).unwrap();
        assert!(!shown.contains(letters), "{shown}");
    }
}
