//! Checks the declarations of the sites with the parsers they are written for: a valid file must be
//! valid, and a faulty one must have its intended fault and no other.

use std::collections::BTreeMap;

use declared::{
    fault::{Fault, Weight},
    files::{
        FILE_LOCATIONS, FileKind, Inspection, ServedFile, check_markdown_negotiation, inspect,
    },
    link,
    page::Page,
    rights::{
        Carrier, ContentUse, Effect, ParsedStatements, ai_txt, aipref, content_signal, rsl, tdmrep,
        x_robots,
    },
    robots::Robots,
    robots_lint::find_faults,
};
use lab::{Lab, LabOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::client::{BROWSER, ClientResponse, get, parse, tls};

/// A date in November 2026, on which the files are not expired, or long expired.
const READ_AT_S: i64 = 1_794_700_000;

async fn lab() -> Lab {
    Lab::start(LabOptions::default()).await.unwrap()
}

fn served<'a>(url: &'a str, got: &'a ClientResponse) -> ServedFile<'a> {
    ServedFile {
        requested_url: url,
        final_url: url,
        redirects: 0,
        status: got.status,
        headers: &got.headers,
        body: &got.body,
        truncated: false,
        read_at_s: READ_AT_S,
    }
}

async fn inspected(lab: &Lab, host: &str, path: &str, kind: FileKind) -> Inspection {
    let got = get(lab, host, path, BROWSER).await;
    assert_eq!(got.status, 200, "{host}{path}");
    inspect(kind, &served(&format!("https://{host}{path}"), &got))
}

/// The faults, without mere notes.
fn wrong(faults: &[Fault]) -> Vec<&'static str> {
    faults.iter().filter(|f| f.weight != Weight::Note).map(|f| f.code).collect()
}

async fn robots(lab: &Lab, host: &str) -> Robots {
    Robots::parse(&get(lab, host, "/robots.txt", BROWSER).await.body)
}

/// Carriers and effects, in the order of the statements.
fn effects(parsed: &ParsedStatements) -> Vec<(Carrier, Vec<(ContentUse, Effect)>)> {
    parsed.statements.iter().map(|s| (s.carrier, s.uses.clone())).collect()
}

#[tokio::test]
async fn valid_offers_are_valid() {
    let lab = lab().await;
    let offers: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("commerce.lab", &["/.well-known/ucp", "/.well-known/acp.json", "/.well-known/x402"][..]),
        (
            "api.lab",
            &[
                "/openapi.json",
                "/.well-known/api-catalog",
                "/.well-known/oauth-protected-resource",
                "/.well-known/oauth-authorization-server",
            ],
        ),
        (
            "catalogues.lab",
            &[
                "/.well-known/ai-catalog.json",
                "/.well-known/ard.json",
                "/.well-known/http-message-signatures-directory",
                "/.well-known/mcp/server-card.json",
                "/.well-known/agent-card.json",
            ],
        ),
    ]);
    for (host, paths) in offers {
        for path in paths {
            let place = FILE_LOCATIONS.iter().find(|place| place.path == *path).unwrap();
            let found = inspected(&lab, host, path, place.kind).await;
            assert!(found.usable && wrong(&found.faults).is_empty(), "{host}: {found:#?}");
            // Notes about drafts and conventions are not faults; all other files have no remarks at
            // all.
            let remarks: Vec<&str> = found.faults.iter().map(|fault| fault.code).collect();
            let expected: &[&str] = match place.kind {
                FileKind::X402 => &["no_standard"],
                FileKind::McpServerCard => &["not_the_place_to_be_found"],
                _ => &[],
            };
            assert_eq!(remarks, expected, "{host}{path}");
            for address in &found.addresses {
                let own = address.strip_prefix("https://").and_then(|rest| rest.strip_prefix(host));
                assert!(own.is_some_and(|path| path.starts_with('/')), "{host}: {address}");
            }
        }
    }
}

