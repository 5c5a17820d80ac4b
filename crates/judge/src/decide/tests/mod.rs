mod inputs_from_sections;
pub(crate) mod sample;

use contract::records::{
    Action, ActionDecision, ClaimState, ControlSummary, Decision, Doubt, Rung, RungState,
};
use proptest::prelude::*;
use proptest::sample::select;

use super::action_decisions::applicable_rules;
use super::*;

const FIVE: [Action; 5] =
    [Action::Read, Action::Cite, Action::Connect, Action::Transact, Action::Administer];

/// The effect that decides; doubts alone count as none.
fn effect(inputs: &DecisionInputs, action: &Action) -> Effect {
    let strictest = applicable_rules(inputs, action).map(|(_, effect)| effect).max();
    strictest.filter(|effect| *effect > Effect::Doubt).unwrap_or(Effect::Nothing)
}

fn all_five(inputs: &DecisionInputs) -> [ActionDecision; 5] {
    let taken = decide_actions(inputs);
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

/// One decision input with all its values.
struct Axis {
    name: &'static str,
    /// Sets the value with this index; false when there is none.
    set: SetsAt,
    /// From known and good to unknown: less evidence with each step, but no bad evidence.
    fades: Vec<(Holds, Sets)>,
}

type SetsAt = Box<dyn Fn(&mut DecisionInputs, usize) -> bool>;
type Holds = Box<dyn Fn(&DecisionInputs) -> bool>;
type Sets = Box<dyn Fn(&mut DecisionInputs)>;

fn axis<T: Copy + PartialEq + 'static>(
    name: &'static str,
    member: fn(&mut DecisionInputs) -> &mut T,
    all: &'static [T],
    fading: &[T],
) -> Axis {
    let fades = fading
        .windows(2)
        .map(|pair| {
            let (better, less) = (pair[0], pair[1]);
            let holds: Holds = Box::new(move |inputs| *member(&mut inputs.clone()) == better);
            let sets: Sets = Box::new(move |inputs| *member(inputs) = less);
            (holds, sets)
        })
        .collect();
    let set = Box::new(move |inputs: &mut DecisionInputs, at: usize| {
        all.get(at).map(|value| *member(inputs) = *value).is_some()
    });
    Axis { name, set, fades }
}

fn axes() -> Vec<Axis> {
    vec![
        axis(
            "name",
            |g| &mut g.name,
            NameExistence::ALL,
            &[NameExistence::Exists, NameExistence::NotMeasured],
        ),
        axis(
            "policy",
            |g| &mut g.policy,
            RobotsPolicy::ALL,
            &[
                RobotsPolicy::AllowsAll,
                RobotsPolicy::AllowsSome,
                RobotsPolicy::Absent,
                RobotsPolicy::NotMeasured,
            ],
        ),
        axis(
            "files",
            |g| &mut g.files,
            MachineFilesPresence::ALL,
            &[MachineFilesPresence::Present, MachineFilesPresence::NotMeasured],
        ),
        axis(
            "delivery",
            |g| &mut g.delivery,
            AiDelivery::ALL,
            &[AiDelivery::All, AiDelivery::Some, AiDelivery::NoPage, AiDelivery::NotMeasured],
        ),
        axis(
            "sameness",
            |g| &mut g.sameness,
            Sameness::ALL,
            &[Sameness::Same, Sameness::NotMeasured],
        ),
        axis("instructions", |g| &mut g.instructions, Instructions::ALL, &[]),
        axis(
            "content",
            |g| &mut g.content,
            PageContent::ALL,
            &[PageContent::Text, PageContent::NotMeasured],
        ),
        axis("paywall", |g| &mut g.paywall, Paywall::ALL, &[]),
        axis("further_pages", |g| &mut g.further_pages, FurtherPages::ALL, &[]),
        axis(
            "entity",
            |g| &mut g.entity,
            EntityObservation::ALL,
            &[EntityObservation::Observed, EntityObservation::Unobserved],
        ),
        axis("contradictions", |g| &mut g.contradictions, Contradictions::ALL, &[]),
        axis(
            "ground",
            |g| &mut g.ground,
            UsageRight::ALL,
            &[UsageRight::Allowed, UsageRight::Unknown],
        ),
        axis("cite", |g| &mut g.cite, UsageRight::ALL, &[UsageRight::Allowed, UsageRight::Unknown]),
        axis(
            "transact",
            |g| &mut g.transact,
            UsageRight::ALL,
            &[UsageRight::Allowed, UsageRight::Unknown],
        ),
        axis(
            "capabilities",
            |g| &mut g.capabilities,
            CapabilityConformance::ALL,
            &[
                CapabilityConformance::Conformant,
                CapabilityConformance::Unverified,
                CapabilityConformance::NotMeasured,
            ],
        ),
        axis(
            "impersonation",
            |g| &mut g.impersonation,
            ImpersonationCheck::ALL,
            &[ImpersonationCheck::Clear, ImpersonationCheck::NotMeasured],
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
            AgeBand::ALL,
            &[
                AgeBand::Within24,
                AgeBand::Within72,
                AgeBand::Within168,
                AgeBand::Older,
                AgeBand::Unknown,
            ],
        ),
        axis("incident", |g| &mut g.incident, IncidentReport::ALL, &[]),
        axis("high_risk", |g| &mut g.high_risk, HighRiskChange::ALL, &[]),
        axis("https", |g| &mut g.https, Https::ALL, &[Https::Yes, Https::NotMeasured]),
        axis(
            "coverage",
            |g| &mut g.coverage,
            Coverage::ALL,
            &[Coverage::Measured, Coverage::Nothing],
        ),
    ]
}

