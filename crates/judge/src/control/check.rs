//! Applies what a check of a claim found.

use contract::Timestamp;
use contract::limits::CONTROL_CONFIRM_HOURS;
use contract::records::{ClaimState, ControlEventType, ControlMethod};

use super::claim::{
    Claim, GRACE_MS, RECHECK_MS, StateChange, UNREADABLE_ACCESS_MS, UNREADABLE_MS,
    access_after_proof,
};
use super::registry::{DAY_MS, RegistryFacts, RegistryReading};
use super::transitions::{Trigger, find_transition};

const CONFIRM_MS: i64 = CONTROL_CONFIRM_HOURS as i64 * 3_600_000;
/// How soon a proof that was absent or unreadable is looked for again.
const SOON_MS: i64 = DAY_MS;

/// Whether the token was where it must be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProofReading {
    Present,
    /// The place was read, and the token is not there.
    Absent,
    /// The place could not be read. This says nothing about the token.
    Unreadable,
}

/// What a check of a claim found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub at: Timestamp,
    /// `None` if only the registry was read. The text says what was seen.
    pub proof: Option<(ProofReading, String)>,
    pub registry: RegistryReading,
}

/// A claim after a check, and the steps that led there. A check that changes no state but read the proof is a
/// step too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckOutcome {
    pub claim: Claim,
    pub changes: Vec<StateChange>,
}

/// Begins a claim whose new token was read. `before` is the state of the domain until then.
#[must_use]
pub fn accept_proof(
    before: &ClaimState,
    method: ControlMethod,
    claimed_at: Timestamp,
    at: Timestamp,
    registry: Option<RegistryFacts>,
    seen: &str,
) -> CheckOutcome {
    let claim = Claim {
        state: ClaimState::Proven,
        method,
        claimed_at,
        last_verified_at: at,
        last_check_at: at,
        next_check_at: Some(at.plus_millis(RECHECK_MS)),
        grace_ends_at: None,
        access_until: access_after_proof(at),
        absent_since: None,
        unreadable_since: None,
        unregistered_since: None,
        token_is_spent: false,
        registry,
    };
    let claimed = StateChange {
        at: claimed_at,
        event: ControlEventType::Claimed,
        from: before.clone(),
        to: before.clone(),
        why: "Somebody asked for a token to prove control of this domain.".to_owned(),
    };
    let event = match before {
        ClaimState::Unproven => ControlEventType::Verified,
        _ => ControlEventType::Reproven,
    };
    let verified = StateChange {
        at,
        event,
        from: before.clone(),
        to: ClaimState::Proven,
        why: seen.to_owned(),
    };
    CheckOutcome { claim, changes: vec![claimed, verified] }
}

/// Applies a check. Time comes first: a grace period that is over does not come back because the proof did.
/// Then the registry, then the proof.
#[must_use]
pub fn apply_check(claim: &Claim, check: &Check) -> CheckOutcome {
    let mut outcome = CheckOutcome { claim: claim.clone(), changes: Vec::new() };
    outcome.claim.last_check_at = check.at;
    outcome.apply_time(check.at);
    outcome.apply_registry(check.at, &check.registry);
    if let Some((reading, seen)) = &check.proof {
        outcome.apply_proof(check.at, *reading, seen);
    }
    // Also if the proof is in place: whether the registration is gone is looked at again the next day.
    if outcome.claim.unregistered_since.is_some() && outcome.claim.next_check_at.is_some() {
        outcome.check_soon(check.at);
    }
    outcome
}

/// Applies a trigger that is not the result of a check: an operator or the claimant decided it.
#[must_use]
pub fn apply_trigger(claim: &Claim, trigger: Trigger, at: Timestamp, why: &str) -> CheckOutcome {
    let mut outcome = CheckOutcome { claim: claim.clone(), changes: Vec::new() };
    outcome.fire(trigger, at, why);
    outcome
}

impl CheckOutcome {
    fn apply_time(&mut self, at: Timestamp) {
        let is_over = |end: Option<Timestamp>| end.is_some_and(|end| at >= end);
        if is_over(self.claim.grace_ends_at) {
            let why = "The proof was not published again before the end of the grace period.";
            self.fire(Trigger::GraceEnded, at, why);
        }
        let unreadable_end =
            self.claim.unreadable_since.map(|since| since.plus_millis(UNREADABLE_MS));
        if is_over(unreadable_end) {
            let why = "The place of the proof could not be read for 30 days.";
            self.fire(Trigger::UnreadableTooLong, at, why);
        }
    }

