//! What is known about a registration: as it is stored, and as callers get it.

use bytes::Bytes;
use contract::records::RegistryState;
use contract::{Domain, Timestamp};
use declared::rdap::Registration;
use judge::registry::compare_registrations;
use observe::RegistrationOutcome;
use store::{RegistrationChange, StoreError, StoredRegistration};

/// The words under which the outcome of the last attempt is stored.
const READ: &str = "read";
const NOT_FOUND: &str = "not_found";
const REFUSED: &str = "refused";
const FAILED: &str = "failed";

/// Why there is no registration of a domain whose top-level domain has no server.
pub(in crate::domains) const NO_SERVICE: &str =
    "The registry of this top-level domain offers no registration data (RDAP).";
/// Why there is none of a domain that nobody has registered.
pub(in crate::domains) const NO_SUCH_DOMAIN: &str = "The registry has no such domain.";

/// The field of a change by which a domain disappears from the registry or comes back.
const REGISTRATION_FIELD: &str = "registration";

/// What is known about the registration of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistrationReading {
    /// The registered domain.
    pub domain: Domain,
    /// Whether the last attempt gave a registration. The registration is the newest one in any state.
    pub state: RegistryState,
    /// Why the state is not `observed`.
    pub why: Option<String>,
    pub registration: Option<Registration>,
    /// The address of that registration, and when it was read.
    pub source: Option<String>,
    pub read_at: Option<Timestamp>,
    pub first_read_at: Option<Timestamp>,
    /// When the registry was asked last; `None` if it never was.
    pub attempted_at: Option<Timestamp>,
}

impl RegistrationReading {
    /// Whether the registry says that nobody has registered the domain.
    #[must_use]
    pub fn is_unregistered(&self) -> bool {
        self.state == RegistryState::NotRegistered
    }

    pub(super) fn not_available(domain: &Domain) -> Self {
        let why = NO_SERVICE;
        Self {
            state: RegistryState::NotAvailable,
            ..Self::not_measured(domain, None, why.to_owned())
        }
    }

    /// What was read before, if anything, with the reason why it was not read now.
    pub(super) fn not_measured(
        domain: &Domain,
        stored: Option<StoredReading>,
        why: String,
    ) -> Self {
        let known = stored.map(StoredReading::into_reading);
        Self {
            domain: domain.clone(),
            state: RegistryState::NotMeasured,
            why: Some(why),
            registration: known.as_ref().and_then(|known| known.registration.clone()),
            source: known.as_ref().and_then(|known| known.source.clone()),
            read_at: known.as_ref().and_then(|known| known.read_at),
            first_read_at: known.as_ref().and_then(|known| known.first_read_at),
            attempted_at: known.and_then(|known| known.attempted_at),
        }
    }
}

/// A stored registration whose JSON was parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredReading {
    pub(super) domain: Domain,
    pub(super) first_read_at: Option<Timestamp>,
    pub(super) read_at: Option<Timestamp>,
    pub(super) source: Option<String>,
    pub(super) registration: Option<Registration>,
    pub(super) attempted_at: Timestamp,
    pub(super) outcome: &'static str,
    pub(super) why: Option<String>,
    pub(super) next_attempt_at: Timestamp,
}

impl StoredReading {
    pub(super) fn from_stored(stored: StoredRegistration) -> Result<Self, StoreError> {
        let damaged = |why: String| StoreError::Damaged {
            what: format!("the registration of {}", stored.domain),
            why,
        };
        let registration = match stored.registration.is_empty() {
            true => None,
            false => {
                let parsed = serde_json::from_slice(&stored.registration);
                Some(parsed.map_err(|error| damaged(error.to_string()))?)
            }
        };
        let outcome =
            [READ, NOT_FOUND, REFUSED, FAILED].into_iter().find(|word| *word == stored.outcome);
        let outcome = outcome.ok_or_else(|| damaged(String::from("its outcome is not known")))?;
        Ok(Self {
            registration,
            outcome,
            domain: stored.domain,
            first_read_at: stored.first_read_at,
            read_at: stored.read_at,
            source: stored.source,
            attempted_at: stored.attempted_at,
            why: stored.why,
            next_attempt_at: stored.next_attempt_at,
        })
    }

