//! The chain and the lists on a real store, and what a new answer revokes.

use contract::records::{
    Decision, HighRiskField, HighRiskFields, Impersonation, ImpersonationVerdict, Incident,
    ResolveAnswer, RevocationList, Section,
};
use proof::Digest;
use store::{NewRevocation, WithheldActions};

use super::*;
use crate::Service;
use crate::testing::{example_answer, key_policy, now, start_service, stop_service};

const HOUR: i64 = 3_600_000;

/// An answer that allows all that can be allowed, observed an hour ago.
fn open() -> ResolveAnswer {
    let mut answer = example_answer();
    answer.sha256 = Some(Digest::of(b"before").to_hex());
    answer.freshness.observed_at = Some(now().plus_millis(-HOUR));
    answer.actions.read.decision = Decision::Allow;
    answer.actions.cite.decision = Decision::Warn;
    answer.actions.connect.decision = Decision::Unsupported;
    answer.actions.transact.decision = Decision::RequireConfirmation;
    let body = match answer.impersonation.body() {
        Some(body) => Impersonation { verdict: ImpersonationVerdict::NoLookalike, ..body.clone() },
        None => panic!("the example has this section"),
    };
    answer.impersonation = Section::Observed { observed_at: now(), body };
    answer
}

fn suspected(mut answer: ResolveAnswer) -> ResolveAnswer {
    let body = answer.impersonation.body().cloned().unwrap();
    let body = Impersonation { verdict: ImpersonationVerdict::Suspected, ..body };
    answer.impersonation = Section::Observed { observed_at: now(), body };
    answer
}

#[test]
fn a_fresh_decision_that_becomes_stricter_is_revoked_once() {
    let before = open();
    assert_eq!(
        revocations_by_answer(Some(&before), &before, None, &[], now()),
        AnswerRevocations::default()
    );
    let mut after = open();
    after.actions.read.decision = Decision::Block;
    after.actions.cite.decision = Decision::Block;
    // A decision that allowed nothing is not revoked.
    after.actions.connect.decision = Decision::Block;
    after.actions.transact.decision = Decision::Block;
    let entries = revocations_by_answer(Some(&before), &after, None, &[], now());
    let [entry] = &entries.revocations[..] else { panic!("{entries:?}") };
    assert_eq!((entry.kind.as_str(), entry.reason.as_str()), ("tightened", "site_changed"));
    assert_eq!(entry.actions, ["read", "cite"]);
    assert_eq!(Some(&entry.target_id), before.sha256.as_ref());
    assert_eq!(entries.withheld_actions, vec![]);
    let named = entries.with_replacement(Digest::of(b"after"));
    assert_eq!(named.revocations[0].replaced_by, Some(Digest::of(b"after")));

    // An answer that is no longer fresh causes no revocation.
    let mut old = before.clone();
    old.freshness.observed_at = Some(now().plus_millis(-169 * HOUR));
    assert_eq!(
        revocations_by_answer(Some(&old), &after, None, &[], now()),
        AnswerRevocations::default()
    );
    // With other rules, the site need not have changed.
    after.code.decision_rules_sha256 = "0".repeat(64);
    let entries = revocations_by_answer(Some(&before), &after, None, &[], now());
    assert_eq!(entries.revocations[0].reason, "unspecified");
}

#[test]
fn causes_withhold_and_their_end_gives_free_and_reading_never_is() {
    let calm = open();
    let mut incident = open();
    incident.incident = Some(Incident { since: now(), ends_at: None, why: "stolen".to_owned() });
    let mut pending = open();
    let field = HighRiskField { field: "dns.ns".to_owned(), seen_at: now() };
    pending.high_risk_fields = Some(HighRiskFields { pending: vec![field] });
    for (after, cause) in [
        (suspected(open()), "impersonation_suspected"),
        (incident, "incident_reported"),
        (pending, "high_risk_pending"),
    ] {
        let entries = revocations_by_answer(None, &after, None, &[], now());
        let ([entry], [standing]) = (&entries.revocations[..], &entries.withheld_actions[..])
        else {
            panic!("{entries:?}")
        };
        assert_eq!((entry.kind.as_str(), entry.target_kind.as_str()), ("suspended", "domain"));
        assert_eq!(standing.causes, [cause]);
        assert_eq!(standing.actions, ["connect", "transact", "administer"]);
        // The same causes again give no new entry.
        let again = revocations_by_answer(Some(&after), &after, Some(standing), &[], now());
        assert_eq!(again, AnswerRevocations::default(), "{cause}");
        let freed = revocations_by_answer(Some(&after), &calm, Some(standing), &[], now());
        assert_eq!(freed.revocations[0].kind, "reinstated");
        assert!(!freed.withheld_actions[0].is_in_force());
    }
}

