//! Single behaviours that the sweep over the catalogue does not check.

use std::{collections::BTreeSet, time::Duration};

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper_util::rt::{TokioExecutor, TokioIo};
use lab::{Lab, LabOptions};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::timeout,
};

use crate::client::{BROWSER, ClientResponse, GPTBOT, get, get_http, tls};

const CLAUDE_USER: &str = "Mozilla/5.0 (compatible; Claude-User/1.0; +Claude-User@anthropic.com)";

async fn lab() -> Lab {
    Lab::start(LabOptions::default()).await.unwrap()
}

#[tokio::test]
async fn speaks_http_2_where_offered_and_http_1_where_not() {
    let lab = lab().await;
    for (host, expected) in
        [("open.lab", "h2"), ("tls12.lab", "h2"), ("http1-only.lab", "http/1.1")]
    {
        let stream = tls(&lab, host, &["h2", "http/1.1"]).await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(expected.as_bytes()), "{host}");
    }
    let stream = tls(&lab, "open.lab", &["h2"]).await.unwrap();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .unwrap();
    tokio::spawn(connection);
    for method in ["GET", "HEAD"] {
        let request = http::Request::builder()
            .method(method)
            .uri("https://open.lab/.well-known/api-catalog")
            .header("user-agent", BROWSER)
            .body(Empty::<Bytes>::new())
            .unwrap();
        let response = sender.send_request(request).await.unwrap();
        assert_eq!(response.status(), 200);
        assert!(response.headers()["link"].to_str().unwrap().contains("rel=\"item\""));
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(body.is_empty(), method == "HEAD");
    }
    let hits = lab.hits("open.lab");
    assert_eq!((hits[0].version, &*hits[0].host, &*hits[1].method), ("2", "open.lab", "HEAD"));
    assert_eq!(lab.connections("open.lab"), 2, "both requests on one connection");
}

#[tokio::test]
async fn http_leads_to_https_with_path_and_query() {
    let lab = lab().await;
    let got = get_http(&lab, "open.lab", "/visit?day=mo", BROWSER).await;
    assert_eq!(got.status, 301);
    assert_eq!(got.header("location"), Some("https://open.lab/visit?day=mo"));
}

#[tokio::test]
async fn ai_identities_are_treated_by_purpose() {
    let lab = lab().await;
    assert_eq!(get(&lab, "blocks-training.lab", "/", GPTBOT).await.status, 403);
    assert_eq!(get(&lab, "blocks-training.lab", "/", CLAUDE_USER).await.status, 200);
    assert_eq!(get(&lab, "blocks-unnamed.lab", "/", "curl/8.9").await.status, 403);
    assert_eq!(get(&lab, "blocks-unnamed.lab", "/", GPTBOT).await.status, 200);
    let limited = get(&lab, "rate-limits.lab", "/", GPTBOT).await;
    assert_eq!((limited.status, limited.header("retry-after")), (429, Some("120")));
    let paid = get(&lab, "pay-per-crawl.lab", "/", GPTBOT).await;
    assert_eq!((paid.status, paid.header("crawler-price")), (402, Some("USD 0.01")));
    let x402 = get(&lab, "pays-by-x402.lab", "/", GPTBOT).await;
    let payment = data_encoding::BASE64.decode(x402.header("payment-required").unwrap().as_bytes());
    let payment: serde_json::Value = serde_json::from_slice(&payment.unwrap()).unwrap();
    assert_eq!(payment["x402Version"], 2);
    for host in ["challenge-200.lab", "challenge-503.lab"] {
        let challenge = get(&lab, host, "/", GPTBOT).await;
        assert_eq!(challenge.header("cf-mitigated"), Some("challenge"), "{host}");
        assert_eq!(get(&lab, host, "/", BROWSER).await.header("cf-mitigated"), None);
    }
}

