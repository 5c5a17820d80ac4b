//! The decision rules: one table, one row for each condition.
//!
//! A rule looks at one ground alone and says, for each action, how far it tightens the decision. The
//! decision is the strictest effect of all rules that hold. So no rule can loosen what another
//! tightened, and what a ground does can be read off its rows.

use contract::limits;
use contract::records::{Action, Decision, Doubt};
use serde::{Serialize, Serializer};

use super::grounds::{
    Age, CapabilitiesSeen, Contradictions, DeliveredToAi, EntitySeen, Grounds, HighRisk, Https,
    ImpersonationSeen, IncidentSeen, Instructions, NameKnown, Policy, Right, Sameness, Vantage,
};

/// Raised with every change of a row, a sentence, a template or a rung.
pub const DECISION_RULES_VERSION: u32 = 1;

/// How far a rule tightens, from not at all to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// The rule does not look at this action.
    Nothing,
    /// A doubt that is told and does not change the decision.
    Doubt,
    Warn,
    Confirm,
    Unsupported,
    Block,
}

impl Effect {
    /// The best decision that is left.
    #[must_use]
    pub fn decision(self) -> Decision {
        match self {
            Self::Nothing | Self::Doubt => Decision::Allow,
            Self::Warn => Decision::Warn,
            Self::Confirm => Decision::RequireConfirmation,
            Self::Unsupported => Decision::Unsupported,
            Self::Block => Decision::Block,
        }
    }

    /// A decision as an effect. One of a later version is taken as `block`.
    #[must_use]
    pub fn of(decision: &Decision) -> Self {
        match decision {
            Decision::Allow => Self::Nothing,
            Decision::Warn => Self::Warn,
            Decision::RequireConfirmation => Self::Confirm,
            Decision::Unsupported => Self::Unsupported,
            Decision::Block | Decision::Unrecognised(_) => Self::Block,
        }
    }

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "none",
            Self::Doubt => "doubt",
            Self::Warn => "warn",
            Self::Confirm => "require_confirmation",
            Self::Unsupported => "unsupported",
            Self::Block => "block",
        }
    }
}

impl Serialize for Effect {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

macro_rules! conditions {
    ($($variant:ident($kind:ty) = $member:ident, $word:literal);+ $(;)?) => {
        /// When a rule holds: always, or when its ground has one of these values.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum When { Always, $($variant(&'static [$kind])),+ }

        impl When {
            #[must_use]
            pub fn holds(self, grounds: &Grounds) -> bool {
                match self {
                    Self::Always => true,
                    $(Self::$variant(values) => values.contains(&grounds.$member)),+
                }
            }

            /// The ground it looks at.
            #[must_use]
            pub fn ground(self) -> &'static str {
                match self { Self::Always => "always", $(Self::$variant(_) => $word),+ }
            }

            /// The values for which it holds.
            #[must_use]
            pub fn values(self) -> Vec<&'static str> {
                match self {
                    Self::Always => Vec::new(),
                    $(Self::$variant(values) => values.iter().map(|value| value.as_str()).collect()),+
                }
            }
        }
    };
}

conditions! {
    Name(NameKnown) = name, "name";
    Policy(Policy) = policy, "policy";
    Delivery(DeliveredToAi) = delivery, "delivery";
    Sameness(Sameness) = sameness, "sameness";
    Instructions(Instructions) = instructions, "instructions";
    Entity(EntitySeen) = entity, "entity";
    Contradictions(Contradictions) = contradictions, "contradictions";
    Ground(Right) = ground, "rights.ground";
    Cite(Right) = cite, "rights.cite";
    Transact(Right) = transact, "rights.transact";
    Capabilities(CapabilitiesSeen) = capabilities, "capabilities";
    Impersonation(ImpersonationSeen) = impersonation, "impersonation";
    Vantage(Vantage) = vantage, "vantage";
    Age(Age) = age, "age";
    Incident(IncidentSeen) = incident, "incident";
    HighRisk(HighRisk) = high_risk, "high_risk";
    Https(Https) = https, "https";
}

