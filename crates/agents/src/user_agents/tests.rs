use std::sync::LazyLock;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use crate::KnownAgents;

struct Setup {
    known: KnownAgents,
    matcher: UserAgentMatcher,
}

static BUILT_IN: LazyLock<Setup> = LazyLock::new(|| Setup::new(KnownAgents::built_in().unwrap()));

impl Setup {
    fn new(known: KnownAgents) -> Self {
        Self { matcher: UserAgentMatcher::new(&known), known }
    }

    /// The ids of the agents that are named, most specific first.
    fn named(&self, user_agent: impl AsRef<[u8]>) -> Vec<&str> {
        let named = self.matcher.find(user_agent.as_ref());
        named.iter().map(|index| self.known.agent(index).unwrap().id.as_str()).collect()
    }
}

#[test]
fn every_example_names_its_agent_first() {
    let setup = &*BUILT_IN;
    let mut examples = 0;
    for agent in setup.known.agents() {
        for user_agent in &agent.user_agents {
            assert_eq!(setup.named(user_agent).first(), Some(&agent.id.as_str()), "{user_agent}");
            examples += 1;
        }
    }
    assert!(examples >= 80, "{examples}");
}

#[test]
fn every_token_names_its_agent() {
    let setup = &*BUILT_IN;
    for agent in setup.known.agents() {
        for token in &agent.user_agent_tokens {
            let version = if token.ends_with('/') { "1.0" } else { "/1.0" };
            for user_agent in [
                token.clone(),
                token.to_ascii_uppercase(),
                token.to_ascii_lowercase(),
                format!("Mozilla/5.0 (compatible; {token}{version}; +https://bot.example/about)"),
            ] {
                assert_eq!(setup.named(&user_agent), [agent.id.as_str()], "{user_agent}");
            }
        }
    }
}

#[test]
fn browsers_name_no_agent() {
    let setup = &*BUILT_IN;
    for user_agent in [
        "",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/157.0.0.0 Safari/537.36",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/27.0 Mobile/15E148 Safari/604.1",
        "Mozilla/5.0 (X11; Linux x86_64; rv:158.0) Gecko/20100101 Firefox/158.0",
        "curl/8.16.0",
        "Mozilla/5.0 (compatible; Wayleave/1.2.3; +https://svc.example/docs/reader)",
    ] {
        assert_eq!(setup.named(user_agent), [] as [&str; 0], "{user_agent}");
    }
}

