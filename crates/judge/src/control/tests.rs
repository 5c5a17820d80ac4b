use contract::Timestamp;
use contract::records::{ClaimState, ControlEventType, ControlMethod};
use proptest::prelude::*;

use super::*;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

fn at(days: i64) -> Timestamp {
    Timestamp::from_millis(1_790_000_000_000).plus_millis(days * DAY)
}

fn facts() -> RegistryFacts {
    RegistryFacts {
        registrar: Some("Lab Names".to_owned()),
        registrar_iana_id: Some("9999".to_owned()),
        created: Some(at(-900)),
        expires: Some(at(200)),
        transferred_at: None,
        nameservers: vec!["ns1.lab".to_owned(), "ns2.lab".to_owned()],
        status: vec!["active".to_owned()],
    }
}

fn proven() -> Claim {
    accept_proof(&ClaimState::Unproven, ControlMethod::DnsTxt, at(-1), at(0), Some(facts()), "seen")
        .claim
}

fn check(day: i64, reading: ProofReading, registry: RegistryReading) -> Check {
    Check { at: at(day), proof: Some((reading, "what was seen".to_owned())), registry }
}

fn same_registry() -> RegistryReading {
    RegistryReading::Registered(facts())
}

/// Applies readings of the proof on the given days, and returns the claim and the types of the events.
fn after(readings: &[(i64, ProofReading)]) -> (Claim, Vec<String>) {
    let mut claim = proven();
    let mut events = Vec::new();
    for (day, reading) in readings {
        let outcome = apply_check(&claim, &check(*day, *reading, same_registry()));
        events.extend(outcome.changes.iter().map(|change| change.event.to_string()));
        claim = outcome.claim;
    }
    (claim, events)
}

#[test]
fn every_state_and_trigger_has_at_most_one_row() {
    for (number, rule) in TRANSITIONS.iter().enumerate() {
        for other in TRANSITIONS.iter().skip(number + 1) {
            let overlap = rule.from.iter().any(|state| other.from.contains(state));
            assert!(rule.trigger != other.trigger || !overlap, "{rule:?} {other:?}");
        }
        assert!(rule.when.ends_with('.'));
    }
    // Every state is reached by some row.
    for word in ClaimState::WORDS {
        let state = ClaimState::from_word(word).unwrap();
        assert!(TRANSITIONS.iter().any(|rule| rule.to == state), "{word}");
        assert!(describe_state(&state).ends_with('.'));
    }
}

#[test]
fn only_a_new_token_leads_out_of_a_lost_claim() {
    for lost in [
        ClaimState::Lapsed,
        ClaimState::SuspendedTransfer,
        ClaimState::SuspendedExpired,
        ClaimState::Unproven,
    ] {
        let rows = TRANSITIONS.iter().filter(|rule| rule.from.contains(&lost));
        for rule in rows.filter(|rule| rule.trigger != Trigger::FreshProof) {
            let mut claim = proven();
            claim.state = rule.to.clone();
            assert!(!grants_access(&claim, at(0)), "{rule:?}");
        }
    }
}

#[test]
fn a_missing_proof_is_confirmed_then_has_a_grace_period_and_lapses() {
    use ProofReading::{Absent, Present};
    let (claim, events) = after(&[(30, Absent)]);
    assert_eq!((claim.state, events), (ClaimState::Proven, vec!["rechecked".to_owned()]));
    assert_eq!(claim.next_check_at, Some(at(31)));
    let (claim, events) = after(&[(30, Absent), (31, Absent)]);
    assert_eq!(claim.state, ClaimState::ProofMissing);
    assert_eq!(claim.grace_ends_at, Some(at(45)));
    assert_eq!(events, ["rechecked", "proof_missing"]);
    assert!(grants_access(&claim, at(44)) && !grants_access(&claim, at(45)));
    assert_eq!(state_at(&claim, at(45)), ClaimState::Lapsed);
    // Back in time.
    let (claim, events) = after(&[(30, Absent), (31, Absent), (40, Present)]);
    assert_eq!((claim.state, claim.grace_ends_at), (ClaimState::Proven, None));
    assert_eq!(events.last().unwrap(), "rechecked");
    // Back too late: the grace period ends before the proof is looked at.
    let (claim, events) = after(&[(30, Absent), (31, Absent), (46, Present), (50, Present)]);
    assert_eq!((claim.state, claim.next_check_at), (ClaimState::Lapsed, None));
    assert_eq!(events, ["rechecked", "proof_missing", "grace_ended"]);
    // Absent once, present in between, absent again: not confirmed.
    let (claim, _) = after(&[(30, Absent), (31, Present), (61, Absent)]);
    assert_eq!(claim.state, ClaimState::Proven);
}

