mod read_off;
pub(crate) mod sample;

use contract::records::{
    Action, ActionDecision, ClaimState, ControlStanding, Decision, Doubt, Rung, RungState,
};
use proptest::prelude::*;
use proptest::sample::select;

use super::actions::applied;
use super::*;

const FIVE: [Action; 5] =
    [Action::Read, Action::Cite, Action::Connect, Action::Transact, Action::Administer];

/// What a decision comes to; doubts alone come to nothing.
fn effect(grounds: &Grounds, action: &Action) -> Effect {
    let strictest = applied(grounds, action).map(|(_, effect)| effect).max();
    strictest.filter(|effect| *effect > Effect::Doubt).unwrap_or(Effect::Nothing)
}

fn all_five(grounds: &Grounds) -> [ActionDecision; 5] {
    let taken = actions(grounds);
    let cite = taken.cite;
    let cite = ActionDecision {
        decision: cite.decision,
        minimum_assurance: cite.minimum_assurance,
        assurance_found: cite.assurance_found,
        needs: cite.needs,
        why: cite.why,
        doubts: cite.doubts,
        max_age_hours: cite.max_age_hours,
    };
    [taken.read, cite, taken.connect, taken.transact, taken.administer]
}

/// One ground, with every value it can have.
struct Axis {
    name: &'static str,
    /// Sets the value at a place of the list; false when there is none.
    set: SetsAt,
    /// From known and good to unknown, step by step: less and less evidence, nothing bad.
    fades: Vec<(Holds, Sets)>,
}

type SetsAt = Box<dyn Fn(&mut Grounds, usize) -> bool>;
type Holds = Box<dyn Fn(&Grounds) -> bool>;
type Sets = Box<dyn Fn(&mut Grounds)>;

fn axis<T: Copy + PartialEq + 'static>(
    name: &'static str,
    member: fn(&mut Grounds) -> &mut T,
    all: &'static [T],
    fading: &[T],
) -> Axis {
    let fades = fading
        .windows(2)
        .map(|pair| {
            let (better, less) = (pair[0], pair[1]);
            let holds: Holds = Box::new(move |grounds| *member(&mut grounds.clone()) == better);
            let sets: Sets = Box::new(move |grounds| *member(grounds) = less);
            (holds, sets)
        })
        .collect();
    let set = Box::new(move |grounds: &mut Grounds, at: usize| {
        all.get(at).map(|value| *member(grounds) = *value).is_some()
    });
    Axis { name, set, fades }
}

