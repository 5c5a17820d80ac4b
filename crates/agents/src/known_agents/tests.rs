use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::{FeedFormat, FeedScope};

fn built_in_value() -> Value {
    serde_json::from_str(BUILT_IN).unwrap()
}

/// The built-in catalogue after a change of one agent, found by id.
fn with_agent(id: &str, change: impl Fn(&mut Value)) -> Result<KnownAgents, String> {
    let mut value = built_in_value();
    let agents = value["agents"].as_array_mut().unwrap();
    change(agents.iter_mut().find(|agent| agent["id"] == id).unwrap());
    KnownAgents::parse(&value.to_string()).map_err(|error| error.to_string())
}

/// The built-in catalogue after a change of one feed, found by id.
fn with_feed(id: &str, change: impl Fn(&mut Value)) -> Result<KnownAgents, String> {
    let mut value = built_in_value();
    let feeds = value["feeds"].as_array_mut().unwrap();
    change(feeds.iter_mut().find(|feed| feed["id"] == id).unwrap());
    KnownAgents::parse(&value.to_string()).map_err(|error| error.to_string())
}

#[test]
fn the_built_in_catalogue_has_all_agents_and_feeds() {
    let known = KnownAgents::built_in().unwrap();
    assert!(known.agents().len() >= 85, "{}", known.agents().len());
    assert_eq!(known.feeds().len(), 29);
    for id in ["gptbot", "claude-user", "googlebot", "bingbot", "ccbot", "cloudflare-autorag"] {
        let index = known.agent_index(id).unwrap();
        assert_eq!(known.agent(index).unwrap().id, id);
    }
    assert_eq!(known.agent_index("nobody"), None);
    let names: BTreeSet<&str> = known.agents().iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(names.len(), known.agents().len(), "every agent has a name of its own");
}

#[test]
fn agents_and_their_feeds_have_the_same_operator() {
    let known = KnownAgents::built_in().unwrap();
    let mut used = BTreeSet::new();
    for (index, agent) in known.agent_indexes() {
        assert_eq!(known.feeds_of(index).len(), agent.feeds.len(), "{}", agent.id);
        for (feed, id) in known.feeds_of(index).iter().zip(&agent.feeds) {
            assert_eq!(known.feed_index(id), Some(*feed));
            let feed = known.feed(*feed).unwrap();
            assert_eq!(feed.operator, agent.operator, "{}", agent.id);
            used.insert(feed.id.as_str());
        }
    }
    let unused: Vec<&str> = known
        .feeds()
        .iter()
        .map(|feed| feed.id.as_str())
        .filter(|feed| !used.contains(feed))
        .collect();
    assert_eq!(unused, ["openai-chatgpt-agents"]);
    assert_eq!(known.feeds_of(AgentIndex(u16::MAX)), []);
}

#[test]
fn a_list_for_several_agents_does_not_prove_one() {
    let known = KnownAgents::built_in().unwrap();
    for (index, feed) in known.feed_indexes() {
        let agents: Vec<&str> = known
            .agent_indexes()
            .filter(|(agent, _)| known.feeds_of(*agent).contains(&index))
            .map(|(_, agent)| agent.id.as_str())
            .collect();
        let shared = agents.len() > 1;
        assert!(!shared || feed.proves != FeedScope::Agent, "{}: {agents:?}", feed.id);
    }
    let scope = |id: &str| known.feed(known.feed_index(id).unwrap()).unwrap().proves;
    for id in ["openai-gptbot", "google-user-triggered-agents", "kagi-page", "ccbot"] {
        assert_eq!(scope(id), FeedScope::Agent, "{id}");
    }
    for id in ["anthropic-bots", "bingbot", "duckduckbot", "google-common-crawlers"] {
        assert_eq!(scope(id), FeedScope::Operator, "{id}");
    }
    // The last one holds apps of customers.
    for id in ["meta-geofeed", "meta-radb", "yandex-ips", "google-user-triggered-fetchers"] {
        assert_eq!(scope(id), FeedScope::Network, "{id}");
    }
}

/// Changing what counts as proof is a decision, so the whole lists are here.
#[test]
fn only_reviewed_domains_and_directories_prove_an_agent() {
    let known = KnownAgents::built_in().unwrap();
    let all = |list: fn(&KnownAgent) -> &Vec<String>| -> BTreeSet<&str> {
        known.agents().iter().flat_map(list).map(String::as_str).collect()
    };
    assert_eq!(
        all(|agent| &agent.reverse_dns_suffixes),
        BTreeSet::from([
            "applebot.apple.com",
            "crawl.amazonbot.amazon",
            "crawl.baidu.com",
            "crawl.baidu.jp",
            "crawl.commoncrawl.org",
            "google.com",
            "googlebot.com",
            "petalsearch.com",
            "search.msn.com",
            "search.you.com",
            "yandex.com",
            "yandex.net",
            "yandex.ru",
        ])
    );
    assert_eq!(
        all(|agent| &agent.key_directories),
        BTreeSet::from(["https://agent.bot.goog", "https://chatgpt.com", "https://you.com"])
    );
    let signer: Vec<&str> = known
        .agents_with_keys_at("https://chatgpt.com")
        .map(|index| known.agent(index).unwrap().id.as_str())
        .collect();
    assert_eq!(signer, ["chatgpt-agent"]);
    assert_eq!(known.agents_with_keys_at("https://chatgpt.com/").count(), 0);
}