#[tokio::test]
async fn the_targets_of_offers_exist() {
    let lab = lab().await;
    let home = get(&lab, "api.lab", "/", BROWSER).await;
    let links = link::parse(std::iter::once(home.header("link").unwrap()));
    let rels: Vec<&str> = links.iter().flat_map(|link| &link.rels).map(String::as_str).collect();
    assert_eq!(rels, ["service-desc", "service-doc", "api-catalog"]);
    for link in &links {
        assert_eq!(get(&lab, "api.lab", &link.target, BROWSER).await.status, 200);
    }
    let login = get(&lab, "api.lab", "/api/bookings", BROWSER).await;
    assert!(
        login.status == 401 && login.header("www-authenticate").unwrap().contains(".well-known")
    );
    let paid = get(&lab, "commerce.lab", "/api/fitting", BROWSER).await;
    assert!(paid.status == 402 && paid.header("payment-required").is_some());
    let policy = get(&lab, "tdm-reserved.lab", "/tdm-policy.json", BROWSER).await;
    assert!(serde_json::from_slice::<serde_json::Value>(&policy.body).is_ok());
}

#[tokio::test]
async fn faulty_offers_have_their_one_fault() {
    let lab = lab().await;
    let expired =
        inspected(&lab, "security-expired.lab", "/.well-known/security.txt", FileKind::SecurityTxt)
            .await;
    assert!(!expired.usable);
    assert_eq!(wrong(&expired.faults), ["expired"]);
    let sitemap = inspected(&lab, "sitemap-broken.lab", "/sitemap.xml", FileKind::Sitemap).await;
    assert!(sitemap.usable);
    assert_eq!(wrong(&sitemap.faults), ["bad_lastmod", "other_host"]);

    let mut stream = tls(&lab, "markdown-no-vary.lab", &["http/1.1"]).await.unwrap();
    let ask = "GET / HTTP/1.1\r\nhost: markdown-no-vary.lab\r\naccept: text/markdown\r\n\
               connection: close\r\n\r\n";
    stream.write_all(ask.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let got = parse(&bytes).unwrap();
    let markdown = check_markdown_negotiation(&served("https://markdown-no-vary.lab/", &got));
    assert!(markdown.offered && !markdown.vary_ok);
    assert_eq!(wrong(&markdown.faults), ["no_vary"]);
    let page = get(&lab, "markdown-no-vary.lab", "/", BROWSER).await;
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
}

#[tokio::test]
async fn named_sitemaps_are_an_index_and_what_it_lists() {
    let lab = lab().await;
    let host = "sitemap-index.lab";
    let robots = robots(&lab, host).await;
    assert_eq!(wrong(&find_faults(&robots)), [] as [&str; 0]);
    let mut found = Vec::new();
    for line in &robots.sitemaps {
        let path = line.value.strip_prefix("https://sitemap-index.lab").unwrap().to_owned();
        let sitemap = inspected(&lab, host, &path, FileKind::Sitemap).await;
        assert!(sitemap.usable && sitemap.faults.is_empty(), "{sitemap:#?}");
        found.push((sitemap.version.unwrap(), sitemap.counts["entries"], sitemap.addresses));
    }
    assert_eq!((found[0].0.as_str(), found[0].1), ("sitemapindex", 1));
    assert_eq!(found[0].2, [robots.sitemaps[1].value.clone()]);
    assert_eq!((found[1].0.as_str(), found[1].1), ("urlset", 2));
    let packed = get(&lab, host, "/pages.xml.gz", BROWSER).await;
    assert!(packed.body.starts_with(b"\x1f\x8b") && packed.header("content-encoding").is_none());
    assert_eq!(get(&lab, host, "/sitemap.xml", BROWSER).await.status, 404);
}

#[tokio::test]
async fn rights_are_declared_as_the_catalogue_says() {
    let lab = lab().await;
    let no_training = vec![(ContentUse::Train, Effect::Disallow)];

    let file = get(&lab, "tdm-reserved.lab", "/.well-known/tdmrep.json", BROWSER).await;
    let parsed = tdmrep::from_file(&file.body, "/");
    assert_eq!(effects(&parsed), [(Carrier::File, vec![(ContentUse::Train, Effect::Conditional)])]);
    assert!(parsed.faults.is_empty());

    let file = get(&lab, "tdm-header.lab", "/.well-known/tdmrep.json", BROWSER).await;
    let in_file = tdmrep::from_file(&file.body, "/");
    assert_eq!(effects(&in_file), [(Carrier::File, vec![(ContentUse::Train, Effect::Allow)])]);
    let home = get(&lab, "tdm-header.lab", "/", BROWSER).await;
    let parsed = tdmrep::from_headers(home.header("tdm-reservation"), home.header("tdm-policy"));
    assert_eq!(effects(&parsed), [(Carrier::Header, no_training.clone())]);

    let home = get(&lab, "content-usage.lab", "/", BROWSER).await;
    let parsed = aipref::from_headers(&[home.header("content-usage").unwrap()]);
    let with_search =
        vec![(ContentUse::Train, Effect::Disallow), (ContentUse::Cite, Effect::Allow)];
    assert_eq!(effects(&parsed), [(Carrier::Header, with_search)]);
    let parsed = aipref::from_robots(&robots(&lab, "content-usage.lab").await, "*", "/");
    assert_eq!(effects(&parsed), [(Carrier::RobotsTxt, no_training.clone())]);

    let licences = robots(&lab, "rsl.lab").await.licenses();
    assert_eq!(licences[0].value, "https://rsl.lab/license.xml");
    let licence = get(&lab, "rsl.lab", "/license.xml", BROWSER).await;
    assert_eq!(licence.header("content-type"), Some(rsl::MEDIA_TYPE));
    let parsed = rsl::parse(&licence.body, "/");
    assert!(parsed.faults.is_empty());
    let licensed = vec![
        (ContentUse::Train, Effect::Disallow),
        (ContentUse::Ground, Effect::Disallow),
        (ContentUse::Summarize, Effect::Disallow),
        (ContentUse::Cite, Effect::Allow),
    ];
    assert_eq!(effects(&parsed), [(Carrier::File, licensed)]);

    let file = get(&lab, "ai-txt.lab", "/ai.txt", BROWSER).await;
    assert_eq!(effects(&ai_txt::parse(&file.body)), [(Carrier::File, no_training.clone())]);

    let home = get(&lab, "noai.lab", "/", BROWSER).await;
    let page = Page::read(&home.body, home.header("content-type"));
    let metas: Vec<(&str, &str)> =
        page.meta_robots.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(effects(&x_robots::from_meta(&metas)), [(Carrier::Meta, no_training)]);
}

#[tokio::test]
async fn only_the_intended_signals_contradict_or_are_misspelt() {
    let lab = lab().await;
    let train = |effect| vec![(ContentUse::Train, effect)];
    let odds = robots(&lab, "signals-at-odds.lab").await;
    assert_eq!(wrong(&find_faults(&odds)), [] as [&str; 0]);
    let parsed = content_signal::from_robots(&odds);
    assert_eq!(effects(&parsed), [(Carrier::RobotsTxt, train(Effect::Disallow))]);
    let home = get(&lab, "signals-at-odds.lab", "/", BROWSER).await;
    let parsed =
        content_signal::parse_value(home.header("content-signal").unwrap(), Carrier::Header);
    assert_eq!(effects(&parsed), [(Carrier::Header, train(Effect::Allow))]);

    let misspelt = robots(&lab, "signals-misspelt.lab").await;
    assert_eq!(wrong(&find_faults(&misspelt)), ["content_signal_misspelt"]);
    assert!(content_signal::from_robots(&misspelt).statements.is_empty());
    let home = get(&lab, "signals-misspelt.lab", "/", BROWSER).await;
    let parsed =
        content_signal::parse_value(home.header("content-signal").unwrap(), Carrier::Header);
    assert!(parsed.statements.is_empty());
    assert_eq!(wrong(&parsed.faults), ["signal_separator", "signal_value", "signal_value"]);
}

#[tokio::test]
async fn managed_lines_are_marked_and_close_the_site_to_training_alone() {
    let lab = lab().await;
    let robots = robots(&lab, "managed-robots.lab").await;
    assert_eq!(wrong(&find_faults(&robots)), [] as [&str; 0]);
    let blocks = robots.managed_blocks();
    assert_eq!(blocks.len(), 1);
    assert!(blocks[0].closed && blocks[0].managed_by == "Quayside Edge");
    let catalogue = agents::Catalogue::built_in().unwrap();
    let mut kept_out = 0;
    for identity in catalogue.ai_identities() {
        let token = identity.robots_token.as_deref().unwrap();
        let access = robots.access(token, "/");
        assert_eq!(access.allowed, identity.role != agents::Role::Train, "{token}");
        if !access.allowed {
            kept_out += 1;
            assert!(blocks[0].contains_line(access.line.unwrap()), "{token}");
        }
    }
    assert!(kept_out >= 4, "{kept_out}");
    assert!(robots.access("*", "/").allowed);
}
