//! What was applied so far, in order. A step can only tighten.

use contract::records::{DecisionReason, DecisionStep, Doubt};

use super::super::reasons;
use super::super::rules::Effect;

pub(super) struct Steps {
    pub(super) steps: Vec<DecisionStep>,
    reasons: Vec<(Effect, DecisionReason)>,
    pub(super) effect: Effect,
    pub(super) tightened_by: Vec<Doubt>,
    /// Why it is as strict as it is: of the steps that came to the present effect.
    deciding: Vec<String>,
}

impl Steps {
    /// Begins with the answer's own decision.
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

    /// Something that was looked at and found in order.
    pub(super) fn passed(&mut self, rule: &str, why: impl Into<String>) {
        self.steps.push(DecisionStep {
            rule: rule.to_owned(),
            effect: Effect::Nothing.as_str().to_owned(),
            why: why.into(),
        });
    }

    /// Something that tightens, or a doubt.
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
        self.reason(effect, code, &why);
        self.steps.push(DecisionStep {
            rule: rule.to_owned(),
            effect: effect.as_str().to_owned(),
            why,
        });
    }

    /// A reason is told once for each code, by its strictest effect.
    pub(super) fn reason(&mut self, effect: Effect, code: &Doubt, detail: &str) {
        let about = reasons::of(code);
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

    /// The strictest first; equals in the order they were applied.
    pub(super) fn reasons(&self) -> Vec<DecisionReason> {
        let mut sorted: Vec<&(Effect, DecisionReason)> = self.reasons.iter().collect();
        sorted.sort_by_key(|(effect, _)| std::cmp::Reverse(*effect));
        sorted.into_iter().map(|(_, reason)| reason.clone()).collect()
    }

    pub(super) fn has(&self, code: &Doubt) -> bool {
        self.reasons.iter().any(|(_, reason)| reason.code == *code)
    }

    /// Whether it comes to nothing for want of evidence, and for no other reason.
    pub(super) fn lacks_evidence(&self) -> bool {
        use contract::records::ReasonClass;
        let mut deciding = self
            .reasons
            .iter()
            .filter(|(effect, _)| *effect >= self.effect && *effect > Effect::Doubt)
            .peekable();
        deciding.peek().is_some()
            && deciding.all(|(_, reason)| {
                matches!(reason.class, ReasonClass::Evidence | ReasonClass::Service)
            })
    }
}