#[test]
fn an_unreadable_proof_is_not_a_missing_one() {
    use ProofReading::{Absent, Present, Unreadable};
    let (claim, events) = after(&[(30, Unreadable)]);
    assert_eq!((claim.state.clone(), events.len()), (ClaimState::ZoneNotRechecked, 1));
    assert_eq!((claim.grace_ends_at, claim.unreadable_since), (None, Some(at(30))));
    assert!(grants_access(&claim, at(36)) && !grants_access(&claim, at(37)));
    assert_eq!(state_at(&claim, at(59)), ClaimState::ZoneNotRechecked);
    assert_eq!(state_at(&claim, at(60)), ClaimState::Lapsed);
    let (claim, _) = after(&[(30, Unreadable), (31, Unreadable), (32, Present)]);
    assert_eq!((claim.state, claim.unreadable_since), (ClaimState::Proven, None));
    let (claim, events) = after(&[(30, Unreadable), (60, Present)]);
    assert_eq!((claim.state, events.last().unwrap().as_str()), (ClaimState::Lapsed, "lapsed"));
    let (claim, _) = after(&[(30, Unreadable), (31, Absent), (32, Absent)]);
    assert_eq!(claim.state, ClaimState::ProofMissing);
}

#[test]
fn an_overdue_check_ends_access() {
    let claim = proven();
    assert_eq!(state_at(&claim, at(36)), ClaimState::Proven);
    assert!(grants_access(&claim, at(36)));
    assert_eq!(state_at(&claim, at(37)), ClaimState::ZoneNotRechecked);
    assert!(!grants_access(&claim, at(37)));
    // A proof that is still there brings it back: nothing was lost, it was only not looked at.
    let outcome = apply_check(&claim, &check(300, ProofReading::Present, same_registry()));
    assert_eq!(outcome.claim.state, ClaimState::Proven);
}

#[test]
fn the_registry_ends_claims_of_earlier_holders() {
    type Change = fn(&mut RegistryFacts);
    let changes: [(&str, Change); 8] = [
        ("suspended_transfer", |f| f.registrar_iana_id = Some("1".to_owned())),
        ("suspended_transfer", |f| f.created = Some(at(5))),
        ("suspended_transfer", |f| f.transferred_at = Some(at(3))),
        ("suspended_expired", |f| f.status = vec!["redemption period".to_owned()]),
        ("suspended_expired", |f| f.status.push("pending delete".to_owned())),
        ("proof_missing", |f| f.nameservers = vec!["ns1.other.lab".to_owned()]),
        // Nothing of this shows that the domain changed hands.
        ("proven", |f| f.nameservers = vec!["ns2.lab".to_owned(), "ns3.lab".to_owned()]),
        ("proven", |f| {
            f.registrar = Some("LAB NAMES, Inc.".to_owned());
            f.expires = Some(at(900));
            f.created = Some(at(-900).plus_millis(HOUR));
            f.transferred_at = Some(at(-400));
            f.status = vec!["auto renew period".to_owned()];
        }),
    ];
    for (expected, change) in changes {
        let mut now = facts();
        change(&mut now);
        let registry = RegistryReading::Registered(now.clone());
        let outcome = apply_check(&proven(), &check(30, ProofReading::Present, registry.clone()));
        assert_eq!(outcome.claim.state.as_str(), expected, "{now:?}");
        if expected.starts_with("suspended") {
            assert!(!grants_access(&outcome.claim, at(30)));
            // Told once, and the proof that is still there changes nothing.
            let again = apply_check(&outcome.claim, &check(31, ProofReading::Present, registry));
            assert_eq!((again.claim.state, again.changes), (outcome.claim.state, vec![]));
        }
    }
}

#[test]
fn without_ids_of_registrars_their_names_are_compared() {
    let named = |name: &str| RegistryFacts {
        registrar: Some(name.to_owned()),
        registrar_iana_id: None,
        ..facts()
    };
    let mut claim = proven();
    claim.registry = Some(named("Names & More Ltd"));
    for (now, state) in [
        ("NAMES &  MORE LTD.", "proven"),
        ("Names & More", "proven"),
        ("", "proven"),
        ("Other Registrar", "suspended_transfer"),
    ] {
        let registry = RegistryReading::Registered(named(now));
        let outcome = apply_check(&claim, &check(30, ProofReading::Present, registry));
        assert_eq!(outcome.claim.state.as_str(), state, "{now}");
    }
}

