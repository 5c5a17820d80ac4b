//! Cases for stored answers.

use std::collections::BTreeMap;

use bytes::Bytes;
use contract::{Domain, Timestamp};

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_log::{SampleLog, answer, lease, same_log};
use super::sample_values::{domain, noise, same_as};
use crate::answers::domain_digest;
use crate::{
    AnswerCursor, Append, AppendExtras, Digest, HexPrefix, MAX_VALUE_BYTES, Predecessor, Store,
    StoreError, StoredAnswer,
};

pub(super) const CASES: &[(&str, Case)] = &[
    ("an answer comes back byte for byte, also after reopening", |e| Box::pin(comes_back(e))),
    ("answers can be appended without a batch, and the log stays unchanged", |e| {
        Box::pin(no_batch(e))
    }),
    ("the same answer written twice is stored once", |e| Box::pin(twice(e))),
    ("an answer whose log index does not exist is refused", |e| Box::pin(beyond(e))),
    ("the latest answer is the one that was stored last, whatever its time", |e| {
        Box::pin(latest(e))
    }),
    ("an answer that does not follow the latest one is refused", |e| Box::pin(predecessors(e))),
    ("the newest answers are found by the prefix of their domains' digests", |e| {
        Box::pin(by_prefix(e))
    }),
    ("answers are listed in the order in which they were stored", |e| Box::pin(export(e))),
];

/// Appends answers to a log of three leaves, which it creates if necessary.
async fn put(
    store: &dyn Store,
    answers: Vec<StoredAnswer>,
) -> Result<Result<(), StoreError>, String> {
    put_with(store, answers, AppendExtras::default()).await
}

async fn put_with(
    store: &dyn Store,
    answers: Vec<StoredAnswer>,
    extras: AppendExtras,
) -> Result<Result<(), StoreError>, String> {
    let epoch = lease(store).await?;
    let mut chain = SampleLog::new("ours");
    if store.last_batch().await.map_err(unexpected_error)?.is_none() {
        chain.put(store, epoch, 3).await?;
    }
    let after = store.last_batch().await.map_err(unexpected_error)?.map(|last| last.sth_sha256);
    Ok(store.append(Append { epoch, previous_head: after, batch: None, answers, extras }).await)
}

async fn comes_back(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let epoch = lease(store.as_ref()).await?;
    let mut chain = SampleLog::new("ours");
    let mut odd = vec![answer("plain", "shop.lab", 0, 0)?];
    for (number, bytes) in [
        Bytes::new(),
        Bytes::from_static(b"\xff\0 not text"),
        noise(1, 300_000),
        Bytes::from(vec![b' '; MAX_VALUE_BYTES]),
    ]
    .into_iter()
    .enumerate()
    {
        let bytes = bytes.into();
        odd.push(StoredAnswer { bytes, ..answer(&format!("odd {number}"), "odd.lab", 1, 2)? });
    }
    for (number, ms) in [i64::MIN, -1, 0, i64::MAX].into_iter().enumerate() {
        let answered_at = Timestamp::from_millis(ms);
        odd.push(StoredAnswer { answered_at, ..answer(&format!("t{number}"), "shop.lab", 0, 1)? });
    }
    // In one step with the batch that they rest on.
    let batch = Some(chain.grow(3));
    let append = Append {
        epoch,
        previous_head: None,
        batch,
        answers: odd.clone(),
        extras: AppendExtras::default(),
    };
    store.append(append).await.map_err(unexpected_error)?;
    for stored in &odd {
        let got = store.answer(stored.sha256).await.map_err(unexpected_error)?;
        check!(got.as_ref() == Some(stored), "{} did not come back", stored.sha256);
    }
    check_eq!(store.answer(Digest::of(b"none")).await, Ok(None), "an unknown digest");
    same_log(store.as_ref(), &chain.batches).await?;
    drop(store);
    let store = location.open().await;
    for stored in &odd {
        let got = store.answer(stored.sha256).await.map_err(unexpected_error)?;
        check!(got.as_ref() == Some(stored), "{} did not come back after reopening", stored.sha256);
    }
    let too_large = StoredAnswer {
        bytes: vec![0; MAX_VALUE_BYTES + 1].into(),
        ..answer("too large", "shop.lab", 0, 0)?
    };
    let small = answer("beside it", "shop.lab", 0, 0)?;
    let refused = put(store.as_ref(), vec![small.clone(), too_large.clone()]).await?;
    check!(matches!(refused, Err(StoreError::TooLarge { .. })), "too large: {refused:?}");
    for refused in [small, too_large] {
        check_eq!(store.answer(refused.sha256).await, Ok(None), "a refused answer");
    }
    Ok(())
}