#[test]
fn decoration_does_not_mislead() {
    let setup = &*BUILT_IN;
    let none: &[&str] = &[];
    let cases: &[(&str, &[&str])] = &[
        // Where it stands, and in which letters, does not matter.
        ("GPTBot", &["gptbot"]),
        ("gptbot/1.3", &["gptbot"]),
        ("GPTBOT/1.3", &["gptbot"]),
        ("x (comment (GPTBot))", &["gptbot"]),
        ("\"GPTBot\"", &["gptbot"]),
        ("agent=GPTBot&x=1", &["gptbot"]),
        ("like Gecko);GPTBot,x", &["gptbot"]),
        ("GPTBot.", &["gptbot"]),
        ("GPTBot.1", &["gptbot"]),
        ("v1. GPTBot", &["gptbot"]),
        ("GPTBot+https://openai.com/gptbot", &["gptbot"]),
        ("GPTBot/1.0+bot@openai.com", &["gptbot"]),
        ("GPTBot:1", &["gptbot"]),
        ("GPTBot@", &["gptbot"]),
        ("Example/1.0.beta/GPTBot", &["gptbot"]),
        // Part of another name.
        ("NotGPTBot/1.0", none),
        ("GPTBotX/1.0", none),
        ("GPTBot2", none),
        ("2GPTBot", none),
        ("my-googlebot/2.1", none),
        ("googlebot_copy", none),
        ("_Googlebot", none),
        ("Googlebot-Copy", none),
        ("GPTBotß", none),
        ("éGPTBot", none),
        ("GPTBotGPTBot", none),
        // Compared with another.
        ("Fetcher/1.0 (like GPTBot)", none),
        ("Fetcher/1.0 Like  GPTBot/1.3", none),
        ("likeGPTBot", none),
        ("alike GPTBot", &["gptbot"]),
        ("like; GPTBot", &["gptbot"]),
        ("GPTBot (like GPTBot)", &["gptbot"]),
        // In an address.
        ("Fetcher/1.0 (+https://example.com/GPTBot)", none),
        ("Fetcher/1.0 (+https://example.com/?ua=GPTBot)", none),
        ("Fetcher/1.0 (HTTP://GPTBot/)", none),
        ("Fetcher/1.0 https://GPTBot:80/", none),
        ("Fetcher/1.0 (www.example.com/GPTBot)", none),
        ("Fetcher/1.0 (example.com/GPTBot)", none),
        ("Fetcher/1.0 (+example.com/GPTBot)", none),
        ("Fetcher/1.0 (url=www.example.com/GPTBot)", none),
        ("Fetcher/1.0 (gptbot@example.com)", none),
        ("Fetcher/1.0 (a+gptbot@example.com)", none),
        ("Fetcher/1.0 (a@gptbot)", none),
        ("Fetcher/1.0 (GPTBot.example.com)", none),
        ("Fetcher/1.0 (crawl.GPTBot)", none),
        ("Fetcher/1.0 (crawl-1.googlebot.com)", none),
        ("x/GPTBot.example", none),
        ("x/crawl.GPTBot", none),
        ("GPTBot.1.example", none),
        ("Fetcher/1.0 (gptbot+a@example.com)", none),
        // A separator ends an address.
        ("Fetcher/1.0;https://example.com/;GPTBot/1.0", &["gptbot"]),
        ("https://example.com/(GPTBot)", &["gptbot"]),
        // The more specific token.
        ("Googlebot-Image/1.0", &["googlebot"]),
        ("Applebot-Extended", &["applebot-extended"]),
        ("Google-Extended/1.0", &["google-extended"]),
        (
            "Mozilla/5.0 (compatible) Ai2Bot-Dolma (+https://www.allenai.org/crawler)",
            &["ai2bot-dolma"],
        ),
        ("AdsBot-Google-Mobile", &["adsbot-google"]),
        ("omgilibot/0.4", &["omgili"]),
        ("Yandex", none),
        // Several agents: the longest token first, then the first in the text.
        ("GPTBot ClaudeBot Googlebot", &["claudebot", "googlebot", "gptbot"]),
        ("Googlebot ClaudeBot", &["googlebot", "claudebot"]),
        ("CCBot/2.0 GPTBot/1.3 CCBot/2.0", &["gptbot", "ccbot"]),
        ("Googlebot/2.1 (compatible; Googlebot-Image/1.0)", &["googlebot"]),
        ("Googlebot-Image/1.0 ClaudeBot Googlebot/2.1", &["googlebot", "claudebot"]),
        ("Googlebot PerplexityBot Googlebot-Image", &["googlebot", "perplexitybot"]),
        ("GPTBot (+https://claudebot.example/ClaudeBot)", &["gptbot"]),
        (
            "Claude-User (claude-code/2.1.86; +https://support.anthropic.com/)",
            &["claude-code", "claude-user"],
        ),
    ];
    for (user_agent, expected) in cases {
        assert_eq!(&setup.named(user_agent), expected, "{user_agent}");
    }
}

#[test]
fn bytes_that_are_not_text_are_searched_too() {
    let setup = &*BUILT_IN;
    assert_eq!(setup.named(b"\xff\xfe GPTBot/1.3 \xc3"), ["gptbot"]);
    assert_eq!(setup.named(b"\0GPTBot\0"), ["gptbot"]);
    assert_eq!(setup.named(b"\xffGPTBot"), [] as [&str; 0]);
}

/// A setup of agents with one token each.
fn setup_with_tokens(tokens: &[(&str, &str)]) -> Setup {
    let agents: Vec<serde_json::Value> = tokens
        .iter()
        .map(|(id, token)| {
            serde_json::json!({
                "id": id, "name": id, "operator": "O", "purpose": "other",
                "user_agent_tokens": [token], "evidence": "unconfirmed", "checked_on": "2026-11-15",
            })
        })
        .collect();
    let file = serde_json::json!({ "v": 1, "as_of": "2026-11-15", "agents": agents });
    Setup::new(KnownAgents::parse(&file.to_string()).unwrap())
}

#[test]
fn the_longest_token_at_a_place_counts() {
    let setup = setup_with_tokens(&[
        ("short", "fetch"),
        ("long", "+fetch/"),
        ("slash", "fetch/"),
        ("plus", "+Fetch"),
    ]);
    assert_eq!(setup.named("fetch"), ["short"]);
    assert_eq!(setup.named("fetch/2"), ["slash"]);
    assert_eq!(setup.named("+fetch"), ["plus"]);
    assert_eq!(setup.named("+fetch/1"), ["long"]);
    assert_eq!(setup.named("+fetch/1 fetch"), ["long", "short"]);
    assert_eq!(setup.named("fetch +fetch/1"), ["long", "short"]);
    assert_eq!(setup.named("fetch/1 +fetch fetch"), ["slash", "plus", "short"]);
    assert_eq!(setup.named("+fetch.example"), [] as [&str; 0]);
    let setup = setup_with_tokens(&[("slash", "fetch/"), ("plus", "+other")]);
    assert_eq!(setup.named("fetch other"), [] as [&str; 0]);
}