#[tokio::test]
async fn every_wall_is_for_ai_identities_alone_and_six_sites_share_one_page() {
    let lab = lab().await;
    let walled = lab::catalogue().iter().filter(|site| site.name.starts_with("wall-"));
    assert!(walled.clone().count() >= 16);
    for site in walled {
        let browser = get(&lab, site.name, "/", BROWSER).await;
        assert_eq!(browser.status, 200, "{}", site.name);
        assert!(words(&browser.text()) >= 150, "{}", site.name);
        for agent in [GPTBOT, CLAUDE_USER, "CCBot/2.0 (https://commoncrawl.org/faq/)"] {
            let ai = get(&lab, site.name, "/", agent).await;
            assert!(words(&ai.text()) < 60, "{}: {}", site.name, ai.text());
        }
    }
    let open = get(&lab, "six-open.lab", "/", BROWSER).await.text();
    for host in ["six-refused.lab", "six-challenged.lab", "six-tolled.lab", "six-answers-all.lab"] {
        assert_eq!(get(&lab, host, "/", BROWSER).await.text(), open, "{host}");
    }
    assert_eq!(get(&lab, "six-answers-all.lab", "/no-such", GPTBOT).await.text(), open);
    for (host, status) in
        [("six-refused.lab", 403), ("six-challenged.lab", 200), ("six-tolled.lab", 402)]
    {
        let ai = get(&lab, host, "/", CLAUDE_USER).await;
        assert_eq!(ai.status, status, "{host}");
        assert_ne!(ai.text(), open, "{host}");
    }
    let shell = get(&lab, "six-shell.lab", "/", GPTBOT).await.text();
    assert_eq!(shell, get(&lab, "six-shell.lab", "/", BROWSER).await.text());
    assert!(shell.contains("<div id=\"root\"></div>"));
}

#[tokio::test]
async fn identities_get_different_texts_where_intended() {
    let lab = lab().await;
    for (host, only_ai, only_browser) in [
        ("cloaks.lab", "Low Mill Evening School", "Wend Valley"),
        ("cloaks-prices.lab", "189.00", "112.00"),
        ("hidden-instructions.lab", "ignore all previous", "</html>"),
    ] {
        let browser = get(&lab, host, "/", BROWSER).await.text();
        let ai = get(&lab, host, "/", GPTBOT).await.text();
        assert!(ai.contains(only_ai) && !browser.contains(only_ai), "{host}");
        assert!(browser.contains(only_browser), "{host}");
    }
    for host in
        ["hidden-for-all.lab", "visible-instructions.lab", "invisible-letters.lab", "open.lab"]
    {
        let browser = get(&lab, host, "/", BROWSER).await.text();
        assert_eq!(browser, get(&lab, host, "/", GPTBOT).await.text(), "{host}");
    }
    let short = get(&lab, "shortens.lab", "/", GPTBOT).await.text();
    assert!(short.len() * 2 < get(&lab, "shortens.lab", "/", BROWSER).await.text().len());
}

#[tokio::test]
async fn copies_differ_by_visit_or_by_address_as_the_catalogue_says() {
    let lab = lab().await;
    let one = get(&lab, "varies.lab", "/", BROWSER).await.text();
    let two = get(&lab, "varies.lab", "/", BROWSER).await.text();
    assert_ne!(one, two);
    assert!(words(&one) >= 150);
    let cached = get(&lab, "cache-split.lab", "/", BROWSER).await;
    let fresh = get(&lab, "cache-split.lab", "/?t=1", BROWSER).await;
    assert_eq!(
        (cached.header("cf-cache-status"), cached.header("age")),
        (Some("HIT"), Some("86400"))
    );
    assert_eq!(fresh.header("cf-cache-status"), Some("MISS"));
    assert!(cached.text().contains("Three doctors") && fresh.text().contains("Four doctors"));
}

