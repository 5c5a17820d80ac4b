//! Starting and stopping labs, parallel labs, recorded requests, and the trap.

use std::{net::SocketAddr, time::Duration};

use lab::{Lab, LabError, LabOptions};
use tokio::{net::TcpStream, time::Instant};

use crate::client::{BROWSER, GPTBOT, get, get_http};

#[tokio::test]
async fn starts_in_well_under_a_second_and_serves_a_site() {
    // The best of five, because other tests use the machine at the same time.
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let before = Instant::now();
        let lab = Lab::start(LabOptions::default()).await.unwrap();
        best = best.min(before.elapsed());
        let home = get(&lab, "open.lab", "/", BROWSER).await;
        assert_eq!(home.status, 200);
        assert!(home.text().contains("Harbour Lane Bakery"));
        lab.stop().await;
    }
    assert!(best < Duration::from_secs(1), "{best:?}");
}

#[tokio::test]
async fn two_labs_run_side_by_side_and_keep_their_hits_apart() {
    let first = Lab::start(LabOptions::default()).await.unwrap();
    let second = Lab::start(LabOptions::default()).await.unwrap();
    assert_ne!(first.network().http_port, second.network().http_port);
    assert_ne!(first.network().https_port, second.network().https_port);
    assert_ne!(first.network().resolver, second.network().resolver);
    assert_ne!(first.network().ca_pem, second.network().ca_pem);
    assert_eq!(get(&first, "open.lab", "/", BROWSER).await.status, 200);
    assert_eq!(get(&second, "open.lab", "/llms.txt", BROWSER).await.status, 200);
    assert_eq!(first.hits("open.lab").len(), 1);
    assert_eq!(second.hits("open.lab")[0].path, "/llms.txt");
}

#[tokio::test]
async fn stopping_frees_the_ports_even_with_connections_open() {
    let mut taken = None;
    // Another program may get one of the ports first.
    for _ in 0..5 {
        let lab = Lab::start(LabOptions::default()).await.unwrap();
        let network = lab.network().clone();
        let address = lab.address("open.lab").unwrap();
        let held = TcpStream::connect((address, network.http_port)).await.unwrap();
        assert_eq!(get_http(&lab, "open.lab", "/", BROWSER).await.status, 301);
        lab.stop().await;
        let same_ports = LabOptions {
            http_port: network.http_port,
            https_port: network.https_port,
            dns_port: network.resolver.port(),
        };
        match Lab::start(same_ports).await {
            Ok(again) => {
                assert_eq!(again.network().http_port, network.http_port);
                assert_eq!(get(&again, "open.lab", "/", BROWSER).await.status, 200);
                drop(held);
                return;
            }
            Err(error) => taken = Some(error),
        }
    }
    panic!("the ports are not free: {taken:?}");
}

#[tokio::test]
async fn dropping_stops_too() {
    let lab = Lab::start(LabOptions::default()).await.unwrap();
    let trap: SocketAddr = lab.trap().addresses()[0];
    drop(lab);
    for _ in 0..100 {
        if TcpStream::connect(trap).await.is_err() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the lab still listens");
}

#[tokio::test]
async fn a_port_that_is_taken_is_an_error_that_names_it() {
    let lab = Lab::start(LabOptions::default()).await.unwrap();
    let taken = lab.network().http_port;
    let error = Lab::start(LabOptions { http_port: taken, ..LabOptions::default() }).await;
    assert!(matches!(&error, Err(LabError::Listen { address, .. }) if address.port() == taken));
}

#[tokio::test]
async fn hits_record_the_requests_in_order() {
    let lab = Lab::start(LabOptions::default()).await.unwrap();
    get(&lab, "open.lab", "/llms.txt?a=1", GPTBOT).await;
    get_http(&lab, "blocks-ai.lab", "/", BROWSER).await;
    get(&lab, "open.lab", "/", BROWSER).await;
    let hits = lab.hits("open.lab");
    assert_eq!(hits.len(), 2);
    assert_eq!(hits[0].path, "/llms.txt");
    assert_eq!(hits[0].query.as_deref(), Some("a=1"));
    assert_eq!(hits[0].user_agent, GPTBOT);
    assert_eq!((hits[0].scheme, hits[0].version, &*hits[0].method), ("https", "1.1", "GET"));
    assert_eq!(hits[0].host, "open.lab");
    assert!(hits[0].headers.contains(&("accept".to_owned(), "*/*".to_owned())));
    assert_eq!(lab.hits("www.open.lab"), hits, "the names of one site share its hits");
    let other = lab.hits("blocks-ai.lab");
    assert_eq!(other[0].scheme, "http");
    assert!(hits[0].order < other[0].order && other[0].order < hits[1].order);
    assert_eq!(lab.connections("open.lab"), 2);
    assert_eq!(lab.hits("no-such-site.lab"), []);
}

#[tokio::test]
async fn the_trap_counts_every_connection_and_starts_at_none() {
    let lab = Lab::start(LabOptions::default()).await.unwrap();
    get(&lab, "open.lab", "/", BROWSER).await;
    assert_eq!(lab.trap().connections(), 0);
    let addresses = lab.trap().addresses().to_vec();
    for wanted in [
        SocketAddr::from(([127, 88, 0, 1], lab.network().http_port)),
        SocketAddr::from(([127, 88, 0, 1], lab.network().https_port)),
        SocketAddr::from(([127, 0, 0, 1], lab.network().http_port)),
        SocketAddr::from(([127, 0, 0, 1], lab.network().https_port)),
    ] {
        assert!(addresses.contains(&wanted), "{wanted} is not trapped: {addresses:?}");
    }
    for address in &addresses {
        TcpStream::connect(address).await.unwrap();
    }
    for _ in 0..100 {
        if lab.trap().connections() == addresses.len() as u64 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} of {} connections counted", lab.trap().connections(), addresses.len());
}
