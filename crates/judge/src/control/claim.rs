//! A claim, and what it grants at a given time.

use contract::Timestamp;
use contract::limits::{
    CONTROL_GRACE_DAYS, CONTROL_RECHECK_DAYS, CONTROL_UNREADABLE_ACCESS_DAYS,
    CONTROL_UNREADABLE_DAYS,
};
use contract::records::{ClaimState, ControlEventType, ControlMethod, RegistryAtClaim};

use super::registry::{DAY_MS, RegistryFacts};

pub(super) const GRACE_MS: i64 = CONTROL_GRACE_DAYS as i64 * DAY_MS;
pub(super) const RECHECK_MS: i64 = CONTROL_RECHECK_DAYS as i64 * DAY_MS;
pub(super) const UNREADABLE_MS: i64 = CONTROL_UNREADABLE_DAYS as i64 * DAY_MS;
pub(super) const UNREADABLE_ACCESS_MS: i64 = CONTROL_UNREADABLE_ACCESS_DAYS as i64 * DAY_MS;

/// A claim, as far as its state depends on it. Tokens and secrets are kept elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub state: ClaimState,
    pub method: ControlMethod,
    /// When the claimant began the claim.
    pub claimed_at: Timestamp,
    /// When the token was last read.
    pub last_verified_at: Timestamp,
    pub last_check_at: Timestamp,
    /// `None` for a claim that is not checked any more.
    pub next_check_at: Option<Timestamp>,
    pub grace_ends_at: Option<Timestamp>,
    /// The claimant is the owner before this time, unless the claim is lost. A step that is not a proof never
    /// moves it when it is over, so that nothing but a proof brings access back.
    pub access_until: Timestamp,
    /// When the token was first found absent. `None` while it is published, or was never looked for in vain.
    pub absent_since: Option<Timestamp>,
    /// Since when the place of the token cannot be read.
    pub unreadable_since: Option<Timestamp>,
    /// Since when the registry does not know the name.
    pub unregistered_since: Option<Timestamp>,
    /// The token does not count any more: other nameservers serve it than at the time of the claim.
    pub token_is_spent: bool,
    /// The registration when control was proven, or at the first later check that could read it.
    pub registry: Option<RegistryFacts>,
}

/// One step in the life of a claim, for its list of events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateChange {
    pub at: Timestamp,
    pub event: ControlEventType,
    pub from: ClaimState,
    pub to: ClaimState,
    pub why: String,
}

impl Claim {
    /// The registration data as the control record states it.
    #[must_use]
    pub fn registry_at_claim(&self) -> Option<RegistryAtClaim> {
        let facts = self.registry.as_ref()?;
        let text = |at: Option<Timestamp>| at.map(|at| at.to_string());
        Some(RegistryAtClaim {
            created: text(facts.created),
            expires: text(facts.expires),
            registrar: facts.registrar.clone(),
        })
    }
}

/// The state of a claim at a given time. It can differ from the stored state, because time alone ends a
/// grace period, and because a check may be long overdue.
#[must_use]
pub fn state_at(claim: &Claim, now: Timestamp) -> ClaimState {
    let is_over = |end: Option<Timestamp>| end.is_none_or(|end| now >= end);
    match &claim.state {
        ClaimState::Proven if now >= claim.access_until => ClaimState::ZoneNotRechecked,
        ClaimState::ProofMissing if is_over(claim.grace_ends_at) => ClaimState::Lapsed,
        ClaimState::ZoneNotRechecked if is_over(plus(claim.unreadable_since, UNREADABLE_MS)) => {
            ClaimState::Lapsed
        }
        state => state.clone(),
    }
}

/// Whether the claimant may act as the owner of the domain.
#[must_use]
pub fn grants_access(claim: &Claim, now: Timestamp) -> bool {
    let is_held = matches!(
        state_at(claim, now),
        ClaimState::Proven | ClaimState::ProofMissing | ClaimState::ZoneNotRechecked
    );
    is_held && now < claim.access_until
}

/// How long a proof that was read now makes its claimant the owner: until the next check is overdue by as much
/// as an unreadable proof is tolerated.
pub(super) fn access_after_proof(at: Timestamp) -> Timestamp {
    at.plus_millis(RECHECK_MS + UNREADABLE_ACCESS_MS)
}

fn plus(at: Option<Timestamp>, millis: i64) -> Option<Timestamp> {
    at.map(|at| at.plus_millis(millis))
}

/// The claim that the record of a domain describes: the one with the best state, of several the oldest.
#[must_use]
pub fn leading_claim(claims: &[Claim], now: Timestamp) -> Option<usize> {
    let rank = |claim: &Claim| match state_at(claim, now) {
        ClaimState::Proven => 0,
        ClaimState::ZoneNotRechecked => 1,
        ClaimState::ProofMissing => 2,
        ClaimState::SuspendedTransfer => 3,
        ClaimState::SuspendedExpired => 4,
        ClaimState::Lapsed => 5,
        ClaimState::Unproven | ClaimState::Unrecognised(_) => 6,
    };
    // Of the lost ones the newest tells what happened last.
    let order = |claim: &Claim| {
        let rank = rank(claim);
        let at = claim.claimed_at.as_millis();
        if rank < 3 { (rank, at) } else { (3, -claim.last_check_at.as_millis()) }
    };
    let indexed = claims.iter().enumerate();
    indexed.min_by_key(|(_, claim)| order(claim)).map(|(index, _)| index)
}
