//! A process that is killed at any time has stored everything it acknowledged.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use store::{Artifacts, Digest, Scans};

use crate::{integrity, open, scan};

const DIR: &str = "STORE_SQLITE_TEST_DIR";
const ROUND: &str = "STORE_SQLITE_TEST_ROUND";
/// Set if the child should write only to the database.
const NO_BODIES: &str = "STORE_SQLITE_TEST_NO_BODIES";
const ROUNDS: u32 = 30;

/// Not a test by itself: the work of the process to be killed. Writes until it is killed and prints
/// one line for each acknowledged write.
#[test]
fn child_that_writes() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let round = std::env::var(ROUND).unwrap();
    let with_bodies = if std::env::var_os(NO_BODIES).is_some() { 0 } else { 4 };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        let store = Arc::new(open(Path::new(&dir)));
        let writers = (0..24).map(|writer| {
            let (store, round) = (Arc::clone(&store), round.clone());
            tokio::spawn(async move {
                for number in 0_u64.. {
                    let id = format!("{round}-{writer}-{number}");
                    if writer < with_bodies {
                        let body = Bytes::from(format!("body of {id}"));
                        let at = scan(&id).scanned_at;
                        store.put_artifact(Digest::of(&body), body, at).await.unwrap();
                        say(&format!("artifact {id}"));
                    }
                    store.put_scan(scan(&id)).await.unwrap();
                    say(&format!("scan {id}"));
                }
            })
        });
        for writer in writers.collect::<Vec<_>>() {
            writer.await.unwrap();
        }
    });
}

/// One write call, bypassing the test harness, so that lines are never partial.
fn say(what: &str) {
    std::io::stdout().lock().write_all(format!("\nkept {what}\n").as_bytes()).unwrap();
    std::io::stdout().lock().flush().unwrap();
}

/// Starts this test program with only the child test, optionally inside `wrapper`.
pub(crate) fn start_child(dir: &Path, round: u32, wrapper: &[&str]) -> Child {
    let this = std::env::current_exe().unwrap();
    let mut words = wrapper.to_vec();
    words.push(this.to_str().unwrap());
    let mut command = Command::new(words[0]);
    if !wrapper.is_empty() {
        command.env(NO_BODIES, "1");
    }
    command
        .args(&words[1..])
        .args(["--exact", "killed::child_that_writes", "--nocapture", "--test-threads=1"])
        .env(DIR, dir)
        // Nobody reads its errors before it ends, so they must fit into a pipe.
        .env("RUST_BACKTRACE", "0")
        .env(ROUND, round.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The writes that the child reported, without an incomplete last line. `progress` is called with the
/// count after each line.
pub(crate) fn acknowledged(child: &mut Child, mut progress: impl FnMut(usize)) -> Vec<String> {
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut lines = Vec::new();
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line).unwrap() > 0 {
        let text = String::from_utf8_lossy(&line).into_owned();
        if let Some(what) = text.strip_suffix('\n').and_then(|text| text.strip_prefix("kept ")) {
            lines.push(what.to_owned());
            progress(lines.len());
        }
        line.clear();
    }
    lines
}

/// Fails unless everything that was acknowledged is there and intact.
pub(crate) async fn check(dir: &Path, acknowledged: &HashSet<String>) {
    let store = open(dir);
    for what in acknowledged {
        let (kind, id) = what.split_once(' ').unwrap();
        if kind == "scan" {
            assert_eq!(store.scan(id).await, Ok(Some(scan(id))), "{id}");
        } else {
            let body = Bytes::from(format!("body of {id}"));
            assert_eq!(store.artifact(Digest::of(&body)).await, Ok(Some(body)), "{id}");
        }
    }
    drop(store);
    assert_eq!(integrity(dir), "ok");
}

#[tokio::test]
async fn nothing_acknowledged_is_lost_when_the_process_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let mut acknowledged_ever = HashSet::new();
    let mut productive = 0;
    for round in 0..ROUNDS {
        let mut child = start_child(dir.path(), round, &[]);
        // Every fourth kill comes while the store opens or a little later. The others come during work,
        // after a varying time since the first write.
        let id = child.id();
        let wait = Duration::from_millis(u64::from((round * 97) % 251) + 5);
        let kill = move || {
            std::thread::sleep(wait);
            Command::new("kill").args(["-9", &id.to_string()]).status().unwrap();
        };
        let early = (round % 4 == 0).then(|| std::thread::spawn(kill));
        let mut late = None;
        let stored = acknowledged(&mut child, |count| {
            if early.is_none() && count == 1 {
                late = Some(std::thread::spawn(kill));
            }
        });
        [early, late].into_iter().flatten().for_each(|killer| killer.join().unwrap());
        assert!(!child.wait().unwrap().success(), "the child ended by itself");
        productive += u32::from(!stored.is_empty());
        let new: HashSet<String> = stored.into_iter().collect();
        check(dir.path(), &new).await;
        acknowledged_ever.extend(new);
    }
    check(dir.path(), &acknowledged_ever).await;
    assert!(productive >= 20, "only {productive} rounds of {ROUNDS} got to write");
}
