//! Heads that our key signed and that are not in our log. They prove that there is a second history under
//! our key, so nothing is signed until an operator decides.
//!
//! A decision covers every head that was received before it, and every head that is dated before it: those
//! belong to the same incident. A head of a compromised key decides nothing, because whoever has that key can
//! make any number of them.

use contract::{Brand, Timestamp};
use proof::tree_head::ChainHead;
use proof::verify::CheckOutcome;
use proof::{Digest, KeyPolicy, canonical, verify_document};
use store::{ContradictingHead, Store, StoreError, Switch};

use super::errors::LogFault;

/// The switch that stores when an operator last decided to continue this log.
const DECIDED: &str = "log_contradictions_decided";

/// When an operator last decided to continue this log in spite of contradicting heads.
pub(super) async fn decided_at(store: &dyn Store) -> Result<Option<Timestamp>, StoreError> {
    let switch = store.switch(DECIDED).await?;
    Ok(switch.filter(|switch| switch.on).map(|switch| switch.changed_at))
}

/// Stores the decision of an operator to continue this log.
pub async fn decide_to_continue(store: &dyn Store, now: Timestamp) -> Result<(), StoreError> {
    store.set_switch(Switch { name: DECIDED.to_owned(), on: true, changed_at: now }).await
}

/// Whether a head that was created then calls for a decision.
pub(super) fn is_undecided(created_at: Option<Timestamp>, decided_at: Option<Timestamp>) -> bool {
    match (created_at, decided_at) {
        (_, None) => true,
        (Some(created_at), Some(decided_at)) => created_at > decided_at,
        // It contradicts itself and has no usable date.
        (None, Some(_)) => false,
    }
}

/// Refuses a log about whose contradicting heads no operator has decided.
pub(super) async fn check_undecided(
    store: &dyn Store,
    policy: &KeyPolicy,
    brand: &Brand,
) -> Result<(), LogFault> {
    let heads = store.contradicting_heads().await?;
    let decided_at = if heads.is_empty() { None } else { decided_at(store).await? };
    let mut undecided = heads.iter().filter(|head| {
        is_undecided(created_at(&head.sth), decided_at)
            && !was_seen_before(head, decided_at)
            && !is_weak(head, policy, brand)
    });
    let Some(first) = undecided.next() else { return Ok(()) };
    let further = match undecided.count() {
        0 => String::new(),
        count => format!(" ({count} further ones are stored)"),
    };
    Err(LogFault::Contradicted { why: format!("{}{further}", first.why.trim_end_matches('.')) })
}

/// Whether a head that calls for a decision was there when an operator decided. Its date may be ahead of
/// the clock.
pub(super) async fn is_decided_by_sight(
    store: &dyn Store,
    sth_sha256: &Digest,
    decided_at: Option<Timestamp>,
) -> Result<bool, StoreError> {
    if decided_at.is_none() {
        return Ok(false);
    }
    let heads = store.contradicting_heads().await?;
    let known = heads.iter().find(|head| head.sth_sha256 == *sth_sha256);
    Ok(known.is_some_and(|head| was_seen_before(head, decided_at)))
}

fn was_seen_before(head: &ContradictingHead, decided_at: Option<Timestamp>) -> bool {
    decided_at.is_some_and(|decided_at| head.seen_at <= decided_at)
}

/// Whether the signature alone does not prove that we made the head: its key is compromised or was not in
/// use.
fn is_weak(head: &ContradictingHead, policy: &KeyPolicy, brand: &Brand) -> bool {
    let verdict = verify_document(&head.sth, policy, brand);
    verdict.check("key window").is_none_or(|check| check.ok != CheckOutcome::Passed)
}

fn created_at(sth: &[u8]) -> Option<Timestamp> {
    Some(ChainHead::parse(&canonical::parse_strict(sth).ok()?).ok()?.created_at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_covers_the_heads_dated_before_it() {
        let at = Timestamp::from_millis;
        for (created_at, decided_at, undecided) in [
            (Some(at(5)), None, true),
            (None, None, true),
            (Some(at(5)), Some(at(5)), false),
            (Some(at(6)), Some(at(5)), true),
            (None, Some(at(5)), false),
        ] {
            assert_eq!(
                is_undecided(created_at, decided_at),
                undecided,
                "{created_at:?} {decided_at:?}"
            );
        }
    }
}
