//! What a scan reads, under which identity and over which connection.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use contract::evidence::ReadTarget;
use declared::files::FILE_LOCATIONS;
use observe::ScanProgress;

use crate::setup::{
    TOKEN, all_reads, answer, catalogue, door, first_reads, lab, live, of, scan, scan_with,
};

const TIME: Duration = Duration::from_secs(10);

#[tokio::test]
async fn everything_planned_is_read_or_accounted_for() {
    let lab = lab().await;
    let read = scan(&door(&lab), "open.lab", TIME).await;
    let evidence = &read.evidence;
    assert_eq!((first_reads(&read).len(), evidence.not_read.len()), (all_reads(), 0));
    for path in FILE_LOCATIONS.iter().map(|place| place.path) {
        let files = evidence.reads.iter().filter(|reading| {
            matches!(reading.target, ReadTarget::MachineFile | ReadTarget::Robots)
                && reading.path == path
        });
        assert_eq!(files.count(), 1, "{path}");
    }
    let compared: Vec<String> = catalogue().compared_identities().map(|i| i.id.clone()).collect();
    let home = of(&read, ReadTarget::Home);
    for identity in &compared {
        let times = home.iter().filter(|reading| reading.identity == *identity).count();
        assert_eq!(times, if identity == "browser" { 2 } else { 1 }, "{identity}");
    }
    assert!(home.iter().all(|reading| !reading.exchange.hops[0].reused_connection));
    let robots: Vec<&str> = of(&read, ReadTarget::RobotsAs).iter().map(|r| &*r.identity).collect();
    assert_eq!(robots, compared);
    let controls: Vec<&str> =
        of(&read, ReadTarget::ControlPath).iter().map(|reading| &*reading.path).collect();
    let expected = [
        format!("/{TOKEN}.html"),
        format!("/.well-known/{TOKEN}.json"),
        format!("/{TOKEN}.txt"),
        format!("/.well-known/{TOKEN}"),
    ];
    assert_eq!(controls, expected);
    let ids: BTreeSet<&str> = evidence.reads.iter().map(|reading| &*reading.id).collect();
    assert_eq!(ids.len(), evidence.reads.len());
    // Every body that the evidence names exists, and its length matches.
    for reading in &evidence.reads {
        let body = &answer(reading).body;
        assert_eq!(read.bodies[&body.sha256].len() as u64, body.bytes, "{}", reading.id);
    }
    // Only the headers of the identity were sent, and no cookies.
    for hit in lab.hits("open.lab") {
        assert!(!hit.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("cookie")));
    }
    // One for our own reader, one for each home page, one without TLS, and one for each of the three
    // AI identities that read a further page.
    assert_eq!(lab.connections("open.lab"), 1 + home.len() as u64 + 1 + 3);
}

#[tokio::test]
async fn robots_txt_is_read_first_and_the_order_of_the_others_depends_on_the_token() {
    let lab = lab().await;
    let door = door(&lab);
    let mut orders = Vec::new();
    for token in ["k7q2m9", "x1c8v3"] {
        let seen = lab.hits("open.lab").len();
        scan_with(&door, "open.lab", TIME, token, &|_| {}).await;
        let hits = lab.hits("open.lab").split_off(seen);
        assert_eq!((hits[0].path.as_str(), hits[0].query.as_deref()), ("/robots.txt", None));
        assert!(hits[0].user_agent.contains("Wayleave"));
        let homes = hits
            .iter()
            .filter(|hit| hit.scheme == "https" && hit.path == "/" && hit.query.is_none());
        orders.push(homes.map(|hit| hit.user_agent.clone()).collect::<Vec<_>>());
    }
    assert_ne!(orders[0], orders[1]);
}

#[tokio::test]
async fn a_cache_bypassing_read_may_return_something_else() {
    let lab = lab().await;
    let read = scan(&door(&lab), "cache-split.lab", TIME).await;
    let fresh = of(&read, ReadTarget::Fresh);
    let requests: Vec<(&str, &str)> = fresh.iter().map(|r| (&*r.path, &*r.identity)).collect();
    let expected = [
        ("/", "browser"),
        ("/robots.txt", "wayleave"),
        ("/llms.txt", "wayleave"),
        ("/sitemap.xml", "wayleave"),
    ];
    // The page past the cache differs, so it is read more often after these.
    assert_eq!(requests[..4], expected);
    let fresh = &fresh[..4];
    assert!(fresh.iter().all(|reading| reading.exchange.url.ends_with(&format!("?{TOKEN}"))));
    let bare = of(&read, ReadTarget::Home).into_iter().find(|r| r.identity == "browser").unwrap();
    assert_eq!(answer(bare).header("cf-cache-status"), Some("HIT"));
    assert_eq!(answer(fresh[0]).header("cf-cache-status"), Some("MISS"));
    assert_ne!(answer(bare).body.sha256, answer(fresh[0]).body.sha256);
    assert_eq!(bare.exchange.request_headers, fresh[0].exchange.request_headers);
}

