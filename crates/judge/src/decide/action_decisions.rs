//! The decisions for `read`, `cite`, `connect`, `transact` and `administer`: applies the table of
//! decision rules to the decision inputs of one answer.

use contract::records::{
    Action, ActionDecision, Actions, CiteDecision, CiteScope, Decision, Doubt,
};

use super::assurance_ladder::rungs_found;
use super::decision_inputs::{DecisionInputs, Paywall};
use super::decision_rules::{DECISION_RULES, DecisionRule, Effect, action_terms};

const RULE: &str = "Each decision follows from this answer's own sections at signing time. It is the strictest of all \
                    rules that apply. An agent's own policy may be stricter, never looser.";

/// Decides all five actions.
#[must_use]
pub fn decide_actions(inputs: &DecisionInputs) -> Actions {
    let cite = decide_action(inputs, &Action::Cite);
    Actions {
        v: 1,
        decisions: Decision::WORDS.join(", "),
        rule: RULE.to_owned(),
        read: decide_action(inputs, &Action::Read),
        cite: CiteDecision {
            decision: cite.decision,
            minimum_assurance: cite.minimum_assurance,
            assurance_found: cite.assurance_found,
            needs: cite.needs,
            why: cite.why,
            doubts: cite.doubts,
            max_age_hours: cite.max_age_hours,
            scope: cite_scope(inputs),
        },
        connect: decide_action(inputs, &Action::Connect),
        transact: decide_action(inputs, &Action::Transact),
        administer: decide_action(inputs, &Action::Administer),
    }
}

/// What `cite` covers. Behind a paywall it is only the part that is free to read.
fn cite_scope(inputs: &DecisionInputs) -> CiteScope {
    let (text, not) = match inputs.paywall {
        Paywall::NoneSeen => (
            "what the page said at the time of the reading",
            "Whether what the page says is correct, and any other page of the site.",
        ),
        Paywall::Found => (
            "what the part of the page that is free to read said at the time of the reading",
            "Whether what the page says is correct, the part that is only for subscribers, and any other page of the \
             site.",
        ),
    };
    CiteScope {
        covers: vec![
            "the home page of this domain as a source, with its address".to_owned(),
            text.to_owned(),
        ],
        does_not_cover: not.to_owned(),
    }
}

/// The rules that hold for an action, each with its effect on it.
pub(super) fn applicable_rules<'a>(
    inputs: &'a DecisionInputs,
    action: &'a Action,
) -> impl Iterator<Item = (&'static DecisionRule, Effect)> + 'a {
    DECISION_RULES.iter().filter_map(move |rule| {
        let effect = rule.effects.for_action(action);
        (effect != Effect::Nothing && rule.when.holds(inputs)).then_some((rule, effect))
    })
}

/// Decides one action. `why` gives the deciding reasons; `doubts` has the codes of all rules that hold.
fn decide_action(inputs: &DecisionInputs, action: &Action) -> ActionDecision {
    let terms = action_terms(action);
    let strictest =
        applicable_rules(inputs, action).map(|(_, effect)| effect).max().unwrap_or(Effect::Nothing);
    let mut doubts: Vec<Doubt> = Vec::new();
    for (rule, _) in applicable_rules(inputs, action) {
        if !doubts.contains(&rule.doubt) {
            doubts.push(rule.doubt.clone());
        }
    }
    ActionDecision {
        decision: strictest.decision(),
        minimum_assurance: terms.minimum_assurance.to_owned(),
        assurance_found: rungs_found(inputs),
        needs: terms.needs.to_owned(),
        why: deciding_reasons(inputs, action, strictest, terms.allowed),
        doubts,
        max_age_hours: terms.max_age_hours,
    }
}

/// The reasons that decided: the sentences of the strictest rules, or `allowed` where no rule tightened
/// the decision. All other rules that hold are in `doubts` by their codes.
fn deciding_reasons(
    inputs: &DecisionInputs,
    action: &Action,
    strictest: Effect,
    allowed: &str,
) -> String {
    if strictest <= Effect::Doubt {
        return allowed.to_owned();
    }
    let deciding: Vec<&str> = applicable_rules(inputs, action)
        .filter(|(_, effect)| *effect == strictest)
        .map(|(rule, _)| rule.sentence)
        .collect();
    deciding.join(" ")
}