async fn no_batch(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut chain = SampleLog::new("ours");
    chain.grow(3);
    for number in 0..3 {
        let stored = answer(&format!("a{number}"), "shop.lab", 0, number)?;
        check_eq!(put(store.as_ref(), vec![stored.clone()]).await?, Ok(()), "an answer alone");
        check_eq!(store.answer(stored.sha256).await, Ok(Some(stored)), "it");
        same_log(store.as_ref(), &chain.batches).await?;
    }
    check_eq!(put(store.as_ref(), vec![]).await?, Ok(()), "nothing at all");
    let epoch = lease(store.as_ref()).await?;
    let late = answer("late", "shop.lab", 0, 0)?;
    for after in [None, Some(Digest::of(b"another head"))] {
        let append = Append {
            epoch,
            previous_head: after,
            batch: None,
            answers: vec![late.clone()],
            extras: AppendExtras::default(),
        };
        let refused = store.append(append).await;
        check!(
            matches!(refused, Err(StoreError::LogConflict { .. })),
            "after {after:?}: {refused:?}"
        );
    }
    check_eq!(store.answer(late.sha256).await, Ok(None), "a refused answer");
    Ok(())
}

async fn twice(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let first = answer("a", "shop.lab", 0, 1)?;
    let other = StoredAnswer { bytes: "other".into(), log_index: 2, ..first.clone() };
    check_eq!(
        put(store.as_ref(), vec![first.clone(), first.clone()]).await?,
        Ok(()),
        "in one step"
    );
    check_eq!(put(store.as_ref(), vec![first.clone()]).await?, Ok(()), "again");
    check_eq!(put(store.as_ref(), vec![other]).await?, Ok(()), "under the same digest");
    check_eq!(store.export_answers(None, 9).await, Ok(vec![first]), "what was kept first");
    Ok(())
}

async fn beyond(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let epoch = lease(store.as_ref()).await?;
    let stored = answer("a", "shop.lab", 0, 0)?;
    let append = Append {
        epoch,
        previous_head: None,
        batch: None,
        answers: vec![stored],
        extras: AppendExtras::default(),
    };
    let refused = store.append(append).await;
    check!(refused.is_err(), "an answer in an empty log");
    for log_index in [3, 4, u64::MAX] {
        let second = answer("beside", "shop.lab", 0, 2)?;
        let refused =
            put(store.as_ref(), vec![second, answer("b", "shop.lab", 0, log_index)?]).await?;
        check!(
            matches!(refused, Err(StoreError::Failed { .. })),
            "index {log_index} of three: {refused:?}"
        );
    }
    check_eq!(store.export_answers(None, 9).await, Ok(vec![]), "what was kept");
    Ok(())
}

async fn latest(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let shop = domain("shop.lab")?;
    check_eq!(store.latest_answer(&shop).await, Ok(None), "of nothing");
    // Equal times with a smaller and a greater digest, an earlier time, an earlier index.
    let mut same_time = [answer("b", "shop.lab", 10, 0)?, answer("c", "shop.lab", 10, 1)?];
    same_time.sort_by_key(|answer| answer.sha256);
    let [low, high] = same_time;
    let last = answer("before", "shop.lab", 9, 0)?;
    let mut all = vec![low.clone(), high, low, last.clone()];
    all.push(answer("other", "other.lab", 99, 0)?);
    all.push(answer("sub", "www2.shop.lab", 99, 0)?);
    check_eq!(put(store.as_ref(), all).await?, Ok(()), "all");
    check_eq!(store.latest_answer(&shop).await, Ok(Some(last.clone())), "the latest");
    check_eq!(store.latest_answer(&domain("lab.shop")?).await, Ok(None), "of another domain");
    let mut stored_last = last;
    for (name, ms, log_index) in [("ahead", 1_000, 2), ("a", 11, 2), ("back", -5, 1), ("d", -5, 0)]
    {
        let newer = answer(name, "shop.lab", ms, log_index)?;
        check_eq!(put(store.as_ref(), vec![newer.clone()]).await?, Ok(()), "{name}");
        check_eq!(store.latest_answer(&shop).await, Ok(Some(newer.clone())), "{name}");
        stored_last = newer;
    }
    drop(store);
    let store = location.open().await;
    check_eq!(store.latest_answer(&shop).await, Ok(Some(stored_last.clone())), "reopened");
    let digests = store.latest_digests(vec![domain("lab.shop")?, shop]).await;
    check_eq!(digests, Ok(vec![None, Some(stored_last.sha256)]), "its digest");
    Ok(())
}

