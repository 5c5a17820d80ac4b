use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use proof::KeyPurpose;
use proof::tlog::{Checkpoint, Note, TileFile, encode_entry_bundle};
use serde_json::json;
use store::BoxFuture;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use crate::testing;

/// What a log serves. Tests change it at will.
#[derive(Debug, Clone, Default)]
struct ServedLog {
    heads: Vec<Value>,
    leaves: Vec<Vec<Digest>>,
    entries: Vec<Bytes>,
    checkpoint: Option<String>,
    directory: Value,
    rotation: Value,
    /// Served instead of the real response; `None` is a 404.
    instead: BTreeMap<String, Option<Vec<u8>>>,
    down: bool,
}

#[derive(Debug, Clone, Default)]
struct FakeLog(Arc<Mutex<ServedLog>>);

impl ServedLog {
    fn answer(&self, path: &str) -> Option<Vec<u8>> {
        if let Some(instead) = self.instead.get(path) {
            return instead.clone();
        }
        let json = |value: Value| Some(value.to_string().into_bytes());
        match path {
            "/api/v1/log" => json(json!({ "head": self.heads.last() })),
            "/log/checkpoint" => Some(self.checkpoint.clone()?.into_bytes()),
            crate::KEY_DIRECTORY_PATH => json(self.directory.clone()),
            crate::KEY_ROTATION_PATH => json(self.rotation.clone()),
            path => {
                if let Some(query) = path.strip_prefix("/api/v1/log/sths?to=") {
                    let (to, n) = query.split_once("&n=").unwrap();
                    let (to, n): (usize, usize) = (to.parse().unwrap(), n.parse().unwrap());
                    let end = (to + 1).min(self.heads.len());
                    let mut page = self.heads[end.saturating_sub(n)..end].to_vec();
                    page.reverse();
                    return json(json!({ "sths": page }));
                }
                if let Some(number) = path.strip_prefix("/api/v1/log/sth/") {
                    let number: usize = number.parse().unwrap();
                    let (sth, leaves) = (self.heads.get(number)?, self.leaves.get(number)?);
                    return json(json!({ "sth": sth, "witnesses": [], "leaves": leaves }));
                }
                let file: TileFile = path.strip_prefix("/log/")?.parse().ok()?;
                let from = file.index as usize * 256;
                let entries = self.entries.get(from..from + usize::from(file.width))?;
                encode_entry_bundle(entries)
            }
        }
    }
}

impl LogSource for FakeLog {
    fn fetch<'a>(
        &'a self,
        path: &'a str,
        most: usize,
    ) -> BoxFuture<'a, Result<Option<Vec<u8>>, LogUnreachable>> {
        let shown = self.0.lock().unwrap();
        let answer = if shown.down {
            Err(LogUnreachable("down".to_owned()))
        } else {
            Ok(shown.answer(path))
        };
        assert!(
            answer.as_ref().is_ok_and(|a| a.as_ref().is_none_or(|a| a.len() <= most))
                || answer.is_err()
        );
        Box::pin(std::future::ready(answer))
    }
}

/// What a running service serves.
async fn served_log(service: &crate::Service) -> ServedLog {
    let mut shown = ServedLog {
        directory: serde_json::from_slice(&service.keys.directory().content).unwrap(),
        rotation: serde_json::from_slice(&service.keys.rotation_record()).unwrap(),
        checkpoint: service.log.checkpoint().unwrap().map(|note| note.to_string()),
        ..ServedLog::default()
    };
    let mut batch = 0;
    while let Some((stored, _)) = service.log.batch_with_cosignatures(batch).await.unwrap() {
        shown.heads.push(serde_json::from_slice(&stored.sth).unwrap());
        let entries = service.store.log_entries(stored.first_index, stored.leaves.len()).await;
        shown.entries.extend(entries.unwrap());
        shown.leaves.push(stored.leaves);
        batch += 1;
    }
    shown
}

/// The same log twice: after some answers, and after more.
async fn log_at_two_times(dir: &Path) -> (ServedLog, ServedLog) {
    let service = testing::start_service(dir, Vec::new()).await;
    testing::seal_answers(&service, 0..300).await;
    let first = served_log(&service).await;
    testing::seal_answers(&service, 300..400).await;
    let second = served_log(&service).await;
    testing::stop_service(service).await;
    (first, second)
}

