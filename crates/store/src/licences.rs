//! Licences: who may ask beyond what everybody may. Of a key only its digest is kept, so that
//! whoever reads the store can open nothing with it.

use std::collections::BTreeSet;

use contract::{Domain, Timestamp};

use crate::scans::kept_domain;
use crate::{BoxFuture, Digest, StoreError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Licence {
    /// Unique for ever. Not a secret.
    pub id: String,
    /// SHA-256 of the key. Unique.
    pub key_sha256: Digest,
    pub domains: LicensedDomains,
    /// The operator's own note.
    pub label: Option<String>,
    pub created_at: Timestamp,
    /// From then on the key opens nothing.
    pub revoked_at: Option<Timestamp>,
}

/// What a licence is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LicensedDomains {
    All,
    /// These very domains; names below them are other domains.
    These(BTreeSet<Domain>),
}

pub trait Licences: Send + Sync {
    /// Keeps a licence, durably when this returns. An id or a key that is kept already is refused,
    /// and what is kept stays as it was.
    fn put_licence(&self, licence: Licence) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The licence whose key has this digest, revoked ones included: the caller decides.
    fn licence_by_key(
        &self,
        key_sha256: Digest,
    ) -> BoxFuture<'_, Result<Option<Licence>, StoreError>>;

    /// Every licence, the oldest first. An operator makes them one by one, so they are few.
    fn licences(&self) -> BoxFuture<'_, Result<Vec<Licence>, StoreError>>;

    /// Ends a licence and returns it as it now is, or nothing for an id that is not kept. The
    /// first moment stands: revoking again changes nothing.
    fn revoke_licence<'a>(
        &'a self,
        id: &'a str,
        at: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Licence>, StoreError>>;
}

impl Licence {
    /// Whether this licence, revoked or not, is for this domain.
    #[must_use]
    pub fn covers(&self, domain: &Domain) -> bool {
        self.domains.cover(domain)
    }

    /// Whether its key still opens something.
    #[must_use]
    pub fn in_force(&self) -> bool {
        self.revoked_at.is_none()
    }
}

impl LicensedDomains {
    #[must_use]
    pub fn cover(&self, domain: &Domain) -> bool {
        match self {
            Self::All => true,
            Self::These(domains) => domains.contains(domain),
        }
    }

    /// One text for engines to keep: the names between spaces, or nothing for all of them.
    #[must_use]
    pub fn written(&self) -> Option<String> {
        match self {
            Self::All => None,
            Self::These(domains) => {
                Some(domains.iter().map(Domain::as_str).collect::<Vec<_>>().join(" "))
            }
        }
    }

    /// What [`LicensedDomains::written`] wrote.
    pub fn read(written: Option<&str>) -> Result<Self, StoreError> {
        let Some(names) = written else { return Ok(Self::All) };
        let names = names.split(' ').filter(|name| !name.is_empty());
        Ok(Self::These(names.map(kept_domain).collect::<Result<_, _>>()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn these(names: &[&str]) -> LicensedDomains {
        LicensedDomains::These(names.iter().map(|name| kept_domain(name).unwrap()).collect())
    }

    #[test]
    fn a_licence_is_for_its_very_domains() {
        let shop = kept_domain("shop.lab").unwrap();
        let below = kept_domain("eu.shop.lab").unwrap();
        assert!(these(&["other.lab", "shop.lab"]).cover(&shop));
        assert!(!these(&["shop.lab"]).cover(&below));
        assert!(!these(&["eu.shop.lab"]).cover(&shop));
        assert!(!these(&[]).cover(&shop));
        assert!(LicensedDomains::All.cover(&below));
    }

    #[test]
    fn what_was_written_is_read_again() {
        for domains in [LicensedDomains::All, these(&[]), these(&["a.lab", "b.lab"])] {
            assert_eq!(LicensedDomains::read(domains.written().as_deref()), Ok(domains));
        }
        assert!(LicensedDomains::read(Some("A b")).is_err());
    }
}
