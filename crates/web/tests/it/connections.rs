//! Slow clients, too many connections, and oversized heads.

use std::time::{Duration, Instant};

use web::{ServerOptions, WebOptions};

use crate::harness::Server;

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";
/// Everything slow is closed within this time: five seconds, and as much again for a busy machine.
const SOON: Duration = Duration::from_secs(10);
/// But not earlier than this: a slow line gets a fair chance.
const FAIR: Duration = Duration::from_secs(2);

#[tokio::test]
async fn slow_clients_are_closed_soon_but_not_at_once() {
    let server = Server::start().await;
    let silent = async {
        let mut client = server.dial().await;
        client.closed_after().await
    };
    let half_line = async {
        let mut client = server.dial().await;
        client.send(b"GET / HT").await;
        client.closed_after().await
    };
    let half_head = async {
        let mut client = server.dial().await;
        client.send(b"GET / HTTP/1.1\r\nHost: x\r\nX-Par").await;
        client.closed_after().await
    };
    let dripping_head = async {
        let mut client = server.dial().await;
        let begun = Instant::now();
        client.send(b"GET / HTTP/1.1\r\n").await;
        let (mut reader, mut writer) = client.stream.into_split();
        let drip = async {
            use tokio::io::AsyncWriteExt;
            while writer.write_all(b"X-Drip: 1\r\n").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
        };
        let end = async {
            use tokio::io::AsyncReadExt;
            let mut buffer = [0; 64];
            while let Ok(1..) = reader.read(&mut buffer).await {}
        };
        tokio::select! { () = drip => {}, () = end => {} }
        begun.elapsed()
    };
    let idle_after_an_answer = async {
        let mut client = server.dial().await;
        client.send(GET).await;
        assert_eq!(client.reply().await.unwrap().status, 200);
        client.closed_after().await
    };
    let (a, b, c, d, e) =
        tokio::join!(silent, half_line, half_head, dripping_head, idle_after_an_answer);
    for (case, took) in
        [("silent", a), ("half line", b), ("half head", c), ("dripping", d), ("keep-alive", e)]
    {
        assert!(took < SOON && took > FAIR, "{case}: {took:?}");
    }
}

