//! Cases for copying the log to another store.

use bytes::Bytes;
use contract::clock::FixedClock;

use super::append_extras::{change, revocation, standing};
use super::decisions::decision;
use super::harness::{Case, CaseResult, Engine, LogPart, check, check_eq, unexpected_error};
use super::readings::reading;
use super::sample_log::{LEASE_MS, SampleLog, answer, lease, same_log};
use super::sample_values::{at, domain, same_as};
use crate::{
    Append, AppendExtras, ChangesQuery, ContradictingHead, CopyReport, Cosignature, Digest,
    LogLease, RevocationsQuery, Store, StoreError, StoredAnswer, copy,
};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a copied log is the same log, and copying again changes nothing", |e| {
        Box::pin(everything(e))
    }),
    ("an interrupted copy of the log continues where it stopped", |e| Box::pin(broken_off(e))),
    ("a copy never extends a different log", |e| Box::pin(another_log(e))),
    ("a copy never replaces a different answer", |e| Box::pin(another_answer(e))),
    ("a copy acquires the target's lease and releases it", |e| Box::pin(leased(e))),
    (
        "a copy contains changes, revocations, readings and decisions, and copying again changes nothing",
        |e| Box::pin(copies_extras(e)),
    ),
    ("a copy never extends a different chain of revocations", |e| Box::pin(another_chain(e))),
    ("a copied log ends before the first damaged batch", |e| Box::pin(damaged(e))),
];

const ANSWERS: u64 = 150;

async fn copied(from: &dyn Store, to: &dyn Store) -> Result<CopyReport, StoreError> {
    copy(from, to, &FixedClock(at(0)), &mut |_| {}).await
}

/// A log with tiles, more than a page of answers, cosignatures and a contradicting head.
async fn fill(store: &dyn Store) -> Result<SampleLog, String> {
    let epoch = lease(store).await?;
    let mut chain = SampleLog::new("ours");
    for leaves in [3, 300, 1, 250] {
        chain.put(store, epoch, leaves).await?;
    }
    let mut answers = Vec::new();
    for number in 0..ANSWERS {
        // The clock is set back all the time: the order is not that of the times.
        let step = i64::try_from(ANSWERS - number).unwrap_or(0) / 4;
        answers.push(answer(&format!("a{number}"), &format!("d{}.lab", number % 5), step, number)?);
    }
    let append = Append {
        epoch,
        previous_head: chain.last(),
        batch: None,
        answers,
        extras: AppendExtras::default(),
    };
    store.append(append).await.map_err(unexpected_error)?;
    for tree_size in [3, 304] {
        for witness in ["a.lab", "b.lab"] {
            let (witness, line) = (witness.to_owned(), format!("{witness} saw {tree_size}"));
            let cosignature = Cosignature { tree_size, witness, line, at: at(7) };
            store.put_cosignatures(vec![cosignature]).await.map_err(unexpected_error)?;
        }
    }
    let sighting = ContradictingHead {
        sth_sha256: Digest::of(b"seen"),
        batch: 2,
        seen_at: at(1),
        sth: Bytes::from_static(b"seen"),
        why: String::from("not ours"),
    };
    store.put_contradicting_head(sighting).await.map_err(unexpected_error)?;
    give_back(store).await?;
    Ok(chain)
}

async fn give_back(store: &dyn Store) -> CaseResult {
    store.acquire_log_lease("us", at(0), at(0)).await.map_err(unexpected_error)?;
    Ok(())
}

async fn compare(original: &dyn Store, copy: &dyn Store, chain: &SampleLog) -> CaseResult {
    same_log(copy, &chain.batches).await?;
    let answers = original.export_answers(None, usize::MAX).await;
    check_eq!(copy.export_answers(None, usize::MAX).await, answers, "the answers");
    for number in 0..5 {
        let domain = domain(&format!("d{number}.lab"))?;
        let latest = original.latest_answer(&domain).await;
        check_eq!(copy.latest_answer(&domain).await, latest, "the latest answer about {domain}");
    }
    let sizes = original.cosigned_sizes(0, usize::MAX).await.map_err(unexpected_error)?;
    check_eq!(copy.cosigned_sizes(0, usize::MAX).await, Ok(sizes.clone()), "the cosigned sizes");
    for size in sizes {
        check_eq!(copy.cosignatures(size).await, original.cosignatures(size).await, "of {size}");
    }
    check_eq!(
        copy.contradicting_heads().await,
        original.contradicting_heads().await,
        "the sightings"
    );
    Ok(())
}

