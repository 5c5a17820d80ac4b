//! What each code is about, whether asking again can help, and who can do something about it.

use contract::records::{Doubt, ReasonClass, Remedy};

pub(super) struct About {
    pub(super) class: ReasonClass,
    pub(super) retryable: bool,
    pub(super) remedy: Remedy,
}

const fn about(class: ReasonClass, retryable: bool, remedy: Remedy) -> About {
    About { class, retryable, remedy }
}

pub(super) fn of(code: &Doubt) -> About {
    use ReasonClass as Class;
    match code {
        Doubt::AgentSpecificRobots
        | Doubt::NoPolicy
        | Doubt::RobotsDisallow
        | Doubt::RightsDisallowed
        | Doubt::RightsConditional => about(Class::SitePolicy, false, Remedy::SiteOwner),
        Doubt::RobotsUnreachable => about(Class::SitePolicy, true, Remedy::SiteOwner),
        Doubt::PaymentRequired => about(Class::SitePolicy, false, Remedy::Agent),
        Doubt::RefusedToAiIdentities | Doubt::ReadDiffers | Doubt::InstructionLikeText => {
            about(Class::Delivery, false, Remedy::SiteOwner)
        }
        Doubt::ChallengeServed => about(Class::Delivery, false, Remedy::Human),
        Doubt::ReadEquivalenceUnmeasured => about(Class::Delivery, true, Remedy::Service),
        Doubt::EntityUnobserved
        | Doubt::NotMeasured
        | Doubt::StaleEvidence
        | Doubt::SingleVantage => about(Class::Evidence, true, Remedy::Service),
        Doubt::NoSuchName | Doubt::CertificateInvalid | Doubt::Contradiction => {
            about(Class::Evidence, false, Remedy::SiteOwner)
        }
        Doubt::NetworkDivergence | Doubt::RegionalDivergence => {
            about(Class::Evidence, true, Remedy::Time)
        }
        Doubt::ImpersonationSuspected => about(Class::Evidence, false, Remedy::Human),
        Doubt::NoneDeclared | Doubt::NotConformant => {
            about(Class::Capability, false, Remedy::SiteOwner)
        }
        Doubt::McpUnreachable | Doubt::McpSurfaceIncomplete => {
            about(Class::Capability, true, Remedy::Time)
        }
        Doubt::McpAuthRequired => about(Class::Capability, false, Remedy::Agent),
        Doubt::McpLockDrift | Doubt::McpHardFinding => {
            about(Class::Capability, false, Remedy::Human)
        }
        Doubt::IncidentReported => about(Class::Standing, true, Remedy::SiteOwner),
        Doubt::HighRiskPending => about(Class::Standing, true, Remedy::Time),
        Doubt::Revoked | Doubt::Tightened => about(Class::Standing, true, Remedy::Time),
        Doubt::KeyRevoked | Doubt::BuildRevoked => about(Class::Standing, true, Remedy::Service),
        Doubt::CallerMaxAge | Doubt::CallerAssurance | Doubt::CallerNetworks => {
            about(Class::Caller, true, Remedy::Service)
        }
        Doubt::CallerWarnAs | Doubt::CallerPolicy | Doubt::Template => {
            about(Class::Caller, false, Remedy::Agent)
        }
        Doubt::LiveBudgetSpent | Doubt::LiveReadFailed | Doubt::LiveLimit => {
            about(Class::Service, true, Remedy::Time)
        }
        Doubt::HumanConfirms => about(Class::Rule, false, Remedy::Human),
        Doubt::NeverAutomatic => about(Class::Rule, false, Remedy::Nobody),
        // A code of a later version: nothing may be built on it.
        Doubt::Unrecognised(_) => about(Class::Evidence, false, Remedy::Nobody),
    }
}
