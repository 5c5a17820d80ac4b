//! The resolve answer: what was read of a domain, put into sections.
//!
//! [`sections`] makes them from one reading that was judged; [`bring_up`] sets what depends on the
//! moment of asking; [`answer`] takes the decisions from the sections and puts the answer together.
//! What is kept of an answer is its sections ([`Sections::of`]): brought up to a later moment they
//! are the next answer from the same reading.

pub mod address;
mod capabilities;
pub mod census;
pub mod changes;
pub mod claims;
pub mod clock;
mod contradictions;
pub mod corroboration;
mod delivery;
mod entity;
pub mod equivalence;
mod fields;
pub mod files;
pub mod high_risk;
mod moment;
pub mod network;
mod policy;
mod read;
pub mod rights;
mod safety;
mod sections;
#[cfg(test)]
pub(crate) mod testing;

use contract::records::{
    AnswerStatus, Assurance, Basis, CensusBasis, ClaimState, CodeObject, ControlStanding,
    EvidenceLinks, FindingsAccess, FreshnessSource, JustInTimeBasis, Observers, PrimaryObserver,
    Rescan, RescanBody, ResolveAnswer, ResolveConfidence, ResolveFindings, SampleWindow,
    SamplesByNetwork, ScanBasis, Subject,
};
use contract::{Domain, Timestamp};

pub use address::Letterhead;
pub use capabilities::capabilities;
pub use contradictions::contradictions;
pub use entity::entity;
pub use moment::{HOUR_MS, Moment, Readings, Told, bring_up, vantage_words};
pub use read::{How, Place, Read};
pub use sections::Sections;

const LIVE_SCOPE: &str = "DNS, TLS, robots.txt, the home page as a browser, an unnamed control and one AI agent \
of each purpose, and the machine files: side by side, under one deadline. What is in not_read_in_budget was \
not read and is not reported absent.";
const SCAN_SCOPE: &str = "A full scan: the home page as every identity, robots.txt as each of them, the machine \
files, and paths that cannot exist for comparison.";

/// The most findings an answer carries; the report has them all.
const MOST_FINDINGS: usize = 25;

/// The sections of an answer that rests on this reading, as of the reading itself.
#[must_use]
pub fn sections(
    read: &Read<'_>,
    ranking: &crate::lookalike::Ranking,
    place: &Place<'_>,
) -> Sections {
    let record = read.record;
    let domain = record.domain.clone();
    let delivery = delivery::delivery(read);
    let dns = network::dns(read);
    let tls = network::tls(read);
    let host = delivery.body().map(|_| record.scanned_host.clone());
    let observed_at = read.observed_at();
    let measured = delivery.body().is_some() || dns.body().is_some();
    let answered = delivery
        .body()
        .map_or(0, |body| body.identities.iter().filter(|i| i.status.is_some()).count());
    let seen = crate::lookalike::Seen { final_host: host.clone() };
    let impersonation = crate::lookalike::impersonation(&domain, ranking, &seen);
    Sections {
        status: if read.is_live() { AnswerStatus::Partial } else { AnswerStatus::Measured },
        assurance: if read.is_live() { Assurance::Partial } else { Assurance::Full },
        basis: basis(read),
        subject: Subject { domain: domain.clone(), host },
        freshness: moment::freshness_at(
            measured.then_some(observed_at),
            None,
            &source(read),
            observed_at,
        ),
        observers: observers(read, place),
        crawl_policy: policy::crawl_policy(read),
        machine_files: files::machine_files(read),
        capabilities: capabilities(read.evidence, read.bodies, record),
        entity: entity(record),
        findings: findings(read),
        confidence: ResolveConfidence {
            identities_answered: u32::try_from(answered).unwrap_or(u32::MAX),
            vantages: 1,
            note: "How many identities were answered, and how many networks looked. There is no \
                   single figure for it."
                .to_owned(),
            sample: None,
            sample_note: None,
            vantage_state: None,
        },
        contradictions: contradictions(record),
        evidence: evidence(read, place),
        impersonation: contract::records::Section::Observed { observed_at, body: impersonation },
        upgrade: None,
        content_clock: clock::block(&domain, None, place.base_url),
        self_claims: claims::block(record, place.base_url),
        read_equivalence: equivalence::block(record, place.base_url, Some(observed_at)),
        rights: rights::block(record, place.base_url),
        stored_sections: None,
        served_from: None,
        incident: None,
        high_risk_fields: None,
        absences: files::absences(read, place),
        control: nobody_has_shown_control(&domain, place),
        delivery,
        dns,
        tls,
        domain,
    }
}

