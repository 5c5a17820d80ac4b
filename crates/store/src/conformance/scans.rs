//! Cases for scans.

use bytes::Bytes;
use contract::Timestamp;
use futures_util::future::join_all;

use super::harness::{Case, CaseResult, Engine, check, check_eq, unexpected_error};
use super::sample_values::{at, domain, noise, scan};
use crate::{Digest, MAX_VALUE_BYTES, Scan, ScanRow, ScanScope, StoreError, Visibility};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a scan comes back byte for byte, also after reopening", |e| Box::pin(comes_back(e))),
    ("an unknown id returns nothing", |e| Box::pin(unknown(e))),
    ("a duplicate id is refused and changes nothing", |e| Box::pin(duplicate(e))),
    ("unusual contents are stored unchanged", |e| Box::pin(odd_contents(e))),
    ("a record of one mebibyte is stored, one that is too large is refused", |e| {
        Box::pin(large(e))
    }),
    ("times keep their milliseconds", |e| Box::pin(times(e))),
    ("the latest scan is the last by time, then by id", |e| Box::pin(latest(e))),
    ("unlisted and private scans are never listed", |e| Box::pin(visibility(e))),
    ("history pages through equal times", |e| Box::pin(history(e))),
    ("the export pages through everything", |e| Box::pin(export(e))),
    ("the scans of two hundred concurrent writers are all stored", |e| Box::pin(many_writers(e))),
    ("of several writers with one id, one succeeds", |e| Box::pin(one_winner(e))),
    ("a damaged scan is an error", |e| Box::pin(damaged(e))),
];

async fn comes_back(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let put = scan("scan-1", "shop.lab", 0)?;
    store.put_scan(put.clone()).await.map_err(unexpected_error)?;
    check_eq!(store.scan("scan-1").await, Ok(Some(put.clone())), "just put");
    drop(store);
    let store = location.open().await;
    check_eq!(store.scan("scan-1").await, Ok(Some(put.clone())), "after reopening");
    let latest = store.latest_scan(&put.domain, None, ScanScope::PublicOnly).await;
    check_eq!(latest, Ok(Some(put)), "as the latest");
    Ok(())
}

async fn unknown(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    store.put_scan(scan("scan-1", "shop.lab", 0)?).await.map_err(unexpected_error)?;
    for id in ["", "scan-", "scan-11", "SCAN-1", "scan-1 ", "scan%", "' OR 1=1 --"] {
        check_eq!(store.scan(id).await, Ok(None), "id {id:?}");
    }
    let other = domain("other.lab")?;
    check_eq!(
        store.latest_scan(&other, None, ScanScope::All).await,
        Ok(None),
        "latest of another domain"
    );
    check_eq!(
        store.scans_of(&other, ScanScope::All, None, 10).await,
        Ok(vec![]),
        "history of another"
    );
    Ok(())
}

async fn duplicate(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let first = scan("scan-1", "shop.lab", 0)?;
    store.put_scan(first.clone()).await.map_err(unexpected_error)?;
    let mut second = scan("scan-1", "other.lab", 5)?;
    second.record = Bytes::from_static(b"{}");
    second.artifacts = vec![Digest::of(b"only the refused scan has this")];
    let refused = StoreError::Duplicate { what: "scan", id: String::from("scan-1") };
    check_eq!(store.put_scan(second.clone()).await, Err(refused.clone()), "other content");
    check_eq!(store.put_scan(first.clone()).await, Err(refused), "the same content");
    check_eq!(store.scan("scan-1").await, Ok(Some(first.clone())), "what was kept first");
    let latest = store.latest_scan(&second.domain, None, ScanScope::All).await;
    check_eq!(latest, Ok(None), "nothing of the second");
    check_eq!(store.export_scans(None, 10).await, Ok(vec![first.row()]), "the export");
    Ok(())
}

