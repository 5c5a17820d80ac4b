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

impl Sections {
    /// The sections of an earlier answer.
    #[must_use]
    pub fn from_answer(answer: ResolveAnswer) -> Self {
        Self {
            domain: answer.domain,
            status: answer.status,
            basis: answer.basis,
            subject: answer.subject,
            freshness: answer.freshness,
            observers: answer.observers,
            crawl_policy: answer.crawl_policy,
            delivery: answer.delivery,
            machine_files: answer.machine_files,
            capabilities: answer.capabilities,
            entity: answer.entity,
            findings: answer.findings,
            confidence: answer.confidence,
            contradictions: answer.contradictions,
            evidence: answer.evidence,
            assurance: answer.assurance,
            impersonation: answer.impersonation,
            dns: answer.dns,
            tls: answer.tls,
            upgrade: answer.upgrade,
            content_clock: answer.content_clock,
            self_claims: answer.self_claims,
            read_equivalence: answer.read_equivalence,
            rights: answer.rights,
            stored_sections: answer.stored_sections,
            served_from: answer.served_from,
            incident: answer.incident,
            high_risk_fields: answer.high_risk_fields,
            absences: answer.absences,
            control: answer.control,
        }
    }
}