    fn apply_registry(&mut self, at: Timestamp, reading: &RegistryReading) {
        let facts = match reading {
            RegistryReading::Registered(facts) => facts,
            RegistryReading::NotRegistered => return self.apply_unregistered(at),
            RegistryReading::Unknown => return,
        };
        self.claim.unregistered_since = None;
        if let Some(why) = facts.ending() {
            self.fire(Trigger::RegistrationEnded, at, &why);
        }
        let at_claim = self.claim.registry.clone().unwrap_or_default();
        if let Some(why) = facts.transfer_since(&at_claim, self.claim.claimed_at) {
            self.fire(Trigger::TransferSeen, at, &why);
        } else if !self.claim.token_is_spent && facts.has_other_nameservers(&at_claim) {
            let why = "All nameservers of the domain were replaced since control was proven. A token that was \
                       published before does not show who runs the new ones; ask for a new one.";
            if self.fire(Trigger::NameserversReplaced, at, why) {
                self.claim.token_is_spent = true;
            }
        }
        if self.claim.registry.is_none() {
            self.claim.registry = Some(facts.clone());
        }
    }

    /// Only a registry that knew the name can forget it, and one wrong response must not end a claim.
    fn apply_unregistered(&mut self, at: Timestamp) {
        if self.claim.registry.is_none() {
            return;
        }
        let since = *self.claim.unregistered_since.get_or_insert(at);
        if at.millis_since(since) >= CONFIRM_MS {
            let why = format!("The registry has had no registration of this name since {since}.");
            self.fire(Trigger::RegistrationEnded, at, &why);
        }
    }

    fn apply_proof(&mut self, at: Timestamp, reading: ProofReading, seen: &str) {
        let is_lost = find_transition(&self.claim.state, Trigger::ProofSeen).is_none();
        if is_lost {
            return;
        }
        match reading {
            ProofReading::Present if self.claim.token_is_spent => {
                self.note(at, "The token is still published, but only a new one counts.");
                self.check_soon(at);
            }
            ProofReading::Present => {
                self.fire(Trigger::ProofSeen, at, seen);
                self.claim.last_verified_at = at;
            }
            ProofReading::Absent => {
                let since = *self.claim.absent_since.get_or_insert(at);
                let is_confirmed = at.millis_since(since) >= CONFIRM_MS;
                if !(is_confirmed && self.fire(Trigger::ProofGone, at, seen)) {
                    self.note(at, seen);
                }
                self.check_soon(at);
            }
            ProofReading::Unreadable => {
                if !self.fire(Trigger::ProofUnreadable, at, seen) {
                    self.note(at, seen);
                }
                self.check_soon(at);
            }
        }
    }

    /// The next check is in a day, or when the grace period ends.
    fn check_soon(&mut self, at: Timestamp) {
        let soon = at.plus_millis(SOON_MS);
        let end = self.claim.grace_ends_at.filter(|end| *end > at);
        self.claim.next_check_at = Some(end.map_or(soon, |end| end.min(soon)));
    }

    /// A check that leaves the state as it is.
    fn note(&mut self, at: Timestamp, why: &str) {
        let state = self.claim.state.clone();
        self.changes.push(StateChange {
            at,
            event: ControlEventType::Rechecked,
            from: state.clone(),
            to: state,
            why: why.to_owned(),
        });
    }

    /// Applies the row of the table for the present state, if there is one, and what belongs to it.
    fn fire(&mut self, trigger: Trigger, at: Timestamp, why: &str) -> bool {
        let from = self.claim.state.clone();
        let Some(rule) = find_transition(&from, trigger) else { return false };
        // The registry says the same at every check; the event is told once.
        let is_by_registry = matches!(trigger, Trigger::TransferSeen | Trigger::RegistrationEnded);
        if is_by_registry && from == rule.to {
            return false;
        }
        let claim = &mut self.claim;
        claim.state = rule.to.clone();
        match &claim.state {
            ClaimState::Proven => {
                claim.grace_ends_at = None;
                claim.absent_since = None;
                claim.unreadable_since = None;
                claim.next_check_at = Some(at.plus_millis(RECHECK_MS));
                claim.access_until = access_after_proof(at);
            }
            ClaimState::ProofMissing => {
                let end = *claim.grace_ends_at.get_or_insert(at.plus_millis(GRACE_MS));
                if at < claim.access_until {
                    claim.access_until = end;
                }
                claim.unreadable_since = None;
                self.check_soon(at);
            }
            ClaimState::ZoneNotRechecked => {
                let since = *claim.unreadable_since.get_or_insert(at);
                let end = since.plus_millis(UNREADABLE_ACCESS_MS);
                claim.access_until = claim.access_until.min(end);
                self.check_soon(at);
            }
            _ => {
                claim.grace_ends_at = None;
                claim.next_check_at = None;
            }
        }
        self.changes.push(StateChange {
            at,
            event: rule.event.clone(),
            from,
            to: rule.to.clone(),
            why: why.to_owned(),
        });
        true
    }
}
