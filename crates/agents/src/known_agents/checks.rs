//! The rules that a catalogue of known agents must meet. An operator may write one, so every fault
//! names the entry and the member.

use std::collections::{HashMap, HashSet};

use contract::records::Purpose;
use url::Url;

use super::suffix::check_suffix;
use super::{Feed, KnownAgent, KnownAgentsError};
use crate::feed_format::FeedFormat;
use crate::feed_id::FeedIndex;
use crate::user_agent_words::UserAgentToken;

const MAX_AGENTS: usize = 2_000;
const MAX_FEEDS: usize = 500;
/// Over all agents, so that the automaton that looks for them stays small.
const MAX_USER_AGENT_TOKENS: usize = 8_000;
const MAX_LIST: usize = 32;
const MAX_ID_CHARS: usize = 64;
const MAX_NAME_CHARS: usize = 120;
const MAX_NOTE_CHARS: usize = 500;
const MAX_USER_AGENT_CHARS: usize = 1_024;
const MAX_URL_CHARS: usize = 2_048;
const TOKEN_CHARS: std::ops::RangeInclusive<usize> = 3..=64;
const MAX_AGE_HOURS: std::ops::RangeInclusive<u32> = 1..=8_760;

/// Words in the user agents of browsers. As a token, each of them would make every person an agent.
const WORDS_OF_BROWSERS: [&str; 14] = [
    "mozilla",
    "compatible",
    "applewebkit",
    "khtml",
    "gecko",
    "chrome",
    "safari",
    "firefox",
    "version",
    "mobile",
    "windows",
    "linux",
    "android",
    "iphone",
];

