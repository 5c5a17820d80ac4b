//! The events of control as entries of a domain's timeline, and what the registry's changes mean for claims.

use contract::Domain;
use contract::records::{ControlEventType, TimelineEntry, TimelineType};
use judge::control::{Check, apply_check};

use super::events::{new_event, read_event};
use super::{ControlError, DomainControl};
use crate::stored_claims::{HeldClaim, read_claims};

/// The latest events that a timeline has.
const EVENTS: usize = 500;

impl DomainControl {
    /// The events of a domain that changed something.
    pub async fn timeline_entries(
        &self,
        domain: &Domain,
    ) -> Result<Vec<TimelineEntry>, ControlError> {
        let stored = self.store.control_events_of(domain, None, EVENTS).await?;
        let mut entries = Vec::new();
        for event in &stored {
            let event = read_event(event)?;
            if event.event == ControlEventType::Rechecked && event.from_state == event.to_state {
                continue;
            }
            entries.push(TimelineEntry {
                at: event.at,
                event: TimelineType::ControlChanged,
                detail: match event.from_state == event.to_state {
                    true => format!(
                        "Control: {}. {}",
                        event.event.as_str().replace('_', " "),
                        event.why
                    ),
                    false => format!(
                        "Control: {} to {}. {}",
                        event.from_state, event.to_state, event.why
                    ),
                },
                source: self.issuer.brand.to_string(),
            });
        }
        Ok(entries)
    }

    /// Applies the stored registration of a domain to its claims, without reading their proofs. Called when a
    /// registration was read, so that a transfer is noticed before the next check.
    pub async fn apply_registration(&self, domain: &Domain) -> Result<(), ControlError> {
        let claims = read_claims(&self.store.claims_of(domain).await?)?;
        if claims.iter().all(|held| held.claim.next_check_at.is_none()) {
            return Ok(());
        }
        let Some(reading) = self.domains.stored_registration(domain).await? else { return Ok(()) };
        let registry = self.describe_registry(&reading);
        let readings: Vec<_> = registry.evidence.into_iter().collect();
        let at = self.clock.now().whole_seconds();
        for held in claims {
            let check = Check { at, proof: None, registry: registry.reading.clone() };
            let outcome = apply_check(&held.claim, &check);
            if outcome.changes.is_empty() {
                continue;
            }
            let before = held.to_stored()?.fingerprint();
            let method = Some(held.claim.method.clone());
            let events = outcome.changes.iter();
            let events =
                events.map(|change| new_event(&held.id, method.clone(), change, &readings));
            let events = events.collect::<Result<_, _>>()?;
            let held = HeldClaim { claim: outcome.claim, ..held };
            self.store.put_claim(held.to_stored()?, Some(before), events).await?;
            self.answers.owner_facts_changed(domain).await;
        }
        Ok(())
    }
}
