//! Many makers of answers about the same domains at once, with a clock that jumps: the answers form one
//! sequence, and what was revoked follows from that sequence alone.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use bytes::Bytes;
use contract::records::{Impersonation, ImpersonationVerdict, ResolveAnswer, Section};
use contract::{Clock, Domain, Timestamp};
use judge::resolve::Sections;
use proptest::prelude::*;
use store::{Predecessor, RevocationsQuery, StoredReading};

use super::build_answer::NewReading;
use crate::Service;
use crate::answers::revocations::is_stricter;
use crate::log::{AnswerContext, SealError};
use crate::testing::{build_service_with_clock, example_answer, now, open_log, sample_answer};

const HOUR: i64 = 3_600_000;

/// Later than the keys' start time by more than the clock is ever set back.
fn base() -> i64 {
    now().as_millis() + 3 * HOUR
}

#[derive(Debug)]
struct JumpingClock(AtomicI64);

impl Clock for JumpingClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

async fn start(dir: &std::path::Path, millis: i64) -> (Arc<Service>, Arc<JumpingClock>) {
    let clock = Arc::new(JumpingClock(AtomicI64::new(millis)));
    let service = build_service_with_clock(dir, Vec::new(), Arc::clone(&clock) as Arc<dyn Clock>);
    open_log(&service, dir).await.unwrap();
    (Arc::new(service), clock)
}

/// What a maker does: about which domain, whether its reading raises a suspicion, and the time of the
/// clock. `None`: it serves what is stored.
type Step = (usize, Option<bool>, i64);

/// A reading of the example's site that raises a suspicion or none, with a report of its own.
fn reading(domain: &Domain, id: String, suspected: bool, at: Timestamp) -> NewReading {
    // A site that raises a suspicion also forbids its home page here, so that reading gets stricter.
    let mut example = serde_json::to_value(example_answer()).unwrap();
    for agent in example["crawl_policy"]["agents"].as_array_mut().unwrap() {
        agent["allowed_homepage"] = (!suspected).into();
    }
    let mut answer: ResolveAnswer = serde_json::from_value(example).unwrap();
    let body = answer.impersonation.body().cloned().unwrap();
    let verdict = match suspected {
        true => ImpersonationVerdict::Suspected,
        false => ImpersonationVerdict::NoLookalike,
    };
    answer.impersonation =
        Section::Observed { observed_at: at, body: Impersonation { verdict, ..body } };
    answer.freshness.observed_at = Some(at);
    answer.evidence.report = Some(id.clone());
    answer.domain = domain.clone();
    let reading = StoredReading {
        id,
        domain: domain.clone(),
        observed_at: at,
        network: "here".to_owned(),
        basis: "scan".to_owned(),
        scan_id: Some("scan".to_owned()),
        completed: true,
        fields: Bytes::from_static(b"{}"),
        record: Bytes::new(),
    };
    NewReading { sections: Sections::from_answer(answer), reading, robots: None }
}

async fn run_maker(
    service: Arc<Service>,
    clock: Arc<JumpingClock>,
    maker: usize,
    steps: Vec<Step>,
) {
    for (number, (domain, made, at)) in steps.into_iter().enumerate() {
        let (_, domain) = sample_answer(domain);
        clock.0.store(base() + at, Ordering::SeqCst);
        let answers = &service.answers;
        match made {
            Some(suspected) => {
                let at = clock.now().whole_seconds();
                let new = reading(&domain, format!("r{maker}-{number}"), suspected, at);
                let facts = answers.load_stored_facts(&domain, false).await;
                answers.seal_new_reading(new, facts, None).await.unwrap();
            }
            None => drop(answers.serve_kept(&domain, None).await),
        }
    }
}

/// All stored answers by domain, in the order in which the log stored them.
async fn stored_answers(service: &Service) -> BTreeMap<Domain, Vec<ResolveAnswer>> {
    let mut all: BTreeMap<Domain, Vec<ResolveAnswer>> = BTreeMap::new();
    for stored in service.store.export_answers(None, usize::MAX).await.unwrap() {
        let answer: ResolveAnswer = serde_json::from_slice(&stored.bytes).unwrap();
        all.entry(stored.domain).or_default().push(answer);
    }
    all
}

fn is_suspected(answer: &ResolveAnswer) -> bool {
    answer.impersonation.body().unwrap().verdict == ImpersonationVerdict::Suspected
}

/// What the chain of revocations must have for these answers, as (kind, target, replaced by).
fn expected_entries(answers: &[ResolveAnswer]) -> Vec<(String, String, Option<String>)> {
    let mut expected = Vec::new();
    let mut withheld = false;
    for (number, answer) in answers.iter().enumerate() {
        if let Some(before) = number.checked_sub(1).map(|before| &answers[before])
            && is_stricter(before, answer)
        {
            let target = before.sha256.clone().unwrap();
            expected.push(("tightened".to_owned(), target, answer.sha256.clone()));
        }
        if is_suspected(answer) != withheld {
            withheld = !withheld;
            let kind = if withheld { "suspended" } else { "reinstated" };
            expected.push((kind.to_owned(), answer.domain.to_string(), None));
        }
    }
    expected
}

