//! What a decision is taken from: small enumerations, read off the sections of an answer.
//!
//! They are few and small on purpose. Every rule can be tried with every value, and whoever holds an
//! answer can take them again. Control and outcomes are not among them: they change no decision.

use std::collections::BTreeMap;

use contract::limits;
use contract::records::{
    Basis, EquivalenceVerdict, ImpersonationVerdict, RightsUse, RightsValue, Section, VantageState,
};

use crate::resolve::Sections;
use crate::resolve::rights::ACCESS;

/// An enumeration with a word for each value.
macro_rules! ground {
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

ground! {
    /// Whether the name is in the DNS.
    NameKnown { Exists = "exists", NotMeasured = "not_measured", Missing = "missing" }
}

ground! {
    /// What robots.txt says to AI agents about the home page.
    Policy {
        AllowsAll = "allows_all",
        AllowsSome = "allows_some",
        DisallowsAll = "disallows_all",
        Absent = "absent",
        Refused = "refused",
        Unreachable = "unreachable",
        NotMeasured = "not_measured",
    }
}

ground! {
    /// Whether a file for machines is at one of its standard places (robots.txt counts as policy).
    MachineFilesSeen { Present = "present", Absent = "absent", NotMeasured = "not_measured" }
}

ground! {
    /// What AI identities were given in place of the home page.
    DeliveredToAi {
        All = "served_to_all",
        Some = "served_to_some",
        Challenged = "challenged",
        Payment = "payment",
        Refused = "refused",
        /// Neither a page nor a refusal: an error, or refusals beside reads that came to nothing.
        NoPage = "no_page",
        NotMeasured = "not_measured",
    }
}

ground! {
    /// Whether AI identities were given the page that a browser was given.
    Sameness { Same = "same", Differs = "differs", NotMeasured = "not_measured" }
}

ground! {
    /// Whether the page holds text that tells machines what to do.
    Instructions { NoneSeen = "none_seen", Found = "found" }
}

ground! {
    /// Whether the page says who is behind it.
    EntitySeen { Observed = "observed", Unobserved = "unobserved" }
}

ground! {
    /// Whether the site contradicts itself.
    Contradictions { NoneSeen = "none_seen", Found = "found" }
}

ground! {
    /// What public statements say about one use.
    Right {
        Allowed = "allowed",
        Unknown = "unknown",
        Conditional = "conditional",
        /// No statement forbids it; robots.txt keeps out every agent that reads for it.
        KeptOut = "kept_out",
        Disallowed = "disallowed",
    }
}

ground! {
    /// What is known of declared capabilities.
    CapabilitiesSeen {
        Conformant = "conformant",
        PartlyConformant = "partly_conformant",
        Mismatched = "mismatched",
        Unverified = "unverified",
        NoneDeclared = "none_declared",
        NotMeasured = "not_measured",
    }
}

ground! {
    /// Whether the name imitates another. A name that is merely alike is clear.
    ImpersonationSeen { Clear = "clear", NotMeasured = "not_measured", Suspected = "suspected" }
}

ground! {
    /// How readings from several networks fit together.
    Vantage {
        CrossConfirmed = "cross_confirmed",
        /// One network, too few readings, or none recorded.
        Single = "single",
        NetworkDivergence = "network_divergence",
        RegionalDivergence = "regional_divergence",
    }
}

ground! {
    /// How old the evidence is, by the limits of the actions.
    Age {
        Within24 = "within_24_hours",
        Within72 = "within_72_hours",
        Within168 = "within_168_hours",
        Older = "older",
        Unknown = "unknown",
    }
}

ground! {
    /// Whether the owner reports an incident.
    IncidentSeen { NoneReported = "none_reported", Reported = "reported" }
}

ground! {
    /// Whether a change that a thief would make waits to be confirmed.
    HighRisk { NonePending = "none_pending", Pending = "pending" }
}

ground! {
    /// Whether the site answers over https, with a certificate that holds.
    Https { Yes = "yes", NotMeasured = "not_measured", No = "no", Broken = "broken" }
}

/// Everything a decision is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Grounds {
    pub name: NameKnown,
    pub policy: Policy,
    pub files: MachineFilesSeen,
    pub delivery: DeliveredToAi,
    pub sameness: Sameness,
    pub instructions: Instructions,
    pub entity: EntitySeen,
    pub contradictions: Contradictions,
    /// The use that reading makes.
    pub ground: Right,
    pub cite: Right,
    pub transact: Right,
    pub capabilities: CapabilitiesSeen,
    pub impersonation: ImpersonationSeen,
    pub vantage: Vantage,
    pub age: Age,
    pub incident: IncidentSeen,
    pub high_risk: HighRisk,
    pub https: Https,
}

