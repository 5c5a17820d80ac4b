//! Outcome reports over HTTP: accepted, limited, counted, signed and sealed.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use agents::Catalogue;
use contract::{Clock, Timestamp};
use door::{Door, Policy, ResolverChoice};
use serde_json::{Value, json};
use service::{Service, ServiceDependencies, Settings, SystemIds};
use store_sqlite::{SqliteOptions, SqliteStore};
use web::{RateLimits, ServerOptions, WebOptions};

use crate::harness::{Reply, Server};

/// A clock that the test sets.
#[derive(Debug)]
pub(crate) struct Hands(AtomicI64);

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

impl Hands {
    pub(crate) fn set(&self, text: &str) {
        let at: Timestamp = text.parse().unwrap();
        self.0.store(at.as_millis(), Ordering::SeqCst);
    }
}

pub(crate) struct TestServer {
    pub(crate) server: Server,
    pub(crate) service: Arc<Service>,
    pub(crate) clock: Arc<Hands>,
    _dir: tempfile::TempDir,
}

/// A service without network, behind a trusted proxy.
pub(crate) async fn start(outcomes_per_day: u32, limits: RateLimits) -> TestServer {
    let dir = tempfile::tempdir().unwrap();
    let clock = Arc::new(Hands(AtomicI64::new(0)));
    clock.set("2026-11-15T10:00:00Z");
    let nowhere = ResolverChoice::Server("127.0.0.1:1".parse().unwrap());
    let settings = Settings {
        outcomes_per_day: Some(outcomes_per_day),
        ..Settings::new("https://svc.example".to_owned())
    };
    let service = Arc::new(Service::new(ServiceDependencies {
        settings,
        door: Door::new(Policy { resolver: nowhere, ..Policy::public() }, clock.clone()).unwrap(),
        catalogue: Catalogue::built_in().unwrap(),
        store: Arc::new(
            SqliteStore::open(&dir.path().join("data"), SqliteOptions::default()).unwrap(),
        ),
        keys: proof::KeyStore::open(&dir.path().join("keys"), clock.now()).unwrap(),
        secret: proof::keys::DeploymentSecret::open(&dir.path().join("keys")).unwrap(),
        clock: clock.clone(),
        ids: Arc::new(SystemIds),
    }));
    let options = WebOptions {
        limits,
        trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()],
        ..WebOptions::default()
    };
    let app = web::build_app(Arc::clone(&service), options);
    let server = Server::of(app, ServerOptions::default()).await;
    TestServer { server, service, clock, _dir: dir }
}

impl TestServer {
    pub(crate) async fn post(&self, path: &str, headers: &str, body: &str) -> Reply {
        let headers = format!("Content-Type: application/json\r\n{headers}");
        self.server.post_to(path, &headers, body).await
    }

    async fn report(&self, body: &str) -> Reply {
        self.post("/api/v1/outcome", "", body).await
    }

    pub(crate) async fn summary(&self, query: &str) -> Value {
        let reply = self.server.get(&format!("/api/v1/outcomes?{query}"), "").await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    }
}

pub(crate) const FLAT: &str =
    r#"{"domain":"shop.com","action":"fetch","status":200,"blocked":false,"challenged":false}"#;

#[tokio::test]
async fn both_forms_are_accepted_counted_and_signed() {
    let test_server = start(500, RateLimits::default()).await;
    let nested = r#"{"domain":"https://SHOP.com/a","action":"fetch","agent":{"name":" A\u0007gent "},
        "result":{"status":403,"blocked":true,"challenge":null},"resolve_said":"open"}"#;
    let reply = test_server.report(nested).await;
    assert_eq!(reply.status, 202, "{}", reply.text());
    assert_eq!(
        reply.json()["accepted"],
        json!({
            "domain": "shop.com", "action": "fetch", "outcome": "blocked",
            "disagreement": "The resolve answer said open; the agent was blocked (status 403).",
        })
    );
    assert_eq!(reply.json()["summary"], "https://svc.example/api/v1/outcomes?domain=shop.com");
    assert_eq!(
        reply.header("ratelimit-policy"),
        Some("\"outcome\";q=60;w=60, \"outcome-day\";q=500;w=86400")
    );
    let quotas = "\"outcome\";r=59;t=1, \"outcome-day\";r=499;t=50400";
    assert_eq!(reply.header("ratelimit"), Some(quotas));
    let reply = test_server.report(FLAT).await;
    assert_eq!((reply.status, &reply.json()["accepted"]["outcome"]), (202, &json!("ok")));
    assert_eq!(reply.json()["accepted"]["disagreement"], Value::Null);

    let summary = test_server.summary("domain=shop.com").await;
    assert_eq!(summary["kind"], "svc-agent-outcomes");
    assert_eq!((&summary["n"], &summary["disagree"]), (&json!(2), &json!(1)));
    assert_eq!(summary["window_days"], 30);
    assert_eq!(summary["by_agent"], json!({ "Agent": 1 }));
    assert_eq!(summary["success_rate"], 0.5);
    assert_eq!(summary["days"][0]["day"], "2026-11-15");
    let keys =
        test_server.server.get("/.well-known/http-message-signatures-directory", "").await.json();
    let policy = proof::KeyPolicy::from_directory(
        &serde_json::from_value(keys).unwrap(),
        None,
        &contract::Brand::default(),
    );
    assert!(summary["signature"].is_object() && policy.is_ok());
    // The summary matches its schema.
    let schema = test_server.server.get("/api/v1/schema?kind=svc-agent-outcomes", "").await.json();
    let schema = jsonschema::validator_for(&schema).unwrap();
    assert!(schema.is_valid(&summary), "{summary}");

    let empty = test_server.summary("domain=other.com&days=90").await;
    assert_eq!((&empty["n"], &empty["success_rate"]), (&json!(0), &Value::Null));
}

