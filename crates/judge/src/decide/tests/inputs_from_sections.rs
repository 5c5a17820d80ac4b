//! From sections to decision inputs.

use contract::records::ResolveAnswer;
use serde_json::{Value, json};

use super::super::*;
use super::sample;
use crate::resolve::Sections;

/// The decision inputs of the sample with some members replaced.
fn with(changes: &[(&str, Value)]) -> DecisionInputs {
    let mut written = sample::written();
    for (at, value) in changes {
        match written.pointer_mut(at) {
            Some(place) => *place = value.clone(),
            None => {
                let member = at.trim_start_matches('/').to_owned();
                written.as_object_mut().unwrap().insert(member, value.clone());
            }
        }
    }
    let answer: ResolveAnswer = serde_json::from_value(written).unwrap();
    decision_inputs(&Sections::from_answer(answer))
}

fn unmeasured() -> Value {
    json!({"state": "not_measured", "observed_at": null, "why": "-"})
}

#[test]
fn the_sample_is_the_best_there_is() {
    assert_eq!(with(&[]), DecisionInputs::BEST);
}

#[test]
fn an_answer_without_evidence_gives_nothing() {
    let mut changes: Vec<(&str, Value)> = [
        "/crawl_policy",
        "/delivery",
        "/machine_files",
        "/capabilities",
        "/entity",
        "/impersonation",
        "/dns",
        "/tls",
    ]
    .map(|section| (section, unmeasured()))
    .to_vec();
    changes.extend([
        ("/read_equivalence/identities", json!([])),
        ("/rights/observed", json!(false)),
        (
            "/confidence/vantage_state",
            json!({"state": "not_recorded", "means": "-", "networks": 0,
            "readings": 0, "states": {}, "from": []}),
        ),
        ("/freshness/observed_at", json!(null)),
        ("/contradictions", json!(null)),
    ]);
    assert_eq!(with(&changes), DecisionInputs::NOTHING);
}

fn agents(list: &[(&str, bool)]) -> Value {
    list.iter().map(|(agent, may)| json!({"agent": agent, "allowed_homepage": may})).collect()
}

#[test]
fn the_policy_by_agents() {
    for (list, expected) in [
        (&[("*", true), ("GPTBot", true)][..], RobotsPolicy::AllowsAll),
        (&[("GPTBot", true)], RobotsPolicy::AllowsAll),
        (&[("*", true)], RobotsPolicy::AllowsAll),
        (&[("*", false)], RobotsPolicy::DisallowsAll),
        (&[("*", true), ("GPTBot", false)], RobotsPolicy::DisallowsAll),
        (&[("*", false), ("GPTBot", true)], RobotsPolicy::AllowsSome),
        (&[("GPTBot", false), ("ClaudeBot", true)], RobotsPolicy::AllowsSome),
        (&[], RobotsPolicy::NotMeasured),
    ] {
        assert_eq!(with(&[("/crawl_policy/agents", agents(list))]).policy, expected, "{list:?}");
    }
    for (status, expected) in [
        (404, RobotsPolicy::Absent),
        (410, RobotsPolicy::Absent),
        (403, RobotsPolicy::Refused),
        (503, RobotsPolicy::Unreachable),
    ] {
        assert_eq!(with(&[("/crawl_policy/http_status", json!(status))]).policy, expected);
    }
}

#[test]
fn an_unmeasured_policy_is_derived_from_the_status_of_its_file() {
    for (status, expected) in [
        (json!(404), RobotsPolicy::Absent),
        (json!(410), RobotsPolicy::Absent),
        (json!(401), RobotsPolicy::Refused),
        (json!(403), RobotsPolicy::Refused),
        (json!(429), RobotsPolicy::Refused),
        (json!(500), RobotsPolicy::Unreachable),
        (json!(null), RobotsPolicy::Unreachable),
        // There was a response, but it is not a policy.
        (json!(200), RobotsPolicy::NotMeasured),
    ] {
        let read = with(&[
            ("/crawl_policy", unmeasured()),
            ("/machine_files/files/0/status", status.clone()),
        ]);
        assert_eq!(read.policy, expected, "{status}");
    }
    let late = with(&[
        ("/crawl_policy", unmeasured()),
        ("/machine_files/files/0/status", json!(null)),
        (
            "/basis",
            json!({"kind": "just_in_time", "measured_at": "2026-11-15T02:00:00Z", "budget_ms": 1000,
                "took_ms": 999, "not_read_in_budget": ["/robots.txt"], "scope": "-"}),
        ),
    ]);
    assert_eq!(
        late.policy,
        RobotsPolicy::NotMeasured,
        "our own time budget ran out; the site did not fail to answer"
    );
    let none = with(&[("/crawl_policy", unmeasured()), ("/machine_files", unmeasured())]);
    assert_eq!(none.policy, RobotsPolicy::NotMeasured);
}

