//! Stopping a server: by a signal under load, and by a disk failure.

use std::io::Read;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};

use proof::keys::LogMark;
use store::Log;
use store_sqlite::SqliteStore;

use super::*;

const STOP_WITHIN: Duration = Duration::from_secs(10);
const CLIENTS: usize = 8;

/// Waits for a process to end; fails if it takes longer than this.
fn ended(child: &mut Child, within: Duration) -> (i32, Duration) {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code().expect("ended by a signal"), begun.elapsed());
        }
        if begun.elapsed() > within {
            child.kill().unwrap();
            panic!("it runs on after {within:?}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Sends one request. Returns when it was sent, and the status or why there was no complete response.
/// `None` if the connection was refused.
#[allow(clippy::disallowed_methods, reason = "a test speaks to its own server")]
fn ask_once(address: SocketAddr, path: &str) -> Option<(Instant, Result<u16, String>)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    let sent = stream.write_all(request.as_bytes());
    let at = Instant::now();
    let mut bytes = Vec::new();
    let got = sent.and_then(|()| stream.read_to_end(&mut bytes));
    let status = got.map_err(|e| e.to_string()).and_then(|_| {
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once("\r\n\r\n").ok_or("no answer")?;
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.ok_or("no length")?.parse().map_err(|_| "no length")?;
        if bytes.len() - (head.len() + 4) != length {
            return Err(format!("{} of {length} bytes", body.len()));
        }
        head.split(' ').nth(1).and_then(|s| s.parse().ok()).ok_or("no status".to_owned())
    });
    Some((at, status))
}

#[test]
fn a_stop_under_load_answers_whoever_was_let_in_and_seals_the_last_batch() {
    let folder = Folder::new();
    let data = folder.path("data");
    let mut server = Server::start_demo(&["--store-data-dir", &data]);
    let address = server.address;
    let over = AtomicBool::new(false);
    let begun = Instant::now();
    let (stopped_at, (code, took), responses) = std::thread::scope(|scope| {
        let client = || {
            let mut responses = Vec::new();
            while !over.load(Ordering::SeqCst) {
                let path = ["/api/v1/core", "/.well-known/security-key-rotation.json"];
                match ask_once(address, path[responses.len() % 2]) {
                    Some(one) => responses.push(one),
                    None => break,
                }
            }
            responses
        };
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(client)).collect();
        std::thread::sleep(Duration::from_secs(2));
        let stopped_at = Instant::now();
        let pid = server.child.id().to_string();
        Command::new("kill").args(["-TERM", &pid]).status().unwrap();
        let ended = ended(&mut server.child, STOP_WITHIN);
        over.store(true, Ordering::SeqCst);
        let responses = clients.into_iter().flat_map(|client| client.join().unwrap());
        (stopped_at, ended, responses.collect::<Vec<_>>())
    });
    assert_eq!(code, PASSED, "{}", server.stderr_so_far());
    let (before, after): (Vec<_>, Vec<_>) =
        responses.into_iter().partition(|(at, _)| *at < stopped_at);
    let bad = |all: &[(Instant, Result<u16, String>)]| -> Vec<String> {
        let wrong = all.iter().filter(|(_, status)| *status != Ok(200));
        wrong.map(|(at, status)| format!("{status:?} {:?}", at.duration_since(begun))).collect()
    };
    assert_eq!(bad(&before), [""; 0], "sent before the stop at {:?}", stopped_at - begun);
    assert!(before.len() >= CLIENTS, "only {} requests in two seconds", before.len());
    // Connections made at the moment of the stop may not have been accepted.
    let lost = bad(&after);
    assert!(lost.len() <= CLIENTS, "{lost:?}");
    eprintln!(
        "{} answered before the stop, {} after, {} not taken; it took {took:?}",
        before.len(),
        after.len() - lost.len(),
        lost.len()
    );
    // The last batch is stored, and the mark is at the end of the log.
    let store = SqliteStore::open(Path::new(&data), Default::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let last = runtime.block_on(store.last_batch()).unwrap().expect("this build is in the log");
    let (_, marked) = LogMark::open(&Path::new(&data).join("keys")).unwrap();
    assert_eq!(marked.unwrap().head, Some((last.batch, last.sth_sha256)));
    let builds = runtime.block_on(store.entries_of_kind("svc-build")).unwrap();
    assert_eq!(builds.len(), 1, "this build is in the log, once");
}

#[test]
fn a_disk_failure_stops_the_server_and_is_reported() {
    let folder = Folder::new();
    let data = folder.path("data");
    let mut server = wayleave();
    server.args(["serve", "--server-listen", "127.0.0.1:0", "--store-data-dir", &data]);
    server.args(["--network-resolver", "127.0.0.1:1"]);
    let mut child = piped(&mut server).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut log = String::new();
    // The last thing the server does by itself after its start.
    while !log.contains("serving") {
        assert!(stderr.read_line(&mut log).unwrap() > 0, "it ended: {log}");
    }
    let rest = std::thread::spawn(move || {
        let mut rest = String::new();
        stderr.read_to_string(&mut rest).unwrap();
        rest
    });
    let strace = Command::new("strace")
        .args(["-f", "-o", "/dev/null", "-p", &child.id().to_string()])
        .args(["-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO"])
        .stderr(Stdio::piped())
        .spawn();
    let mut note = String::new();
    let mut notes = strace.map(|mut strace| {
        let mut notes = BufReader::new(strace.stderr.take().unwrap());
        while !note.contains("attached") && notes.read_line(&mut note).unwrap() > 0 {}
        (strace, notes)
    });
    if !note.contains("attached") {
        assert!(std::env::var_os("CI").is_none(), "strace is needed: {note}");
        eprintln!("left out, because strace cannot be used here: {note}");
        let _ = child.kill();
        let _ = child.wait();
        return;
    }
    // The new key must be appended to the log, and fsync fails.
    run(&["key", "rotate", "documents", "--after", "0", "--store-data-dir", &data]).expect(PASSED);
    let (code, _) = ended(&mut child, STOP_WITHIN);
    let rest = rest.join().unwrap();
    if let Ok((strace, notes)) = &mut notes {
        let _ = std::io::copy(notes, &mut std::io::sink());
        let _ = strace.wait();
    }
    assert_eq!(code, SERVER_FAILED, "{rest}");
    // Whichever file is synced first: the database or the mark.
    let tells = |line: &str| {
        line.starts_with("wayleave: stopped because")
            && (line.contains("disk I/O error") || line.contains("Input/output error"))
    };
    assert!(rest.lines().any(tells), "{rest}");
    assert!(rest.contains("only a restart can determine"), "{rest}");

    // After a restart everything is consistent.
    let server = Server::start_demo(&["--store-data-dir", &data]);
    assert_eq!(server.get("/readyz").status, 200);
    assert!(!server.stderr_so_far().contains("NOT EXTENDED"), "{}", server.stderr_so_far());
}
