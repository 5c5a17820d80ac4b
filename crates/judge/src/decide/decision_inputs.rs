//! The inputs of a decision: small enumerations, derived from the sections of an answer.
//!
//! They are few and small on purpose: tests try every rule with every value, and anybody who has an
//! answer can derive them again. Proven control and reported outcomes are not among them, because they
//! change no decision.

use std::collections::BTreeMap;

use contract::limits;
use contract::records::{
    Basis, ContentState, DeliveredContent, DeliveredPage, DeliveryIdentity, EquivalenceVerdict,
    ImpersonationVerdict, RightsUse, RightsValue, Section, VantageState,
};

use crate::resolve::delivery::STALLED;
use crate::resolve::rights::ACCESS;
use crate::resolve::sections::Sections;

/// Defines an enumeration with a published word for each value.
macro_rules! decision_input {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vmeta])* $variant),+ }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}

decision_input! {
    /// Whether the domain name exists in the DNS.
    NameExistence { Exists = "exists", NotMeasured = "not_measured", Missing = "missing" }
}

decision_input! {
    /// What robots.txt says to AI agents about the home page.
    RobotsPolicy {
        AllowsAll = "allows_all",
        AllowsSome = "allows_some",
        DisallowsAll = "disallows_all",
        Absent = "absent",
        Refused = "refused",
        Unreachable = "unreachable",
        NotMeasured = "not_measured",
    }
}

decision_input! {
    /// Whether a machine file is at its standard path. robots.txt is not counted here: it is the policy.
    MachineFilesPresence { Present = "present", Absent = "absent", NotMeasured = "not_measured" }
}

decision_input! {
    /// What AI identities received when they requested the home page.
    AiDelivery {
        All = "served_to_all",
        Some = "served_to_some",
        Challenged = "challenged",
        /// A login form, a gate or a placeholder instead of the content.
        Gated = "gated",
        /// Kept waiting without a complete answer, while a browser is served.
        Stalled = "stalled",
        Payment = "payment",
        Refused = "refused",
        /// Nobody received a page, and not everybody was refused: errors, or requests without a response.
        NoPage = "no_page",
        NotMeasured = "not_measured",
    }
}

decision_input! {
    /// Whether AI identities received the same text as a browser.
    Sameness { Same = "same", Differs = "differs", NotMeasured = "not_measured" }
}

decision_input! {
    /// Whether the site contains text that looks like instructions to AI agents.
    Instructions {
        NoneSeen = "none_seen",
        /// On the home page.
        Found = "found",
        /// On a further page only.
        FoundOnFurtherPage = "found_on_further_page",
    }
}

decision_input! {
    /// Whether the home page holds text that an agent can read.
    PageContent {
        Text = "text",
        NotMeasured = "not_measured",
        NoText = "no_text",
        NotAPage = "not_a_page",
    }
}

decision_input! {
    /// Whether part of the home page's text is only for subscribers.
    Paywall { NoneSeen = "none_seen", Found = "found" }
}

decision_input! {
    /// Whether AI identities that get the home page get the further pages that a scan read.
    FurtherPages { NoneKeptOut = "none_kept_out", KeptOut = "kept_out" }
}

decision_input! {
    /// Whether the page says who runs the site.
    EntityObservation { Observed = "observed", Unobserved = "unobserved" }
}

decision_input! {
    /// Whether the site contradicts itself.
    Contradictions { NoneSeen = "none_seen", Found = "found" }
}

decision_input! {
    /// What public statements say about one use.
    UsageRight {
        Allowed = "allowed",
        Unknown = "unknown",
        Conditional = "conditional",
        /// No statement forbids it, but robots.txt disallows all agents of a class that reads for this use.
        KeptOut = "kept_out",
        Disallowed = "disallowed",
    }
}

decision_input! {
    /// What calls of the declared capabilities showed.
    CapabilityConformance {
        Conformant = "conformant",
        PartlyConformant = "partly_conformant",
        Mismatched = "mismatched",
        Unverified = "unverified",
        NoneDeclared = "none_declared",
        NotMeasured = "not_measured",
    }
}

decision_input! {
    /// Whether the domain name is suspected of imitating another. Similarity alone counts as clear.
    ImpersonationCheck { Clear = "clear", NotMeasured = "not_measured", Suspected = "suspected" }
}

decision_input! {
    /// Whether readings from several networks agree.
    Vantage {
        CrossConfirmed = "cross_confirmed",
        /// One network, too few readings, or none recorded.
        Single = "single",
        NetworkDivergence = "network_divergence",
        RegionalDivergence = "regional_divergence",
    }
}