#[test]
fn what_ai_identities_were_given() {
    use AiDelivery as D;
    // The browser is first in the list and never counts.
    for (first, second, expected) in [
        (("equivalent", json!(200)), ("equivalent", json!(200)), D::All),
        (("equivalent", json!(200)), ("not_served", json!(403)), D::Some),
        (("reduced", json!(200)), ("unmeasured", json!(null)), D::Some),
        (("unmeasured", json!(200)), ("unmeasured", json!(204)), D::All),
        (("not_served", json!(403)), ("not_served", json!(200)), D::Refused),
        (("not_served", json!(403)), ("not_served", json!(null)), D::Refused),
        (("challenged", json!(503)), ("not_served", json!(403)), D::Challenged),
        (("not_served", json!(402)), ("challenged", json!(200)), D::Payment),
        (("unmeasured", json!(402)), ("unmeasured", json!(402)), D::Payment),
        (("not_served", json!(403)), ("unmeasured", json!(null)), D::NoPage),
        (("not_served", json!(404)), ("not_served", json!(500)), D::NoPage),
        (("unmeasured", json!(null)), ("unmeasured", json!(null)), D::NotMeasured),
    ] {
        let read = with(&[
            ("/read_equivalence/identities/0/verdict", json!(first.0)),
            ("/delivery/identities/1/status", first.1.clone()),
            ("/read_equivalence/identities/1/verdict", json!(second.0)),
            ("/delivery/identities/2/status", second.1.clone()),
        ]);
        assert_eq!(read.delivery, expected, "{first:?} {second:?}");
    }
}

#[test]
fn what_the_pages_hold_is_derived_from_delivery() {
    let one = |at: &str, value: Value| with(&[(at, value)]);
    for (state, expected) in [
        ("text", PageContent::Text),
        ("no_text", PageContent::NoText),
        ("not_a_page", PageContent::NotAPage),
        ("a word of a later version", PageContent::NotMeasured),
    ] {
        assert_eq!(one("/delivery/content/state", json!(state)).content, expected);
    }
    assert_eq!(one("/delivery/content", json!(null)).content, PageContent::NotMeasured);
    let walled = one("/delivery/content/paywall", json!(true));
    assert_eq!(walled.paywall, Paywall::Found);
    let actions = decide_actions(&walled);
    assert_eq!(actions.cite.decision, contract::records::Decision::Allow);
    assert!(actions.cite.scope.does_not_cover.contains("subscribers"), "{:?}", actions.cite.scope);
    assert!(actions.cite.doubts.contains(&contract::records::Doubt::Paywall));
    let page = |kept_out: u32, instructions: bool| {
        json!([{"path": "/prices", "browser_served": true, "ai_requested": 3, "ai_kept_out": kept_out,
            "instruction_like_text": instructions}])
    };
    let kept_out = one("/delivery/further_pages", page(1, false));
    assert_eq!(kept_out.further_pages, FurtherPages::KeptOut);
    let hidden = one("/delivery/further_pages", page(0, true));
    assert_eq!(hidden.further_pages, FurtherPages::NoneKeptOut);
    assert_eq!(hidden.instructions, Instructions::FoundOnFurtherPage);
}

#[test]
fn identities_that_are_kept_waiting_are_stalled() {
    // One is kept waiting, and the other was not asked in time.
    let waits = |verdict: &str| {
        with(&[
            ("/delivery/identities/1/blocker", json!("stalled")),
            ("/delivery/identities/1/status", json!(null)),
            ("/delivery/identities/2/status", json!(null)),
            ("/read_equivalence/identities/0/verdict", json!(verdict)),
            ("/read_equivalence/identities/1/verdict", json!(verdict)),
        ])
    };
    assert_eq!(waits("unmeasured").delivery, AiDelivery::Stalled);
}

