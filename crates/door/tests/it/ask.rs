//! Questions: the same guard and limits as reads, no redirects, and bounded streams of events.

use std::time::{Duration, Instant};

use bytes::Bytes;
use door::{AskMethod, AskRequest, Visit};

use crate::setup;

fn question(url: &str, body: &str) -> AskRequest {
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    AskRequest {
        method: AskMethod::Post,
        url: url.to_owned(),
        identity: "own".to_owned(),
        headers: vec![
            header("User-Agent", "test"),
            header("Accept", "application/json, text/event-stream"),
            header("Content-Type", "application/json"),
        ],
        body: Bytes::from(body.to_owned()),
        max_answer_bytes: None,
        timeout: Some(Duration::from_secs(3)),
        fresh_connection: false,
    }
}

const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;

async fn session(visit: &Visit, host: &str) -> String {
    let url = format!("https://{host}/mcp");
    let answer = visit.ask(question(&url, INITIALIZE)).await.unwrap();
    let session = answer.head.header("mcp-session-id").unwrap().to_owned();
    let whole = answer.read_to_end().await;
    assert!(whole.response.body.cut.is_none());
    session
}

fn list(host: &str, session: &str) -> AskRequest {
    let mut asked = question(
        &format!("https://{host}/mcp"),
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#,
    );
    asked.headers.push(("Mcp-Session-Id".to_owned(), session.to_owned()));
    asked
}

#[tokio::test]
async fn a_body_is_sent_and_the_connection_reused() {
    let lab = setup::lab().await;
    let visit = setup::door(setup::policy(&lab)).mcp_visit(Duration::from_secs(10));
    let session = session(&visit, "mcp-legacy.lab").await;
    let answer = visit.ask(list("mcp-legacy.lab", &session)).await.unwrap();
    assert!(answer.head.reused_connection);
    let whole = answer.read_to_end().await;
    assert_eq!(whole.response.status, 200);
    assert!(String::from_utf8_lossy(&whole.body).contains("opening_hours"));
    let mut end = list("mcp-legacy.lab", &session);
    end.method = AskMethod::Delete;
    end.body = Bytes::new();
    assert_eq!(visit.ask(end).await.unwrap().head.status, 200);
    assert_eq!(lab.mcp_open_sessions("mcp-legacy.lab"), 0);
    let methods: Vec<String> =
        lab.hits("mcp-legacy.lab").into_iter().map(|hit| hit.method).collect();
    assert_eq!(methods, ["POST", "POST", "DELETE"]);
    assert_eq!(lab.connections("mcp-legacy.lab"), 1);
}

#[tokio::test]
async fn questions_pass_the_guard_and_their_limits() {
    let lab = setup::lab().await;
    let visit = setup::door(setup::policy(&lab)).mcp_visit(Duration::from_secs(10));
    let refused = async |asked: AskRequest| visit.ask(asked).await.err().unwrap().reason;
    assert_eq!(refused(question("https://127.0.0.1/mcp", "{}")).await, "ip_address");
    assert_eq!(refused(question("https://mcp-legacy.lab:22/", "{}")).await, "port");
    assert_eq!(refused(question("https://alias-to-trap.lab/", "{}")).await, "loopback_address");
    let large = "x".repeat(64 * 1024 + 1);
    assert_eq!(refused(question("https://mcp-legacy.lab/mcp", &large)).await, "request_too_large");
    for header in ["Authorization", "Cookie", "X-Api-Key", "Origin"] {
        let mut asked = question("https://mcp-legacy.lab/mcp", "{}");
        asked.headers.push((header.to_owned(), "x".to_owned()));
        assert_eq!(refused(asked).await, "header_not_allowed", "{header}");
    }
    assert!(lab.hits("mcp-legacy.lab").is_empty(), "nothing of this was sent");
    assert_eq!(lab.trap().connections(), 0);
}

#[tokio::test]
async fn redirects_are_told_and_not_followed() {
    let lab = setup::lab().await;
    let visit = setup::door(setup::policy(&lab)).mcp_visit(Duration::from_secs(10));
    for method in [AskMethod::Get, AskMethod::Post, AskMethod::Delete] {
        let mut asked = question("https://mcp-redirect.lab/mcp", "");
        asked.method = method;
        let answer = visit.ask(asked).await.unwrap();
        assert_eq!(answer.head.status, 307);
        assert_eq!(answer.head.redirect_location(), Some("http://127.0.0.1/mcp"));
    }
    assert_eq!(lab.trap().connections(), 0);
}

#[tokio::test]
async fn bodies_and_streams_end_at_their_limits() {
    let lab = setup::lab().await;
    let visit = setup::door(setup::policy(&lab)).mcp_visit(Duration::from_secs(20));
    let endless = session(&visit, "mcp-endless-sse.lab").await;
    let mut asked = list("mcp-endless-sse.lab", &endless);
    asked.max_answer_bytes = Some(100_000);
    let (_, mut events) = visit.ask(asked).await.unwrap().into_events(1024);
    let cut = events.next(Duration::from_secs(3)).await.unwrap_err();
    assert_eq!(cut.reason, "wire_limit");
    assert!(events.bytes() <= 100_000);

    let silent = session(&visit, "mcp-sse-silence.lab").await;
    let (_, mut events) =
        visit.ask(list("mcp-sse-silence.lab", &silent)).await.unwrap().into_events(1024);
    let start = Instant::now();
    let pause = events.next(Duration::from_millis(100)).await.unwrap_err();
    assert_eq!(pause.reason, "deadline");
    assert!(start.elapsed() < Duration::from_secs(1));

    let messages = session(&visit, "mcp-endless-messages.lab").await;
    let asked = list("mcp-endless-messages.lab", &messages);
    let (_, mut events) = visit.ask(asked).await.unwrap().into_events(8);
    let large = events.next(Duration::from_secs(3)).await.unwrap_err();
    assert_eq!(large.reason, "event_too_large");

    let bomb = question(
        "https://mcp-gzip-bomb.lab/mcp",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
    );
    let mut bomb = AskRequest { max_answer_bytes: Some(1 << 20), ..bomb };
    bomb.headers.push(("MCP-Protocol-Version".to_owned(), "2026-07-28".to_owned()));
    bomb.headers.push(("Mcp-Method".to_owned(), "tools/list".to_owned()));
    let whole = visit.ask(bomb).await.unwrap().read_to_end().await;
    let cut = whole.response.body.cut.unwrap();
    assert!(["decoded_limit", "decompression_ratio"].contains(&cut.reason.as_str()), "{cut:?}");
    assert!(whole.body.len() <= 1 << 20);
}

#[tokio::test]
async fn a_silent_server_costs_no_more_than_the_timeout() {
    let lab = setup::lab().await;
    let visit = setup::door(setup::policy(&lab)).mcp_visit(Duration::from_secs(10));
    let asked = AskRequest {
        timeout: Some(Duration::from_millis(300)),
        ..question("https://mcp-silence.lab/mcp", INITIALIZE)
    };
    let start = Instant::now();
    assert_eq!(visit.ask(asked).await.err().unwrap().reason, "deadline");
    assert!(start.elapsed() < Duration::from_millis(900), "{:?}", start.elapsed());
}
