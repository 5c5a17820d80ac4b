//! The digest that every answer names as `decision_rules_sha256`: over all tables that decide.

use std::sync::LazyLock;

use proof::digest::sha256;
use serde::Serialize;

use super::assurance_ladder::{RUNGS, RungTerms};
use super::decision_rules::{
    ACTION_TERMS, ActionTerms, DECISION_RULES, DECISION_RULES_VERSION, DecisionRule,
};
use super::preflight_templates::{TEMPLATES, TemplateTerms};

/// Everything that decides, in the form that is hashed.
#[derive(Serialize)]
struct DecisionRules {
    decision_rules_version: u32,
    actions: &'static [ActionTerms],
    rules: &'static [DecisionRule],
    ladder: &'static [RungTerms],
    templates: &'static [TemplateTerms],
}

impl DecisionRules {
    const CURRENT: Self = Self {
        decision_rules_version: DECISION_RULES_VERSION,
        actions: &ACTION_TERMS,
        rules: DECISION_RULES,
        ladder: &RUNGS,
        templates: &TEMPLATES,
    };
}

/// The rules in canonical JSON.
#[must_use]
pub fn rules_json() -> Vec<u8> {
    // The tables hold only strings and small integers, so serialising them cannot fail. If that ever
    // changes, this returns nothing and `the_digest_belongs_to_the_version` fails.
    proof::canonical::to_vec(&DecisionRules::CURRENT).unwrap_or_default()
}

/// The SHA-256 of the decision rules, over their canonical JSON.
#[must_use]
pub fn rules_sha256() -> String {
    /// Every answer and every receipt names it, and the rules do not change while the program runs.
    static DIGEST: LazyLock<String> = LazyLock::new(|| sha256(&rules_json()).to_string());
    DIGEST.clone()
}