/// The inputs that can change the decision for an action, found by trying them.
fn axes_of(action: &Action) -> Vec<Axis> {
    let best = |inputs: &DecisionInputs| {
        let rules: Vec<&str> = applicable_rules(inputs, action).map(|(rule, _)| rule.id).collect();
        rules
    };
    axes()
        .into_iter()
        .filter(|axis| {
            (0..)
                .map_while(|at| {
                    let mut inputs = DecisionInputs::BEST;
                    (axis.set)(&mut inputs, at).then_some(inputs)
                })
                .any(|inputs| best(&inputs) != best(&DecisionInputs::BEST))
        })
        .collect()
}

/// Every combination of the values of these inputs, the others at their best.
fn each(axes: &[&Axis], mut visit: impl FnMut(&DecisionInputs)) -> usize {
    let mut places = vec![0_usize; axes.len()];
    let mut inputs = DecisionInputs::BEST;
    for axis in axes {
        (axis.set)(&mut inputs, 0);
    }
    let mut count = 0;
    loop {
        visit(&inputs);
        count += 1;
        let mut digit = 0;
        loop {
            let Some(axis) = axes.get(digit) else { return count };
            places[digit] += 1;
            if (axis.set)(&mut inputs, places[digit]) {
                break;
            }
            places[digit] = 0;
            (axis.set)(&mut inputs, 0);
            digit += 1;
        }
    }
}

fn any_inputs() -> impl Strategy<Value = DecisionInputs> {
    proptest::collection::vec(0_usize..12, axes().len()).prop_map(|places| {
        let mut inputs = DecisionInputs::BEST;
        for (axis, place) in axes().iter().zip(places) {
            // An index beyond the list leaves the best value: combinations with few faults matter most.
            (axis.set)(&mut inputs, place);
        }
        inputs
    })
}

/// Less evidence for one input makes no action looser.
fn no_looser_when_evidence_fades(inputs: &DecisionInputs, action: &Action, axes: &[Axis]) {
    let before = effect(inputs, action);
    for axis in axes {
        for (holds, set) in &axis.fades {
            if holds(inputs) {
                let mut less = *inputs;
                set(&mut less);
                assert!(
                    effect(&less, action) >= before,
                    "{action} with less of {}: {inputs:?}",
                    axis.name
                );
            }
        }
    }
}