#[tokio::test]
async fn markdown_is_requested_once() {
    let lab = lab().await;
    let read = scan(&door(&lab), "markdown.lab", TIME).await;
    let [markdown] = of(&read, ReadTarget::Markdown)[..] else { panic!("one reading") };
    assert_eq!((&*markdown.path, &*markdown.identity), ("/", "wayleave"));
    assert_eq!(answer(markdown).header("content-type"), Some("text/markdown; charset=utf-8"));
    assert!(read.bodies[&answer(markdown).body.sha256].starts_with(b"# "));
    assert!(markdown.exchange.hops[0].reused_connection);
    for home in of(&read, ReadTarget::Home) {
        assert_eq!(answer(home).header("content-type"), Some("text/html; charset=utf-8"));
    }
}

#[tokio::test]
async fn robots_txt_is_recorded_as_each_identity_gets_it() {
    let lab = lab().await;
    let read = scan(&door(&lab), "robots-by-reader.lab", TIME).await;
    let robots_body = |identity: &str| {
        let readings = of(&read, ReadTarget::RobotsAs);
        let reading = readings.iter().find(|reading| reading.identity == identity).unwrap();
        read.bodies[&answer(reading).body.sha256].clone()
    };
    assert_eq!(robots_body("gptbot"), "User-agent: *\nDisallow: /\n");
    assert_eq!(robots_body("browser"), "");
    assert_eq!(robots_body("control"), "");
}

#[tokio::test]
async fn a_plain_http_redirect_is_recorded_and_not_followed() {
    let lab = lab().await;
    let door = door(&lab);
    for (name, location) in
        [("open.lab", "https://open.lab/"), ("http-to-trap.lab", "http://127.88.0.1/")]
    {
        let read = scan(&door, name, TIME).await;
        let [plain] = of(&read, ReadTarget::PlainHome)[..] else { panic!("one reading") };
        assert_eq!((&*plain.path, &*plain.identity), ("/", "browser"));
        assert_eq!(plain.exchange.url, format!("http://{name}/"));
        assert_eq!((answer(plain).status, plain.exchange.hops.len()), (301, 1));
        assert_eq!(answer(plain).header("location"), Some(location));
    }
    // A closed http port is recorded too.
    let read = scan(&door, "https-only.lab", TIME).await;
    let [plain] = of(&read, ReadTarget::PlainHome)[..] else { panic!("one reading") };
    assert!(plain.exchange.response().is_none());
    assert_eq!(lab.trap().connections(), 0);
}

#[tokio::test]
async fn redirects_of_machine_files_are_followed_and_recorded() {
    let lab = lab().await;
    let read = scan(&door(&lab), "moved-files.lab", TIME).await;
    for (path, moved, last) in [
        ("/.well-known/ucp", 301, (200, "https://moved-files.lab/ucp.json")),
        (
            "/.well-known/http-message-signatures-directory",
            302,
            (404, "https://open.lab/keys.json"),
        ),
    ] {
        let files = of(&read, ReadTarget::MachineFile);
        let file = files.iter().find(|reading| reading.path == path).unwrap();
        assert_eq!((answer(file).status, answer(file).url.as_str()), last, "{path}");
        let hops: Vec<Option<u16>> = file.exchange.hops.iter().map(|hop| hop.status).collect();
        assert_eq!(hops, [Some(moved), Some(last.0)], "{path}");
        assert!(file.exchange.hops[0].location.is_some(), "{path}");
    }
    // Another host's robots.txt is read before its file.
    let asked: Vec<String> = lab.hits("open.lab").into_iter().map(|hit| hit.path).collect();
    assert_eq!(asked, ["/robots.txt", "/keys.json"]);
}