#[test]
fn every_other_input_is_derived_from_its_section() {
    let one = |at: &str, value: Value| with(&[(at, value)]);
    assert_eq!(one("/dns/exists", json!(false)).name, NameExistence::Missing);
    assert_eq!(one("/dns/exists", json!(null)).name, NameExistence::NotMeasured);
    assert_eq!(
        one("/machine_files/files/1/present", json!(false)).files,
        MachineFilesPresence::Absent,
        "robots.txt is policy"
    );
    assert_eq!(
        one("/machine_files/files/1/present", json!(null)).files,
        MachineFilesPresence::NotMeasured,
        "a request without an answer does not show absence"
    );
    assert_eq!(
        one("/read_equivalence/identities/1/verdict", json!("augmented")).sameness,
        Sameness::Differs
    );
    assert_eq!(
        one("/read_equivalence/identities/0/instruction_like_text", json!(true)).instructions,
        Instructions::Found
    );
    assert_eq!(one("/entity", unmeasured()).entity, EntityObservation::Unobserved);
    assert_eq!(
        one("/contradictions", json!([{"what": "-", "between": [], "why": "-"}])).contradictions,
        Contradictions::Found
    );
    assert_eq!(one("/rights/cite/value", json!("disallowed")).cite, UsageRight::Disallowed);
    // A robots.txt rule keeps agents out; only a statement forbids a use.
    for (signal, expected) in [
        (json!(null), UsageRight::KeptOut),
        (json!("access"), UsageRight::KeptOut),
        (json!("content_signal"), UsageRight::Disallowed),
    ] {
        let inputs = with(&[
            ("/rights/ground/value", json!("disallowed")),
            ("/rights/ground/decided_by/signal", signal),
        ]);
        assert_eq!(inputs.ground, expected);
    }
    assert_eq!(
        one("/rights/transact/value", json!("conditional")).transact,
        UsageRight::Conditional
    );
    for (declared, verified, mismatches, expected) in [
        (0, 0, 0, CapabilityConformance::NoneDeclared),
        (2, 0, 0, CapabilityConformance::Unverified),
        (2, 1, 0, CapabilityConformance::Conformant),
        (2, 1, 1, CapabilityConformance::PartlyConformant),
        (2, 0, 1, CapabilityConformance::Mismatched),
    ] {
        let read = with(&[
            ("/capabilities/declared", json!(declared)),
            ("/capabilities/verified", json!(verified)),
            ("/capabilities/mismatches", json!(mismatches)),
        ]);
        assert_eq!(read.capabilities, expected);
    }
    for (verdict, expected) in [
        ("lookalike", ImpersonationCheck::Clear),
        ("suspected", ImpersonationCheck::Suspected),
        ("of_a_later_version", ImpersonationCheck::NotMeasured),
    ] {
        assert_eq!(one("/impersonation/verdict", json!(verdict)).impersonation, expected);
    }
    for (state, expected) in [
        ("single_vantage", Vantage::Single),
        ("insufficient_samples", Vantage::Single),
        ("network_divergence", Vantage::NetworkDivergence),
        ("regional_divergence", Vantage::RegionalDivergence),
    ] {
        assert_eq!(one("/confidence/vantage_state/state", json!(state)).vantage, expected);
    }
    for (hours, expected) in [
        (24, AgeBand::Within24),
        (25, AgeBand::Within72),
        (72, AgeBand::Within72),
        (73, AgeBand::Within168),
        (168, AgeBand::Within168),
        (169, AgeBand::Older),
    ] {
        assert_eq!(one("/freshness/age_hours", json!(hours)).age, expected);
    }
    assert_eq!(one("/freshness/stale", json!(true)).age, AgeBand::Older);
    assert_eq!(
        one("/incident", json!({"since": "2026-11-15T02:00:00Z", "why": "-"})).incident,
        IncidentReport::Reported
    );
    assert_eq!(
        one("/high_risk_fields", json!({"pending": []})).high_risk,
        HighRiskChange::NonePending
    );
    assert_eq!(
        one(
            "/high_risk_fields",
            json!({"pending": [{"field": "payment", "seen_at": "2026-11-15T02:00:00Z"}]})
        )
        .high_risk,
        HighRiskChange::Pending
    );
    assert_eq!(one("/tls/https", json!(false)).https, Https::No);
    assert_eq!(one("/tls/certificate_holds", json!(false)).https, Https::Broken);
}
