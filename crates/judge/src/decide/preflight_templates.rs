//! Preflight templates: named sets of stricter rules that a caller can ask for by name.
//!
//! A template can only tighten a decision. It can be used with any action; `about` says which action it
//! is designed for.

use contract::limits;
use contract::records::PreflightTemplate;
use serde::Serialize;

use super::decision_inputs::{
    CapabilityConformance, Contradictions, EntityObservation, HighRiskChange, Https,
    ImpersonationCheck, IncidentReport, Instructions, Sameness, UsageRight, Vantage,
};
use super::decision_rules::{Condition, Effect};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TemplateTerms {
    pub template: &'static str,
    pub about: &'static str,
    /// The maximum age of the evidence, where it is below the action's own limit.
    pub max_age_hours: Option<u32>,
    /// What a `warn` becomes.
    pub warn_as: Effect,
    /// Whether the caller must give the digest of an approved tool list, and it must match.
    pub needs_mcp_lock: bool,
    pub rules: &'static [TemplateRule],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TemplateRule {
    pub when: Condition,
    pub effect: Effect,
    pub sentence: &'static str,
}

const fn rule(when: Condition, effect: Effect, sentence: &'static str) -> TemplateRule {
    TemplateRule { when, effect, sentence }
}

const NO_INSTRUCTIONS: TemplateRule = rule(
    Condition::Instructions(&[Instructions::Found, Instructions::FoundOnFurtherPage]),
    Effect::Block,
    "The site contains text that looks like instructions to AI agents.",
);
const SAME_TEXT: TemplateRule = rule(
    Condition::Sameness(&[Sameness::Differs]),
    Effect::Confirm,
    "At least one AI identity received different text than a browser.",
);
const ENTITY_REQUIRED: TemplateRule = rule(
    Condition::Entity(&[EntityObservation::Unobserved]),
    Effect::Confirm,
    "We found no statement of who runs the site.",
);
const NO_CONTRADICTION: TemplateRule = rule(
    Condition::Contradictions(&[Contradictions::Found]),
    Effect::Confirm,
    "The site contradicts itself.",
);
const NO_IMPERSONATION: TemplateRule = rule(
    Condition::Impersonation(&[ImpersonationCheck::Suspected, ImpersonationCheck::NotMeasured]),
    Effect::Block,
    "We could not rule out that the domain name imitates another.",
);
const NO_INCIDENT: TemplateRule = rule(
    Condition::Incident(&[IncidentReport::Reported]),
    Effect::Block,
    "The site's owner reports an incident.",
);
const NO_HIGH_RISK: TemplateRule = rule(
    Condition::HighRisk(&[HighRiskChange::Pending]),
    Effect::Block,
    "A high-risk change was seen and is not confirmed yet.",
);
const HTTPS_REQUIRED: TemplateRule = rule(
    Condition::Https(&[Https::No, Https::NotMeasured, Https::Broken]),
    Effect::Block,
    "We could not confirm that the site answers over HTTPS with a valid certificate.",
);
const NETWORKS_AGREE: TemplateRule = rule(
    Condition::Vantage(&[Vantage::NetworkDivergence, Vantage::RegionalDivergence]),
    Effect::Confirm,
    "Readings from different networks or regions disagree.",
);
const CAPABILITIES_CONFORM: TemplateRule = rule(
    Condition::Capabilities(&[
        CapabilityConformance::PartlyConformant,
        CapabilityConformance::Mismatched,
    ]),
    Effect::Block,
    "A capability that was called did not match its declaration.",
);

