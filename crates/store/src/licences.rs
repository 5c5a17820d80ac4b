//! Licences, and the keys by which their holders prove them. They allow more than anonymous access. Only
//! the digest of a key is stored, so that a reader of the store cannot use it.

use std::collections::BTreeSet;

use contract::{Domain, Timestamp};

use crate::scans::parse_stored_domain;
use crate::{BoxFuture, Day, Digest, StoreError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Licence {
    /// Unique and never reused. Not a secret.
    pub id: String,
    /// The name of its plan. What the plan gives is decided by the caller.
    pub plan: String,
    pub domains: LicensedDomains,
    /// The operator's own note.
    pub label: Option<String>,
    /// The mailbox that asked for it, as a digest that the caller chose.
    pub mailbox: Option<Digest>,
    pub created_at: Timestamp,
    /// The licence is invalid from this time on.
    pub expires_at: Option<Timestamp>,
    /// The licence is invalid from this time on.
    pub revoked_at: Option<Timestamp>,
    /// The last day on which it was used.
    pub last_used: Option<Day>,
}

/// A key of a licence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredKey {
    /// SHA-256 of the key. Unique.
    pub key_sha256: Digest,
    pub licence_id: String,
    /// The first characters, by which its holder recognises it. Empty for keys from before these were kept.
    pub prefix: String,
    pub created_at: Timestamp,
    /// The key is invalid from this time on, for example since another one replaced it.
    pub expires_at: Option<Timestamp>,
    /// The key is invalid from this time on.
    pub revoked_at: Option<Timestamp>,
}

/// The domains that a licence covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LicensedDomains {
    All,
    /// Exactly these domains, without their subdomains.
    Only(BTreeSet<Domain>),
}

/// A position in the order of licences: by creation, then by id (bytewise).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LicenceCursor {
    pub created_at: Timestamp,
    pub id: String,
}

/// Keys of a licence that are valid at the same time.
pub const MAX_VALID_KEYS: usize = 20;
/// Keys of a licence that are stored. Those that ended first are removed for new ones.
pub const MAX_STORED_KEYS: usize = 100;

