//! The steps of a preflight decision, in the order they were applied. A step can only tighten.

use contract::records::{DecisionReason, DecisionStep, Doubt};

use super::super::decision_rules::Effect;
use super::super::doubt_details;

/// The decision so far, with the steps and reasons that led to it.
pub(super) struct DecisionSteps {
    pub(super) steps: Vec<DecisionStep>,
    reasons: Vec<(Effect, DecisionReason)>,
    pub(super) effect: Effect,
    pub(super) tightened_by: Vec<Doubt>,
    /// The reasons of the steps with the current effect: these decided.
    deciding: Vec<String>,
}

impl DecisionSteps {
    /// Starts with the answer's decision.
    pub(super) fn from_answer(rule: &str, base: Effect, why: &str) -> Self {
        let step = DecisionStep {
            rule: rule.to_owned(),
            effect: base.decision().as_str().to_owned(),
            why: why.to_owned(),
        };
        Self {
            steps: vec![step],
            reasons: Vec::new(),
            effect: base,
            tightened_by: Vec::new(),
            deciding: vec![why.to_owned()],
        }
    }

    /// Records a step that found nothing to tighten.
    pub(super) fn record_passed(&mut self, rule: &str, why: impl Into<String>) {
        self.steps.push(DecisionStep {
            rule: rule.to_owned(),
            effect: Effect::Nothing.as_str().to_owned(),
            why: why.into(),
        });
    }

    /// Records a step that tightens the decision or adds a doubt.
    pub(super) fn apply(
        &mut self,
        rule: &str,
        effect: Effect,
        code: &Doubt,
        why: impl Into<String>,
    ) {
        let why = why.into();
        if effect > self.effect && effect > Effect::Doubt {
            self.effect = effect;
            self.deciding.clear();
            if !self.tightened_by.contains(code) {
                self.tightened_by.push(code.clone());
            }
        }
        if effect == self.effect && effect > Effect::Doubt && !self.deciding.contains(&why) {
            self.deciding.push(why.clone());
        }
        self.add_reason(effect, code, &why);
        self.steps.push(DecisionStep {
            rule: rule.to_owned(),
            effect: effect.as_str().to_owned(),
            why,
        });
    }

    /// Adds a reason. Each code is listed once, with its strictest effect.
    pub(super) fn add_reason(&mut self, effect: Effect, code: &Doubt, detail: &str) {
        let about = doubt_details::doubt_details(code);
        let reason = DecisionReason {
            code: code.clone(),
            class: about.class,
            effect: effect.as_str().to_owned(),
            retryable: about.retryable,
            remedy: about.remedy,
            detail: detail.to_owned(),
        };
        match self.reasons.iter_mut().find(|(_, held)| held.code == *code) {
            Some(held) if held.0 < effect => *held = (effect, reason),
            Some(_) => {}
            None => self.reasons.push((effect, reason)),
        }
    }

    pub(super) fn why(&self) -> String {
        self.deciding.join(" ")
    }

    /// The strictest first; reasons of the same effect in the order they were applied.
    pub(super) fn reasons(&self) -> Vec<DecisionReason> {
        let mut sorted: Vec<&(Effect, DecisionReason)> = self.reasons.iter().collect();
        sorted.sort_by_key(|(effect, _)| std::cmp::Reverse(*effect));
        sorted.into_iter().map(|(_, reason)| reason.clone()).collect()
    }

    pub(super) fn has_reason(&self, code: &Doubt) -> bool {
        self.reasons.iter().any(|(_, reason)| reason.code == *code)
    }

    /// Whether missing evidence is the only reason for the current effect, so that asking again can
    /// help. What was measured and found bad, as a certificate, is not missing.
    pub(super) fn lacks_evidence(&self) -> bool {
        use contract::records::ReasonClass;
        let mut deciding = self
            .reasons
            .iter()
            .filter(|(effect, _)| *effect >= self.effect && *effect > Effect::Doubt)
            .peekable();
        deciding.peek().is_some()
            && deciding.all(|(_, reason)| {
                let is_missing =
                    matches!(reason.class, ReasonClass::Evidence | ReasonClass::Service);
                // A name that does not exist today may exist later.
                is_missing && (reason.retryable || reason.code == Doubt::NoSuchName)
            })
    }
}