fn axes() -> Vec<Axis> {
    vec![
        axis("name", |g| &mut g.name, NameKnown::ALL, &[NameKnown::Exists, NameKnown::NotMeasured]),
        axis(
            "policy",
            |g| &mut g.policy,
            Policy::ALL,
            &[Policy::AllowsAll, Policy::AllowsSome, Policy::Absent, Policy::NotMeasured],
        ),
        axis(
            "files",
            |g| &mut g.files,
            MachineFilesSeen::ALL,
            &[MachineFilesSeen::Present, MachineFilesSeen::NotMeasured],
        ),
        axis(
            "delivery",
            |g| &mut g.delivery,
            DeliveredToAi::ALL,
            &[
                DeliveredToAi::All,
                DeliveredToAi::Some,
                DeliveredToAi::NoPage,
                DeliveredToAi::NotMeasured,
            ],
        ),
        axis(
            "sameness",
            |g| &mut g.sameness,
            Sameness::ALL,
            &[Sameness::Same, Sameness::NotMeasured],
        ),
        axis("instructions", |g| &mut g.instructions, Instructions::ALL, &[]),
        axis(
            "entity",
            |g| &mut g.entity,
            EntitySeen::ALL,
            &[EntitySeen::Observed, EntitySeen::Unobserved],
        ),
        axis("contradictions", |g| &mut g.contradictions, Contradictions::ALL, &[]),
        axis("ground", |g| &mut g.ground, Right::ALL, &[Right::Allowed, Right::Unknown]),
        axis("cite", |g| &mut g.cite, Right::ALL, &[Right::Allowed, Right::Unknown]),
        axis("transact", |g| &mut g.transact, Right::ALL, &[Right::Allowed, Right::Unknown]),
        axis(
            "capabilities",
            |g| &mut g.capabilities,
            CapabilitiesSeen::ALL,
            &[
                CapabilitiesSeen::Conformant,
                CapabilitiesSeen::Unverified,
                CapabilitiesSeen::NotMeasured,
            ],
        ),
        axis(
            "impersonation",
            |g| &mut g.impersonation,
            ImpersonationSeen::ALL,
            &[ImpersonationSeen::Clear, ImpersonationSeen::NotMeasured],
        ),
        axis(
            "vantage",
            |g| &mut g.vantage,
            Vantage::ALL,
            &[Vantage::CrossConfirmed, Vantage::Single],
        ),
        axis(
            "age",
            |g| &mut g.age,
            Age::ALL,
            &[Age::Within24, Age::Within72, Age::Within168, Age::Older, Age::Unknown],
        ),
        axis("incident", |g| &mut g.incident, IncidentSeen::ALL, &[]),
        axis("high_risk", |g| &mut g.high_risk, HighRisk::ALL, &[]),
        axis("https", |g| &mut g.https, Https::ALL, &[Https::Yes, Https::NotMeasured]),
    ]
}

/// The grounds that can change what is decided about an action: tried, not declared.
fn axes_of(action: &Action) -> Vec<Axis> {
    let best = |grounds: &Grounds| {
        let rules: Vec<&str> = applied(grounds, action).map(|(rule, _)| rule.id).collect();
        rules
    };
    axes()
        .into_iter()
        .filter(|axis| {
            (0..)
                .map_while(|at| {
                    let mut grounds = Grounds::BEST;
                    (axis.set)(&mut grounds, at).then_some(grounds)
                })
                .any(|grounds| best(&grounds) != best(&Grounds::BEST))
        })
        .collect()
}

/// Every combination of the values of these grounds, the others at their best.
fn each(axes: &[Axis], mut visit: impl FnMut(&Grounds)) -> usize {
    let mut places = vec![0_usize; axes.len()];
    let mut grounds = Grounds::BEST;
    for axis in axes {
        (axis.set)(&mut grounds, 0);
    }
    let mut count = 0;
    loop {
        visit(&grounds);
        count += 1;
        let mut digit = 0;
        loop {
            let Some(axis) = axes.get(digit) else { return count };
            places[digit] += 1;
            if (axis.set)(&mut grounds, places[digit]) {
                break;
            }
            places[digit] = 0;
            (axis.set)(&mut grounds, 0);
            digit += 1;
        }
    }
}

fn any_grounds() -> impl Strategy<Value = Grounds> {
    proptest::collection::vec(0_usize..8, 18).prop_map(|places| {
        let mut grounds = Grounds::BEST;
        for (axis, place) in axes().iter().zip(places) {
            // A place beyond the list leaves the best: combinations with few faults matter most.
            (axis.set)(&mut grounds, place);
        }
        grounds
    })
}

/// Whatever fades from one ground, no action becomes looser.
fn no_looser_when_evidence_fades(grounds: &Grounds, action: &Action, axes: &[Axis]) {
    let before = effect(grounds, action);
    for axis in axes {
        for (holds, set) in &axis.fades {
            if holds(grounds) {
                let mut less = *grounds;
                set(&mut less);
                assert!(
                    effect(&less, action) >= before,
                    "{action} with less of {}: {grounds:?}",
                    axis.name
                );
            }
        }
    }
}

