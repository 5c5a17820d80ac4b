//! Examples of claiming a domain, and of what owners report.

use contract::records::{
    ClaimChallenge, ClaimCheckRequest, ClaimMethod, ClaimOffer, ClaimPlace, ClaimRequest,
    ClaimState, ControlMethod, DisputeRecord, DisputeRequest, DisputeState, DisputedReport,
    IncidentRecord, IncidentRequest, ProofStrength,
};

use super::{at, domain, kind, some, texts, url};

pub(super) fn claim_offer() -> ClaimOffer {
    ClaimOffer {
        kind: kind("claim-offer"),
        v: 1,
        domain: domain(),
        state: ClaimState::Unproven,
        means: "Nobody has proven control of this domain to this service.".to_owned(),
        methods: vec![ClaimMethod {
            method: ControlMethod::DnsTxt,
            strength: ProofStrength::Strong,
            place: "_svc-challenge.shop.lab".to_owned(),
            example: "token=TOKEN".to_owned(),
            proves: "Control of the DNS zone.".to_owned(),
        }],
        control: url("/api/v1/domain/control?domain=shop.lab"),
        claim: url("/registry/shop.lab/claim"),
        terms: texts(&["A claim changes no decision."]),
    }
}

pub(super) fn claim_request() -> ClaimRequest {
    ClaimRequest { method: ControlMethod::DnsTxt }
}

pub(super) fn claim_challenge() -> ClaimChallenge {
    ClaimChallenge {
        kind: kind("claim-challenge"),
        v: 1,
        claim_id: "claim1".to_owned(),
        domain: domain(),
        method: ControlMethod::DnsTxt,
        place: ClaimPlace { name: some("_svc-challenge.shop.lab"), url: None },
        value: "token=abc".to_owned(),
        paste: "_svc-challenge.shop.lab. 300 IN TXT \"token=abc\"".to_owned(),
        expires_at: at("23:00:00"),
        attempts_left: 20,
        verify: url("/registry/shop.lab/claim/verify"),
        claim_secret: "svc-claim-secret".to_owned(),
        how: texts(&["Publish the value."]),
    }
}

pub(super) fn claim_check_request() -> ClaimCheckRequest {
    ClaimCheckRequest {
        claim_id: "claim1".to_owned(),
        organization: some("Example Shop Ltd"),
        contact: some("ada@shop.lab"),
    }
}

pub(super) fn incident_request() -> IncidentRequest {
    IncidentRequest {
        what: "Our shop was changed.".to_owned(),
        since: some("2026-11-13T00:00:00Z"),
    }
}

pub(super) fn incident() -> IncidentRecord {
    IncidentRecord {
        kind: kind("incident"),
        v: 1,
        id: "incident1".to_owned(),
        domain: domain(),
        what: "Our shop was changed.".to_owned(),
        since: at("00:00:00"),
        reported_at: at("01:00:00"),
        ends_at: at("23:00:00"),
        ended_at: None,
        effect: "Connect and transact are withheld.".to_owned(),
    }
}

pub(super) fn dispute_request() -> DisputeRequest {
    DisputeRequest { record: "abc123".to_owned(), reason: "That was a test.".to_owned() }
}

pub(super) fn dispute() -> DisputeRecord {
    let report = |id: &str, grade: &str| DisputedReport {
        id: id.to_owned(),
        report: url(&format!("/r/{id}")),
        grade: some(grade),
        scanned_at: Some(at("00:00:00")),
    };
    DisputeRecord {
        kind: kind("dispute"),
        v: 1,
        id: "dispute1".to_owned(),
        domain: domain(),
        reason: "That was a test.".to_owned(),
        filed_at: at("01:00:00"),
        state: DisputeState::Closed,
        disputed: report("abc123", "F"),
        fresh: Some(report("def456", "B")),
        changed: Some(true),
        outcome: some("The grade was F and is B."),
        closed_at: Some(at("02:00:00")),
        page: url("/registry/shop.lab/dispute/dispute1"),
    }
}
