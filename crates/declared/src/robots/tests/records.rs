use super::super::{ManagedBlock, RecordAudience, Robots};

fn agents(names: &[&str]) -> RecordAudience {
    RecordAudience::Agents(names.iter().map(|name| (*name).to_owned()).collect())
}

#[test]
fn signals_belong_to_their_group_or_to_the_site() {
    let robots = Robots::parse(
        b"Content-Signal: search=yes\nUser-agent: GPTBot\nContent-Signal: ai-train=no\nUser-agent: CCBot\nDisallow: /a\nContent-Signal: ai-input=no\n\nContent-Signal: use=full\nUser-agent: *\n\nContent-signal: ai-train=yes\nAllow: /\n",
    );
    let found: Vec<(u32, String, RecordAudience)> =
        robots.content_signals().into_iter().map(|r| (r.line, r.value, r.audience)).collect();
    assert_eq!(
        found,
        [
            (1, "search=yes".into(), RecordAudience::Site),
            (3, "ai-train=no".into(), agents(&["GPTBot", "CCBot"])),
            (6, "ai-input=no".into(), agents(&["GPTBot", "CCBot"])),
            (8, "use=full".into(), RecordAudience::Site),
            (11, "ai-train=yes".into(), agents(&["*"])),
        ]
    );
    // A signal ends no list of names: both are kept out of /a.
    for agent in ["GPTBot", "CCBot"] {
        assert!(!robots.access(agent, "/a").allowed, "{agent}");
    }
}

#[test]
fn a_preference_between_names_is_for_those_before_it() {
    let robots = Robots::parse(
        b"User-agent: A\nContent-Usage: train-ai=n\nUser-agent: B\nDisallow: /\n\nContent-Usage: /x search=y\n",
    );
    let found: Vec<(u32, RecordAudience)> =
        robots.content_usage().into_iter().map(|r| (r.line, r.audience)).collect();
    assert_eq!(found, [(2, agents(&["A"])), (6, agents(&["A", "B"]))]);
    let lines = |token| {
        robots.content_usage_for(token).into_iter().map(|(line, ..)| line).collect::<Vec<_>>()
    };
    assert_eq!((lines("a"), lines("b"), lines("c")), (vec![2, 6], vec![6], vec![]));
}

#[test]
fn delays_of_groups() {
    let robots = Robots::parse(
        b"crawl-delay: 99\nuser-agent: a\ncrawl-delay: 2.5\nuser-agent: *\ndisallow: /x\ncrawl-delay: 4\nuser-agent: b\ncrawl-delay: soon\ncrawl-delay: -1\ncrawl-delay: inf\nallow: /\nuser-agent: b\ncrawl-delay: 1\ncrawl-delay: 0",
    );
    let delay = |token| robots.crawl_delay(token).map(|delay| (delay.seconds, delay.line));
    assert_eq!(delay("a"), Some((4.0, 6)), "a shares the list with everyone");
    assert_eq!(delay("c"), Some((4.0, 6)));
    assert_eq!(delay("B"), Some((1.0, 13)));
    assert_eq!(Robots::parse(b"crawl-delay: 5").crawl_delay("a"), None);
}

#[test]
fn licences_and_unknown_records() {
    let robots = Robots::parse(
        b"License: https://s.example/all.xml\nUser-agent: A\nLicense: https://s.example/a.xml # theirs\nDisallow: /p\n\nLicense: https://s.example/late.xml\nAgentmap: https://s.example/agents.json\nHost: s.example\n",
    );
    let reach: Vec<(String, RecordAudience)> =
        robots.licenses().into_iter().map(|r| (r.value, r.audience)).collect();
    assert_eq!(
        reach,
        [
            ("https://s.example/all.xml".into(), RecordAudience::Site),
            ("https://s.example/a.xml".into(), agents(&["A"])),
            ("https://s.example/late.xml".into(), RecordAudience::Site),
        ]
    );
    let others: Vec<(u32, String)> =
        robots.unknown_records().into_iter().map(|r| (r.line, r.name)).collect();
    assert_eq!(others, [(7, "Agentmap".into()), (8, "Host".into())]);
    assert_eq!(crate::robots_lint::find_faults(&robots), []);
}

#[test]
fn managed_blocks_are_found() {
    let file = "# hello\n# BEGIN Cloudflare Managed content\nUser-agent: GPTBot\nDisallow: /\n# END Cloudflare Managed Content\n\nUser-agent: *\nAllow: /\n#begin adm.tools managed content\nUser-agent: X\n";
    let robots = Robots::parse(file.as_bytes());
    let blocks = robots.managed_blocks();
    assert_eq!(
        blocks,
        [
            ManagedBlock {
                managed_by: "Cloudflare".into(),
                first_line: 2,
                last_line: 5,
                closed: true
            },
            ManagedBlock {
                managed_by: "adm.tools".into(),
                first_line: 9,
                last_line: 11,
                closed: false
            },
        ]
    );
    let line = robots.access("GPTBot", "/").line.unwrap();
    assert!(blocks[0].contains_line(line) && !blocks[1].contains_line(line));
    assert_eq!(robots.rule_text(line).as_deref(), Some("Disallow: /"));
    assert!(
        Robots::parse(b"# This is managed content\n# END x managed content")
            .managed_blocks()
            .is_empty()
    );
}

#[test]
fn rule_text_is_safe_to_display() {
    let robots =
        Robots::parse("user-agent: a\ndisallow: /\u{1b}[31m\u{202e}x # why\n#c\n".as_bytes());
    assert_eq!(robots.rule_text(2).as_deref(), Some("disallow: /\u{fffd}[31m\u{fffd}x"));
    assert_eq!(
        (robots.rule_text(3), robots.rule_text(0), robots.rule_text(99)),
        (None, None, None)
    );
    let long = format!("disallow: /{}", "ö".repeat(900));
    assert_eq!(Robots::parse(long.as_bytes()).rule_text(1).unwrap().chars().count(), 300);
}

#[test]
fn names_and_records_do_not_multiply() {
    let names: String = (0..15_000).map(|n| format!("user-agent: n{n}\n")).collect();
    let records = "content-usage: train-ai=n\ncontent-signal: ai-train=no\n".repeat(4_000);
    let robots = Robots::parse(format!("{names}{records}").as_bytes());
    assert_eq!(robots.content_signals().len(), 256);
    assert!(
        robots
            .content_signals()
            .iter()
            .all(|r| matches!(&r.audience, RecordAudience::Agents(a) if a.len() == 64))
    );
    assert_eq!(robots.content_usage_for("n7").len(), 256);
}