    pub(super) fn to_stored(&self) -> Result<StoredRegistration, StoreError> {
        let registration = match &self.registration {
            None => Bytes::new(),
            Some(registration) => serde_json::to_vec(registration)
                .map_err(|error| StoreError::Failed {
                    doing: "storing a registration",
                    why: error.to_string(),
                })?
                .into(),
        };
        Ok(StoredRegistration {
            domain: self.domain.clone(),
            first_read_at: self.first_read_at,
            read_at: self.read_at,
            source: self.source.clone(),
            registration,
            attempted_at: self.attempted_at,
            outcome: self.outcome.to_owned(),
            why: self.why.clone(),
            next_attempt_at: self.next_attempt_at,
        })
    }

    pub(super) fn into_reading(self) -> RegistrationReading {
        let state = match self.outcome {
            READ => RegistryState::Observed,
            NOT_FOUND => RegistryState::NotRegistered,
            _ => RegistryState::NotMeasured,
        };
        RegistrationReading {
            domain: self.domain,
            state,
            why: self.why,
            registration: self.registration,
            source: self.source,
            read_at: self.read_at,
            first_read_at: self.first_read_at,
            attempted_at: Some(self.attempted_at),
        }
    }
}

/// Whether the registry had no such domain when it last said anything about it.
pub(super) fn is_missing(before: Option<&StoredReading>, changes: &[RegistrationChange]) -> bool {
    let last = changes.iter().find(|change| change.field == REGISTRATION_FIELD);
    before.is_some_and(|before| before.outcome == NOT_FOUND)
        || last.is_some_and(|change| change.to.is_none())
}

/// The reading after an attempt, and what changed. The caller sets `next_attempt_at`.
pub(super) fn apply_outcome(
    domain: &Domain,
    before: Option<StoredReading>,
    was_missing: bool,
    outcome: RegistrationOutcome,
    now: Timestamp,
) -> (StoredReading, Vec<RegistrationChange>) {
    let before = before.unwrap_or_else(|| StoredReading {
        domain: domain.clone(),
        first_read_at: None,
        read_at: None,
        source: None,
        registration: None,
        attempted_at: now,
        outcome: FAILED,
        why: None,
        next_attempt_at: now,
    });
    let since = before.read_at;
    let change = |field: &str, from: Option<String>, to: Option<String>, since: Timestamp| {
        let field = field.to_owned();
        RegistrationChange { domain: domain.clone(), at: now, since, field, from, to }
    };
    let registered = || Some(String::from("registered"));
    let mut changes = Vec::new();
    let attempted = StoredReading { attempted_at: now, ..before.clone() };
    let after = match outcome {
        RegistrationOutcome::Read { registration, source } => {
            // A change lies between two readings, so the first one has none.
            if let (Some(earlier), Some(since)) = (&before.registration, since) {
                let found = compare_registrations(earlier, &registration);
                changes.extend(
                    found.into_iter().map(|one| change(one.field, one.from, one.to, since)),
                );
                if was_missing {
                    changes.push(change(
                        REGISTRATION_FIELD,
                        None,
                        registered(),
                        before.attempted_at,
                    ));
                }
            }
            StoredReading {
                first_read_at: before.first_read_at.or(Some(now)),
                read_at: Some(now),
                source: Some(source),
                registration: Some(*registration),
                outcome: READ,
                why: None,
                ..attempted
            }
        }
        RegistrationOutcome::NotFound { .. } => {
            if let Some(since) = since.filter(|_| !was_missing) {
                changes.push(change(REGISTRATION_FIELD, registered(), None, since));
            }
            let why = Some(NO_SUCH_DOMAIN.to_owned());
            StoredReading { outcome: NOT_FOUND, why, ..attempted }
        }
        RegistrationOutcome::Refused { status, .. } => {
            let why =
                Some(format!("The registry's server refused the request with status {status}."));
            StoredReading { outcome: REFUSED, why, ..attempted }
        }
        RegistrationOutcome::Failed(why) => {
            StoredReading { outcome: FAILED, why: Some(why), ..attempted }
        }
    };
    (after, changes)
}
