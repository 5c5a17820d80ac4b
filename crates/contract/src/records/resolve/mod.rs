//! 2.9: the resolve answer. It has no overall score; every section says for itself how it came
//! about.

mod basis;
mod blocks;
mod sections;
mod standing;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use basis::*;
pub use blocks::*;
pub use sections::*;
pub use standing::*;

use super::{Actions, AssuranceLadder, CodeObject, Signature, Transparency};
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-resolve`, signed and logged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ResolveAnswer {
    pub kind: String,
    pub v: u32,
    /// The address of the answer's schema.
    pub schema: String,
    pub domain: Domain,
    pub answered_at: Timestamp,
    /// How to read the answer.
    pub reading: String,
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
    /// Where the site contradicts itself; null when nothing was there to compare.
    #[schema(required)]
    pub contradictions: Option<Vec<Contradiction>>,
    pub evidence: EvidenceLinks,
    pub assurance: Assurance,
    pub impersonation: ImpersonationSection,
    pub dns: DnsSection,
    pub tls: TlsSection,
    /// There for partial answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub upgrade: Option<Upgrade>,
    pub content_clock: ContentClock,
    pub self_claims: SelfClaims,
    pub read_equivalence: ReadEquivalence,
    pub rights: Rights,
    /// There when a section did not answer in time and is shown as stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub stored_sections: Option<StoredSections>,
    /// There when a kept reading is served: which, and how old.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub served_from: Option<String>,
    /// There while the owner reports an incident.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub incident: Option<Incident>,
    /// There while changes of high risk are not confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub high_risk_fields: Option<HighRiskFields>,
    pub actions: Actions,
    pub absences: Vec<Absence>,
    pub control: ControlStanding,
    pub assurance_ladder: AssuranceLadder,
    pub code: CodeObject,
    /// Put in when the answer is logged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub transparency: Option<Transparency>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

open_enum! {
    /// How an answer was come by.
    pub enum AnswerStatus {
        /// A live read, just in time.
        Partial = "partial",
        /// A stored reading.
        Measured = "measured",
    }
}

open_enum! {
    /// How much was read for an answer.
    pub enum Assurance { Partial = "partial", Full = "full" }
}