decision_input! {
    /// How old the evidence is. The bands are the age limits of the actions.
    AgeBand {
        Within24 = "within_24_hours",
        Within72 = "within_72_hours",
        Within168 = "within_168_hours",
        Older = "older",
        Unknown = "unknown",
    }
}

decision_input! {
    /// Whether the owner reports an incident.
    IncidentReport { NoneReported = "none_reported", Reported = "reported" }
}

decision_input! {
    /// Whether a high-risk change (`resolve::high_risk`) is waiting to be confirmed.
    HighRiskChange { NonePending = "none_pending", Pending = "pending" }
}

decision_input! {
    /// Whether the site answers over HTTPS with a valid certificate.
    Https {
        Yes = "yes",
        NotMeasured = "not_measured",
        No = "no",
        /// Asked over https, the site redirects to plain http.
        Downgraded = "downgraded",
        Broken = "broken",
    }
}

decision_input! {
    /// Whether the site's policy or what it serves was measured at all.
    Coverage { Measured = "measured", Nothing = "nothing" }
}

/// All inputs of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DecisionInputs {
    pub name: NameExistence,
    pub policy: RobotsPolicy,
    pub files: MachineFilesPresence,
    pub delivery: AiDelivery,
    pub sameness: Sameness,
    pub instructions: Instructions,
    pub content: PageContent,
    pub paywall: Paywall,
    pub further_pages: FurtherPages,
    pub entity: EntityObservation,
    pub contradictions: Contradictions,
    /// The right to generate answers from the content ("grounding"): the use that `read` makes.
    pub ground: UsageRight,
    pub cite: UsageRight,
    pub transact: UsageRight,
    pub capabilities: CapabilityConformance,
    pub impersonation: ImpersonationCheck,
    pub vantage: Vantage,
    pub age: AgeBand,
    pub incident: IncidentReport,
    pub high_risk: HighRiskChange,
    pub https: Https,
    pub coverage: Coverage,
}

impl DecisionInputs {
    /// Every input measured and at its best value.
    pub const BEST: Self = Self {
        name: NameExistence::Exists,
        policy: RobotsPolicy::AllowsAll,
        files: MachineFilesPresence::Present,
        delivery: AiDelivery::All,
        sameness: Sameness::Same,
        instructions: Instructions::NoneSeen,
        content: PageContent::Text,
        paywall: Paywall::NoneSeen,
        further_pages: FurtherPages::NoneKeptOut,
        entity: EntityObservation::Observed,
        contradictions: Contradictions::NoneSeen,
        ground: UsageRight::Allowed,
        cite: UsageRight::Allowed,
        transact: UsageRight::Allowed,
        capabilities: CapabilityConformance::Conformant,
        impersonation: ImpersonationCheck::Clear,
        vantage: Vantage::CrossConfirmed,
        age: AgeBand::Within24,
        incident: IncidentReport::NoneReported,
        high_risk: HighRiskChange::NonePending,
        https: Https::Yes,
        coverage: Coverage::Measured,
    };

    /// Nothing measured, and no report from the owner.
    pub const NOTHING: Self = Self {
        name: NameExistence::NotMeasured,
        policy: RobotsPolicy::NotMeasured,
        files: MachineFilesPresence::NotMeasured,
        delivery: AiDelivery::NotMeasured,
        sameness: Sameness::NotMeasured,
        instructions: Instructions::NoneSeen,
        content: PageContent::NotMeasured,
        paywall: Paywall::NoneSeen,
        further_pages: FurtherPages::NoneKeptOut,
        entity: EntityObservation::Unobserved,
        contradictions: Contradictions::NoneSeen,
        ground: UsageRight::Unknown,
        cite: UsageRight::Unknown,
        transact: UsageRight::Unknown,
        capabilities: CapabilityConformance::NotMeasured,
        impersonation: ImpersonationCheck::NotMeasured,
        vantage: Vantage::Single,
        age: AgeBand::Unknown,
        incident: IncidentReport::NoneReported,
        high_risk: HighRiskChange::NonePending,
        https: Https::NotMeasured,
        coverage: Coverage::Nothing,
    };
}