#[test]
fn a_registration_that_disappears_is_confirmed_a_day_later() {
    let gone = |claim: &Claim, day| {
        apply_check(claim, &check(day, ProofReading::Present, RegistryReading::NotRegistered))
    };
    let first = gone(&proven(), 30);
    assert_eq!(first.claim.state, ClaimState::Proven);
    assert_eq!(first.claim.next_check_at, Some(at(31)));
    let second = gone(&first.claim, 31);
    assert_eq!(second.claim.state, ClaimState::SuspendedExpired);
    assert_eq!(second.claim.next_check_at, None);
    // One wrong response between right ones is nothing.
    let back = apply_check(&first.claim, &check(31, ProofReading::Present, same_registry()));
    assert_eq!(gone(&back.claim, 32).claim.state, ClaimState::Proven);
    // A registry that never knew the name cannot forget it.
    let mut unknown = proven();
    unknown.registry = None;
    let later = gone(&gone(&unknown, 30).claim, 60);
    assert_eq!(later.claim.state, ClaimState::Proven);
}

#[test]
fn a_token_from_before_other_nameservers_does_not_count() {
    let mut moved = facts();
    moved.nameservers = vec!["ns1.other.lab".to_owned()];
    let registry = || RegistryReading::Registered(moved.clone());
    let outcome = apply_check(&proven(), &check(30, ProofReading::Present, registry()));
    assert_eq!(outcome.claim.state, ClaimState::ProofMissing);
    assert_eq!(outcome.claim.grace_ends_at, Some(at(44)));
    let later = apply_check(&outcome.claim, &check(40, ProofReading::Present, registry()));
    assert_eq!(later.claim.state, ClaimState::ProofMissing);
    assert_eq!(later.claim.grace_ends_at, Some(at(44)));
    let over = apply_check(&later.claim, &check(44, ProofReading::Present, registry()));
    assert_eq!(over.claim.state, ClaimState::Lapsed);
}

#[test]
fn operators_and_claimants_end_claims() {
    let ended = apply_trigger(&proven(), Trigger::SuspendedByOperator, at(3), "why");
    assert_eq!(ended.claim.state, ClaimState::Lapsed);
    assert_eq!(ended.changes[0].event, ControlEventType::Suspended);
    let withdrawn = apply_trigger(&ended.claim, Trigger::Withdrawn, at(4), "why");
    assert_eq!(withdrawn.claim.state, ClaimState::Unproven);
    assert!(apply_trigger(&withdrawn.claim, Trigger::Withdrawn, at(5), "why").changes.is_empty());
    let unread =
        apply_check(&withdrawn.claim, &check(6, ProofReading::Present, RegistryReading::Unknown));
    assert_eq!((unread.claim.state, unread.changes), (ClaimState::Unproven, vec![]));
}

#[test]
fn access_that_was_lost_by_time_comes_back_with_a_proof_only() {
    use ProofReading::{Absent, Present, Unreadable};
    for readings in [
        vec![(90, Absent)],
        vec![(90, Absent), (91, Absent)],
        vec![(90, Unreadable)],
        vec![(5, Unreadable), (20, Absent), (21, Absent)],
    ] {
        let (claim, _) = after(&readings);
        let (last, _) = *readings.last().unwrap();
        assert!(!grants_access(&claim, at(last)), "{readings:?}");
    }
    let (claim, _) = after(&[(90, Absent), (91, Absent), (92, Present)]);
    assert!(grants_access(&claim, at(92)));
}

#[test]
fn the_best_claim_leads_and_of_several_the_oldest() {
    let with = |state: ClaimState, day: i64| {
        let mut claim = proven();
        claim.claimed_at = at(day);
        claim.state = state;
        claim.grace_ends_at = Some(at(10));
        claim.unreadable_since = Some(at(0));
        claim
    };
    let claims = [
        with(ClaimState::Lapsed, -9),
        with(ClaimState::ProofMissing, -8),
        with(ClaimState::Proven, -2),
        with(ClaimState::Proven, -3),
    ];
    assert_eq!(leading_claim(&claims, at(1)), Some(3));
    assert_eq!(leading_claim(&claims[..2], at(1)), Some(1));
    assert_eq!(leading_claim(&[], at(1)), None);
    let issuer = contract::Issuer::new(contract::Brand::default(), "https://svc.example");
    let domain = contract::Domain::parse("open.com", &contract::NamePolicy::default()).unwrap();
    let organizations = [None, None, Some("Second".to_owned()), Some("First".to_owned())];
    let summary = control_summary(&domain, &claims, &organizations, at(1), &issuer);
    assert_eq!((summary.state, summary.proofs.len()), (ClaimState::Proven, 2));
    assert_eq!(summary.organization.as_deref(), Some("First"));
    let lost = control_summary(&domain, &claims[..1], &organizations, at(1), &issuer);
    assert_eq!((lost.state, lost.proofs.len(), lost.organization), (ClaimState::Lapsed, 0, None));
}

