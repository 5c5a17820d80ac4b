//! The control channel: other processes move the clock and publish proofs of control.

use std::sync::Arc;

use contract::clock::FixedClock;
use contract::{Brand, Timestamp};
use hickory_proto::rr::{RData, RecordType};
use lab::{EngineBehaviour, Lab, LabClock, LabOptions, LabProof, ProofKind, PublishError};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::client::{BROWSER, get};
use crate::resolve::ask;

async fn lab() -> Lab {
    Lab::start(LabOptions::default()).await.unwrap()
}

/// Sends one request to a URL of the control channel.
async fn call(url: &str, method: &str, body: &str) -> (u16, Value) {
    let (authority, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(authority).await.unwrap();
    let length = body.len();
    let request = format!(
        "{method} /{path} HTTP/1.1\r\nhost: {authority}\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await.unwrap();
    let (head, body) = reply.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap())
}

async fn texts(lab: &Lab, name: &str) -> Vec<String> {
    let reply = ask(lab, name, RecordType::TXT).await.unwrap();
    let texts = reply.answers.iter().filter_map(|record| match &record.data {
        RData::TXT(txt) => Some(String::from_utf8(txt.txt_data.concat()).unwrap()),
        _ => None,
    });
    texts.collect()
}

#[tokio::test]
async fn proofs_are_published_and_removed() {
    let lab = lab().await;
    let url = lab.start_control().unwrap();
    let publish = |kind: &str, value: &str| {
        let body = json!({ "domain": "yours.lab", "kind": kind, "value": value });
        let url = format!("{url}proofs");
        async move { call(&url, "POST", &body.to_string()).await }
    };
    let (status, done) = publish("meta", "a\"<b>&").await;
    assert_eq!(status, 200, "{done}");
    assert_eq!(done["name"], "svc-verification");
    assert_eq!(publish("txt", "token=1").await.1["name"], "_svc-challenge.yours.lab");
    for line in ["one", "two", "one"] {
        assert_eq!(publish("file", line).await.1["name"], "/.well-known/svc-challenge.txt");
    }
    let page = get(&lab, "yours.lab", "/", BROWSER).await.text();
    let element = "<meta name=\"svc-verification\" content=\"a&quot;&lt;b&gt;&amp;\">\n</head>";
    assert!(page.contains(element), "{page}");
    assert!(!get(&lab, "yours.lab", "/visit", BROWSER).await.text().contains("svc-verification"));
    assert!(!get(&lab, "open.lab", "/", BROWSER).await.text().contains("svc-verification"));
    let file = get(&lab, "www.yours.lab", "/.well-known/svc-challenge.txt", BROWSER).await;
    assert_eq!((file.status, file.text().as_str()), (200, "one\ntwo\n"));
    assert_eq!(texts(&lab, "_svc-challenge.yours.lab").await, ["token=1"]);
    let (_, list) = call(&format!("{url}proofs"), "GET", "").await;
    assert_eq!(list["proofs"].as_array().unwrap().len(), 4, "{list}");

    let remove = format!("{url}proofs/remove");
    let one = json!({ "domain": "yours.lab", "kind": "file", "value": "one" });
    assert_eq!(call(&remove, "POST", &one.to_string()).await, (200, json!({ "removed": 1 })));
    let all = json!({ "domain": "yours.lab" }).to_string();
    assert_eq!(call(&remove, "POST", &all).await, (200, json!({ "removed": 3 })));
    assert_eq!(call(&remove, "POST", &all).await, (200, json!({ "removed": 0 })));
    assert_eq!(texts(&lab, "_svc-challenge.yours.lab").await, [""; 0]);
    let file = get(&lab, "yours.lab", "/.well-known/svc-challenge.txt", BROWSER).await;
    assert_eq!(file.status, 404);
}

#[tokio::test]
async fn names_follow_the_brand() {
    let lab = lab().await;
    lab.set_brand(Brand::new("crawlcheck").unwrap());
    lab.publish("open.lab", LabProof::txt("token=1")).unwrap();
    lab.publish("open.lab", LabProof::meta("1")).unwrap();
    assert_eq!(texts(&lab, "_CrawlCheck-challenge.open.lab").await, ["token=1"]);
    assert_eq!(texts(&lab, "_svc-challenge.open.lab").await, [""; 0]);
    let page = get(&lab, "open.lab", "/", BROWSER).await.text();
    assert!(page.contains("<meta name=\"crawlcheck-verification\" content=\"1\">"), "{page}");
}

#[tokio::test]
async fn the_clock_is_moved_forward_and_only_where_there_is_one() {
    let lab = lab().await;
    let url = format!("{}clock", lab.start_control().unwrap());
    let (status, error) = call(&url, "GET", "").await;
    assert_eq!(status, 400);
    assert!(error["error"].as_str().unwrap().contains("without a service"), "{error}");
    let start: Timestamp = "2026-11-15T00:00:00.000Z".parse().unwrap();
    lab.set_clock(Arc::new(LabClock::new(Arc::new(FixedClock(start)))));
    let moved = call(&url, "POST", &json!({ "advance_s": 31 * 86_400 }).to_string()).await;
    let expected = json!({ "now": "2026-12-16T00:00:00Z", "ahead_s": 31 * 86_400 });
    assert_eq!(moved, (200, expected.clone()));
    for bad in
        ["{\"advance_s\":-1}", "{\"advance_s\":1e99}", "{}", "", "{\"advance_s\":99999999999}"]
    {
        assert_eq!(call(&url, "POST", bad).await.0, 400, "{bad}");
    }
    assert_eq!(call(&url, "GET", "").await, (200, expected));
}

#[tokio::test]
async fn only_who_knows_the_secret_is_answered_and_bodies_are_bounded() {
    let lab = lab().await;
    let url = lab.start_control().unwrap();
    let (origin, secret) = url.trim_end_matches('/').rsplit_once('/').unwrap();
    assert_eq!(secret.len(), 48, "{secret}");
    let wrong = secret.replace(|c: char| c.is_ascii_digit(), "a").replace('b', "c");
    let body = json!({ "domain": "yours.lab", "kind": "txt", "value": "x" }).to_string();
    for path in ["", "/", "/proofs", &format!("/{wrong}/proofs"), &format!("/{secret}")] {
        let (status, _) = call(&format!("{origin}{path}/"), "POST", &body).await;
        assert_eq!(status, 404, "{path}");
    }
    assert_eq!(call(&format!("{url}nothing"), "GET", "").await.0, 404);
    assert_eq!(call(&format!("{url}proofs"), "POST", &"x".repeat(9_000)).await.0, 400);
    assert_eq!(texts(&lab, "_svc-challenge.yours.lab").await, [""; 0]);
    // Each lab has its own.
    assert_ne!(self::lab().await.start_control().unwrap(), url);
}

#[tokio::test]
async fn what_cannot_be_published_is_refused() {
    let lab = lab().await;
    let refused = |domain: &str, proof: LabProof| lab.publish(domain, proof).unwrap_err();
    let meta = || LabProof::meta("x");
    for domain in ["nosuch.lab", "open.example", "", "blog.yours.lab", "feeds.lab"] {
        assert!(matches!(refused(domain, meta()), PublishError::UnknownSite(_)), "{domain}");
    }
    for value in ["", "a\nb", "a\0", &"x".repeat(1_025)] {
        for kind in [ProofKind::Meta, ProofKind::Txt, ProofKind::File] {
            let proof = LabProof::new(kind, value);
            assert_eq!(refused("yours.lab", proof), PublishError::BadValue, "{value:?}");
        }
    }
    for proof in [
        LabProof::txt("x").named("open.lab"),
        LabProof::txt("x").named(""),
        LabProof::file("x").named("relative"),
        meta().named("a\" b"),
    ] {
        assert_eq!(refused("yours.lab", proof), PublishError::BadName);
    }
    for number in 0..256 {
        lab.publish("yours.lab", LabProof::txt(&number.to_string())).unwrap();
    }
    assert_eq!(refused("yours.lab", meta()), PublishError::TooMany);
    assert_eq!(lab.unpublish("www.yours.lab", Some(ProofKind::Txt), None), 256);
}

#[tokio::test]
async fn published_records_are_answered_like_others() {
    let lab = lab().await;
    let code = |name: &'static str, kind| {
        let lab = &lab;
        async move { ask(lab, name, kind).await.unwrap() }
    };
    lab.publish("open.lab", LabProof::txt("x")).unwrap();
    let name = "_svc-challenge.open.lab";
    let reply = code(name, RecordType::A).await;
    assert_eq!((reply.answers.len(), u16::from(reply.metadata.response_code)), (0, 0));
    // A record below a name makes the name exist.
    lab.publish("yours.lab", LabProof::txt("x").named("a.b.yours.lab")).unwrap();
    assert_eq!(u16::from(code("b.yours.lab", RecordType::TXT).await.metadata.response_code), 0);
    assert_eq!(u16::from(code("c.yours.lab", RecordType::TXT).await.metadata.response_code), 3);
    let upper = "_svc-challenge.txt-upper-case.lab";
    lab.publish("txt-upper-case.lab", LabProof::txt("x")).unwrap();
    let reply = code(upper, RecordType::TXT).await;
    assert_eq!(reply.answers[0].name.to_ascii(), "_SVC-CHALLENGE.TXT-UPPER-CASE.LAB.");
}

