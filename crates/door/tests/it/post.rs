//! Deliveries: the same guard and limits as reads, only to valid certificates, and only a status comes back.

use std::time::{Duration, Instant};

use bytes::Bytes;
use door::{PostRequest, Visit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::setup;

fn delivery(url: &str) -> PostRequest {
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    PostRequest {
        url: url.to_owned(),
        headers: vec![header("content-type", "application/json"), header("webhook-id", "e1")],
        body: Bytes::from_static(b"{\"id\":\"e1\"}"),
    }
}

async fn reason(visit: &Visit, request: PostRequest) -> String {
    visit.post(request).await.unwrap_err().reason
}

#[tokio::test]
async fn deliveries_pass_the_guard_and_their_limits() {
    let lab = setup::lab().await;
    let visit = setup::visit(&lab);
    for (url, expected) in [
        ("https://127.0.0.1/hook", "ip_address"),
        ("https://open.lab:22/hook", "port"),
        ("https://user@open.lab/hook", "userinfo"),
        ("https://alias-to-trap.lab/hook", "loopback_address"),
        ("https://trap.lab/hook", "loopback_address"),
        ("https://self-signed.lab/hook", "untrusted_certificate"),
        ("https://expired.lab/hook", "untrusted_certificate"),
    ] {
        assert_eq!(reason(&visit, delivery(url)).await, expected, "{url}");
    }
    let large = Bytes::from(vec![b'x'; 64 * 1024 + 1]);
    let large = PostRequest { body: large, ..delivery("https://open.lab/hook") };
    assert_eq!(reason(&visit, large).await, "request_too_large");
    for header in ["Authorization", "Cookie", "X-Api-Key"] {
        let mut request = delivery("https://open.lab/hook");
        request.headers.push((header.to_owned(), "x".to_owned()));
        assert_eq!(reason(&visit, request).await, "header_not_allowed", "{header}");
    }
    for host in ["open.lab", "self-signed.lab", "expired.lab"] {
        assert!(lab.hits(host).is_empty(), "something was sent to {host}");
    }
    assert_eq!(lab.trap().connections(), 0);
}

#[tokio::test]
async fn a_redirect_is_a_status_and_not_followed() {
    let lab = setup::lab().await;
    let status = setup::visit(&lab).post(delivery("https://mcp-redirect.lab/mcp")).await;
    assert_eq!(status.unwrap(), 307);
    assert_eq!(lab.trap().connections(), 0);
}

#[tokio::test]
async fn the_body_is_sent_as_it_is_and_the_answer_is_not_read() {
    let lab = setup::lab().await;
    let (listener, policy, base) = setup::listen(&lab, "open.lab").await;
    let receiver = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"{\"id\":\"e1\"}") {
            let mut part = [0; 1024];
            let count = stream.read(&mut part).await.unwrap();
            assert!(count > 0, "{}", String::from_utf8_lossy(&head));
            head.extend_from_slice(&part[..count]);
        }
        // Far more than fits into the buffers between the two.
        let size = 256_usize << 20;
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {size}\r\n\r\n");
        stream.write_all(answer.as_bytes()).await.unwrap();
        let mut sent = 0;
        while sent < size {
            match stream.write(&[b'x'; 65_536]).await {
                Ok(count) => sent += count,
                Err(_) => break,
            }
        }
        (String::from_utf8(head).unwrap().to_ascii_lowercase(), sent, size)
    });
    let visit = setup::door(policy).visit(Duration::from_secs(5));
    let start = Instant::now();
    assert_eq!(visit.post(delivery(&format!("{base}/hook?a=b"))).await.unwrap(), 200);
    assert!(start.elapsed() < Duration::from_secs(4));
    let (head, sent, size) = receiver.await.unwrap();
    assert!(head.starts_with("post /hook?a=b http/1.1\r\n"), "{head}");
    for line in ["content-type: application/json", "webhook-id: e1", "content-length: 11"] {
        assert!(head.contains(&format!("\r\n{line}\r\n")), "{line}: {head}");
    }
    assert!(sent < size, "the whole answer was received");
}

#[tokio::test]
async fn a_receiver_that_never_answers_is_left_at_the_deadline() {
    let lab = setup::lab().await;
    let (listener, policy, base) = setup::listen(&lab, "open.lab").await;
    let receiver = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        tokio::time::sleep(Duration::from_secs(30)).await;
        drop(stream);
    });
    let visit = setup::door(policy).visit(Duration::from_millis(1500));
    let start = Instant::now();
    let failure = visit.post(delivery(&base)).await.unwrap_err();
    assert_eq!(failure.kind.as_str(), "timeout", "{failure:?}");
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    receiver.abort();
}