#[tokio::test]
async fn what_the_first_documents_name_is_read_once_more_on_the_same_site() {
    let lab = lab().await;
    let read = scan(&door(&lab), "open.lab", TIME).await;
    let pages = of(&read, ReadTarget::Page);
    let asked: Vec<(&str, &str)> = pages.iter().map(|r| (&*r.path, &*r.identity)).collect();
    let expected = [
        ("/visit", "browser"),
        ("/visit", "gptbot"),
        ("/visit", "oai-searchbot"),
        ("/visit", "chatgpt-user"),
    ];
    assert_eq!(asked, expected);
    assert_eq!(read.evidence.reads.len(), all_reads() + 4 + 2);
    assert!(pages.iter().all(|page| answer(page).status == 200 && page.chosen_from.is_some()));
    // The MCP server that the card names has a path, which is inserted in the well-known one.
    let files = of(&read, ReadTarget::MachineFile);
    let oauth = files.iter().filter(|file| file.path.starts_with("/.well-known/oauth-"));
    let oauth: Vec<&str> = oauth.map(|file| &*file.path).collect();
    let expected = [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-protected-resource/mcp",
    ];
    assert_eq!(oauth, expected);
    // Nobody else is read further.
    let live = live(&door(&lab), "open.lab", Duration::from_secs(5)).await;
    assert_eq!(of(&live, ReadTarget::Page).len(), 0);
}

#[tokio::test]
async fn up_to_four_further_pages_are_read_by_four_identities() {
    let lab = lab().await;
    let read = scan(&door(&lab), "pages-fine.lab", TIME).await;
    let pages = of(&read, ReadTarget::Page);
    let paths: BTreeSet<&str> = pages.iter().map(|page| &*page.path).collect();
    assert_eq!((pages.len(), paths.len()), (16, 4), "{paths:?}");
    assert!(pages.iter().all(|page| answer(page).status == 200));
    let sources: BTreeSet<&str> =
        pages.iter().filter_map(|page| Some(page.chosen_from.as_ref()?.as_str())).collect();
    assert_eq!(sources, BTreeSet::from(["linked", "llms_txt", "sitemap"]));
    assert_eq!(read.evidence.reads.len(), all_reads() + 16);
}

#[tokio::test]
async fn further_pages_are_read_only_where_robots_txt_allows() {
    let lab = lab().await;
    let door = door(&lab);
    let readers = async |name| {
        let read = scan(&door, name, TIME).await;
        let pages = of(&read, ReadTarget::Page);
        pages.iter().map(|page| page.identity.clone()).collect::<Vec<_>>()
    };
    // Disallowed for everybody, for AI crawlers, and for AI crawlers in the file that they get.
    assert_eq!(readers("robots-closed.lab").await, [""; 0]);
    assert_eq!(readers("robots-no-ai.lab").await, ["browser"]);
    assert_eq!(readers("robots-by-reader.lab").await, ["browser"]);
    // A file that cannot be read disallows everything.
    assert_eq!(readers("robots-500.lab").await, [""; 0]);
    assert_eq!(readers("robots-429.lab").await, [""; 0]);
    // Where nobody gets the home page, no other page is requested.
    assert_eq!(readers("blocks-all.lab").await, [""; 0]);
}

#[tokio::test]
async fn the_www_name_is_read_if_only_that_has_addresses() {
    let lab = lab().await;
    let read = scan(&door(&lab), "www-only.lab", TIME).await;
    assert_eq!(read.evidence.host, "www.www-only.lab");
    assert!(read.evidence.reads.iter().all(|reading| reading.exchange.response().is_some()));
}

#[tokio::test]
async fn http_is_tried_if_https_fails() {
    let lab = lab().await;
    let read = scan(&door(&lab), "http-only.lab", TIME).await;
    let [first, second, ..] = read.evidence.reads.as_slice() else { panic!("two robots reads") };
    assert!(first.exchange.url.starts_with("https://") && first.exchange.response().is_none());
    assert!(second.exchange.url.starts_with("http://") && second.exchange.response().is_some());
    // One more robots.txt read, and no separate plain http read.
    assert_eq!(first_reads(&read).len(), all_reads());
    assert_eq!(of(&read, ReadTarget::PlainHome).len(), 0);
}

#[tokio::test]
async fn a_site_that_redirects_to_its_www_name_is_read_there() {
    let lab = lab().await;
    let read = scan(&door(&lab), "to-www.lab", TIME).await;
    assert_eq!(of(&read, ReadTarget::Robots).len(), 1, "what was read is that host's own file");
    assert_eq!(of(&read, ReadTarget::RobotsElsewhere).len(), 0);
    for reading in of(&read, ReadTarget::Home) {
        assert_eq!(answer(reading).url, "https://www.to-www.lab/");
    }
}

