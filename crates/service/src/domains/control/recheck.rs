//! Checks proofs again: when they are due, and when a claimant or an operator asks for it.

use contract::Timestamp;
use contract::records::ControlReading;
use judge::control::{Check, CheckOutcome, ProofReading, apply_check, grants_access};
use store::{NewControlEvent, NewJob};

use super::challenge::not_found;
use super::events::new_event;
use super::proof_reading::ReadProof;
use super::{ControlError, DomainControl, ProvenClaim};
use crate::in_flight::InFlightGuard;
use crate::stored_claims::HeldClaim;

/// Counts reads of proofs, by their result.
pub(super) const CHECKS: &str = "wayleave_control_checks_total";
/// How many claims are due, as far as they are looked at in one turn.
const DUE: &str = "wayleave_control_checks_due";

const JOB_KIND: &str = "control_check";
/// Longer than a check takes. If the process ends meanwhile, another one takes over afterwards.
const LEASE_MS: i64 = 5 * 60_000;
/// How long a check that could not be made or stored waits.
const RETRY_MS: i64 = 10 * 60_000;
/// Claims that are looked at in one turn.
const DUE_AT_ONCE: usize = 32;

impl DomainControl {
    /// Checks the claims that are due. Returns how many there were.
    pub async fn recheck_due(&self) -> Result<usize, ControlError> {
        let now = self.clock.now();
        let due = self.store.due_claims(now, DUE_AT_ONCE).await?;
        metrics::gauge!(DUE).set(due.len() as f64);
        for claim in &due {
            let job = NewJob {
                kind: JOB_KIND.to_owned(),
                key: claim.id.clone(),
                due_at: now,
                body: bytes::Bytes::new(),
            };
            self.store.queue_job(job, now).await?;
        }
        let mut checked = 0;
        while let Some(job) = {
            let now = self.clock.now();
            self.store.claim_job(JOB_KIND, now, now.plus_millis(LEASE_MS)).await?
        } {
            match self.recheck(&job.key).await {
                Ok(()) => self.store.finish_job(job.id).await?,
                Err(error) => {
                    tracing::warn!(%error, claim = %job.key, "a claim could not be checked");
                    let later = self.clock.now().plus_millis(RETRY_MS);
                    self.store.postpone_job(job.id, later, &error.to_string()).await?;
                }
            }
            checked += 1;
        }
        Ok(checked)
    }

    /// Checks one claim now, whether or not it is due. Nothing happens if there is none, or if it is not
    /// checked any more.
    pub async fn recheck(&self, claim_id: &str) -> Result<(), ControlError> {
        let Some(stored) = self.store.claim(claim_id).await? else { return Ok(()) };
        if stored.next_check_at.is_none() {
            return Ok(());
        }
        let held = HeldClaim::from_stored(&stored)?;
        let checked = self.begin_check(&held.domain)?;
        self.read_and_apply(&checked, held).await.map(|_| ())
    }

    /// A check that the claimant asked for.
    pub(super) async fn check_held(
        &self,
        checked: &InFlightGuard,
        held: HeldClaim,
        attempts_left: u32,
    ) -> Result<ProvenClaim, ControlError> {
        if held.claim.next_check_at.is_none() {
            return Err(ControlError::ClaimEnded(held.claim.state));
        }
        let (held, proof) = self.read_and_apply(checked, held).await?;
        if held.claim.next_check_at.is_none() || held.claim.token_is_spent {
            return Err(ControlError::ClaimEnded(held.claim.state));
        }
        if proof.reading != ProofReading::Present || !grants_access(&held.claim, self.clock.now()) {
            return Err(not_found(proof, attempts_left));
        }
        self.proven(held, proof).await
    }

    async fn read_and_apply(
        &self,
        checked: &InFlightGuard,
        held: HeldClaim,
    ) -> Result<(HeldClaim, ReadProof), ControlError> {
        let method = &held.claim.method;
        let proof = self.read_proof(checked, &held.domain, method, &held.token).await;
        let registry = self.read_registry(&held.domain).await;
        let check = Check {
            at: self.clock.now().whole_seconds(),
            proof: Some((proof.reading, proof.seen.clone())),
            registry: registry.reading,
        };
        let outcome = apply_check(&held.claim, &check);
        let mut readings = proof.readings.clone();
        readings.extend(registry.evidence);
        let held = self.store_outcome(held, outcome, &readings, check.at).await?;
        Ok((held, proof))
    }

    async fn store_outcome(
        &self,
        held: HeldClaim,
        outcome: CheckOutcome,
        readings: &[ControlReading],
        at: Timestamp,
    ) -> Result<HeldClaim, ControlError> {
        let before = held.to_stored()?.fingerprint();
        let method = held.claim.method.clone();
        let events: Vec<NewControlEvent> = outcome
            .changes
            .iter()
            .map(|change| new_event(&held.id, Some(method.clone()), change, readings))
            .collect::<Result<_, _>>()?;
        let changed = outcome.changes.iter().any(|change| change.from != change.to);
        let held = HeldClaim { claim: outcome.claim, ..held };
        // False if somebody else changed the claim meanwhile. What they decided stays; the next check is soon.
        let stored = self.store.put_claim(held.to_stored()?, Some(before), events).await?;
        if changed && stored {
            let state = &held.claim.state;
            tracing::info!(domain = %held.domain, %state, %at, "a claim has another state");
        }
        self.answers.owner_facts_changed(&held.domain).await;
        Ok(held)
    }
}
