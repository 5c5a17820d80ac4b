//! A service with a log that a test can extend, and readers of what it serves.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use agents::Catalogue;
use bytes::Bytes;
use contract::{Brand, Clock, Domain, NamePolicy, Timestamp};
use door::{Door, Policy, ResolverChoice};
use proof::{Digest, KeyPolicy, keys::LogMark};
use serde_json::{Value, json};
use service::{Service, ServiceDependencies, Settings, SystemIds, log::SealedLeaf};
use store_sqlite::{SqliteOptions, SqliteStore};
use web::{RateLimits, ServerOptions, WebOptions};

use crate::harness::{Reply, Server};

pub(super) const BASE: &str = "https://svc.example";
const NOW: i64 = 1_794_736_800_000;

#[derive(Debug)]
pub(super) struct TestClock(AtomicI64);

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

pub(super) struct TestServer {
    pub(super) server: Server,
    pub(super) service: Arc<Service>,
    pub(super) store: Arc<SqliteStore>,
    pub(super) clock: Arc<TestClock>,
    pub(super) dir: tempfile::TempDir,
}

/// With an empty, open log and no limits.
pub(super) async fn start() -> TestServer {
    start_in(tempfile::tempdir().unwrap(), no_limits(), true).await
}

pub(super) fn no_limits() -> RateLimits {
    RateLimits::none()
}

pub(super) async fn start_in(dir: tempfile::TempDir, limits: RateLimits, open: bool) -> TestServer {
    let clock = Arc::new(TestClock(AtomicI64::new(NOW)));
    let store = Arc::new(SqliteStore::open(dir.path(), SqliteOptions::default()).unwrap());
    let nowhere = ResolverChoice::Server("127.0.0.1:1".parse().unwrap());
    let mut settings = Settings::new(BASE.to_owned());
    settings.log.interval = Duration::from_millis(1);
    let service = Service::new(ServiceDependencies {
        settings,
        door: Door::new(Policy { resolver: nowhere, ..Policy::public() }, clock.clone()).unwrap(),
        catalogue: Catalogue::built_in().unwrap(),
        store: store.clone(),
        keys: keys(dir.path()),
        secret: proof::keys::DeploymentSecret::open(&dir.path().join("keys")).unwrap(),
        clock: clock.clone(),
        ids: Arc::new(SystemIds),
    });
    let service = Arc::new(service);
    if open {
        let (mark, marked) = LogMark::open(&dir.path().join("keys")).unwrap();
        service.log.open(mark, marked).await.unwrap();
    }
    let app = web::build_app(service.clone(), WebOptions { limits, ..WebOptions::default() });
    let server = Server::of(app, ServerOptions::default()).await;
    TestServer { server, service, store, clock, dir }
}

pub(super) fn keys(dir: &Path) -> proof::KeyStore {
    proof::KeyStore::open(&dir.join("keys"), Timestamp::from_millis(NOW)).unwrap()
}

impl TestServer {
    pub(super) async fn get(&self, path: &str) -> Reply {
        self.server.get(path, "").await
    }

    /// What is at this address, which must fit the schema of its kind.
    pub(super) async fn json(&self, path: &str, word: &str) -> Value {
        let reply = self.get(path).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        assert_eq!(reply.header("content-type"), Some("application/json"));
        fits(&reply.json(), word);
        reply.json()
    }

    pub(super) async fn gossip(&self, heads: &[Value]) -> Reply {
        let body = json!({ "sths": heads }).to_string();
        let request = format!(
            "POST /api/v1/log/gossip HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.server.ask(&request).await
    }

    /// Logs one decision in a batch of its own.
    pub(super) async fn decide(&self, number: u64) -> Value {
        let name = format!("shop{number}.com");
        let answer = json!({
            "kind": "svc-resolve", "v": 1, "domain": name, "status": "known",
            "answered_at": self.clock.now(),
            "actions": {
                "v": 1,
                "read": { "decision": "allow", "doubts": ["stale", "moved"] },
                "cite": { "decision": if number.is_multiple_of(2) { "allow" } else { "warn" } },
            },
            "evidence": { "report": null },
        });
        let Value::Object(answer) = answer else { unreachable!() };
        let domain = Domain::parse(&name, &NamePolicy::default()).unwrap();
        let sealed = self.service.log.seal_answer(answer, domain).await.unwrap();
        serde_json::from_slice(&sealed.bytes).unwrap()
    }

    /// Logs this many entries at once, in as few batches as the log makes of them.
    pub(super) async fn enter(&self, from: usize, count: usize) -> Vec<SealedLeaf> {
        let entries = (from..from + count).map(|number| {
            let content = Bytes::from(format!("{{\"n\":{number}}}"));
            let service = self.service.clone();
            tokio::spawn(async move { service.log.seal_entry("test", content).await.unwrap() })
        });
        let entries: Vec<_> = entries.collect();
        let mut sealed = Vec::new();
        for entry in entries {
            sealed.push(entry.await.unwrap());
        }
        sealed
    }

    pub(super) fn service_time(&self, later: i64) -> Timestamp {
        self.clock.now().plus_millis(later)
    }

    pub(super) fn pass(&self, millis: i64) {
        self.clock.0.fetch_add(millis, Ordering::SeqCst);
    }

    pub(super) fn head(&self) -> Value {
        self.service.log.head().unwrap().unwrap().document.clone()
    }

    /// The published keys, as a stranger reads them.
    pub(super) async fn policy(&self) -> KeyPolicy {
        let keys = self.get("/log/keys.json").await.json();
        let rotation = self.get("/log/rotation.json").await.json();
        KeyPolicy::from_directory(&keys, Some(&rotation), &Brand::default()).unwrap()
    }
}

#[track_caller]
pub(super) fn fits(value: &Value, word: &str) {
    let schema = contract::schema::schema_for(word, &Brand::default(), BASE).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let faults: Vec<String> = validator.iter_errors(value).map(|e| e.to_string()).collect();
    assert!(faults.is_empty(), "{word}: {faults:?}\n{value}");
}

pub(super) fn digest(value: &Value) -> Digest {
    value.as_str().unwrap().parse().unwrap()
}

pub(super) fn digests(value: &Value) -> Vec<Digest> {
    value.as_array().unwrap().iter().map(digest).collect()
}

/// The bytes of one served document within another, as a verifier would get them.
pub(super) fn bytes(value: &Value) -> Vec<u8> {
    serde_json::to_vec(value).unwrap()
}