/// Every combination of three inputs, the others at their best: each rule looks at one input only, and
/// the next test shows that inputs do not change each other's effect.
#[test]
fn less_evidence_never_gives_a_looser_decision() {
    for action in &FIVE {
        let axes = axes_of(action);
        let mut seen = 0;
        for (n, one) in axes.iter().enumerate() {
            for (m, two) in axes.iter().enumerate().skip(n + 1) {
                for three in axes.iter().skip(m + 1) {
                    seen += each(&[one, two, three], |inputs| {
                        no_looser_when_evidence_fades(inputs, action, &axes);
                    });
                }
            }
        }
        assert!(seen > 10_000 || *action == Action::Administer, "{action}: {seen}");
    }
}

#[test]
fn each_input_has_the_same_effect_alone_and_combined() {
    // The decision is the strictest of what every input demands by itself.
    let single = |axis: &Axis, at: usize, action: &Action| {
        let mut inputs = DecisionInputs::BEST;
        (axis.set)(&mut inputs, at).then(|| effect(&inputs, action))
    };
    for action in &FIVE {
        let axes = axes();
        for (n, one) in axes.iter().enumerate() {
            for other in axes.iter().skip(n + 1) {
                for a in 0..12 {
                    for b in 0..12 {
                        let mut both = DecisionInputs::BEST;
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
            let inputs = DecisionInputs {
                age: decision_inputs::age_band(Some(hours), false),
                ..DecisionInputs::BEST
            };
            let now = effect(&inputs, action);
            assert!(now >= last, "{action} at {hours}");
            last = now;
        }
        let unknown =
            DecisionInputs { age: decision_inputs::age_band(None, false), ..DecisionInputs::BEST };
        assert!(effect(&unknown, action) >= last, "{action}");
    }
    // A stale answer is too old regardless of its hours.
    assert_eq!(decision_inputs::age_band(Some(0), true), AgeBand::Older);
}

/// Each rule has an effect of its own: with all other inputs at their best, removing the rule changes the
/// result.
#[test]
fn no_rule_is_dead() {
    let mut alone = vec![DecisionInputs::BEST];
    for axis in axes() {
        for at in 0..12 {
            let mut inputs = DecisionInputs::BEST;
            if (axis.set)(&mut inputs, at) {
                alone.push(inputs);
            }
        }
    }
    for rule in DECISION_RULES {
        for action in &FIVE {
            if rule.effects.for_action(action) == Effect::Nothing {
                continue;
            }
            let tells = |inputs: &DecisionInputs, with: bool| {
                let applicable: Vec<_> = applicable_rules(inputs, action)
                    .filter(|(one, _)| with || one.id != rule.id)
                    .collect();
                let strictest = applicable.iter().map(|(_, effect)| *effect).max();
                let doubts: Vec<_> = applicable.iter().map(|(one, _)| one.doubt.clone()).collect();
                (strictest, doubts)
            };
            let matters = alone.iter().any(|g| tells(g, true) != tells(g, false));
            assert!(matters, "{} never matters to {action}", rule.id);
            let decides = alone.iter().any(|g| {
                rule.when.holds(g) && effect(g, action) == rule.effects.for_action(action)
            });
            assert!(
                decides || rule.effects.for_action(action) == Effect::Doubt,
                "{} never decides {action}",
                rule.id
            );
        }
        let used = FIVE.iter().any(|action| rule.effects.for_action(action) != Effect::Nothing);
        assert!(used, "{}", rule.id);
    }
    let mut ids: Vec<_> = DECISION_RULES.iter().map(|rule| rule.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), DECISION_RULES.len());
}

#[test]
fn the_best_and_the_least_evidence_are_decided_as_the_interface_says() {
    let words = |inputs: &DecisionInputs| all_five(inputs).map(|one| one.decision.to_string());
    assert_eq!(
        words(&DecisionInputs::BEST),
        ["allow", "allow", "allow", "require_confirmation", "block"]
    );
    assert_eq!(
        words(&DecisionInputs::NOTHING),
        [
            "require_confirmation",
            "require_confirmation",
            "require_confirmation",
            "require_confirmation",
            "block"
        ]
    );
    for (hours, action) in [168, 168, 72, 24, 0].iter().zip(all_five(&DecisionInputs::BEST)) {
        assert_eq!(action.max_age_hours, *hours);
    }
    let minimum = all_five(&DecisionInputs::BEST).map(|one| one.minimum_assurance);
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
    let best = DecisionInputs::BEST;
    for (inputs, action, decision, doubt) in [
        (
            DecisionInputs { policy: RobotsPolicy::Absent, ..best },
            0,
            Decision::Warn,
            Doubt::NoPolicy,
        ),
        (
            DecisionInputs { policy: RobotsPolicy::AllowsSome, ..best },
            0,
            Decision::Warn,
            Doubt::AgentSpecificRobots,
        ),
        (
            DecisionInputs { policy: RobotsPolicy::DisallowsAll, ..best },
            0,
            Decision::Block,
            Doubt::RobotsDisallow,
        ),
        (
            DecisionInputs { delivery: AiDelivery::Refused, ..best },
            1,
            Decision::Block,
            Doubt::RefusedToAiIdentities,
        ),
        (
            DecisionInputs { entity: EntityObservation::Unobserved, ..best },
            1,
            Decision::Warn,
            Doubt::EntityUnobserved,
        ),
        (
            DecisionInputs { sameness: Sameness::NotMeasured, ..best },
            0,
            Decision::Warn,
            Doubt::ReadEquivalenceUnmeasured,
        ),
        (
            DecisionInputs { vantage: Vantage::Single, ..best },
            0,
            Decision::Allow,
            Doubt::SingleVantage,
        ),
        (
            DecisionInputs { capabilities: CapabilityConformance::NoneDeclared, ..best },
            2,
            Decision::Unsupported,
            Doubt::NoneDeclared,
        ),
        (
            DecisionInputs { impersonation: ImpersonationCheck::Suspected, ..best },
            2,
            Decision::Block,
            Doubt::ImpersonationSuspected,
        ),
        (
            DecisionInputs { high_risk: HighRiskChange::Pending, ..best },
            3,
            Decision::Block,
            Doubt::HighRiskPending,
        ),
        (best, 3, Decision::RequireConfirmation, Doubt::HumanConfirms),
        (best, 4, Decision::Block, Doubt::NeverAutomatic),
    ] {
        let taken = &all_five(&inputs)[action];
        assert_eq!(taken.decision, decision, "{inputs:?}");
        assert!(taken.doubts.contains(&doubt), "{inputs:?}: {:?}", taken.doubts);
    }
}

proptest! {
    #[test]
    fn whatever_the_evidence(inputs in any_inputs(), action in select(&FIVE[..])) {
        let taken = all_five(&inputs);
        prop_assert_eq!(&taken[4].decision, &Decision::Block);
        prop_assert_ne!(&taken[3].decision, &Decision::Allow);
        // Cite is never looser than read.
        prop_assert!(Effect::from_decision(&taken[1].decision) >= Effect::from_decision(&taken[0].decision));
        for (action, one) in FIVE.iter().zip(&taken) {
            // Every rule that holds adds its doubt, and every decision other than allow has one.
            for (rule, _) in applicable_rules(&inputs, action) {
                prop_assert!(one.doubts.contains(&rule.doubt));
            }
            // `why` has the deciding reasons and nothing else.
            let strictest = effect(&inputs, action);
            let deciding: Vec<&str> = applicable_rules(&inputs, action)
                .filter(|(_, effect)| *effect == strictest && strictest > Effect::Doubt)
                .map(|(rule, _)| rule.sentence)
                .collect();
            if deciding.is_empty() {
                prop_assert_eq!(one.why.as_str(), action_terms(action).allowed);
            } else {
                prop_assert_eq!(one.why.clone(), deciding.join(" "));
            }
            prop_assert!(one.decision == Decision::Allow || !one.doubts.is_empty());
            prop_assert!(!one.why.is_empty() && !one.needs.is_empty());
            let mut once = one.doubts.clone();
            once.sort_by(|a, b| a.as_str().cmp(b.as_str()));
            once.dedup();
            prop_assert_eq!(once.len(), one.doubts.len());
        }
        no_looser_when_evidence_fades(&inputs, &action, &axes());
    }
}

#[test]
fn the_stricter_of_two() {
    let order = ["allow", "warn", "require_confirmation", "unsupported", "block"]
        .map(|word| Decision::from_word(word).unwrap());
    for (n, a) in order.iter().enumerate() {
        for (m, b) in order.iter().enumerate() {
            assert_eq!(stricter(a, b), order[n.max(m)]);
        }
    }
    let later: Decision = serde_json::from_str("\"perhaps\"").unwrap();
    assert_eq!(stricter(&later, &Decision::Allow), Decision::Block);
}

fn control(state: ClaimState) -> ControlSummary {
    ControlSummary {
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
    let level =
        |inputs: &DecisionInputs, control: &ControlSummary| build_ladder(inputs, control).level;
    assert_eq!(level(&DecisionInputs::BEST, &unproven), Some(Rung::Conformant));
    assert_eq!(
        level(&DecisionInputs::BEST, &control(ClaimState::Proven)),
        Some(Rung::OwnerVerified)
    );
    assert_eq!(level(&DecisionInputs::NOTHING, &control(ClaimState::Proven)), None);
    // A gap: the capability is as declared, and nobody is served the page.
    let gap = DecisionInputs { delivery: AiDelivery::Refused, ..DecisionInputs::BEST };
    assert_eq!(level(&gap, &unproven), Some(Rung::Discovered));
    // Said on the page alone, and found at no standard place.
    let page_alone = DecisionInputs {
        policy: RobotsPolicy::Absent,
        files: MachineFilesPresence::Absent,
        ..DecisionInputs::BEST
    };
    assert_eq!(level(&page_alone, &unproven), Some(Rung::Declared));
}

#[test]
fn a_rung_is_reached_on_measured_evidence_alone() {
    let nothing = build_ladder(&DecisionInputs::NOTHING, &control(ClaimState::Unproven));
    for rung in &nothing.rungs {
        assert_eq!(rung.state, RungState::NotMeasured, "{}", rung.rung);
        assert!(!rung.why.is_empty());
    }
    let order: Vec<_> = nothing.rungs.iter().map(|rung| rung.rung.clone()).collect();
    assert_eq!(order, Rung::ORDER);
    let empty = DecisionInputs {
        policy: RobotsPolicy::Absent,
        files: MachineFilesPresence::Absent,
        delivery: AiDelivery::Challenged,
        ..DecisionInputs::NOTHING
    };
    let empty = build_ladder(&empty, &control(ClaimState::Lapsed));
    let short: Vec<_> = empty
        .rungs
        .iter()
        .filter(|rung| rung.state == RungState::NotReached)
        .map(|rung| rung.rung.as_str())
        .collect();
    assert_eq!(short, ["declared", "discovered", "reachable", "owner_verified"]);
}

/// Control is part of the ladder and of no decision: deciding does not take it as an argument.
#[test]
fn control_changes_the_ladder_and_no_decision() {
    let answer = sample::answer();
    let mut proven = answer.clone();
    proven.control.state = ClaimState::Proven;
    let (mine, theirs) = (
        crate::resolve::Sections::from_answer(answer),
        crate::resolve::Sections::from_answer(proven),
    );
    assert_eq!(decision_inputs(&mine), decision_inputs(&theirs));
    assert_ne!(
        build_ladder(&decision_inputs(&mine), &mine.control).level,
        build_ladder(&decision_inputs(&theirs), &theirs.control).level
    );
}

/// A change of a rule must raise the version: whoever changes one writes the new pair here.
#[test]
fn the_digest_belongs_to_the_version() {
    assert!(!rules_json().is_empty());
    assert_eq!(
        (DECISION_RULES_VERSION, rules_sha256().as_str()),
        (4, "c09341856a77c5550eb34fe4721da5dbc779ebf684a705aaf754fddd5803936a")
    );
}

/// `docs/decisions.md` is generated from the rules. To regenerate it, set `UPDATE_DOCS=1`.
#[test]
fn the_published_rules_are_the_ones_that_decide() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/decisions.md");
    let page = decisions_page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), page);
}