#[test]
fn names_that_are_never_sent_are_marked() {
    let known = KnownAgents::built_in().unwrap();
    let marked: Vec<(&str, TokenOnly)> = known
        .agents()
        .iter()
        .filter_map(|agent| Some((agent.id.as_str(), agent.token_only?)))
        .collect();
    assert_eq!(
        marked,
        [
            ("anthropic-ai", TokenOnly::NotDocumented),
            ("google-extended", TokenOnly::NeverSent),
            ("applebot-extended", TokenOnly::NeverSent),
        ]
    );
    // `Yandex` addresses all its robots in robots.txt and would match too much in a user agent.
    let yandex = known.agent(known.agent_index("yandexbot").unwrap()).unwrap();
    assert_eq!(yandex.robots_tokens, ["YandexBot", "Yandex"]);
    assert_eq!(yandex.user_agent_tokens, ["YandexBot"]);
}

#[test]
fn example_user_agents_are_complete() {
    for agent in KnownAgents::built_in().unwrap().agents() {
        for user_agent in &agent.user_agents {
            for placeholder in ["W.X.Y.Z", "X.X.X.X", "<", "...", "_version", "example."] {
                assert!(!user_agent.contains(placeholder), "{}: {user_agent}", agent.id);
            }
        }
    }
}

#[test]
fn a_wrong_member_of_an_agent_is_refused_by_name() {
    let long = "a".repeat(65);
    let many: Vec<String> = (0..33).map(|number| format!("token-{number}")).collect();
    let cases: &[(&str, Value, &str)] = &[
        ("purpose", json!("fun"), "fun is not one of training"),
        ("name", json!(""), "must not be empty"),
        ("name", json!(" GPTBot"), "must not be empty or have spaces"),
        ("name", json!("a".repeat(121)), "at most 120"),
        ("operator", json!("Open\u{7}AI"), "control characters"),
        ("note", json!("a".repeat(501)), "at most 500"),
        ("robots_tokens", json!(["ab"]), "3 to 64"),
        ("robots_tokens", json!([long]), "3 to 64"),
        ("robots_tokens", json!(["GPT Bot"]), "visible"),
        ("robots_tokens", json!(["GPTBöt"]), "visible"),
        ("robots_tokens", json!(["claudebot"]), "already a token of gptbot"),
        ("robots_tokens", json!(["GPTBot", "gptbot"]), "already a token of gptbot"),
        ("user_agent_tokens", json!(["CLAUDEBOT"]), "already a token of gptbot"),
        ("user_agent_tokens", json!(["537"]), "must have letters"),
        ("user_agent_tokens", json!(["gptbot.com"]), "must have letters"),
        ("user_agent_tokens", json!(["(gptbot"]), "must have letters"),
        ("user_agent_tokens", json!(["bot@openai"]), "must have letters"),
        ("user_agent_tokens", json!(["gptbot/1"]), "must have letters"),
        ("user_agent_tokens", json!(["Mozilla/"]), "user agents of browsers"),
        ("user_agent_tokens", json!(["Mozilla"]), "user agents of browsers"),
        ("user_agent_tokens", json!(many), "at most 32"),
        ("feeds", json!(["nothing"]), "there is no feed \"nothing\""),
        ("feeds", json!(["openai-gptbot", "openai-gptbot"]), "named twice"),
        ("reverse_dns_suffixes", json!(["amazonaws.com"]), "anybody"),
        ("reverse_dns_suffixes", json!([".openai.com"]), "leading dot"),
        ("key_directories", json!(["http://openai.com"]), "https"),
        ("key_directories", json!(["https://openai.com/"]), "origin"),
        ("key_directories", json!(["https://openai.com/keys"]), "origin"),
        ("key_directories", json!(["https://OpenAI.com"]), "origin"),
        ("key_directories", json!(["https://a@openai.com"]), "user name"),
        ("networks", json!(["32934"]), "such as AS32934"),
        ("networks", json!(["AS99999999999"]), "such as AS32934"),
        ("docs", json!("ftp://openai.com/"), "https or http"),
        ("docs", json!("https://openai.com/\n"), "https or http"),
        ("user_agents", json!(["a".repeat(1025)]), "at most 1024"),
        ("token_only", json!("never_sent"), "sends no requests"),
    ];
    for (field, value, expected) in cases {
        let fault = with_agent("gptbot", |agent| agent[*field] = value.clone()).unwrap_err();
        let named = fault.contains(&format!(": {field}: "))
            && (fault.starts_with("known agent gptbot: ")
                || fault.starts_with("known agent claudebot: "));
        assert!(named && fault.contains(expected), "{field} {value}: {fault}");
    }
}