/// A different history signed by the same keys, as a dishonest operator could make it.
async fn another_history(dir: &Path, answers: std::ops::Range<usize>) -> ServedLog {
    let other = tempfile::tempdir().unwrap();
    let keys = other.path().join("keys");
    std::os::unix::fs::DirBuilderExt::mode(&mut std::fs::DirBuilder::new(), 0o700)
        .create(&keys)
        .unwrap();
    for entry in std::fs::read_dir(dir.join("keys")).unwrap() {
        let entry = entry.unwrap();
        let of_the_log = [proof::keys::MARK_FILE_NAME, proof::keys::PLACE_FILE_NAME];
        if !of_the_log.iter().any(|name| entry.file_name() == *name) {
            std::fs::copy(entry.path(), keys.join(entry.file_name())).unwrap();
        }
    }
    let service = testing::start_service(other.path(), Vec::new()).await;
    testing::seal_answers(&service, answers).await;
    let shown = served_log(&service).await;
    testing::stop_service(service).await;
    shown
}

#[derive(Default)]
struct SavedState(Option<Vec<u8>>);

impl StateStore for SavedState {
    fn save(&mut self, state: &MonitorState) -> Result<(), MonitorStateError> {
        self.0 = Some(state.to_bytes()?);
        Ok(())
    }
}

/// One check that starts from the saved state, like a new process.
async fn run_check(
    source: &dyn LogSource,
    saved: &mut SavedState,
) -> Result<Vec<MonitorStep>, MonitorError> {
    let brand = Brand::default();
    let mut state = match &saved.0 {
        Some(bytes) => MonitorState::parse(bytes, "u", &brand).unwrap(),
        None => MonitorState::new("u", &brand),
    };
    let mut steps = Vec::new();
    let monitor = Monitor { source, clock: &*testing::clock(), brand };
    monitor.check(&mut state, saved, &mut |step| steps.push(step)).await?;
    Ok(steps)
}

