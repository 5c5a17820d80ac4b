//! What registries say about domains: the newest reading of each registered domain, and what changed between
//! readings. Nothing about registrants.

use bytes::Bytes;
use contract::{Domain, Timestamp};

use crate::fingerprint::Fingerprint;
use crate::size::check_size;
use crate::{BoxFuture, Digest, StoreError};

/// The newest successful reading of a registration, and the state of the attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRegistration {
    /// The registered domain.
    pub domain: Domain,
    /// When it was read for the first time; `None` if it never was.
    pub first_read_at: Option<Timestamp>,
    /// When it was read last.
    pub read_at: Option<Timestamp>,
    /// The address of the newest reading.
    pub source: Option<String>,
    /// The newest reading as JSON; empty if there is none.
    pub registration: Bytes,
    /// When the last attempt was made, successful or not.
    pub attempted_at: Timestamp,
    /// What came of it, as a word of the caller.
    pub outcome: String,
    /// Why it gave no registration; `None` if it did.
    pub why: Option<String>,
    /// The next attempt is not made before this time.
    pub next_attempt_at: Timestamp,
}

/// A field that differs between two consecutive readings of a registration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistrationChange {
    pub domain: Domain,
    /// When the new value was read first.
    pub at: Timestamp,
    /// When the old value was read last.
    pub since: Timestamp,
    /// Unique for a domain and a time.
    pub field: String,
    /// `None` where the registry gave no value.
    pub from: Option<String>,
    pub to: Option<String>,
}

/// Registered domains. A further one removes the one whose last attempt is the longest ago.
pub const MAX_REGISTRATIONS: usize = 100_000;
/// Changes of one domain. A further one removes the oldest.
pub const MAX_CHANGES_OF_DOMAIN: usize = 200;

pub trait Registrations: Send + Sync {
    /// Stores a registration, replacing the one of the same domain, also a damaged one, and adds changes, which
    /// must be about the same domain; both or neither, durable when this returns. A change with the domain, time
    /// and field of a stored one replaces it. Removes what is beyond [`MAX_REGISTRATIONS`] and
    /// [`MAX_CHANGES_OF_DOMAIN`].
    fn put_registration(
        &self,
        registration: StoredRegistration,
        changes: Vec<RegistrationChange>,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The registration of this registered domain.
    fn registration<'a>(
        &'a self,
        domain: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredRegistration>, StoreError>>;

    /// The changes of a registered domain, newest first, those of one time in the order of their fields: at most
    /// [`MAX_CHANGES_OF_DOMAIN`].
    fn registration_changes<'a>(
        &'a self,
        domain: &'a str,
    ) -> BoxFuture<'a, Result<Vec<RegistrationChange>, StoreError>>;

    /// The registered domains after `after`, in order, at most `limit`. Damaged ones are listed too.
    fn list_registrations(
        &self,
        after: Option<String>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<String>, StoreError>>;
}

impl StoredRegistration {
    /// A digest over all members, which engines compare when they read.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        Fingerprint::of("registration 1")
            .text(self.domain.as_str())
            .optional_time(self.first_read_at)
            .optional_time(self.read_at)
            .optional(self.source.as_deref())
            .body(&self.registration)
            .time(self.attempted_at)
            .text(&self.outcome)
            .optional(self.why.as_deref())
            .time(self.next_attempt_at)
            .finish()
    }

    /// Refuses a value that is too large for any engine. Engines call this before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("registration", &self.registration)
    }
}

impl RegistrationChange {
    /// A digest over all members, which engines compare when they read.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        Fingerprint::of("registration change 1")
            .text(self.domain.as_str())
            .time(self.at)
            .time(self.since)
            .text(&self.field)
            .optional(self.from.as_deref())
            .optional(self.to.as_deref())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scans::parse_stored_domain;

    #[test]
    fn every_field_of_a_registration_moves_the_fingerprint() {
        let before = StoredRegistration {
            domain: parse_stored_domain("shop.lab").unwrap(),
            first_read_at: Some(Timestamp::from_millis(0)),
            read_at: None,
            source: Some(String::new()),
            registration: Bytes::from_static(b"{}"),
            attempted_at: Timestamp::from_millis(3),
            outcome: "read".into(),
            why: None,
            next_attempt_at: Timestamp::from_millis(4),
        };
        let changes: [fn(&mut StoredRegistration); 9] = [
            |r| r.domain = parse_stored_domain("shop.lap").unwrap(),
            |r| r.first_read_at = None,
            |r| r.read_at = Some(Timestamp::from_millis(0)),
            |r| r.source = None,
            |r| r.registration = Bytes::new(),
            |r| r.attempted_at = Timestamp::from_millis(5),
            |r| r.outcome = "not_found".into(),
            |r| r.why = Some(String::new()),
            |r| r.next_attempt_at = Timestamp::from_millis(5),
        ];
        for change in changes {
            let mut after = before.clone();
            change(&mut after);
            assert_ne!(after.fingerprint(), before.fingerprint(), "{after:?}");
        }
    }

    #[test]
    fn every_field_of_a_change_moves_the_fingerprint() {
        let before = RegistrationChange {
            domain: parse_stored_domain("shop.lab").unwrap(),
            at: Timestamp::from_millis(1),
            since: Timestamp::from_millis(1),
            field: "registrar".into(),
            from: None,
            to: Some("A".into()),
        };
        let changes: [fn(&mut RegistrationChange); 6] = [
            |c| c.domain = parse_stored_domain("shop.lap").unwrap(),
            |c| c.at = Timestamp::from_millis(2),
            |c| c.since = Timestamp::from_millis(0),
            |c| c.field = "created".into(),
            |c| c.from = Some(String::new()),
            |c| c.to = None,
        ];
        for change in changes {
            let mut after = before.clone();
            change(&mut after);
            assert_ne!(after.fingerprint(), before.fingerprint(), "{after:?}");
        }
    }
}
