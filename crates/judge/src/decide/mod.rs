//! Decisions: may an agent read, cite, connect to, transact with or administer this site?
//!
//! The way of one decision, for example for `read`:
//!
//! 1. `decision_inputs` reduces the sections of an answer to a few small enumerations.
//! 2. `decision_rules` is the table of rules: which input value does what to which action.
//! 3. `action_decisions` applies the table. The strictest rule that holds is the decision.
//! 4. `preflight` makes it stricter for one agent, one address, one caller and now.
//!
//! The tables (`decision_rules`, `preflight_templates`, `assurance_ladder`) are data. The same tables
//! decide, are printed in `docs/decisions.md` (`decisions_doc`), and are named by their digest in every
//! answer (`rules_digest`).

mod action_decisions;
mod assurance_ladder;
mod decision_inputs;
mod decision_rules;
mod decisions_doc;
mod doubt_details;
pub mod held_state;
pub mod preflight;
mod preflight_templates;
mod rules_digest;
#[cfg(test)]
mod tests;

pub use action_decisions::decide_actions;
pub use assurance_ladder::{RUNGS, RungTerms, build_ladder};
pub use decision_inputs::*;
pub use decision_rules::{
    ACTION_TERMS, ActionEffects, ActionTerms, Condition, DECISION_RULES, DECISION_RULES_VERSION,
    DecisionRule, Effect, action_terms, stricter,
};
pub use decisions_doc::decisions_page;
pub use preflight_templates::{TEMPLATES, TemplateRule, TemplateTerms, template_terms};
pub use rules_digest::{rules_json, rules_sha256};
