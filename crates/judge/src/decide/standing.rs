//! What became of a decision: whether it may still be relied on.
//!
//! Taken back beats everything; then that a newer answer is stricter; then its end; then that there
//! is a newer answer at all.

use contract::records::{Action, Decision, HeldState};

use super::rules::Effect;

/// What is known of a decision about one action.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    pub then: &'a Decision,
    /// By the newest answer, where that is another than the decision rests on.
    pub now: Option<&'a Decision>,
    /// An entry of the revocations takes it back.
    pub revoked: bool,
    /// An entry of the revocations says that a newer answer was stricter.
    pub tightened: bool,
    /// Its time is over.
    pub over: bool,
    /// A receipt ends with its time, an answer only where there is no newer one.
    pub ends_with_its_time: bool,
}

/// What became of it.
#[must_use]
pub fn standing(look: Look<'_>) -> HeldState {
    let stricter = look.now.is_some_and(|now| Effect::of(now) > Effect::of(look.then));
    if look.revoked {
        HeldState::Revoked
    } else if look.tightened || stricter {
        HeldState::Tightened
    } else if look.over && (look.ends_with_its_time || look.now.is_none()) {
        HeldState::Expired
    } else if look.now.is_some() {
        HeldState::Superseded
    } else {
        HeldState::Standing
    }
}

/// Whether a decision in this state may be relied on.
#[must_use]
pub fn stands(state: &HeldState) -> bool {
    matches!(state, HeldState::Standing | HeldState::Superseded)
}

/// The state of several decisions together: the worst of them; nothing of none.
#[must_use]
pub fn together<'a>(states: impl IntoIterator<Item = &'a HeldState>) -> Option<HeldState> {
    let rank = |state: &HeldState| match state {
        HeldState::Standing => 0,
        HeldState::Superseded => 1,
        HeldState::Expired => 2,
        HeldState::Tightened => 3,
        HeldState::Revoked => 4,
        // Not known is not known to stand.
        HeldState::Unknown | HeldState::Unrecognised(_) => 5,
    };
    states.into_iter().max_by_key(|state| rank(state)).cloned()
}

/// One sentence for people.
#[must_use]
pub fn means(state: &HeldState) -> &'static str {
    match state {
        HeldState::Standing => "Nothing newer is known, and its time is not over.",
        HeldState::Superseded => "There is a newer answer, and it is not stricter for this.",
        HeldState::Expired => "Its time is over: ask again.",
        HeldState::Tightened => "A newer reading is stricter for this.",
        HeldState::Revoked => "It was taken back.",
        HeldState::Unknown | HeldState::Unrecognised(_) => {
            "It is not known here: treat it as not standing."
        }
    }
}

/// The actions for which a newer answer is stricter than one that said `allow` or `warn`, of those
/// that are still within their time.
pub fn tightened<'a>(
    before_and_after: impl IntoIterator<Item = (Action, &'a Decision, &'a Decision, bool)>,
) -> Vec<Action> {
    before_and_after
        .into_iter()
        .filter(|(_, before, after, fresh)| {
            let relied_on = matches!(before, Decision::Allow | Decision::Warn);
            *fresh && relied_on && Effect::of(after) > Effect::of(before)
        })
        .map(|(action, ..)| action)
        .collect()
}

#[cfg(test)]
mod tests {
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
                    let look = Look { then, now, revoked, tightened, over, ends_with_its_time };
                    let state = standing(look);
                    let stricter =
                        now.is_some_and(|now| super::super::stricter(then, now) != *then);
                    let expected = match (revoked, tightened || stricter, over, now) {
                        (true, ..) => HeldState::Revoked,
                        (_, true, ..) => HeldState::Tightened,
                        (_, _, true, None) => HeldState::Expired,
                        (_, _, true, Some(_)) if ends_with_its_time => HeldState::Expired,
                        (_, _, _, Some(_)) => HeldState::Superseded,
                        _ => HeldState::Standing,
                    };
                    assert_eq!(state, expected, "{look:?}");
                    // Nothing that was taken back, or is stricter by now, is ever said to stand.
                    assert!(!stands(&state) || !(revoked || tightened || stricter), "{look:?}");
                    assert!(!(stands(&state) && over && ends_with_its_time), "{look:?}");
                }
            }
        }
    }

    #[test]
    fn the_worst_of_several_counts() {
        use HeldState::{Expired, Revoked, Standing, Superseded, Tightened};
        assert_eq!(together(&[]), None);
        assert_eq!(together(&[Standing, Superseded]), Some(Superseded));
        assert_eq!(together(&[Expired, Tightened, Standing]), Some(Tightened));
        assert_eq!(together(&[Revoked, Tightened]), Some(Revoked));
        assert_eq!(together(&[HeldState::Unknown, Revoked]), Some(HeldState::Unknown));
    }

    #[test]
    fn only_what_was_relied_on_and_is_fresh_is_tightened() {
        for before in &ALL {
            for after in &ALL {
                for fresh in [true, false] {
                    let found = tightened([(Action::Read, before, after, fresh)]);
                    let stricter = super::super::stricter(before, after) != *before;
                    let relied_on = [Decision::Allow, Decision::Warn].contains(before);
                    assert_eq!(!found.is_empty(), fresh && stricter && relied_on);
                }
            }
        }
    }
}