#[tokio::test]
async fn a_dripping_body_is_answered_408_and_closed() {
    let server = Server::start().await;
    let mut client = server.dial().await;
    let begun = Instant::now();
    let head = "POST /ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
                Content-Length: 1000\r\n\r\n{";
    client.send(head.as_bytes()).await;
    let reply = loop {
        client.send(b" ").await;
        tokio::select! {
            reply = client.reply() => break reply,
            () = tokio::time::sleep(Duration::from_millis(200)) => {}
        }
    };
    let reply = reply.expect("an answer");
    assert_eq!((reply.status, reply.code().as_str()), (408, "bad_request"));
    assert_eq!(reply.header("connection"), Some("close"));
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    client.closed_after().await;
}

#[tokio::test]
async fn a_client_that_does_not_read_is_given_up() {
    let options =
        ServerOptions { write_allowance: Duration::from_millis(600), ..ServerOptions::default() };
    let mut server = Server::with(options, WebOptions::default()).await;
    let mut client = server.dial().await;
    client.send(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n").await;
    // The server stops only when that connection has ended; the drain timeout is 30 seconds.
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.begin_stop();
    let begun = Instant::now();
    let report = server.report().await;
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    assert_eq!(report.aborted, 0);
}

#[tokio::test]
async fn keep_alive_and_pipelined_requests_are_answered_in_order() {
    let server = Server::start().await;
    let mut client = server.dial().await;
    for _ in 0..3 {
        client.send(GET).await;
        assert_eq!(client.reply().await.unwrap().text(), "hello");
    }
    let pipelined = b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /items/7 HTTP/1.1\r\nHost: x\r\n\r\n\
        POST /ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\
        \r\n{\"domain\":\"abc\"}GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n";
    client.send(pipelined).await;
    for (status, body) in [(200, Some("hello")), (200, Some("item")), (200, Some("3")), (404, None)]
    {
        let reply = client.reply().await.unwrap();
        assert_eq!(reply.status, status);
        if let Some(body) = body {
            assert_eq!(reply.text(), body);
        }
    }
}

#[tokio::test]
async fn heads_are_bounded() {
    let server = Server::start().await;
    let many = "X-A: b\r\n".repeat(101);
    assert_eq!(server.get("/", &many).await.status, 431);
    let long = format!("X-A: {}\r\n", "b".repeat(20_000));
    assert_eq!(server.get("/", &long).await.status, 431);
    let fair = format!("X-A: {}\r\n", "b".repeat(8_000));
    assert_eq!(server.get("/", &fair).await.status, 200);
    for broken in [
        "GET / HTTP/1.1\r\nHost: x\r\nX\0Y: z\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
        "GET  / HTTP/9.9\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\0\u{1}\r\n\r\n",
        "POST /ask HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        "POST /ask HTTP/1.1\r\nContent-Length: -5\r\n\r\nhello",
        "POST /ask HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\nhello",
    ] {
        let mut client = server.dial().await;
        client.send(broken.as_bytes()).await;
        let reply = client.reply().await.expect("an answer");
        assert_eq!(reply.status, 400, "{broken:?}");
        client.closed_after().await;
    }
}

#[tokio::test]
async fn idle_connections_are_evicted_at_the_cap() {
    let options = ServerOptions { max_connections: 8, ..ServerOptions::default() };
    let mut server = Server::with(options, WebOptions::default()).await;
    let mut idle = Vec::new();
    for _ in 0..40 {
        idle.push(server.dial().await);
        // A client with a request is served, however many idle connections there are.
        let mut good = server.dial().await;
        good.send(GET).await;
        assert_eq!(good.reply().await.unwrap().status, 200);
    }
    server.begin_stop();
    let report = server.report().await;
    assert!(report.evicted >= 30, "{report:?}");
    assert_eq!(report.refused, 0, "{report:?}");
}

#[tokio::test]
async fn when_all_connections_are_busy_a_new_one_gets_503() {
    let options = ServerOptions { max_connections: 3, ..ServerOptions::default() };
    let mut server = Server::with(options, WebOptions::default()).await;
    let mut busy = Vec::new();
    for _ in 0..3 {
        let mut client = server.dial().await;
        client.send(b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n").await;
        server.arrived.notified().await;
        busy.push(client);
    }
    let begun = Instant::now();
    let reply = server.get("/", "").await;
    assert_eq!((reply.status, reply.code().as_str()), (503, "overloaded"));
    assert_eq!(reply.header("retry-after"), Some("1"));
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    server.release.notify_waiters();
    for mut client in busy {
        assert_eq!(client.reply().await.unwrap().text(), "released");
    }
    assert_eq!(server.get("/", "").await.status, 200);
    server.begin_stop();
    assert_eq!(server.report().await.refused, 1);
}

#[tokio::test]
async fn too_many_requests_at_once_are_shed_and_health_is_not() {
    let web = WebOptions { max_in_flight: 2, ..WebOptions::default() };
    let server = Server::with(ServerOptions::default(), web).await;
    let mut busy = Vec::new();
    for _ in 0..2 {
        let mut client = server.dial().await;
        client.send(b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n").await;
        server.arrived.notified().await;
        busy.push(client);
    }
    let reply = server.get("/", "").await;
    assert_eq!((reply.status, reply.code().as_str()), (503, "overloaded"));
    assert_eq!(reply.header("retry-after"), Some("1"));
    assert_eq!(reply.json()["retryable"], true);
    assert_eq!(server.get("/healthz", "").await.status, 200);
    assert_eq!(server.get("/metrics", "").await.status, 200);
    server.release.notify_waiters();
    for mut client in busy {
        assert_eq!(client.reply().await.unwrap().text(), "released");
    }
    assert_eq!(server.get("/", "").await.status, 200);
}

#[tokio::test]
async fn a_request_that_takes_too_long_gets_504() {
    let web = WebOptions { request_deadline: Duration::from_millis(100), ..WebOptions::default() };
    let server = Server::with(ServerOptions::default(), web).await;
    let reply = server.get("/held", "").await;
    assert_eq!((reply.status, reply.code().as_str()), (504, "deadline"));
}
