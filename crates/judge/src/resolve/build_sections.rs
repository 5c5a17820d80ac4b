//! Builds the sections of an answer from one judged reading.

use contract::records::{
    AnswerStatus, Assurance, Basis, CensusBasis, ClaimState, ControlSummary, EvidenceLinks,
    FindingsAccess, FreshnessSource, JustInTimeBasis, Observers, PrimaryObserver, RescanBody,
    RescanRequest, ResolveConfidence, ResolveFindings, SampleWindow, SamplesByNetwork, ScanBasis,
    Section, Subject,
};
use contract::{Domain, Issuer};

use super::capabilities::capabilities;
use super::contradictions::contradictions;
use super::entity::entity;
use super::judged_reading::{JudgedReading, ReadingKind, observer_directory_url};
use super::sections::Sections;
use super::{
    claims, clock, crawl_policy, delivery, dns_and_tls, equivalence, machine_files, refresh, rights,
};

const LIVE_SCOPE: &str = "DNS, TLS, robots.txt, the machine files, and the home page as a browser, as an unnamed control and as one \
AI agent of each purpose. All are read in parallel under one deadline. not_read_in_budget lists what was not \
read; it is not reported as absent.";
const SCAN_SCOPE: &str = "A full scan: the home page and robots.txt as every identity, the machine files, and paths that cannot \
exist, for comparison. Up to four further pages that the sitemap, the home page or llms.txt name were read as a browser \
and as one AI agent of each purpose, where robots.txt allows it; other pages were not read. Operations that the site \
describes as public and read-only were called at most three times, where robots.txt allows it.";

/// The most findings in an answer. The report has all of them.
const MAX_FINDINGS: usize = 25;

/// Builds the sections of an answer from this reading, as of the time of the reading.
#[must_use]
pub fn build_sections(
    judged: &JudgedReading<'_>,
    ranking: &crate::lookalike::Ranking,
    issuer: &Issuer,
) -> Sections {
    let record = judged.record;
    let domain = record.domain.clone();
    let delivery = delivery::delivery(judged);
    let dns = dns_and_tls::dns(judged);
    let tls = dns_and_tls::tls(judged);
    let host = delivery.body().map(|_| record.scanned_host.clone());
    let observed_at = judged.observed_at();
    let measured = delivery.body().is_some() || dns.body().is_some();
    let answered = delivery
        .body()
        .map_or(0, |body| body.identities.iter().filter(|i| i.status.is_some()).count());
    let seen = crate::lookalike::ObservedSite { final_host: host.clone() };
    let impersonation = crate::lookalike::impersonation(&domain, ranking, &seen);
    Sections {
        status: if judged.is_live() { AnswerStatus::Partial } else { AnswerStatus::Measured },
        assurance: if judged.is_live() { Assurance::Partial } else { Assurance::Full },
        basis: basis(judged),
        subject: Subject { domain: domain.clone(), host },
        freshness: refresh::freshness_at(
            measured.then_some(observed_at),
            None,
            &freshness_source(judged),
            observed_at,
        ),
        observers: observers(judged, issuer),
        crawl_policy: crawl_policy::crawl_policy(judged),
        machine_files: machine_files::machine_files(judged),
        capabilities: capabilities(judged.evidence, judged.bodies, record),
        entity: entity(record),
        findings: findings(judged),
        confidence: ResolveConfidence {
            identities_answered: u32::try_from(answered).unwrap_or(u32::MAX),
            vantages: 1,
            note:
                "How many identities received a response, and from how many networks the site was \
                   read. There is no single confidence score."
                    .to_owned(),
            sample: None,
            sample_note: None,
            vantage_state: None,
        },
        contradictions: contradictions(record),
        evidence: evidence_links(judged, issuer),
        impersonation: Section::Observed { observed_at, body: impersonation },
        upgrade: None,
        content_clock: clock::clock_section(&domain, None, &issuer.base_url),
        self_claims: claims::claims_section(record, &issuer.base_url),
        read_equivalence: equivalence::equivalence_section(
            record,
            &issuer.base_url,
            Some(observed_at),
        ),
        rights: rights::rights_section(record, &issuer.base_url),
        stored_sections: None,
        served_from: None,
        incident: None,
        high_risk_fields: None,
        absences: machine_files::absences(judged, issuer),
        control: unclaimed_control(&domain, issuer),
        delivery,
        dns,
        tls,
        domain,
    }
}