pub trait Licences: Send + Sync {
    /// Stores a licence with its first key; durable when this returns. An id or key that is already
    /// stored is refused, and what is stored stays unchanged.
    fn put_licence(
        &self,
        licence: Licence,
        first_key: StoredKey,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The key with this digest and its licence, even if one of them has ended: the caller decides.
    fn licence_by_key(
        &self,
        key_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<(Licence, StoredKey)>, StoreError>>;

    fn licence<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Licence>, StoreError>>;

    /// The licence that this mailbox asked for and that is not revoked; it may have expired. The newest
    /// one, if there are several.
    fn licence_by_mailbox(
        &self,
        mailbox: Digest,
    ) -> BoxFuture<'_, Result<Option<Licence>, StoreError>>;

    /// The licences after `after`, oldest first, at most `limit`.
    fn licences(
        &self,
        after: Option<LicenceCursor>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Licence>, StoreError>>;

    /// All stored keys of a licence, oldest first: at most [`MAX_STORED_KEYS`].
    fn keys_of<'a>(
        &'a self,
        licence_id: &'a str,
    ) -> BoxFuture<'a, Result<Vec<StoredKey>, StoreError>>;

    /// Adds a key to its licence. With `end_others_at`, the other keys end at that time, unless they end
    /// earlier. Returns `false`, and changes nothing, if the licence is unknown or revoked. Refused with
    /// [`StoreError::LimitReached`] if more than [`MAX_VALID_KEYS`] keys would be valid when the new one
    /// was created.
    fn add_key(
        &self,
        key: StoredKey,
        end_others_at: Option<Timestamp>,
    ) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Revokes a licence and returns it, or `None` for an unknown id. Revoking again does not
    /// change the time.
    fn revoke_licence<'a>(
        &'a self,
        id: &'a str,
        at: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Licence>, StoreError>>;

    /// Revokes one key and returns it, or `None` for an unknown one. Revoking again does not change the
    /// time.
    fn revoke_key(
        &self,
        key_sha256: Digest,
        at: Timestamp,
    ) -> BoxFuture<'_, Result<Option<StoredKey>, StoreError>>;

    /// Records that a licence was used on this day, unless a later day is recorded. Callers that know
    /// [`Licence::last_used`] need to call this once a day only.
    fn mark_licence_used<'a>(
        &'a self,
        id: &'a str,
        day: Day,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Stores a licence of another store with its keys, or brings the stored one up to date: other keys
    /// that it has here are removed. What is revoked here stays revoked. An id or key that belongs to another licence is refused.
    fn import_licence(
        &self,
        licence: Licence,
        keys: Vec<StoredKey>,
    ) -> BoxFuture<'_, Result<(), StoreError>>;
}

impl Licence {
    /// Whether this licence, valid or not, covers the domain.
    #[must_use]
    pub fn covers(&self, domain: &Domain) -> bool {
        self.domains.cover(domain)
    }

    /// Whether the licence is neither revoked nor expired.
    #[must_use]
    pub fn is_active(&self, now: Timestamp) -> bool {
        has_not_ended(self.revoked_at, self.expires_at, now)
    }

    #[must_use]
    pub fn cursor(&self) -> LicenceCursor {
        LicenceCursor { created_at: self.created_at, id: self.id.clone() }
    }
}

impl StoredKey {
    /// Whether the key is neither revoked nor expired. Its licence must be active as well.
    #[must_use]
    pub fn is_valid(&self, now: Timestamp) -> bool {
        has_not_ended(self.revoked_at, self.expires_at, now)
    }
}

/// A revocation is in force at once, also if the clock was set back since.
fn has_not_ended(
    revoked_at: Option<Timestamp>,
    expires_at: Option<Timestamp>,
    now: Timestamp,
) -> bool {
    revoked_at.is_none() && expires_at.is_none_or(|at| now < at)
}

impl LicensedDomains {
    #[must_use]
    pub fn cover(&self, domain: &Domain) -> bool {
        match self {
            Self::All => true,
            Self::Only(domains) => domains.contains(domain),
        }
    }

    /// The text that engines store: the names separated by spaces, or `None` for all domains.
    #[must_use]
    pub fn to_text(&self) -> Option<String> {
        match self {
            Self::All => None,
            Self::Only(domains) => {
                Some(domains.iter().map(Domain::as_str).collect::<Vec<_>>().join(" "))
            }
        }
    }

    /// Parses the text of [`LicensedDomains::to_text`].
    pub fn parse(written: Option<&str>) -> Result<Self, StoreError> {
        let Some(names) = written else { return Ok(Self::All) };
        let names = names.split(' ').filter(|name| !name.is_empty());
        Ok(Self::Only(names.map(parse_stored_domain).collect::<Result<_, _>>()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn these(names: &[&str]) -> LicensedDomains {
        LicensedDomains::Only(names.iter().map(|name| parse_stored_domain(name).unwrap()).collect())
    }

    #[test]
    fn a_licence_covers_exactly_its_domains() {
        let shop = parse_stored_domain("shop.lab").unwrap();
        let below = parse_stored_domain("eu.shop.lab").unwrap();
        assert!(these(&["other.lab", "shop.lab"]).cover(&shop));
        assert!(!these(&["shop.lab"]).cover(&below));
        assert!(!these(&["eu.shop.lab"]).cover(&shop));
        assert!(!these(&[]).cover(&shop));
        assert!(LicensedDomains::All.cover(&below));
    }

    #[test]
    fn a_licence_ends_when_it_is_revoked_or_expires() {
        let at = Timestamp::from_millis;
        let licence = Licence {
            id: "l".into(),
            plan: "free".into(),
            domains: LicensedDomains::All,
            label: None,
            mailbox: None,
            created_at: at(0),
            expires_at: Some(at(10)),
            revoked_at: None,
            last_used: None,
        };
        assert!(licence.is_active(at(9)));
        assert!(!licence.is_active(at(10)));
        let revoked = Licence { revoked_at: Some(at(5)), ..licence };
        assert!(!revoked.is_active(at(4)), "also with a clock that was set back");
    }

    #[test]
    fn the_stored_text_round_trips() {
        for domains in [LicensedDomains::All, these(&[]), these(&["a.lab", "b.lab"])] {
            assert_eq!(LicensedDomains::parse(domains.to_text().as_deref()), Ok(domains));
        }
        assert!(LicensedDomains::parse(Some("A b")).is_err());
    }
}