async fn odd_contents(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut odd = Vec::new();
    for (number, record) in [
        Bytes::new(),
        Bytes::from_static(b"\0"),
        Bytes::from_static(b"\xff\xfe not UTF-8 \0\r\n"),
        Bytes::from("Grüße, 你好, 🜨, e\u{301}, \u{202e}, \u{feff}"),
        Bytes::from(vec![b' '; 100_000]),
    ]
    .into_iter()
    .enumerate()
    {
        let mut put = scan(&format!("odd-{number}"), "odd.lab", 0)?;
        put.evidence = record.iter().rev().copied().collect();
        put.record = record;
        odd.push(put);
    }
    odd.push(Scan { grade: None, overall: None, ..scan("no grade", "odd.lab", 0)? });
    odd.push(Scan { grade: Some(String::new()), ..scan("empty grade", "odd.lab", 0)? });
    odd.push(Scan { grade: Some("Ä 'B' \"C\"".into()), ..scan("id 'Ü' 🜨", "odd.lab", 0)? });
    odd.push(Scan {
        overall: Some(u32::MAX),
        score_version: u32::MAX,
        ..scan("most", "odd.lab", 0)?
    });
    odd.push(Scan { overall: Some(0), score_version: 0, ..scan("least", "odd.lab", 0)? });
    odd.push(Scan { artifacts: vec![], ..scan("no artefacts", "odd.lab", 0)? });
    odd.push(Scan { artifacts: vec![Digest::of(b"twice"); 2], ..scan("twice", "odd.lab", 0)? });
    for put in &odd {
        store.put_scan(put.clone()).await.map_err(unexpected_error)?;
    }
    for put in odd {
        check_eq!(store.scan(&put.id).await, Ok(Some(put.clone())), "{}", put.id);
    }
    Ok(())
}

async fn large(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut put = scan("large", "shop.lab", 0)?;
    put.record = noise(1, 1024 * 1024);
    put.evidence = noise(2, 1024 * 1024 + 1);
    put.artifacts = (0..500_u32).map(|n| Digest::of(&n.to_le_bytes())).collect();
    store.put_scan(put.clone()).await.map_err(unexpected_error)?;
    let got = store.scan("large").await.map_err(unexpected_error)?;
    check!(got.as_ref() == Some(&put), "a mebibyte did not come back as it was put");

    let mut longest = scan("longest", "shop.lab", 0)?;
    longest.record = Bytes::from(vec![b'x'; MAX_VALUE_BYTES]);
    store.put_scan(longest.clone()).await.map_err(unexpected_error)?;
    let got = store.scan("longest").await.map_err(unexpected_error)?;
    check!(got.as_ref() == Some(&longest), "the longest record did not come back as it was put");

    let mut too_large = scan("too large", "shop.lab", 0)?;
    too_large.evidence = Bytes::from(vec![0; MAX_VALUE_BYTES + 1]);
    let refused = store.put_scan(too_large).await;
    check!(matches!(refused, Err(StoreError::TooLarge { .. })), "too large: {refused:?}");
    check_eq!(store.scan("too large").await, Ok(None), "a refused scan");
    Ok(())
}

async fn times(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    for (number, ms) in [i64::MIN, -1, 0, 1, 999, 1_794_711_380_007, 1_794_711_380_008, i64::MAX]
        .into_iter()
        .enumerate()
    {
        let id = format!("time-{number}");
        let mut put = scan(&id, "shop.lab", 0)?;
        put.scanned_at = Timestamp::from_millis(ms);
        store.put_scan(put.clone()).await.map_err(unexpected_error)?;
        let got = store.scan(&id).await.map_err(unexpected_error)?.map(|scan| scan.scanned_at);
        check_eq!(got, Some(put.scanned_at), "{ms} ms");
        // Times only rise here, so each is the latest when it is put.
        let latest =
            store.latest_scan(&put.domain, Some(put.scanned_at), ScanScope::PublicOnly).await;
        check_eq!(latest.map(|scan| scan.map(|scan| scan.id)), Ok(Some(id)), "latest at {ms} ms");
    }
    let last = Timestamp::from_millis(1_794_711_380_008);
    let rows = store.export_scans(None, 100).await.map_err(unexpected_error)?;
    let from = rows.iter().filter(|row| row.scanned_at >= last).count();
    check_eq!(from, 2, "scans at or after the last but one");
    Ok(())
}

