//! What operators do with claims, also beside a running server.

use contract::Timestamp;
use judge::control::{Trigger, apply_trigger, grants_access, state_at};
use store::{Control, StoreError};

use super::ControlError;
use super::events::new_event;
use crate::stored_claims::HeldClaim;

/// A claim in a list for operators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimRow {
    pub held: HeldClaim,
    /// The state now.
    pub state: contract::records::ClaimState,
    pub grants_access: bool,
}

/// Claims that are read from the store at once.
const PAGE: usize = 256;

/// All claims, or those of one domain.
pub async fn list_claims(
    store: &dyn Control,
    domain: Option<&contract::Domain>,
    now: Timestamp,
) -> Result<Vec<ClaimRow>, StoreError> {
    let mut stored = Vec::new();
    match domain {
        Some(domain) => stored = store.claims_of(domain).await?,
        None => loop {
            let after = stored.last().map(|last: &store::StoredClaim| last.id.clone());
            let page = store.claims(after, PAGE).await?;
            if page.is_empty() {
                break;
            }
            stored.extend(page);
        },
    }
    let row = |stored: &store::StoredClaim| {
        let held = HeldClaim::from_stored(stored)?;
        let state = state_at(&held.claim, now);
        Ok(ClaimRow { grants_access: grants_access(&held.claim, now), state, held })
    };
    stored.iter().map(row).collect()
}

/// Ends a claim. `None` if there is none with this id; `false` if it was lost already.
pub async fn suspend_claim(
    store: &dyn Control,
    claim_id: &str,
    why: &str,
    now: Timestamp,
) -> Result<Option<bool>, ControlError> {
    let Some(stored) = store.claim(claim_id).await? else { return Ok(None) };
    let held = HeldClaim::from_stored(&stored)?;
    let now = now.whole_seconds();
    let why = format!("The operator of this service ended the claim: {why}");
    let outcome = apply_trigger(&held.claim, Trigger::SuspendedByOperator, now, &why);
    if outcome.changes.is_empty() {
        return Ok(Some(false));
    }
    let method = Some(held.claim.method.clone());
    let events = outcome.changes.iter();
    let events = events.map(|change| new_event(&held.id, method.clone(), change, &[]));
    let events = events.collect::<Result<_, _>>()?;
    let held = HeldClaim { claim: outcome.claim, ..held };
    match store.put_claim(held.to_stored()?, Some(stored.fingerprint()), events).await? {
        true => Ok(Some(true)),
        false => Err(ControlError::Busy),
    }
}

/// Makes a claim due now. `None` if there is none with this id; `false` if it was lost.
pub async fn request_recheck(
    store: &dyn Control,
    claim_id: &str,
    now: Timestamp,
) -> Result<Option<bool>, ControlError> {
    let Some(mut stored) = store.claim(claim_id).await? else { return Ok(None) };
    if stored.next_check_at.is_none() {
        return Ok(Some(false));
    }
    let before = stored.fingerprint();
    stored.next_check_at = Some(now);
    match store.put_claim(stored, Some(before), Vec::new()).await? {
        true => Ok(Some(true)),
        false => Err(ControlError::Busy),
    }
}