async fn everything(engine: &dyn Engine) -> CaseResult {
    let (from_place, to_place) = (engine.new_location().await, engine.new_location().await);
    let (from, to) = (from_place.open().await, to_place.open().await);
    let mut chain = fill(from.as_ref()).await?;
    let report = copied(from.as_ref(), to.as_ref()).await.map_err(unexpected_error)?;
    let expected = CopyReport {
        batches: 4,
        answers: ANSWERS,
        cosignatures: 4,
        contradicting_heads: 1,
        ..CopyReport::default()
    };
    check_eq!(report, expected, "copied");
    compare(from.as_ref(), to.as_ref(), &chain).await?;

    let report = copied(from.as_ref(), to.as_ref()).await.map_err(unexpected_error)?;
    let again = CopyReport { batches_already_there: 4, answers_already_there: ANSWERS, ..expected };
    check_eq!(report, again, "copied again");
    compare(from.as_ref(), to.as_ref(), &chain).await?;

    // What has come since comes over.
    let epoch = lease(from.as_ref()).await?;
    chain.put(from.as_ref(), epoch, 9).await?;
    let answers = vec![answer("newest", "shop.lab", 99, chain.size() - 1)?];
    let append = Append {
        epoch,
        previous_head: chain.last(),
        batch: None,
        answers,
        extras: AppendExtras::default(),
    };
    from.append(append).await.map_err(unexpected_error)?;
    let report = copied(from.as_ref(), to.as_ref()).await.map_err(unexpected_error)?;
    let (batches, answers) = (report.batches, report.answers);
    check_eq!((batches, answers), (5, ANSWERS + 1), "copied after it grew");
    compare(from.as_ref(), to.as_ref(), &chain).await?;

    // A target that has gone on since is the same log, and stays as it is.
    let epoch = lease(to.as_ref()).await?;
    chain.put(to.as_ref(), epoch, 2).await?;
    give_back(to.as_ref()).await?;
    let report = copied(from.as_ref(), to.as_ref()).await.map_err(unexpected_error)?;
    check_eq!(
        (report.batches, report.batches_already_there),
        (5, 5),
        "copied to one that is ahead"
    );
    same_log(to.as_ref(), &chain.batches).await
}

/// More than a page of each.
const EXTRAS: u64 = 270;

async fn fill_extras(store: &dyn Store, from: u64, to: u64) -> CaseResult {
    let epoch = lease(store).await?;
    let after = store.last_batch().await.map_err(unexpected_error)?.map(|last| last.sth_sha256);
    let mut extras = AppendExtras::default();
    let (mut readings, mut decisions) = (Vec::new(), Vec::new());
    for number in from..to {
        let ms = i64::try_from(number).unwrap_or(0);
        let name = format!("d{number}.lab");
        extras.changes.push(change(number, &name, ms)?);
        extras.revocations.push(revocation(number, &name, ms)?);
        let causes: &[&str] = if number % 2 == 0 { &["incident"] } else { &[] };
        extras.withheld_actions.push(standing(&name, causes, ms)?);
        readings.push(store.put_reading(reading(&format!("r{number}"), &name, ms)?));
        decisions.push(decision(number, ms)?);
    }
    futures_util::future::try_join_all(readings).await.map_err(unexpected_error)?;
    store.put_decisions(decisions).await.map_err(unexpected_error)?;
    store
        .append(Append { epoch, previous_head: after, batch: None, answers: vec![], extras })
        .await
        .map_err(unexpected_error)?;
    give_back(store).await
}

async fn compare_extras(original: &dyn Store, copy: &dyn Store, count: u64) -> CaseResult {
    let all = ChangesQuery { after: Some(0), limit: usize::MAX, ..ChangesQuery::default() };
    let expected = original.changes(all.clone()).await.map_err(unexpected_error)?;
    check_eq!(expected.len() as u64, count, "changes");
    same_as("the changes", copy.changes(all).await, &expected)?;
    let all = RevocationsQuery { after: Some(0), limit: usize::MAX, ..RevocationsQuery::default() };
    let expected = original.revocations(all.clone()).await.map_err(unexpected_error)?;
    check_eq!(expected.len() as u64, count, "revocations");
    same_as("the revocations", copy.revocations(all).await, &expected)?;
    let ever = Some(at(-1));
    check_eq!(
        copy.withheld_actions(ever).await,
        original.withheld_actions(ever).await,
        "the standings"
    );
    let readings = original.list_readings(None, usize::MAX).await.map_err(unexpected_error)?;
    check_eq!(copy.list_readings(None, usize::MAX).await, Ok(readings.clone()), "the readings");
    for id in readings {
        check_eq!(copy.reading(&id).await, original.reading(&id).await, "reading {id}");
    }
    let decisions = original.list_decisions(None, usize::MAX).await.map_err(unexpected_error)?;
    check_eq!(copy.list_decisions(None, usize::MAX).await, Ok(decisions.clone()), "the decisions");
    for lookup in decisions {
        check_eq!(copy.decision(lookup).await, original.decision(lookup).await, "{lookup}");
    }
    Ok(())
}

