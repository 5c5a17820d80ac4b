//! Sweeps the catalogue: every site does what it promises, and nothing connects to the trap.

use std::{collections::HashSet, sync::Arc};

use contract::evidence::FailureKind;
use futures_util::{StreamExt, future::join_all, stream};
use lab::{Lab, LabOptions, LabSite, catalogue};

use crate::{
    client::{BROWSER, GPTBOT},
    reader::{Outcome, address, read},
};

const MACHINE_FILES: [&str; 8] = [
    "/robots.txt",
    "/sitemap.xml",
    "/llms.txt",
    "/agents.md",
    "/.well-known/agent-skills/index.json",
    "/.well-known/mcp/server-card.json",
    "/.well-known/api-catalog",
    "/.well-known/agent-card.json",
];

#[test]
fn names_and_words_are_unique_and_every_site_is_explained() {
    let sites = catalogue();
    assert!(sites.len() >= 40, "{}", sites.len());
    let names: HashSet<&str> = sites.iter().map(|site| site.name).collect();
    let words: HashSet<&str> = sites.iter().map(|site| site.behaviour).collect();
    assert_eq!((names.len(), words.len()), (sites.len(), sites.len()));
    for site in sites {
        let name = site.name;
        let label = name.strip_suffix(".lab").unwrap();
        assert!(label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
        let word = site.behaviour;
        assert!(word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'));
        for sentence in [site.does, site.says] {
            assert!(sentence.ends_with('.') && sentence.len() > 15, "{name}: {sentence}");
            assert!(!sentence.contains("  ") && !sentence.contains('\n'), "{name}: {sentence}");
        }
        if let Some(failure) = site.expect.failure {
            assert!(FailureKind::from_word(failure.kind).is_some(), "{name}: {}", failure.kind);
            assert!(!failure.reasons.is_empty(), "{name}");
        }
        assert!(site.expect.reachable || site.expect.failure.is_some(), "{name}");
        if let Some(wall) = site.expect.wall {
            let kinds =
                ["block", "challenge", "captcha", "rate_limit", "payment", "login", "legal"];
            assert!(kinds.contains(&wall), "{name}: {wall}");
            assert_eq!(site.expect.ai_refused, Some(true), "{name}");
        }
        assert!(site.expect.vendor.is_none() || site.expect.wall.is_some(), "{name}");
        check_promise_words(site);
        if let Some(robots) = site.expect.robots {
            let known = [
                "allows_all",
                "blocks_ai",
                "blocks_all",
                "blocks_some",
                "opts_us_out",
                "none",
                "refused",
                "error",
                "not_robots",
            ];
            assert!(known.contains(&robots), "{name}: {robots}");
        }
    }
}

/// Words that no record contains would be promises that nobody can keep.
fn check_promise_words(site: &LabSite) {
    let (name, expect) = (site.name, site.expect);
    let decisions = ["allow", "warn", "require_confirmation", "block", "unsupported"];
    assert!(expect.read.iter().chain(expect.cite).all(|word| decisions.contains(word)), "{name}");
    let grades = [expect.grade_at_most, expect.grade_at_least];
    assert!(grades.iter().flatten().all(|grade| ["A", "B", "C", "D", "F"].contains(grade)));
    let gates = [
        "login",
        "region",
        "age",
        "consent",
        "parked",
        "maintenance",
        "placeholder",
        "empty",
        "challenge",
        "block",
        "none",
    ];
    assert!(expect.gate.is_none_or(|gate| gates.contains(&gate)), "{name}");
    assert!(expect.variation.is_none_or(|word| word == "varies"), "{name}");
    assert!(expect.files.iter().all(|(path, _)| path.starts_with('/')), "{name}");
    let states = ["absent", "ok", "faulty"];
    assert!(expect.files.iter().all(|(_, state)| states.contains(state)), "{name}");
    assert!(!expect.finding.iter().any(|id| expect.no_finding.contains(id)), "{name}");
}

/// An identity that the lab does not know would get every page.
#[test]
fn the_lab_knows_every_ai_identity_of_a_scan() {
    for identity in agents::Catalogue::built_in().unwrap().ai_identities() {
        let user_agent = identity.user_agent.to_ascii_lowercase();
        let known = lab::AI_TOKENS.iter().any(|t| user_agent.contains(&t.to_ascii_lowercase()));
        assert!(known, "{}", identity.user_agent);
    }
}

#[test]
fn the_catalogue_can_be_printed_as_json() {
    let json = serde_json::to_value(catalogue()).unwrap();
    let first = json[0].as_object().unwrap();
    let keys: Vec<&str> = first.keys().map(String::as_str).collect();
    assert_eq!(keys, ["behaviour", "does", "expect", "name", "says"]);
    assert_eq!(first["name"], "open.lab");
    assert_eq!(first["expect"]["machine_files_present"], 8);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_site_does_what_it_promises() {
    let lab = Arc::new(Lab::start(LabOptions::default()).await.unwrap());
    let wrong: Vec<String> = stream::iter(catalogue())
        .map(|site| {
            let lab = Arc::clone(&lab);
            tokio::spawn(async move { check(&lab, site).await })
        })
        .buffer_unordered(24)
        .map(Result::unwrap)
        .concat()
        .await;
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(lab.trap().connections(), 0, "the trap was dialled");
    Arc::into_inner(lab).unwrap().stop().await;
}

async fn check(lab: &Lab, site: &'static LabSite) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut differs = |what: &str, expected: String, found: String| {
        if expected != found {
            wrong.push(format!("{}: {what} should be {expected}, is {found}", site.name));
        }
    };
    let expect = site.expect;
    let host = host(lab, site).await;
    let home = match read(lab, &format!("https://{host}/"), BROWSER).await {
        closed if closed.failure == Some("connect") => {
            read(lab, &format!("http://{host}/"), BROWSER).await
        }
        home => home,
    };
    differs("reachable", expect.reachable.to_string(), home.status.is_some().to_string());
    if let Some(status) = expect.home_status_browser {
        differs("status", format!("{status}"), format!("{}", home.status.unwrap_or_default()));
    }
    let failure = expect.failure.map(|failure| failure.kind);
    differs("failure", format!("{failure:?}"), format!("{:?}", home.failure));
    if let Some(word) = expect.tls_error {
        let part = match word {
            "expired" => "expired",
            "not_yet_valid" => "not valid yet",
            "wrong_name" => "not valid for",
            "self_signed" | "unknown_issuer" => "UnknownIssuer",
            other => panic!("{other}"),
        };
        let error = home.tls_error.clone().unwrap_or_default();
        differs(&format!("certificate ({error})"), "true".into(), error.contains(part).to_string());
    } else {
        differs("certificate", "None".into(), format!("{:?}", home.tls_error));
    }
    // The name was looked up once. A site without an address or home page is fully checked here.
    if site.behaviour == "rebinds"
        || site.behaviour == "alternates"
        || address(lab, &host).await.is_err()
    {
        return wrong;
    }
    let scheme = if home.url.starts_with("http://") { "http" } else { "https" };
    let base = format!("{scheme}://{host}");
    if let Some(refused) = expect.ai_refused {
        let ai = read(lab, &home.url, GPTBOT).await;
        differs("AI refused", refused.to_string(), is_refusal(&ai).to_string());
    }
    let control = read(lab, &format!("{base}/no-such-path-4fd1.json"), BROWSER).await;
    if let Some(count) = expect.machine_files_present {
        let files = join_all(MACHINE_FILES.map(|path| {
            let url = format!("{base}{path}");
            async move { read(lab, &url, BROWSER).await }
        }))
        .await;
        let present = files
            .iter()
            .filter(|file| file.status.is_some_and(|status| (200..300).contains(&status)))
            .filter(|file| control.status != Some(200) || !alike(&file.body, &control.body))
            .count();
        differs("machine files", count.to_string(), present.to_string());
    }
    if let Some(robots) = expect.robots {
        let file = read(lab, &format!("{base}/robots.txt"), BROWSER).await;
        differs("robots", robots.to_owned(), robots_word(&file, robots).to_owned());
    }
    wrong
}

/// The name that has an address: the bare one, or the www name.
async fn host(lab: &Lab, site: &LabSite) -> String {
    let www = format!("www.{}", site.name);
    let counted = ["rebinds", "alternates"].contains(&site.behaviour);
    if !counted && address(lab, site.name).await == Err("dns") && address(lab, &www).await.is_ok() {
        return www;
    }
    site.name.to_owned()
}

/// No page: an error status, no answer, or a challenge.
fn is_refusal(outcome: &Outcome) -> bool {
    let text = String::from_utf8_lossy(&outcome.body).into_owned();
    let marks = [
        "challenge-platform",
        "_Incapsula_Resource",
        "anubis_challenge",
        "_fs-ch-",
        "The requested URL was rejected",
    ];
    outcome.status != Some(200) || marks.iter().any(|mark| text.contains(mark))
}

/// The same answer, apart from the requested path in it.
fn alike(one: &[u8], other: &[u8]) -> bool {
    let shape = |body: &[u8]| {
        let text = String::from_utf8_lossy(body).into_owned();
        text.split(' ').filter(|word| !word.contains('/')).map(str::to_owned).collect::<Vec<_>>()
    };
    shape(one) == shape(other)
}

fn robots_word(file: &Outcome, expected: &'static str) -> &'static str {
    let text = String::from_utf8_lossy(&file.body).to_lowercase();
    let lines: Vec<&str> =
        text.split(['\r', '\n']).map(|line| line.trim_start_matches('\u{feff}').trim()).collect();
    match file.status {
        Some(404 | 410) => "none",
        Some(401 | 403) => "refused",
        None | Some(429 | 500..) => "error",
        _ if text.contains("<html") => "not_robots",
        _ if text.contains("user-agent: wayleave\ndisallow: /\n") => "opts_us_out",
        _ if lines.starts_with(&["user-agent: *", "disallow: /"]) => "blocks_all",
        _ if lib_tokens().all(|token| text.contains(&token)) && text.contains("disallow: /\n") => {
            "blocks_ai"
        }
        _ if text.contains("disallow: /") => "blocks_some",
        _ if expected == "allows_all" => "allows_all",
        _ => "something else",
    }
}

fn lib_tokens() -> impl Iterator<Item = String> {
    lab::AI_TOKENS.iter().map(|token| format!("user-agent: {}\n", token.to_lowercase()))
}
