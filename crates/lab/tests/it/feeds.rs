//! Tests of `feeds.lab`: the lists, their formats, and conditional requests.

use lab::{
    FEEDS_HOST, FeedBehaviour, FeedFormat, Lab, LabFeed, LabOptions, feed_addresses, feed_prefixes,
    feed_url, feeds,
};
use serde_json::Value;

use crate::client::{BROWSER, ClientResponse, get, get_with};

pub(crate) async fn lab() -> Lab {
    Lab::start(LabOptions::default()).await.unwrap()
}

pub(crate) async fn read(lab: &Lab, path: &str) -> ClientResponse {
    get(lab, FEEDS_HOST, path, BROWSER).await
}

/// The prefixes in a body, read without the code that wrote it.
pub(crate) fn prefixes_in(format: FeedFormat, body: &str) -> Vec<String> {
    let with_mask = |text: &str| {
        if text.contains('/') { text.to_owned() } else { format!("{text}/32") }
    };
    let column = |lines: Vec<&str>| lines.into_iter().map(with_mask).collect();
    let in_json = |json: &str| -> Vec<String> {
        let list: Value = serde_json::from_str(json).unwrap();
        assert!(list["creationTime"].as_str().unwrap().starts_with("202"), "{json}");
        let entries = list["prefixes"].as_array().unwrap().iter();
        entries
            .map(|entry| {
                let (name, prefix) = entry.as_object().unwrap().iter().next().unwrap();
                let prefix = prefix.as_str().unwrap();
                let version = if prefix.contains(':') { "ipv6Prefix" } else { "ipv4Prefix" };
                assert!(name == version || name == "ip_prefix", "{name}: {prefix}");
                with_mask(prefix)
            })
            .collect()
    };
    match format {
        FeedFormat::PrefixJson => in_json(body),
        FeedFormat::JsonInHtml => {
            let (_, rest) = body.split_once("<pre><code").unwrap();
            let (code, _) = rest.split_once("</code></pre>").unwrap();
            let (_, encoded) = code.split_once('>').unwrap();
            assert!(!encoded.contains('"'), "quotation marks are character references");
            in_json(&encoded.replace("&quot;", "\""))
        }
        FeedFormat::PlainText => {
            let comment = |line: &&str| !line.is_empty() && !line.starts_with('#');
            column(body.lines().filter(comment).collect())
        }
        FeedFormat::Geofeed => {
            let rows = body.lines().filter(|line| !line.starts_with('#'));
            let first = rows.map(|row| {
                assert_eq!(row.split(',').count(), 5, "{row}");
                row.split(',').next().unwrap()
            });
            column(first.collect())
        }
        FeedFormat::AddressesInHtml => column(
            body.lines()
                .filter_map(|line| line.trim().strip_prefix("<li>")?.strip_suffix("</li>"))
                .collect(),
        ),
        FeedFormat::RouteObjects => column(
            body.lines()
                .filter_map(|line| line.strip_prefix("route:").or(line.strip_prefix("route6:")))
                .map(str::trim)
                .collect(),
        ),
    }
}

fn media_type(feed: &LabFeed) -> &'static str {
    match feed.format {
        FeedFormat::PrefixJson => "application/json",
        FeedFormat::JsonInHtml | FeedFormat::AddressesInHtml => "text/html; charset=utf-8",
        FeedFormat::PlainText => "text/plain; charset=utf-8",
        FeedFormat::Geofeed => "text/csv",
        FeedFormat::RouteObjects => "text/plain",
    }
}

#[tokio::test]
async fn every_feed_serves_its_prefixes_in_its_format() {
    let lab = lab().await;
    for feed in feeds() {
        let response = read(&lab, &format!("/{}", feed.id)).await;
        assert_eq!(response.status, 200, "{}", feed.id);
        assert_eq!(response.header("content-type"), Some(media_type(feed)), "{}", feed.id);
        let prefixes = prefixes_in(feed.format, &response.text());
        assert_eq!(prefixes, feed_prefixes(feed.id), "{}", feed.id);
        assert!(!prefixes.is_empty() && !feed_addresses(feed.id).is_empty(), "{}", feed.id);
        assert_eq!(feed_url(feed.id), format!("https://feeds.lab/{}", feed.id));
    }
    let index = read(&lab, "/").await.text();
    assert_eq!(index.lines().count(), feeds().len());
    assert!(index.contains("amazonbot json_in_html\n"), "{index}");
    assert_eq!(read(&lab, "/no-such-feed").await.status, 404);
    assert_eq!(lab.hits(FEEDS_HOST).len(), feeds().len() + 2);
}