/// Takes the decisions from the sections and puts the answer together. It is not logged or signed.
#[must_use]
pub fn answer(
    sections: Sections,
    code: CodeObject,
    now: Timestamp,
    place: &Place<'_>,
) -> ResolveAnswer {
    let grounds = crate::decide::grounds(&sections);
    let actions = crate::decide::actions(&grounds);
    let assurance_ladder = crate::decide::ladder(&grounds, &sections.control);
    ResolveAnswer {
        kind: place.brand.kind("resolve"),
        v: 1,
        schema: contract::schema::address("resolve", place.brand, place.base_url),
        domain: sections.domain,
        answered_at: now.whole_seconds(),
        reading:
            "Each section is what the site declares, what we observed, or not measured with the \
                  reason; each carries its own time. There is no overall score. The decisions in \
                  actions follow from the sections alone; your own policy may be stricter, never \
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
        sha256: None,
        signature: None,
    }
}

/// Where a domain stands that nobody claimed.
#[must_use]
pub fn nobody_has_shown_control(domain: &Domain, place: &Place<'_>) -> ControlStanding {
    ControlStanding {
        state: ClaimState::Unproven,
        proofs: Vec::new(),
        organization: None,
        claim: place.address(&format!("/registry/{domain}/claim")),
        why: "Nobody has shown control of this domain to us.".to_owned(),
        note: "Control changes no decision.".to_owned(),
    }
}

fn basis(read: &Read<'_>) -> Basis {
    let measured_at = read.observed_at();
    match read.how {
        How::Live { budget_ms } => {
            let took = read.evidence.finished_at.millis_since(read.evidence.started_at);
            Basis::JustInTime(JustInTimeBasis {
                measured_at,
                budget_ms,
                took_ms: u32::try_from(took).unwrap_or_default(),
                not_read_in_budget: read.cut_off(),
                scope: LIVE_SCOPE.to_owned(),
            })
        }
        How::Scan => Basis::Scan(ScanBasis {
            id: read.record.id.clone().unwrap_or_default(),
            measured_at,
            scope: SCAN_SCOPE.to_owned(),
        }),
        How::Census { run, rank } => {
            Basis::Census(CensusBasis { run, rank, measured_at, scope: SCAN_SCOPE.to_owned() })
        }
    }
}

fn source(read: &Read<'_>) -> FreshnessSource {
    match read.how {
        How::Live { .. } => FreshnessSource::JustInTime,
        How::Scan => FreshnessSource::Scan,
        How::Census { .. } => FreshnessSource::Census,
    }
}

fn observers(read: &Read<'_>, place: &Place<'_>) -> Observers {
    let observer = &read.evidence.observer;
    Observers {
        primary: PrimaryObserver {
            version_tag: observer.version.clone(),
            vantage: observer.vantage.clone(),
        },
        independent_readings: 0,
        by_field: place.of_domain("/api/corroboration", &read.record.domain),
        directory: place.directory(),
        samples_by_network: SamplesByNetwork {
            networks: 0,
            samples: 0,
            groups: Vec::new(),
            window: SampleWindow { from: None, to: None },
        },
    }
}

fn findings(read: &Read<'_>) -> ResolveFindings {
    // A live reading compares too little to accuse anybody of anything, and a census compares sites.
    let (items, summary, note) = match read.how {
        How::Scan => (
            read.record.findings.iter().take(MOST_FINDINGS).cloned().collect(),
            Some(read.record.findings_summary.clone()),
            "The report has every finding with its evidence.",
        ),
        How::Live { .. } | How::Census { .. } => (
            Vec::new(),
            None,
            "This answer carries readings, not findings; a full scan has findings.",
        ),
    };
    let withheld = read.record.findings.len().saturating_sub(items.len());
    ResolveFindings {
        access: FindingsAccess::Public,
        rule: "Findings come from a full scan; nothing of them is for sale.".to_owned(),
        withheld: summary.as_ref().map(|_| u32::try_from(withheld).unwrap_or(u32::MAX)),
        items,
        summary,
        note: note.to_owned(),
    }
}

fn evidence(read: &Read<'_>, place: &Place<'_>) -> EvidenceLinks {
    let id = read.record.id.as_ref().filter(|_| !read.is_live());
    EvidenceLinks {
        report: id.map(|id| place.address(&format!("/r/{id}"))),
        record: id.map(|id| place.address(&format!("/r/{id}.raw.json"))),
        rescan: Rescan {
            method: "POST".to_owned(),
            url: place.address("/api/scan"),
            body: RescanBody { domain: read.record.domain.clone() },
        },
        verifier: place.address("/crawlcheck-verify.mjs"),
        verify: "Save this answer to a file and run: node crawlcheck-verify.mjs FILE --keys \
                 KEY-DIRECTORY. It checks digest, signature, key and inclusion without us."
            .to_owned(),
    }
}

#[cfg(test)]
mod blocks_tests;
