//! Limits of request bodies, and strict JSON.

use contract::limits::BODY_BYTES;

use crate::harness::Server;

/// A body of exactly this many bytes with a domain of the length given back.
fn body_of(size: usize) -> (String, String) {
    let length = size - r#"{"domain":""}"#.len();
    (format!(r#"{{"domain":"{}"}}"#, "x".repeat(length)), length.to_string())
}

#[tokio::test]
async fn the_size_limit_is_exact() {
    let server = Server::start().await;
    let (body, length) = body_of(BODY_BYTES);
    let reply = server.post_json(&body).await;
    assert_eq!((reply.status, reply.text()), (200, length.as_str()));

    let (body, _) = body_of(BODY_BYTES + 1);
    let reply = server.post_json(&body).await;
    assert_eq!((reply.status, reply.code().as_str()), (413, "body_too_large"));
    assert_eq!(reply.header("connection"), Some("close"));
}

#[tokio::test]
async fn a_body_declared_too_large_is_refused_unread() {
    let server = Server::start().await;
    let mut client = server.dial().await;
    let head = "POST /ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
                Expect: 100-continue\r\nContent-Length: 1048577\r\n\r\n";
    client.send(head.as_bytes()).await;
    assert_eq!(client.reply().await.expect("no 100 first").status, 413);
}

#[tokio::test]
async fn a_chunked_body_is_limited_as_well() {
    let server = Server::start().await;
    for (size, status) in [(BODY_BYTES, 200), (BODY_BYTES + 1, 413)] {
        let (body, _) = body_of(size);
        let mut client = server.dial().await;
        let head = "POST /ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
                    Transfer-Encoding: chunked\r\n\r\n";
        client.send(head.as_bytes()).await;
        for chunk in body.as_bytes().chunks(60_000) {
            client.send(format!("{:x}\r\n", chunk.len()).as_bytes()).await;
            client.send(chunk).await;
            client.send(b"\r\n").await;
        }
        client.send(b"0\r\n\r\n").await;
        assert_eq!(client.reply().await.unwrap().status, status, "{size}");
    }
}

#[tokio::test]
async fn the_client_of_a_refused_upload_gets_the_response() {
    let server = Server::start().await;
    for _ in 0..10 {
        let (body, _) = body_of(3 * BODY_BYTES);
        assert_eq!(server.post_json(&body).await.status, 413);
    }
}

#[tokio::test]
async fn every_kind_of_bad_body_has_its_error_code() {
    let server = Server::start().await;
    let json = "Content-Type: application/json\r\n";
    let good = br#"{"domain":"a"}"#.as_slice();
    let deep = ["{\"domain\":", &"[".repeat(200_000), &"]".repeat(200_000), "}"].concat();
    let cases: Vec<(&str, &[u8], u16, &str)> = vec![
        (json, good, 200, ""),
        ("Content-Type: application/json; charset=utf-8\r\n", good, 200, ""),
        ("Content-Type: application/vnd.api+json\r\n", good, 200, ""),
        (json, b"", 400, "bad_request"),
        ("", b"", 400, "bad_request"),
        ("Content-Type: application/x-www-form-urlencoded\r\n", b"", 400, "bad_request"),
        ("", good, 400, "bad_request"),
        ("Content-Type: text/plain\r\n", good, 415, "unsupported_media_type"),
        (
            "Content-Type: application/x-www-form-urlencoded\r\n",
            good,
            415,
            "unsupported_media_type",
        ),
        ("Content-Type: multipart/form-data\r\n", good, 415, "unsupported_media_type"),
        ("Content-Type: application/json; charset=latin1\r\n", good, 415, "unsupported_media_type"),
        ("Content-Type: \u{e9}\r\n", good, 415, "unsupported_media_type"),
        (
            "Content-Type: application/json\r\nContent-Type: text/plain\r\n",
            good,
            415,
            "unsupported_media_type",
        ),
        (
            "Content-Type: application/json\r\nContent-Encoding: gzip\r\n",
            good,
            415,
            "unsupported_media_type",
        ),
        (json, b"{\"domain\":\"\xff\xfe\"}", 400, "bad_request"),
        (json, b"\xff\xfe{\x00}\x00", 400, "bad_request"),
        (json, b"{\"domain\":", 400, "bad_request"),
        (json, b"domain=a", 400, "bad_request"),
        (json, b"\"a\"", 400, "bad_request"),
        (json, b"null", 400, "bad_request"),
        (json, b"{\"domain\":null}", 400, "bad_request"),
        (json, b"{\"domain\":1e9999}", 400, "bad_request"),
        (json, b"{\"domain\":\"\\ud800\"}", 400, "bad_request"),
        (json, b"{\"domain\":\"a\",\"domain\":\"b\"}", 400, "bad_request"),
        (json, b"{\"domain\":\"a\",\"x\":{\"y\":1,\"y\":1}}", 400, "bad_request"),
        (json, b"{\"domain\":\"a\",\"visibilty\":\"public\"}", 400, "unknown_field"),
        (json, deep.as_bytes(), 400, "bad_request"),
    ];
    for (headers, body, status, code) in cases {
        let reply = server.post(headers, body).await;
        let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        assert_eq!(reply.status, status, "{headers:?} {shown}: {}", reply.text());
        if status != 200 {
            assert_eq!(reply.code(), code, "{headers:?} {shown}");
        }
    }
    let reply = server.post_json(r#"{"domain":"a","visibilty":"x"}"#).await;
    assert_eq!(reply.json()["param"], "visibilty");
}