/// The member that is wrong, and why.
type Fault = (&'static str, String);

/// Checks everything, and returns the feeds of each agent.
pub(super) fn check(
    agents: &[KnownAgent],
    feeds: &[Feed],
) -> Result<Vec<Vec<FeedIndex>>, KnownAgentsError> {
    check_count("agents", agents.len(), MAX_AGENTS)?;
    check_count("feeds", feeds.len(), MAX_FEEDS)?;
    let tokens = agents.iter().map(|agent| agent.user_agent_tokens.len()).sum();
    check_count("user-agent tokens", tokens, MAX_USER_AGENT_TOKENS)?;
    check_ids(agents, feeds)?;
    for feed in feeds {
        check_feed(feed).map_err(|fault| feed_error(&feed.id, fault))?;
    }
    let positions: HashMap<&str, FeedIndex> =
        feeds.iter().map(|feed| feed.id.as_str()).zip((0..).map(FeedIndex)).collect();
    let mut robots_tokens = HashMap::new();
    let mut user_agent_tokens = HashMap::new();
    let mut feeds_of_agents = Vec::with_capacity(agents.len());
    for agent in agents {
        let checked = check_agent(agent)
            .and_then(|()| {
                check_unique("robots_tokens", agent, &agent.robots_tokens, &mut robots_tokens)
            })
            .and_then(|()| {
                let tokens = &agent.user_agent_tokens;
                check_unique("user_agent_tokens", agent, tokens, &mut user_agent_tokens)
            })
            .and_then(|()| find_feeds(agent, &positions));
        feeds_of_agents.push(checked.map_err(|fault| agent_error(&agent.id, fault))?);
    }
    Ok(feeds_of_agents)
}

/// Checks that the ids are well formed and used once each.
pub(super) fn check_ids(agents: &[KnownAgent], feeds: &[Feed]) -> Result<(), KnownAgentsError> {
    let mut used = HashSet::new();
    for (number, agent) in (1..).zip(agents) {
        check_id(&agent.id).map_err(|fault| agent_error(&format!("number {number}"), fault))?;
        if !used.insert(agent.id.as_str()) {
            return Err(agent_error(&agent.id, ("id", "another agent has the same id".to_owned())));
        }
    }
    used.clear();
    for (number, feed) in (1..).zip(feeds) {
        check_id(&feed.id).map_err(|fault| feed_error(&format!("number {number}"), fault))?;
        if !used.insert(feed.id.as_str()) {
            return Err(feed_error(&feed.id, ("id", "another feed has the same id".to_owned())));
        }
    }
    Ok(())
}

fn agent_error(agent: &str, (field, fault): Fault) -> KnownAgentsError {
    KnownAgentsError::Agent { agent: agent.to_owned(), field, fault }
}

fn feed_error(feed: &str, (field, fault): Fault) -> KnownAgentsError {
    KnownAgentsError::Feed { feed: feed.to_owned(), field, fault }
}

fn check_count(what: &'static str, count: usize, limit: usize) -> Result<(), KnownAgentsError> {
    if count > limit { Err(KnownAgentsError::TooMany { what, count, limit }) } else { Ok(()) }
}

fn check_agent(agent: &KnownAgent) -> Result<(), Fault> {
    check_text("name", &agent.name, MAX_NAME_CHARS)?;
    check_text("operator", &agent.operator, MAX_NAME_CHARS)?;
    if let Some(note) = &agent.note {
        check_text("note", note, MAX_NOTE_CHARS)?;
    }
    if let Purpose::Unrecognised(word) = &agent.purpose {
        let words = Purpose::WORDS.join(", ");
        return Err(("purpose", format!("{} is not one of {words}", word.as_str())));
    }
    for (field, list) in [
        ("robots_tokens", &agent.robots_tokens),
        ("user_agent_tokens", &agent.user_agent_tokens),
        ("feeds", &agent.feeds),
        ("reverse_dns_suffixes", &agent.reverse_dns_suffixes),
        ("key_directories", &agent.key_directories),
        ("networks", &agent.networks),
        ("user_agents", &agent.user_agents),
    ] {
        check_list_length(field, list)?;
    }
    for token in &agent.robots_tokens {
        check_token("robots_tokens", token)?;
    }
    for token in &agent.user_agent_tokens {
        check_user_agent_token(token)?;
    }
    for suffix in &agent.reverse_dns_suffixes {
        check_suffix(suffix).map_err(|fault| ("reverse_dns_suffixes", fault))?;
    }
    for origin in &agent.key_directories {
        check_https_origin(origin)?;
    }
    for network in &agent.networks {
        let number = network.strip_prefix("AS").filter(|digits| !digits.starts_with(['0', '+']));
        if number.and_then(|digits| digits.parse::<u32>().ok()).is_none() {
            return Err(("networks", format!("{network:?} is not a number such as AS32934")));
        }
    }
    for user_agent in &agent.user_agents {
        check_text("user_agents", user_agent, MAX_USER_AGENT_CHARS)?;
    }
    if let Some(docs) = &agent.docs {
        check_url("docs", docs, &["https", "http"])?;
    }
    check_consistency(agent)
}

fn check_consistency(agent: &KnownAgent) -> Result<(), Fault> {
    if agent.token_only.is_some() {
        if agent.user_agent_tokens.is_empty() {
            let fault = "a name for robots.txt only needs its token here, so that it is found";
            return Err(("user_agent_tokens", fault.to_owned()));
        }
        if !agent.feeds.is_empty()
            || !agent.reverse_dns_suffixes.is_empty()
            || !agent.key_directories.is_empty()
        {
            let fault = "a name for robots.txt only sends no requests, so it cannot have feeds, reverse_dns_suffixes or key_directories";
            return Err(("token_only", fault.to_owned()));
        }
    } else if agent.purpose == Purpose::TrainingControl {
        let fault = "is required for the purpose training_control";
        return Err(("token_only", fault.to_owned()));
    }
    let recognisable = !agent.robots_tokens.is_empty()
        || !agent.user_agent_tokens.is_empty()
        || !agent.key_directories.is_empty()
        || !agent.feeds.is_empty();
    if !recognisable && agent.note.is_none() {
        let fault =
            "is required for an agent without tokens, key_directories and feeds, to say why";
        return Err(("note", fault.to_owned()));
    }
    Ok(())
}

fn check_unique<'a>(
    field: &'static str,
    agent: &'a KnownAgent,
    tokens: &[String],
    owners: &mut HashMap<String, &'a str>,
) -> Result<(), Fault> {
    for token in tokens {
        if let Some(other) = owners.insert(token.to_ascii_lowercase(), &agent.id) {
            return Err((field, format!("{token} is already a token of {other}")));
        }
    }
    Ok(())
}

fn find_feeds(
    agent: &KnownAgent,
    positions: &HashMap<&str, FeedIndex>,
) -> Result<Vec<FeedIndex>, Fault> {
    let mut found = Vec::with_capacity(agent.feeds.len());
    for id in &agent.feeds {
        let Some(index) = positions.get(id.as_str()) else {
            return Err(("feeds", format!("there is no feed {id:?}")));
        };
        if found.contains(index) {
            return Err(("feeds", format!("{id} is named twice")));
        }
        found.push(*index);
    }
    Ok(found)
}

