//! Licences: creating one, and checking the key that a caller sent.
//!
//! `Access::find_active_key` is the only place that decides whether a key is valid, and [`crate::access::plans`]
//! says what its licence gives.

use std::fmt;

use contract::{Day, Timestamp};
use data_encoding::BASE64URL_NOPAD;
use store::{Digest, Licence, Licences, LicensedDomains, StoreError, StoredKey};

use crate::access::Access;
use crate::access::plans::Plan;
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

/// What the operator decides about a new licence.
#[derive(Debug, Clone)]
pub struct LicenceTerms {
    /// The name of its plan.
    pub plan: String,
    pub domains: LicensedDomains,
    pub label: Option<String>,
    pub expires_at: Option<Timestamp>,
}

/// Creates a licence. Only the digest of the key is stored.
pub async fn create_licence(
    licences: &dyn Licences,
    ids: &dyn Ids,
    now: Timestamp,
    terms: LicenceTerms,
) -> Result<NewLicence, LicenceError> {
    let key = LicenceKey::generate(ids)?;
    let licence = Licence {
        id: ids.random_id()?,
        plan: terms.plan,
        domains: terms.domains,
        label: terms.label,
        mailbox: None,
        created_at: now.whole_seconds(),
        expires_at: terms.expires_at,
        revoked_at: None,
        last_used: None,
    };
    let first_key = key.to_stored(&licence.id, licence.created_at);
    licences.put_licence(licence.clone(), first_key).await?;
    Ok(NewLicence { licence, key })
}

/// A key that replaces the others of its licence.
#[derive(Debug, Clone)]
pub struct RotatedKey {
    pub key: LicenceKey,
    /// When the other keys end.
    pub others_end_at: Timestamp,
}

/// How long the former keys of a licence stay valid after a new one was made, unless it is said otherwise.
pub const KEY_OVERLAP_HOURS: u32 = 24;
/// The longest overlap, in hours.
pub const MAX_KEY_OVERLAP_HOURS: u32 = 90 * 24;

/// Makes a new key for a licence; its other keys end after the overlap. `None` if the licence is unknown or
/// revoked.
pub async fn rotate_key(
    licences: &dyn Licences,
    ids: &dyn Ids,
    now: Timestamp,
    licence_id: &str,
    overlap_hours: u32,
) -> Result<Option<RotatedKey>, LicenceError> {
    let key = LicenceKey::generate(ids)?;
    let now = now.whole_seconds();
    let overlap = i64::from(overlap_hours.min(MAX_KEY_OVERLAP_HOURS));
    let others_end_at = now.plus_millis(overlap * 3_600_000);
    let added = licences.add_key(key.to_stored(licence_id, now), Some(others_end_at)).await?;
    Ok(added.then_some(RotatedKey { key, others_end_at }))
}

impl LicenceKey {
    const PREFIX: &str = "wl_";
    /// 32 bytes in base64url.
    const SECRET_CHARS: usize = 43;

    fn from_secret(secret: &[u8; 32]) -> Self {
        Self(format!("{}{}", Self::PREFIX, BASE64URL_NOPAD.encode(secret)))
    }

    /// A new key.
    pub fn generate(ids: &dyn Ids) -> Result<Self, RandomnessError> {
        Ok(Self::from_secret(&ids.random_bytes()?))
    }

    /// What is stored of a key: its digest and its first characters.
    #[must_use]
    pub fn to_stored(&self, licence_id: &str, created_at: Timestamp) -> StoredKey {
        StoredKey {
            key_sha256: self.sha256(),
            licence_id: licence_id.to_owned(),
            prefix: self.recognisable_prefix(),
            created_at,
            expires_at: None,
            revoked_at: None,
        }
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

    pub(crate) fn sha256(&self) -> Digest {
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
        self.find_active_key(presented).await.map(|(licence, _)| licence)
    }

    /// The same, with the key as it is stored. Records the day of the use.
    pub(super) async fn find_active_key(
        &self,
        presented: &PresentedKey,
    ) -> Result<(Licence, StoredKey), LicenceError> {
        let key = match presented {
            PresentedKey::Missing => return Err(LicenceError::NoKey),
            PresentedKey::Malformed => return Err(LicenceError::UnknownKey),
            PresentedKey::Key(key) => key,
        };
        let now = self.clock.now();
        let found = self.store.licence_by_key(key.sha256()).await?;
        let (licence, key) = found
            .filter(|(licence, key)| licence.is_active(now) && key.is_valid(now))
            .ok_or(LicenceError::UnknownKey)?;
        self.note_licence_use(&licence, now).await;
        Ok((licence, key))
    }

    /// Writes once a day and licence. A store that cannot be written to refuses no reader.
    async fn note_licence_use(&self, licence: &Licence, now: Timestamp) {
        let today = Day::of(now);
        if licence.last_used.is_some_and(|day| day >= today) {
            return;
        }
        if let Err(error) = self.store.mark_licence_used(&licence.id, today).await {
            tracing::warn!(%error, "the day of a licence's last use could not be stored");
        }
    }

    /// What a licence gives.
    #[must_use]
    pub fn plan_of(&self, licence: &Licence) -> Plan {
        self.plans.get().of_licence(licence)
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