impl Grounds {
    /// Everything measured and as good as can be.
    pub const BEST: Self = Self {
        name: NameKnown::Exists,
        policy: Policy::AllowsAll,
        files: MachineFilesSeen::Present,
        delivery: DeliveredToAi::All,
        sameness: Sameness::Same,
        instructions: Instructions::NoneSeen,
        entity: EntitySeen::Observed,
        contradictions: Contradictions::NoneSeen,
        ground: Right::Allowed,
        cite: Right::Allowed,
        transact: Right::Allowed,
        capabilities: CapabilitiesSeen::Conformant,
        impersonation: ImpersonationSeen::Clear,
        vantage: Vantage::CrossConfirmed,
        age: Age::Within24,
        incident: IncidentSeen::NoneReported,
        high_risk: HighRisk::NonePending,
        https: Https::Yes,
    };

    /// Nothing measured, and nothing said by the owner.
    pub const NOTHING: Self = Self {
        name: NameKnown::NotMeasured,
        policy: Policy::NotMeasured,
        files: MachineFilesSeen::NotMeasured,
        delivery: DeliveredToAi::NotMeasured,
        sameness: Sameness::NotMeasured,
        instructions: Instructions::NoneSeen,
        entity: EntitySeen::Unobserved,
        contradictions: Contradictions::NoneSeen,
        ground: Right::Unknown,
        cite: Right::Unknown,
        transact: Right::Unknown,
        capabilities: CapabilitiesSeen::NotMeasured,
        impersonation: ImpersonationSeen::NotMeasured,
        vantage: Vantage::Single,
        age: Age::Unknown,
        incident: IncidentSeen::NoneReported,
        high_risk: HighRisk::NonePending,
        https: Https::NotMeasured,
    };
}

/// Reads the grounds off the sections of an answer.
#[must_use]
pub fn grounds(sections: &Sections) -> Grounds {
    Grounds {
        name: match sections.dns.body().and_then(|dns| dns.exists) {
            Some(true) => NameKnown::Exists,
            Some(false) => NameKnown::Missing,
            None => NameKnown::NotMeasured,
        },
        policy: policy(sections),
        files: files(sections),
        delivery: delivery(sections),
        sameness: sameness(sections),
        instructions: if sections
            .read_equivalence
            .identities
            .iter()
            .any(|identity| identity.instruction_like_text)
        {
            Instructions::Found
        } else {
            Instructions::NoneSeen
        },
        entity: match sections.entity.body() {
            Some(entity) if entity.untrusted_name.is_some() || !entity.types.is_empty() => {
                EntitySeen::Observed
            }
            _ => EntitySeen::Unobserved,
        },
        contradictions: match &sections.contradictions {
            Some(found) if !found.is_empty() => Contradictions::Found,
            _ => Contradictions::NoneSeen,
        },
        ground: right(sections, &sections.rights.ground),
        cite: right(sections, &sections.rights.cite),
        transact: right(sections, &sections.rights.transact),
        capabilities: capabilities(sections),
        impersonation: match sections.impersonation.body().map(|body| &body.verdict) {
            Some(ImpersonationVerdict::NoLookalike | ImpersonationVerdict::Lookalike) => {
                ImpersonationSeen::Clear
            }
            Some(ImpersonationVerdict::Suspected) => ImpersonationSeen::Suspected,
            Some(ImpersonationVerdict::Unrecognised(_)) | None => ImpersonationSeen::NotMeasured,
        },
        vantage: match sections.confidence.vantage_state.as_ref().map(|standing| &standing.state) {
            Some(VantageState::CrossConfirmed) => Vantage::CrossConfirmed,
            Some(VantageState::NetworkDivergence) => Vantage::NetworkDivergence,
            Some(VantageState::RegionalDivergence) => Vantage::RegionalDivergence,
            _ => Vantage::Single,
        },
        age: age(
            sections.freshness.observed_at.and(sections.freshness.age_hours),
            sections.freshness.stale,
        ),
        incident: if sections.incident.is_some() {
            IncidentSeen::Reported
        } else {
            IncidentSeen::NoneReported
        },
        high_risk: match &sections.high_risk_fields {
            Some(fields) if !fields.pending.is_empty() => HighRisk::Pending,
            _ => HighRisk::NonePending,
        },
        https: match sections.tls.body() {
            Some(tls) if tls.certificate_holds == Some(false) => Https::Broken,
            Some(tls) if tls.https => Https::Yes,
            Some(_) => Https::No,
            None => Https::NotMeasured,
        },
    }
}

