//! 2.9: the resolve answer. It has no overall score; every section has its own state and time of
//! observation.

mod basis;
mod context_blocks;
mod linked_blocks;
mod sections;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use basis::*;
pub use context_blocks::*;
pub use linked_blocks::*;
pub use sections::*;

use super::{Actions, AssuranceLadder, CodeObject, ReplacedSignature, Signature, Transparency};
use crate::{Domain, Timestamp};

/// `{brand}-resolve`, signed and logged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ResolveAnswer {
    pub kind: String,
    pub v: u32,
    /// The address of the answer's schema.
    pub schema: String,
    pub domain: Domain,
    pub answered_at: Timestamp,
    /// How to interpret the answer.
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
    /// Where the site contradicts itself; null when there was nothing to compare.
    #[schema(required)]
    pub contradictions: Option<Vec<Contradiction>>,
    pub evidence: EvidenceLinks,
    pub assurance: Assurance,
    pub impersonation: ImpersonationSection,
    pub dns: DnsSection,
    pub tls: TlsSection,
    /// Present in partial answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub upgrade: Option<Upgrade>,
    pub content_clock: ContentClock,
    pub self_claims: SelfClaims,
    pub read_equivalence: ReadEquivalence,
    pub rights: Rights,
    /// Present when a section was not available in time and is served as stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub stored_sections: Option<StoredSections>,
    /// Present when a stored reading is served: which one, and its age.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub served_from: Option<String>,
    /// Present while the owner reports an incident.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub incident: Option<Incident>,
    /// Present while high-risk changes are not confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub high_risk_fields: Option<HighRiskFields>,
    pub actions: Actions,
    pub absences: Vec<Absence>,
    pub control: ControlSummary,
    pub assurance_ladder: AssuranceLadder,
    pub code: CodeObject,
    /// Set when the answer is logged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub transparency: Option<Transparency>,
    /// Present if the key was reported as compromised since the record was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub replaced_signature: Option<ReplacedSignature>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

/// The list of fields is also a pattern without `..`, so that a new field that is missing in it does not compile.
macro_rules! equal_members {
    ($($field:ident),+ $(,)?) => {
        impl ResolveAnswer {
            /// The names of the members that are the same in both answers.
            #[must_use]
            pub fn equal_members(&self, other: &Self) -> Vec<&'static str> {
                let Self { $($field),+ } = self;
                let mut names = Vec::with_capacity([$(stringify!($field)),+].len());
                $(if *$field == other.$field {
                    names.push(stringify!($field));
                })+
                names
            }
        }
    };
}

equal_members!(
    kind,
    v,
    schema,
    domain,
    answered_at,
    reading,
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
    actions,
    absences,
    control,
    assurance_ladder,
    code,
    transparency,
    replaced_signature,
    sha256,
    signature,
);