#[tokio::test]
async fn home_pages_have_words_enough_to_compare() {
    let lab = lab().await;
    let titles: Vec<String> = futures_util::future::join_all(
        [
            "open.lab",
            "minimal.lab",
            "blocks-training.lab",
            "business.lab",
            "soft-404.lab",
            "cloaks.lab",
            "pay-per-crawl.lab",
            "noindex-header.lab",
            "two-phones.lab",
            "latin1.lab",
        ]
        .map(async |host| {
            let page = get(&lab, host, "/", BROWSER).await;
            assert!(words(&page.text()) >= 150, "{host}: {}", words(&page.text()));
            page.text().split("<title>").nth(1).unwrap().split('<').next().unwrap().to_owned()
        }),
    )
    .await;
    let distinct: std::collections::HashSet<&String> = titles.iter().collect();
    assert_eq!(distinct.len(), 10, "all ten texts: {titles:?}");
}

#[tokio::test]
async fn the_machine_files_of_the_open_site_hold_together() {
    let lab = lab().await;
    let json = async |path: &str| -> (ClientResponse, serde_json::Value) {
        let got = get(&lab, "open.lab", path, BROWSER).await;
        let value = serde_json::from_slice(&got.body).unwrap();
        (got, value)
    };
    let (_, index) = json("/.well-known/agent-skills/index.json").await;
    let skill = get(&lab, "open.lab", index["skills"][0]["url"].as_str().unwrap(), BROWSER).await;
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &skill.body);
    let digest = format!("sha256:{}", data_encoding::HEXLOWER.encode(digest.as_ref()));
    assert_eq!(index["skills"][0]["digest"], digest);
    let (card, value) = json("/.well-known/mcp/server-card.json").await;
    assert_eq!(card.header("content-type"), Some("application/mcp-server-card+json"));
    assert_eq!(value["name"], "lab.open/times");
    let (catalogue, value) = json("/.well-known/api-catalog").await;
    assert!(catalogue.header("content-type").unwrap().starts_with("application/linkset+json"));
    let description = value["linkset"][0]["service-desc"][0]["href"].as_str().unwrap().to_owned();
    let path = description.strip_prefix("https://open.lab").unwrap();
    assert_eq!(json(path).await.1["openapi"], "3.1.0");
    let (_, agent) = json("/.well-known/agent-card.json").await;
    assert!(agent["supportedInterfaces"][0]["url"].is_string());
    let llms = get(&lab, "open.lab", "/llms.txt", BROWSER).await.text();
    assert!(llms.starts_with("# Harbour Lane Bakery\n\n> "));
    let home = get(&lab, "open.lab", "/", BROWSER).await.text();
    assert!(
        home.contains("\"telephone\":\"+44 1632 960101\"") && home.contains("01632 960101</a>")
    );
    let (_, index) = {
        let got =
            get(&lab, "bad-digest.lab", "/.well-known/agent-skills/index.json", BROWSER).await;
        ((), serde_json::from_slice::<serde_json::Value>(&got.body).unwrap())
    };
    let skill =
        get(&lab, "bad-digest.lab", index["skills"][0]["url"].as_str().unwrap(), BROWSER).await;
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &skill.body);
    let digest = format!("sha256:{}", data_encoding::HEXLOWER.encode(digest.as_ref()));
    assert_ne!(index["skills"][0]["digest"], digest);
}

#[tokio::test]
async fn broken_machine_files_are_broken_as_the_catalogue_says() {
    let lab = lab().await;
    let card = "/.well-known/agent-card.json";
    let broken = get(&lab, "broken-files.lab", card, BROWSER).await;
    assert!(serde_json::from_slice::<serde_json::Value>(&broken.body).is_err());
    let wrong = get(&lab, "wrong-types.lab", card, BROWSER).await;
    let wrong: serde_json::Value = serde_json::from_slice(&wrong.body).unwrap();
    assert!(!wrong["name"].is_string());
    let page = get(&lab, "html-files.lab", card, BROWSER).await;
    assert!(page.status == 200 && page.text().starts_with("<!doctype html>"));
    assert_eq!(get(&lab, "refused-files.lab", card, BROWSER).await.status, 403);
    let old = get(&lab, "old-shapes.lab", card, BROWSER).await;
    assert!(old.text().contains("\"protocolVersion\":\"0.3.0\""));
}

