//! Graceful shutdown.

use std::time::{Duration, Instant};

use tokio::net::TcpStream;
use web::{ServerOptions, WebOptions};

use crate::harness::Server;

#[tokio::test]
async fn running_requests_finish_and_no_new_ones_start() {
    // Without the stop, idle connections would stay open for much longer than the test waits.
    let options =
        ServerOptions { head_timeout: Duration::from_secs(60), ..ServerOptions::default() };
    let mut server = Server::with(options, WebOptions::default()).await;
    let mut working = server.dial().await;
    working.send(b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n").await;
    server.arrived.notified().await;
    let mut silent = server.dial().await;
    let mut idle = server.dial().await;
    idle.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert_eq!(idle.reply().await.unwrap().status, 200);

    server.begin_stop();
    assert!(silent.closed_after().await < Duration::from_secs(10), "a silent one");
    assert!(idle.closed_after().await < Duration::from_secs(10), "an idle one");
    assert!(TcpStream::connect(server.address).await.is_err(), "a new one");

    server.release.notify_waiters();
    let reply = working.reply().await.expect("the promised answer");
    assert_eq!(reply.text(), "released");
    assert_eq!(reply.header("connection"), Some("close"));
    let report = server.report().await;
    assert_eq!((report.accepted, report.aborted), (3, 0));
}

/// The kernel completes handshakes before the server accepts them: a request that was sent in full by
/// then is answered, not reset.
#[tokio::test]
#[allow(clippy::disallowed_methods, reason = "a test speaks to its own server")]
async fn connections_completed_by_the_kernel_are_answered() {
    use std::io::{Read, Write};
    let mut server = Server::start().await;
    // No await here: the server runs in this thread and must not run in between.
    let streams: Vec<std::net::TcpStream> = (0..100)
        .map(|_| {
            let mut stream = std::net::TcpStream::connect(server.address).unwrap();
            let request = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
            stream.write_all(request).unwrap();
            stream
        })
        .collect();
    server.begin_stop();
    // On a busy machine the server gets no processor time for longer than it waits for clients.
    let busy = tokio::spawn(async {
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(50));
            tokio::task::yield_now().await;
        }
    });
    let report = server.report().await;
    assert_eq!((report.accepted, report.aborted), (100, 0));
    busy.await.unwrap();
    for mut stream in streams {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
}

#[tokio::test]
async fn draining_has_a_timeout() {
    let options =
        ServerOptions { drain_timeout: Duration::from_millis(300), ..ServerOptions::default() };
    let mut server = Server::with(options, WebOptions::default()).await;
    let mut working = server.dial().await;
    working.send(b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n").await;
    server.arrived.notified().await;
    server.begin_stop();
    let begun = Instant::now();
    let report = server.report().await;
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(report.aborted, 1);
    assert!(working.reply().await.is_none());
}
