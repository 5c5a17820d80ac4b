//! The sections of a resolve answer: everything it says about a domain, before decisions, log and
//! signature.

use contract::Domain;
use contract::records::{
    Absence, AnswerStatus, Assurance, Basis, CapabilitiesSection, ContentClock, Contradiction,
    ControlSummary, CrawlPolicySection, DeliverySection, DnsSection, EntitySection, EvidenceLinks,
    Freshness, HighRiskFields, ImpersonationSection, Incident, MachineFilesSection, Observers,
    ReadEquivalence, ResolveAnswer, ResolveConfidence, ResolveFindings, Rights, SelfClaims,
    StoredSections, Subject, TlsSection, Upgrade,
};

/// The sections of an answer. Decisions depend on these alone, so anybody who has an answer can compute
/// them again.
#[derive(Debug, Clone, PartialEq)]
pub struct Sections {
    pub domain: Domain,
    pub status: AnswerStatus,
    pub basis: Basis,
    pub subject: Subject,
    pub freshness: Freshness,
    pub observers: Observers,
    pub crawl_policy: CrawlPolicySection,
    pub delivery: DeliverySection,
    pub machine_files: MachineFilesSection,
    pub capabilities: CapabilitiesSection,
    pub entity: EntitySection,
    pub findings: ResolveFindings,
    pub confidence: ResolveConfidence,
    pub contradictions: Option<Vec<Contradiction>>,
    pub evidence: EvidenceLinks,
    pub assurance: Assurance,
    pub impersonation: ImpersonationSection,
    pub dns: DnsSection,
    pub tls: TlsSection,
    pub upgrade: Option<Upgrade>,
    pub content_clock: ContentClock,
    pub self_claims: SelfClaims,
    pub read_equivalence: ReadEquivalence,
    pub rights: Rights,
    pub stored_sections: Option<StoredSections>,
    pub served_from: Option<String>,
    pub incident: Option<Incident>,
    pub high_risk_fields: Option<HighRiskFields>,
    pub absences: Vec<Absence>,
    pub control: ControlSummary,
}

/// Makes both functions from one list of the fields.
macro_rules! from_fields_of_answer {
    ($($field:ident),+ $(,)?) => {
        impl Sections {
            /// The sections of an earlier answer.
            #[must_use]
            pub fn from_answer(answer: ResolveAnswer) -> Self {
                Self { $($field: answer.$field),+ }
            }

            /// The same of an answer that stays. Only its sections are copied.
            #[must_use]
            pub fn copied_from(answer: &ResolveAnswer) -> Self {
                Self { $($field: answer.$field.clone()),+ }
            }
        }
    };
}

from_fields_of_answer!(
    domain,
    status,
    basis,
    subject,
    freshness,
    observers,
    crawl_policy,
    delivery,
    machine_files,
    capabilities,
    entity,
    findings,
    confidence,
    contradictions,
    evidence,
    assurance,
    impersonation,
    dns,
    tls,
    upgrade,
    content_clock,
    self_claims,
    read_equivalence,
    rights,
    stored_sections,
    served_from,
    incident,
    high_risk_fields,
    absences,
    control,
);
