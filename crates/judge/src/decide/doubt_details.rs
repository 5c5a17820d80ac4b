//! For each doubt code: its class, whether asking again can help, and who can remedy it.

use contract::records::{Doubt, ReasonClass, Remedy};

pub(super) struct DoubtDetails {
    pub(super) class: ReasonClass,
    pub(super) retryable: bool,
    pub(super) remedy: Remedy,
}

const fn details(class: ReasonClass, retryable: bool, remedy: Remedy) -> DoubtDetails {
    DoubtDetails { class, retryable, remedy }
}

pub(super) fn doubt_details(code: &Doubt) -> DoubtDetails {
    use ReasonClass as Class;
    match code {
        Doubt::AgentSpecificRobots
        | Doubt::NoPolicy
        | Doubt::RobotsDisallow
        | Doubt::RightsDisallowed
        | Doubt::RightsConditional => details(Class::SitePolicy, false, Remedy::SiteOwner),
        Doubt::RobotsUnreachable => details(Class::SitePolicy, true, Remedy::SiteOwner),
        Doubt::PaymentRequired => details(Class::SitePolicy, false, Remedy::Agent),
        Doubt::RefusedToAiIdentities
        | Doubt::ReadDiffers
        | Doubt::InstructionLikeText
        | Doubt::NoReadableText
        | Doubt::Paywall => details(Class::Delivery, false, Remedy::SiteOwner),
        Doubt::ChallengeServed | Doubt::PageGated => details(Class::Delivery, false, Remedy::Human),
        Doubt::ReadEquivalenceUnmeasured => details(Class::Delivery, true, Remedy::Service),
        Doubt::EntityUnobserved
        | Doubt::NotMeasured
        | Doubt::StaleEvidence
        | Doubt::SingleVantage => details(Class::Evidence, true, Remedy::Service),
        Doubt::NoSuchName
        | Doubt::CertificateInvalid
        | Doubt::RedirectsToHttp
        | Doubt::Contradiction => details(Class::Evidence, false, Remedy::SiteOwner),
        Doubt::NetworkDivergence | Doubt::RegionalDivergence => {
            details(Class::Evidence, true, Remedy::Time)
        }
        Doubt::ImpersonationSuspected => details(Class::Evidence, false, Remedy::Human),
        Doubt::NoneDeclared | Doubt::NotConformant => {
            details(Class::Capability, false, Remedy::SiteOwner)
        }
        Doubt::McpUnreachable | Doubt::McpSurfaceIncomplete => {
            details(Class::Capability, true, Remedy::Time)
        }
        Doubt::McpAuthRequired => details(Class::Capability, false, Remedy::Agent),
        Doubt::McpLockDrift | Doubt::McpHardFinding => {
            details(Class::Capability, false, Remedy::Human)
        }
        Doubt::IncidentReported => details(Class::Standing, true, Remedy::SiteOwner),
        Doubt::HighRiskPending => details(Class::Standing, true, Remedy::Time),
        Doubt::Revoked | Doubt::Tightened => details(Class::Standing, true, Remedy::Time),
        Doubt::KeyRevoked | Doubt::BuildRevoked => details(Class::Standing, true, Remedy::Service),
        Doubt::CallerMaxAge | Doubt::CallerAssurance | Doubt::CallerNetworks => {
            details(Class::Caller, true, Remedy::Service)
        }
        Doubt::CallerWarnAs | Doubt::CallerPolicy | Doubt::Template => {
            details(Class::Caller, false, Remedy::Agent)
        }
        Doubt::LiveBudgetSpent | Doubt::LiveReadFailed | Doubt::LiveLimit => {
            details(Class::Service, true, Remedy::Time)
        }
        Doubt::HumanConfirms => details(Class::Rule, false, Remedy::Human),
        Doubt::NeverAutomatic => details(Class::Rule, false, Remedy::Nobody),
        // A code of a later version: nothing is known about it.
        Doubt::Unrecognised(_) => details(Class::Evidence, false, Remedy::Nobody),
    }
}