async fn alarm_of(source: &dyn LogSource, saved: &SavedState) -> AlarmKind {
    let mut saved = SavedState(saved.0.clone());
    match run_check(source, &mut saved).await {
        Err(MonitorError::Alarm(alarm)) => {
            // The alarm is saved, and the state did not advance past it.
            let state: Value = serde_json::from_slice(saved.0.as_ref().unwrap()).unwrap();
            assert_eq!(state["alarms"][0]["detail"], json!(alarm.detail));
            alarm.kind
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_honest_log_is_followed_across_starts() {
    let dir = tempfile::tempdir().unwrap();
    let (first, second) = log_at_two_times(dir.path()).await;
    let fake = FakeLog::default();
    let mut saved = SavedState::default();
    // Empty to begin with.
    *fake.0.lock().unwrap() = ServedLog {
        directory: first.directory.clone(),
        rotation: first.rotation.clone(),
        ..ServedLog::default()
    };
    let steps = run_check(&fake, &mut saved).await.unwrap();
    assert!(
        matches!(&steps[..], [MonitorStep::Pinned { log_heads_keys, .. }, MonitorStep::Current { batch: None, .. }] if log_heads_keys.len() == 1),
        "{steps:?}"
    );
    for (now, size) in [(first, 300), (second.clone(), 400), (second, 400)] {
        let last = now.heads.len() as u64 - 1;
        *fake.0.lock().unwrap() = now;
        let steps = run_check(&fake, &mut saved).await.unwrap();
        let Some(MonitorStep::Current { batch, tree_size, age_seconds, .. }) = steps.last() else {
            panic!("{steps:?}")
        };
        assert_eq!((*batch, *tree_size), (Some(last), size));
        assert!(age_seconds.unwrap() <= 0, "the clock of the test stands still");
    }
    fake.0.lock().unwrap().down = true;
    assert!(matches!(run_check(&fake, &mut saved).await, Err(MonitorError::Unreachable(_))));
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_an_honest_log_cannot_show_is_an_alarm() {
    let dir = tempfile::tempdir().unwrap();
    let (first, second) = log_at_two_times(dir.path()).await;
    let fake = FakeLog::default();
    let mut saved = SavedState::default();
    *fake.0.lock().unwrap() = first.clone();
    run_check(&fake, &mut saved).await.unwrap();
    let seen = first.heads.len();
    let with_keys = |other: ServedLog| ServedLog {
        directory: second.directory.clone(),
        rotation: second.rotation.clone(),
        ..other
    };
    let longer = with_keys(another_history(dir.path(), 1000..1500).await);
    assert!(longer.heads.len() > seen);
    let mut equally_long = longer.clone();
    equally_long.heads.truncate(seen);
    equally_long.checkpoint = second.checkpoint.clone();
    let mut shrunk = first.clone();
    shrunk.heads.truncate(seen - 3);
    let mut old_checkpoint = second.clone();
    old_checkpoint.checkpoint = first.checkpoint.clone();
    let mut gap = second.clone();
    gap.heads.remove(seen + 1);
    let mut bad_signature = second.clone();
    let sig = bad_signature.heads[seen]["signature"]["sig"].as_str().unwrap();
    let sig = sig.replacen(sig.chars().nth(9).unwrap(), "-", 1);
    bad_signature.heads[seen]["signature"]["sig"] = json!(sig);
    let mut other_leaf = second.clone();
    other_leaf.leaves[seen][0] = Digest::of(b"x");
    let mut fewer_leaves = second.clone();
    fewer_leaves.leaves[seen].pop();
    let mut other_entry = second.clone();
    other_entry.entries[301] = other_entry.entries[0].clone();
    let mut no_entries = second.clone();
    no_entries.entries.truncate(301);
    let mut garbled = second.clone();
    garbled.instead.insert("/log/tile/entries/001.p/144".into(), Some(vec![0xff; 300]));
    let mut key_gone = second.clone();
    key_gone.directory["keys"].as_array_mut().unwrap().retain(|k| k["svc_purpose"] != "log heads");
    let mut key_of_a_stranger = second.clone();
    let stranger = proof::SigningKey::generate(KeyPurpose::LogHeads, testing::now()).unwrap();
    for jwk in key_of_a_stranger.directory["keys"].as_array_mut().unwrap() {
        if jwk["svc_purpose"] == "log heads" {
            jwk["x"] = json!(stranger.public().x());
            jwk["kid"] = json!(stranger.public().kid());
        }
    }
    let mut no_checkpoint = second.clone();
    no_checkpoint.checkpoint = None;
    let mut nonsense = second.clone();
    nonsense.instead.insert("/api/v1/log".into(), Some(b"{\"head\":1,\"head\":2}".to_vec()));
    let forged = |size: u64, root: Digest| {
        let key =
            testing::open_keys(dir.path()).signer(KeyPurpose::LogHeads, testing::now()).unwrap();
        let origin = "svc.example/svc-resolve-log-v1";
        let text = Checkpoint::new(origin, size, root).unwrap().text();
        Some(Note::sign(&text, origin, &key).unwrap().to_string())
    };
    let mut other_root = second.clone();
    other_root.checkpoint = forged(400, Digest::of(b"x"));
    let mut beyond = second.clone();
    beyond.checkpoint = forged(4000, Digest::of(b"x"));
    for (name, now, wanted) in [
        ("longer", longer, AlarmKind::Rewritten),
        ("equally long", equally_long, AlarmKind::Fork),
        ("shrunk", shrunk, AlarmKind::Shrunk),
        ("gap", gap, AlarmKind::Withheld),
        ("bad signature", bad_signature, AlarmKind::Broken),
        ("other leaf", other_leaf, AlarmKind::Broken),
        ("fewer leaves", fewer_leaves, AlarmKind::Broken),
        ("other entry", other_entry, AlarmKind::Entry),
        ("no entries", no_entries, AlarmKind::Withheld),
        ("garbled", garbled, AlarmKind::Entry),
        ("key gone", key_gone, AlarmKind::Keys),
        ("stranger", key_of_a_stranger, AlarmKind::Keys),
        ("no checkpoint", no_checkpoint, AlarmKind::Withheld),
        ("nonsense", nonsense, AlarmKind::Form),
        ("other root", other_root, AlarmKind::Checkpoint),
        ("beyond", beyond, AlarmKind::Checkpoint),
    ] {
        *fake.0.lock().unwrap() = now;
        let kind = alarm_of(&fake, &saved).await;
        assert_eq!(kind, wanted, "{name}");
    }
    // A checkpoint older than the head, but not older than the last check, is accepted: caches may be slow.
    *fake.0.lock().unwrap() = old_checkpoint;
    run_check(&fake, &mut SavedState(saved.0.clone())).await.unwrap();
    // The honest log is still accepted.
    *fake.0.lock().unwrap() = second;
    run_check(&fake, &mut saved).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_published_rotation_is_accepted() {
    let dir = tempfile::tempdir().unwrap();
    let service = testing::start_service(dir.path(), Vec::new()).await;
    testing::seal_answers(&service, 0..30).await;
    let fake = FakeLog(Arc::new(Mutex::new(served_log(&service).await)));
    let mut saved = SavedState::default();
    run_check(&fake, &mut saved).await.unwrap();
    testing::open_keys(dir.path()).rotate(KeyPurpose::LogHeads, testing::now()).unwrap();
    service.keys.reload().unwrap();
    testing::seal_answers(&service, 30..60).await;
    let now = served_log(&service).await;
    testing::stop_service(service).await;
    let mut unpublished = now.clone();
    unpublished.rotation = json!({ "retired": [], "compromised": [] });
    *fake.0.lock().unwrap() = unpublished;
    assert_eq!(alarm_of(&fake, &saved).await, AlarmKind::Keys);
    *fake.0.lock().unwrap() = now;
    let steps = run_check(&fake, &mut saved).await.unwrap();
    assert!(steps.iter().any(|step| matches!(step, MonitorStep::NewKey { .. })), "{steps:?}");
}

/// Serves a fake over a real socket, one request a connection.
async fn serve(fake: FakeLog) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.windows(4).any(|w| w == b"\r\n\r\n") {
                let mut some = [0; 1024];
                match stream.read(&mut some).await {
                    Ok(n) if n > 0 => head.extend_from_slice(&some[..n]),
                    _ => break,
                }
            }
            let head = String::from_utf8_lossy(&head).into_owned();
            let path = head.split(' ').nth(1).unwrap_or("/").to_owned();
            let answer = fake.0.lock().unwrap().answer(&path);
            let status = if answer.is_some() { "200 OK" } else { "404 Not Found" };
            let body = answer.unwrap_or_default();
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(&[head.as_bytes(), &body].concat()).await;
        }
    });
    url
}

#[tokio::test(flavor = "multi_thread")]
async fn monitors_over_http() {
    let dir = tempfile::tempdir().unwrap();
    let (first, second) = log_at_two_times(dir.path()).await;
    let fake = FakeLog(Arc::new(Mutex::new(first)));
    let source = HttpLogSource::new(&format!("{}/", serve(fake.clone()).await));
    let mut saved = SavedState::default();
    run_check(&source, &mut saved).await.unwrap();
    let mut bad = second.clone();
    bad.entries[350] = Bytes::from_static(b"{}");
    *fake.0.lock().unwrap() = bad;
    assert_eq!(alarm_of(&source, &saved).await, AlarmKind::Entry);
    let mut endless = second.clone();
    endless.instead.insert("/log/checkpoint".into(), Some(vec![b'a'; MAX_NOTE_BYTES + 1]));
    *fake.0.lock().unwrap() = endless;
    let looked = run_check(&source, &mut SavedState(saved.0.clone())).await;
    assert!(matches!(looked, Err(MonitorError::Unreachable(_))), "{looked:?}");
    *fake.0.lock().unwrap() = second;
    run_check(&source, &mut saved).await.unwrap();
    let nobody = HttpLogSource::new("http://127.0.0.1:1");
    assert!(matches!(run_check(&nobody, &mut saved).await, Err(MonitorError::Unreachable(_))));
}