#[test]
fn an_agent_that_nothing_recognises_needs_a_reason() {
    let fault = with_agent("bedrock-agentcore-browser", |agent| agent["note"] = Value::Null);
    assert!(fault.unwrap_err().contains("bedrock-agentcore-browser: note: "));
    let fault = with_agent("google-extended", |agent| agent["token_only"] = Value::Null);
    assert!(fault.unwrap_err().contains("google-extended: token_only: is required"));
    let fault = with_agent("google-extended", |agent| agent["user_agent_tokens"] = json!([]));
    assert!(fault.unwrap_err().contains("google-extended: user_agent_tokens: "));
}

#[test]
fn a_wrong_member_of_a_feed_is_refused_by_name() {
    let cases: &[(&str, Value, &str)] = &[
        ("url", json!("http://openai.com/gptbot.json"), "https"),
        ("url", json!("https://"), "https"),
        ("url", json!("openai.com/gptbot.json"), "https"),
        ("url", json!("https://a@openai.com/gptbot.json"), "user name"),
        ("url", json!("https://:b@openai.com/gptbot.json"), "password"),
        ("url", json!("https://openai.com/gptbot.json#a"), "fragment"),
        ("url", json!("whois://whois.radb.net/?query=a"), "https"),
        ("url", json!(format!("https://openai.com/{}", "a".repeat(2048))), "https"),
        ("earlier_urls", json!(["http://openai.com/gptbot.json"]), "https"),
        ("max_age_hours", json!(0), "between 1 and 8760"),
        ("max_age_hours", json!(8761), "between 1 and 8760"),
        ("operator", json!(""), "empty"),
        ("note", json!("a\nb"), "control"),
    ];
    for (field, value, expected) in cases {
        let fault = with_feed("openai-gptbot", |feed| feed[*field] = value.clone()).unwrap_err();
        let named = fault.starts_with(&format!("feed openai-gptbot: {field}: "));
        assert!(named && fault.contains(expected), "{field} {value}: {fault}");
    }
    let fault = with_feed("meta-radb", |feed| feed["format"] = json!("geofeed")).unwrap_err();
    assert!(fault.starts_with("feed meta-radb: url: "), "{fault}");
}

#[test]
fn another_shape_is_refused() {
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut value = built_in_value();
        change(&mut value);
        KnownAgents::parse(&value.to_string()).unwrap_err().to_string()
    };
    assert!(refused(&|v| v["v"] = 2.into()).contains("version 1"));
    assert!(refused(&|v| v["surprise"] = 1.into()).contains("surprise"));
    assert!(refused(&|v| v["agents"][0]["surprise"] = 1.into()).contains("surprise"));
    assert!(refused(&|v| v["feeds"][0]["surprise"] = 1.into()).contains("surprise"));
    assert!(refused(&|v| v["as_of"] = "yesterday".into()).contains("YYYY-MM-DD"));
    assert!(refused(&|v| v["feeds"][0]["format"] = "xml".into()).contains("xml"));
    assert!(refused(&|v| v["agents"][0]["id"] = "GPT".into()).contains("agent number 1: id: "));
    assert!(refused(&|v| v["feeds"][2]["id"] = "".into()).contains("feed number 3: id: "));
    assert!(refused(&|v| v["agents"][1]["id"] = "gptbot".into()).contains("gptbot: id: another"));
    assert!(refused(&|v| v["feeds"][1]["id"] = "bingbot".into()).contains("bingbot: id: another"));
}