#[tokio::test]
async fn a_short_overload_is_not_a_refusal() {
    let lab = lab().await;
    let door = door(&lab);
    let read = scan(&door, "busy-moment.lab", TIME).await;
    for home in of(&read, ReadTarget::Home) {
        assert_eq!(answer(home).status, 200, "{}", home.identity);
    }
    // A host that asks for two minutes is not asked again.
    let read = scan(&door, "rate-limits.lab", TIME).await;
    let refused = of(&read, ReadTarget::Home).into_iter().find(|r| r.identity == "gptbot").unwrap();
    assert_eq!(answer(refused).status, 429);
    let hits = lab.hits("rate-limits.lab");
    let requests = hits.iter().filter(|hit| hit.path == "/" && hit.user_agent.contains("GPTBot"));
    assert_eq!(requests.count(), 1);
    // There is also no second try without enough time. A busy machine may not get to the first one.
    scan(&door, "challenge-503.lab", Duration::from_millis(700)).await;
    let hits = lab.hits("challenge-503.lab");
    let requests = hits.iter().filter(|hit| hit.path == "/" && hit.user_agent.contains("GPTBot"));
    assert!(requests.count() <= 1);
}

#[tokio::test]
async fn progress_is_reported_for_every_read() {
    let lab = lab().await;
    let door = door(&lab);
    let steps: Mutex<Vec<ScanProgress>> = Mutex::default();
    let tell = |step: ScanProgress| steps.lock().unwrap().push(step);
    let read = scan_with(&door, "blocks-ai.lab", TIME, TOKEN, &tell).await;
    let steps = steps.into_inner().unwrap();
    let all = read.evidence.reads.len();
    assert_eq!(
        steps.iter().map(|step| step.done).collect::<Vec<_>>(),
        (1..=all).collect::<Vec<_>>()
    );
    assert!(steps.iter().all(|step| (step.done..=all).contains(&step.total)));
    assert_eq!(steps.last().map(|step| step.total), Some(all));
    let home_read = |identity: &str| {
        let reads = steps.iter().filter_map(|step| step.read.as_ref());
        let mut homes = reads.filter(|read| read.target == ReadTarget::Home);
        homes.find(|read| read.identity == identity).unwrap().clone()
    };
    assert_eq!((home_read("gptbot").status, home_read("gptbot").failure), (Some(403), None));
    assert_eq!((home_read("browser").status, home_read("browser").path.as_str()), (Some(200), "/"));

    let steps: Mutex<Vec<ScanProgress>> = Mutex::default();
    let tell = |step: ScanProgress| steps.lock().unwrap().push(step);
    scan_with(&door, "nowhere.lab", TIME, TOKEN, &tell).await;
    let steps = steps.into_inner().unwrap();
    let [step] = steps.as_slice() else { panic!("{steps:?}") };
    let read = step.read.as_ref().unwrap();
    assert_eq!((read.status, read.failure.as_deref()), (None, Some("nxdomain")));
}

#[tokio::test]
async fn a_live_reading_reads_what_an_answer_holds_and_no_more() {
    let lab = lab().await;
    let read = live(&door(&lab), "open.lab", Duration::from_secs(5)).await;
    assert_eq!(read.evidence.not_read, []);
    let count = |target: ReadTarget| of(&read, target).len();
    assert_eq!(count(ReadTarget::Robots), 1);
    assert_eq!(count(ReadTarget::Home), 6);
    assert_eq!(count(ReadTarget::MachineFile), 7);
    assert_eq!(count(ReadTarget::ControlPath), 3);
    assert_eq!(read.evidence.reads.len(), 17);
    // With an opt-out only robots.txt is read, also in a live reading.
    let away = live(&door(&lab), "robots-opt-out.lab", Duration::from_secs(5)).await;
    assert!(away.evidence.reads.iter().all(|reading| reading.target == ReadTarget::Robots));
}

#[tokio::test]
async fn files_that_documents_name_are_read_for_verification() {
    let lab = lab().await;
    let door = door(&lab);
    let signed = scan(&door, "signed-card.lab", TIME).await;
    let files: Vec<&str> =
        of(&signed, ReadTarget::MachineFile).iter().map(|reading| &*reading.path).collect();
    for path in ["/.well-known/agent-skills/opening-times/SKILL.md", "/keys.json"] {
        assert!(files.contains(&path), "{path} in {files:?}");
    }
    let rights = scan(&door, "rsl-feed.lab", TIME).await;
    let urls = |target: ReadTarget| -> Vec<String> {
        of(&rights, target).iter().map(|reading| reading.exchange.url.clone()).collect()
    };
    assert_eq!(urls(ReadTarget::Feed), ["https://rsl-feed.lab/feed.xml"]);
    assert_eq!(
        urls(ReadTarget::Licence),
        ["https://rsl-feed.lab/licence.xml", "https://rsl-feed.lab/feed-licence.xml"]
    );
}
