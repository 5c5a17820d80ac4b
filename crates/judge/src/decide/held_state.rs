//! Whether an earlier decision is still valid (`DecisionState` of the interface).
//!
//! The first of these that applies is the state: revoked, tightened by a newer answer, expired,
//! superseded by a newer answer, standing.

use contract::records::{Action, Decision, DecisionState};

use super::decision_rules::Effect;

/// What is known about an earlier decision for one action.
#[derive(Debug, Clone, Copy)]
pub struct HeldDecisionFacts<'a> {
    /// The earlier decision.
    pub earlier: &'a Decision,
    /// The decision of the newest answer, where that is not the answer behind the earlier decision.
    pub newest: Option<&'a Decision>,
    /// The revocation feed revokes it.
    pub revoked: bool,
    /// The revocation feed says that a newer answer was stricter.
    pub tightened: bool,
    /// Its time of validity has passed.
    pub expired: bool,
    /// True for a receipt. An answer expires only where there is no newer one.
    pub is_receipt: bool,
}

/// The state of an earlier decision.
#[must_use]
pub fn held_state(look: HeldDecisionFacts<'_>) -> DecisionState {
    let stricter = look
        .newest
        .is_some_and(|now| Effect::from_decision(now) > Effect::from_decision(look.earlier));
    if look.revoked {
        DecisionState::Revoked
    } else if look.tightened || stricter {
        DecisionState::Tightened
    } else if look.expired && (look.is_receipt || look.newest.is_none()) {
        DecisionState::Expired
    } else if look.newest.is_some() {
        DecisionState::Superseded
    } else {
        DecisionState::Standing
    }
}

/// Whether an agent may still rely on a decision in this state.
#[must_use]
pub fn still_stands(state: &DecisionState) -> bool {
    matches!(state, DecisionState::Standing | DecisionState::Superseded)
}

/// The worst state of several decisions; `None` for an empty list.
#[must_use]
pub fn worst_state<'a>(
    states: impl IntoIterator<Item = &'a DecisionState>,
) -> Option<DecisionState> {
    let rank = |state: &DecisionState| match state {
        DecisionState::Standing => 0,
        DecisionState::Superseded => 1,
        DecisionState::Expired => 2,
        DecisionState::Tightened => 3,
        DecisionState::Revoked => 4,
        // An unknown decision must not count as valid.
        DecisionState::Unknown | DecisionState::Unrecognised(_) => 5,
    };
    states.into_iter().max_by_key(|state| rank(state)).cloned()
}

/// What the state means, for people.
#[must_use]
pub fn describe_state(state: &DecisionState) -> &'static str {
    match state {
        DecisionState::Standing => {
            "The decision is still valid: it has not expired, and there is no newer answer."
        }
        DecisionState::Superseded => "There is a newer answer. It is not stricter.",
        DecisionState::Expired => "The decision has expired. Request a new one.",
        DecisionState::Tightened => "A newer answer is stricter. Request a new decision.",
        DecisionState::Revoked => "The decision was revoked.",
        DecisionState::Unknown | DecisionState::Unrecognised(_) => {
            "This service does not know the decision. Treat it as not valid."
        }
    }
}

/// The actions for which the old answer said `allow` or `warn`, has not expired, and the new answer is
/// stricter. Each item: action, old decision, new decision, whether the old one has not expired.
pub fn tightened_actions<'a>(
    before_and_after: impl IntoIterator<Item = (Action, &'a Decision, &'a Decision, bool)>,
) -> Vec<Action> {
    before_and_after
        .into_iter()
        .filter(|(_, before, after, fresh)| {
            let relied_on = matches!(before, Decision::Allow | Decision::Warn);
            *fresh && relied_on && Effect::from_decision(after) > Effect::from_decision(before)
        })
        .map(|(action, ..)| action)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::decision_rules::stricter;
    use super::*;

    const ALL: [Decision; 5] = [
        Decision::Allow,
        Decision::Warn,
        Decision::RequireConfirmation,
        Decision::Unsupported,
        Decision::Block,
    ];

    #[test]
    fn every_case_has_the_state_that_the_order_gives() {
        for then in &ALL {
            for now in [None].into_iter().chain(ALL.iter().map(Some)) {
                for bits in 0..16_u8 {
                    let [revoked, tightened, over, ends_with_its_time] =
                        [1, 2, 4, 8].map(|bit| bits & bit != 0);
                    let look = HeldDecisionFacts {
                        earlier: then,
                        newest: now,
                        revoked,
                        tightened,
                        expired: over,
                        is_receipt: ends_with_its_time,
                    };
                    let state = held_state(look);
                    let is_stricter = now.is_some_and(|now| stricter(then, now) != *then);
                    let expected = match (revoked, tightened || is_stricter, over, now) {
                        (true, ..) => DecisionState::Revoked,
                        (_, true, ..) => DecisionState::Tightened,
                        (_, _, true, None) => DecisionState::Expired,
                        (_, _, true, Some(_)) if ends_with_its_time => DecisionState::Expired,
                        (_, _, _, Some(_)) => DecisionState::Superseded,
                        _ => DecisionState::Standing,
                    };
                    assert_eq!(state, expected, "{look:?}");
                    // A revoked or tightened decision never counts as valid.
                    assert!(
                        !still_stands(&state) || !(revoked || tightened || is_stricter),
                        "{look:?}"
                    );
                    assert!(!(still_stands(&state) && over && ends_with_its_time), "{look:?}");
                }
            }
        }
    }

    #[test]
    fn the_worst_of_several_counts() {
        use DecisionState::{Expired, Revoked, Standing, Superseded, Tightened};
        assert_eq!(worst_state(&[]), None);
        assert_eq!(worst_state(&[Standing, Superseded]), Some(Superseded));
        assert_eq!(worst_state(&[Expired, Tightened, Standing]), Some(Tightened));
        assert_eq!(worst_state(&[Revoked, Tightened]), Some(Revoked));
        assert_eq!(worst_state(&[DecisionState::Unknown, Revoked]), Some(DecisionState::Unknown));
    }

    #[test]
    fn only_what_was_relied_on_and_is_fresh_is_tightened() {
        for before in &ALL {
            for after in &ALL {
                for fresh in [true, false] {
                    let found = tightened_actions([(Action::Read, before, after, fresh)]);
                    let is_stricter = stricter(before, after) != *before;
                    let relied_on = [Decision::Allow, Decision::Warn].contains(before);
                    assert_eq!(!found.is_empty(), fresh && is_stricter && relied_on);
                }
            }
        }
    }
}
