//! Tests of the faulty lists of `feeds.lab`.

use std::{io::Read, time::Duration};

use lab::{FEEDS_HOST, FeedBehaviour, FeedFormat, feed_prefixes, feeds};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::timeout,
};

use crate::{
    client::{BROWSER, parse, raw_get, raw_get_with, tls},
    feeds::{lab, prefixes_in, read},
};

#[tokio::test]
async fn lists_with_other_prefixes() {
    let lab = lab().await;
    let read = async |kind: &str| {
        let response = read(&lab, &format!("/bad/{kind}")).await;
        assert_eq!(response.status, 200, "{kind}");
        prefixes_in(FeedFormat::PrefixJson, &response.text())
    };
    let good = feed_prefixes("openai-gptbot");
    assert_eq!(read("shrunken").await, good[..2]);
    assert_eq!(read("no_prefixes").await, [] as [&str; 0]);
    for (kind, added) in [
        ("slash_zero", vec!["0.0.0.0/0", "::/0"]),
        ("too_broad", vec!["44.0.0.0/8"]),
        (
            "private_space",
            vec!["10.0.0.0/8", "192.168.1.0/24", "127.0.0.0/8", "203.0.113.0/24", "fd00::/8"],
        ),
    ] {
        let prefixes = read(kind).await;
        assert_eq!(prefixes[..good.len()], good, "{kind}");
        assert_eq!(prefixes[good.len()..], added, "{kind}");
    }
    let dirty = read("dirty").await;
    assert_eq!(dirty[..good.len()], good);
    assert!(dirty[good.len()].contains('\u{200b}') && dirty.len() == good.len() + 6, "{dirty:?}");
}

#[tokio::test]
async fn replies_that_are_not_the_list() {
    let lab = lab().await;
    let good = read(&lab, "/openai-gptbot").await;
    let half = read(&lab, "/bad/truncated").await;
    assert_eq!(half.body, good.body[..good.body.len() / 2]);
    let empty = read(&lab, "/bad/empty").await;
    assert_eq!((empty.status, empty.body.len()), (200, 0));
    for (kind, status) in [("html_error_200", 200), ("status_403", 403), ("status_500", 500)] {
        let page = read(&lab, &format!("/bad/{kind}")).await;
        assert_eq!(page.status, status, "{kind}");
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"), "{kind}");
        assert!(page.text().contains("Something went wrong"), "{kind}");
    }
    let picture = read(&lab, "/bad/wrong_type").await;
    assert_eq!(picture.header("content-type"), Some("image/png"));
    assert_eq!(picture.body, good.body);
    let unasked = read(&lab, "/bad/not_modified_without_etag").await;
    assert_eq!((unasked.status, unasked.header("etag"), unasked.body.len()), (304, None, 0));
    assert_eq!(read(&lab, "/bad/no_such_kind").await.status, 404);
    assert_eq!(read(&lab, "/bad/empty/no-such-feed").await.status, 404);
}

#[tokio::test]
async fn one_operator_refuses_clients_without_a_user_agent() {
    let lab = lab().await;
    for (feed, fields, status) in [
        ("/bingbot", "", 403),
        ("/bingbot", "user-agent: a reader\r\n", 200),
        ("/applebot", "", 200),
    ] {
        let mut stream = tls(&lab, FEEDS_HOST, &["http/1.1"]).await.unwrap();
        let (bytes, _) = raw_get_with(&mut stream, FEEDS_HOST, feed, fields, 1 << 20).await;
        assert_eq!(parse(&bytes).unwrap().status, status, "{feed} {fields}");
    }
}

#[tokio::test]
async fn redirects_lead_to_the_good_list_or_back_to_the_same_address() {
    let lab = lab().await;
    let circle = read(&lab, "/bad/redirect_loop").await;
    assert_eq!((circle.status, circle.header("location")), (302, Some("/bad/redirect_loop")));
    let once = read(&lab, "/bad/redirect_once/applebot").await;
    assert_eq!((once.status, once.header("location")), (302, Some("/good/applebot")));
    assert!(lab.set_feed("applebot", FeedBehaviour::RedirectOnce));
    assert_eq!(read(&lab, "/applebot").await.header("location"), Some("/good/applebot"));
    let target = read(&lab, "/good/applebot").await;
    let prefixes = prefixes_in(FeedFormat::PrefixJson, &target.text());
    assert_eq!(prefixes, feed_prefixes("applebot"));
    assert!(lab.set_feed("applebot", FeedBehaviour::RedirectLoop));
    assert_eq!(read(&lab, "/applebot").await.header("location"), Some("/applebot"));
}