/// One step of a random life of a domain.
#[derive(Debug, Clone)]
enum Step {
    Wait(i64),
    /// Somebody proves control with a new token.
    Prove,
    /// All claims are checked.
    Check(ProofReading, u8),
    Withdraw,
    Suspend,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let reading = prop_oneof![
        3 => Just(ProofReading::Present),
        2 => Just(ProofReading::Absent),
        2 => Just(ProofReading::Unreadable),
    ];
    let step = prop_oneof![
        4 => (1..1000_i64).prop_map(Step::Wait),
        1 => Just(Step::Prove),
        6 => (reading, 0..8_u8).prop_map(|(reading, registry)| Step::Check(reading, registry)),
        1 => Just(Step::Withdraw),
        1 => Just(Step::Suspend),
    ];
    proptest::collection::vec(step, 1..60)
}

fn registry_of(number: u8, now: Timestamp) -> RegistryReading {
    let mut found = facts();
    match number {
        0 => return RegistryReading::Unknown,
        1 => return RegistryReading::NotRegistered,
        2 => found.registrar_iana_id = Some("7".to_owned()),
        3 => found.created = Some(now),
        4 => found.status = vec!["pending delete".to_owned()],
        5 => found.nameservers = vec!["elsewhere.lab".to_owned()],
        _ => {}
    }
    RegistryReading::Registered(found)
}

proptest! {
    /// Whatever happens, a claim that was lost once never gives access again, access ends without proofs, and
    /// the times of a claim fit its state.
    #[test]
    fn no_sequence_gives_access_without_a_valid_proof_after_the_last_loss(steps in steps()) {
        let mut now = at(0);
        let mut claims: Vec<(Claim, bool)> = Vec::new();
        let mut no_access_since = std::collections::HashMap::new();
        for step in steps {
            match step {
                Step::Wait(hours) => now = now.plus_millis(hours * HOUR),
                Step::Prove => {
                    // Claims are told apart by their time.
                    now = now.plus_millis(1000);
                    let before = claims.last().map_or(ClaimState::Unproven, |(claim, _)| claim.state.clone());
                    let outcome = accept_proof(&before, ControlMethod::MetaTag, now, now, Some(facts()), "seen");
                    claims.push((outcome.claim, false));
                }
                Step::Check(reading, registry) => {
                    for (claim, _) in &mut claims {
                        let check = Check { at: now, proof: Some((reading, String::new())), registry: registry_of(registry, now) };
                        let outcome = apply_check(claim, &check);
                        // Each step follows the one before, and every one of them is in the table or changes nothing.
                        let mut state = claim.state.clone();
                        for change in &outcome.changes {
                            prop_assert_eq!(&change.from, &state);
                            let listed = TRANSITIONS.iter().any(|rule| {
                                rule.from.contains(&change.from) && rule.to == change.to && rule.event == change.event
                            });
                            prop_assert!(listed || change.from == change.to, "{:?}", change);
                            state = change.to.clone();
                        }
                        prop_assert_eq!(&state, &outcome.claim.state);
                        *claim = outcome.claim;
                    }
                }
                Step::Withdraw | Step::Suspend => {
                    let trigger = if matches!(step, Step::Withdraw) { Trigger::Withdrawn } else { Trigger::SuspendedByOperator };
                    if let Some((claim, _)) = claims.last_mut() {
                        *claim = apply_trigger(claim, trigger, now, "why").claim;
                    }
                }
            }
            for (claim, was_lost) in &mut claims {
                let lost = matches!(
                    claim.state,
                    ClaimState::Lapsed | ClaimState::SuspendedTransfer | ClaimState::SuspendedExpired | ClaimState::Unproven
                );
                *was_lost |= lost;
                // A proof that was read again after a time without access gives it back; nothing else does.
                let access = grants_access(claim, now);
                prop_assert!(!(access && *was_lost), "{:?}", claim);
                if let Some(since) = no_access_since.get(&claim.claimed_at.as_millis()) {
                    prop_assert!(!access || claim.last_verified_at >= *since, "{:?}", claim);
                }
                if access {
                    no_access_since.remove(&claim.claimed_at.as_millis());
                } else {
                    no_access_since.entry(claim.claimed_at.as_millis()).or_insert(now);
                }
                prop_assert!(!access || now.millis_since(claim.last_verified_at) <= 60 * DAY, "{:?}", claim);
                prop_assert_eq!(claim.next_check_at.is_none(), lost);
                prop_assert_eq!(claim.grace_ends_at.is_some(), claim.state == ClaimState::ProofMissing);
                prop_assert!(claim.state != ClaimState::ZoneNotRechecked || claim.unreadable_since.is_some());
            }
        }
    }
}