#[tokio::test]
async fn a_business_contradicts_itself_only_as_the_catalogue_says() {
    let lab = lab().await;
    let consistent = get(&lab, "business.lab", "/", BROWSER).await.text();
    assert!(consistent.contains("\"telephone\":\"+44 1632 960133\""));
    assert!(consistent.contains("tel:+441632960133"));
    let torn = get(&lab, "two-phones.lab", "/", BROWSER).await.text();
    assert!(
        torn.contains("\"telephone\":\"+44 1632 960999\"") && torn.contains("tel:+441632960199")
    );
}

#[tokio::test]
async fn odd_ports_and_private_places_in_redirects_are_trapped() {
    let lab = lab().await;
    let got = get(&lab, "redirect-to-port.lab", "/", BROWSER).await;
    let location = got.header("location").unwrap().to_owned();
    let port: u16 = location.trim_end_matches('/').rsplit(':').next().unwrap().parse().unwrap();
    let address = lab.address("redirect-to-port.lab").unwrap();
    assert!(lab.trap().addresses().contains(&(address, port).into()), "{location}");
    for (host, location) in [
        ("to-trap-address.lab", "http://127.88.0.1/"),
        ("to-file.lab", "file:///etc/passwd"),
        ("to-userinfo.lab", "https://open.lab:secret@trap.lab/"),
    ] {
        assert_eq!(get(&lab, host, "/", BROWSER).await.header("location"), Some(location));
    }
}

#[tokio::test]
async fn odd_character_sets_are_served_as_the_catalogue_says() {
    let lab = lab().await;
    let latin = get(&lab, "latin1.lab", "/", BROWSER).await;
    assert_eq!(latin.header("content-type"), Some("text/html; charset=iso-8859-1"));
    assert!(latin.body.windows(6).any(|window| window == b"Cr\xe8che"));
    let robots = get(&lab, "robots-utf16.lab", "/robots.txt", BROWSER).await;
    assert!(robots.body.starts_with(&[0xff, 0xfe, b'U', 0]));
}

#[tokio::test]
async fn load_test_sites_each_have_their_own_address() {
    let lab = lab().await;
    let all: Vec<&str> = lab::load_test_sites()
        .iter()
        .chain(lab::stalling_load_test_sites())
        .map(|site| site.name)
        .collect();
    let addresses: BTreeSet<_> = all.iter().map(|name| lab.address(name).unwrap()).collect();
    assert_eq!((all.len(), addresses.len()), (700, 700));
    assert_eq!(get(&lab, "n500.lab", "/", BROWSER).await.status, 200);

    let mut stalling = tls(&lab, "s200.lab", &["http/1.1"]).await.unwrap();
    stalling.write_all(b"GET /robots.txt HTTP/1.1\r\nhost: s200.lab\r\n\r\n").await.unwrap();
    let mut byte = [0];
    let answer = timeout(Duration::from_millis(300), stalling.read(&mut byte)).await;
    assert!(answer.is_err(), "neither a byte nor an end: {answer:?}");
    assert_eq!(lab.hits("s200.lab").len(), 1, "the request was taken");
    assert_eq!(lab.hits("s199.lab").len(), 0);
}

/// Counts the words outside tags.
fn words(html: &str) -> usize {
    let mut inside = false;
    let text: String = html
        .chars()
        .map(|c| {
            inside = c == '<' || inside && c != '>';
            if inside || c == '>' { ' ' } else { c }
        })
        .collect();
    text.split_whitespace().count()
}

#[tokio::test]
async fn a_site_moves_away_and_back_on_command() {
    let lab = lab().await;
    let mut seen = Vec::new();
    for path in ["/", "/turn/away", "/", "/visit", "/turn/back", "/"] {
        seen.push(get(&lab, "moves.lab", path, BROWSER).await.status);
    }
    assert_eq!(seen, [200, 200, 302, 200, 200, 200]);
}