async fn latest(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let shop = domain("shop.lab")?;
    for (id, name, ms) in [
        ("b", "shop.lab", 10),
        ("c", "shop.lab", 10),
        ("a", "shop.lab", 10),
        ("z", "shop.lab", 9),
        ("later", "other.lab", 99),
        ("sub", "www2.shop.lab", 99),
    ] {
        store.put_scan(scan(id, name, ms)?).await.map_err(unexpected_error)?;
    }
    for (since, expected) in [
        (None, Some("c")),
        (Some(at(9)), Some("c")),
        (Some(at(10)), Some("c")),
        (Some(at(11)), None),
        (Some(Timestamp::from_millis(i64::MAX)), None),
    ] {
        let got = store
            .latest_scan(&shop, since, ScanScope::PublicOnly)
            .await
            .map_err(unexpected_error)?;
        check_eq!(got.map(|scan| scan.id).as_deref(), expected, "since {since:?}");
    }
    Ok(())
}

async fn visibility(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let shop = domain("shop.lab")?;
    let mut all = Vec::new();
    for (id, ms, visibility) in [
        ("old", 1, Visibility::Public),
        ("open", 2, Visibility::Public),
        ("link", 3, Visibility::Unlisted),
        ("owner", 4, Visibility::Private),
    ] {
        let put = Scan { visibility, ..scan(id, "shop.lab", ms)? };
        store.put_scan(put.clone()).await.map_err(unexpected_error)?;
        all.push(put);
    }
    for put in &all {
        check_eq!(store.scan(&put.id).await, Ok(Some(put.clone())), "by id");
    }
    let latest = async |since, scope| {
        store.latest_scan(&shop, since, scope).await.map(|scan| scan.map(|scan| scan.id))
    };
    check_eq!(latest(None, ScanScope::PublicOnly).await, Ok(Some("open".into())), "latest listed");
    check_eq!(
        latest(Some(at(3)), ScanScope::PublicOnly).await,
        Ok(None),
        "latest listed since the hidden ones"
    );
    check_eq!(latest(None, ScanScope::All).await, Ok(Some("owner".into())), "latest of all");
    check_eq!(
        ids(&store
            .scans_of(&shop, ScanScope::PublicOnly, None, 10)
            .await
            .map_err(unexpected_error)?),
        ["open", "old"],
        "listed history"
    );
    check_eq!(
        ids(&store.scans_of(&shop, ScanScope::All, None, 10).await.map_err(unexpected_error)?),
        ["owner", "link", "open", "old"],
        "whole history"
    );
    let exported = store.export_scans(None, 10).await.map_err(unexpected_error)?;
    check_eq!(exported, all.iter().map(Scan::row).collect::<Vec<_>>(), "the export");
    Ok(())
}

async fn history(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let shop = domain("shop.lab")?;
    let mut expected = Vec::new();
    // Four scans per time, so that a page ends between scans of equal times.
    for number in 0..40_i64 {
        let id = format!("scan-{:02}", (number * 7) % 40);
        let mut put = scan(&id, "shop.lab", number / 4)?;
        put.overall = u32::try_from(number).ok();
        expected.push(put.row());
        store.put_scan(put).await.map_err(unexpected_error)?;
    }
    store.put_scan(scan("other", "other.lab", 3)?).await.map_err(unexpected_error)?;
    expected.sort_by_key(|row| std::cmp::Reverse(row.cursor()));
    for page in [1, 3, 7, 40, 1000] {
        let mut got: Vec<ScanRow> = Vec::new();
        loop {
            let before = got.last().map(ScanRow::cursor);
            let rows = store
                .scans_of(&shop, ScanScope::PublicOnly, before, page)
                .await
                .map_err(unexpected_error)?;
            check!(rows.len() <= page, "a page of {page} holds {}", rows.len());
            if rows.is_empty() {
                break;
            }
            got.extend(rows);
        }
        check_eq!(got, expected, "pages of {page}");
    }
    check_eq!(
        store.scans_of(&shop, ScanScope::PublicOnly, None, 0).await,
        Ok(vec![]),
        "a page of none"
    );
    let most = store
        .scans_of(&shop, ScanScope::PublicOnly, None, usize::MAX)
        .await
        .map_err(unexpected_error)?;
    check_eq!(most.len(), 40, "a page without end");
    Ok(())
}

