//! Copies of a data directory: whole copies, backups, and several addresses of one log.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

fn resolve(server: &Server, domain: &str) -> Value {
    let reply = server.get(&format!("/api/v1/resolve?domain={domain}"));
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

fn copy_all(from: &str, to: &str) {
    assert!(Command::new("cp").args(["-a", from, to]).status().unwrap().success());
}

/// A server on this data directory, which must be stopped before another uses it.
fn serve(data: &str) -> Server {
    Server::start_demo(&["--store-data-dir", data])
}

#[test]
fn a_whole_copy_is_loud_and_two_addresses_of_a_fork_are_told_apart() {
    let folder = Folder::new();
    let (data, copy) = (folder.path("data"), folder.path("copy"));
    let original = serve(&data);
    resolve(&original, "open.lab");
    drop(original);
    copy_all(&data, &copy);
    let server = serve(&copy);
    let ready = server.get("/readyz");
    assert_eq!(ready.status, 503, "{}", ready.text());
    assert!(ready.text().contains("this data directory is a copy"), "{}", ready.text());
    assert_eq!(server.get("/api/v1/resolve?domain=minimal.lab").status, 503);
    drop(server);
    let mark = |more: &[&str]| run(&[&["log", "mark", "--store-data-dir", &copy], more].concat());
    assert!(mark(&[]).expect(CHECK_FAILED).out.contains("this data directory is a copy"));
    let accepted = mark(&["--accept"]).expect(PASSED);
    accepted.assert_stderr_contains(&["no other copy", "two histories"]);
    mark(&[]).expect(PASSED);

    // Both sign now: a monitor of both addresses sees it, a monitor of one does not.
    let (original, copied) = (serve(&data), serve(&copy));
    for (server, domain) in [(&original, "blocks-ai.lab"), (&copied, "minimal.lab")] {
        assert_eq!(server.get("/readyz").status, 200);
        resolve(server, domain);
    }
    let monitor = |urls: &[&str], state: &str| {
        let state = folder.path(state);
        run(&[&["log", "monitor", "--once", "--state", &state], urls].concat())
    };
    monitor(&[&original.base()], "one.json").expect(PASSED);
    monitor(&[&copied.base()], "two.json").expect(PASSED);
    let alarm = monitor(&[&original.base(), &copied.base()], "both.json").expect(CHECK_FAILED);
    alarm.assert_stderr_contains(&["ALARM", "(FORK)", "serve different logs", "both.json.2"]);
    let evidence = std::fs::read_to_string(folder.path("both.json.2")).unwrap();
    let evidence: Value = serde_json::from_str(&evidence).unwrap();
    let heads = evidence["alarms"][0]["evidence"].as_array().unwrap();
    assert_eq!(heads.len(), 2, "both signed heads");
    assert_ne!(heads[0]["sha256"], heads[1]["sha256"]);

    // Gossip of one to the other stops it until an operator decides.
    let head = copied.get("/api/v1/log/sth/latest").json()["sth"].clone();
    let body = json!({ "sths": [head] }).to_string();
    let answer = original.post_with("/api/v1/log/gossip", "", &body).json();
    assert_eq!(answer["contradictions"], 1, "{answer}");
    assert_eq!(original.get("/readyz").status, 503);
    drop(original);
    let original = serve(&data);
    assert_eq!(original.get("/readyz").status, 503, "a restart does not decide");
    drop(original);
    run(&["log", "mark", "--accept", "--store-data-dir", &data]).expect(PASSED);
    assert_eq!(serve(&data).get("/readyz").status, 200);
}

#[test]
fn several_addresses_of_one_log_are_one_log() {
    let folder = Folder::new();
    let server = serve(&folder.path("data"));
    resolve(&server, "open.lab");
    let state = folder.path("state.json");
    let (one, two) = (server.base(), server.base().replace("127.0.0.1", "localhost"));
    let monitor = ["log", "monitor", "--once", "--state", &state, &one, &two];
    let output = run(&monitor).expect(PASSED);
    assert!(output.out.contains("2 addresses serve it"), "{}", output.out);
    // One of the two is ahead.
    run(&["log", "monitor", "--once", "--state", &state, &one]).expect(PASSED);
    resolve(&server, "minimal.lab");
    run(&monitor).expect(PASSED);
    run(&["log", "monitor", "--once", "--state", &state, &one, &one]).expect_error("given twice");
}

#[test]
fn a_backup_under_load_is_whole_and_cannot_fork() {
    let folder = Folder::new();
    let data = folder.path("data");
    let server = serve(&data);
    let flags = ["--store-data-dir", data.as_str()];
    let over = AtomicBool::new(false);
    let backups: Vec<Value> = std::thread::scope(|scope| {
        let (server, over) = (&server, &over);
        let load = move |offset: usize| {
            for number in (offset..).step_by(2) {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                // Names that do not resolve are answered and logged as well.
                server.get(&format!("/api/v1/resolve?domain=site{number}.lab"));
            }
        };
        scope.spawn(move || load(0));
        scope.spawn(move || load(1));
        scope.spawn(|| {
            while !over.load(Ordering::SeqCst) {
                ask(server, &json!("open.lab"));
            }
        });
        std::thread::sleep(Duration::from_secs(2));
        let backup = |number: usize| {
            let target = folder.path(&format!("backup-{number}"));
            let output = run(&["backup", &target, "--json", flags[0], flags[1]]).expect(PASSED);
            std::thread::sleep(Duration::from_millis(500));
            output.json()
        };
        let made = (0..5).map(backup).collect();
        over.store(true, Ordering::SeqCst);
        made
    });
    let sizes: Vec<u64> = backups.iter().map(|made| made["tree_size"].as_u64().unwrap()).collect();
    assert!(sizes.is_sorted() && sizes[0] > 0 && sizes[4] > sizes[0], "{sizes:?}");
    run(&["backup", &folder.path("backup-0"), flags[0], flags[1]]).expect_error("exists already");
    let newest = resolve(&server, "open.lab")["transparency"]["batch"].clone();
    drop(server);

    let last = folder.path("backup-4");
    for number in 0..5 {
        let target = folder.path(&format!("backup-{number}"));
        // Whole: every batch, leaf, entry and answer. Only the mark is missing.
        let report = run(&["log", "fsck", "--json", "--store-data-dir", &target]);
        let faults = report.expect(CHECK_FAILED).json()["faults"].clone();
        let parts: Vec<&Value> = faults.as_array().unwrap().iter().map(|f| &f["part"]).collect();
        assert_eq!(parts, [&json!("mark")], "{faults}");
    }
    // Put into service as it is, it signs nothing.
    let copy = folder.path("as-it-is");
    copy_all(&last, &copy);
    let server = serve(&copy);
    assert_eq!(server.get("/readyz").status, 503);
    assert!(server.get("/readyz").text().contains("mark is missing"));
    drop(server);

    // Restoring needs somebody who knows that nothing was signed since.
    let restored = folder.path("restored");
    let into = ["--store-data-dir", restored.as_str()];
    let refused = run(&["restore", &last, into[0], into[1]]).expect(CHECK_FAILED);
    refused.assert_stderr_contains(&["nothing was restored", "no witness has the end of this log"]);
    assert_eq!(std::fs::read_dir(&restored).unwrap().count(), 0, "nothing is left");
    run(&["restore", &last, flags[0], flags[1]]).expect_error("is not empty");
    run(&["restore", &folder.path("nothing"), into[0], into[1]]).expect_error("is this a backup");
    let output = run(&["restore", &last, "--accept", into[0], into[1]]).expect(PASSED);
    assert!(output.out.contains("Nobody but you"), "{}", output.out);
    run(&["log", "fsck", into[0], into[1]]).expect(PASSED);
    let server = serve(&restored);
    assert_eq!(server.get("/readyz").status, 200);
    assert!(resolve(&server, "minimal.lab")["transparency"]["batch"].as_u64() > Some(0));
    assert!(newest.as_u64() > Some(0));
    let state = folder.path("monitor.json");
    run(&["log", "monitor", "--once", "--state", &state, &server.base()]).expect(PASSED);
    // The log records that it was restored, and after which head.
    let batch = backups[4]["batches"].as_u64().unwrap();
    let leaf = server.get(&format!("/api/v1/log/sth/{batch}")).json()["leaves"][0].clone();
    let found = server.get(&format!("/api/v1/log?leaf={}", leaf.as_str().unwrap())).json();
    let index = found["lookup"]["log_index"].as_u64().unwrap();
    assert_eq!(index, sizes[4], "the first entry after the backup");
    drop(server);
    let store = store_sqlite::SqliteStore::open(Path::new(&restored), Default::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let entries = runtime.block_on(store::Log::log_entries(&store, index, 1)).unwrap();
    let epoch: Value = serde_json::from_slice(&entries[0]).unwrap();
    assert_eq!(epoch["kind"], "svc-log-epoch");
    assert_eq!(epoch["after"]["sth_sha256"], backups[4]["sth_sha256"]);
    assert_eq!(epoch["confirmed_by"], json!([]));
}

/// The kinds of all entries after the first `from`.
fn kinds_after(data: &str, from: u64) -> Vec<String> {
    let store = store_sqlite::SqliteStore::open(Path::new(data), Default::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let entries = runtime.block_on(store::Log::log_entries(&store, from, 100)).unwrap();
    let kind = |entry: &bytes::Bytes| {
        serde_json::from_slice::<Value>(entry).unwrap()["kind"].as_str().unwrap_or("").to_owned()
    };
    entries.iter().map(kind).collect()
}

#[test]
fn a_restore_killed_at_any_time_signs_nothing_before_it_is_recorded() {
    let folder = Folder::new();
    let (data, backup) = (folder.path("data"), folder.path("backup"));
    let server = serve(&data);
    resolve(&server, "open.lab");
    drop(server);
    let made = run(&["backup", &backup, "--json", "--store-data-dir", &data]).expect(PASSED).json();
    let size = made["tree_size"].as_u64().unwrap();
    let restore = |target: &str| {
        let mut command = wayleave();
        command.args(["restore", &backup, "--accept", "--store-data-dir", target]);
        command
    };
    let began = Instant::now();
    CommandOutput::of(restore(&folder.path("whole")).output().unwrap()).expect(PASSED);
    let whole = began.elapsed();
    let (mut unfinished, mut complete) = (0, 0);
    for round in 0..48 {
        // If no kill came in between, there are further rounds in smaller steps.
        let wait = match round {
            0..12 => whole * round / 11,
            _ if unfinished > 0 => break,
            _ => whole * (round - 12) / 35,
        };
        let target = folder.path(&format!("killed-{round}"));
        let mut child = piped(&mut restore(&target)).spawn().unwrap();
        std::thread::sleep(wait);
        child.kill().unwrap();
        child.wait().unwrap();
        if Path::new(&target).join("restore.unfinished").exists() {
            unfinished += 1;
            for command in [&["serve", "--server-listen", "127.0.0.1:0"][..], &["key", "list"]] {
                let mut refused = wayleave();
                refused.args(command).args(["--store-data-dir", &target]);
                let refused = run_to_end(&mut refused).expect(COULD_NOT_CHECK);
                refused.assert_stderr_contains(&["did not finish", "Run `wayleave restore` again"]);
            }
            CommandOutput::of(restore(&target).output().unwrap()).expect(PASSED);
        } else if !Path::new(&target).join("wayleave.db").exists() {
            continue;
        } else {
            complete += 1;
        }
        let server = serve(&target);
        assert_eq!(server.get("/readyz").status, 200, "{round}");
        drop(server);
        let kinds = kinds_after(&target, size);
        assert_eq!(kinds[0], "svc-log-epoch", "{round}: the first entry after the backup");
        assert_eq!(kinds.iter().filter(|kind| *kind == "svc-log-epoch").count(), 1, "{round}");
    }
    assert!(unfinished > 0, "{unfinished} unfinished, {complete} complete");
}

#[test]
fn keys_apart_from_the_data_are_in_a_backup_and_restored_to_their_place() {
    let folder = Folder::new();
    let [data, keys, backup] = ["data", "keys", "backup"].map(|name| folder.path(name));
    let apart = ["--store-data-dir", &data, "--store-keys-dir", &keys];
    let server = Server::start_demo(&apart);
    resolve(&server, "open.lab");
    let directory = server.get("/.well-known/http-message-signatures-directory").json();
    let size = server.get("/api/v1/log").json()["tree_size"].as_u64().unwrap();
    run(&[&["backup", &backup][..], &apart].concat()).expect(PASSED);
    drop(server);
    assert!(!Path::new(&data).join("keys").exists());
    let copied = Path::new(&backup).join("keys");
    assert!(copied.is_dir() && !copied.join("log-mark").exists());

    let [new_data, new_keys] = ["new/data", "new/keys"].map(|name| folder.path(name));
    let to = ["--store-data-dir", &new_data, "--store-keys-dir", &new_keys];
    let restore = |more: &[&str]| run(&[&["restore", &backup][..], &to, more].concat());
    // Keys that are there stay, and so does the state from before.
    std::fs::create_dir_all(&new_keys).unwrap();
    let precious = Path::new(&new_keys).join("precious");
    std::fs::write(&precious, b"x").unwrap();
    restore(&["--accept"]).expect_error("it is not empty");
    assert!(precious.exists() && !Path::new(&new_data).join("wayleave.db").exists());
    std::fs::remove_dir_all(&new_keys).unwrap();
    // What is refused leaves nothing behind, in neither folder.
    restore(&[]).expect(CHECK_FAILED);
    for dir in [&new_data, &new_keys] {
        assert_eq!(std::fs::read_dir(dir).unwrap().count(), 0, "{dir}");
    }
    restore(&["--accept"]).expect(PASSED);
    let marker = Path::new(&new_keys).join("restore.unfinished");
    assert!(Path::new(&new_keys).join("log-mark").exists() && !marker.exists());
    assert!(!Path::new(&new_data).join("keys").exists());
    // As if the command had been ended between the two folders.
    std::fs::write(&marker, b"").unwrap();
    let server = Server::start_demo(&to);
    assert_eq!(server.get("/readyz").status, 200);
    assert!(!marker.exists(), "the next restore would remove the keys");
    let after = server.get("/.well-known/http-message-signatures-directory").json();
    assert_eq!(after["keys"], directory["keys"], "the same keys");
    resolve(&server, "minimal.lab");
    drop(server);
    assert_eq!(kinds_after(&new_data, size)[0], "svc-log-epoch");
    run(&[&["fsck"][..], &to].concat()).expect(PASSED);
}

#[test]
fn a_witness_confirms_or_refuses_a_restore() {
    let folder = Folder::new();
    let data = folder.path("data");
    let origin = ["--proof-origin", "log.example/one"];
    let server = Server::start_demo(&[&["--store-data-dir", &data], &origin[..]].concat());
    let log = server.get("/api/v1/log").json()["checkpoint"]["vkey"].as_str().unwrap().to_owned();
    drop(server);
    let witness = RunningWitness::start(&folder, &log);
    let witnesses = [origin[0], origin[1], "--proof-witnesses", &witness.peer];
    let with_witness =
        |data: &str| Server::start_demo(&[&["--store-data-dir", data], &witnesses[..]].concat());
    let server = with_witness(&data);
    resolve(&server, "open.lab");
    let cosigned = |server: &Server| {
        let log = server.get("/api/v1/log").json();
        for _ in 0..200 {
            let seen = server.get("/api/v1/log/witness/latest");
            if seen.status == 200 && seen.json()["tree_size"] == log["tree_size"] {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("not cosigned: {}", server.get("/api/v1/log/witness/latest").text());
    };
    cosigned(&server);
    let [early, late] = ["early", "late"].map(|name| folder.path(name));
    run(&["backup", &early, "--store-data-dir", &data]).expect(PASSED);
    resolve(&server, "minimal.lab");
    cosigned(&server);
    run(&["backup", &late, "--store-data-dir", &data]).expect(PASSED);
    drop(server);
    let restored = folder.path("restored");
    let restore = |backup: &str| {
        run(&[&["restore", backup, "--store-data-dir", &restored], &witnesses[..]].concat())
    };
    // Also --accept does not help against what a witness has seen.
    let refused = restore(&early).expect(CHECK_FAILED);
    refused.assert_stderr_contains(&["nothing was restored", "restored from an old copy"]);
    let accepted = ["restore", &early, "--accept", "--store-data-dir", &restored];
    run(&[&accepted[..], &witnesses[..]].concat()).expect(CHECK_FAILED);
    let output = restore(&late).expect(PASSED);
    assert!(output.out.contains("Confirmed by w.example/1."), "{}", output.out);
    let server = with_witness(&restored);
    assert_eq!(server.get("/readyz").status, 200);
    resolve(&server, "blocks-ai.lab");
    cosigned(&server);
}
