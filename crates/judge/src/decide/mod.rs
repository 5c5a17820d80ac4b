//! From an answer's sections to decisions: grounds, the ladder, the five actions, and what may be
//! done here, now, by whom (`preflight`).
//!
//! All of it is data in tables (`rules`, `templates`, `ladder::RUNGS`): the same tables decide, are
//! told in `docs/decisions.md`, and are named by digest in every answer.

mod actions;
mod grounds;
mod ladder;
mod page;
pub mod preflight;
mod reasons;
mod rules;
pub mod standing;
mod templates;
#[cfg(test)]
mod tests;

use contract::records::Decision;
use proof::digest::sha256;
use serde::Serialize;

pub use actions::actions;
pub use grounds::*;
pub use ladder::{RUNGS, RungTerms, ladder};
pub use page::decisions_page;
pub use rules::{
    ACTIONS, ActionTerms, DECISION_RULES_VERSION, Effect, Effects, RULES, Rule, When, terms,
};
pub use templates::{TEMPLATES, TemplateRule, TemplateTerms, template};

/// The stricter of two decisions: allow, warn, require_confirmation, unsupported, block. One of a
/// later version counts as `block`.
#[must_use]
pub fn stricter(a: &Decision, b: &Decision) -> Decision {
    Effect::of(a).max(Effect::of(b)).decision()
}

/// Everything that decides, as it is hashed.
#[derive(Serialize)]
struct DecisionRules {
    decision_rules_version: u32,
    actions: &'static [ActionTerms],
    rules: &'static [Rule],
    ladder: &'static [RungTerms],
    templates: &'static [TemplateTerms],
}

impl DecisionRules {
    const CURRENT: Self = Self {
        decision_rules_version: DECISION_RULES_VERSION,
        actions: &ACTIONS,
        rules: RULES,
        ladder: &RUNGS,
        templates: &TEMPLATES,
    };
}

/// The rules in canonical JSON.
#[must_use]
pub fn rules_json() -> Vec<u8> {
    // Words and small numbers: there is nothing in them that cannot be written. Should that ever
    // change, this is empty and the tests say so.
    proof::canonical::to_vec(&DecisionRules::CURRENT).unwrap_or_default()
}

/// The digest of the decision rules, over their canonical JSON.
#[must_use]
pub fn rules_sha256() -> String {
    sha256(&rules_json()).to_string()
}
