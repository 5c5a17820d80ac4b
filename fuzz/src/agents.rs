//! Catalogues of known agents, user agents, and lists of addresses: `agents`.

use std::sync::LazyLock;

use ::agents::feeds::parse_feed;
use ::agents::ranges::PrefixSet;
use ::agents::{FeedFormat, KnownAgents, UserAgentMatcher};

use crate::text;

pub(super) const KNOWN_AGENTS_SEEDS: &[&[u8]] = &[
    br#"{"v":1,"as_of":"2026-11-15","agents":[{"id":"a","name":"A","operator":"O","purpose":"search","robots_tokens":["ABot"],"user_agent_tokens":["ABot","a-bot/"],"feeds":["f"],"reverse_dns_suffixes":["crawl.a.example"],"key_directories":["https://a.example"],"networks":["AS1"],"docs":"https://a.example/bot","evidence":"operator_page","checked_on":"2026-11-15","user_agents":["ABot/1.0"]}],"feeds":[{"id":"f","operator":"O","url":"https://a.example/ips.json","format":"prefix_json","proves":"agent","max_age_hours":24}]}"#,
    br#"{"v":1,"as_of":"2026-11-15","agents":[{"id":"gptbot","name":"GPTBot","operator":"O","purpose":"training_control","user_agent_tokens":["GPTBot"],"token_only":"never_sent","evidence":"unconfirmed","checked_on":"2026-11-15"}]}"#,
];

static BUILT_IN: LazyLock<Option<(KnownAgents, UserAgentMatcher)>> = LazyLock::new(|| {
    let known = KnownAgents::built_in().ok()?;
    let matcher = UserAgentMatcher::new(&known);
    Some((known, matcher))
});

/// A catalogue that is accepted can be used: every token is found, every feed exists.
pub(super) fn known_agents(data: &[u8]) {
    let text = text(data);
    if let Some((known, _)) = &*BUILT_IN
        && let Ok(extended) = known.extended_with(&text)
    {
        check_usable(&extended);
    }
    if let Ok(known) = KnownAgents::parse(&text) {
        check_usable(&known);
    }
}

fn check_usable(known: &KnownAgents) {
    let matcher = UserAgentMatcher::new(known);
    for (index, agent) in known.agent_indexes() {
        for token in &agent.user_agent_tokens {
            let named = matcher.find(token.as_bytes());
            assert!(named.iter().any(|named| named == index), "{token}");
        }
        assert_eq!(known.feeds_of(index).len(), agent.feeds.len());
        assert!(known.feeds_of(index).iter().all(|feed| known.feed(*feed).is_some()));
    }
}

pub(super) const USER_AGENTS_SEEDS: &[&[u8]] = &[
    b"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.3; +https://openai.com/gptbot",
    b"Claude-User (claude-code/2.1.86; +https://support.anthropic.com/)",
    b"Fetcher/1.0 (+www.example.com/GPTBot; gptbot@example.com) Googlebot-Image/1.0 x.GPTBot",
];

/// The same agents in every case of letters, at most eight, each once.
pub(super) fn user_agents(data: &[u8]) {
    let Some((_, matcher)) = &*BUILT_IN else { return };
    let named = matcher.find(data);
    assert!(named.len() <= 8);
    assert_eq!(named, matcher.find(&data.to_ascii_uppercase()));
    let mut agents: Vec<_> = named.iter().collect();
    agents.sort();
    agents.dedup();
    assert_eq!(agents.len(), named.len());
}

pub(super) const FEEDS_SEEDS: &[&[u8]] = &[
    br#"{"creationTime":"2026-11-15T00:00:00.000000","prefixes":[{"ipv4Prefix":"44.10.0.0/24"},{"ipv6Prefix":"2a0e:1::/48"}]}"#,
    b"<html><pre><code>{&quot;prefixes&quot;:[{&quot;ip_prefix&quot;:&quot;44.10.0.7&quot;}]}</code></pre></html>",
    b"# list\n44.10.0.0/24\n2a0e:1::/48 # comment\n",
    b"44.10.0.0/24,US,US-CA,,\n",
    b"<table><tr><td>44.10.0.0/24</td></tr></table>",
    b"route: 44.10.0.0/24\norigin: AS64500\nroute6: 2a0e:1::/48\n",
];

/// A list that is accepted has prefixes, and is the same after it was stored and loaded.
pub(super) fn feeds(data: &[u8]) {
    for format in [
        FeedFormat::PrefixJson,
        FeedFormat::JsonInHtml,
        FeedFormat::PlainText,
        FeedFormat::Geofeed,
        FeedFormat::AddressesInHtml,
        FeedFormat::RouteObjects,
    ] {
        if let Ok(content) = parse_feed(format, data) {
            assert!(content.prefixes.len() > 0);
            let stored = content.prefixes.to_text();
            assert_eq!(PrefixSet::from_text(&stored).ok().as_ref(), Some(&content.prefixes));
        }
    }
}