async fn predecessors(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let store = store.as_ref();
    let (shop, other) = (domain("shop.lab")?, domain("other.lab")?);
    let following = |named: &[(&Domain, Option<&StoredAnswer>)]| AppendExtras {
        predecessors: named
            .iter()
            .map(|(domain, answer)| Predecessor {
                domain: (*domain).clone(),
                answer: answer.map(|answer| answer.sha256),
            })
            .collect(),
        ..AppendExtras::default()
    };
    let superseded = Err(StoreError::AnswerSuperseded { domain: shop.clone() });
    let first = answer("first", "shop.lab", 5, 0)?;
    let second = answer("second", "shop.lab", 5, 0)?;
    let beside = answer("beside", "other.lab", 5, 0)?;
    let early = put_with(store, vec![second.clone()], following(&[(&shop, Some(&first))])).await?;
    check_eq!(early, superseded, "before the first");
    let done = put_with(store, vec![first.clone()], following(&[(&shop, None)])).await?;
    check_eq!(done, Ok(()), "the first");
    // The other answer of the same append is refused with it.
    let both = vec![beside.clone(), second.clone()];
    let refused =
        put_with(store, both.clone(), following(&[(&other, None), (&shop, None)])).await?;
    check_eq!(refused, superseded, "a second first");
    check_eq!(store.export_answers(None, 9).await, Ok(vec![first.clone()]), "what was kept");
    let twice = following(&[(&shop, Some(&first)), (&shop, Some(&first))]);
    let refused = put_with(store, vec![second.clone()], twice).await?;
    check!(matches!(refused, Err(StoreError::Failed { .. })), "two of one domain: {refused:?}");
    let after = following(&[(&other, None), (&shop, Some(&first))]);
    check_eq!(put_with(store, both, after).await?, Ok(()), "the second");
    let late = answer("late", "shop.lab", 99, 2)?;
    let refused = put_with(store, vec![late], following(&[(&shop, Some(&first))])).await?;
    check_eq!(refused, superseded, "after a superseded one");
    check_eq!(store.latest_answer(&shop).await, Ok(Some(second)), "the latest");
    Ok(())
}

async fn by_prefix(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    check_eq!(store.count_answered_domains().await, Ok(0), "domains of none");
    // Times that go back, and answers of the same time with smaller and greater digests.
    let mut newest: BTreeMap<Digest, StoredAnswer> = BTreeMap::new();
    for (round, ms) in [5, 9, 9, 1].into_iter().enumerate() {
        let mut all = Vec::new();
        for number in 0..300 {
            all.push(answer(&format!("a{round} {number}"), &format!("d{number}.lab"), ms, 0)?);
        }
        for stored in &all {
            newest.insert(domain_digest(&stored.domain), stored.clone());
        }
        check_eq!(put(store.as_ref(), all).await?, Ok(()), "round {round}");
    }
    drop(store);
    let store = location.open().await;
    check_eq!(store.count_answered_domains().await, Ok(300), "domains");
    let mut found = 0;
    for bucket in 0..=255_u8 {
        let prefix = HexPrefix::parse(&format!("{bucket:02x}")).ok_or("a prefix")?;
        let in_it =
            |(domain, _): &(&Digest, &StoredAnswer)| domain.as_bytes().first() == Some(&bucket);
        let expected: Vec<StoredAnswer> =
            newest.iter().filter(in_it).map(|(_, stored)| stored.clone()).collect();
        found += expected.len();
        let got = store.answers_by_prefix(prefix.clone(), usize::MAX).await;
        same_as(&format!("bucket {}", prefix.as_str()), got, &expected)?;
        let one = store.answers_by_prefix(prefix, 1).await;
        same_as("one of a bucket", one, expected.get(..1).unwrap_or_default())?;
    }
    check_eq!(found, 300, "all buckets together");
    for (domain, stored) in newest.iter().take(20) {
        let digits: String = domain.to_hex().chars().take(HexPrefix::LONGEST).collect();
        let prefix = HexPrefix::parse(&digits).ok_or("a prefix")?;
        let got = store.answers_by_prefix(prefix, 9).await;
        check_eq!(got, Ok(vec![stored.clone()]), "by eight digits");
    }
    Ok(())
}

async fn export(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut all = Vec::new();
    for number in 0..40 {
        all.push(answer(&format!("a{number}"), &format!("d{}.lab", number % 3), number / 9, 0)?);
    }
    // Times go back, and every append continues the order.
    all.reverse();
    for part in all.chunks(7) {
        check_eq!(put(store.as_ref(), part.to_vec()).await?, Ok(()), "a part");
    }
    for limit in [1, 2, 7, 39, 40, 41, usize::MAX] {
        let mut got = Vec::new();
        let mut after: Option<AnswerCursor> = None;
        loop {
            let page = store.export_answers(after, limit).await.map_err(unexpected_error)?;
            check!(page.len() <= limit, "a page of {limit} has {}", page.len());
            let listed = store.list_answers(after, limit).await.map_err(unexpected_error)?;
            let Some(last) = listed.last() else { break };
            after = Some(*last);
            got.extend(page);
        }
        check_eq!(got, all, "pages of {limit}");
        let mut listed: Vec<AnswerCursor> = Vec::new();
        loop {
            let page = store
                .list_answers(listed.last().copied(), limit)
                .await
                .map_err(unexpected_error)?;
            check!(page.len() <= limit, "a list of {limit} has {}", page.len());
            if page.is_empty() {
                break;
            }
            listed.extend(page);
        }
        check!(listed.is_sorted_by(|one, next| one.position < next.position), "positions");
        let listed: Vec<Digest> = listed.iter().map(|cursor| cursor.sha256).collect();
        let all: Vec<Digest> = all.iter().map(|answer| answer.sha256).collect();
        check_eq!(listed, all, "lists of {limit}");
    }
    check_eq!(store.export_answers(None, 0).await, Ok(vec![]), "a page of none");
    Ok(())
}
