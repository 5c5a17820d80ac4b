//! A log and its witness over real sockets: cosigning, starting again, a log that was put back, and
//! requests that race.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::Catalogue;
use contract::{Clock, Domain, NamePolicy, Timestamp};
use door::{Door, Policy, ResolverChoice, SystemClock};
use proof::keys::{DeploymentSecret, LogMark};
use proof::tlog::{Checkpoint, Note, SignatureType, VerifierKey};
use proof::{KeyPurpose, KeyStore, SigningKey};
use serde_json::{Value, json};
use service::log::WitnessPeer;
use service::log::witness::{Witness, checkpoint_path};
use service::{LogFault, Service, ServiceDependencies, Settings, SystemIds};
use store::{Log, Store};
use store_sqlite::{SqliteOptions, SqliteStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use web::ServerOptions;

const ORIGIN: &str = "svc.example/svc-resolve-log-v1";

fn log_vkey(dir: &Path) -> VerifierKey {
    let now = SystemClock.now();
    let keys = KeyStore::open(&dir.join("keys"), now).unwrap();
    let key = keys.signer(KeyPurpose::LogHeads, now).unwrap();
    VerifierKey::new(ORIGIN, SignatureType::Ed25519, key.public().clone()).unwrap()
}

struct Served {
    address: std::net::SocketAddr,
    vkey: VerifierKey,
    task: JoinHandle<()>,
}

/// Listens on this port or on any. Another program may have the port of a witness that was stopped, for
/// a moment.
async fn listen(port: u16) -> TcpListener {
    let begun = Instant::now();
    loop {
        match TcpListener::bind(("127.0.0.1", port)).await {
            Err(error)
                if error.kind() == ErrorKind::AddrInUse
                    && begun.elapsed() < Duration::from_secs(10) =>
            {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            bound => return bound.unwrap(),
        }
    }
}

/// A witness of the log in `log`, on this port or on any.
async fn witness(dir: &Path, log: &Path, port: u16) -> Served {
    let listener = listen(port).await;
    let address = listener.local_addr().unwrap();
    let logs = vec![log_vkey(log)];
    let witness = Witness::open(dir, "w.example/1", logs, Arc::new(SystemClock)).unwrap();
    let vkey = witness.verifier_key().unwrap();
    let app = web::witness_app(Arc::new(witness));
    let task = tokio::spawn(async move {
        web::serve(listener, app, ServerOptions::default(), std::future::pending()).await;
    });
    Served { address, vkey, task }
}

impl Served {
    fn peer(&self) -> WitnessPeer {
        WitnessPeer { key: self.vkey.clone(), url: format!("http://{}", self.address) }
    }

    /// As if the process had been killed.
    async fn stop(self) {
        self.task.abort();
        let _ = self.task.await;
    }

    async fn call(&self, method: &str, path: &str, body: Option<&[u8]>) -> (u16, Vec<u8>) {
        let url = format!("http://{}{path}", self.address);
        let call = door::operator::Call {
            method,
            url: &url,
            body: body.map(|body| (body, "text/plain")),
            accept: "*/*",
            max_response_bytes: 1 << 20,
            timeout: Duration::from_secs(10),
        };
        let answer = call.send().await.unwrap();
        (answer.status, answer.body)
    }
}

struct Running {
    service: Arc<Service>,
    store: Arc<SqliteStore>,
    job: JoinHandle<()>,
}

async fn log(dir: &Path, witness: WitnessPeer) -> Running {
    let (running, opened) = log_opened(dir, witness).await;
    opened.unwrap();
    running
}

/// A log, and the result of opening it.
async fn log_opened(dir: &Path, witness: WitnessPeer) -> (Running, Result<(), LogFault>) {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let store = Arc::new(SqliteStore::open(dir, SqliteOptions::default()).unwrap());
    let nowhere = ResolverChoice::Server("127.0.0.1:1".parse().unwrap());
    let policy = Policy { resolver: nowhere, ..Policy::public() };
    let mut settings = Settings::new("https://svc.example".to_owned());
    settings.log.witnesses = vec![witness];
    let service = Arc::new(Service::new(ServiceDependencies {
        settings,
        door: Door::new(policy, Arc::clone(&clock)).unwrap(),
        catalogue: Catalogue::built_in().unwrap(),
        store: Arc::clone(&store) as Arc<dyn Store>,
        keys: KeyStore::open(&dir.join("keys"), clock.now()).unwrap(),
        secret: DeploymentSecret::open(&dir.join("keys")).unwrap(),
        clock,
        ids: Arc::new(SystemIds),
    }));
    let (mark, marked) = LogMark::open(&dir.join("keys")).unwrap();
    let opened = service.log.open(mark, marked).await;
    let job = tokio::spawn(service::jobs::run_cosigning(Arc::clone(&service.log)));
    (Running { service, store, job }, opened)
}

impl Running {
    async fn seal(&self, number: usize) -> Result<u64, service::SealError> {
        let name = format!("site{number}.lab");
        let answer = json!({
            "kind": "svc-resolve", "domain": name, "status": "observed",
            "actions": { "read": { "decision": "allow", "doubts": [] } },
        });
        let Value::Object(answer) = answer else { unreachable!() };
        let names = NamePolicy { allow_suffixes: vec!["lab".into()], ..NamePolicy::default() };
        let domain = Domain::parse(&name, &names).unwrap();
        Ok(self.service.log.seal_answer(answer, domain).await?.log_index)
    }

    async fn cosigned(&self, size: u64) {
        for _ in 0..150 {
            if self.store.last_cosigned().await.unwrap() == Some(size) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("not cosigned at {size}: {:?}", self.store.last_cosigned().await);
    }

    async fn end(self) {
        self.job.abort();
        let _ = self.job.await;
        self.service.log.close().await;
        let Self { service, store, .. } = self;
        drop(service);
        // Tasks of the service that are ending may hold the store for a moment, longer on a busy machine.
        for _ in 0..1_000 {
            if Arc::strong_count(&store) == 1 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        drop(Arc::try_unwrap(store).expect("the last holder"));
    }
}

fn copy(from: &Path, to: &Path) {
    for name in ["wayleave.db", "wayleave.db-wal", "keys/log-mark"] {
        let _ = std::fs::remove_file(to.join(name));
        if from.join(name).exists() {
            std::fs::create_dir_all(to.join(name).parent().unwrap()).unwrap();
            std::fs::copy(from.join(name), to.join(name)).unwrap();
        }
    }
    // A restore that hides the copy: the mark passes for the original file.
    let _ = std::fs::remove_file(to.join("keys/log-place"));
    let _ = std::fs::remove_file(to.join("wayleave.db-shm"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_is_cosigned_and_stopped_when_it_was_put_back() {
    let (data, wit, old) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let witness_1 = witness(wit.path(), data.path(), 0).await;
    let peer = witness_1.peer();
    let port = witness_1.address.port();
    let running = log(data.path(), peer.clone()).await;
    for number in 0..3 {
        running.seal(number).await.unwrap();
    }
    running.cosigned(3).await;
    let cosignatures = running.store.cosignatures(3).await.unwrap();
    assert_eq!((cosignatures.len(), cosignatures[0].witness.as_str()), (1, "w.example/1"));
    let (status, note) = witness_1.call("GET", &checkpoint_path(ORIGIN), None).await;
    assert_eq!(status, 200);
    let note = proof::tlog::Note::parse(&note).unwrap();
    assert_eq!(note.verify(&[peer.key.clone(), log_vkey(data.path())]).unwrap().len(), 2);
    running.end().await;
    copy(data.path(), old.path());

    // The witness is gone for a while; the log goes on, and is cosigned when it is back.
    witness_1.stop().await;
    let running = log(data.path(), peer.clone()).await;
    running.seal(3).await.unwrap();
    running.seal(4).await.unwrap();
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    assert_eq!(running.store.last_cosigned().await.unwrap(), Some(3));
    assert_eq!(running.service.log.fault(), None);
    let witness_2 = witness(wit.path(), data.path(), port).await;
    assert_eq!(witness_2.vkey, peer.key);
    running.cosigned(5).await;
    running.end().await;

    // The log and its mark are put back from an old copy: nothing here can tell, the witness can. It is
    // asked before anything is signed.
    copy(old.path(), data.path());
    let (running, opened) = log_opened(data.path(), peer.clone()).await;
    let fault = opened.unwrap_err().to_string();
    assert!(fault.contains("restored from an old copy"), "{fault}");
    assert!(running.seal(9).await.is_err());
    assert_eq!(running.store.last_batch().await.unwrap().unwrap().tree_size(), 3);
    running.end().await;

    // The same if the witness comes back only after the start.
    witness_2.stop().await;
    copy(old.path(), data.path());
    let running = log(data.path(), peer.clone()).await;
    running.seal(9).await.unwrap();
    let witness_2 = witness(wit.path(), data.path(), port).await;
    for _ in 0..300 {
        if running.service.log.fault().is_some() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let fault = running.service.log.fault().expect("the log must stop");
    assert!(fault.contains("restored from an old copy"), "{fault}");
    assert!(running.seal(10).await.is_err());
    running.end().await;

    // Put back and grown past what was cosigned, with another history.
    copy(old.path(), data.path());
    let nobody = WitnessPeer { key: peer.key.clone(), url: "http://127.0.0.1:1".to_owned() };
    let running = log(data.path(), nobody).await;
    for number in 20..26 {
        running.seal(number).await.unwrap();
    }
    running.end().await;
    let (running, opened) = log_opened(data.path(), peer).await;
    let fault = opened.unwrap_err().to_string();
    assert!(fault.contains("a different history"), "{fault}");
    running.end().await;
    witness_2.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_requests_are_bounded_and_answered() {
    let (data, wit) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let served = witness(wit.path(), data.path(), 0).await;
    let large = vec![b'a'; proof::tlog::witness::MAX_REQUEST_BYTES + 1];
    for (method, path, body, status) in [
        ("POST", "/add-checkpoint", Some(&b"nonsense"[..]), 400),
        ("POST", "/add-checkpoint", Some(&large[..]), 413),
        ("POST", "/add-checkpoint", None, 400),
        ("GET", "/add-checkpoint", None, 405),
        ("GET", "/nonsense/checkpoint", None, 404),
        ("GET", &checkpoint_path(ORIGIN), None, 404),
        ("GET", "/", None, 404),
    ] {
        assert_eq!(served.call(method, path, body).await.0, status, "{method} {path}");
    }
    served.stop().await;
}

/// A server in place of a witness: answers every request with this checkpoint, or never.
async fn pretender(note: Option<String>) -> WitnessPeer {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut held = Vec::new();
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let Some(note) = &note else {
                held.push(stream);
                continue;
            };
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", note.len());
            let _ = stream.write_all(format!("{head}{note}").as_bytes()).await;
        }
    });
    let key = SigningKey::from_seed(&[3; 32], KeyPurpose::LogHeads, Timestamp::from_millis(0));
    let key = key.unwrap().public().clone();
    WitnessPeer {
        key: VerifierKey::new("w.example/1", SignatureType::Cosignature, key).unwrap(),
        url,
    }
}

fn checkpoint_note(size: u64, key: &SigningKey) -> String {
    let text = Checkpoint::new(ORIGIN, size, proof::sha256(b"another history")).unwrap().text();
    Note::sign(&text, ORIGIN, key).unwrap().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_checkpoint_that_our_key_signed_stops_the_start() {
    let data = tempfile::tempdir().unwrap();
    let keys = data.path().join("keys");
    let started = pretender(None).await;
    let running = log(data.path(), started).await;
    running.seal(1).await.unwrap();
    running.end().await;
    let now = SystemClock.now();
    let own = KeyStore::open(&keys, now).unwrap().signer(KeyPurpose::LogHeads, now).unwrap();
    let other = SigningKey::from_seed(&[9; 32], KeyPurpose::LogHeads, Timestamp::from_millis(0));
    let other = other.unwrap();

    for (size, why) in [(1, "a different history"), (9, "restored from an old copy")] {
        let (running, opened) =
            log_opened(data.path(), pretender(Some(checkpoint_note(size, &own))).await).await;
        let fault = opened.unwrap_err().to_string();
        assert!(fault.contains(why), "{fault}");
        running.end().await;
    }
    let mut number = 2;
    for note in [Some(checkpoint_note(9, &other)), Some("nonsense".to_owned()), None] {
        let begun = std::time::Instant::now();
        let running = log(data.path(), pretender(note).await).await;
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
        running.seal(number).await.unwrap();
        number += 1;
        running.end().await;
    }
    // Others have the key: its signature proves nothing any more.
    let mut store = KeyStore::open(&keys, now).unwrap();
    store.mark_compromised(own.kid(), now, SystemClock.now()).unwrap();
    let running = log(data.path(), pretender(Some(checkpoint_note(9, &own))).await).await;
    running.seal(number).await.unwrap();
    assert_eq!(running.service.log.fault(), None);
    running.end().await;
}
