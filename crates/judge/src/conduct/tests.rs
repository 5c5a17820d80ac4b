use contract::Timestamp;
use contract::records::{ConductRecord, Purpose, SiteChecks};

use super::*;

fn at(text: &str) -> Timestamp {
    Timestamp::from_rfc3339(text).unwrap()
}

fn seen(claim: Claim, time: &str) -> Sighting<'static> {
    Sighting {
        claim,
        at: Some(at(time)),
        is_robots_txt: false,
        is_conditional: false,
        broken_rule: None,
    }
}

fn counted(tally: ConductTally<&'static str>) -> AgentCounts {
    tally.finish().next().unwrap().1
}

fn record_of(facts: AgentFacts, counts: AgentCounts) -> ConductRecord {
    let inputs = RecordInputs {
        kind: "svc-conduct".to_owned(),
        generated_at: at("2026-11-17T00:00:00Z"),
        population: "Agents on this site.".to_owned(),
        disallowed_rules: vec!["/trap/".to_owned()],
        has_robots_txt: true,
        measured_since: at("2026-11-01T00:00:00Z"),
    };
    let site_checks = SiteChecks { checked: 3, verified: 2, spoofed: 1 };
    build_record(inputs, vec![CountedAgent { facts, counts, site_checks }])
}

fn crawler() -> AgentFacts {
    AgentFacts {
        agent: "GPTBot".to_owned(),
        operator: "OpenAI".to_owned(),
        purpose: Purpose::Training,
        user_triggered: false,
        why_unverifiable: None,
    }
}

fn sixty_verified() -> ConductTally<&'static str> {
    let mut tally = ConductTally::default();
    for second in 0..60 {
        let time = format!("2026-11-16T12:00:{second:02}Z");
        tally.add("GPTBot", &seen(Claim::Verified, &time));
    }
    tally
}

#[test]
fn counts_become_the_record() {
    let mut tally = sixty_verified();
    tally.add(
        "GPTBot",
        &Sighting { is_robots_txt: true, ..seen(Claim::Verified, "2026-11-15T08:00:00Z") },
    );
    tally.add(
        "GPTBot",
        &Sighting { is_conditional: true, ..seen(Claim::Verified, "2026-11-16T13:00:00Z") },
    );
    tally.add("GPTBot", &seen(Claim::Forged, "2026-11-16T13:00:00Z"));
    insta::assert_json_snapshot!(record_of(crawler(), counted(tally)));
}

#[test]
fn a_disallowed_fetch_is_a_violation_of_crawlers_only() {
    let broken =
        Sighting { broken_rule: Some("/trap/"), ..seen(Claim::Verified, "2026-11-16T13:00:00Z") };
    let mut tally = sixty_verified();
    tally.add("GPTBot", &broken);
    let counts = counted(tally);
    let record = record_of(crawler(), counts.clone());
    assert_eq!(record.agents[0].conduct.as_str(), "violations_observed");
    assert_eq!(record.agents[0].robots_txt.disallowed_rules, ["/trap/"]);
    let on_request = AgentFacts { user_triggered: true, ..crawler() };
    let record = record_of(on_request, counts);
    assert_eq!(record.agents[0].conduct.as_str(), "no_violations_observed");
    assert_eq!(record.agents[0].robots_txt.verdict.as_str(), "not_measured");
    assert_eq!(record.agents[0].robots_txt.disallowed_fetches, 1);
}

#[test]
fn what_impersonators_do_is_not_held_against_the_agent() {
    let mut tally = sixty_verified();
    for _ in 0..100 {
        let forged = Sighting {
            broken_rule: Some("/trap/"),
            is_robots_txt: true,
            is_conditional: true,
            ..seen(Claim::Forged, "2026-11-16T12:30:00Z")
        };
        tally.add("GPTBot", &forged);
        tally.add("GPTBot", &Sighting { claim: Claim::Unverifiable, ..forged });
    }
    let record = record_of(crawler(), counted(tally));
    let agent = &record.agents[0];
    assert_eq!(agent.conduct.as_str(), "no_violations_observed");
    assert_eq!((agent.robots_txt.robots_txt_fetches, agent.robots_txt.disallowed_fetches), (0, 0));
    assert_eq!(agent.rate.peak_requests_per_minute, 60);
    assert_eq!(agent.identity.forged_claims, 100);
    assert_eq!(agent.identity.forgery_share.get(), 0.625);
}

#[test]
fn agents_that_cannot_be_judged_are_named_with_the_reason() {
    let mut tally = ConductTally::default();
    tally.add("GPTBot", &seen(Claim::Verified, "2026-11-16T12:30:00Z"));
    tally.add("GPTBot", &seen(Claim::Forged, "2026-11-16T12:30:00Z"));
    let counts = counted(tally);
    let few = record_of(crawler(), counts.clone());
    assert!(few.agents.is_empty());
    assert_eq!(few.not_assessed[0].why, "1 verified request; at least 50 are needed.");
    assert_eq!(few.not_assessed[0].claimed_hits, 2);
    let why = AgentFacts::no_addresses("GPTBot", "OpenAI");
    let unknown = record_of(AgentFacts { why_unverifiable: Some(why), ..crawler() }, counts);
    assert_eq!(
        unknown.not_assessed[0].why,
        "OpenAI publishes no addresses of GPTBot, so it cannot be told from an impersonator."
    );
    let never_seen = record_of(crawler(), AgentCounts::default());
    assert!(never_seen.not_assessed.is_empty());
}

#[test]
fn ended_minutes_keep_their_peak() {
    let mut tally = sixty_verified();
    let minute = at("2026-11-16T12:00:00Z").as_millis() / 60_000;
    tally.end_minutes_before(minute);
    tally.add("GPTBot", &seen(Claim::Verified, "2026-11-16T12:00:59Z"));
    tally.end_minutes_before(minute + 1);
    tally.add("GPTBot", &seen(Claim::Verified, "2026-11-16T12:01:00Z"));
    let so_far: Vec<AgentCounts> = tally.counts_so_far().map(|(_, counts)| counts).collect();
    assert_eq!(so_far, [counted(tally)]);
    assert_eq!(so_far[0].peak, Some(Peak { requests: 61, minute }));
    assert_eq!(so_far[0].verified, 62);
}

proptest::proptest! {
    /// The order of lines, and how they are divided among threads, changes nothing.
    #[test]
    fn the_order_of_requests_does_not_matter(
        minutes in proptest::collection::vec((0_i64..50, 0_u8..3, proptest::bool::ANY), 1..200),
        split in 0_usize..200,
    ) {
        let sighting = |&(minute, claim, flag): &(i64, u8, bool)| Sighting {
            claim: [Claim::Verified, Claim::Forged, Claim::Unverifiable][usize::from(claim)],
            at: Some(Timestamp::from_millis(minute * 60_000)),
            is_robots_txt: flag,
            is_conditional: !flag,
            broken_rule: flag.then_some("/x"),
        };
        let mut forwards = ConductTally::default();
        minutes.iter().for_each(|one| forwards.add("a", &sighting(one)));
        let (first, second) = minutes.split_at(split.min(minutes.len()));
        let mut backwards = ConductTally::default();
        let mut other = ConductTally::default();
        first.iter().rev().for_each(|one| backwards.add("a", &sighting(one)));
        second.iter().rev().for_each(|one| other.add("a", &sighting(one)));
        backwards.merge(other);
        proptest::prop_assert_eq!(counted(forwards), counted(backwards));
    }
}
