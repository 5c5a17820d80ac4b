//! What is actually sent, and how unusual responses are read: tests with raw servers.

use std::time::Duration;

use contract::evidence::FailureKind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::setup::{door, lab, listen, page, policy, response, stopped, why};

/// Answers one connection with these bytes and returns the received request.
fn answer_once(listener: TcpListener, answer: Vec<u8>) -> oneshot::Receiver<String> {
    let (sender, receiver) = oneshot::channel();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            let mut buffer = [0; 4096];
            let length = stream.read(&mut buffer).await.unwrap();
            request.extend_from_slice(&buffer[..length]);
        }
        let _ = sender.send(String::from_utf8(request).unwrap());
        let _ = stream.write_all(&answer).await;
        // Keeps the connection open until the client closes it.
        let _ = tokio::time::timeout(Duration::from_secs(5), stream.read(&mut [0; 64])).await;
    });
    receiver
}

#[tokio::test]
async fn the_request_has_exactly_the_headers_of_the_identity() {
    let lab = lab().await;
    let (listener, policy, base) = listen(&lab, "open.lab").await;
    let received_request = answer_once(listener, b"HTTP/1.1 204 No Content\r\n\r\n".to_vec());
    let mut request = page(&format!("{base}/a%20b?c=d#e"));
    request.headers = [
        ("User-Agent", "Reader/1.0"),
        ("sec-ch-ua", "\"x\""),
        ("Accept", "*/*"),
        ("Content-Length", "7"),
        ("accept-language", "en"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec();
    let read = door(policy).visit(Duration::from_secs(5)).fetch(request).await;
    assert_eq!(response(&read.exchange).status, 204);
    let authority = base.strip_prefix("http://").unwrap();
    assert_eq!(
        received_request.await.unwrap(),
        format!(
            "GET /a%20b?c=d HTTP/1.1\r\nHost: {authority}\r\nUser-Agent: Reader/1.0\r\n\
             Sec-Ch-Ua: \"x\"\r\nAccept: */*\r\nAccept-Language: en\r\n\r\n"
        )
    );
    let recorded: Vec<&str> =
        read.exchange.request_headers.iter().map(|line| line.name.as_str()).collect();
    assert_eq!(recorded, ["Host", "User-Agent", "sec-ch-ua", "Accept", "accept-language"]);
}

#[tokio::test]
async fn a_head_is_recorded_as_received() {
    let lab = lab().await;
    let (listener, policy, base) = listen(&lab, "open.lab").await;
    let answer = b"HTTP/1.0 200 Fine\r\nX-One: 1\r\nbad name: dropped\r\nX-Two: caf\xe9\r\n\
                   Set-Cookie: a=b\r\nContent-Type: text/html\r\n\r\nbody until the end";
    drop(answer_once(listener, answer.to_vec()));
    let mut request = page(&base);
    request.timeout = Some(Duration::from_secs(2));
    let read = door(policy).visit(Duration::from_secs(5)).fetch(request).await;
    let answer = response(&read.exchange);
    assert_eq!(answer.http, "1.0");
    let fields: Vec<(&str, &str)> =
        answer.headers.iter().map(|line| (line.name.as_str(), line.value.as_str())).collect();
    assert_eq!(
        fields,
        [
            ("x-one", "1"),
            ("x-two", "caf\u{fffd}"),
            ("set-cookie", "a=b"),
            ("content-type", "text/html")
        ]
    );
    assert_eq!(read.body, "body until the end");
}

#[tokio::test]
async fn two_hundred_fields_are_read_and_one_more_is_not() {
    let lab = lab().await;
    for (count, good) in [(200, true), (201, false)] {
        let (listener, policy, base) = listen(&lab, "open.lab").await;
        let mut answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n".to_vec();
        for field in 1..count {
            answer.extend_from_slice(format!("X-{field}: y\r\n").as_bytes());
        }
        answer.extend_from_slice(b"\r\n");
        drop(answer_once(listener, answer));
        let read = door(policy).visit(Duration::from_secs(5)).fetch(page(&base)).await;
        if good {
            assert_eq!(response(&read.exchange).headers.len(), 200);
        } else {
            assert_eq!(why(&read.exchange), ("too_large", "head_too_large"));
        }
    }
}

#[tokio::test]
async fn a_body_of_exactly_the_cap_is_whole_and_one_byte_more_is_cut() {
    let lab = lab().await;
    for (over, expected) in [(0, None), (1, Some("wire_limit"))] {
        let (listener, mut policy, base) = listen(&lab, "open.lab").await;
        policy.limits.page.wire = 10_000;
        let mut answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", 10_000 + over);
        answer.push_str(&"x".repeat(10_000 + over));
        drop(answer_once(listener, answer.into_bytes()));
        let read = door(policy).visit(Duration::from_secs(5)).fetch(page(&base)).await;
        assert_eq!(read.body.len(), 10_000);
        let cut = stopped(&read.exchange);
        assert_eq!(cut.map(|cut| cut.reason.as_str()), expected);
        assert!(cut.is_none_or(|cut| cut.kind == FailureKind::TooLarge));
    }
}

#[tokio::test]
async fn a_few_interim_responses_are_skipped() {
    let lab = lab().await;
    for (count, good) in [(8, true), (9, false)] {
        let (listener, policy, base) = listen(&lab, "open.lab").await;
        let mut answer = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(count);
        answer.push_str("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        drop(answer_once(listener, answer.into_bytes()));
        let read = door(policy).visit(Duration::from_secs(5)).fetch(page(&base)).await;
        if good {
            assert_eq!(read.body, "ok");
        } else {
            assert_eq!(why(&read.exchange), ("protocol", "too_many_interim_responses"));
        }
    }
}

#[tokio::test]
async fn an_invalid_header_fails_before_anything_is_sent() {
    let lab = lab().await;
    let mut request = page("https://open.lab/");
    request.headers.push(("X-Bad".to_owned(), "a\r\nb: c".to_owned()));
    let read = crate::setup::visit(&lab).fetch(request).await;
    assert_eq!(why(&read.exchange), ("protocol", "bad_request_header"));
    assert_eq!(lab.connections("open.lab"), 0);
}

#[tokio::test]
async fn the_future_of_a_read_is_small() {
    let lab = lab().await;
    let visit = crate::setup::visit(&lab);
    let size = std::mem::size_of_val(&visit.fetch(page("https://open.lab/")));
    assert!(size < 16 * 1024, "{size} bytes");
}

#[tokio::test]
async fn all_bodies_of_a_visit_share_one_byte_budget() {
    let lab = lab().await;
    let mut policy = policy(&lab);
    policy.limits.max_visit_bytes = 1;
    let visit = door(policy).visit(Duration::from_secs(10));
    // The first chunk is accepted and uses up the whole budget.
    let first = visit.fetch(page("https://open.lab/")).await;
    assert_eq!(response(&first.exchange).body.cut, None);
    let second = visit.fetch(page("https://open.lab/")).await;
    assert_eq!(why(&second.exchange), ("too_large", "visit_limit"));
    assert_eq!(response(&second.exchange).status, 200, "the head is a fact all the same");
    assert!(second.body.is_empty());
    visit.release_bytes(first.body.len() - 1);
    let still = visit.fetch(page("https://open.lab/")).await;
    assert_eq!(why(&still.exchange), ("too_large", "visit_limit"), "what was too much is owed");
    visit.release_bytes(1);
    let third = visit.fetch(page("https://open.lab/")).await;
    assert_eq!(third.body, first.body);
}