#[tokio::test]
async fn the_bomb_expands_to_far_more_than_was_sent() {
    let lab = lab().await;
    let stream = tls(&lab, FEEDS_HOST, &["http/1.1"]).await.unwrap();
    let (bytes, end) = raw_get(stream, FEEDS_HOST, "/bad/bomb", BROWSER, 8 << 20).await;
    assert_eq!(end, Ok(true), "it ends");
    let response = parse(&bytes).unwrap();
    assert_eq!(response.header("content-encoding"), Some("gzip"));
    assert!(response.body.len() < 2 << 20, "{}", response.body.len());
    let mut expanded = Vec::new();
    let decoder = flate2::read::GzDecoder::new(response.body.as_slice());
    decoder.take(16 << 20).read_to_end(&mut expanded).unwrap();
    assert_eq!(expanded.len(), 16 << 20, "the first 16 MiB of 1 GiB");
}

#[tokio::test]
async fn the_long_list_goes_on_and_on_in_every_format() {
    let lab = lab().await;
    let ids =
        ["openai-gptbot", "amazonbot", "meta-geofeed", "kagi-page", "meta-radb", "plain-text"];
    for id in ids {
        let stream = tls(&lab, FEEDS_HOST, &["http/1.1"]).await.unwrap();
        let path = format!("/bad/ten_million_lines/{id}");
        let (bytes, end) = raw_get(stream, FEEDS_HOST, &path, BROWSER, 1 << 20).await;
        assert_eq!(end, Ok(false), "{id}: not yet at its end");
        let body = parse(&bytes).unwrap().text();
        let format = feeds().iter().find(|feed| feed.id == id).unwrap().format;
        let cut = body.rfind('\n').unwrap();
        let body = match format {
            FeedFormat::PrefixJson => format!("{} ]}}", body[..cut].trim_end_matches(',')),
            FeedFormat::JsonInHtml => {
                format!("{} ]}}</code></pre>", body[..cut].trim_end_matches(','))
            }
            _ => body[..=cut].to_owned(),
        };
        assert!(prefixes_in(format, &body).len() > 4_000, "{id}");
    }
}

#[tokio::test]
async fn the_slow_list_comes_a_byte_a_second() {
    let lab = lab().await;
    let mut stream = tls(&lab, FEEDS_HOST, &["http/1.1"]).await.unwrap();
    let request = format!("GET /bad/slow HTTP/1.1\r\nhost: {FEEDS_HOST}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let end = timeout(Duration::from_millis(3500), stream.read_to_end(&mut bytes)).await;
    assert!(end.is_err(), "it does not end");
    let response = parse(&bytes).unwrap();
    assert_eq!(response.status, 200);
    assert!((1..=4).contains(&response.body.len()), "{:?}", response.body);
}

#[tokio::test]
async fn every_fault_works_for_every_feed_and_can_be_set() {
    let lab = lab().await;
    let endless = ["bomb", "ten_million_lines", "slow"];
    for (word, behaviour) in FeedBehaviour::faults() {
        if endless.contains(word) {
            continue;
        }
        for id in ["amazonbot", "kagi-page", "meta-radb"] {
            let by_path = read(&lab, &format!("/bad/{word}/{id}")).await;
            assert!(lab.set_feed(id, behaviour.clone()));
            let by_setting = read(&lab, &format!("/{id}")).await;
            assert_eq!(by_path.status, by_setting.status, "{word} {id}");
            assert_eq!(by_path.body, by_setting.body, "{word} {id}");
            let good = read(&lab, &format!("/good/{id}")).await;
            let same = (good.status, good.header("content-type"), &good.body);
            let found = (by_path.status, by_path.header("content-type"), &by_path.body);
            assert_ne!(found, same, "{word} {id}");
        }
    }
    assert_eq!(FeedBehaviour::faults().len(), 18);
}