/// The band an age is in; nothing where nothing was observed.
pub(super) fn age(hours: Option<u32>, stale: bool) -> Age {
    match hours {
        None => Age::Unknown,
        Some(_) if stale => Age::Older,
        Some(hours) if hours <= limits::TRANSACT_MAX_AGE_HOURS => Age::Within24,
        Some(hours) if hours <= limits::CONNECT_MAX_AGE_HOURS => Age::Within72,
        Some(hours) if hours <= limits::READ_MAX_AGE_HOURS => Age::Within168,
        Some(_) => Age::Older,
    }
}

const ROBOTS_PATH: &str = "/robots.txt";
/// How robots.txt names every agent that it does not name.
const EVERYONE: &str = "*";

fn policy(sections: &Sections) -> Policy {
    if let Some(body) = sections.crawl_policy.body() {
        return match body.http_status {
            Some(status) if !(200..300).contains(&status) => from_status(status),
            _ => from_agents(
                body.agents.iter().map(|agent| (agent.agent.as_str(), agent.allowed_homepage)),
            ),
        };
    }
    // The policy itself was not measured; what stood at its place may still say why.
    let Some(entry) = sections
        .machine_files
        .body()
        .and_then(|body| body.files.iter().find(|file| file.path == ROBOTS_PATH))
    else {
        return Policy::NotMeasured;
    };
    match entry.status {
        Some(status) if !(200..300).contains(&status) => from_status(status),
        Some(_) => Policy::NotMeasured,
        // Our time ran out, or no answer came: only the second says anything of the site.
        None if ran_out_of_time(&sections.basis) => Policy::NotMeasured,
        None => Policy::Unreachable,
    }
}

fn from_status(status: u16) -> Policy {
    match status {
        401 | 403 | 429 | 451 => Policy::Refused,
        400..=499 => Policy::Absent,
        500..=599 => Policy::Unreachable,
        _ => Policy::NotMeasured,
    }
}

fn from_agents<'a>(agents: impl Iterator<Item = (&'a str, bool)>) -> Policy {
    let (mut allowed, mut kept_out, mut everyone) = (0_usize, 0_usize, None);
    for (agent, may) in agents {
        match (agent, may) {
            (EVERYONE, may) => everyone = Some(may),
            (_, true) => allowed += 1,
            (_, false) => kept_out += 1,
        }
    }
    match (allowed, kept_out, everyone) {
        (0, 0, None) => Policy::NotMeasured,
        (0, 0, Some(true)) | (1.., 0, None | Some(true)) => Policy::AllowsAll,
        (0, 0, Some(false)) | (0, 1.., _) => Policy::DisallowsAll,
        (1.., _, _) => Policy::AllowsSome,
    }
}

fn ran_out_of_time(basis: &Basis) -> bool {
    let Basis::JustInTime(live) = basis else { return false };
    live.not_read_in_budget
        .iter()
        .any(|what| matches!(what.as_str(), "crawl_policy" | "robots.txt" | ROBOTS_PATH))
}

fn files(sections: &Sections) -> MachineFilesSeen {
    let Some(body) = sections.machine_files.body() else { return MachineFilesSeen::NotMeasured };
    let mut others = body.files.iter().filter(|file| file.path != ROBOTS_PATH).peekable();
    if others.peek().is_none() {
        return MachineFilesSeen::NotMeasured;
    }
    // One that was not answered could be there: then absence is not measured.
    let mut all_answered = true;
    for file in others {
        match file.present {
            Some(true) => return MachineFilesSeen::Present,
            Some(false) => {}
            None => all_answered = false,
        }
    }
    if all_answered { MachineFilesSeen::Absent } else { MachineFilesSeen::NotMeasured }
}