impl Serialize for When {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.ground(), self.values()).serialize(serializer)
    }
}

/// One row of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rule {
    pub id: &'static str,
    pub when: When,
    pub doubt: Doubt,
    pub effects: Effects,
    /// Told as the reason whenever the rule holds.
    pub sentence: &'static str,
}

/// What a rule does to each action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Effects {
    pub read: Effect,
    pub cite: Effect,
    pub connect: Effect,
    pub transact: Effect,
    pub administer: Effect,
}

impl Effects {
    /// On an action. One of a later version is taken as the strictest there is.
    #[must_use]
    pub fn on(&self, action: &Action) -> Effect {
        match action {
            Action::Read => self.read,
            Action::Cite => self.cite,
            Action::Connect => self.connect,
            Action::Transact => self.transact,
            Action::Administer | Action::Unrecognised(_) => self.administer,
        }
    }
}

/// What holds for an action whatever the evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ActionTerms {
    pub action: &'static str,
    pub minimum_assurance: &'static str,
    pub max_age_hours: u32,
    pub needs: &'static str,
    /// The reason that is told when nothing tightened the decision.
    pub allowed: &'static str,
}

/// The five actions, in the order of the interface.
pub const ACTIONS: [ActionTerms; 5] = [
    ActionTerms {
        action: "read",
        minimum_assurance: "reachable",
        max_age_hours: limits::READ_MAX_AGE_HOURS,
        needs: "A policy that lets AI agents read the path, and the page served to at least one AI identity.",
        allowed: "The policy lets AI agents read the home page, and AI identities were served the page.",
    },
    ActionTerms {
        action: "cite",
        minimum_assurance: "reachable plus entity observed",
        max_age_hours: limits::CITE_MAX_AGE_HOURS,
        needs: "Everything that reading needs, an observed entity, and no contradiction of the site with itself.",
        allowed: "The page may be read, it says whose it is, and the site does not contradict itself.",
    },
    ActionTerms {
        action: "connect",
        minimum_assurance: "conformant",
        max_age_hours: limits::CONNECT_MAX_AGE_HOURS,
        needs: "A declared capability that was called read-only and found as declared.",
        allowed: "A declared capability was called read-only and found as declared.",
    },
    ActionTerms {
        action: "transact",
        minimum_assurance: "action_ready",
        max_age_hours: limits::TRANSACT_MAX_AGE_HOURS,
        needs: "An identity that its owner has proven and a capability that is ready for action; a person confirms in any case.",
        allowed: "Nothing speaks against it.",
    },
    ActionTerms {
        action: "administer",
        minimum_assurance: "never automatic",
        max_age_hours: limits::ADMINISTER_MAX_AGE_HOURS,
        needs: "The owner's own authority, which no public record can give.",
        allowed: "Nothing speaks against it.",
    },
];

/// The terms of an action. One of a later version gets those of the strictest.
#[must_use]
pub fn terms(action: &Action) -> &'static ActionTerms {
    let [read, cite, connect, transact, administer] = &ACTIONS;
    match action {
        Action::Read => read,
        Action::Cite => cite,
        Action::Connect => connect,
        Action::Transact => transact,
        Action::Administer | Action::Unrecognised(_) => administer,
    }
}

const fn row(
    id: &'static str,
    when: When,
    doubt: Doubt,
    [read, cite, connect, transact]: [Effect; 4],
    sentence: &'static str,
) -> Rule {
    let effects = Effects { read, cite, connect, transact, administer: Effect::Nothing };
    Rule { id, when, doubt, effects, sentence }
}

use Effect::{Block, Confirm, Nothing, Unsupported, Warn};

/// A doubt that is told and does not change the decision.
const TOLD: Effect = Effect::Doubt;