async fn copies_extras(engine: &dyn Engine) -> CaseResult {
    let (from_place, to_place) = (engine.new_location().await, engine.new_location().await);
    let (from, to) = (from_place.open().await, to_place.open().await);
    fill_extras(from.as_ref(), 0, EXTRAS).await?;
    let of = |count| CopyReport {
        changes: count,
        revocations: count,
        readings: count,
        decisions: count,
        ..CopyReport::default()
    };
    for round in 0..2 {
        let report = copied(from.as_ref(), to.as_ref()).await.map_err(unexpected_error)?;
        check_eq!(report, of(EXTRAS), "copied {round}");
        compare_extras(from.as_ref(), to.as_ref(), EXTRAS).await?;
    }
    fill_extras(from.as_ref(), EXTRAS, EXTRAS + 9).await?;
    let report = copied(from.as_ref(), to.as_ref()).await.map_err(unexpected_error)?;
    check_eq!(report, of(EXTRAS + 9), "copied after it grew");
    compare_extras(from.as_ref(), to.as_ref(), EXTRAS + 9).await?;
    // Backwards: the copy goes on by itself, and the original has nothing to add.
    fill_extras(to.as_ref(), EXTRAS + 9, EXTRAS + 12).await?;
    copied(from.as_ref(), to.as_ref()).await.map_err(unexpected_error)?;
    copied(to.as_ref(), from.as_ref()).await.map_err(unexpected_error)?;
    compare_extras(to.as_ref(), from.as_ref(), EXTRAS + 12).await
}

async fn another_chain(engine: &dyn Engine) -> CaseResult {
    let (from_place, to_place) = (engine.new_location().await, engine.new_location().await);
    let (from, to) = (from_place.open().await, to_place.open().await);
    let put = async |store: &dyn Store, numbers: &[u64]| {
        for number in numbers {
            let new = vec![revocation(*number, "shop.lab", 0)?];
            store.append_revocations(new, vec![]).await.map_err(unexpected_error)?;
        }
        Ok::<_, String>(())
    };
    put(from.as_ref(), &[1, 2, 3]).await?;
    put(to.as_ref(), &[1, 5]).await?;
    let before = to.last_revocation().await;
    let refused = copied(from.as_ref(), to.as_ref()).await;
    check!(matches!(refused, Err(StoreError::Duplicate { .. })), "another chain: {refused:?}");
    check_eq!(to.last_revocation().await, before, "what was there");
    Ok(())
}

async fn broken_off(engine: &dyn Engine) -> CaseResult {
    let from_place = engine.new_location().await;
    let from = from_place.open().await;
    let chain = fill(from.as_ref()).await?;
    for brought in 0..4_usize {
        let to_place = engine.new_location().await;
        let to = to_place.open().await;
        let epoch = lease(to.as_ref()).await?;
        let mut part = SampleLog::new("ours");
        for batch in chain.batches.iter().take(brought) {
            part.put(to.as_ref(), epoch, batch.entries.len()).await?;
        }
        let one = from.answer(Digest::of(b"a0")).await.map_err(unexpected_error)?;
        let answers: Vec<StoredAnswer> = one.into_iter().filter(|_| brought > 0).collect();
        let append = Append {
            epoch,
            previous_head: part.last(),
            batch: None,
            answers,
            extras: AppendExtras::default(),
        };
        to.append(append).await.map_err(unexpected_error)?;
        give_back(to.as_ref()).await?;
        drop(to);
        let to = to_place.open().await;
        let report = copied(from.as_ref(), to.as_ref()).await.map_err(unexpected_error)?;
        let there = (report.batches_already_there, report.answers_already_there);
        check_eq!(there, (brought as u64, u64::from(brought > 0)), "what was there");
        check_eq!((report.batches, report.answers), (4, ANSWERS), "copied");
        compare(from.as_ref(), to.as_ref(), &chain).await?;
    }
    Ok(())
}

