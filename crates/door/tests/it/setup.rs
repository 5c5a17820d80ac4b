//! A running lab, and doors that lead into it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use contract::NamePolicy;
use contract::evidence::{Exchange, Failure, Outcome, Response};
use door::{
    Door, Fetched, Follow, Phases, Policy, ReadKind, Request, ResolverChoice, SystemClock, Visit,
    read_pem,
};
use lab::{Lab, LabOptions};
use tokio::net::TcpListener;

pub(crate) async fn lab() -> Lab {
    Lab::start(LabOptions::default()).await.unwrap()
}

/// The lab as a policy, with the times of a full scan cut short so that tests need not wait.
pub(crate) fn policy(lab: &Lab) -> Policy {
    let network = lab.network();
    let mut policy = Policy {
        names: NamePolicy { allow_suffixes: network.allow_names.clone(), allow_ports: vec![] },
        allow_networks: network.allow_networks.iter().map(|net| net.parse().unwrap()).collect(),
        resolver: ResolverChoice::Server(network.resolver),
        http_port: network.http_port,
        https_port: network.https_port,
        extra_ca: read_pem(network.ca_pem.as_bytes()).unwrap(),
        ..Policy::public()
    };
    policy.limits.full = Phases {
        dns: Duration::from_millis(2500),
        connect: Duration::from_secs(2),
        tls: Duration::from_secs(3),
        head: Duration::from_secs(4),
    };
    policy
}

pub(crate) fn door(policy: Policy) -> Door {
    Door::new(policy, Arc::new(SystemClock)).unwrap()
}

pub(crate) fn visit(lab: &Lab) -> Visit {
    door(policy(lab)).visit(Duration::from_secs(30))
}

pub(crate) fn page(url: &str) -> Request {
    Request {
        url: url.to_owned(),
        identity: "browser".to_owned(),
        headers: vec![
            ("User-Agent".to_owned(), "Mozilla/5.0 (X11; Linux x86_64)".to_owned()),
            ("Accept".to_owned(), "text/html,*/*;q=0.8".to_owned()),
            ("Accept-Encoding".to_owned(), "gzip, deflate, br, zstd".to_owned()),
        ],
        kind: ReadKind::Page,
        timeout: None,
        fresh_connection: false,
        follow: Follow::All,
    }
}

/// Reads one page in a visit of its own.
pub(crate) async fn read(lab: &Lab, url: &str) -> Fetched {
    visit(lab).fetch(page(url)).await
}

pub(crate) fn response(exchange: &Exchange) -> &Response {
    match &exchange.outcome {
        Outcome::Response(response) => response,
        Outcome::Failed(failure) => panic!("{}: {failure:?}", exchange.url),
    }
}

/// What stopped a read, before the head or in the body.
pub(crate) fn stopped(exchange: &Exchange) -> Option<&Failure> {
    match &exchange.outcome {
        Outcome::Response(response) => response.body.cut.as_ref(),
        Outcome::Failed(failure) => Some(failure),
    }
}

/// Kind and reason of what stopped a read.
pub(crate) fn why(exchange: &Exchange) -> (&str, &str) {
    let failure = stopped(exchange).unwrap_or_else(|| panic!("nothing stopped {}", exchange.url));
    (failure.kind.as_str(), failure.reason.as_str())
}

/// A listener of ours at the address of a lab site, and a policy that lets its port be named.
pub(crate) async fn listen(lab: &Lab, host: &str) -> (TcpListener, Policy, String) {
    let address = lab.address(host).unwrap();
    let listener = TcpListener::bind(SocketAddr::new(address.into(), 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut policy = policy(lab);
    policy.names.allow_ports.push(port);
    (listener, policy, format!("http://{host}:{port}"))
}
