//! 2.10: one decision per action.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Rung;
use crate::open_enum;

/// What an agent may do, decided from this answer's own sections. An agent's own policy may be
/// stricter, never looser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Actions {
    pub v: u32,
    /// The possible values of a decision, as text.
    pub decisions: String,
    pub rule: String,
    pub read: ActionDecision,
    pub cite: CiteDecision,
    pub connect: ActionDecision,
    pub transact: ActionDecision,
    pub administer: ActionDecision,
}

open_enum! {
    /// An action that an agent may want to take.
    pub enum Action {
        Read = "read",
        Cite = "cite",
        Connect = "connect",
        Transact = "transact",
        Administer = "administer",
    }
}

open_enum! {
    /// Whether an action may be taken. Treat an unknown value as `block`.
    pub enum Decision {
        Allow = "allow",
        Warn = "warn",
        RequireConfirmation = "require_confirmation",
        Block = "block",
        Unsupported = "unsupported",
    }
}

request_words!(Action, Decision);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActionDecision {
    pub decision: Decision,
    pub minimum_assurance: String,
    /// The rungs of the assurance ladder that are reached.
    pub assurance_found: Vec<Rung>,
    /// What `allow` requires.
    pub needs: String,
    pub why: String,
    pub doubts: Vec<Doubt>,
    /// The maximum age of the evidence.
    pub max_age_hours: u32,
}

/// As `ActionDecision`, with the scope of the decision: the source may be cited, which does not
/// mean that its content is correct.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CiteDecision {
    pub decision: Decision,
    pub minimum_assurance: String,
    pub assurance_found: Vec<Rung>,
    pub needs: String,
    pub why: String,
    pub doubts: Vec<Doubt>,
    pub max_age_hours: u32,
    pub scope: CiteScope,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CiteScope {
    pub covers: Vec<String>,
    pub does_not_cover: String,
}

open_enum! {
    /// Why a decision is not `allow`, or was made stricter.
    pub enum Doubt {
        // What the site's policy says.
        AgentSpecificRobots = "agent_specific_robots",
        NoPolicy = "no_policy",
        RobotsDisallow = "robots_disallow",
        RobotsUnreachable = "robots_unreachable",
        RightsDisallowed = "rights_disallowed",
        RightsConditional = "rights_conditional",
        PaymentRequired = "payment_required",
        // What was delivered.
        RefusedToAiIdentities = "refused_to_ai_identities",
        ChallengeServed = "challenge_served",
        /// A login form, a gate or a placeholder stands in for the content.
        PageGated = "page_gated",
        /// The page is not a page, or has no text before scripts run.
        NoReadableText = "no_readable_text",
        /// Part of the text is only for subscribers.
        Paywall = "paywall",
        ReadEquivalenceUnmeasured = "read_equivalence_unmeasured",
        ReadDiffers = "read_differs",
        InstructionLikeText = "instruction_like_text",
        // What the evidence lacks.
        EntityUnobserved = "entity_unobserved",
        NotMeasured = "not_measured",
        /// The domain name does not exist in the DNS.
        NoSuchName = "no_such_name",
        /// The certificate is not valid: a careful client refuses the connection.
        CertificateInvalid = "certificate_invalid",
        /// The home page redirects from https to plain http.
        RedirectsToHttp = "redirects_to_http",
        StaleEvidence = "stale_evidence",
        SingleVantage = "single_vantage",
        NetworkDivergence = "network_divergence",
        RegionalDivergence = "regional_divergence",
        Contradiction = "contradiction",
        ImpersonationSuspected = "impersonation_suspected",
        /// The owner reports an incident.
        IncidentReported = "incident_reported",
        /// A high-risk change (one that an attacker who took over the site would make) was observed
        /// and is not confirmed yet.
        HighRiskPending = "high_risk_pending",
        // What the declared capabilities lack.
        NoneDeclared = "none_declared",
        NotConformant = "not_conformant",
        McpUnreachable = "mcp_unreachable",
        McpAuthRequired = "mcp_auth_required",
        McpLockDrift = "mcp_lock_drift",
        McpSurfaceIncomplete = "mcp_surface_incomplete",
        McpHardFinding = "mcp_hard_finding",
        // What happened to an earlier decision.
        Revoked = "revoked",
        Tightened = "tightened",
        KeyRevoked = "key_revoked",
        BuildRevoked = "build_revoked",
        // Restrictions in the request.
        CallerMaxAge = "caller_max_age",
        CallerAssurance = "caller_assurance",
        CallerNetworks = "caller_networks",
        CallerWarnAs = "caller_warn_as",
        /// The caller's lists of names and actions.
        CallerPolicy = "caller_policy",
        /// The template the caller chose.
        Template = "template",
        // What this service could not do at the time.
        LiveBudgetSpent = "live_budget_spent",
        LiveReadFailed = "live_read_failed",
        LiveLimit = "live_limit",
        // Rules that always apply.
        HumanConfirms = "human_confirms",
        NeverAutomatic = "never_automatic",
    }
}