#[test]
fn tokens_of_every_allowed_length_are_found() {
    for length in 3..=64 {
        let token = "a".repeat(length);
        let setup = setup_with_tokens(&[("agent", &token)]);
        assert_eq!(setup.named(&token), ["agent"], "{length}");
        assert_eq!(setup.named("a".repeat(length + 1)), [] as [&str; 0], "{length}");
        assert_eq!(setup.named("a".repeat(length + 64)), [] as [&str; 0], "{length}");
    }
}

#[test]
fn at_most_eight_agents_are_reported() {
    let setup = &*BUILT_IN;
    let all: Vec<&str> = setup
        .known
        .agents()
        .iter()
        .filter_map(|agent| agent.user_agent_tokens.first().map(String::as_str))
        .collect();
    let longest = all.iter().max_by_key(|token| token.len()).unwrap();
    let named = setup.matcher.find(all.join(" ").as_bytes());
    assert_eq!((named.len(), named.is_empty()), (8, false));
    let first = setup.known.agent(named.first().unwrap()).unwrap();
    assert_eq!(first.user_agent_tokens.first().unwrap(), longest);
    let lengths: Vec<usize> = named
        .iter()
        .map(|index| setup.known.agent(index).unwrap().user_agent_tokens[0].len())
        .collect();
    assert!(lengths.is_sorted_by(|a, b| a >= b), "{lengths:?}");
}

/// Eight times the text may take eight times as long, not sixty-four times.
#[test]
fn time_grows_with_the_length_only() {
    let setup = &*BUILT_IN;
    let fastest = |text: &str| -> Duration {
        let run = || {
            let start = Instant::now();
            std::hint::black_box(setup.matcher.find(std::hint::black_box(text.as_bytes())));
            start.elapsed()
        };
        (0..30).map(|_| run()).min().unwrap()
    };
    for part in [
        "GPTBot ",
        "GPTBot",
        "GPTBot/",
        "GPTBot@a",
        "http://GPTBot.",
        "a.GPTBot-",
        "x.io/GPTBot/",
        "://@.",
    ] {
        // The short one has 1 KB, the long one 8 KB.
        let repeated = |bytes: usize| part.repeat(bytes / part.len());
        let (short, long) = (fastest(&repeated(1_024)), fastest(&repeated(8_192)));
        assert!(long < short * 24, "{part}: {short:?} for an eighth, {long:?} for all");
    }
}

proptest! {
    #[test]
    fn a_token_in_a_longer_name_is_never_found(
        at in any::<prop::sample::Index>(),
        before in "[A-Za-z0-9_éß-]{0,9}",
        after in "[A-Za-z0-9_éß-]{0,9}",
        around in prop::sample::select(vec![" ", "/", "; ", "(", ")", "+", ","]),
    ) {
        prop_assume!(!before.is_empty() || !after.is_empty());
        let setup = &*BUILT_IN;
        let tokens: Vec<&String> = setup
            .known
            .agents()
            .iter()
            .flat_map(|agent| &agent.user_agent_tokens)
            .filter(|token| token.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'))
            .collect();
        let longer = format!("{before}{}{after}", at.get(&tokens));
        // Some longer names are tokens themselves (`Googlebot-Image`).
        prop_assume!(!tokens.iter().any(|token| token.eq_ignore_ascii_case(&longer)));
        let user_agent = format!("Mozilla/5.0{around}{longer}{around}x");
        prop_assert!(setup.matcher.find(user_agent.as_bytes()).is_empty(), "{}", user_agent);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let setup = &*BUILT_IN;
        prop_assert!(setup.matcher.find(&bytes).len() <= 8);
    }

    /// Mostly tokens and separators, so that hits lie next to each other in all ways. Whatever is
    /// found is in the text.
    #[test]
    fn whatever_is_found_is_in_the_text(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "GPTBot", "Googlebot", "-Image", "claude-code/", "+xai-research", "://", "http",
                "www.", ".", "@", "/", " ", ";", "(", ")", "a", "1", "\u{e9}", "+", "com",
            ]),
            0..30,
        ),
    ) {
        let setup = &*BUILT_IN;
        let user_agent = parts.concat();
        let named = setup.matcher.find(user_agent.as_bytes());
        let lower = user_agent.to_ascii_lowercase();
        for index in named.iter() {
            let agent = setup.known.agent(index).unwrap();
            let holds = |token: &String| lower.contains(&token.to_ascii_lowercase());
            prop_assert!(agent.user_agent_tokens.iter().any(holds), "{}", user_agent);
        }
    }
}