#[test]
fn a_suspicion_stays_until_impersonation_is_measured_again() {
    let entries = revocations_by_answer(None, &suspected(open()), None, &[], now());
    let mut unread = open();
    unread.impersonation = Section::NotMeasured {
        observed_at: None,
        why: "impersonation was not measured".to_owned(),
    };
    let revocations =
        revocations_by_answer(None, &unread, Some(&entries.withheld_actions[0]), &[], now());
    assert_eq!(revocations, AnswerRevocations::default());
}

fn entry(number: i64, name: &str) -> NewRevocation {
    NewRevocation {
        at: now().plus_millis(number * 1000),
        effective_from: now(),
        kind: "tightened".to_owned(),
        target_kind: "answer".to_owned(),
        target_id: Digest::of(&number.to_be_bytes()).to_hex(),
        domain: Some(domain(name)),
        actions: vec!["read".to_owned()],
        reason: "site_changed".to_owned(),
        why: format!("number {number}"),
        replaced_by: None,
    }
}

fn domain(name: &str) -> Domain {
    store::scans::parse_stored_domain(name).unwrap()
}

fn standing(name: &str, causes: &[&str], at: i64) -> WithheldActions {
    WithheldActions {
        domain: domain(name),
        actions: ["connect", "transact", "administer"].map(str::to_owned).to_vec(),
        causes: causes.iter().map(|cause| (*cause).to_owned()).collect(),
        state: "suspended".to_owned(),
        since: now().plus_millis(at),
        updated_at: now().plus_millis(at),
    }
}

async fn list(service: &Service, from: RevocationsStart, limit: usize) -> RevocationList {
    let ask = RevocationsPageQuery { from, limit, ..RevocationsPageQuery::default() };
    let signed = service.answers.revocation_list(ask).await.unwrap();
    serde_json::from_slice(&signed.bytes).unwrap()
}

#[tokio::test]
async fn the_list_is_signed_and_its_chain_recomputes_from_what_is_served() {
    let dir = tempfile::tempdir().unwrap();
    let service = start_service(dir.path(), Vec::new()).await;
    crate::testing::seal_build(&service, 1).await;
    let empty = list(&service, RevocationsStart::Newest, 100).await;
    assert_eq!((empty.seq, empty.head, empty.cursor.as_str()), (0, None, "r1-0"));
    assert!(empty.delta_complete && empty.entries.is_empty() && empty.coverage.complete);

    let new = (1..=7).map(|number| entry(number, "shop.lab")).collect();
    let standings =
        vec![standing("shop.lab", &["high_risk_pending"], 0), standing("calm.lab", &[], 0)];
    service.store.append_revocations(new, standings).await.unwrap();
    let signed = service.answers.revocation_list(RevocationsPageQuery::default()).await.unwrap();
    let document: serde_json::Value = serde_json::from_slice(&signed.bytes).unwrap();
    let brand = service.brand();
    let verdict = proof::verify_document(&signed.bytes, &key_policy(dir.path()), brand);
    assert!(verdict.accepted(), "{verdict:?}");
    // The chain can be recomputed from the served page alone.
    let mut prev = serde_json::Value::Null;
    for entry in document["entries"].as_array().unwrap() {
        let mut bare = entry.as_object().unwrap().clone();
        let digest = bare.remove("entry_sha256").unwrap();
        assert_eq!(bare["prev"], prev);
        let bytes = proof::canonical::value_to_vec(&bare.into()).unwrap();
        assert_eq!(digest, Digest::of(&bytes).to_hex());
        prev = digest;
    }
    assert_eq!(document["head"]["entry_sha256"], prev);
    assert_eq!(document["revoked"].as_array().unwrap().len(), 1);
    assert_eq!(document["revoked"][0]["domain"], "shop.lab");
    let actions = document["revoked"][0]["actions"].to_string();
    assert!(!actions.contains("read") && !actions.contains("cite"), "{actions}");
    // No new entry: the same document.
    let again = service.answers.revocation_list(RevocationsPageQuery::default()).await.unwrap();
    assert_eq!(again.bytes, signed.bytes);
    service.store.append_revocations(vec![entry(8, "shop.lab")], vec![]).await.unwrap();
    let newer = service.answers.revocation_list(RevocationsPageQuery::default()).await.unwrap();
    assert_ne!(newer.digest, signed.digest, "a new entry is listed at once");
    stop_service(service).await;
}