#[tokio::test]
async fn an_invalid_report_is_refused_and_not_counted() {
    let test_server = start(1, RateLimits::default()).await;
    for (body, code, param) in [
        (r#"{"action":"fetch","status":200}"#, "bad_request", "domain"),
        (r#"{"domain":"shop.com","action":"fetch"}"#, "bad_request", "result"),
        (r#"{"domain":"shop.com","action":"dance","status":200}"#, "bad_request", "action"),
        (r#"{"domain":"127.0.0.1","action":"fetch","status":200}"#, "bad_domain", "domain"),
        (r#"{"domain":"localhost","action":"fetch","status":200}"#, "bad_domain", "domain"),
        (
            r#"{"domain":"shop.com","action":"fetch","status":200,"resolve_sha256":"x"}"#,
            "bad_request",
            "resolve_sha256",
        ),
        (r#"{"domain":"shop.com","action":"fetch","stauts":200}"#, "unknown_field", "stauts"),
    ] {
        let reply = test_server.report(body).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, code), "{body}");
        assert_eq!(reply.json()["param"], param, "{body}");
    }
    assert_eq!(test_server.report(FLAT).await.status, 202, "the one of the day is still there");
    for query in ["", "domain=shop.com&days=0", "domain=shop.com&days=91", "domain=x&x=1"] {
        let reply = test_server.server.get(&format!("/api/v1/outcomes?{query}"), "").await;
        assert_eq!(reply.status, 400, "{query}");
    }
}

#[tokio::test]
async fn an_address_has_a_daily_quota() {
    let test_server = start(2, RateLimits::default()).await;
    for left in [1, 0] {
        let reply = test_server.report(FLAT).await;
        let standing = format!(", \"outcome-day\";r={left};t=50400");
        let reported = reply.header("ratelimit").unwrap();
        assert!(
            reported.starts_with("\"outcome\";r=") && reported.ends_with(&standing),
            "{reported}"
        );
        assert_eq!(reply.status, 202);
    }
    let accept = "Accept: application/problem+json\r\n";
    let reply = test_server.post("/api/v1/outcome", accept, FLAT).await;
    assert_eq!((reply.status, reply.code().as_str()), (429, "rate_limited"));
    assert_eq!(reply.header("content-type"), Some("application/problem+json"));
    assert_eq!(reply.json()["violated-policies"], json!(["outcome-day"]));
    assert_eq!(reply.header("retry-after"), Some("50400"));
    assert_eq!(reply.header("ratelimit"), Some("\"outcome-day\";r=0;t=50400"));
    // Another address has its own quota, and it resets the next day.
    let other = test_server.post("/api/v1/outcome", "X-Forwarded-For: 192.0.2.7\r\n", FLAT).await;
    assert_eq!(other.status, 202);
    test_server.clock.set("2026-11-16T00:00:00Z");
    assert_eq!(test_server.report(FLAT).await.status, 202);
    let summary = test_server.summary("domain=shop.com").await;
    assert_eq!((&summary["n"], &summary["reporters"]), (&json!(4), &json!(3)));
    let today = test_server.summary("domain=shop.com&days=1").await;
    assert_eq!((&today["n"], &today["window_days"]), (&json!(1), &json!(1)));
}

#[tokio::test]
async fn the_counts_of_a_day_are_sealed_and_can_be_recomputed() {
    let test_server = start(500, RateLimits::default()).await;
    test_server.report(FLAT).await;
    test_server.report(&FLAT.replace("\"status\":200", "\"status\":503")).await;
    test_server.report(&FLAT.replace("shop.com", "other.com")).await;
    test_server.clock.set("2026-11-16T00:04:00Z");
    assert_eq!(
        test_server.service.seals.seal_past_days(None).await.unwrap(),
        [],
        "not before its time"
    );
    test_server.clock.set("2026-11-16T00:06:00Z");
    assert_eq!(test_server.service.seals.seal_past_days(None).await.unwrap().len(), 1);
    let summary = test_server.summary("domain=shop.com").await;
    let day = &summary["days"][0];
    let mut record = day.clone();
    record.as_object_mut().unwrap().remove("sha256");
    record["kind"] = json!("svc-agent-outcomes-day");
    record["v"] = json!(1);
    record["domain"] = json!("shop.com");
    let digest = proof::sha256(&proof::canonical::value_to_vec(&record).unwrap()).to_hex();
    assert_eq!(day["sha256"], digest, "a stranger makes it again from the summary");
    let lookup =
        test_server.server.get(&format!("/api/seal/lookup?sha256={digest}"), "").await.json();
    assert_eq!((&lookup["state"], &lookup["day"]), (&json!("sealed"), &json!("2026-11-15")));
    assert_eq!(lookup["leaves"], 2, "one for each domain");
    let statement = test_server.server.get("/proof/2026-11-15.json", "").await.json();
    assert!(statement.to_string().contains("\"outcomes\":2"), "{statement}");
}