/// Returns how many entries say that an answer became stricter.
async fn check_sequence(service: &Service) -> usize {
    let query = RevocationsQuery { after: Some(0), limit: 10_000, ..RevocationsQuery::default() };
    let entries = service.store.revocations(query).await.unwrap();
    let mut count = 0;
    for (domain, answers) in stored_answers(service).await {
        let found: Vec<_> = entries
            .iter()
            .filter(|stored| stored.entry.domain.as_ref() == Some(&domain))
            .map(|stored| {
                let entry = &stored.entry;
                let replaced_by = entry.replaced_by.map(|digest| digest.to_hex());
                (entry.kind.clone(), entry.target_id.clone(), replaced_by)
            })
            .collect();
        assert_eq!(found, expected_entries(&answers), "{domain}");
        count += found.len();
        let last = answers.last().unwrap();
        let withheld = service.store.withheld_actions_for(&domain).await.unwrap();
        assert_eq!(withheld.is_some_and(|withheld| withheld.is_in_force()), is_suspected(last));
        let latest = service.store.latest_answer(&domain).await.unwrap().unwrap();
        assert_eq!(Some(latest.sha256.to_hex()), last.sha256);
    }
    assert_eq!(count, entries.len());
    entries.iter().filter(|stored| stored.entry.kind == "tightened").count()
}

async fn check_makers(makers: Vec<Vec<Step>>) -> usize {
    let dir = tempfile::tempdir().unwrap();
    let (service, clock) = start(dir.path(), base()).await;
    let tasks: Vec<_> = makers
        .into_iter()
        .enumerate()
        .map(|(maker, steps)| {
            tokio::spawn(run_maker(Arc::clone(&service), Arc::clone(&clock), maker, steps))
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let count = check_sequence(&service).await;
    // What is cached is the latest answer too. Only if the clock was set back before the latest was made,
    // it may be an earlier one: made again in the same second, it is the same answer, which is stored once.
    for (domain, answers) in stored_answers(&service).await {
        let Some(cached) = service.answers.cached_answer(&domain) else { continue };
        let (digest, last) = (Some(cached.sha256.to_hex()), answers.last().unwrap());
        let is_of_the_future = clock.now().millis_since(last.answered_at) < -60_000;
        let is_made_again = is_of_the_future && answers.iter().any(|one| one.sha256 == digest);
        assert!(digest == last.sha256 || is_made_again, "{domain}: {digest:?}, {:?}", last.sha256);
    }
    service.log.close().await;
    count
}

fn steps() -> impl Strategy<Value = Vec<Vec<Step>>> {
    // Mostly small steps, at times hours ahead and back.
    let at = prop_oneof![4 => 0..2_000_i64, 1 => Just(9 * HOUR), 1 => -HOUR / 2..HOUR];
    let step = (0..2_usize, prop_oneof![3 => any::<bool>().prop_map(Some), 1 => Just(None)], at);
    prop::collection::vec(prop::collection::vec(step, 1..6), 2..7)
}

#[test]
fn concurrent_makers_and_jumping_clocks_revoke_each_answer_once() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let tightened = std::cell::Cell::new(0);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 12,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let run = |makers| {
        tightened.set(tightened.get() + runtime.block_on(check_makers(makers)));
        Ok(())
    };
    runner.run(&steps(), run).unwrap();
    assert!(tightened.get() > 2, "{}", tightened.get());
}

/// The same without turns: makers that only name the answer they follow, as another process would.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_follows_a_superseded_one_is_refused_and_made_again() {
    const MAKERS: usize = 12;
    const ANSWERS: usize = 5;
    let dir = tempfile::tempdir().unwrap();
    let (service, clock) = start(dir.path(), base()).await;
    let make = |maker: usize| {
        let (service, clock) = (Arc::clone(&service), Arc::clone(&clock));
        async move {
            let (mut retries, mut sealed) = (0, Vec::new());
            while sealed.len() < ANSWERS {
                let jump = (maker as i64 * 7 + retries * 13) % 11 - 5;
                clock.0.store(base() + jump * HOUR / 10, Ordering::SeqCst);
                let (mut answer, domain) = sample_answer(1);
                let report = format!("r{maker}-{}", sealed.len());
                answer["evidence"]["report"] = report.into();
                let latest = service.store.latest_answer(&domain).await.unwrap();
                let latest = latest.map(|latest| latest.sha256);
                let predecessor = Predecessor { domain: domain.clone(), answer: latest };
                let context = AnswerContext { predecessor: Some(predecessor), extras: None };
                match service.log.seal_document_in_context(answer, domain, context).await {
                    Ok(answer) => sealed.push((latest, answer.stored.sha256)),
                    Err(SealError::Superseded) => retries += 1,
                    Err(other) => panic!("{other}"),
                }
            }
            (retries, sealed)
        }
    };
    let tasks: Vec<_> = (0..MAKERS).map(|maker| tokio::spawn(make(maker))).collect();
    let (mut retries, mut follows) = (0, BTreeMap::new());
    for task in tasks {
        let (retried, sealed) = task.await.unwrap();
        retries += retried;
        for (before, after) in sealed {
            assert_eq!(follows.insert(before, after), None, "two answers follow the same one");
        }
    }
    assert!(retries > 0, "nobody was refused");
    let listed = service.store.list_answers(None, usize::MAX).await.unwrap();
    assert_eq!(listed.len(), MAKERS * ANSWERS);
    let mut before = None;
    for cursor in listed {
        assert_eq!(follows.get(&before), Some(&cursor.sha256), "they form one sequence");
        before = Some(cursor.sha256);
    }
    service.log.close().await;
}