#[tokio::test]
async fn pages_go_from_cursor_to_cursor_and_forged_ones_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let service = start_service(dir.path(), Vec::new()).await;
    let names = ["a.lab", "b.lab"];
    let new = (1..=25).map(|n| entry(n, names[usize::from(n % 2 == 0)])).collect();
    service.store.append_revocations(new, vec![]).await.unwrap();
    let (mut cursor, mut read) = ("r1-0".to_owned(), Vec::new());
    loop {
        let page = list(&service, RevocationsStart::Cursor(cursor.clone()), 10).await;
        assert_eq!(page.from_cursor.as_ref(), Some(&cursor));
        read.extend(page.entries.iter().map(|entry| entry.seq));
        cursor.clone_from(&page.cursor);
        if !page.has_more {
            break;
        }
    }
    assert_eq!(read, (1..=25).collect::<Vec<_>>());
    let newest = list(&service, RevocationsStart::Newest, 10).await;
    let seqs: Vec<u64> = newest.entries.iter().map(|entry| entry.seq).collect();
    assert_eq!((seqs, newest.has_more), ((16..=25).collect(), false));
    // The cursor of a filtered page is the end of the chain, so that no entry is examined twice.
    let ask = RevocationsPageQuery {
        from: RevocationsStart::Cursor("r1-0".to_owned()),
        domain: Some(domain("a.lab")),
        ..RevocationsPageQuery::default()
    };
    let of_one = service.answers.revocation_list(ask).await.unwrap();
    let of_one: RevocationList = serde_json::from_slice(&of_one.bytes).unwrap();
    assert_eq!((of_one.entries.len(), &of_one.cursor), (13, &cursor));

    let forged = format!("{}0000", cursor.get(..cursor.len() - 4).unwrap());
    for bad in ["", "x", "r1-26-0123456789abcdef", "r1-3-0123456789abcdef", forged.as_str()] {
        let ask = RevocationsPageQuery {
            from: RevocationsStart::Cursor(bad.to_owned()),
            ..RevocationsPageQuery::default()
        };
        let refused = service.answers.revocation_list(ask).await.unwrap_err();
        assert_eq!(refused, RevocationsError::BadCursor, "{bad}");
    }
    stop_service(service).await;
}

#[tokio::test]
async fn a_delta_has_the_changes_and_whether_it_is_complete() {
    let dir = tempfile::tempdir().unwrap();
    let service = start_service(dir.path(), Vec::new()).await;
    crate::testing::seal_build(&service, 1).await;
    let minute = 60_000;
    let standings = vec![
        standing("old.lab", &["incident_reported"], -30 * minute),
        standing("new.lab", &["incident_reported"], -2 * minute),
        standing("freed.lab", &[], -2 * minute),
        standing("freed-long-ago.lab", &[], -30 * minute),
    ];
    service.store.append_revocations(vec![], standings).await.unwrap();
    let names = |list: &RevocationList| {
        let revoked = list.revoked.iter().map(|of| of.domain.to_string()).collect::<Vec<_>>();
        let cleared = list.cleared.iter().map(|of| of.domain.to_string()).collect::<Vec<_>>();
        (revoked, cleared)
    };
    let whole = list(&service, RevocationsStart::Newest, 9).await;
    assert_eq!(names(&whole), (vec!["new.lab".into(), "old.lab".into()], vec![]));
    assert_eq!((whole.since, whole.delta_complete), (None, true));
    let since = now().plus_millis(-5 * minute);
    let delta = list(&service, RevocationsStart::Since(since), 9).await;
    assert_eq!(names(&delta), (vec!["new.lab".into()], vec!["freed.lab".into()]));
    assert_eq!(delta.since, Some(since));
    assert!(!delta.delta_complete, "the log began after that");
    // An entry that was being stored when a list was made is in the next delta.
    let since = now().plus_millis(-minute - 30_000);
    let delta = list(&service, RevocationsStart::Since(since), 9).await;
    assert_eq!(delta.revoked.len(), 1);
    let since = now();
    let delta = list(&service, RevocationsStart::Since(since), 9).await;
    assert!(delta.delta_complete && delta.revoked.is_empty(), "{delta:?}");
    let ask = RevocationsPageQuery {
        from: RevocationsStart::Since(now().plus_millis(HOUR)),
        ..RevocationsPageQuery::default()
    };
    assert_eq!(
        service.answers.revocation_list(ask).await.unwrap_err(),
        RevocationsError::FutureTime
    );
    // Actions withheld for a domain are withheld for its subdomains too.
    let under =
        service.answers.find_revocation_state(&domain("www2.shop.new.lab")).await.unwrap().0;
    assert_eq!(under.map(|of| of.domain), Some(domain("new.lab")));
    assert_eq!(service.answers.find_revocation_state(&domain("freed.lab")).await.unwrap().0, None);
    stop_service(service).await;
}
