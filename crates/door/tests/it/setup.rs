//! A running lab, and doors that read it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use contract::NamePolicy;
use contract::evidence::{Exchange, ExchangeOutcome, Failure, Response};
use door::{
    Door, FetchRequest, FetchResult, PhaseTimeouts, Policy, ReadKind, RedirectPolicy,
    ResolverChoice, SystemClock, Visit, read_pem,
};
use lab::{Lab, LabOptions};
use tokio::net::TcpListener;

pub(crate) async fn lab() -> Lab {
    Lab::start(LabOptions::default()).await.unwrap()
}

/// A policy for the lab, with shorter full-scan timeouts so that tests do not wait.
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
    policy.limits.full_phases = PhaseTimeouts {
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

pub(crate) fn page(url: &str) -> FetchRequest {
    FetchRequest {
        url: url.to_owned(),
        identity: "browser".to_owned(),
        headers: vec![
            ("User-Agent".to_owned(), "Mozilla/5.0 (X11; Linux x86_64)".to_owned()),
            ("Accept".to_owned(), "text/html,*/*;q=0.8".to_owned()),
            ("Accept-Encoding".to_owned(), "gzip, deflate, br, zstd".to_owned()),
        ],
        kind: ReadKind::Page,
        max_wire_bytes: None,
        timeout: None,
        fresh_connection: false,
        redirects: RedirectPolicy::All,
    }
}

/// Reads one page in a visit of its own.
pub(crate) async fn read(lab: &Lab, url: &str) -> FetchResult {
    visit(lab).fetch(page(url)).await
}

pub(crate) fn response(exchange: &Exchange) -> &Response {
    match &exchange.outcome {
        ExchangeOutcome::Response(response) => response,
        ExchangeOutcome::Failed(failure) => panic!("{}: {failure:?}", exchange.url),
    }
}

/// The failure of a read, before the head or in the body.
pub(crate) fn stopped(exchange: &Exchange) -> Option<&Failure> {
    match &exchange.outcome {
        ExchangeOutcome::Response(response) => response.body.cut.as_ref(),
        ExchangeOutcome::Failed(failure) => Some(failure),
    }
}

/// Kind and reason code of a failed read.
pub(crate) fn why(exchange: &Exchange) -> (&str, &str) {
    let failure = stopped(exchange).unwrap_or_else(|| panic!("nothing stopped {}", exchange.url));
    (failure.kind.as_str(), failure.reason.as_str())
}

/// A test listener at the address of a lab site, and a policy that allows its port.
pub(crate) async fn listen(lab: &Lab, host: &str) -> (TcpListener, Policy, String) {
    let address = lab.address(host).unwrap();
    let listener = TcpListener::bind(SocketAddr::new(address.into(), 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut policy = policy(lab);
    policy.names.allow_ports.push(port);
    (listener, policy, format!("http://{host}:{port}"))
}