/// Derives the inputs from the sections of an answer.
#[must_use]
pub fn decision_inputs(sections: &Sections) -> DecisionInputs {
    let (policy, delivery) = (robots_policy(sections), ai_delivery(sections));
    DecisionInputs {
        name: match sections.dns.body().and_then(|dns| dns.exists) {
            Some(true) => NameExistence::Exists,
            Some(false) => NameExistence::Missing,
            None => NameExistence::NotMeasured,
        },
        policy,
        files: machine_files(sections),
        delivery,
        sameness: sameness(sections),
        instructions: instructions(sections),
        content: match delivered_content(sections).map(|content| &content.state) {
            Some(ContentState::Text) => PageContent::Text,
            Some(ContentState::NoText) => PageContent::NoText,
            Some(ContentState::NotAPage) => PageContent::NotAPage,
            Some(ContentState::Unrecognised(_)) | None => PageContent::NotMeasured,
        },
        paywall: match delivered_content(sections) {
            Some(content) if content.paywall => Paywall::Found,
            _ => Paywall::NoneSeen,
        },
        further_pages: if further_pages(sections).any(|page| page.ai_kept_out > 0) {
            FurtherPages::KeptOut
        } else {
            FurtherPages::NoneKeptOut
        },
        entity: match sections.entity.body() {
            Some(entity) if entity.untrusted_name.is_some() || !entity.types.is_empty() => {
                EntityObservation::Observed
            }
            _ => EntityObservation::Unobserved,
        },
        contradictions: match &sections.contradictions {
            Some(found) if !found.is_empty() => Contradictions::Found,
            _ => Contradictions::NoneSeen,
        },
        ground: usage_right(sections, &sections.rights.ground),
        cite: usage_right(sections, &sections.rights.cite),
        transact: usage_right(sections, &sections.rights.transact),
        capabilities: capabilities(sections),
        impersonation: match sections.impersonation.body().map(|body| &body.verdict) {
            Some(ImpersonationVerdict::NoLookalike | ImpersonationVerdict::Lookalike) => {
                ImpersonationCheck::Clear
            }
            Some(ImpersonationVerdict::Suspected) => ImpersonationCheck::Suspected,
            Some(ImpersonationVerdict::Unrecognised(_)) | None => ImpersonationCheck::NotMeasured,
        },
        vantage: match sections.confidence.vantage_state.as_ref().map(|standing| &standing.state) {
            Some(VantageState::CrossConfirmed) => Vantage::CrossConfirmed,
            Some(VantageState::NetworkDivergence) => Vantage::NetworkDivergence,
            Some(VantageState::RegionalDivergence) => Vantage::RegionalDivergence,
            _ => Vantage::Single,
        },
        age: age_band(
            sections.freshness.observed_at.and(sections.freshness.age_hours),
            sections.freshness.stale,
        ),
        incident: if sections.incident.is_some() {
            IncidentReport::Reported
        } else {
            IncidentReport::NoneReported
        },
        high_risk: match &sections.high_risk_fields {
            Some(fields) if !fields.pending.is_empty() => HighRiskChange::Pending,
            _ => HighRiskChange::NonePending,
        },
        https: match sections.tls.body() {
            Some(tls) if tls.certificate_holds == Some(false) => Https::Broken,
            Some(tls) if tls.redirects_to_http => Https::Downgraded,
            Some(tls) if tls.https => Https::Yes,
            Some(_) => Https::No,
            None => Https::NotMeasured,
        },
        coverage: match (policy, delivery) {
            (
                RobotsPolicy::NotMeasured | RobotsPolicy::Unreachable,
                AiDelivery::NotMeasured | AiDelivery::NoPage,
            ) => Coverage::Nothing,
            _ => Coverage::Measured,
        },
    }
}

fn delivered_content(sections: &Sections) -> Option<&DeliveredContent> {
    sections.delivery.body()?.content.as_ref()
}

fn further_pages(sections: &Sections) -> impl Iterator<Item = &DeliveredPage> {
    sections.delivery.body().into_iter().flat_map(|body| &body.further_pages)
}

fn instructions(sections: &Sections) -> Instructions {
    let identities = &sections.read_equivalence.identities;
    if identities.iter().any(|identity| identity.instruction_like_text) {
        Instructions::Found
    } else if further_pages(sections).any(|page| page.instruction_like_text) {
        Instructions::FoundOnFurtherPage
    } else {
        Instructions::NoneSeen
    }
}

/// The band of an age; `Unknown` where nothing was observed.
pub(super) fn age_band(hours: Option<u32>, stale: bool) -> AgeBand {
    match hours {
        None => AgeBand::Unknown,
        Some(_) if stale => AgeBand::Older,
        Some(hours) if hours <= limits::TRANSACT_MAX_AGE_HOURS => AgeBand::Within24,
        Some(hours) if hours <= limits::CONNECT_MAX_AGE_HOURS => AgeBand::Within72,
        Some(hours) if hours <= limits::READ_MAX_AGE_HOURS => AgeBand::Within168,
        Some(_) => AgeBand::Older,
    }
}

