//! Applies the table: grounds in, five decisions out.

use contract::records::{
    Action, ActionDecision, Actions, CiteDecision, CiteScope, Decision, Doubt,
};

use super::grounds::Grounds;
use super::ladder::found;
use super::rules::{Effect, RULES, Rule, terms};

const RULE: &str = "Each decision is taken from this answer's own sections when it is signed: the strictest of all \
                    rules that hold. An agent's own policy may be stricter, never looser.";

/// The five decisions.
#[must_use]
pub fn actions(grounds: &Grounds) -> Actions {
    let cite = decide(grounds, &Action::Cite);
    Actions {
        v: 1,
        decisions: Decision::WORDS.join(", "),
        rule: RULE.to_owned(),
        read: decide(grounds, &Action::Read),
        cite: CiteDecision {
            decision: cite.decision,
            minimum_assurance: cite.minimum_assurance,
            assurance_found: cite.assurance_found,
            needs: cite.needs,
            why: cite.why,
            doubts: cite.doubts,
            max_age_hours: cite.max_age_hours,
            scope: CiteScope {
                covers: vec![
                    "the home page of this domain as a source, with its address".to_owned(),
                    "what the page was seen to say at the time of the reading".to_owned(),
                ],
                does_not_cover:
                    "That what the page says is correct, and any other page of the site.".to_owned(),
            },
        },
        connect: decide(grounds, &Action::Connect),
        transact: decide(grounds, &Action::Transact),
        administer: decide(grounds, &Action::Administer),
    }
}

/// The rules that hold for an action, with what each does to it.
pub(super) fn applied<'a>(
    grounds: &'a Grounds,
    action: &'a Action,
) -> impl Iterator<Item = (&'static Rule, Effect)> + 'a {
    RULES.iter().filter_map(move |rule| {
        let effect = rule.effects.on(action);
        (effect != Effect::Nothing && rule.when.holds(grounds)).then_some((rule, effect))
    })
}

fn decide(grounds: &Grounds, action: &Action) -> ActionDecision {
    let terms = terms(action);
    let strictest =
        applied(grounds, action).map(|(_, effect)| effect).max().unwrap_or(Effect::Nothing);
    let mut doubts: Vec<Doubt> = Vec::new();
    for (rule, _) in applied(grounds, action) {
        if !doubts.contains(&rule.doubt) {
            doubts.push(rule.doubt.clone());
        }
    }
    ActionDecision {
        decision: strictest.decision(),
        minimum_assurance: terms.minimum_assurance.to_owned(),
        assurance_found: found(grounds),
        needs: terms.needs.to_owned(),
        why: why(grounds, action, strictest, terms.allowed),
        doubts,
        max_age_hours: terms.max_age_hours,
    }
}

/// What decided first, then every other doubt: nobody should have to guess what a code means.
fn why(grounds: &Grounds, action: &Action, strictest: Effect, allowed: &str) -> String {
    let mut text = String::new();
    let mut tell = |sentence: &str| {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(sentence);
    };
    if strictest <= Effect::Doubt {
        tell(allowed);
    }
    for decided in [true, false] {
        for (rule, effect) in applied(grounds, action) {
            if (effect == strictest && strictest > Effect::Doubt) == decided {
                tell(rule.sentence);
            }
        }
    }
    text
}
