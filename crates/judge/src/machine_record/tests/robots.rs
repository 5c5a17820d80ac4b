//! robots.txt is never looser than what the site declares.

use agents::Catalogue;
use contract::evidence::{ExchangeOutcome, HeaderLine, ReadTarget};
use contract::records::MachineRecordFormat;
use declared::fault::Weight;
use declared::robots::Robots;
use declared::robots_lint::find_faults;
use proptest::prelude::*;

use super::{build, file, shop, why_not};
use crate::scan::tests::EvidenceBuilder;

fn robots_of(site: &EvidenceBuilder) -> String {
    let (_, made) = build(site);
    let file = file(&made, MachineRecordFormat::RobotsTxt);
    let with_source: Vec<&str> = file.sources.iter().map(|source| source.at.as_str()).collect();
    for (number, line) in file.untrusted_text.lines().enumerate() {
        let at = format!("line {}", number + 1);
        assert_eq!(with_source.contains(&at.as_str()), !line.is_empty(), "{line}");
    }
    file.untrusted_text.clone()
}

/// Adds a header field to the home page.
fn with_header(mut site: EvidenceBuilder, name: &str, value: &str) -> EvidenceBuilder {
    for reading in &mut site.evidence.reads {
        if let (ReadTarget::Home, ExchangeOutcome::Response(response)) =
            (&reading.target, &mut reading.exchange.outcome)
        {
            response.headers.push(HeaderLine { name: name.into(), value: value.into() });
        }
    }
    site
}

#[test]
fn rules_stay_and_wishes_are_added() {
    let own = "# Ours\nUser-agent: GPTBot\nUser-agent: ClaudeBot\nDisallow: /\n\n\
        User-agent: *\nContent-Signal: search=yes, ai-train=yes\nDisallow: /basket\nCrawl-delay: 5\n\
        Host: ferry.lab\nSitemap: https://ferry.lab/sitemap.xml\n";
    let site = with_header(shop().robots(200, own), "tdm-reservation", "1");
    let text = robots_of(&site);
    assert_eq!(
        text,
        "User-agent: *\nContent-Signal: search=yes, ai-train=no\nCrawl-delay: 5\nDisallow: /basket\n\n\
         User-agent: GPTBot\nUser-agent: ClaudeBot\nContent-Signal: ai-train=no\nDisallow: /\n\n\
         Sitemap: https://ferry.lab/sitemap.xml\n"
    );
    assert_eq!(find_faults(&Robots::parse(text.as_bytes())), []);
    let (_, made) = build(&site);
    let file = file(&made, MachineRecordFormat::RobotsTxt);
    let signal: Vec<_> = file.sources.iter().filter(|source| source.at == "line 2").collect();
    let carriers: Vec<&str> = signal.iter().map(|source| source.carrier.as_str()).collect();
    assert_eq!(carriers, ["robots_txt", "header"]);
    assert_eq!(signal[0].pointer.as_deref(), Some("line 7"));
    let left: Vec<&str> = file.not_taken.iter().map(|left| left.what.as_str()).collect();
    assert_eq!(left, ["other lines", "ai-train"], "{:?}", file.not_taken);
}

#[test]
fn wishes_alone_make_a_file() {
    let site = with_header(shop().robots(404, ""), "x-robots-tag", "noai");
    let text = robots_of(&site);
    assert!(text.starts_with("User-agent: *\nContent-Signal: "), "{text}");
    assert!(text.contains("ai-train=no") && text.ends_with("Disallow:\n"), "{text}");
    let (_, made) = build(&shop().robots(404, ""));
    assert!(why_not(&made, MachineRecordFormat::RobotsTxt).contains("nothing to express"));
}

#[test]
fn conditions_are_neither_allowed_nor_forbidden() {
    // An excerpt of limited length is still a search result.
    let own = "User-agent: *\nContent-Signal: search=yes, ai-input=yes, use=immediate\nAllow: /\n";
    let site = with_header(shop().robots(200, own), "x-robots-tag", "max-snippet:160");
    assert_eq!(robots_of(&site), "User-agent: *\nContent-Signal: use=immediate\nAllow: /\n");
    let (_, made) = build(&site);
    let file = file(&made, MachineRecordFormat::RobotsTxt);
    let left = file.not_taken.iter().filter(|left| left.what == "search");
    assert_eq!(left.count(), 2, "{:?}", file.not_taken);
    // A price that one crawler is asked for does not allow anything, and forbids nothing to others.
    let site =
        shop().robots(200, "User-agent: *\nContent-Signal: search=yes, ai-train=yes\nAllow: /\n");
    let site = site.home("gptbot", 402, "");
    assert_eq!(robots_of(&site), "User-agent: *\nContent-Signal: search=yes\nAllow: /\n");
    // A reservation with a policy is a reservation.
    let site = with_header(shop().robots(404, ""), "tdm-reservation", "1");
    let site = with_header(site, "tdm-policy", "https://ferry.lab/policy.json");
    assert!(robots_of(&site).contains("ai-train=no"));
}

#[test]
fn a_group_that_says_nothing_about_a_use_gets_what_is_forbidden_to_everyone() {
    let own = "User-agent: *\nContent-Signal: ai-train=no, search=yes\nAllow: /\n\n\
        User-agent: GPTBot\nContent-Signal: ai-train=yes\nAllow: /\n\nUser-agent: ClaudeBot\nAllow: /\n";
    assert_eq!(
        robots_of(&shop().robots(200, own)),
        "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n\n\
         User-agent: GPTBot\nContent-Signal: ai-train=yes\nAllow: /\n\n\
         User-agent: ClaudeBot\nContent-Signal: ai-train=no\nAllow: /\n"
    );
}

