//! Properties of every response: error shape, request id, CORS, client address.

use web::{ServerOptions, WebOptions};

use crate::harness::Server;

#[tokio::test]
async fn errors_have_one_flat_shape() {
    let server = Server::start().await;
    let reply = server.get("/nowhere?secret=1", "X-Request-Id: abc-1\r\n").await;
    assert_eq!(reply.status, 404);
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(
        reply.json(),
        serde_json::json!({
            "error": "There is no resource at this address.", "code": "not_found",
            "retryable": false, "request_id": "abc-1",
            "docs": "https://svc.example/docs/errors#not_found",
        })
    );
    let reply = server.ask("DELETE /ask HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert_eq!((reply.status, reply.code().as_str()), (405, "method_not_allowed"));
    assert_eq!(reply.header("allow"), Some("POST"));
    let reply = server.ask("BREW / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert_eq!(reply.status, 405);
    assert_eq!(reply.header("allow"), Some("GET,HEAD"));
    let problem = server.get("/nowhere", "Accept: application/problem+json\r\n").await;
    assert_eq!(problem.header("content-type"), Some("application/problem+json"));
    assert_eq!(problem.json()["status"], 404);
    let page = server.get("/nowhere", "Accept: text/html,*/*;q=0.8\r\n").await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
    assert!(page.text().contains("There is no resource at this address."));
}

#[tokio::test]
async fn internal_errors_and_panics_do_not_reveal_their_cause() {
    let server = Server::start().await;
    for path in ["/fault", "/panic"] {
        let reply = server.get(path, "").await;
        assert_eq!((reply.status, reply.code().as_str()), (500, "internal"), "{path}");
        assert!(!reply.text().contains("secret") && !reply.text().contains("planted"));
        assert!(reply.header("x-request-id").is_some());
        assert_eq!(server.get("/", "").await.status, 200, "still alive after {path}");
    }
    // A connection can be used again after a panic.
    let mut client = server.dial().await;
    for _ in 0..50 {
        client.send(b"GET /panic HTTP/1.1\r\nHost: x\r\n\r\n").await;
        assert_eq!(client.reply().await.unwrap().status, 500);
    }
}

#[tokio::test]
async fn every_answer_has_a_request_id() {
    let server = Server::start().await;
    let first = server.get("/", "").await;
    let second = server.get("/", "X-Request-Id: two words\r\n").await;
    let (first, second) =
        (first.header("x-request-id").unwrap(), second.header("x-request-id").unwrap());
    assert!(first != second && !second.contains("words"), "{first} {second}");
    let mine = server.get("/", "X-Request-Id: mine\r\n").await;
    assert_eq!(mine.header("x-request-id"), Some("mine"));
    let long = server.get("/", &format!("X-Request-Id: {}\r\n", "x".repeat(129))).await;
    assert!(long.header("x-request-id").unwrap().len() < 40);
    let preflight = server
        .ask(
            "OPTIONS /ask HTTP/1.1\r\nHost: x\r\nOrigin: https://a.example\r\n\
             Access-Control-Request-Method: POST\r\nX-Request-Id: p\r\n\r\n",
        )
        .await;
    assert_eq!(preflight.header("x-request-id"), Some("p"));
}

#[tokio::test]
async fn public_data_is_open_to_scripts_and_operators_routes_are_not() {
    let server = Server::start().await;
    let origin = "Origin: https://a.example\r\n";
    for path in ["/", "/nowhere", "/fault"] {
        let reply = server.get(path, origin).await;
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"), "{path}");
        assert_eq!(reply.header("access-control-allow-credentials"), None);
        let exposed = reply.header("access-control-expose-headers").unwrap();
        for name in ["ETag", "Retry-After", "X-Request-Id", "x-svc-quota-remaining"] {
            assert!(exposed.contains(name), "{name}");
        }
    }
    let preflight = |path: &str| {
        format!(
            "OPTIONS {path} HTTP/1.1\r\nHost: x\r\n{origin}\
             Access-Control-Request-Method: POST\r\n\
             Access-Control-Request-Headers: content-type\r\n\r\n"
        )
    };
    let reply = server.ask(&preflight("/ask")).await;
    assert_eq!(reply.status, 204);
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    assert!(reply.header("access-control-allow-methods").unwrap().contains("POST"));
    assert!(reply.header("access-control-allow-headers").unwrap().contains("Content-Type"));
    assert_eq!(server.ask(&preflight("/nowhere")).await.status, 404);
    for path in ["/metrics", "/healthz"] {
        let reply = server.get(path, origin).await;
        assert_eq!(reply.header("access-control-allow-origin"), None, "{path}");
        let reply = server.ask(&preflight(path)).await;
        assert_eq!(reply.status, 405, "{path}");
    }
}

#[tokio::test]
async fn a_forwarded_address_counts_only_from_a_trusted_peer() {
    let header = "X-Forwarded-For: 198.51.100.1\r\n";
    let server = Server::start().await;
    assert_eq!(server.get("/who", header).await.text(), "127.0.0.1");
    let web = WebOptions {
        trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()],
        ..WebOptions::default()
    };
    let server = Server::with(ServerOptions::default(), web).await;
    assert_eq!(server.get("/who", header).await.text(), "198.51.100.1");
    assert_eq!(server.get("/who", "").await.text(), "127.0.0.1");
}

#[tokio::test]
async fn head_requests_get_headers_and_no_body() {
    let server = Server::start().await;
    let mut client = server.dial().await;
    client.send(b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    // HEAD announces the length but sends no body: the next bytes are the next response.
    let mut text = Vec::new();
    while !text.ends_with(b"hello") {
        use tokio::io::AsyncReadExt;
        text.push(client.stream.read_u8().await.unwrap());
    }
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 2);
    assert_eq!(text.matches("content-length: 5").count(), 2);
}