/// Every rule. The columns: read, cite, connect, transact.
pub static RULES: &[Rule] = &[
    row(
        "name.missing",
        When::Name(&[NameKnown::Missing]),
        Doubt::NoSuchName,
        [Unsupported, Unsupported, Unsupported, Unsupported],
        "The name does not exist, so there is nothing to act upon.",
    ),
    row(
        "https.broken",
        When::Https(&[Https::Broken]),
        Doubt::CertificateInvalid,
        [Warn, Warn, Block, Block],
        "The certificate does not hold, so what was served may be somebody else's.",
    ),
    row(
        "policy.disallows_all",
        When::Policy(&[Policy::DisallowsAll]),
        Doubt::RobotsDisallow,
        [Block, Block, Confirm, TOLD],
        "robots.txt keeps every AI agent that was tried from the home page.",
    ),
    row(
        "policy.allows_some",
        When::Policy(&[Policy::AllowsSome]),
        Doubt::AgentSpecificRobots,
        [Warn, Warn, TOLD, TOLD],
        "robots.txt lets only some AI agents read the home page.",
    ),
    row(
        "policy.absent",
        When::Policy(&[Policy::Absent]),
        Doubt::NoPolicy,
        [Warn, Warn, Nothing, Nothing],
        "There is no robots.txt: nothing is forbidden, and nothing is permitted in words.",
    ),
    row(
        "policy.refused",
        When::Policy(&[Policy::Refused]),
        Doubt::RobotsUnreachable,
        [Warn, Warn, Nothing, Nothing],
        "robots.txt was refused to us, and a refusal is no absence: what it permits is not known.",
    ),
    row(
        "policy.unreachable",
        When::Policy(&[Policy::Unreachable]),
        Doubt::RobotsUnreachable,
        [Confirm, Confirm, TOLD, TOLD],
        "robots.txt could not be read, which a crawler must take as a full disallow; a person may decide otherwise.",
    ),
    row(
        "policy.not_measured",
        When::Policy(&[Policy::NotMeasured]),
        Doubt::NotMeasured,
        [Warn, Warn, Nothing, Nothing],
        "What robots.txt permits was not measured.",
    ),
    row(
        "delivery.served_to_some",
        When::Delivery(&[DeliveredToAi::Some]),
        Doubt::RefusedToAiIdentities,
        [Warn, Warn, TOLD, TOLD],
        "Only some AI identities were served the page.",
    ),
    row(
        "delivery.challenged",
        When::Delivery(&[DeliveredToAi::Challenged]),
        Doubt::ChallengeServed,
        [Confirm, Confirm, Confirm, TOLD],
        "AI identities were given a challenge in place of the page, which is for a person to pass.",
    ),
    row(
        "delivery.payment",
        When::Delivery(&[DeliveredToAi::Payment]),
        Doubt::PaymentRequired,
        [Confirm, Confirm, Confirm, TOLD],
        "AI identities were asked to pay for the page.",
    ),
    row(
        "delivery.refused",
        When::Delivery(&[DeliveredToAi::Refused]),
        Doubt::RefusedToAiIdentities,
        [Block, Block, Confirm, Block],
        "Every AI identity was refused the page.",
    ),
    row(
        "delivery.no_page",
        When::Delivery(&[DeliveredToAi::NoPage]),
        Doubt::NotMeasured,
        [Warn, Warn, Confirm, TOLD],
        "No AI identity was given a page, and that all of them are refused is not shown.",
    ),
    row(
        "delivery.not_measured",
        When::Delivery(&[DeliveredToAi::NotMeasured]),
        Doubt::NotMeasured,
        [Warn, Warn, Confirm, TOLD],
        "What AI identities are served was not measured.",
    ),
    row(
        "sameness.differs",
        When::Sameness(&[Sameness::Differs]),
        Doubt::ReadDiffers,
        [Warn, Warn, TOLD, TOLD],
        "An AI identity was given another text than a browser was.",
    ),
    row(
        "sameness.not_measured",
        When::Sameness(&[Sameness::NotMeasured]),
        Doubt::ReadEquivalenceUnmeasured,
        [Warn, Warn, Nothing, Nothing],
        "Whether AI identities are given the same page as a browser was not measured.",
    ),
    row(
        "instructions.found",
        When::Instructions(&[Instructions::Found]),
        Doubt::InstructionLikeText,
        [Warn, Warn, Confirm, TOLD],
        "The page holds text that tells machines what to do; it is content and no instruction.",
    ),
    row(
        "entity.unobserved",
        When::Entity(&[EntitySeen::Unobserved]),
        Doubt::EntityUnobserved,
        [Nothing, Warn, Nothing, TOLD],
        "Who is behind the site was not observed.",
    ),
    row(
        "contradictions.found",
        When::Contradictions(&[Contradictions::Found]),
        Doubt::Contradiction,
        [Nothing, Warn, TOLD, TOLD],
        "The site contradicts itself.",
    ),
    row(
        "rights.ground.disallowed",
        When::Ground(&[Right::Disallowed]),
        Doubt::RightsDisallowed,
        [Block, Block, Nothing, Nothing],
        "A public statement of the site forbids that answers are made from its content.",
    ),
    row(
        "rights.ground.kept_out",
        When::Ground(&[Right::KeptOut]),
        Doubt::AgentSpecificRobots,
        [Warn, Warn, Nothing, Nothing],
        "robots.txt keeps out every agent of a kind that reads to make answers.",
    ),
    row(
        "rights.ground.conditional",
        When::Ground(&[Right::Conditional]),
        Doubt::RightsConditional,
        [Warn, Warn, Nothing, Nothing],
        "A public statement of the site sets conditions for making answers from its content.",
    ),
    row(
        "rights.cite.disallowed",
        When::Cite(&[Right::Disallowed]),
        Doubt::RightsDisallowed,
        [Nothing, Block, Nothing, Nothing],
        "A public statement of the site forbids that it is cited.",
    ),
    row(
        "rights.cite.kept_out",
        When::Cite(&[Right::KeptOut]),
        Doubt::AgentSpecificRobots,
        [Nothing, Warn, Nothing, Nothing],
        "robots.txt keeps out every agent of a kind that reads to cite.",
    ),
    row(
        "rights.cite.conditional",
        When::Cite(&[Right::Conditional]),
        Doubt::RightsConditional,
        [Nothing, Warn, Nothing, Nothing],
        "A public statement of the site sets conditions for citing it.",
    ),
    row(
        "rights.transact.disallowed",
        When::Transact(&[Right::Disallowed, Right::KeptOut]),
        Doubt::RightsDisallowed,
        [Nothing, Nothing, Nothing, Block],
        "A public statement of the site forbids that agents do business with it.",
    ),
    row(
        "rights.transact.conditional",
        When::Transact(&[Right::Conditional]),
        Doubt::RightsConditional,
        [Nothing, Nothing, Nothing, TOLD],
        "A public statement of the site sets conditions for agents that do business with it.",
    ),
    row(
        "capabilities.none_declared",
        When::Capabilities(&[CapabilitiesSeen::NoneDeclared]),
        Doubt::NoneDeclared,
        [Nothing, Nothing, Unsupported, TOLD],
        "The site declares no capability that could be connected to.",
    ),
    row(
        "capabilities.mismatched",
        When::Capabilities(&[CapabilitiesSeen::Mismatched]),
        Doubt::NotConformant,
        [Nothing, Nothing, Block, TOLD],
        "The declared capability that was called was not as declared.",
    ),
    row(
        "capabilities.partly_conformant",
        When::Capabilities(&[CapabilitiesSeen::PartlyConformant]),
        Doubt::NotConformant,
        [Nothing, Nothing, Confirm, TOLD],
        "Of the declared capabilities that were called, some were not as declared.",
    ),
    row(
        "capabilities.unverified",
        When::Capabilities(&[CapabilitiesSeen::Unverified]),
        Doubt::NotMeasured,
        [Nothing, Nothing, Confirm, TOLD],
        "Capabilities are declared, and none was called to see whether it is as declared.",
    ),
    row(
        "capabilities.not_measured",
        When::Capabilities(&[CapabilitiesSeen::NotMeasured]),
        Doubt::NotMeasured,
        [Nothing, Nothing, Confirm, TOLD],
        "Whether capabilities are declared was not measured.",
    ),
    row(
        "impersonation.suspected",
        When::Impersonation(&[ImpersonationSeen::Suspected]),
        Doubt::ImpersonationSuspected,
        [Warn, Confirm, Block, Block],
        "The name is suspected of imitating another.",
    ),
    row(
        "impersonation.not_measured",
        When::Impersonation(&[ImpersonationSeen::NotMeasured]),
        Doubt::NotMeasured,
        [Nothing, Nothing, Confirm, TOLD],
        "Whether the name imitates another was not measured.",
    ),
    row(
        "vantage.single",
        When::Vantage(&[Vantage::Single]),
        Doubt::SingleVantage,
        [TOLD, TOLD, TOLD, TOLD],
        "Too few networks or readings confirm this; that alone is a doubt and changes no decision.",
    ),
    row(
        "vantage.network_divergence",
        When::Vantage(&[Vantage::NetworkDivergence]),
        Doubt::NetworkDivergence,
        [Warn, Warn, Confirm, TOLD],
        "Readings from different networks disagree.",
    ),
    row(
        "vantage.regional_divergence",
        When::Vantage(&[Vantage::RegionalDivergence]),
        Doubt::RegionalDivergence,
        [Warn, Warn, Confirm, TOLD],
        "Readings from different regions disagree.",
    ),
    row(
        "age.over_24_hours",
        When::Age(&[Age::Within72]),
        Doubt::StaleEvidence,
        [Nothing, Nothing, Nothing, TOLD],
        "The evidence is older than 24 hours.",
    ),
    row(
        "age.over_72_hours",
        When::Age(&[Age::Within168]),
        Doubt::StaleEvidence,
        [Nothing, Nothing, Confirm, TOLD],
        "The evidence is older than 72 hours.",
    ),
    row(
        "age.over_168_hours",
        When::Age(&[Age::Older]),
        Doubt::StaleEvidence,
        [Warn, Warn, Confirm, TOLD],
        "The evidence is older than 168 hours.",
    ),
    row(
        "age.unknown",
        When::Age(&[Age::Unknown]),
        Doubt::NotMeasured,
        [Warn, Warn, Confirm, TOLD],
        "Nothing was observed.",
    ),
    row(
        "incident.reported",
        When::Incident(&[IncidentSeen::Reported]),
        Doubt::IncidentReported,
        [Warn, Warn, Block, Block],
        "The owner reports an incident.",
    ),
    row(
        "high_risk.pending",
        When::HighRisk(&[HighRisk::Pending]),
        Doubt::HighRiskPending,
        [TOLD, Warn, Confirm, Block],
        "A change that a thief would make was seen and is not confirmed yet.",
    ),
    row(
        "always.human_confirms",
        When::Always,
        Doubt::HumanConfirms,
        [Nothing, Nothing, Nothing, Confirm],
        "This service certifies no transactions: a person confirms each.",
    ),
    Rule {
        id: "always.never_automatic",
        when: When::Always,
        doubt: Doubt::NeverAutomatic,
        effects: Effects {
            read: Nothing,
            cite: Nothing,
            connect: Nothing,
            transact: Nothing,
            administer: Block,
        },
        sentence: "A public record never authorises administration.",
    },
];