/// A group of its own must not free an agent from the rules for everyone.
#[test]
fn an_agent_with_its_own_wish_keeps_the_rules_for_everyone() {
    let own = "User-agent: *\nDisallow: /basket\nLicense: https://ferry.lab/licence.xml\n";
    let site = with_header(shop().robots(200, own), "x-robots-tag", "GPTBot: noai");
    let text = robots_of(&site);
    let robots = Robots::parse(text.as_bytes());
    for agent in ["GPTBot", "OtherBot"] {
        assert!(!robots.access(agent, "/basket").allowed, "{text}");
        assert!(robots.access(agent, "/").allowed, "{text}");
    }
    assert_eq!(text.matches("License: ").count(), 2, "{text}");
    assert_eq!(text.matches("ai-train=no").count(), 1, "{text}");
}

#[test]
fn an_agent_with_conditions_is_not_allowed_what_everyone_is() {
    let own = "User-agent: *\nContent-Signal: search=yes\nAllow: /\n";
    let site = with_header(shop().robots(200, own), "x-robots-tag", "GPTBot: max-snippet:20");
    assert_eq!(
        robots_of(&site),
        "User-agent: *\nContent-Signal: search=yes\nAllow: /\n\nUser-agent: gptbot\nAllow: /\n"
    );
}

#[test]
fn unknown_rules_are_never_replaced() {
    for (status, body, words) in [(503, "", "could not read"), (403, "no", "refused")] {
        let (_, made) = build(&shop().robots(status, body));
        let why = why_not(&made, MachineRecordFormat::RobotsTxt);
        assert!(why.contains(words), "{status}: {why}");
    }
    // Some clients get another file.
    let other = "User-agent: *\nDisallow: /\n";
    let site = shop().robots(200, "User-agent: *\nAllow: /\n").add_response(
        ReadTarget::RobotsAs,
        "/robots.txt",
        "gptbot",
        200,
        other,
    );
    let (_, made) = build(&site);
    assert!(why_not(&made, MachineRecordFormat::RobotsTxt).contains("gptbot"));
    // The body is gone.
    let mut site = shop().robots(200, other);
    let record = site.build_record();
    site.bodies.clear();
    let made = super::build_from(&site, &record);
    assert!(why_not(&made, MachineRecordFormat::RobotsTxt).contains("no longer stored"));
}

fn robots_line() -> impl Strategy<Value = String> {
    let agent = prop::sample::select(vec![
        "*",
        "GPTBot",
        "gptbot",
        "ClaudeBot",
        "Ai2Bot",
        "Heron/1.0",
        "Heron",
        "Odd!Bot",
        "\u{e9}",
    ]);
    let path = prop::sample::select(vec![
        "",
        "/",
        "/a",
        "/a/b",
        "/a$",
        "/*",
        "*",
        "/caf\u{e9}",
        "a",
        "/a\u{1}",
        "/%41",
        "/index.html",
        "/a b",
    ]);
    let signal =
        prop::sample::select(vec!["ai-train=no", "search=yes, ai-train=yes", "ai-input=no"]);
    prop_oneof![
        3 => agent.prop_map(|agent| format!("User-agent: {agent}")),
        3 => path.clone().prop_map(|path| format!("Disallow: {path}")),
        3 => path.prop_map(|path| format!("Allow: {path}")),
        1 => signal.prop_map(|signal| format!("Content-Signal: {signal}")),
        1 => Just("Content-Usage: train-ai=n".to_owned()),
        1 => Just("Crawl-delay: 2.5".to_owned()),
        1 => Just(String::new()),
        1 => "[ -~]{0,20}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_decision_stays(lines in prop::collection::vec(robots_line(), 0..14)) {
        let own = lines.join("\n");
        let (record, made) = build(&shop().robots(200, &own));
        let found = made.files.iter().find(|file| file.format == MachineRecordFormat::RobotsTxt);
        let Some(file) = found else { return Ok(()) };
        let (before, after) =
            (Robots::parse(own.as_bytes()), Robots::parse(file.untrusted_text.as_bytes()));
        let catalogue = Catalogue::built_in().unwrap();
        let tokens = catalogue.ai_identities().filter_map(|identity| identity.robots_token.as_deref());
        for token in tokens.chain(["*", "Heron", "Odd", "Odd!Bot", "Ai2Bot", "Unnamed"]) {
            for path in ["/", "/a", "/a/b", "/ab", "/caf%C3%A9", "/A", "/%41", "/x/index.html", "/a%20b"] {
                let (was, is) = (before.access(token, path).allowed, after.access(token, path).allowed);
                prop_assert_eq!(was, is, "{} {}\n{}\n---\n{}", token, path, own, file.untrusted_text);
            }
            prop_assert_eq!(
                before.crawl_delay(token).map(|delay| delay.seconds),
                after.crawl_delay(token).map(|delay| delay.seconds)
            );
        }
        for rule in &record.policy.access {
            prop_assert_eq!(after.access(&rule.agent, "/").allowed, rule.allowed);
        }
        let errors: Vec<_> =
            find_faults(&after).into_iter().filter(|fault| fault.weight == Weight::Error).collect();
        prop_assert!(errors.is_empty(), "{:?}\n{}", errors, file.untrusted_text);
    }
}