/// The ids and formats of the operators' lists as they are known today. The catalogue of known
/// agents names the same feeds.
#[test]
fn the_lab_has_the_feeds_of_the_operators() {
    let of_format = |format| -> Vec<&str> {
        feeds().iter().filter(|feed| feed.format == format).map(|feed| feed.id).collect()
    };
    assert_eq!(of_format(FeedFormat::PrefixJson).len(), 22);
    assert_eq!(of_format(FeedFormat::JsonInHtml), ["amazonbot", "amzn-searchbot", "amzn-user"]);
    assert_eq!(of_format(FeedFormat::Geofeed), ["meta-geofeed"]);
    assert_eq!(of_format(FeedFormat::RouteObjects), ["meta-radb"]);
    assert_eq!(of_format(FeedFormat::AddressesInHtml), ["yandex-ips", "kagi-page"]);
    assert_eq!(of_format(FeedFormat::PlainText), ["plain-text"]);
}

#[tokio::test]
async fn a_list_that_the_client_has_is_not_sent_again() {
    let lab = lab().await;
    let ask = |name, value: String| {
        let lab = &lab;
        async move { get_with(lab, FEEDS_HOST, "/ccbot", (name, &value)).await }
    };
    let first = read(&lab, "/ccbot").await;
    let etag = first.header("etag").unwrap().to_owned();
    let date = first.header("last-modified").unwrap().to_owned();
    assert!(etag.starts_with('"') && etag.ends_with('"') && etag.len() > 10, "{etag}");
    for (name, value) in [
        ("if-none-match", etag.clone()),
        ("if-none-match", format!("\"other\", {etag}")),
        ("if-none-match", "*".to_owned()),
        ("if-modified-since", date.clone()),
    ] {
        let again = ask(name, value.clone()).await;
        assert_eq!((again.status, again.body.len()), (304, 0), "{name}: {value}");
        assert_eq!(again.header("etag"), Some(etag.as_str()));
    }
    let other = ask("if-none-match", "\"other\"".to_owned()).await;
    assert_eq!((other.status, other.body), (200, first.body));

    assert!(lab.set_feed("ccbot", FeedBehaviour::Grown));
    let changed = ask("if-none-match", etag.clone()).await;
    assert_eq!(changed.status, 200);
    assert_ne!(changed.header("etag"), Some(etag.as_str()));
    assert_eq!(ask("if-modified-since", date).await.status, 200);
    let prefixes = prefixes_in(FeedFormat::PrefixJson, &changed.text());
    assert_eq!(prefixes.last().unwrap(), FeedBehaviour::ADDED_PREFIX);
    assert_eq!(prefixes.len(), feed_prefixes("ccbot").len() + 1);
}

#[tokio::test]
async fn a_test_can_change_a_feed_and_change_it_back() {
    let lab = lab().await;
    let count = async |path: &str| {
        prefixes_in(FeedFormat::PrefixJson, &read(&lab, path).await.text()).len()
    };
    assert_eq!(count("/openai-gptbot").await, 21);
    assert!(lab.set_feed("openai-gptbot", FeedBehaviour::Shrunken));
    assert_eq!(count("/openai-gptbot").await, 2);
    assert_eq!(count("/openai-searchbot").await, 35, "the other feeds stay");
    assert_eq!(count("/good/openai-gptbot").await, 21, "this path stays");
    assert!(lab.set_feed("openai-gptbot", FeedBehaviour::Good));
    assert_eq!(count("/openai-gptbot").await, 21);
    let body = "{\"prefixes\":[{\"ipv4Prefix\":\"44.1.0.0/24\"}]}";
    assert!(lab.set_feed("openai-gptbot", FeedBehaviour::Body(body.to_owned())));
    assert_eq!(read(&lab, "/openai-gptbot").await.text(), body);
    assert!(!lab.set_feed("no-such-feed", FeedBehaviour::Good));
}

/// `wayleave lab sites` lists sites to scan.
#[test]
fn the_host_of_the_feeds_is_not_a_site_of_the_catalogue() {
    assert!(lab::catalogue().iter().all(|site| site.name != FEEDS_HOST));
}