const ROBOTS_PATH: &str = "/robots.txt";
/// The robots.txt group for all agents without a group of their own.
const EVERYONE: &str = "*";

fn robots_policy(sections: &Sections) -> RobotsPolicy {
    if let Some(body) = sections.crawl_policy.body() {
        return match body.http_status {
            Some(status) if !(200..300).contains(&status) => policy_from_status(status),
            _ => policy_from_agents(
                body.agents.iter().map(|agent| (agent.agent.as_str(), agent.allowed_homepage)),
            ),
        };
    }
    // The policy was not measured. The response for its path may still show why.
    let Some(entry) = sections
        .machine_files
        .body()
        .and_then(|body| body.files.iter().find(|file| file.path == ROBOTS_PATH))
    else {
        return RobotsPolicy::NotMeasured;
    };
    match entry.status {
        Some(status) if !(200..300).contains(&status) => policy_from_status(status),
        Some(_) => RobotsPolicy::NotMeasured,
        // Either our time budget ran out, or the site did not answer. Only the second is about the site.
        None if ran_out_of_time(&sections.basis) => RobotsPolicy::NotMeasured,
        None => RobotsPolicy::Unreachable,
    }
}

fn policy_from_status(status: u16) -> RobotsPolicy {
    match status {
        401 | 403 | 429 | 451 => RobotsPolicy::Refused,
        400..=499 => RobotsPolicy::Absent,
        500..=599 => RobotsPolicy::Unreachable,
        _ => RobotsPolicy::NotMeasured,
    }
}

fn policy_from_agents<'a>(agents: impl Iterator<Item = (&'a str, bool)>) -> RobotsPolicy {
    let (mut allowed, mut disallowed, mut everyone) = (0_usize, 0_usize, None);
    for (agent, is_allowed) in agents {
        match (agent, is_allowed) {
            (EVERYONE, is_allowed) => everyone = Some(is_allowed),
            (_, true) => allowed += 1,
            (_, false) => disallowed += 1,
        }
    }
    match (allowed, disallowed, everyone) {
        (0, 0, None) => RobotsPolicy::NotMeasured,
        (0, 0, Some(true)) | (1.., 0, None | Some(true)) => RobotsPolicy::AllowsAll,
        (0, 0, Some(false)) | (0, 1.., _) => RobotsPolicy::DisallowsAll,
        (1.., _, _) => RobotsPolicy::AllowsSome,
    }
}

fn ran_out_of_time(basis: &Basis) -> bool {
    let Basis::JustInTime(live) = basis else { return false };
    live.not_read_in_budget
        .iter()
        .any(|what| matches!(what.as_str(), "crawl_policy" | "robots.txt" | ROBOTS_PATH))
}

fn machine_files(sections: &Sections) -> MachineFilesPresence {
    let Some(body) = sections.machine_files.body() else {
        return MachineFilesPresence::NotMeasured;
    };
    let mut others = body.files.iter().filter(|file| file.path != ROBOTS_PATH).peekable();
    if others.peek().is_none() {
        return MachineFilesPresence::NotMeasured;
    }
    // A file whose request was not answered may exist, so absence is not established.
    let mut all_answered = true;
    for file in others {
        match file.present {
            Some(true) => return MachineFilesPresence::Present,
            Some(false) => {}
            None => all_answered = false,
        }
    }
    if all_answered { MachineFilesPresence::Absent } else { MachineFilesPresence::NotMeasured }
}

/// What can stand in for the content, with a success status.
const GATES: [&str; 8] =
    ["login", "region", "age", "consent", "parked", "maintenance", "placeholder", "empty"];

/// What one AI identity received.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IdentityResponse {
    Page,
    Challenge,
    Gate,
    Payment,
    Refusal,
    Wait,
    Nothing,
}

