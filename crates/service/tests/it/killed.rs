//! Kills a process under load at arbitrary times: every acknowledged entry is in the log exactly once.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use proof::Digest;
use store::Answers;

use crate::answers::{answer, domain};
use crate::world::{HandClock, NOON, assert_verifies, open, policy, settings};

const DIR: &str = "SERVICE_TEST_DIR";
const FIRST: &str = "SERVICE_TEST_FIRST";
/// How many times CI kills the process; `KILL_ROUNDS=1000` for more.
const ROUNDS: u64 = 200;

/// Not a test of its own: what the killed process does. It seals until it is killed and prints a line
/// for each acknowledged answer.
#[test]
fn child_that_seals() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let first: u64 = std::env::var(FIRST).unwrap().parse().unwrap();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let mut settings = settings();
        settings.log.interval = Duration::from_millis(2);
        let (service, opened) = open(Path::new(&dir), settings, HandClock::new(NOON)).await;
        opened.unwrap();
        let callers = (0..16).map(|caller| {
            let service = Arc::clone(&service);
            tokio::spawn(async move {
                for n in 0.. {
                    let number = first + n * 16 + caller;
                    let sealed =
                        service.log.seal_answer(answer(number), domain(number)).await.unwrap();
                    print_line(&format!("sealed {number} {} {}", sealed.log_index, sealed.sha256));
                }
            })
        });
        for caller in callers.collect::<Vec<_>>() {
            caller.await.unwrap();
        }
    });
}

/// Prints with one write call, bypassing the test harness, so that a line is complete or absent.
pub(crate) fn print_line(what: &str) {
    std::io::stdout().lock().write_all(format!("\n{what}\n").as_bytes()).unwrap();
    std::io::stdout().lock().flush().unwrap();
}

/// Starts this test program so that it runs only the child, inside `wrapper` if one is given.
pub(crate) fn start_child(dir: &Path, first: u64, wrapper: &[&str]) -> Child {
    let this = std::env::current_exe().unwrap();
    let mut words = wrapper.to_vec();
    words.push(this.to_str().unwrap());
    Command::new(words[0])
        .args(&words[1..])
        .args(["--exact", "killed::child_that_seals", "--nocapture", "--test-threads=1"])
        .env(DIR, dir)
        .env("RUST_BACKTRACE", "0")
        .env(FIRST, first.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// An answer whose sealing was acknowledged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AcknowledgedAnswer {
    pub(crate) number: u64,
    pub(crate) log_index: u64,
    pub(crate) sha256: Digest,
}

/// The answers that the child reported as sealed; an incomplete last line is ignored. `progress` is
/// called with the count after each line.
pub(crate) fn read_acknowledged(
    child: &mut Child,
    mut progress: impl FnMut(u64),
) -> Vec<AcknowledgedAnswer> {
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut acknowledged = Vec::new();
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line).unwrap() > 0 {
        let text = String::from_utf8_lossy(&line).into_owned();
        if let Some(one) = text.strip_suffix('\n').and_then(parse_acknowledged) {
            acknowledged.push(one);
            progress(acknowledged.len() as u64);
        }
        line.clear();
    }
    acknowledged
}

/// Parses a complete line of the child.
pub(crate) fn parse_acknowledged(line: &str) -> Option<AcknowledgedAnswer> {
    let words: Vec<&str> = line.strip_prefix("sealed ")?.split(' ').collect();
    let (number, log_index) = (words[0].parse().unwrap(), words[1].parse().unwrap());
    Some(AcknowledgedAnswer { number, log_index, sha256: words[2].parse().unwrap() })
}

/// Fails unless the log opens, its whole chain verifies from its bytes, and every acknowledged answer
/// is stored, verifies, and has the reported log index.
pub(crate) async fn check_log(dir: &Path, acknowledged: &[AcknowledgedAnswer], whole: bool) {
    let store = Arc::new(crate::world::open_store(dir));
    let service =
        crate::world::build_service_on(dir, settings(), HandClock::new(NOON), store.clone());
    let (mark, marked) = proof::keys::LogMark::open(&dir.join("keys")).unwrap();
    service.log.open(mark, marked).await.unwrap();
    let keys = policy(&service);
    for one in acknowledged {
        let stored = store.answer(one.sha256).await.unwrap();
        let stored = stored.unwrap_or_else(|| panic!("{one:?} was acknowledged and is lost"));
        assert_eq!(stored.log_index, one.log_index);
        assert_verifies(&stored, &keys);
    }
    if whole {
        audit_log(store.as_ref(), keys).await;
    }
    service.log.close().await;
}

/// Verifies heads, links, leaves, roots and contents from the stored bytes, and that no leaf occurs twice.
async fn audit_log(store: &dyn store::Store, keys: proof::KeyPolicy) {
    let mut audit = proof::audit::LogAudit::new(keys, contract::Brand::default());
    let mut seen: HashMap<Digest, u64> = HashMap::new();
    let Some(last) = store.last_batch().await.unwrap() else { return };
    for number in 0..=last.batch {
        let batch = store.batch(number).await.unwrap().unwrap();
        let entries = store.log_entries(batch.first_index, batch.leaves.len()).await.unwrap();
        audit.check_batch(&batch.sth, &batch.leaves, Some(&entries)).unwrap();
        for leaf in batch.leaves {
            let twice = seen.insert(leaf, number);
            assert_eq!(twice, None, "{leaf} is in batch {number} and in an earlier one");
        }
    }
    assert_eq!(seen.len() as u64, store.count_indexed_leaves().await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_or_sealed_twice() {
    let rounds = std::env::var("KILL_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let (mut all, mut productive) = (Vec::new(), 0);
    for round in 0..rounds {
        let mut child = start_child(dir.path(), round * 1_000_000, &[]);
        // Every fourth kill comes while the log opens. The others come during work, after a varying
        // number of answers and milliseconds.
        let (id, after) = (child.id(), round * 37 % 50 + 1);
        let wait = Duration::from_millis((round * 97) % 41);
        let kill = move || {
            std::thread::sleep(wait);
            Command::new("kill").args(["-9", &id.to_string()]).status().unwrap();
        };
        let early = (round % 4 == 0).then(|| std::thread::spawn(kill));
        let mut late = None;
        let acknowledged = read_acknowledged(&mut child, |count| {
            if early.is_none() && count == after {
                late = Some(std::thread::spawn(kill));
            }
        });
        [early, late].into_iter().flatten().for_each(|killer| killer.join().unwrap());
        assert!(!child.wait().unwrap().success(), "the child ended by itself");
        productive += u64::from(!acknowledged.is_empty());
        check_log(dir.path(), &acknowledged, round % 50 == 0).await;
        all.extend(acknowledged);
    }
    check_log(dir.path(), &all, true).await;
    println!("{rounds} kills, {productive} of them under load, {} answers", all.len());
    assert!(productive * 2 >= rounds, "only {productive} rounds of {rounds} got to seal");
}