#[tokio::test]
async fn the_engine_is_shown_and_changed() {
    let lab = lab().await;
    let url = format!("{}engine", lab.start_control().unwrap());
    let (status, shown) = call(&url, "GET", "").await;
    assert_eq!((status, &shown["requests"]), (200, &json!(0)));
    let words: Vec<&str> = EngineBehaviour::ALL.iter().map(|one| one.as_str()).collect();
    assert_eq!(shown["models"].as_array().unwrap().len(), words.len());
    for word in words {
        assert_eq!(EngineBehaviour::from_word(word).map(EngineBehaviour::as_str), Some(word));
    }
    for (body, expected) in [
        (json!({ "model": "right", "behaviour": "busy" }), 200),
        (json!({ "model": "gpt-9", "behaviour": "prose" }), 200),
        (json!({ "model": "right", "behaviour": "friendly" }), 400),
        (json!({ "model": "", "behaviour": "right" }), 400),
        (json!({ "model": "x".repeat(101), "behaviour": "right" }), 400),
        (json!({ "model": "right" }), 400),
    ] {
        assert_eq!(call(&url, "POST", &body.to_string()).await.0, expected, "{body}");
    }
    let (_, shown) = call(&url, "GET", "").await;
    for (model, behaviour) in [("right", "busy"), ("gpt-9", "prose")] {
        let entry = json!({ "model": model, "behaviour": behaviour });
        assert!(shown["models"].as_array().unwrap().contains(&entry), "{shown}");
    }
}
