//! Daily seals over HTTP: sealed, anchored at the lab's calendar, and verified as a third party would.

use std::{
    process::{Command, Output},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use agents::Catalogue;
use bytes::Bytes;
use contract::{Clock, Day, Domain, NamePolicy, Timestamp};
use data_encoding::HEXLOWER;
use door::{Door, Policy, ResolverChoice};
use lab::{CalendarBehaviour, Lab, LabOptions, TimestampCalendar};
use proof::{
    Digest,
    day_seal::check_digests,
    merkle_tree::verify_inclusion,
    opentimestamps::{Attestation, OtsFile},
    verify::Conclusion,
};
use serde_json::{Value, json};
use service::{AnchoringSettings, Service, ServiceDependencies, Settings, SystemIds};
use store::{Scan, Scans, Visibility};
use store_sqlite::{SqliteOptions, SqliteStore};
use web::{ServerOptions, WebOptions};

use crate::harness::{Reply, Server};

/// A clock that the test sets.
#[derive(Debug)]
struct Hands(AtomicI64);

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

impl Hands {
    fn set(&self, text: &str) {
        let at: Timestamp = text.parse().unwrap();
        self.0.store(at.as_millis(), Ordering::SeqCst);
    }

    fn forward(&self, time: Duration) {
        self.0.fetch_add(i64::try_from(time.as_millis()).unwrap(), Ordering::SeqCst);
    }
}

struct TestServer {
    server: Server,
    service: Arc<Service>,
    store: Arc<SqliteStore>,
    clock: Arc<Hands>,
    lab: Lab,
    dir: tempfile::TempDir,
}

const HOUR: Duration = Duration::from_secs(3601);
const START: &str = "2026-11-15T10:00:00Z";

async fn start() -> TestServer {
    let lab = Lab::start(LabOptions::default()).await.unwrap();
    let calendars = vec![lab.calendar().url()];
    let explorers = vec![lab.calendar().explorer_url()];
    start_with(lab, calendars, explorers).await
}

async fn start_with(lab: Lab, calendars: Vec<String>, explorers: Vec<String>) -> TestServer {
    let dir = tempfile::tempdir().unwrap();
    let clock = Arc::new(Hands(AtomicI64::new(0)));
    clock.set("2026-11-10T00:00:00Z");
    let store = SqliteStore::open(&dir.path().join("data"), SqliteOptions::default()).unwrap();
    let store = Arc::new(store);
    let nowhere = ResolverChoice::Server("127.0.0.1:1".parse().unwrap());
    let proof = AnchoringSettings {
        calendars,
        explorers,
        request_timeout: Duration::from_secs(3),
        ..AnchoringSettings::default()
    };
    let settings = Settings { proof, ..Settings::new("https://svc.example".to_owned()) };
    let service = Service::new(ServiceDependencies {
        settings,
        door: Door::new(Policy { resolver: nowhere, ..Policy::public() }, clock.clone()).unwrap(),
        catalogue: Catalogue::built_in().unwrap(),
        store: store.clone(),
        keys: proof::KeyStore::open(&dir.path().join("keys"), clock.now()).unwrap(),
        secret: proof::keys::DeploymentSecret::open(&dir.path().join("keys")).unwrap(),
        clock: clock.clone(),
        ids: Arc::new(SystemIds),
    });
    clock.set(START);
    let service = Arc::new(service);
    let app = web::build_app(Arc::clone(&service), WebOptions::default());
    let server = Server::of(app, ServerOptions::default()).await;
    TestServer { server, service, store, clock, lab, dir }
}

/// The digest of the made-up record of this id.
fn digest(id: &str) -> Digest {
    proof::sha256(id.as_bytes())
}

impl TestServer {
    async fn keep(&self, id: &str, at: &str, visibility: Visibility) {
        let record = json!({ "id": id, "sha256": digest(id), "signature": {} });
        let scan = Scan {
            id: id.to_owned(),
            domain: Domain::parse("kept.com", &NamePolicy::default()).unwrap(),
            scanned_at: at.parse().unwrap(),
            visibility,
            score_version: 1,
            grade: None,
            overall: None,
            record: Bytes::from(record.to_string()),
            evidence: Bytes::from("{}"),
            artifacts: Vec::new(),
        };
        self.store.put_scan(scan).await.unwrap();
    }

    /// Three days: two reports and a private one, none, one in the last millisecond.
    async fn keep_three_days(&self) {
        self.keep("a1", "2026-11-12T00:00:00Z", Visibility::Public).await;
        self.keep("a2", "2026-11-12T12:00:00Z", Visibility::Unlisted).await;
        self.keep("a3", "2026-11-12T13:00:00Z", Visibility::Private).await;
        self.keep("c1", "2026-11-14T23:59:59.999Z", Visibility::Public).await;
        self.keep("today", "2026-11-15T00:00:00Z", Visibility::Public).await;
    }

    async fn get(&self, path: &str) -> Reply {
        self.server.get(path, "").await
    }

    /// A signed answer, whose signature was checked.
    async fn signed(&self, path: &str) -> Value {
        let reply = self.get(path).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        let document = proof::canonical::parse_strict(&reply.body).unwrap();
        self.check_signature(&document);
        document
    }

    fn check_signature(&self, document: &Value) {
        let directory: Value =
            serde_json::from_slice(&self.service.keys.directory().content).unwrap();
        let brand = contract::Brand::default();
        let policy = proof::KeyPolicy::from_directory(&directory, None, &brand).unwrap();
        let bytes = serde_json::to_vec(document).unwrap();
        let verdict = proof::verify_document(&bytes, &policy, &brand);
        assert_eq!(verdict.conclusion(), Conclusion::Accepted, "{verdict:?}: {document}");
    }

    async fn lookup(&self, query: &str) -> Value {
        self.signed(&format!("/api/seal/lookup?{query}")).await
    }

    async fn state_of(&self, day: &str) -> Vec<String> {
        let seal = self.lookup(&format!("day={day}")).await;
        let anchors = seal["anchors"].as_array().unwrap();
        anchors.iter().map(|anchor| anchor["state"].as_str().unwrap().to_owned()).collect()
    }

    /// One turn of sealing and one of anchoring, when whatever waits is due.
    async fn turn(&self) {
        self.clock.forward(HOUR);
        self.service.seals.seal_past_days(None).await.unwrap();
        self.service.seals.anchor_seals().await.unwrap();
    }

    /// The statement of a day, after checking everything that can be checked without a network.
    async fn checked_day(&self, day: &str) -> contract::records::DaySeal {
        let reply = self.get(&format!("/proof/{day}.json")).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        let value: Value = serde_json::from_slice(&reply.body).unwrap();
        self.check_signature(&value["statement"]);
        let day: contract::records::ProofDay = serde_json::from_value(value).unwrap();
        let digests: Vec<Digest> = day.digests.iter().map(|hex| hex.parse().unwrap()).collect();
        check_digests(&day.statement, &digests).unwrap();
        let own = proof::day_seal::seal_sha256(&day.statement).unwrap();
        assert_eq!(day.statement.sha256.as_deref(), Some(own.to_hex().as_str()));
        day.statement
    }
}

#[tokio::test]
async fn past_days_are_sealed_in_a_chain_and_every_record_is_proven() {
    let test_server = start().await;
    test_server.keep_three_days().await;
    let day = |text: &str| text.parse::<Day>().unwrap();
    let sealed = test_server.service.seals.seal_past_days(None).await.unwrap();
    assert_eq!(sealed, [day("2026-11-12"), day("2026-11-13"), day("2026-11-14")]);
    assert_eq!(test_server.service.seals.seal_past_days(None).await.unwrap(), [], "and not again");

    let (first, second, third) = (
        test_server.checked_day("2026-11-12").await,
        test_server.checked_day("2026-11-13").await,
        test_server.checked_day("2026-11-14").await,
    );
    proof::day_seal::check_link(&first, &second).unwrap();
    proof::day_seal::check_link(&second, &third).unwrap();
    assert_eq!(
        (first.leaves, second.leaves, third.leaves),
        (2, 0, 1),
        "the private one is in none"
    );
    assert_eq!(first.streams["scans"], 2);
    assert!(first.previous.is_none() && first.log.is_none());

    for (id, in_day) in [("a1", &first), ("a2", &first), ("c1", &third)] {
        for query in [format!("id={id}"), format!("sha256={}", digest(id))] {
            let seal = test_server.lookup(&query).await;
            assert_eq!((&seal["state"], &seal["day"]), (&json!("sealed"), &json!(in_day.day)));
            assert_eq!(seal["subject_sha256"], digest(id).to_hex());
            assert_eq!(seal["root"], in_day.root);
            assert_eq!(seal["seal_sha256"], json!(in_day.sha256));
            let hex = |value: &Value| value.as_str().unwrap().parse::<Digest>().unwrap();
            let path: Vec<Digest> = seal["path"].as_array().unwrap().iter().map(hex).collect();
            let leaf = proof::merkle_tree::leaf_hash(&digest(id).0);
            assert_eq!(hex(&seal["leaf"]["leaf_hash"]), leaf);
            let (index, size) = (seal["leaf"]["index"].as_u64(), seal["leaves"].as_u64());
            let root = hex(&seal["root"]);
            assert!(verify_inclusion(&leaf, index.unwrap(), size.unwrap(), &path, &root));
        }
    }
}

#[tokio::test]
async fn a_day_is_sealed_from_five_past_midnight_on() {
    let test_server = start().await;
    test_server.keep("today", "2026-11-15T09:00:00Z", Visibility::Public).await;
    for now in ["2026-11-15T23:59:59Z", "2026-11-16T00:00:00Z", "2026-11-16T00:04:59.999Z"] {
        test_server.clock.set(now);
        assert_eq!(test_server.service.seals.seal_past_days(None).await.unwrap(), [], "{now}");
        let seal = test_server.lookup("id=today").await;
        assert_eq!((&seal["state"], &seal["day"]), (&json!("pending"), &json!("2026-11-15")));
        assert_eq!(seal["sealed_from"], "2026-11-16T00:05:00Z");
        let by_digest = test_server.lookup(&format!("sha256={}", digest("today"))).await;
        assert_eq!(by_digest["state"], "pending", "by its digest");
        assert_eq!(by_digest["sha256"], seal["sha256"], "the same answer");
        assert_eq!(test_server.get("/proof/2026-11-15.json").await.status, 404);
    }
    test_server.clock.set("2026-11-16T00:05:00Z");
    assert_eq!(test_server.service.seals.seal_past_days(None).await.unwrap().len(), 1);
    for query in ["id=today".to_owned(), format!("sha256={}", digest("today"))] {
        assert_eq!(test_server.lookup(&query).await["state"], "sealed", "{query}");
    }
    // Of the next day: found as soon as it is stored, unless it is private.
    test_server.keep("later", "2026-11-16T00:04:00Z", Visibility::Unlisted).await;
    test_server.keep("secret", "2026-11-16T00:04:30Z", Visibility::Private).await;
    for (id, state) in [("later", "pending"), ("secret", "not_found"), ("nobody", "not_found")] {
        let seal = test_server.lookup(&format!("sha256={}", digest(id))).await;
        assert_eq!(seal["state"], state, "{id}");
    }
    let log = contract::records::SealedLogHead {
        batch: 3,
        tree_size: 9,
        sth_sha256: digest("head").to_hex(),
        tree_root: None,
    };
    test_server.clock.set("2026-11-17T00:05:00Z");
    test_server.service.seals.seal_past_days(Some(log.clone())).await.unwrap();
    assert_eq!(test_server.checked_day("2026-11-16").await.log, Some(log), "a day without records");
}

#[tokio::test]
async fn a_failed_lookup_is_signed_as_well() {
    let test_server = start().await;
    let nothing = test_server.lookup("day=2026-11-15").await;
    assert_eq!(nothing["state"], "not_found", "nothing was ever kept");
    assert_eq!(nothing["searched"], json!({ "from": null, "to": null }));
    test_server.keep_three_days().await;
    test_server.service.seals.seal_past_days(None).await.unwrap();
    let searched = json!({ "from": "2026-11-12", "to": "2026-11-14" });
    for query in [
        "id=a3".to_owned(),
        "id=nobody".to_owned(),
        format!("sha256={}", digest("a3")),
        format!("sha256={}", digest("nobody")),
        "day=2026-11-11".to_owned(),
        "day=2026-11-16".to_owned(),
    ] {
        let seal = test_server.lookup(&query).await;
        assert_eq!((&seal["state"], &seal["day"]), (&json!("not_found"), &json!(null)), "{query}");
        assert_eq!(seal["searched"], searched, "{query}");
    }
    // A private report looks like one that does not exist.
    let [private, none] =
        [test_server.lookup("id=a3").await, test_server.lookup("id=nobody").await];
    assert_eq!(private["sha256"], none["sha256"]);
    let today = test_server.lookup("day=2026-11-15").await;
    assert_eq!((&today["state"], &today["leaf"]), (&json!("pending"), &json!(null)));
    for bad in ["", "?id=a1&day=2026-11-12", "?day=yesterday", "?sha256=0", "?x=1"] {
        assert_eq!(test_server.get(&format!("/api/seal/lookup{bad}")).await.status, 400, "{bad}");
    }
}

#[tokio::test]
async fn a_seal_goes_from_waiting_to_confirmed_and_never_says_more_than_is_so() {
    let test_server = start().await;
    test_server.keep_three_days().await;
    test_server.service.seals.seal_past_days(None).await.unwrap();
    assert_eq!(test_server.state_of("2026-11-12").await, ["waiting"]);
    assert_eq!(test_server.get("/proof/2026-11-12.ots").await.status, 404);

    test_server.service.seals.anchor_seals().await.unwrap();
    assert_eq!(test_server.state_of("2026-11-12").await, ["pending"]);
    let reply = test_server.get("/proof/2026-11-12.ots").await;
    assert_eq!(reply.header("content-type"), Some("application/vnd.opentimestamps.ots"));
    assert_eq!(
        reply.header("content-disposition"),
        Some("attachment; filename=\"2026-11-12.ots\"")
    );
    assert_eq!(reply.header("cache-control"), Some("public, max-age=300"));
    let file = OtsFile::parse(&reply.body).unwrap();
    let statement = test_server.checked_day("2026-11-12").await;
    assert_eq!(file.digest, proof::day_seal::seal_sha256(&statement).unwrap());
    test_server.turn().await;
    assert_eq!(test_server.state_of("2026-11-12").await, ["pending"], "no block yet");

    let height = test_server.lab.calendar().mine().unwrap();
    test_server.turn().await;
    assert_eq!(test_server.state_of("2026-11-12").await, ["upgraded"]);
    let lookup = test_server.get("/api/seal/lookup?id=a1").await;
    assert_eq!(lookup.header("cache-control"), Some("public, max-age=300"));
    test_server.turn().await;
    for day in ["2026-11-12", "2026-11-13", "2026-11-14"] {
        assert_eq!(test_server.state_of(day).await, ["confirmed"], "{day}");
    }
    let lookup = test_server.get("/api/seal/lookup?id=a1").await;
    assert_eq!(lookup.header("cache-control"), Some("public, max-age=86400, immutable"));
    let anchor = &lookup.json()["anchors"][0];
    assert_eq!(anchor["detail"], json!({ "block_height": height, "why": null }));
    assert_eq!(anchor["proof"], "https://svc.example/proof/2026-11-12.ots");
    assert!(anchor["confirmed_at"].is_string());

    let reply = test_server.get("/proof/2026-11-12.ots").await;
    assert_eq!(reply.header("cache-control"), Some("public, max-age=86400, immutable"));
    let file = OtsFile::parse(&reply.body).unwrap();
    let all = file.stamp.evaluate(&file.digest.0);
    assert!(all.iter().any(|attested| attested.attestation == Attestation::Bitcoin(height)));
    let requests = test_server.lab.calendar().requests();
    test_server.turn().await;
    // The day that was sealed meanwhile is handed in; what is confirmed is left alone.
    assert!(test_server.lab.calendar().requests() <= requests + 1);
}

#[tokio::test]
async fn without_an_explorer_nothing_is_confirmed() {
    let lab = Lab::start(LabOptions::default()).await.unwrap();
    let calendars = vec![lab.calendar().url()];
    let test_server = start_with(lab, calendars, vec![]).await;
    test_server.keep("c1", "2026-11-14T10:00:00Z", Visibility::Public).await;
    test_server.turn().await;
    test_server.lab.calendar().mine().unwrap();
    for _ in 0..4 {
        test_server.turn().await;
    }
    assert_eq!(test_server.state_of("2026-11-14").await, ["upgraded"]);
}

#[tokio::test]
async fn misbehaving_calendars_change_only_their_own_anchor() {
    let lab = Lab::start(LabOptions::default()).await.unwrap();
    let bad = lab.another_calendar().unwrap();
    let calendars = vec![bad.url(), lab.calendar().url()];
    let explorers = vec![lab.calendar().explorer_url()];
    let test_server = start_with(lab, calendars.clone(), explorers).await;
    test_server.keep("c1", "2026-11-14T10:00:00Z", Visibility::Public).await;
    test_server.keep("c2", "2026-11-13T10:00:00Z", Visibility::Public).await;
    let states = |seal: &Value| -> Vec<(String, String)> {
        let of = |anchor: &Value| {
            (
                anchor["calendar"].as_str().unwrap().to_owned(),
                anchor["state"].as_str().unwrap().to_owned(),
            )
        };
        seal["anchors"].as_array().unwrap().iter().map(of).collect()
    };
    for mood in [
        CalendarBehaviour::Down,
        CalendarBehaviour::Closed,
        CalendarBehaviour::Garbage,
        CalendarBehaviour::TooLong,
        CalendarBehaviour::Silent,
    ] {
        bad.set_behaviour(mood);
        // Pauses grow with each failure, and are not longer than a turn yet.
        test_server.turn().await;
        let seal = test_server.lookup("day=2026-11-14").await;
        assert!(states(&seal).contains(&(bad.url(), "waiting".to_owned())), "{mood:?} {seal}");
        assert!(states(&seal).contains(&(calendars[1].clone(), "pending".to_owned())), "{seal}");
        let anchors = seal["anchors"].as_array().unwrap();
        let broken = anchors.iter().find(|anchor| anchor["calendar"] == bad.url()).unwrap();
        let why = broken["detail"]["why"].as_str().unwrap_or_default();
        assert!(!why.is_empty(), "{mood:?} is told: {seal}");
        assert_eq!(broken["proof"], json!(null));
    }
    // The other calendar is not affected.
    test_server.lab.calendar().mine().unwrap();
    test_server.turn().await;
    test_server.turn().await;
    let seal = test_server.lookup("day=2026-11-14").await;
    assert!(states(&seal).contains(&(calendars[1].clone(), "confirmed".to_owned())), "{seal}");
    // The first calendar recovers.
    bad.set_behaviour(CalendarBehaviour::Normal);
    test_server.clock.forward(Duration::from_secs(86_400));
    test_server.turn().await;
    let seal = test_server.lookup("day=2026-11-14").await;
    assert!(states(&seal).contains(&(bad.url(), "pending".to_owned())), "{seal}");
    let file = OtsFile::parse(&test_server.get("/proof/2026-11-14.ots").await.body).unwrap();
    let pending = |calendar: &str| {
        let promise = Attestation::pending(calendar).unwrap();
        file.stamp.evaluate(&file.digest.0).iter().any(|a| a.attestation == promise)
    };
    assert!(pending(&bad.url()) && pending(&calendars[1]), "both calendars in one file");
}

#[tokio::test]
async fn a_timestamp_for_another_digest_fails_and_is_not_served() {
    let test_server = start().await;
    let calendar: &TimestampCalendar = test_server.lab.calendar();
    test_server.keep("c1", "2026-11-13T10:00:00Z", Visibility::Public).await;
    test_server.service.seals.seal_past_days(None).await.unwrap();
    test_server.service.seals.anchor_seals().await.unwrap();
    let height = calendar.mine().unwrap();
    // A valid timestamp of another digest.
    calendar.set_behaviour(CalendarBehaviour::WrongAnswer);
    let wrong = |anchors: Vec<String>| anchors == ["failed"];
    test_server.turn().await;
    assert_eq!(test_server.state_of("2026-11-14").await, ["upgraded"]);
    test_server.turn().await;
    let days = [test_server.state_of("2026-11-13").await, test_server.state_of("2026-11-14").await];
    assert_eq!(days.into_iter().filter(|state| wrong(state.clone())).count(), 1, "one of the two");
    let failed =
        if wrong(test_server.state_of("2026-11-13").await) { "2026-11-13" } else { "2026-11-14" };
    let seal = test_server.lookup(&format!("day={failed}")).await;
    let why = seal["anchors"][0]["detail"]["why"].as_str().unwrap();
    assert!(why.contains(&height.to_string()), "{why}");
    let file =
        OtsFile::parse(&test_server.get(&format!("/proof/{failed}.ots")).await.body).unwrap();
    let all = file.stamp.evaluate(&file.digest.0);
    assert!(all.iter().all(|a| matches!(a.attestation, Attestation::Pending(_))), "{all:?}");
    calendar.set_behaviour(CalendarBehaviour::Normal);
    test_server.turn().await;
    test_server.turn().await;
    assert_eq!(test_server.state_of(failed).await, ["confirmed"], "tried again");
}

#[tokio::test]
async fn explorers_that_lie_or_are_silent_confirm_nothing() {
    let test_server = start().await;
    let calendar = test_server.lab.calendar().clone();
    test_server.keep("c1", "2026-11-14T10:00:00Z", Visibility::Public).await;
    test_server.turn().await;
    calendar.mine().unwrap();
    for mood in [
        CalendarBehaviour::Down,
        CalendarBehaviour::Garbage,
        CalendarBehaviour::TooLong,
        CalendarBehaviour::Silent,
    ] {
        calendar.set_explorer_behaviour(mood);
        test_server.clock.forward(Duration::from_secs(86_400));
        test_server.service.seals.anchor_seals().await.unwrap();
        test_server.clock.forward(Duration::from_secs(86_400));
        test_server.service.seals.anchor_seals().await.unwrap();
        assert_eq!(test_server.state_of("2026-11-14").await, ["upgraded"], "{mood:?}");
    }
    calendar.set_explorer_behaviour(CalendarBehaviour::WrongAnswer);
    test_server.clock.forward(Duration::from_secs(86_400));
    test_server.service.seals.anchor_seals().await.unwrap();
    assert_eq!(test_server.state_of("2026-11-14").await, ["failed"]);
    calendar.set_explorer_behaviour(CalendarBehaviour::Normal);
    for _ in 0..2 {
        test_server.clock.forward(Duration::from_secs(86_400));
        test_server.service.seals.anchor_seals().await.unwrap();
    }
    assert_eq!(test_server.state_of("2026-11-14").await, ["confirmed"]);
}

#[tokio::test]
async fn the_index_is_signed_and_read_in_pages() {
    let test_server = start().await;
    test_server.keep("first", "2026-11-05T10:00:00Z", Visibility::Public).await;
    test_server.service.seals.seal_past_days(None).await.unwrap();
    let mut days = Vec::new();
    let mut address = "/proof.json?limit=4".to_owned();
    loop {
        let index = test_server.signed(&address).await;
        assert_eq!(index["kind"], "svc-proof-index");
        days.extend(index["days"].as_array().unwrap().iter().map(|day| day["day"].clone()));
        let Some(cursor) = index["cursor"].as_str() else {
            assert_eq!(index["has_more"], false);
            break;
        };
        assert_eq!(index["has_more"], true);
        address = format!("/proof.json?limit=4&before={cursor}");
    }
    let expected: Vec<Value> = (5..=14).rev().map(|n| json!(format!("2026-11-{n:02}"))).collect();
    assert_eq!(days, expected);

    let accepts = "accept: application/json\r\n";
    let reply = test_server.server.get("/proof", accepts).await;
    assert_eq!(reply.json()["kind"], "svc-proof-index");
    let page = test_server.server.get("/proof", "accept: text/html\r\n").await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(page.header("cache-control"), Some("public, max-age=3600"));
    assert!(page.text().contains("2026-11-14") && page.text().contains("ots verify -d"));
    for bad in ["?limit=0", "?limit=101", "?limit=x", "?before=x", "?page=2"] {
        assert_eq!(test_server.get(&format!("/proof.json{bad}")).await.status, 400, "{bad}");
    }
    for none in ["/proof/2026-11-15.json", "/proof/2026-11-14", "/proof/x.json", "/proof/x.ots"] {
        assert_eq!(test_server.get(none).await.status, 404, "{none}");
    }
    let day = test_server.get("/proof/2026-11-14.json").await;
    assert_eq!(day.header("cache-control"), Some("public, max-age=86400, immutable"));
}

/// Runs the public client, which must be installed next to the configured Python.
fn ots(test_server: &TestServer, arguments: &[&str]) -> Output {
    let python = std::env::var("WAYLEAVE_PYTHON").unwrap();
    let program = std::path::Path::new(&python).with_file_name("ots");
    Command::new(program)
        .args(arguments)
        .env("HOME", test_server.dir.path())
        .current_dir(test_server.dir.path())
        .output()
        .unwrap()
}

fn output_text(output: &Output) -> String {
    [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_public_client_reads_upgrades_and_verifies_our_files() {
    if std::env::var_os("WAYLEAVE_PYTHON").is_none() {
        let needed = ["WAYLEAVE_INTEROP", "CI"].iter().any(|name| std::env::var_os(name).is_some());
        assert!(!needed, "WAYLEAVE_PYTHON must name a Python with opentimestamps-client");
        println!("left out: WAYLEAVE_PYTHON names no Python with opentimestamps-client");
        return;
    }
    let test_server = start().await;
    test_server.keep("c1", "2026-11-14T10:00:00Z", Visibility::Public).await;
    test_server.service.seals.seal_past_days(None).await.unwrap();
    test_server.service.seals.anchor_seals().await.unwrap();
    let calendar = test_server.lab.calendar().clone();

    // The statement as it was anchored, and the timestamp beside it.
    let statement = test_server.checked_day("2026-11-14").await;
    let anchored = proof::day_seal::anchored_bytes(&statement).unwrap();
    std::fs::write(test_server.dir.path().join("statement.json"), &anchored).unwrap();
    let path = test_server.dir.path().join("statement.json.ots");
    let download = async || test_server.get("/proof/2026-11-14.ots").await.body;
    std::fs::write(&path, download().await).unwrap();
    let info = output_text(&ots(&test_server, &["info", "statement.json.ots"]));
    let seal = proof::sha256(&anchored).to_hex();
    assert!(info.contains(&format!("File sha256 hash: {seal}")), "{info}");
    assert!(info.contains(&format!("PendingAttestation('{}')", calendar.url())), "{info}");

    // The client can upgrade it at the calendar by itself.
    let upgrade = ["--no-cache", "-l", &calendar.url(), "upgrade", "statement.json.ots"];
    let early = ots(&test_server, &upgrade);
    assert!(
        !early.status.success() && output_text(&early).contains("Pending confirmation"),
        "{early:?}"
    );
    let height = calendar.mine().unwrap();
    let done = ots(&test_server, &upgrade);
    assert!(
        done.status.success() && output_text(&done).contains("Success! Timestamp complete"),
        "{done:?}"
    );
    let theirs = OtsFile::parse(&std::fs::read(&path).unwrap()).unwrap();

    // The server upgrades it too, and both files are equal.
    test_server.turn().await;
    test_server.turn().await;
    assert_eq!(test_server.state_of("2026-11-14").await, ["confirmed"]);
    let ours = download().await;
    assert_eq!(OtsFile::parse(&ours).unwrap(), theirs);
    assert_eq!(ours, std::fs::read(&path).unwrap(), "byte for byte");
    std::fs::write(&path, &ours).unwrap();

    // Without a node the client cannot say "good"; it names the block's merkle root to compare.
    let root = theirs.stamp.evaluate(&theirs.digest.0).into_iter().find_map(|attested| {
        let of_block = attested.attestation == Attestation::Bitcoin(height);
        of_block.then_some(attested.message).flatten()
    });
    let turned: Vec<u8> = root.unwrap().into_iter().rev().collect();
    let block = format!("Bitcoin block {height} has merkleroot {}", HEXLOWER.encode(&turned));
    for of in [&["statement.json.ots"][..], &["-d", &seal, "statement.json.ots"]] {
        let verify = ots(&test_server, &[&["--no-cache", "--no-bitcoin", "verify"], of].concat());
        assert!(output_text(&verify).contains(&block), "{}", output_text(&verify));
    }
    let info = output_text(&ots(&test_server, &["info", "statement.json.ots"]));
    assert!(info.contains(&format!("BitcoinBlockHeaderAttestation({height})")), "{info}");

    // Another statement does not match the timestamp.
    std::fs::write(test_server.dir.path().join("statement.json"), b"{}").unwrap();
    let other = ots(&test_server, &["--no-cache", "--no-bitcoin", "verify", "statement.json.ots"]);
    assert!(output_text(&other).contains("does not match"), "{}", output_text(&other));
    assert!(!output_text(&other).contains("merkleroot"), "{}", output_text(&other));
}

#[tokio::test]
async fn a_seal_of_a_compromised_key_is_signed_again_and_no_copy_of_it_is_confirmed() {
    let test_server = start().await;
    test_server.keep_three_days().await;
    test_server.service.seals.seal_past_days(None).await.unwrap();
    let before = test_server.checked_day("2026-11-12").await;
    let paths = ["/proof/2026-11-12.json", "/api/seal/lookup?day=2026-11-12", "/proof.json"];
    let mut tags = Vec::new();
    for path in paths {
        let reply = test_server.get(path).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        tags.push(reply.header("etag").unwrap().to_owned());
        let same = format!("If-None-Match: {}\r\n", tags.last().unwrap());
        assert_eq!(test_server.server.get(path, &same).await.status, 304, "{path}");
    }
    let now = test_server.clock.now();
    let mut keys = proof::KeyStore::open(&test_server.dir.path().join("keys"), now).unwrap();
    let old = before.signature.as_ref().unwrap().kid.clone();
    keys.mark_compromised(&old, now, now).unwrap();
    test_server.service.keys.reload().unwrap();

    let after = test_server.checked_day("2026-11-12").await;
    assert_eq!(after.sha256, before.sha256, "later seals and timestamps name it");
    assert_ne!(after.signature.as_ref().unwrap().kid, old);
    let shown: Value = test_server.get(paths[0]).await.json();
    assert_eq!(shown["replaced_signature"]["signature"], json!(before.signature));
    for (path, tag) in paths.iter().zip(&tags) {
        let reply = test_server.server.get(path, &format!("If-None-Match: {tag}\r\n")).await;
        assert_eq!(reply.status, 200, "{path}");
        let own = format!("If-None-Match: {}\r\n", reply.header("etag").unwrap());
        assert_eq!(test_server.server.get(path, &own).await.status, 304, "{path}");
    }
}