#[test]
fn the_size_of_a_catalogue_is_bounded() {
    let agent = |number: usize, tokens: usize| {
        let tokens: Vec<String> = (0..tokens).map(|t| format!("bot-{number}-{t}")).collect();
        json!({
            "id": format!("agent-{number}"), "name": "A", "operator": "O", "purpose": "other",
            "robots_tokens": [format!("bot-{number}")], "user_agent_tokens": tokens,
            "evidence": "unconfirmed", "checked_on": "2026-11-15",
        })
    };
    let feed = |number: usize| {
        json!({
            "id": format!("feed-{number}"), "operator": "O", "url": "https://a.example/",
            "format": "plain_text", "proves": "agent",
        })
    };
    let parse = |agents: usize, tokens: usize, feeds: usize| {
        let agents: Vec<Value> = (0..agents).map(|number| agent(number, tokens)).collect();
        let feeds: Vec<Value> = (0..feeds).map(feed).collect();
        let value = json!({ "v": 1, "as_of": "2026-11-15", "agents": agents, "feeds": feeds });
        KnownAgents::parse(&value.to_string()).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(parse(2_000, 4, 500), Ok(()));
    assert!(parse(2_001, 0, 0).unwrap_err().contains("2001 agents; at most 2000"));
    assert!(parse(0, 0, 501).unwrap_err().contains("501 feeds; at most 500"));
    assert!(parse(1_601, 5, 0).unwrap_err().contains("8005 user-agent tokens; at most 8000"));
    let fault = KnownAgents::parse(&" ".repeat(4 * 1024 * 1024 + 1)).unwrap_err().to_string();
    assert!(fault.contains("4194305 bytes; at most 4194304"), "{fault}");
}

fn addition() -> Value {
    json!({
        "v": 1,
        "as_of": "2026-12-01",
        "agents": [
            {
                "id": "our-bot", "name": "OurBot", "operator": "We", "purpose": "search",
                "user_agent_tokens": ["OurBot"], "feeds": ["our-list", "ccbot"],
                "evidence": "operator_page", "checked_on": "2026-12-01",
            },
            {
                "id": "gptbot", "name": "GPTBot", "operator": "OpenAI", "purpose": "training",
                "user_agent_tokens": ["GPTBot"], "feeds": [],
                "evidence": "operator_page", "checked_on": "2026-12-01",
            },
        ],
        "feeds": [
            {
                "id": "our-list", "operator": "We", "url": "https://we.example/list.txt",
                "format": "plain_text", "proves": "agent", "max_age_hours": 24,
            },
        ],
    })
}

#[test]
fn a_second_file_adds_and_replaces() {
    let before = KnownAgents::built_in().unwrap();
    let after = before.extended_with(&addition().to_string()).unwrap();
    assert_eq!(after.agents().len(), before.agents().len() + 1);
    assert_eq!(after.feeds().len(), before.feeds().len() + 1);
    assert_eq!(after.as_of().to_string(), "2026-12-01");
    let gptbot = after.agent_index("gptbot").unwrap();
    assert_eq!(before.agent_index("gptbot"), Some(gptbot), "it keeps its position");
    assert_eq!(after.feeds_of(gptbot), []);
    assert!(!before.feeds_of(gptbot).is_empty());
    let ours = after.agent_index("our-bot").unwrap();
    let feeds: Vec<&str> =
        after.feeds_of(ours).iter().map(|feed| after.feed(*feed).unwrap().id.as_str()).collect();
    assert_eq!(feeds, ["our-list", "ccbot"]);
    let list = after.feed(after.feed_index("our-list").unwrap()).unwrap();
    assert_eq!((list.max_age_hours, list.format), (24, FeedFormat::PlainText));
    assert!(
        after
            .feeds()
            .iter()
            .filter(|feed| feed.id != "our-list")
            .all(|feed| feed.max_age_hours == 168)
    );
}

#[test]
fn a_second_file_is_checked_together_with_the_first() {
    let known = KnownAgents::built_in().unwrap();
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut value = addition();
        change(&mut value);
        known.extended_with(&value.to_string()).unwrap_err().to_string()
    };
    let fault = refused(&|v| v["agents"][0]["user_agent_tokens"] = json!(["claudebot"]));
    assert!(fault.contains("already a token of claudebot"), "{fault}");
    let fault = refused(&|v| v["agents"][0]["feeds"] = json!(["nothing"]));
    assert!(fault.contains("known agent our-bot: feeds: "), "{fault}");
    let fault = refused(&|v| v["agents"][0]["id"] = json!("gptbot"));
    assert!(fault.contains("known agent gptbot: id: another"), "{fault}");
    assert!(refused(&|v| v["v"] = 2.into()).contains("version 1"));
}

#[test]
fn a_feed_can_be_read_from_another_address() {
    let known = KnownAgents::built_in().unwrap();
    let index = known.feed_index("openai-gptbot").unwrap();
    let mirrored = known.with_feed_url("openai-gptbot", "https://mirror.example:8443/g").unwrap();
    assert_eq!(mirrored.feed(index).unwrap().url, "https://mirror.example:8443/g");
    assert_eq!(known.feed(index).unwrap().url, "https://openai.com/gptbot.json");
    let fault = known.with_feed_url("nothing", "https://a.example/").unwrap_err().to_string();
    assert!(fault.contains("no feed nothing"), "{fault}");
    let fault = known.with_feed_url("openai-gptbot", "http://a.example/").unwrap_err().to_string();
    assert!(fault.starts_with("feed openai-gptbot: url: "), "{fault}");
}
