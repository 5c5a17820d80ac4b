//! Registrations: read from the registry when the stored reading is too old, within the limits of each
//! registry, one read of a domain at a time.

mod bootstrap_cache;
mod hosts;
mod reading;

use std::time::Duration;

use contract::limits::REGISTRY_READ_BUDGET;
use contract::{Domain, Timestamp};
use observe::RegistrationOutcome;
use store::{StoreError, StoredRegistration};

pub(super) use bootstrap_cache::BootstrapCache;
pub(super) use hosts::RegistryHosts;
pub use reading::RegistrationReading;
pub(super) use reading::{NO_SERVICE, NO_SUCH_DOMAIN};

use self::hosts::HostRefusal;
use self::reading::StoredReading;
use super::Domains;
use crate::access::LiveReadPermit;

/// A domain that was not found is asked for again after this time, or after that of the cache if it is shorter.
const NOT_FOUND_PAUSE: Duration = Duration::from_secs(3_600);
/// A read that failed is repeated after this time.
const FAILED_PAUSE: Duration = Duration::from_secs(600);
/// A forced read of a registration that was attempted within this time gives that attempt.
const REFRESH_PAUSE: Duration = Duration::from_secs(60);

const READS_TOTAL: &str = "wayleave_registry_reads_total";

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistrationError {
    /// The registration is not stored, and this caller may not have it read now.
    #[error("the limit of live reads for this address is reached")]
    RateLimited { wait: Duration },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// When the registry is asked.
#[derive(Clone, Copy)]
enum Freshness<'a> {
    /// If the stored reading is too old, and the caller has a live read left.
    Cached(&'a dyn LiveReadPermit),
    /// Unless it was asked a moment before.
    Now,
}

impl Domains {
    /// The registration of the registered domain that this one belongs to: the stored reading, or a new one if that is
    /// too old. Only a new one draws from the caller's live reads.
    pub async fn registration(
        &self,
        domain: &Domain,
        permit: &dyn LiveReadPermit,
    ) -> Result<RegistrationReading, RegistrationError> {
        self.read_registration(&domain.registered_domain(), Freshness::Cached(permit)).await
    }

    /// The registration as the registry gives it now, within the limits of the registry: for checks that must not rest
    /// on an older reading. If the registry cannot be asked, the state is `not_measured`, with the reason.
    pub async fn refresh_registration(
        &self,
        domain: &Domain,
    ) -> Result<RegistrationReading, StoreError> {
        match self.read_registration(&domain.registered_domain(), Freshness::Now).await {
            Ok(reading) => Ok(reading),
            Err(RegistrationError::Store(error)) => Err(error),
            // A forced read draws from nobody's live reads.
            Err(error @ RegistrationError::RateLimited { .. }) => {
                Err(StoreError::Failed { doing: "reading a registry", why: error.to_string() })
            }
        }
    }

    /// The stored reading, whatever its age, without asking the registry; `None` if there is none.
    pub async fn stored_registration(
        &self,
        domain: &Domain,
    ) -> Result<Option<RegistrationReading>, StoreError> {
        let name = domain.registered_domain();
        let stored = self.store.registration(name.as_str()).await?;
        Ok(stored.map(StoredReading::from_stored).transpose()?.map(StoredReading::into_reading))
    }

    async fn read_registration(
        &self,
        name: &Domain,
        freshness: Freshness<'_>,
    ) -> Result<RegistrationReading, RegistrationError> {
        let asked_at = self.clock.now();
        if let Some(reading) = self.usable_reading(name, freshness, asked_at).await? {
            return Ok(reading.into_reading());
        }
        // One read of a domain at a time: whoever waited finds what the first one stored.
        let _turn = self.turns.begin(name).await;
        if let Some(reading) = self.usable_reading(name, freshness, asked_at).await? {
            return Ok(reading.into_reading());
        }
        let stored = self.load_reading(name).await?;
        if self.settings.bootstrap.is_none() {
            let why = "This service does not read registries.";
            return Ok(RegistrationReading::not_measured(name, stored, why.to_owned()));
        }
        let list = self.bootstrap.current(&self.scanner, self.clock.now()).await;
        let Some(server) = list.server(name.as_str()) else {
            return Ok(if list.is_complete {
                RegistrationReading::not_available(name)
            } else {
                let why = "The list of registries could not be fetched yet, and the built-in one does \
                           not have this top-level domain.";
                RegistrationReading::not_measured(name, stored, why.to_owned())
            });
        };
        if let Freshness::Cached(permit) = freshness
            && let Err(wait) = permit.acquire()
        {
            // An older reading is better than none.
            return match stored.filter(|stored| stored.registration.is_some()) {
                Some(stored) => Ok(stored.into_reading()),
                None => Err(RegistrationError::RateLimited { wait }),
            };
        }
        if let Err(refusal) = self.hosts.begin(server, self.clock.now()) {
            metrics::counter!(READS_TOTAL, "result" => "limited").increment(1);
            return Ok(RegistrationReading::not_measured(name, stored, describe_refusal(refusal)));
        }
        let outcome = self.scanner.read_registration(name, server, REGISTRY_READ_BUDGET).await;
        self.store_outcome(name, server, stored, outcome).await
    }

    /// The stored reading, if it is new enough.
    async fn usable_reading(
        &self,
        name: &Domain,
        freshness: Freshness<'_>,
        asked_at: Timestamp,
    ) -> Result<Option<StoredReading>, StoreError> {
        let Some(reading) = self.load_reading(name).await? else { return Ok(None) };
        let attempted_at = reading.attempted_at;
        let age = asked_at.millis_since(attempted_at);
        let is_usable = match freshness {
            // A time in the future is that of a clock that was set back since.
            Freshness::Cached(_) => {
                asked_at < reading.next_attempt_at && age >= -duration_ms(REFRESH_PAUSE)
            }
            Freshness::Now => {
                age < duration_ms(REFRESH_PAUSE) && age >= -duration_ms(REFRESH_PAUSE)
            }
        };
        Ok(is_usable.then_some(reading))
    }

    /// The stored reading. A damaged one is replaced by the next read, as if there were none.
    async fn load_reading(&self, name: &Domain) -> Result<Option<StoredReading>, StoreError> {
        match self.store.registration(name.as_str()).await {
            Ok(stored) => stored.map(StoredReading::from_stored).transpose(),
            Err(StoreError::Damaged { what, why }) => {
                tracing::error!(%what, %why, "a stored registration is damaged and is read again");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Stores what came of a read, with what changed since the reading before it.
    async fn store_outcome(
        &self,
        name: &Domain,
        server: &str,
        before: Option<StoredReading>,
        outcome: RegistrationOutcome,
    ) -> Result<RegistrationReading, RegistrationError> {
        let now = self.clock.now().whole_seconds();
        let pause = match &outcome {
            RegistrationOutcome::Read { .. } => self.settings.cache,
            RegistrationOutcome::NotFound { .. } => NOT_FOUND_PAUSE.min(self.settings.cache),
            RegistrationOutcome::Refused { status, retry_after } => {
                self.hosts.pause(server, *status, *retry_after, self.clock.now())
            }
            RegistrationOutcome::Failed(_) => FAILED_PAUSE,
        };
        let earlier_changes = self.store.registration_changes(name.as_str()).await;
        // A damaged change costs at most an entry of the timeline.
        let was_missing =
            reading::is_missing(before.as_ref(), &earlier_changes.unwrap_or_default());
        let (after, changes) = reading::apply_outcome(name, before, was_missing, outcome, now);
        let after = StoredReading { next_attempt_at: now.plus_millis(duration_ms(pause)), ..after };
        metrics::counter!(READS_TOTAL, "result" => after.outcome).increment(1);
        let stored: StoredRegistration = after.to_stored()?;
        self.store.put_registration(stored, changes).await?;
        Ok(after.into_reading())
    }
}

fn describe_refusal(refusal: HostRefusal) -> String {
    match refusal {
        HostRefusal::Limit { wait } => format!(
            "This service reads the registry as often as it may. Try again in {} s.",
            wait.as_secs().max(1)
        ),
        HostRefusal::Paused { status, wait } => format!(
            "The registry's server answered with status {status} and is not asked again for {} s.",
            wait.as_secs().max(1)
        ),
    }
}

fn duration_ms(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