/// Every template, in the order of the interface.
pub static TEMPLATES: [TemplateTerms; 7] = [
    TemplateTerms {
        template: "safe_citation",
        about: "For citing. The site must say who runs it, show people and machines the same text, and not contradict \
                itself.",
        max_age_hours: Some(limits::CONNECT_MAX_AGE_HOURS),
        warn_as: Effect::Nothing,
        needs_mcp_lock: false,
        rules: &[ENTITY_REQUIRED, NO_CONTRADICTION, SAME_TEXT, NO_INSTRUCTIONS, NO_HIGH_RISK],
    },
    TemplateTerms {
        template: "safe_data_retrieval",
        about: "For reading content into a store or a model's context. The page must contain no planted instructions, \
                show machines the same text as browsers, and its use must not be restricted.",
        max_age_hours: Some(limits::CONNECT_MAX_AGE_HOURS),
        warn_as: Effect::Nothing,
        needs_mcp_lock: false,
        rules: &[
            NO_INSTRUCTIONS,
            SAME_TEXT,
            rule(
                Condition::Ground(&[UsageRight::Conditional, UsageRight::KeptOut]),
                Effect::Confirm,
                "The site restricts generating answers from its content.",
            ),
        ],
    },
    TemplateTerms {
        template: "safe_api_connect",
        about: "For connecting to an API. It must match its declaration and use HTTPS, and the domain name must not \
                imitate another.",
        max_age_hours: Some(limits::TRANSACT_MAX_AGE_HOURS),
        warn_as: Effect::Confirm,
        needs_mcp_lock: false,
        rules: &[
            CAPABILITIES_CONFORM,
            HTTPS_REQUIRED,
            NO_IMPERSONATION,
            NO_INCIDENT,
            NO_HIGH_RISK,
            NETWORKS_AGREE,
        ],
    },
    TemplateTerms {
        template: "safe_mcp_tool",
        about: "For calling a tool of an MCP server. Its tools must be the ones that were approved.",
        max_age_hours: Some(limits::TRANSACT_MAX_AGE_HOURS),
        warn_as: Effect::Confirm,
        needs_mcp_lock: true,
        rules: &[
            CAPABILITIES_CONFORM,
            HTTPS_REQUIRED,
            NO_IMPERSONATION,
            NO_INCIDENT,
            NO_HIGH_RISK,
            NO_INSTRUCTIONS,
        ],
    },
    TemplateTerms {
        template: "safe_commerce",
        about: "For buying. The site must say who runs it, use its own name and HTTPS, and have no unconfirmed \
                high-risk change. A person must agree.",
        max_age_hours: Some(limits::TRANSACT_MAX_AGE_HOURS),
        warn_as: Effect::Confirm,
        needs_mcp_lock: false,
        rules: &[
            rule(Condition::Always, Effect::Confirm, "A person must confirm a purchase."),
            rule(
                Condition::Entity(&[EntityObservation::Unobserved]),
                Effect::Block,
                "We found no statement of who would be paid.",
            ),
            NO_CONTRADICTION,
            HTTPS_REQUIRED,
            NO_IMPERSONATION,
            NO_INCIDENT,
            NO_HIGH_RISK,
            NO_INSTRUCTIONS,
        ],
    },
    TemplateTerms {
        template: "safe_oauth",
        about: "For granting an authorisation. The site must use HTTPS, and its domain name must not imitate another. \
                A person must agree.",
        max_age_hours: Some(limits::TRANSACT_MAX_AGE_HOURS),
        warn_as: Effect::Confirm,
        needs_mcp_lock: false,
        rules: &[
            rule(Condition::Always, Effect::Confirm, "A person must grant an authorisation."),
            HTTPS_REQUIRED,
            NO_IMPERSONATION,
            NO_INCIDENT,
            NO_HIGH_RISK,
            NETWORKS_AGREE,
        ],
    },
    TemplateTerms {
        template: "support_escalation",
        about: "For contacting a business on behalf of a person. Its contact details must be its own, without an \
                unconfirmed high-risk change.",
        max_age_hours: Some(limits::CONNECT_MAX_AGE_HOURS),
        warn_as: Effect::Nothing,
        needs_mcp_lock: false,
        rules: &[
            ENTITY_REQUIRED,
            NO_CONTRADICTION,
            NO_IMPERSONATION,
            rule(
                Condition::HighRisk(&[HighRiskChange::Pending]),
                Effect::Confirm,
                "A high-risk change was seen and is not confirmed yet.",
            ),
            rule(
                Condition::Incident(&[IncidentReport::Reported]),
                Effect::Confirm,
                "The site's owner reports an incident.",
            ),
        ],
    },
];

/// The terms of a template; `None` for a template of a later version.
#[must_use]
pub fn template_terms(word: &PreflightTemplate) -> Option<&'static TemplateTerms> {
    TEMPLATES.iter().find(|terms| terms.template == word.as_str())
}