fn ai_delivery(sections: &Sections) -> AiDelivery {
    let delivered: BTreeMap<&str, &DeliveryIdentity> = sections
        .delivery
        .body()
        .map(|body| body.identities.iter().map(|one| (one.identity.as_str(), one)).collect())
        .unwrap_or_default();
    let mut received = Vec::new();
    let mut answered = false;
    for identity in &sections.read_equivalence.identities {
        let delivered = delivered.get(identity.identity.as_str());
        let status = delivered.and_then(|one| one.status);
        answered |= status.is_some() || identity.verdict != EquivalenceVerdict::Unmeasured;
        received.push(match delivered.and_then(|one| one.blocker.as_deref()) {
            Some(STALLED) => {
                answered = true;
                IdentityResponse::Wait
            }
            Some(blocker)
                if GATES.contains(&blocker) && status.is_some_and(|status| status < 400) =>
            {
                IdentityResponse::Gate
            }
            _ => identity_response(&identity.verdict, status),
        });
    }
    let any = |what: IdentityResponse| received.contains(&what);
    if !answered {
        AiDelivery::NotMeasured
    } else if received.iter().all(|one| *one == IdentityResponse::Page) {
        AiDelivery::All
    } else if any(IdentityResponse::Page) {
        AiDelivery::Some
    } else if any(IdentityResponse::Wait) {
        // Waiting takes our time, so other requests may not have been made.
        AiDelivery::Stalled
    } else if any(IdentityResponse::Nothing) {
        // At least one request ended in neither a page nor a refusal: "refused to all" is not established.
        AiDelivery::NoPage
    } else if any(IdentityResponse::Gate) {
        AiDelivery::Gated
    } else if any(IdentityResponse::Payment) {
        AiDelivery::Payment
    } else if any(IdentityResponse::Challenge) {
        AiDelivery::Challenged
    } else {
        AiDelivery::Refused
    }
}

fn identity_response(verdict: &EquivalenceVerdict, status: Option<u16>) -> IdentityResponse {
    match (verdict, status) {
        (EquivalenceVerdict::NotServed | EquivalenceVerdict::Unmeasured, Some(402)) => {
            IdentityResponse::Payment
        }
        (EquivalenceVerdict::Challenged, _) => IdentityResponse::Challenge,
        // An error is not a refusal.
        (EquivalenceVerdict::NotServed, Some(404 | 410 | 500 | 502 | 504)) => {
            IdentityResponse::Nothing
        }
        (EquivalenceVerdict::NotServed, _) => IdentityResponse::Refusal,
        (EquivalenceVerdict::Unmeasured | EquivalenceVerdict::Unrecognised(_), status) => {
            match status {
                Some(200..=299) => IdentityResponse::Page,
                Some(401 | 403 | 429 | 451) => IdentityResponse::Refusal,
                _ => IdentityResponse::Nothing,
            }
        }
        (
            EquivalenceVerdict::Equivalent
            | EquivalenceVerdict::Reduced
            | EquivalenceVerdict::Augmented
            | EquivalenceVerdict::Different
            | EquivalenceVerdict::NotDeterministic,
            _,
        ) => IdentityResponse::Page,
    }
}

fn sameness(sections: &Sections) -> Sameness {
    let mut same = false;
    for identity in &sections.read_equivalence.identities {
        match identity.verdict {
            EquivalenceVerdict::Reduced
            | EquivalenceVerdict::Augmented
            | EquivalenceVerdict::Different => return Sameness::Differs,
            EquivalenceVerdict::Equivalent => same = true,
            _ => {}
        }
    }
    if same { Sameness::Same } else { Sameness::NotMeasured }
}

fn usage_right(sections: &Sections, rights_use: &RightsUse) -> UsageRight {
    if !sections.rights.observed {
        return UsageRight::Unknown;
    }
    match (&rights_use.value, rights_use.decided_by.signal.as_deref()) {
        (RightsValue::Allowed, _) => UsageRight::Allowed,
        (RightsValue::Conditional, _) => UsageRight::Conditional,
        // A robots.txt rule says who may fetch. It is not a statement about a use.
        (RightsValue::Disallowed, None) => UsageRight::KeptOut,
        (RightsValue::Disallowed, Some(signal)) if signal == ACCESS => UsageRight::KeptOut,
        (RightsValue::Disallowed, Some(_)) => UsageRight::Disallowed,
        (RightsValue::Unknown | RightsValue::Unrecognised(_), _) => UsageRight::Unknown,
    }
}

fn capabilities(sections: &Sections) -> CapabilityConformance {
    let body = match &sections.capabilities {
        Section::Declared { body, .. } | Section::Observed { body, .. } => body,
        Section::NotMeasured { .. } | Section::Unrecognised(_) => {
            return CapabilityConformance::NotMeasured;
        }
    };
    match (body.declared, body.verified, body.mismatches) {
        (0, _, _) => CapabilityConformance::NoneDeclared,
        (_, 0, 0) => CapabilityConformance::Unverified,
        (_, 0, _) => CapabilityConformance::Mismatched,
        (_, _, 0) => CapabilityConformance::Conformant,
        _ => CapabilityConformance::PartlyConformant,
    }
}
