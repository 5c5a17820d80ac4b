//! Cases for jobs.

use bytes::Bytes;
use futures_util::future::join_all;

use super::samples::at;
use super::{Case, CaseResult, Engine, holds, same, text};
use crate::{Job, NewJob, Store, StoreError};

pub(super) const CASES: &[(&str, Case)] = &[
    ("there is one job of a kind and key, and it survives reopening", |e| Box::pin(one(e))),
    ("a job is claimed by one of many at once", |e| Box::pin(claimed_once(e))),
    ("a lease that has run out gives the job again", |e| Box::pin(lease(e))),
    ("the longest due job is given first, and none before it is due", |e| Box::pin(due(e))),
    ("a job that is put off comes again, with the reason", |e| Box::pin(put_off(e))),
    ("whoever lost a job cannot end the next one of its key", |e| Box::pin(lost(e))),
];

pub(super) fn job(kind: &str, key: &str, due: i64) -> NewJob {
    NewJob {
        kind: kind.to_owned(),
        key: key.to_owned(),
        due_at: at(due),
        body: Bytes::from(format!("{kind} {key}")),
    }
}

async fn one(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let first = store.queue_job(job("scan", "a.lab", 5), at(1)).await.map_err(text)?;
    let expected = Job {
        id: first.id,
        kind: String::from("scan"),
        key: String::from("a.lab"),
        queued_at: at(1),
        due_at: at(5),
        tries: 0,
        body: Bytes::from_static(b"scan a.lab"),
        last_error: None,
    };
    same!(first, expected, "as it was queued");
    let other = NewJob { body: Bytes::from_static(b"other"), ..job("scan", "a.lab", 99) };
    same!(store.queue_job(other, at(2)).await, Ok(first.clone()), "the same kind and key");
    let mail = store.queue_job(job("mail", "a.lab", 5), at(2)).await.map_err(text)?;
    holds!(mail.id != first.id, "another kind is another job");
    drop(store);
    let store = place.open().await;
    same!(store.job("scan", "a.lab").await, Ok(Some(first.clone())), "after reopening");
    same!(store.job("scan", "b.lab").await, Ok(None), "another key");
    same!(store.jobs_waiting("scan").await, Ok(1), "scans");
    same!(store.jobs_waiting("none").await, Ok(0), "of a kind there is none of");
    same!(store.export_jobs(None, 9).await, Ok(vec![first.clone(), mail.clone()]), "all");
    same!(store.export_jobs(Some(first.id), 9).await, Ok(vec![mail]), "after the first");
    store.finish_job(first.id).await.map_err(text)?;
    same!(store.job("scan", "a.lab").await, Ok(None), "when it is done");
    same!(store.finish_job(first.id).await, Ok(()), "done again");
    let huge = NewJob { body: vec![0; crate::MAX_VALUE_BYTES + 1].into(), ..job("x", "y", 0) };
    let refused = store.queue_job(huge, at(0)).await;
    holds!(matches!(refused, Err(StoreError::TooLarge { .. })), "a huge one: {refused:?}");
    Ok(())
}

async fn claimed_once(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    for number in 0..7 {
        store.queue_job(job("scan", &format!("{number}"), 0), at(0)).await.map_err(text)?;
    }
    let claims = (0..20).map(|_| store.claim_job("scan", at(1), at(100)));
    let mut given = Vec::new();
    for claim in join_all(claims).await {
        given.extend(claim.map_err(text)?.map(|job| job.key));
    }
    given.sort();
    same!(given, ["0", "1", "2", "3", "4", "5", "6"], "each once");
    Ok(())
}

/// The key of the job that is given, and how often it was tried.
async fn claim(store: &dyn Store, now: i64, until: i64) -> Result<Option<(String, u32)>, String> {
    let claimed = store.claim_job("scan", at(now), at(until)).await.map_err(text)?;
    Ok(claimed.map(|job| (job.key, job.tries)))
}

async fn lease(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    store.queue_job(job("scan", "a", 0), at(0)).await.map_err(text)?;
    let given = |tries| Some((String::from("a"), tries));
    same!(claim(store.as_ref(), 1, 100).await?, given(1), "the first");
    same!(claim(store.as_ref(), 99, 200).await?, None, "under the lease");
    drop(store);
    let store = place.open().await;
    same!(claim(store.as_ref(), 99, 200).await?, None, "also after reopening");
    let again = store.queue_job(job("scan", "a", 500), at(50)).await.map_err(text)?;
    same!((again.tries, again.due_at), (1, at(0)), "one that is under way stays");
    same!(claim(store.as_ref(), 100, 200).await?, given(2), "when the lease has run out");
    same!(claim(store.as_ref(), 150, 200).await?, None, "under the second lease");
    Ok(())
}

async fn due(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    for (key, due) in [("late", 30), ("early", 10), ("middle", 20), ("early too", 10)] {
        store.queue_job(job("scan", key, due), at(0)).await.map_err(text)?;
    }
    store.queue_job(job("mail", "first", 0), at(0)).await.map_err(text)?;
    same!(claim(store.as_ref(), 9, 999).await?, None, "before any is due");
    let mut given = Vec::new();
    while let Some((key, _)) = claim(store.as_ref(), 20, 999).await? {
        given.push(key);
    }
    same!(given, ["early", "early too", "middle"], "in order");
    same!(claim(store.as_ref(), 30, 999).await?, Some((String::from("late"), 1)), "then");
    Ok(())
}

async fn put_off(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let queued = store.queue_job(job("scan", "a", 0), at(0)).await.map_err(text)?;
    claim(store.as_ref(), 0, 999).await?;
    store.put_off_job(queued.id, at(50), "it was down").await.map_err(text)?;
    same!(claim(store.as_ref(), 49, 999).await?, None, "before its time");
    let expected = Job {
        due_at: at(50),
        tries: 1,
        last_error: Some(String::from("it was down")),
        ..queued.clone()
    };
    same!(store.job("scan", "a").await, Ok(Some(expected)), "as it waits");
    same!(claim(store.as_ref(), 50, 999).await?, Some((String::from("a"), 2)), "then");
    same!(store.put_off_job(queued.id + 9, at(1), "x").await, Ok(()), "one that is gone");
    Ok(())
}

async fn lost(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let first = store.queue_job(job("scan", "a", 0), at(0)).await.map_err(text)?;
    store.finish_job(first.id).await.map_err(text)?;
    let second = store.queue_job(job("scan", "a", 0), at(1)).await.map_err(text)?;
    holds!(second.id > first.id, "{} after {}", second.id, first.id);
    store.finish_job(first.id).await.map_err(text)?;
    same!(store.job("scan", "a").await, Ok(Some(second)), "the second");
    Ok(())
}
