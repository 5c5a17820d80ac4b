//! The signed record of who controls a domain.

use contract::Domain;
use contract::records::{ClaimState, ControlEvent, ControlRecord, ProofSeen};
use judge::control::{Claim, describe_state, leading_claim, state_at};
use proof::{KeyPurpose, SignedDocument};

use super::events::read_event;
use super::{ControlError, DomainControl};
use crate::stored_claims::{HeldClaim, read_claims};

/// The latest events that a record has.
const EVENTS: usize = 100;

impl DomainControl {
    /// The signed control record of a domain.
    pub async fn record(&self, domain: &Domain) -> Result<SignedDocument, ControlError> {
        self.signed_record(domain, None).await
    }

    pub(super) async fn signed_record(
        &self,
        domain: &Domain,
        proof: Option<ProofSeen>,
    ) -> Result<SignedDocument, ControlError> {
        let record = self.build_record(domain, proof).await?;
        Ok(self.keys.sign_document(&record, KeyPurpose::Documents)?)
    }

    /// The record before it is signed, for pages.
    pub async fn unsigned_record(&self, domain: &Domain) -> Result<ControlRecord, ControlError> {
        self.build_record(domain, None).await
    }

    async fn build_record(
        &self,
        domain: &Domain,
        proof: Option<ProofSeen>,
    ) -> Result<ControlRecord, ControlError> {
        let (claims, events) = tokio::try_join!(
            self.store.claims_of(domain),
            self.store.control_events_of(domain, None, EVENTS),
        )?;
        let mut events: Vec<ControlEvent> =
            events.iter().map(read_event).collect::<Result<_, _>>()?;
        events.reverse();
        let now = self.clock.now();
        let held = leading(&read_claims(&claims)?, now);
        let claim = held.as_ref().map(|held| &held.claim);
        let state = claim.map_or(ClaimState::Unproven, |claim| state_at(claim, now));
        // A claim that was withdrawn says nothing any more, except in its events.
        let claim = claim.filter(|_| state != ClaimState::Unproven);
        Ok(ControlRecord {
            kind: self.issuer.brand.kind("domain-control"),
            v: 1,
            domain: domain.clone(),
            means: describe_state(&state).to_owned(),
            method: claim.map(|claim| claim.method.clone()),
            claimed_at: claim.map(|claim| claim.claimed_at),
            last_verified_at: claim.map(|claim| claim.last_verified_at),
            last_check_at: claim.map(|claim| claim.last_check_at),
            // Time alone can have ended a claim, before its next check says so.
            next_check_at: claim
                .filter(|_| is_checked(&state))
                .and_then(|claim| claim.next_check_at),
            grace_ends_at: claim
                .filter(|_| state == ClaimState::ProofMissing)
                .and_then(|claim| claim.grace_ends_at),
            registry_at_claim: claim.and_then(Claim::registry_at_claim),
            state,
            events,
            proof,
            sha256: None,
            signature: None,
        })
    }

    /// The state of a domain now.
    pub(super) async fn state_of(&self, domain: &Domain) -> Result<ClaimState, ControlError> {
        let claims = self.store.claims_of(domain).await?;
        let now = self.clock.now();
        let held = leading(&read_claims(&claims)?, now);
        Ok(held.map_or(ClaimState::Unproven, |held| state_at(&held.claim, now)))
    }
}

/// Whether a claim in this state is still checked.
fn is_checked(state: &ClaimState) -> bool {
    matches!(state, ClaimState::Proven | ClaimState::ProofMissing | ClaimState::ZoneNotRechecked)
}

fn leading(held: &[HeldClaim], now: contract::Timestamp) -> Option<HeldClaim> {
    let claims: Vec<Claim> = held.iter().map(|held| held.claim.clone()).collect();
    held.get(leading_claim(&claims, now)?).cloned()
}
