//! Decides on the sections and assembles the resolve answer.

use contract::records::{CodeObject, ResolveAnswer};
use contract::{Issuer, Timestamp};

use super::sections::Sections;

/// Decides on the sections and assembles the answer. The answer is not yet logged or signed.
#[must_use]
pub fn assemble_answer(
    sections: Sections,
    code: CodeObject,
    now: Timestamp,
    issuer: &Issuer,
) -> ResolveAnswer {
    let inputs = crate::decide::decision_inputs(&sections);
    let actions = crate::decide::decide_actions(&inputs);
    let assurance_ladder = crate::decide::build_ladder(&inputs, &sections.control);
    ResolveAnswer {
        kind: issuer.brand.kind("resolve"),
        v: 1,
        schema: issuer.schema_url("resolve"),
        domain: sections.domain,
        answered_at: now.whole_seconds(),
        reading: "Each section shows what the site declares, what we observed, or why we did not \
                  measure it, each with its own time. There is no overall score. The decisions in \
                  actions follow from the sections alone. Your own policy may be stricter, never \
                  looser."
            .to_owned(),
        status: sections.status,
        basis: sections.basis,
        subject: sections.subject,
        freshness: sections.freshness,
        observers: sections.observers,
        crawl_policy: sections.crawl_policy,
        delivery: sections.delivery,
        machine_files: sections.machine_files,
        capabilities: sections.capabilities,
        entity: sections.entity,
        findings: sections.findings,
        confidence: sections.confidence,
        contradictions: sections.contradictions,
        evidence: sections.evidence,
        assurance: sections.assurance,
        impersonation: sections.impersonation,
        dns: sections.dns,
        tls: sections.tls,
        upgrade: sections.upgrade,
        content_clock: sections.content_clock,
        self_claims: sections.self_claims,
        read_equivalence: sections.read_equivalence,
        rights: sections.rights,
        stored_sections: sections.stored_sections,
        served_from: sections.served_from,
        incident: sections.incident,
        high_risk_fields: sections.high_risk_fields,
        actions,
        absences: sections.absences,
        control: sections.control,
        assurance_ladder,
        code,
        transparency: None,
        replaced_signature: None,
        sha256: None,
        signature: None,
    }
}
