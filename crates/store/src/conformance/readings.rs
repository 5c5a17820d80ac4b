//! Cases for readings.

use bytes::Bytes;
use contract::limits::READINGS_KEPT_PER_DOMAIN;

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::{at, domain, noise, same_as};
use crate::{StoreError, StoredReading};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a reading comes back as written, also after reopening", |e| Box::pin(comes_back(e))),
    ("only the newest twelve readings of a domain stay stored", |e| Box::pin(pruned(e))),
    ("a reading is stored once under its id", |e| Box::pin(once(e))),
    ("readings are listed by id in pages", |e| Box::pin(listed(e))),
];

pub(super) fn reading(id: &str, name: &str, ms: i64) -> Result<StoredReading, String> {
    Ok(StoredReading {
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
    let location = engine.new_location().await;
    let store = location.open().await;
    let shop = domain("shop.lab")?;
    check_eq!(store.readings_of(&shop, 9).await, Ok(vec![]), "of nothing");
    let live = reading("a", "shop.lab", 1)?;
    let scan = StoredReading {
        scan_id: Some(String::from("s1")),
        completed: false,
        basis: String::from("scan"),
        record: Bytes::new(),
        ..reading("b", "shop.lab", 2)?
    };
    for put in [live.clone(), scan.clone(), reading("c", "other.lab", 3)?] {
        store.put_reading(put).await.map_err(unexpected_error)?;
    }
    drop(store);
    let store = location.open().await;
    check_eq!(
        store.readings_of(&shop, 9).await,
        Ok(vec![scan.clone(), live.clone()]),
        "newest first"
    );
    let compared = [scan.clone(), live.clone()].map(StoredReading::into_compared).to_vec();
    check_eq!(store.compared_readings_of(&shop, 9).await, Ok(compared.clone()), "without records");
    let first = compared.into_iter().take(1).collect();
    check_eq!(
        store.compared_readings_of(&shop, 1).await,
        Ok(first),
        "the newest without its record"
    );
    check_eq!(store.readings_of(&shop, 1).await, Ok(vec![scan]), "no more than asked for");
    check_eq!(store.reading("a").await, Ok(Some(live)), "by id");
    check_eq!(store.reading("z").await, Ok(None), "of no id");
    Ok(())
}

async fn pruned(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let shop = domain("shop.lab")?;
    // Not in order of time, and the last two with the same time.
    let mut all = Vec::new();
    for number in [5_i64, 17, 3, 19, 11, 0, 8, 14, 2, 16, 7, 13, 1, 10, 18, 4, 15, 6, 12, 9] {
        let put = reading(&format!("r{number:02}"), "shop.lab", number.min(18))?;
        store.put_reading(put.clone()).await.map_err(unexpected_error)?;
        store
            .put_reading(reading(&format!("o{number}"), "other.lab", number)?)
            .await
            .map_err(unexpected_error)?;
        all.push(put);
    }
    all.sort_by(|a, b| (b.observed_at, &b.id).cmp(&(a.observed_at, &a.id)));
    all.truncate(READINGS_KEPT_PER_DOMAIN);
    same_as("the newest", store.readings_of(&shop, usize::MAX).await, &all)?;
    // One that is older than all of these does not stay.
    store.put_reading(reading("old", "shop.lab", -1)?).await.map_err(unexpected_error)?;
    same_as("the newest still", store.readings_of(&shop, usize::MAX).await, &all)?;
    check_eq!(store.reading("old").await, Ok(None), "the old one");
    let others =
        store.readings_of(&domain("other.lab")?, usize::MAX).await.map_err(unexpected_error)?;
    check_eq!(others.len(), READINGS_KEPT_PER_DOMAIN, "those of another domain");
    Ok(())
}

async fn once(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let first = reading("a", "shop.lab", 1)?;
    store.put_reading(first.clone()).await.map_err(unexpected_error)?;
    check_eq!(store.put_reading(first.clone()).await, Ok(()), "the same again");
    let refused = store.put_reading(StoredReading { completed: false, ..first.clone() }).await;
    check!(matches!(refused, Err(StoreError::Duplicate { .. })), "another: {refused:?}");
    check_eq!(store.reading("a").await, Ok(Some(first)), "what was kept");
    Ok(())
}

async fn listed(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut ids = Vec::new();
    for number in 0..9 {
        let id = format!("r{number}");
        store
            .put_reading(reading(&id, &format!("d{number}.lab"), 0)?)
            .await
            .map_err(unexpected_error)?;
        ids.push(id);
    }
    let (first, others) = ids.split_at(4);
    same_as("the first page", store.list_readings(None, 4).await, first)?;
    same_as("the rest", store.list_readings(Some("r3".into()), usize::MAX).await, others)?;
    check_eq!(store.list_readings(Some("r8".into()), 9).await, Ok(vec![]), "beyond the end");
    Ok(())
}
