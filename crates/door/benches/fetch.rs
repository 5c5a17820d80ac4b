//! Compares the fetch throughput of the door with that of a bare client, as a ratio.
//!
//! Both read the same 13.6 KB page with the same request from the same static server on loopback,
//! with one new connection per fetch and sixteen fetches in parallel, on one worker thread; the
//! servers have their own thread. The door does everything that it does for an unknown site: a new
//! visit each time, one look-up (A and AAAA) at a local name server, the guard, a full TLS
//! handshake with the certificate checks, reading, hashing and recording. The bare client knows the
//! address, verifies the certificate, and collects the body.
//!
//! A third client is the bare one that also asks the name server for both kinds of addresses and hashes the body,
//! which a reader of evidence cannot leave out.
//!
//! Rates are fetches per CPU-second of the client. They alternate, and the result is the median
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
use std::hint::black_box;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bench_table::{Goal, report_ratio};
use bytes::Bytes;
use contract::evidence::ExchangeOutcome;
use door::{Door, FetchRequest, Policy, ReadKind, RedirectPolicy, ResolverChoice, SystemClock};
use hickory_proto::op::{Message, MessageType, OpCode, Query};
use hickory_proto::rr::rdata::A;
use hickory_proto::rr::{Name, RData, Record, RecordType};
use http_body_util::{BodyExt, Empty, Full};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio_rustls::{TlsAcceptor, TlsConnector};

const HOST: &str = "static.lab";
const PAGE_BYTES: usize = 13_600;
/// The request headers of all clients.
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
/// The same, to the client that also looks up the name and hashes.
const HTTP_EVIDENCE_GOAL: f64 = 0.6;
const HTTPS_EVIDENCE_GOAL: f64 = 0.85;

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
        let http = compare(
            500,
            || bare.clone().http(false),
            || bare.clone().http(true),
            || fetch(door.clone(), format!("http://{HOST}/")),
        )
        .await;
        report("http", &http, HTTP_GOAL, HTTP_EVIDENCE_GOAL);
        let https = compare(
            60,
            || bare.clone().https(false),
            || bare.clone().https(true),
            || fetch(door.clone(), format!("https://{HOST}/")),
        )
        .await;
        report("https", &https, HTTPS_GOAL, HTTPS_EVIDENCE_GOAL);
    });
    client.block_on(work).unwrap();
}

fn report(scheme: &str, rates: &Rates, goal: f64, evidence_goal: f64) {
    let Rates { bare, evidence, door, ratio, evidence_ratio } = rates;
    println!(
        "{scheme:>5}  bare {bare:>6.0}  with look-up and digest {evidence:>6.0}  door {door:>6.0}"
    );
    let path = format!("fetch over {scheme}, a new connection each");
    report_ratio(&path, "bare client", *ratio, Goal::AtLeast(goal));
    let limit = "bare client that looks up the name and hashes the body";
    report_ratio(&path, limit, *evidence_ratio, Goal::AtLeast(evidence_goal));
}

/// Measures the clients alternately. Other load on the machine affects both, so the ratio is taken
/// from neighbouring rounds.
async fn compare<A, B, C>(
    count: u32,
    mut bare: impl FnMut() -> A,
    mut evidence: impl FnMut() -> B,
    mut door: impl FnMut() -> C,
) -> Rates
where
    A: Future<Output = ()> + Send + 'static,
    B: Future<Output = ()> + Send + 'static,
    C: Future<Output = ()> + Send + 'static,
{
    let mut rounds = Vec::new();
    // The first round warms up and is not counted.
    for round in 0..=ROUNDS {
        let rates = [
            rate(count, &mut bare).await,
            rate(count, &mut evidence).await,
            rate(count, &mut door).await,
        ];
        if round > 0 {
            rounds.push(rates);
        }
    }
    Rates {
        bare: median(rounds.iter().map(|[bare, ..]| *bare)),
        evidence: median(rounds.iter().map(|[_, evidence, _]| *evidence)),
        door: median(rounds.iter().map(|[.., door]| *door)),
        ratio: median(rounds.iter().map(|[bare, _, door]| door / bare)),
        evidence_ratio: median(rounds.iter().map(|[_, evidence, door]| door / evidence)),
    }
}

struct Rates {
    bare: f64,
    evidence: f64,
    door: f64,
    ratio: f64,
    evidence_ratio: f64,
}

/// A scanner has many parallel reads, so all clients do here.
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
    lookups: Lookups,
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
        let tls = TlsConnector::from(Arc::new(config));
        let lookups = Lookups::new(farm.resolver);
        Self { http: farm.http, https: farm.https, lookups, tls }
    }

    /// `for_evidence`: looks up the name and hashes the body.
    async fn http(self, for_evidence: bool) {
        if for_evidence {
            self.lookups.look_up().await;
        }
        let stream = TcpStream::connect(self.http).await.unwrap();
        stream.set_nodelay(true).unwrap();
        finish(&collect(stream).await, for_evidence);
    }

    async fn https(self, for_evidence: bool) {
        if for_evidence {
            self.lookups.look_up().await;
        }
        let stream = TcpStream::connect(self.https).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let name = ServerName::try_from(HOST).unwrap();
        let body = collect(self.tls.connect(name, stream).await.unwrap()).await;
        finish(&body, for_evidence);
    }
}

/// Asks the name server for both kinds of addresses.
#[derive(Clone)]
struct Lookups {
    resolver: SocketAddr,
    /// The questions for A and AAAA records, as they are sent.
    questions: Arc<[Vec<u8>; 2]>,
    /// Used again, as the door does.
    idle: Arc<Mutex<Vec<UdpSocket>>>,
}

impl Lookups {
    fn new(resolver: SocketAddr) -> Self {
        let question = |kind| {
            let mut message = Message::new(1, MessageType::Query, OpCode::Query);
            message.add_query(Query::query(Name::from_ascii(format!("{HOST}.")).unwrap(), kind));
            message.to_vec().unwrap()
        };
        let questions = Arc::new([RecordType::A, RecordType::AAAA].map(question));
        Self { resolver, questions, idle: Arc::default() }
    }

    async fn look_up(&self) {
        let [v4, v6] = &*self.questions;
        let (v4, _v6) = tokio::join!(self.ask(v4), self.ask(v6));
        assert_eq!(v4.answers.len(), 1);
    }

    async fn ask(&self, question: &[u8]) -> Message {
        let idle = self.idle.lock().unwrap().pop();
        let socket = match idle {
            Some(socket) => socket,
            None => {
                let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
                socket.connect(self.resolver).await.unwrap();
                socket
            }
        };
        socket.send(question).await.unwrap();
        let mut packet = [0; 1500];
        let length = socket.recv(&mut packet).await.unwrap();
        self.idle.lock().unwrap().push(socket);
        Message::from_vec(&packet[..length]).unwrap()
    }
}

fn finish(body: &[u8], for_evidence: bool) {
    assert_eq!(body.len(), PAGE_BYTES);
    if for_evidence {
        black_box(aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, body));
    }
}

async fn collect<S>(stream: S) -> Bytes
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
    driving.abort();
    body
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