async fn export(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut expected = Vec::new();
    for number in 0..30_i64 {
        let visibility =
            Visibility::ALL.into_iter().cycle().nth(usize::try_from(number).unwrap_or(0));
        let put = Scan {
            visibility: visibility.unwrap_or(Visibility::Public),
            ..scan(
                &format!("s{:02}", (number * 11) % 30),
                &format!("d{}.lab", number % 4),
                number / 3,
            )?
        };
        expected.push(put.row());
        store.put_scan(put).await.map_err(unexpected_error)?;
    }
    expected.sort_by_key(ScanRow::cursor);
    for page in [1, 4, 30, 100] {
        let mut got: Vec<ScanRow> = Vec::new();
        loop {
            let after = got.last().map(ScanRow::cursor);
            let rows = store.export_scans(after, page).await.map_err(unexpected_error)?;
            if rows.is_empty() {
                break;
            }
            got.extend(rows);
        }
        check_eq!(got, expected, "pages of {page}");
    }
    Ok(())
}

async fn many_writers(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut scans = Vec::new();
    for number in 0..200_i64 {
        let mut put = scan(&format!("w{number}"), &format!("d{}.lab", number % 10), number)?;
        put.record = noise(u64::try_from(number).unwrap_or(0), 2_000);
        scans.push(put);
    }
    let results = join_all(scans.iter().map(|put| store.put_scan(put.clone()))).await;
    for (result, put) in results.into_iter().zip(&scans) {
        check_eq!(result, Ok(()), "writer of {}", put.id);
    }
    drop(store);
    let store = location.open().await;
    for put in &scans {
        check_eq!(store.scan(&put.id).await, Ok(Some(put.clone())), "after reopening");
    }
    check_eq!(store.export_scans(None, 1000).await.map(|rows| rows.len()), Ok(200), "how many");
    Ok(())
}

async fn one_winner(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let mut scans = Vec::new();
    for number in 0..20_i64 {
        scans.push(scan("contested", &format!("d{number}.lab"), number)?);
        // A writer with another id: the failures of the others must not affect it.
        scans.push(scan(&format!("bystander-{number}"), "shop.lab", number)?);
    }
    let results = join_all(scans.iter().map(|put| store.put_scan(put.clone()))).await;
    let mut winner = None;
    for (result, put) in results.iter().zip(&scans) {
        match result {
            Ok(()) if put.id == "contested" => {
                check!(winner.is_none(), "two writers of one id were both told that it is kept");
                winner = Some(put.clone());
            }
            Ok(()) => {}
            Err(StoreError::Duplicate { .. }) if put.id == "contested" => {}
            Err(other) => return Err(format!("{}: {other}", put.id)),
        }
    }
    check!(winner.is_some(), "no writer of the contested id was told that it is kept");
    check_eq!(store.scan("contested").await, Ok(winner), "the winner");
    check_eq!(store.export_scans(None, 100).await.map(|rows| rows.len()), Ok(21), "how many");
    Ok(())
}

async fn damaged(engine: &dyn Engine) -> CaseResult {
    let location = engine.new_location().await;
    let store = location.open().await;
    let good = scan("good", "good.lab", 0)?;
    store.put_scan(good.clone()).await.map_err(unexpected_error)?;
    let mut bad = scan("bad", "bad.lab", 0)?;
    bad.record = noise(9, 10_000);
    store.put_scan(bad.clone()).await.map_err(unexpected_error)?;
    drop(store);
    location.damage_scan("bad").await;
    let store = location.open().await;
    let got = store.scan("bad").await;
    check!(matches!(got, Err(StoreError::Damaged { .. })), "by id: {got:?}");
    let got = store.latest_scan(&bad.domain, None, ScanScope::PublicOnly).await;
    check!(matches!(got, Err(StoreError::Damaged { .. })), "as the latest: {got:?}");
    check_eq!(store.scan("good").await, Ok(Some(good)), "its neighbour");
    Ok(())
}

fn ids(rows: &[ScanRow]) -> Vec<&str> {
    rows.iter().map(|row| row.id.as_str()).collect()
}