async fn another_log(engine: &dyn Engine) -> CaseResult {
    let from_place = engine.new_location().await;
    let from = from_place.open().await;
    let ours = fill(from.as_ref()).await?;
    let scan = super::sample_values::scan("s", "shop.lab", 0)?;
    from.put_scan(scan).await.map_err(unexpected_error)?;
    // Shorter, as long, and longer than ours; another from the beginning, and from a batch on.
    for (same_until, length) in [(0, 1), (0, 4), (0, 6), (2, 3), (3, 4), (3, 6)] {
        let to_place = engine.new_location().await;
        let to = to_place.open().await;
        let epoch = lease(to.as_ref()).await?;
        let (mut theirs, mut batches) = (SampleLog::new("theirs"), Vec::new());
        let mut after = None;
        for number in 0..length {
            let size = ours.batches.get(number).map_or(2, |batch| batch.entries.len());
            let other = theirs.grow(size);
            let batch = match ours.batches.get(number) {
                Some(ours) if number < same_until => ours.clone(),
                _ => other,
            };
            let sth_sha256 = batch.sth_sha256;
            batches.push(batch.clone());
            let append = Append {
                epoch,
                previous_head: after,
                batch: Some(batch),
                answers: vec![],
                extras: AppendExtras::default(),
            };
            to.append(append).await.map_err(unexpected_error)?;
            after = Some(sth_sha256);
        }
        give_back(to.as_ref()).await?;
        let refused = copied(from.as_ref(), to.as_ref()).await;
        check!(
            matches!(refused, Err(StoreError::Duplicate { .. })),
            "{length} batches, other from {same_until} on: {refused:?}"
        );
        same_log(to.as_ref(), &batches).await?;
        check_eq!(to.export_answers(None, 9).await, Ok(vec![]), "answers in another log");
        check_eq!(to.export_scans(None, 9).await, Ok(vec![]), "scans beside another log");
    }
    Ok(())
}

async fn another_answer(engine: &dyn Engine) -> CaseResult {
    let (from_place, to_place) = (engine.new_location().await, engine.new_location().await);
    let (from, to) = (from_place.open().await, to_place.open().await);
    fill(from.as_ref()).await?;
    let epoch = lease(to.as_ref()).await?;
    let mut chain = SampleLog::new("ours");
    chain.put(to.as_ref(), epoch, 3).await?;
    let other = StoredAnswer { bytes: Bytes::new().into(), ..answer("a5", "d0.lab", 1, 0)? };
    let append = Append {
        epoch,
        previous_head: chain.last(),
        batch: None,
        answers: vec![other.clone()],
        extras: AppendExtras::default(),
    };
    to.append(append).await.map_err(unexpected_error)?;
    give_back(to.as_ref()).await?;
    let refused = copied(from.as_ref(), to.as_ref()).await;
    check!(matches!(refused, Err(StoreError::Duplicate { .. })), "a conflict: {refused:?}");
    check_eq!(to.answer(other.sha256).await, Ok(Some(other)), "what the target held");
    Ok(())
}

async fn leased(engine: &dyn Engine) -> CaseResult {
    let (from_place, to_place) = (engine.new_location().await, engine.new_location().await);
    let (from, to) = (from_place.open().await, to_place.open().await);
    let chain = fill(from.as_ref()).await?;
    // Somebody works on the target.
    let before = lease(to.as_ref()).await?;
    let refused = copied(from.as_ref(), to.as_ref()).await;
    check!(matches!(refused, Err(StoreError::LogConflict { .. })), "a target in use: {refused:?}");
    same_log(to.as_ref(), &[]).await?;
    give_back(to.as_ref()).await?;
    copied(from.as_ref(), to.as_ref()).await.map_err(unexpected_error)?;
    // At the same time, so that the lease has not just expired.
    let after = to.acquire_log_lease("they", at(0), at(LEASE_MS)).await;
    let Ok(LogLease::Granted { epoch }) = after else { return Err(format!("{after:?}")) };
    check!(epoch > before + 1, "the copy had a number between {before} and {epoch}");
    same_log(to.as_ref(), &chain.batches).await
}

async fn damaged(engine: &dyn Engine) -> CaseResult {
    for (part, batches, answers) in [
        (LogPart::Contents { batch: 2 }, 2, ANSWERS),
        (LogPart::Tile { level: 0, index: 0 }, 1, 3),
        (LogPart::Head { batch: 3 }, 3, ANSWERS),
        (LogPart::Answer { sha256: Digest::of(b"a9") }, 4, ANSWERS - 1),
    ] {
        let (from_place, to_place) = (engine.new_location().await, engine.new_location().await);
        let (from, to) = (from_place.open().await, to_place.open().await);
        let chain = fill(from.as_ref()).await?;
        drop(from);
        from_place.damage_log(part).await;
        let from = from_place.open().await;
        let report = copied(from.as_ref(), to.as_ref()).await.map_err(unexpected_error)?;
        check_eq!((report.batches, report.answers), (batches, answers), "{part:?}, copied");
        check!(!report.damaged.is_empty(), "{part:?}: nothing was said");
        let brought = chain.batches.iter().take(batches as usize).cloned().collect::<Vec<_>>();
        same_log(to.as_ref(), &brought).await?;
        let listed = to.list_answers(None, usize::MAX).await.map_err(unexpected_error)?;
        check_eq!(listed.len() as u64, answers, "{part:?}, answers in the target");
    }
    Ok(())
}
