//! A service with 40,000 prefixes, and a bare route on it that only signs.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agents::Catalogue;
use agents::ranges::PrefixSet;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::IntoResponse;
use axum::{Router, extract::State, routing::get};
use contract::records::{VisitorAnswer, VisitorQuery};
use contract::{Brand, Clock, Timestamp};
use door::{Door, Policy, ResolverChoice, SystemClock};
use proof::{KeyPurpose, SigningKey};
use serde_json::{Value, json};
use service::{Service, ServiceDependencies, Settings, SystemIds};
use store::{Feeds, StoredFeed};
use store_sqlite::{SqliteOptions, SqliteStore};
use tokio::net::TcpListener;
use web::{RateLimits, ServerOptions, WebOptions, serve};

const PREFIXES: u32 = 40_000;
const BASE_URL: &str = "https://svc.example";

/// The route that checks one visitor.
pub(crate) const CHECK: &str = "/api/v1/visitor";
/// The bare route. Its path is as long as the other.
pub(crate) const BARE: &str = "/api/v1/signing";

pub(crate) struct BenchServer {
    pub(crate) service: Arc<Service>,
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) address: SocketAddr,
    _folder: tempfile::TempDir,
}

/// What the bare route signs: the answers about the visitors of the load, made beforehand, in turn. So it
/// signs, hashes and sends as many bytes as the checks.
struct BareSigning {
    key: SigningKey,
    answers: Vec<VisitorAnswer>,
    next: AtomicUsize,
}

impl BenchServer {
    pub(crate) async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path(), SqliteOptions::default()).unwrap());
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        // A resolver that does not exist: no name is looked up here.
        let nowhere = ResolverChoice::Server("127.0.0.1:1".parse().unwrap());
        let policy = Policy { resolver: nowhere, ..Policy::public() };
        let keys = folder.path().join("keys");
        let service = Service::new(ServiceDependencies {
            settings: Settings::new(BASE_URL.to_owned()),
            door: Door::new(policy, Arc::clone(&clock)).unwrap(),
            catalogue: Catalogue::built_in().unwrap(),
            store: Arc::clone(&store) as Arc<dyn store::Store>,
            keys: proof::KeyStore::open(&keys, clock.now()).unwrap(),
            secret: proof::keys::DeploymentSecret::open(&keys).unwrap(),
            clock,
            ids: Arc::new(SystemIds),
        });
        let service = Arc::new(service);
        put_feeds(&service, &store, 0).await;
        service.visitors.load_feeds().await.unwrap();
        let options = WebOptions { limits: RateLimits::none(), ..WebOptions::default() };
        let bare = Arc::new(BareSigning::like(&service).await);
        let bare = Router::new().route(BARE, get(sign_bare)).with_state(bare);
        let address = listen(web::build_app_with(Arc::clone(&service), options, bare)).await;
        Self { service, store, address, _folder: folder }
    }

    /// One request about each visitor. The bare route gets the same ones and ignores the query: a longer
    /// request line costs any route something, whatever it does with it.
    pub(crate) fn single_requests(&self, route: &str) -> Vec<String> {
        let encode = |(ua, ip): &(String, IpAddr)| {
            let mut query = url::form_urlencoded::Serializer::new(String::new());
            query.append_pair("ua", ua).append_pair("ip", &ip.to_string());
            format!("GET {route}?{}", query.finish())
        };
        visitors(&self.service).iter().map(encode).collect()
    }

    pub(crate) fn batch_request(&self) -> String {
        let visitors = visitors(&self.service);
        let items: Vec<Value> = visitors
            .iter()
            .cycle()
            .take(100)
            .map(|(ua, ip)| json!({ "ip": ip, "ua": ua }))
            .collect();
        format!("POST /api/v1/visitor\n{}", json!({ "visitors": items }))
    }
}

/// Genuine and forged agents, and people.
fn visitors(service: &Service) -> Vec<(String, IpAddr)> {
    let checker = service.visitors.checker();
    let mut visitors = Vec::new();
    for (index, agent) in checker.agents().agent_indexes() {
        let Some(genuine) = checker.example_address(index) else { continue };
        let Some(user_agent) = agent.user_agents.first() else { continue };
        visitors.push((user_agent.clone(), genuine));
        if agent.reverse_dns_suffixes.is_empty() {
            visitors.push((user_agent.clone(), IpAddr::V4(Ipv4Addr::new(8, 8, 4, 4))));
        }
        let person = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
                      Chrome/157.0.0.0 Safari/537.36";
        visitors.push((person.to_owned(), IpAddr::V4(Ipv4Addr::new(9, 9, 9, 9))));
    }
    visitors
}

/// The prefixes of every feed; another `round` gives others.
pub(crate) async fn put_feeds(service: &Service, store: &SqliteStore, round: u32) {
    let known = service.visitors.known_agents();
    let per_feed = PREFIXES / u32::try_from(known.feeds().len()).unwrap();
    let now = SystemClock.now();
    for (at, feed) in (0_u32..).zip(known.feeds()) {
        let prefixes = (0..per_feed).map(|n| {
            let number =
                (at * per_feed + n).wrapping_mul(2_654_435_761).wrapping_add(round) % 0x0fff_ffff;
            format!("{}/28\n", Ipv4Addr::from(0x2c00_0000 + ((number << 4) & 0x0fff_ffff)))
        });
        let text: String = prefixes.collect();
        let prefixes = PrefixSet::from_text(&text).unwrap();
        let copy = StoredFeed {
            id: feed.id.clone(),
            url: feed.url.clone(),
            fetched_at: Some(now),
            changed_at: Some(now),
            etag: None,
            last_modified: None,
            prefix_count: u32::try_from(prefixes.len()).unwrap(),
            prefixes: prefixes.to_text().into(),
            attempted_at: now,
            failures: 0,
            last_fault: None,
            next_attempt_at: now,
        };
        store.put_feed(copy).await.unwrap();
    }
}

async fn listen(app: web::App) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve(listener, app, ServerOptions::default(), std::future::pending()));
    address
}

impl BareSigning {
    async fn like(service: &Service) -> Self {
        let mut answers = Vec::new();
        for (ua, ip) in visitors(service) {
            let query =
                VisitorQuery { ip: Some(ip.to_string()), ua, headers: None, authority: None };
            let signed = service.visitors.check_one(&query).await.unwrap();
            let answer: VisitorAnswer = serde_json::from_slice(&signed.bytes).unwrap();
            answers.push(VisitorAnswer { sha256: None, signature: None, ..answer });
        }
        let key = SigningKey::from_seed(&[7; 32], KeyPurpose::Documents, Timestamp::from_millis(0));
        Self { key: key.unwrap(), answers, next: AtomicUsize::new(0) }
    }
}

/// Answers with the header fields of a check, which the middleware treats by their values.
async fn sign_bare(State(bare): State<Arc<BareSigning>>) -> impl IntoResponse {
    let number = bare.next.fetch_add(1, Ordering::Relaxed) % bare.answers.len();
    let (answer, now) = (&bare.answers[number], SystemClock.now().whole_seconds());
    let published = "https://svc.example/.well-known/http-message-signatures-directory";
    let signed = proof::sign_record(answer, &bare.key, published, &Brand::default(), now).unwrap();
    let digest = proof::http_signatures::content_digest(&signed.content_digest);
    let fields = [
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (HeaderName::from_static("content-digest"), HeaderValue::from_str(&digest).unwrap()),
    ];
    (fields, signed.bytes)
}