fn check_feed(feed: &Feed) -> Result<(), Fault> {
    check_text("operator", &feed.operator, MAX_NAME_CHARS)?;
    if let Some(note) = &feed.note {
        check_text("note", note, MAX_NOTE_CHARS)?;
    }
    check_list_length("earlier_urls", &feed.earlier_urls)?;
    let schemes: &[&str] = match feed.format {
        FeedFormat::RouteObjects => &["https", "whois"],
        _ => &["https"],
    };
    check_url("url", &feed.url, schemes)?;
    for url in &feed.earlier_urls {
        check_url("earlier_urls", url, schemes)?;
    }
    if !MAX_AGE_HOURS.contains(&feed.max_age_hours) {
        let (least, most) = (MAX_AGE_HOURS.start(), MAX_AGE_HOURS.end());
        return Err(("max_age_hours", format!("must be between {least} and {most}")));
    }
    Ok(())
}

fn check_id(id: &str) -> Result<(), Fault> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let well_formed = id.len() <= MAX_ID_CHARS
        && id.bytes().all(|byte| plain(byte) || byte == b'-')
        && id.bytes().next().is_some_and(plain)
        && id.bytes().last().is_some_and(plain);
    if well_formed {
        return Ok(());
    }
    let rule = format!(
        "must have 1 to {MAX_ID_CHARS} lower-case letters, digits and hyphens, with a letter or digit at both ends"
    );
    Err(("id", rule))
}

fn check_text(field: &'static str, text: &str, limit: usize) -> Result<(), Fault> {
    if text.is_empty() || text.trim() != text {
        return Err((field, "must not be empty or have spaces at its ends".to_owned()));
    }
    if text.chars().count() > limit {
        return Err((field, format!("must have at most {limit} characters")));
    }
    if text.chars().any(char::is_control) {
        return Err((field, "must have no control characters".to_owned()));
    }
    Ok(())
}

fn check_list_length(field: &'static str, list: &[String]) -> Result<(), Fault> {
    if list.len() > MAX_LIST {
        return Err((field, format!("must have at most {MAX_LIST} entries")));
    }
    Ok(())
}

fn check_token(field: &'static str, token: &str) -> Result<(), Fault> {
    let visible = token.bytes().all(|byte| byte.is_ascii_graphic());
    if !visible || !TOKEN_CHARS.contains(&token.len()) {
        let (least, most) = (TOKEN_CHARS.start(), TOKEN_CHARS.end());
        let fault = format!("{token:?} must have {least} to {most} visible ASCII characters");
        return Err((field, fault));
    }
    Ok(())
}

fn check_user_agent_token(token: &str) -> Result<(), Fault> {
    const FIELD: &str = "user_agent_tokens";
    check_token(FIELD, token)?;
    let Some(parsed) = UserAgentToken::parse(token) else {
        let fault = format!(
            "{token} must have letters, and otherwise only digits, hyphens, underscores, a plus at its start and a slash at its end"
        );
        return Err((FIELD, fault));
    };
    if WORDS_OF_BROWSERS.contains(&parsed.name.to_ascii_lowercase().as_str()) {
        return Err((FIELD, format!("{token} is in the user agents of browsers")));
    }
    Ok(())
}

fn check_url(field: &'static str, text: &str, schemes: &[&str]) -> Result<Url, Fault> {
    let fault = || (field, format!("must be an address with {}", schemes.join(" or ")));
    // The parser drops line breaks and tabs without saying so.
    if text.len() > MAX_URL_CHARS || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(fault());
    }
    let url = Url::parse(text).map_err(|_| fault())?;
    if !schemes.contains(&url.scheme()) || url.host_str().is_none_or(str::is_empty) {
        return Err(fault());
    }
    if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
        return Err((field, "must have no user name, password or fragment".to_owned()));
    }
    Ok(url)
}

fn check_https_origin(text: &str) -> Result<(), Fault> {
    const FIELD: &str = "key_directories";
    let url = check_url(FIELD, text, &["https"])?;
    if url.origin().ascii_serialization() != text {
        return Err((FIELD, format!("{text} must be an origin such as https://chatgpt.com")));
    }
    Ok(())
}
