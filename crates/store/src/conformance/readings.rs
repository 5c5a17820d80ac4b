//! Cases for readings.

use bytes::Bytes;
use contract::limits::INDEPENDENT_READINGS;

use super::samples::{at, domain, noise, same_as};
use super::{Case, CaseResult, Engine, holds, same, text};
use crate::{KeptReading, StoreError};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a reading comes back as it was put, also after reopening", |e| Box::pin(comes_back(e))),
    ("of a domain the newest twelve readings stay", |e| Box::pin(pruned(e))),
    ("a reading is kept once under its id", |e| Box::pin(once(e))),
    ("readings are listed by id in pages", |e| Box::pin(listed(e))),
];

pub(super) fn reading(id: &str, name: &str, ms: i64) -> Result<KeptReading, String> {
    Ok(KeptReading {
        id: id.to_owned(),
        domain: domain(name)?,
        observed_at: at(ms),
        network: String::from("here"),
        basis: String::from("just_in_time"),
        scan_id: None,
        completed: true,
        fields: Bytes::from(format!("{{\"id\":\"{id}\"}}")),
        record: noise(ms.unsigned_abs(), 300),
    })
}

async fn comes_back(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let shop = domain("shop.lab")?;
    same!(store.readings_of(&shop, 9).await, Ok(vec![]), "of nothing");
    let live = reading("a", "shop.lab", 1)?;
    let scan = KeptReading {
        scan_id: Some(String::from("s1")),
        completed: false,
        basis: String::from("scan"),
        record: Bytes::new(),
        ..reading("b", "shop.lab", 2)?
    };
    for put in [live.clone(), scan.clone(), reading("c", "other.lab", 3)?] {
        store.put_reading(put).await.map_err(text)?;
    }
    drop(store);
    let store = place.open().await;
    same!(store.readings_of(&shop, 9).await, Ok(vec![scan.clone(), live.clone()]), "newest first");
    same!(store.readings_of(&shop, 1).await, Ok(vec![scan]), "no more than asked for");
    same!(store.reading("a").await, Ok(Some(live)), "by id");
    same!(store.reading("z").await, Ok(None), "of no id");
    Ok(())
}

async fn pruned(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let shop = domain("shop.lab")?;
    // In no order of time, and the last two of one moment.
    let mut all = Vec::new();
    for number in [5_i64, 17, 3, 19, 11, 0, 8, 14, 2, 16, 7, 13, 1, 10, 18, 4, 15, 6, 12, 9] {
        let put = reading(&format!("r{number:02}"), "shop.lab", number.min(18))?;
        store.put_reading(put.clone()).await.map_err(text)?;
        store
            .put_reading(reading(&format!("o{number}"), "other.lab", number)?)
            .await
            .map_err(text)?;
        all.push(put);
    }
    all.sort_by(|a, b| (b.observed_at, &b.id).cmp(&(a.observed_at, &a.id)));
    all.truncate(INDEPENDENT_READINGS);
    same_as("the newest", store.readings_of(&shop, usize::MAX).await, &all)?;
    // One that is older than all of these does not stay.
    store.put_reading(reading("old", "shop.lab", -1)?).await.map_err(text)?;
    same_as("the newest still", store.readings_of(&shop, usize::MAX).await, &all)?;
    same!(store.reading("old").await, Ok(None), "the old one");
    let others = store.readings_of(&domain("other.lab")?, usize::MAX).await.map_err(text)?;
    same!(others.len(), INDEPENDENT_READINGS, "those of another domain");
    Ok(())
}

async fn once(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let first = reading("a", "shop.lab", 1)?;
    store.put_reading(first.clone()).await.map_err(text)?;
    same!(store.put_reading(first.clone()).await, Ok(()), "the same again");
    let refused = store.put_reading(KeptReading { completed: false, ..first.clone() }).await;
    holds!(matches!(refused, Err(StoreError::Duplicate { .. })), "another: {refused:?}");
    same!(store.reading("a").await, Ok(Some(first)), "what was kept");
    Ok(())
}

async fn listed(engine: &dyn Engine) -> CaseResult {
    let place = engine.new_place().await;
    let store = place.open().await;
    let mut ids = Vec::new();
    for number in 0..9 {
        let id = format!("r{number}");
        store.put_reading(reading(&id, &format!("d{number}.lab"), 0)?).await.map_err(text)?;
        ids.push(id);
    }
    let (first, others) = ids.split_at(4);
    same_as("the first page", store.list_readings(None, 4).await, first)?;
    same_as("the rest", store.list_readings(Some("r3".into()), usize::MAX).await, others)?;
    same!(store.list_readings(Some("r8".into()), 9).await, Ok(vec![]), "beyond the end");
    Ok(())
}
