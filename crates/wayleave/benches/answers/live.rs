//! First answers, for which the site is read, compared with a bare client that makes the same requests.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use agents::Catalogue;
use bench_table::{Goal, report_ratio};
use contract::Domain;
use contract::evidence::Observer;
use door::{Door, SystemClock};
use futures_util::StreamExt as _;
use lab::Lab;
use observe::{ScanDepth, ScanPlan};

use crate::CALLERS;
use crate::bare_client::{Ask, Bare, connections};
use crate::world::{World, cpu_seconds, lab_policy};

const ROUNDS: usize = 3;

/// The requests that a live reading of a site makes, by connection.
struct SiteRequests {
    name: String,
    address: Ipv4Addr,
    lanes: Vec<Vec<Ask>>,
}

pub(crate) async fn measure(lab: &Lab, sites: usize) {
    let requests = Arc::new(collect_requests(lab, sites).await);
    let policy = lab_policy(lab);
    let bare = Bare::new(&policy.extra_ca, policy.http_port, policy.https_port);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir().unwrap();
        // A new store each time, so that every answer is the first one.
        let world = World::open(lab, folder.path()).await;
        ours.push(per_cpu_second(sites, world.read_sites(sites)).await);
        world.service.log.close().await;
        theirs.push(per_cpu_second(sites, fetch_all(&bare, &requests)).await);
    }
    let count: usize = requests.iter().flat_map(|site| &site.lanes).map(Vec::len).sum();
    let (ours, theirs) = (median(ours), median(theirs));
    println!(
        "live: {ours:.0} first answers per CPU-second; a bare client makes the same {} requests {theirs:.0} times",
        count / sites
    );
    let limit = "bare client making the same reads";
    report_ratio("first live answer per CPU-second", limit, ours / theirs, Goal::AtLeast(0.5));
}

async fn per_cpu_second(sites: usize, work: impl Future<Output = ()>) -> f64 {
    let before = cpu_seconds();
    work.await;
    sites as f64 / (cpu_seconds() - before).max(0.01)
}

async fn fetch_all(bare: &Bare, requests: &Arc<Vec<SiteRequests>>) {
    let fetches = (0..requests.len()).map(|at| {
        let (bare, requests) = (bare.clone(), Arc::clone(requests));
        let fetch = async move {
            let SiteRequests { name, address, lanes } = &requests[at];
            bare.site(name, *address, lanes).await
        };
        async move { tokio::spawn(fetch).await.unwrap() }
    });
    let all = futures_util::stream::iter(fetches).buffer_unordered(CALLERS);
    all.collect::<Vec<usize>>().await;
}

async fn collect_requests(lab: &Lab, sites: usize) -> Vec<SiteRequests> {
    let door = Door::new(lab_policy(lab), Arc::new(SystemClock)).unwrap();
    let catalogue =
        Catalogue::built_in().unwrap().with_placeholders_filled("0", "https://svc.example");
    let mut requests = Vec::new();
    for site in lab::load_test_sites().iter().take(sites) {
        let name = site.name.to_string();
        let plan = ScanPlan {
            depth: ScanDepth::Live,
            domain: &Domain::parse(&name, &door.policy().names).unwrap(),
            door: &door,
            catalogue: &catalogue,
            clock: &SystemClock,
            observer: Observer {
                name: "bench".into(),
                version: "0".into(),
                vantage: "bench".into(),
            },
            deadline: Duration::from_secs(20),
            token: "k7q2m9".into(),
            calls: None,
            progress: &|_| {},
        };
        let lanes = connections(&plan.run().await);
        requests.push(SiteRequests { address: lab.address(&name).unwrap(), name, lanes });
    }
    requests
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
