//! Compares the fetch throughput of the door with that of a bare client, as a ratio.
//!
//! Both read the same 13.6 KB page with the same request from the same static server on loopback,
//! with one new connection per fetch and sixteen fetches in parallel, on one worker thread; the
//! servers have their own thread. The door does everything that it does for an unknown site: a new
//! visit each time, one look-up (A and AAAA) at a local name server, the guard, a full TLS
//! handshake with the certificate checks, reading, hashing and recording. The bare client knows the
//! address, verifies the certificate, and collects the body.
//!
//! Rates are fetches per CPU-second of the client. The two alternate, and the result is the median
//! of the ratios of neighbouring rounds.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measuring program with its own servers, not part of the product"
)]

use std::convert::Infallible;
use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bench_table::{Goal, report_ratio};
use bytes::Bytes;
use contract::evidence::ExchangeOutcome;
use door::{Door, FetchRequest, Policy, ReadKind, RedirectPolicy, ResolverChoice, SystemClock};
use hickory_proto::op::{Message, MessageType};
use hickory_proto::rr::rdata::A;
use hickory_proto::rr::{RData, Record, RecordType};
use http_body_util::{BodyExt, Empty, Full};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio_rustls::{TlsAcceptor, TlsConnector};

const HOST: &str = "static.lab";
const PAGE_BYTES: usize = 13_600;
/// The request headers of both clients.
const HEADERS: [(&str, &str); 3] = [
    ("user-agent", "Mozilla/5.0 (X11; Linux x86_64)"),
    ("accept", "text/html,*/*;q=0.8"),
    ("accept-encoding", "gzip, br, zstd"),
];
const ROUNDS: usize = 41;
/// Parallel fetches.
const UNDER_WAY: u32 = 16;
/// The ratios to reach.
const HTTP_GOAL: f64 = 0.45;
const HTTPS_GOAL: f64 = 0.80;

fn main() {
    let farm = Farm::start();
    let client = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("client")
        .enable_all()
        .build()
        .unwrap();
    let work = client.spawn(async move {
        let door = farm.door();
        let bare = Bare::new(&farm);
        println!("fetches per CPU-second of one thread, {PAGE_BYTES} bytes, median of {ROUNDS}");
        let http =
            compare(500, || bare.clone().http(), || fetch(door.clone(), format!("http://{HOST}/")))
                .await;
        report("http", &http, HTTP_GOAL);
        let https = compare(
            60,
            || bare.clone().https(),
            || fetch(door.clone(), format!("https://{HOST}/")),
        )
        .await;
        report("https", &https, HTTPS_GOAL);
    });
    client.block_on(work).unwrap();
}

fn report(scheme: &str, rates: &Rates, goal: f64) {
    let Rates { bare, door, ratio } = rates;
    println!("{scheme:>5}  bare {bare:>6.0}  door {door:>6.0}");
    let path = format!("fetch over {scheme}, a new connection each");
    report_ratio(&path, "bare client", *ratio, Goal::AtLeast(goal));
}

/// Measures both clients alternately. Other load on the machine affects both, so the ratio is taken
/// from neighbouring rounds.
async fn compare<A, B>(
    count: u32,
    mut bare: impl FnMut() -> A,
    mut door: impl FnMut() -> B,
) -> Rates
where
    A: Future<Output = ()> + Send + 'static,
    B: Future<Output = ()> + Send + 'static,
{
    let mut rounds = Vec::new();
    // The first round warms up and is not counted.
    for round in 0..=ROUNDS {
        let pair = (rate(count, &mut bare).await, rate(count, &mut door).await);
        if round > 0 {
            rounds.push(pair);
        }
    }
    Rates {
        bare: median(rounds.iter().map(|(bare, _)| *bare)),
        door: median(rounds.iter().map(|(_, door)| *door)),
        ratio: median(rounds.iter().map(|(bare, door)| door / bare)),
    }
}

struct Rates {
    bare: f64,
    door: f64,
    ratio: f64,
}

