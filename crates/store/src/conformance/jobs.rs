//! Cases for jobs.

use bytes::Bytes;
use futures_util::future::join_all;

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::at;
use crate::{Job, NewJob, Store, StoreError};

pub(super) const CASES: &[(&str, Case)] = &[
    ("there is one job per kind and key, and it survives reopening", |e| Box::pin(one(e))),
    ("of many concurrent workers one claims the job", |e| Box::pin(claimed_once(e))),
    ("a job can be claimed again after its lease expires", |e| Box::pin(lease(e))),
    ("the longest overdue job is claimed first, and none before it is due", |e| Box::pin(due(e))),
    ("due jobs are listed, and one of them can be chosen and claimed", |e| Box::pin(chosen(e))),
    ("a postponed job is claimed again, with the reason", |e| Box::pin(put_off(e))),
    ("a worker that lost its job cannot finish the next job with the same key", |e| {
        Box::pin(lost(e))
    }),
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
    let location = engine.new_location().await;
    let store = location.open().await;
    let first = store.queue_job(job("scan", "a.lab", 5), at(1)).await.map_err(unexpected_error)?;
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
    check_eq!(first, expected, "as it was queued");
    let other = NewJob { body: Bytes::from_static(b"other"), ..job("scan", "a.lab", 99) };
    check_eq!(store.queue_job(other, at(2)).await, Ok(first.clone()), "the same kind and key");
    let mail = store.queue_job(job("mail", "a.lab", 5), at(2)).await.map_err(unexpected_error)?;
    check!(mail.id != first.id, "another kind is another job");
    drop(store);
    let store = location.open().await;
    check_eq!(store.job("scan", "a.lab").await, Ok(Some(first.clone())), "after reopening");
    check_eq!(store.job("scan", "b.lab").await, Ok(None), "another key");
    check_eq!(store.count_jobs("scan").await, Ok(1), "scans");
    check_eq!(store.count_jobs("none").await, Ok(0), "of a kind there is none of");
    check_eq!(store.export_jobs(None, 9).await, Ok(vec![first.clone(), mail.clone()]), "all");
    check_eq!(store.export_jobs(Some(first.id), 9).await, Ok(vec![mail]), "after the first");
    store.finish_job(first.id).await.map_err(unexpected_error)?;
    check_eq!(store.job("scan", "a.lab").await, Ok(None), "when it is done");
    check_eq!(store.finish_job(first.id).await, Ok(()), "done again");
    let huge = NewJob { body: vec![0; crate::MAX_VALUE_BYTES + 1].into(), ..job("x", "y", 0) };
    let refused = store.queue_job(huge, at(0)).await;
    check!(matches!(refused, Err(StoreError::TooLarge { .. })), "a huge one: {refused:?}");
    Ok(())
}

async fn claimed_once(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for number in 0..7 {
        store
            .queue_job(job("scan", &format!("{number}"), 0), at(0))
            .await
            .map_err(unexpected_error)?;
    }
    let claims = (0..20).map(|_| store.claim_job("scan", at(1), at(100)));
    let mut given = Vec::new();
    for claim in join_all(claims).await {
        given.extend(claim.map_err(unexpected_error)?.map(|job| job.key));
    }
    given.sort();
    check_eq!(given, ["0", "1", "2", "3", "4", "5", "6"], "each once");
    Ok(())
}

/// The key of the claimed job, and how often it was tried.
async fn claim(store: &dyn Store, now: i64, until: i64) -> Result<Option<(String, u32)>, String> {
    let claimed = store.claim_job("scan", at(now), at(until)).await.map_err(unexpected_error)?;
    Ok(claimed.map(|job| (job.key, job.tries)))
}

async fn lease(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    store.queue_job(job("scan", "a", 0), at(0)).await.map_err(unexpected_error)?;
    let given = |tries| Some((String::from("a"), tries));
    check_eq!(claim(store.as_ref(), 1, 100).await?, given(1), "the first");
    check_eq!(claim(store.as_ref(), 99, 200).await?, None, "under the lease");
    drop(store);
    let store = location.open().await;
    check_eq!(claim(store.as_ref(), 99, 200).await?, None, "also after reopening");
    let again = store.queue_job(job("scan", "a", 500), at(50)).await.map_err(unexpected_error)?;
    check_eq!((again.tries, again.due_at), (1, at(0)), "one that is under way stays");
    check_eq!(claim(store.as_ref(), 100, 200).await?, given(2), "when the lease has run out");
    check_eq!(claim(store.as_ref(), 150, 200).await?, None, "under the second lease");
    Ok(())
}

