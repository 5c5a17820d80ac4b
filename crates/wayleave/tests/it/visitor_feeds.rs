//! Lists of addresses that are broken in every way that the lab knows: the last good copy stays, and the
//! fault is told.

use std::sync::Arc;

use agents::{Catalogue, KnownAgents};
use contract::{Clock, NamePolicy};
use door::{Door, Policy, ResolverChoice, SystemClock};
use futures_util::future::join_all;
use lab::{FeedBehaviour, Lab, LabOptions};
use service::visitors::{FeedRefresh, FeedRefresher};
use service::{Scanner, Settings, SystemIds};
use store::Feeds;
use store_sqlite::{SqliteOptions, SqliteStore};

/// Faults that leave a usable list: its entries between others, its bytes under another type, at another
/// address, or not sent again.
const HARMLESS: [&str; 4] = ["dirty", "wrong_type", "redirect_once", "not_modified_without_etag"];

fn refresher(lab: &Lab) -> FeedRefresher {
    let network = lab.network();
    let policy = Policy {
        names: NamePolicy { allow_suffixes: network.allow_names.clone(), allow_ports: vec![] },
        allow_networks: network.allow_networks.iter().map(|text| text.parse().unwrap()).collect(),
        resolver: ResolverChoice::Server(network.resolver),
        http_port: network.http_port,
        https_port: network.https_port,
        extra_ca: door::read_pem(network.ca_pem.as_bytes()).unwrap(),
        ..Policy::public()
    };
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let door = Door::new(policy, Arc::clone(&clock)).unwrap();
    let catalogue = Catalogue::built_in().unwrap();
    let settings = Settings::new("https://svc.example".to_owned()).scanner();
    let scanner = Scanner::new(settings, door, catalogue, Arc::clone(&clock), Arc::new(SystemIds));
    FeedRefresher { scanner, clock }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broken_list_never_replaces_a_good_one() {
    let lab = Lab::start(LabOptions::default()).await.unwrap();
    let refresher = refresher(&lab);
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path(), SqliteOptions::default()).unwrap();
    let known = KnownAgents::built_in().unwrap();
    // A list of its own for every fault, all in the most common format; the first is long enough to shrink.
    let feeds = lab::feeds().iter().filter(|feed| feed.format == lab::FeedFormat::PrefixJson);
    let mut ids: Vec<&str> = feeds.map(|feed| feed.id).collect();
    ids.sort_by_key(|id| *id != "openai-gptbot");
    let faults = FeedBehaviour::faults();
    assert_eq!(faults[0].0, "shrunken");
    assert!(ids.len() >= faults.len(), "{} lists, {} faults", ids.len(), faults.len());
    let checks = faults.iter().zip(ids).map(async |((fault, behaviour), id)| {
        let index = known.feed_index(id).unwrap();
        let mut feed = known.feed(index).unwrap().clone();
        feed.url = lab::feed_url(id);
        let (first, good) = refresher.refresh(&feed, &store).await.unwrap();
        assert!(matches!(first, FeedRefresh::Replaced { prefixes } if prefixes > 0), "{first:?}");
        assert!(lab.set_feed(id, behaviour.clone()));
        let (refresh, copy) = refresher.refresh(&feed, &store).await.unwrap();
        // A prefix with an invisible character inside is read as what people see.
        if *fault != "dirty" {
            assert_eq!(copy.prefixes, good.prefixes, "{fault}");
        }
        assert!(copy.prefix_count >= good.prefix_count, "{fault}");
        let stored = store.feed(id).await.unwrap().unwrap();
        assert_eq!(stored, copy, "{fault}");
        match refresh {
            FeedRefresh::Failed { why } => {
                assert!(!HARMLESS.contains(fault), "{fault}: {why}");
                assert!(why.ends_with('.') && why.len() > 20, "{fault}: {why}");
                assert_eq!((copy.failures, copy.fetched_at), (1, good.fetched_at), "{fault}");
                assert_eq!(copy.last_fault, Some(why), "{fault}");
            }
            other => assert!(HARMLESS.contains(fault), "{fault}: {other:?}"),
        }
        // A list that works again is used again.
        assert!(lab.set_feed(id, FeedBehaviour::Grown));
        let (refresh, copy) = refresher.refresh(&feed, &store).await.unwrap();
        assert!(matches!(refresh, FeedRefresh::Replaced { .. }), "{fault}: {refresh:?}");
        assert_eq!((copy.failures, copy.last_fault), (0, None), "{fault}");
    });
    join_all(checks).await;
}