/// A scanner has many parallel reads, so both clients do here.
async fn rate<F>(count: u32, run: &mut impl FnMut() -> F) -> f64
where
    F: Future<Output = ()> + Send + 'static,
{
    let start = cpu_nanos();
    let mut tasks = tokio::task::JoinSet::new();
    for at in 0..count {
        if at >= UNDER_WAY {
            tasks.join_next().await.unwrap().unwrap();
        }
        tasks.spawn(run());
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    f64::from(count) * 1e9 / (cpu_nanos() - start) as f64
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Time the client's threads have spent on a CPU, in user and kernel together.
fn cpu_nanos() -> u64 {
    let mut sum = 0;
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        let task = task.unwrap().path();
        if std::fs::read_to_string(task.join("comm")).unwrap_or_default().trim() == "client" {
            let text = std::fs::read_to_string(task.join("schedstat")).unwrap();
            sum += text.split_whitespace().next().unwrap().parse::<u64>().unwrap();
        }
    }
    sum
}

async fn fetch(door: Door, url: String) {
    let fetched = door
        .visit(Duration::from_secs(10))
        .fetch(FetchRequest {
            url,
            identity: "browser".to_owned(),
            headers: HEADERS.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            kind: ReadKind::Page,
            max_wire_bytes: None,
            timeout: None,
            fresh_connection: false,
            redirects: RedirectPolicy::All,
        })
        .await;
    let ExchangeOutcome::Response(response) = &fetched.exchange.outcome else {
        panic!("{:?}", fetched.exchange.outcome)
    };
    assert_eq!((response.status, fetched.body.len()), (200, PAGE_BYTES));
}

/// The minimum: connect, request, collect.
#[derive(Clone)]
struct Bare {
    http: SocketAddr,
    https: SocketAddr,
    tls: TlsConnector,
}

impl Bare {
    fn new(farm: &Farm) -> Self {
        let mut roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        roots.add(farm.authority.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.resumption = rustls::client::Resumption::disabled();
        Self { http: farm.http, https: farm.https, tls: TlsConnector::from(Arc::new(config)) }
    }

    async fn http(self) {
        let stream = TcpStream::connect(self.http).await.unwrap();
        stream.set_nodelay(true).unwrap();
        collect(stream).await;
    }

    async fn https(self) {
        let stream = TcpStream::connect(self.https).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let name = ServerName::try_from(HOST).unwrap();
        collect(self.tls.connect(name, stream).await.unwrap()).await;
    }
}

async fn collect<S>(stream: S)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
    let driving = tokio::spawn(connection);
    let mut request = hyper::Request::get("/").header("host", HOST);
    for (name, value) in HEADERS {
        request = request.header(name, value);
    }
    let request = request.body(Empty::<Bytes>::new()).unwrap();
    let response = sender.send_request(request).await.unwrap();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body.len(), PAGE_BYTES);
    driving.abort();
}

/// Serves the page over http and https, with a name server for its name.
struct Farm {
    http: SocketAddr,
    https: SocketAddr,
    resolver: SocketAddr,
    authority: CertificateDer<'static>,
}

impl Farm {
    fn start() -> Self {
        let (authority, acceptor) = certificates();
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                let any = (Ipv4Addr::LOCALHOST, 0);
                let http = TcpListener::bind(any).await.unwrap();
                let https = TcpListener::bind(any).await.unwrap();
                let dns = UdpSocket::bind(any).await.unwrap();
                let addresses =
                    [http.local_addr(), https.local_addr(), dns.local_addr()].map(Result::unwrap);
                sender.send(addresses).unwrap();
                tokio::join!(serve(http, None), serve(https, Some(acceptor)), answer(dns));
            });
        });
        let [http, https, resolver] = receiver.recv().unwrap();
        Self { http, https, resolver, authority }
    }

    fn door(&self) -> Door {
        let mut policy = Policy {
            allow_networks: vec!["127.0.0.1/32".parse().unwrap()],
            resolver: ResolverChoice::Server(self.resolver),
            http_port: self.http.port(),
            https_port: self.https.port(),
            extra_ca: vec![self.authority.clone()],
            targets: door::TargetLimits::none(),
            ..Policy::public()
        };
        policy.names.allow_suffixes.push("lab".to_owned());
        Door::new(policy, Arc::new(SystemClock)).unwrap()
    }
}

fn certificates() -> (CertificateDer<'static>, TlsAcceptor) {
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let leaf = CertificateParams::new(vec![HOST.to_owned()]).unwrap();
    let leaf = leaf.signed_by(&key, &authority).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![leaf.der().clone()],
            PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
        )
        .unwrap();
    config.send_tls13_tickets = 0;
    (authority.der().clone(), TlsAcceptor::from(Arc::new(config)))
}

async fn serve(listener: TcpListener, tls: Option<TlsAcceptor>) {
    let page = Bytes::from(
        b"<p>A page of an ordinary size. "
            .iter()
            .copied()
            .cycle()
            .take(PAGE_BYTES)
            .collect::<Vec<u8>>(),
    );
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (page, tls) = (page.clone(), tls.clone());
        tokio::spawn(async move {
            match tls {
                None => respond(stream, page).await,
                Some(tls) => {
                    if let Ok(stream) = tls.accept(stream).await {
                        respond(stream, page).await;
                    }
                }
            }
        });
    }
}

async fn respond<S>(stream: S, page: Bytes)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin + 'static,
{
    let service = service_fn(move |_| {
        let response = hyper::Response::builder()
            .header("content-type", "text/html")
            .body(Full::new(page.clone()))
            .unwrap();
        async move { Ok::<_, Infallible>(response) }
    });
    // The client closes the connection when it is done.
    let _ = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn answer(socket: UdpSocket) {
    let mut packet = [0; 1500];
    loop {
        let (length, from) = socket.recv_from(&mut packet).await.unwrap();
        let mut message = Message::from_vec(&packet[..length]).unwrap();
        message.metadata.message_type = MessageType::Response;
        let query = message.queries[0].clone();
        if query.query_type() == RecordType::A {
            let here = RData::A(A(Ipv4Addr::LOCALHOST));
            message.add_answer(Record::from_rdata(query.name().clone(), 60, here));
        }
        socket.send_to(&message.to_vec().unwrap(), from).await.unwrap();
    }
}
