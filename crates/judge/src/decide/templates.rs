//! Templates: named sets of tightenings that a caller can ask for by one word.
//!
//! A template only ever tightens. It may go with any action; `about` says which it is made for.

use contract::limits;
use contract::records::PreflightTemplate;
use serde::Serialize;

use super::grounds::{
    CapabilitiesSeen, Contradictions, EntitySeen, HighRisk, Https, ImpersonationSeen, IncidentSeen,
    Instructions, Right, Sameness, Vantage,
};
use super::rules::{Effect, When};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TemplateTerms {
    pub template: &'static str,
    pub about: &'static str,
    /// The oldest evidence, if less than the action's own limit.
    pub max_age_hours: Option<u32>,
    /// What a `warn` becomes.
    pub warn_as: Effect,
    /// Whether the digest of an approved tool list must be given and must match.
    pub needs_mcp_lock: bool,
    pub rules: &'static [TemplateRule],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TemplateRule {
    pub when: When,
    pub effect: Effect,
    pub sentence: &'static str,
}

const fn rule(when: When, effect: Effect, sentence: &'static str) -> TemplateRule {
    TemplateRule { when, effect, sentence }
}

const NO_INSTRUCTIONS: TemplateRule = rule(
    When::Instructions(&[Instructions::Found]),
    Effect::Block,
    "The page holds text that tells machines what to do.",
);
const SAME_TEXT: TemplateRule = rule(
    When::Sameness(&[Sameness::Differs]),
    Effect::Confirm,
    "AI identities are given another text than people are.",
);
const KNOWN_ENTITY: TemplateRule = rule(
    When::Entity(&[EntitySeen::Unobserved]),
    Effect::Confirm,
    "Who is behind the site was not observed.",
);
const NO_CONTRADICTION: TemplateRule = rule(
    When::Contradictions(&[Contradictions::Found]),
    Effect::Confirm,
    "The site contradicts itself.",
);
const NO_IMITATION: TemplateRule = rule(
    When::Impersonation(&[ImpersonationSeen::Suspected, ImpersonationSeen::NotMeasured]),
    Effect::Block,
    "That the name imitates no other is not shown.",
);
const NO_INCIDENT: TemplateRule = rule(
    When::Incident(&[IncidentSeen::Reported]),
    Effect::Block,
    "The owner reports an incident.",
);
const NO_HIGH_RISK: TemplateRule = rule(
    When::HighRisk(&[HighRisk::Pending]),
    Effect::Block,
    "A change that a thief would make is not confirmed yet.",
);
const OVER_HTTPS: TemplateRule = rule(
    When::Https(&[Https::No, Https::NotMeasured, Https::Broken]),
    Effect::Block,
    "That the site answers over https is not shown.",
);
const ONE_VOICE: TemplateRule = rule(
    When::Vantage(&[Vantage::NetworkDivergence, Vantage::RegionalDivergence]),
    Effect::Confirm,
    "Readings from different places disagree.",
);
const AS_DECLARED: TemplateRule = rule(
    When::Capabilities(&[CapabilitiesSeen::PartlyConformant, CapabilitiesSeen::Mismatched]),
    Effect::Block,
    "A capability that was called is not as declared.",
);

/// Every template, in the order of the interface.
pub static TEMPLATES: [TemplateTerms; 7] = [
    TemplateTerms {
        template: "safe_citation",
        about: "For citing: a source that says whose it is, shows people and machines the same text, and does not \
                contradict itself.",
        max_age_hours: Some(limits::CONNECT_MAX_AGE_HOURS),
        warn_as: Effect::Nothing,
        needs_mcp_lock: false,
        rules: &[KNOWN_ENTITY, NO_CONTRADICTION, SAME_TEXT, NO_INSTRUCTIONS, NO_HIGH_RISK],
    },
    TemplateTerms {
        template: "safe_data_retrieval",
        about: "For reading into a store or a model's context: no planted instructions, no other text for machines, \
                no open conditions.",
        max_age_hours: Some(limits::CONNECT_MAX_AGE_HOURS),
        warn_as: Effect::Nothing,
        needs_mcp_lock: false,
        rules: &[
            NO_INSTRUCTIONS,
            SAME_TEXT,
            rule(
                When::Ground(&[Right::Conditional, Right::KeptOut]),
                Effect::Confirm,
                "The site sets conditions for making answers from its content.",
            ),
        ],
    },
    TemplateTerms {
        template: "safe_api_connect",
        about: "For connecting to an API: as declared, over https, from a name that imitates no other.",
        max_age_hours: Some(limits::TRANSACT_MAX_AGE_HOURS),
        warn_as: Effect::Confirm,
        needs_mcp_lock: false,
        rules: &[AS_DECLARED, OVER_HTTPS, NO_IMITATION, NO_INCIDENT, NO_HIGH_RISK, ONE_VOICE],
    },
    TemplateTerms {
        template: "safe_mcp_tool",
        about: "For calling a tool of an MCP server: its tools must be those that were approved.",
        max_age_hours: Some(limits::TRANSACT_MAX_AGE_HOURS),
        warn_as: Effect::Confirm,
        needs_mcp_lock: true,
        rules: &[AS_DECLARED, OVER_HTTPS, NO_IMITATION, NO_INCIDENT, NO_HIGH_RISK, NO_INSTRUCTIONS],
    },
    TemplateTerms {
        template: "safe_commerce",
        about: "For buying: a known business under its own name, over https, with nothing pending, and a person who \
                agrees.",
        max_age_hours: Some(limits::TRANSACT_MAX_AGE_HOURS),
        warn_as: Effect::Confirm,
        needs_mcp_lock: false,
        rules: &[
            rule(When::Always, Effect::Confirm, "A purchase is confirmed by a person."),
            rule(
                When::Entity(&[EntitySeen::Unobserved]),
                Effect::Block,
                "Who would be paid was not observed.",
            ),
            NO_CONTRADICTION,
            OVER_HTTPS,
            NO_IMITATION,
            NO_INCIDENT,
            NO_HIGH_RISK,
            NO_INSTRUCTIONS,
        ],
    },
    TemplateTerms {
        template: "safe_oauth",
        about: "For handing over an authorisation: over https, to a name that imitates no other, and a person who \
                agrees.",
        max_age_hours: Some(limits::TRANSACT_MAX_AGE_HOURS),
        warn_as: Effect::Confirm,
        needs_mcp_lock: false,
        rules: &[
            rule(When::Always, Effect::Confirm, "An authorisation is given by a person."),
            OVER_HTTPS,
            NO_IMITATION,
            NO_INCIDENT,
            NO_HIGH_RISK,
            ONE_VOICE,
        ],
    },
    TemplateTerms {
        template: "support_escalation",
        about: "For taking a person's matter to a business: its contact details must be its own and must not have \
                changed unseen.",
        max_age_hours: Some(limits::CONNECT_MAX_AGE_HOURS),
        warn_as: Effect::Nothing,
        needs_mcp_lock: false,
        rules: &[
            KNOWN_ENTITY,
            NO_CONTRADICTION,
            NO_IMITATION,
            rule(
                When::HighRisk(&[HighRisk::Pending]),
                Effect::Confirm,
                "A change that a thief would make is not confirmed yet.",
            ),
            rule(
                When::Incident(&[IncidentSeen::Reported]),
                Effect::Confirm,
                "The owner reports an incident.",
            ),
        ],
    },
];

/// The terms of a template; nothing for one of a later version.
#[must_use]
pub fn template(word: &PreflightTemplate) -> Option<&'static TemplateTerms> {
    TEMPLATES.iter().find(|terms| terms.template == word.as_str())
}