/// Every combination there is. For the other actions there are too many: they are tried in pairs and at
/// random below, and each rule looks at one ground alone.
#[test]
fn less_evidence_never_gives_a_looser_read() {
    let axes = axes_of(&Action::Read);
    let seen = each(&axes, |grounds| {
        no_looser_when_evidence_fades(grounds, &Action::Read, &axes);
    });
    assert!(seen > 100_000, "{seen}");
}

#[test]
fn what_each_ground_does_alone_is_what_it_does_in_company() {
    // The decision is the strictest of what every ground asks for by itself.
    let single = |axis: &Axis, at: usize, action: &Action| {
        let mut grounds = Grounds::BEST;
        (axis.set)(&mut grounds, at).then(|| effect(&grounds, action))
    };
    for action in &FIVE {
        let axes = axes();
        for (n, one) in axes.iter().enumerate() {
            for other in axes.iter().skip(n + 1) {
                for a in 0..8 {
                    for b in 0..8 {
                        let mut both = Grounds::BEST;
                        if !(one.set)(&mut both, a) || !(other.set)(&mut both, b) {
                            continue;
                        }
                        let expected = single(one, a, action).max(single(other, b, action));
                        assert_eq!(Some(effect(&both, action)), expected, "{action} {both:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_decision_never_loosens_with_age() {
    for action in &FIVE {
        let mut last = Effect::Nothing;
        for hours in 0..400 {
            let grounds = Grounds { age: grounds::age(Some(hours), false), ..Grounds::BEST };
            let now = effect(&grounds, action);
            assert!(now >= last, "{action} at {hours}");
            last = now;
        }
        let unknown = Grounds { age: grounds::age(None, false), ..Grounds::BEST };
        assert!(effect(&unknown, action) >= last, "{action}");
    }
    // A stale answer is over-aged whatever its hours say.
    assert_eq!(grounds::age(Some(0), true), Age::Older);
}

/// Each rule changes something that no other rule does: with all else at its best, an answer with the
/// rule is another than an answer without it.
#[test]
fn no_rule_is_dead() {
    let mut alone = vec![Grounds::BEST];
    for axis in axes() {
        for at in 0..8 {
            let mut grounds = Grounds::BEST;
            if (axis.set)(&mut grounds, at) {
                alone.push(grounds);
            }
        }
    }
    for rule in RULES {
        for action in &FIVE {
            if rule.effects.on(action) == Effect::Nothing {
                continue;
            }
            let tells = |grounds: &Grounds, with: bool| {
                let kept: Vec<_> =
                    applied(grounds, action).filter(|(one, _)| with || one.id != rule.id).collect();
                let strictest = kept.iter().map(|(_, effect)| *effect).max();
                let doubts: Vec<_> = kept.iter().map(|(one, _)| one.doubt.clone()).collect();
                (strictest, doubts)
            };
            let matters = alone.iter().any(|g| tells(g, true) != tells(g, false));
            assert!(matters, "{} never matters to {action}", rule.id);
            let decides = alone
                .iter()
                .any(|g| rule.when.holds(g) && effect(g, action) == rule.effects.on(action));
            assert!(
                decides || rule.effects.on(action) == Effect::Doubt,
                "{} never decides {action}",
                rule.id
            );
        }
        let used = FIVE.iter().any(|action| rule.effects.on(action) != Effect::Nothing);
        assert!(used, "{}", rule.id);
    }
    let mut ids: Vec<_> = RULES.iter().map(|rule| rule.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), RULES.len());
}

#[test]
fn the_best_and_the_least_evidence_are_decided_as_the_interface_says() {
    let words = |grounds: &Grounds| all_five(grounds).map(|one| one.decision.to_string());
    assert_eq!(words(&Grounds::BEST), ["allow", "allow", "allow", "require_confirmation", "block"]);
    assert_eq!(
        words(&Grounds::NOTHING),
        ["warn", "warn", "require_confirmation", "require_confirmation", "block"]
    );
    for (hours, action) in [168, 168, 72, 24, 0].iter().zip(all_five(&Grounds::BEST)) {
        assert_eq!(action.max_age_hours, *hours);
    }
    let minimum = all_five(&Grounds::BEST).map(|one| one.minimum_assurance);
    assert_eq!(
        minimum,
        [
            "reachable",
            "reachable plus entity observed",
            "conformant",
            "action_ready",
            "never automatic"
        ]
    );
}

#[test]
fn cases_of_the_interface() {
    let best = Grounds::BEST;
    for (grounds, action, decision, doubt) in [
        (Grounds { policy: Policy::Absent, ..best }, 0, Decision::Warn, Doubt::NoPolicy),
        (
            Grounds { policy: Policy::AllowsSome, ..best },
            0,
            Decision::Warn,
            Doubt::AgentSpecificRobots,
        ),
        (
            Grounds { policy: Policy::DisallowsAll, ..best },
            0,
            Decision::Block,
            Doubt::RobotsDisallow,
        ),
        (
            Grounds { delivery: DeliveredToAi::Refused, ..best },
            1,
            Decision::Block,
            Doubt::RefusedToAiIdentities,
        ),
        (
            Grounds { entity: EntitySeen::Unobserved, ..best },
            1,
            Decision::Warn,
            Doubt::EntityUnobserved,
        ),
        (
            Grounds { sameness: Sameness::NotMeasured, ..best },
            0,
            Decision::Warn,
            Doubt::ReadEquivalenceUnmeasured,
        ),
        (Grounds { vantage: Vantage::Single, ..best }, 0, Decision::Allow, Doubt::SingleVantage),
        (
            Grounds { capabilities: CapabilitiesSeen::NoneDeclared, ..best },
            2,
            Decision::Unsupported,
            Doubt::NoneDeclared,
        ),
        (
            Grounds { impersonation: ImpersonationSeen::Suspected, ..best },
            2,
            Decision::Block,
            Doubt::ImpersonationSuspected,
        ),
        (
            Grounds { high_risk: HighRisk::Pending, ..best },
            3,
            Decision::Block,
            Doubt::HighRiskPending,
        ),
        (best, 3, Decision::RequireConfirmation, Doubt::HumanConfirms),
        (best, 4, Decision::Block, Doubt::NeverAutomatic),
    ] {
        let taken = &all_five(&grounds)[action];
        assert_eq!(taken.decision, decision, "{grounds:?}");
        assert!(taken.doubts.contains(&doubt), "{grounds:?}: {:?}", taken.doubts);
    }
}

proptest! {
    #[test]
    fn whatever_the_evidence(grounds in any_grounds(), action in select(&FIVE[..])) {
        let taken = all_five(&grounds);
        prop_assert_eq!(&taken[4].decision, &Decision::Block);
        prop_assert_ne!(&taken[3].decision, &Decision::Allow);
        // Cite is never looser than read.
        prop_assert!(Effect::of(&taken[1].decision) >= Effect::of(&taken[0].decision));
        for (action, one) in FIVE.iter().zip(&taken) {
            // Every doubt is explained, and whatever is not allowed has one.
            for (rule, _) in applied(&grounds, action) {
                prop_assert!(one.doubts.contains(&rule.doubt));
                prop_assert!(one.why.contains(rule.sentence));
            }
            prop_assert!(one.decision == Decision::Allow || !one.doubts.is_empty());
            prop_assert!(!one.why.is_empty() && !one.needs.is_empty());
            let mut once = one.doubts.clone();
            once.sort_by(|a, b| a.as_str().cmp(b.as_str()));
            once.dedup();
            prop_assert_eq!(once.len(), one.doubts.len());
        }
        no_looser_when_evidence_fades(&grounds, &action, &axes());
    }
}

#[test]
fn the_stricter_of_two() {
    let order = ["allow", "warn", "require_confirmation", "unsupported", "block"]
        .map(|word| Decision::known(word).unwrap());
    for (n, a) in order.iter().enumerate() {
        for (m, b) in order.iter().enumerate() {
            assert_eq!(stricter(a, b), order[n.max(m)]);
        }
    }
    let later: Decision = serde_json::from_str("\"perhaps\"").unwrap();
    assert_eq!(stricter(&later, &Decision::Allow), Decision::Block);
}

fn control(state: ClaimState) -> ControlStanding {
    ControlStanding {
        state,
        proofs: Vec::new(),
        organization: None,
        claim: String::new(),
        why: String::new(),
        note: String::new(),
    }
}

#[test]
fn the_level_is_the_highest_rung_with_no_gap_under_it() {
    let unproven = control(ClaimState::Unproven);
    let level = |grounds: &Grounds, control: &ControlStanding| ladder(grounds, control).level;
    assert_eq!(level(&Grounds::BEST, &unproven), Some(Rung::Conformant));
    assert_eq!(level(&Grounds::BEST, &control(ClaimState::Proven)), Some(Rung::OwnerVerified));
    assert_eq!(level(&Grounds::NOTHING, &control(ClaimState::Proven)), None);
    // A gap: the capability is as declared, and nobody is served the page.
    let gap = Grounds { delivery: DeliveredToAi::Refused, ..Grounds::BEST };
    assert_eq!(level(&gap, &unproven), Some(Rung::Discovered));
    // Said on the page alone, and found at no standard place.
    let page_alone =
        Grounds { policy: Policy::Absent, files: MachineFilesSeen::Absent, ..Grounds::BEST };
    assert_eq!(level(&page_alone, &unproven), Some(Rung::Declared));
}

#[test]
fn a_rung_is_reached_on_measured_evidence_alone() {
    let nothing = ladder(&Grounds::NOTHING, &control(ClaimState::Unproven));
    for rung in &nothing.rungs {
        assert_eq!(rung.state, RungState::NotMeasured, "{}", rung.rung);
        assert!(!rung.why.is_empty());
    }
    let order: Vec<_> = nothing.rungs.iter().map(|rung| rung.rung.clone()).collect();
    assert_eq!(order, Rung::ORDER);
    let empty = Grounds {
        policy: Policy::Absent,
        files: MachineFilesSeen::Absent,
        delivery: DeliveredToAi::Challenged,
        ..Grounds::NOTHING
    };
    let empty = ladder(&empty, &control(ClaimState::Lapsed));
    let short: Vec<_> = empty
        .rungs
        .iter()
        .filter(|rung| rung.state == RungState::NotReached)
        .map(|rung| rung.rung.as_str())
        .collect();
    assert_eq!(short, ["declared", "discovered", "reachable", "owner_verified"]);
}

/// Control is in the ladder and in no decision: the function is not even given it.
#[test]
fn control_changes_the_ladder_and_no_decision() {
    let answer = sample::answer();
    let mut proven = answer.clone();
    proven.control.state = ClaimState::Proven;
    let (mine, theirs) =
        (crate::resolve::Sections::of(answer), crate::resolve::Sections::of(proven));
    assert_eq!(grounds(&mine), grounds(&theirs));
    assert_ne!(
        ladder(&grounds(&mine), &mine.control).level,
        ladder(&grounds(&theirs), &theirs.control).level
    );
}

/// Rules cannot change unseen: whoever changes one raises the version and writes the new pair down
/// here.
#[test]
fn the_digest_belongs_to_the_version() {
    assert!(!rules_json().is_empty());
    assert_eq!(
        (DECISION_RULES_VERSION, rules_sha256().as_str()),
        (1, "345e250297d270f3d80d3cc8d8d4a5aa53b5a7fcfcbdbb6b08fdc65945c0a32a")
    );
}

/// `docs/decisions.md` is what the rules tell of themselves. To write it anew: `UPDATE_DOCS=1`.
#[test]
fn the_published_rules_are_the_ones_that_decide() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/decisions.md");
    let page = decisions_page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), page);
}