/// What one AI identity was given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    Page,
    Challenge,
    Payment,
    Refusal,
    Nothing,
}

fn delivery(sections: &Sections) -> DeliveredToAi {
    let statuses: BTreeMap<&str, Option<u16>> = sections
        .delivery
        .body()
        .map(|body| body.identities.iter().map(|one| (one.identity.as_str(), one.status)).collect())
        .unwrap_or_default();
    let mut given = Vec::new();
    let mut answered = false;
    for identity in &sections.read_equivalence.identities {
        let status = statuses.get(identity.identity.as_str()).copied().flatten();
        answered |= status.is_some() || identity.verdict != EquivalenceVerdict::Unmeasured;
        given.push(outcome(&identity.verdict, status));
    }
    let any = |what: Given| given.contains(&what);
    if !answered {
        DeliveredToAi::NotMeasured
    } else if given.iter().all(|one| *one == Given::Page) {
        DeliveredToAi::All
    } else if any(Given::Page) {
        DeliveredToAi::Some
    } else if any(Given::Nothing) {
        // Not every one came to a refusal, so "refused to all" is not established.
        DeliveredToAi::NoPage
    } else if any(Given::Payment) {
        DeliveredToAi::Payment
    } else if any(Given::Challenge) {
        DeliveredToAi::Challenged
    } else {
        DeliveredToAi::Refused
    }
}

fn outcome(verdict: &EquivalenceVerdict, status: Option<u16>) -> Given {
    match (verdict, status) {
        (EquivalenceVerdict::NotServed | EquivalenceVerdict::Unmeasured, Some(402)) => {
            Given::Payment
        }
        (EquivalenceVerdict::Challenged, _) => Given::Challenge,
        // An error is no refusal, whoever was given it.
        (EquivalenceVerdict::NotServed, Some(404 | 410 | 500 | 502 | 504)) => Given::Nothing,
        (EquivalenceVerdict::NotServed, _) => Given::Refusal,
        (EquivalenceVerdict::Unmeasured | EquivalenceVerdict::Unrecognised(_), status) => {
            match status {
                Some(200..=299) => Given::Page,
                Some(401 | 403 | 429 | 451) => Given::Refusal,
                _ => Given::Nothing,
            }
        }
        (
            EquivalenceVerdict::Equivalent
            | EquivalenceVerdict::Reduced
            | EquivalenceVerdict::Augmented
            | EquivalenceVerdict::Different
            | EquivalenceVerdict::NotDeterministic,
            _,
        ) => Given::Page,
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

fn right(sections: &Sections, said: &RightsUse) -> Right {
    if !sections.rights.observed {
        return Right::Unknown;
    }
    match (&said.value, said.decided_by.signal.as_deref()) {
        (RightsValue::Allowed, _) => Right::Allowed,
        (RightsValue::Conditional, _) => Right::Conditional,
        // Rules of access are no statement about a use.
        (RightsValue::Disallowed, None) => Right::KeptOut,
        (RightsValue::Disallowed, Some(signal)) if signal == ACCESS => Right::KeptOut,
        (RightsValue::Disallowed, Some(_)) => Right::Disallowed,
        (RightsValue::Unknown | RightsValue::Unrecognised(_), _) => Right::Unknown,
    }
}

fn capabilities(sections: &Sections) -> CapabilitiesSeen {
    let body = match &sections.capabilities {
        Section::Declared { body, .. } | Section::Observed { body, .. } => body,
        Section::NotMeasured { .. } | Section::Unrecognised(_) => {
            return CapabilitiesSeen::NotMeasured;
        }
    };
    match (body.declared, body.verified, body.mismatches) {
        (0, _, _) => CapabilitiesSeen::NoneDeclared,
        (_, 0, 0) => CapabilitiesSeen::Unverified,
        (_, 0, _) => CapabilitiesSeen::Mismatched,
        (_, _, 0) => CapabilitiesSeen::Conformant,
        _ => CapabilitiesSeen::PartlyConformant,
    }
}