/// The control state of a domain that nobody has claimed.
#[must_use]
pub fn unclaimed_control(domain: &Domain, issuer: &Issuer) -> ControlSummary {
    ControlSummary {
        state: ClaimState::Unproven,
        proofs: Vec::new(),
        organization: None,
        claim: issuer.url(&format!("/registry/{domain}/claim")),
        why: "Nobody has proven control of this domain to this service.".to_owned(),
        note: "Control changes no decision.".to_owned(),
    }
}

fn basis(judged: &JudgedReading<'_>) -> Basis {
    let measured_at = judged.observed_at();
    match judged.kind {
        ReadingKind::Live { budget_ms } => {
            let took = judged.evidence.finished_at.millis_since(judged.evidence.started_at);
            Basis::JustInTime(JustInTimeBasis {
                measured_at,
                budget_ms,
                took_ms: u32::try_from(took).unwrap_or_default(),
                not_read_in_budget: judged.unread_in_budget(),
                scope: LIVE_SCOPE.to_owned(),
            })
        }
        ReadingKind::Scan => Basis::Scan(ScanBasis {
            id: judged.record.id.clone().unwrap_or_default(),
            measured_at,
            scope: SCAN_SCOPE.to_owned(),
        }),
        ReadingKind::Census { run, rank } => {
            Basis::Census(CensusBasis { run, rank, measured_at, scope: SCAN_SCOPE.to_owned() })
        }
    }
}

fn freshness_source(judged: &JudgedReading<'_>) -> FreshnessSource {
    match judged.kind {
        ReadingKind::Live { .. } => FreshnessSource::JustInTime,
        ReadingKind::Scan => FreshnessSource::Scan,
        ReadingKind::Census { .. } => FreshnessSource::Census,
    }
}

fn observers(judged: &JudgedReading<'_>, issuer: &Issuer) -> Observers {
    let observer = &judged.evidence.observer;
    Observers {
        primary: PrimaryObserver {
            version_tag: observer.version.clone(),
            vantage: observer.vantage.clone(),
        },
        independent_readings: 0,
        by_field: issuer.domain_url("/api/corroboration", &judged.record.domain),
        directory: observer_directory_url(issuer),
        samples_by_network: SamplesByNetwork {
            networks: 0,
            samples: 0,
            groups: Vec::new(),
            window: SampleWindow { from: None, to: None },
        },
    }
}

fn findings(judged: &JudgedReading<'_>) -> ResolveFindings {
    // A live reading compares too few requests for findings. A census answer is for comparing sites.
    let (items, summary, note) = match judged.kind {
        ReadingKind::Scan => (
            judged.record.findings.iter().take(MAX_FINDINGS).cloned().collect(),
            Some(judged.record.findings_summary.clone()),
            "The report lists every finding with its evidence.",
        ),
        ReadingKind::Live { .. } | ReadingKind::Census { .. } => {
            (Vec::new(), None, "This answer has no findings. A full scan has them.")
        }
    };
    let withheld = judged.record.findings.len().saturating_sub(items.len());
    ResolveFindings {
        access: FindingsAccess::Public,
        rule: "Findings come from a full scan and are free of charge.".to_owned(),
        withheld: summary.as_ref().map(|_| u32::try_from(withheld).unwrap_or(u32::MAX)),
        items,
        summary,
        note: note.to_owned(),
    }
}

fn evidence_links(judged: &JudgedReading<'_>, issuer: &Issuer) -> EvidenceLinks {
    let id = judged.record.id.as_ref().filter(|_| !judged.is_live());
    EvidenceLinks {
        report: id.map(|id| issuer.url(&format!("/r/{id}"))),
        record: id.map(|id| issuer.url(&format!("/r/{id}.raw.json"))),
        rescan: RescanRequest {
            method: "POST".to_owned(),
            url: issuer.url("/api/scan"),
            body: RescanBody { domain: judged.record.domain.clone() },
        },
        verifier: issuer.url("/crawlcheck-verify.mjs"),
        verify: "Save this answer to a file and run: node crawlcheck-verify.mjs FILE --keys \
                 KEY-DIRECTORY. It checks digest, signature, key and inclusion offline."
            .to_owned(),
    }
}
