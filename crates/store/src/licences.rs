//! Licences: keys that allow more than anonymous access. Only the digest of a key is stored, so
//! that a reader of the store cannot use it.

use std::collections::BTreeSet;

use contract::{Domain, Timestamp};

use crate::scans::parse_stored_domain;
use crate::{BoxFuture, Digest, StoreError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Licence {
    /// Unique and never reused. Not a secret.
    pub id: String,
    /// SHA-256 of the key. Unique.
    pub key_sha256: Digest,
    pub domains: LicensedDomains,
    /// The operator's own note.
    pub label: Option<String>,
    pub created_at: Timestamp,
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

pub trait Licences: Send + Sync {
    /// Stores a licence; durable when this returns. An id or key that is already stored is refused,
    /// and the stored licence stays unchanged.
    fn put_licence(&self, licence: Licence) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The licence whose key has this digest, even if it is revoked: the caller decides.
    fn licence_by_key(
        &self,
        key_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<Licence>, StoreError>>;

    /// All licences, oldest first. Not paged, because operators create them by hand.
    fn licences(&self) -> BoxFuture<'_, Result<Vec<Licence>, StoreError>>;

    /// Revokes a licence and returns it, or `None` for an unknown id. Revoking again does not
    /// change the time.
    fn revoke_licence<'a>(
        &'a self,
        id: &'a str,
        at: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Licence>, StoreError>>;
}

impl Licence {
    /// Whether this licence, revoked or not, covers the domain.
    #[must_use]
    pub fn covers(&self, domain: &Domain) -> bool {
        self.domains.cover(domain)
    }

    /// Whether the licence is not revoked.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.revoked_at.is_none()
    }
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
    fn the_stored_text_round_trips() {
        for domains in [LicensedDomains::All, these(&[]), these(&["a.lab", "b.lab"])] {
            assert_eq!(LicensedDomains::parse(domains.to_text().as_deref()), Ok(domains));
        }
        assert!(LicensedDomains::parse(Some("A b")).is_err());
    }
}
