//! A process that is killed at any moment, under load: what it acknowledged is in the log, once.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use proof::Digest;
use store::Answers;

use crate::answers::{answer, domain};
use crate::world::{HandClock, NOON, accepted, open, policy, settings};

const DIR: &str = "SERVICE_TEST_DIR";
const FIRST: &str = "SERVICE_TEST_FIRST";
/// How often CI kills; `KILL_ROUNDS=1000` does more.
const ROUNDS: u64 = 200;

/// Not a test of its own: what the killed process does. Seals until it is killed and says on
/// standard output what was acknowledged, a line each.
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
                    let kept = service.seal_answer(answer(number), domain(number)).await.unwrap();
                    say(&format!("sealed {number} {} {}", kept.log_index, kept.sha256));
                }
            })
        });
        for caller in callers.collect::<Vec<_>>() {
            caller.await.unwrap();
        }
    });
}

/// One write call, past the test harness: a line is there or it is not.
pub(crate) fn say(what: &str) {
    std::io::stdout().lock().write_all(format!("\n{what}\n").as_bytes()).unwrap();
    std::io::stdout().lock().flush().unwrap();
}

/// Starts this very test program with nothing but the child in it, or `wrapper` around that.
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

/// An answer that its caller was told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) number: u64,
    pub(crate) log_index: u64,
    pub(crate) sha256: Digest,
}

/// What the child said it sealed, without a last line that was cut. `progress` is called with the
/// count after each of its lines.
pub(crate) fn told(child: &mut Child, mut progress: impl FnMut(u64)) -> Vec<Told> {
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut told = Vec::new();
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line).unwrap() > 0 {
        let text = String::from_utf8_lossy(&line).into_owned();
        if let Some(one) = text.strip_suffix('\n').and_then(told_of) {
            told.push(one);
            progress(told.len() as u64);
        }
        line.clear();
    }
    told
}

/// What a whole line of a child says that it sealed.
pub(crate) fn told_of(line: &str) -> Option<Told> {
    let words: Vec<&str> = line.strip_prefix("sealed ")?.split(' ').collect();
    let (number, log_index) = (words[0].parse().unwrap(), words[1].parse().unwrap());
    Some(Told { number, log_index, sha256: words[2].parse().unwrap() })
}

/// Fails unless the log opens, its whole chain verifies from its bytes, and every answer that was
/// told of is kept, verifies, and is where it was said to be.
pub(crate) async fn check(dir: &Path, told: &[Told], whole: bool) {
    let store = Arc::new(crate::world::store(dir));
    let service = crate::world::build_on(dir, settings(), HandClock::new(NOON), store.clone());
    let (mark, marked) = proof::keys::LogMark::open(&dir.join("keys")).unwrap();
    service.open_log(mark, marked).await.unwrap();
    let keys = policy(&service);
    for one in told {
        let kept = store.answer(one.sha256).await.unwrap();
        let kept = kept.unwrap_or_else(|| panic!("{one:?} was acknowledged and is lost"));
        assert_eq!(kept.log_index, one.log_index);
        accepted(&kept, &keys);
    }
    if whole {
        audit(store.as_ref(), keys).await;
    }
    service.close_log().await;
}

/// Everything from bytes: heads, links, leaves, roots, contents, and no leaf twice.
async fn audit(store: &dyn store::Store, keys: proof::KeyPolicy) {
    let mut audit = proof::audit::LogAudit::new(keys, contract::Brand::default());
    let mut seen: HashMap<Digest, u64> = HashMap::new();
    let Some(last) = store.last_batch().await.unwrap() else { return };
    for number in 0..=last.batch {
        let batch = store.batch(number).await.unwrap().unwrap();
        let entries = store.log_entries(batch.first_index, batch.leaves.len()).await.unwrap();
        audit.next(&batch.sth, &batch.leaves, Some(&entries)).unwrap();
        for leaf in batch.leaves {
            let twice = seen.insert(leaf, number);
            assert_eq!(twice, None, "{leaf} is in batch {number} and in an earlier one");
        }
    }
    assert_eq!(seen.len() as u64, store.indexed_leaves().await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_or_sealed_twice() {
    let rounds = std::env::var("KILL_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let (mut all, mut productive) = (Vec::new(), 0);
    for round in 0..rounds {
        let mut child = start_child(dir.path(), round * 1_000_000, &[]);
        // One in four while it opens, the others in the midst of its work: so many answers after
        // its first and so many milliseconds later, in no order.
        let (id, after) = (child.id(), round * 37 % 50 + 1);
        let wait = Duration::from_millis((round * 97) % 41);
        let kill = move || {
            std::thread::sleep(wait);
            Command::new("kill").args(["-9", &id.to_string()]).status().unwrap();
        };
        let early = (round % 4 == 0).then(|| std::thread::spawn(kill));
        let mut late = None;
        let told = told(&mut child, |count| {
            if early.is_none() && count == after {
                late = Some(std::thread::spawn(kill));
            }
        });
        [early, late].into_iter().flatten().for_each(|killer| killer.join().unwrap());
        assert!(!child.wait().unwrap().success(), "the child ended by itself");
        productive += u64::from(!told.is_empty());
        check(dir.path(), &told, round % 50 == 0).await;
        all.extend(told);
    }
    check(dir.path(), &all, true).await;
    println!("{rounds} kills, {productive} of them under load, {} answers", all.len());
    assert!(productive * 2 >= rounds, "only {productive} rounds of {rounds} got to seal");
}