async fn due(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for (key, due) in [("late", 30), ("early", 10), ("middle", 20), ("early too", 10)] {
        store.queue_job(job("scan", key, due), at(0)).await.map_err(unexpected_error)?;
    }
    store.queue_job(job("mail", "first", 0), at(0)).await.map_err(unexpected_error)?;
    check_eq!(claim(store.as_ref(), 9, 999).await?, None, "before any is due");
    let mut given = Vec::new();
    while let Some((key, _)) = claim(store.as_ref(), 20, 999).await? {
        given.push(key);
    }
    check_eq!(given, ["early", "early too", "middle"], "in order");
    check_eq!(claim(store.as_ref(), 30, 999).await?, Some((String::from("late"), 1)), "then");
    Ok(())
}

async fn chosen(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for (key, due) in [("late", 30), ("early", 10), ("middle", 20)] {
        store.queue_job(job("scan", key, due), at(0)).await.map_err(unexpected_error)?;
    }
    store.queue_job(job("mail", "first", 0), at(0)).await.map_err(unexpected_error)?;
    let due = async |now: i64, limit| {
        let due = store.due_jobs("scan", at(now), limit).await.map_err(unexpected_error)?;
        Ok::<_, String>(due.into_iter().map(|job| (job.id, job.key)).collect::<Vec<_>>())
    };
    let keys =
        |due: &[(u64, String)]| -> Vec<String> { due.iter().map(|(_, key)| key.clone()).collect() };
    check_eq!(keys(&due(9, 9).await?), Vec::<String>::new(), "before any is due");
    check_eq!(keys(&due(20, 1).await?), ["early"], "at most one");
    let all = due(30, 9).await?;
    check_eq!(keys(&all), ["early", "middle", "late"], "in order");
    let id = |key: &str| all.iter().find(|(_, name)| name == key).map(|(id, _)| *id);
    let (Some(middle), Some(late)) = (id("middle"), id("late")) else {
        return Err("a job is missing".to_owned());
    };
    let claimed = store.claim_job_by_id(middle, at(20), at(100)).await.map_err(unexpected_error)?;
    check_eq!(claimed.map(|job| (job.key, job.tries)), Some((String::from("middle"), 1)), "chosen");
    check_eq!(store.claim_job_by_id(middle, at(99), at(200)).await, Ok(None), "under the lease");
    check_eq!(store.claim_job_by_id(late, at(29), at(200)).await, Ok(None), "before it is due");
    check_eq!(
        store.claim_job_by_id(late + 999, at(99), at(200)).await,
        Ok(None),
        "one that is gone"
    );
    check_eq!(keys(&due(99, 9).await?), ["early", "late"], "claimed ones are not due");
    check_eq!(keys(&due(100, 9).await?), ["early", "middle", "late"], "until the lease ends");
    Ok(())
}

async fn put_off(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let queued = store.queue_job(job("scan", "a", 0), at(0)).await.map_err(unexpected_error)?;
    claim(store.as_ref(), 0, 999).await?;
    store.postpone_job(queued.id, at(50), "it was down").await.map_err(unexpected_error)?;
    check_eq!(claim(store.as_ref(), 49, 999).await?, None, "before its time");
    let expected = Job {
        due_at: at(50),
        tries: 1,
        last_error: Some(String::from("it was down")),
        ..queued.clone()
    };
    check_eq!(store.job("scan", "a").await, Ok(Some(expected)), "as it waits");
    check_eq!(claim(store.as_ref(), 50, 999).await?, Some((String::from("a"), 2)), "then");
    check_eq!(store.postpone_job(queued.id + 9, at(1), "x").await, Ok(()), "one that is gone");
    Ok(())
}

async fn lost(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let first = store.queue_job(job("scan", "a", 0), at(0)).await.map_err(unexpected_error)?;
    store.finish_job(first.id).await.map_err(unexpected_error)?;
    let second = store.queue_job(job("scan", "a", 0), at(1)).await.map_err(unexpected_error)?;
    check!(second.id > first.id, "{} after {}", second.id, first.id);
    store.finish_job(first.id).await.map_err(unexpected_error)?;
    check_eq!(store.job("scan", "a").await, Ok(Some(second)), "the second");
    Ok(())
}
