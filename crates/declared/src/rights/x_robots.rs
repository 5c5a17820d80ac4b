//! `X-Robots-Tag` and `<meta name="robots">`: index and snippet controls, interpreted as search and
//! answer engines document them.

use std::collections::BTreeMap;

use super::{
    Carrier, ContentUse, Effect, Mechanism, ParsedStatements, Statement, Weight, short_quote,
};
use crate::evidence_excerpt::evidence_excerpt;

/// Directives with a value. They look like a user agent prefix (`name:`) but are not one.
const VALUED_DIRECTIVES: [&str; 4] =
    ["max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"];
const KNOWN_DIRECTIVES: [&str; 20] = [
    "all",
    "index",
    "follow",
    "noindex",
    "nofollow",
    "none",
    "nosnippet",
    "noarchive",
    "nocache",
    "noimageindex",
    "notranslate",
    "indexifembedded",
    "noai",
    "noimageai",
    "noodp",
    "noydir",
    "nositelinkssearchbox",
    "archive",
    "snippet",
    "data-nosnippet",
];
/// How many directives of one value, and how many values of one response, are read.
const MAX_PIECES: usize = 200;
const MAX_VALUES: usize = 64;

/// The `X-Robots-Tag` headers. Lines for named agents count only if `tokens` contains the agent, or if
/// `tokens` is empty.
#[must_use]
pub fn from_headers(values: &[&str], tokens: &[&str]) -> ParsedStatements {
    from_page(values, &[], tokens)
}

/// The page's meta elements as (name, content); those that are not for robots are ignored.
#[must_use]
pub fn from_meta(metas: &[(&str, &str)]) -> ParsedStatements {
    from_page(&[], metas, &[])
}

/// Headers and meta elements of one page together, because one may soften the other.
#[must_use]
pub fn from_page(values: &[&str], metas: &[(&str, &str)], tokens: &[&str]) -> ParsedStatements {
    let mut parsed = ParsedStatements::default();
    let mut found: BTreeMap<(Carrier, Option<String>), Directives> = BTreeMap::new();
    for value in values.iter().take(MAX_VALUES) {
        for (agent, directive) in header_directives(value) {
            let wanted = agent.as_ref().is_none_or(|agent| {
                tokens.is_empty() || tokens.iter().any(|token| token.eq_ignore_ascii_case(agent))
            });
            if wanted {
                let directives = found.entry((Carrier::Header, agent)).or_default();
                directives.add(&directive, value, &mut parsed, "X-Robots-Tag");
            }
        }
    }
    for (name, content) in metas.iter().take(MAX_VALUES) {
        let Some(agent) = meta_agent(name) else { continue };
        for directive in
            parse_directives(content, false).into_iter().map(|(_, directive)| directive)
        {
            let directives = found.entry((Carrier::Meta, agent.clone())).or_default();
            directives.add(&directive, content, &mut parsed, "meta robots");
        }
    }
    let nocache: Vec<Option<String>> = found
        .iter()
        .filter(|(_, directives)| directives.nocache)
        .map(|((_, agent), _)| agent.clone())
        .collect();
    for ((carrier, agent), directives) in &found {
        // If both noarchive and nocache are set, Bing applies the weaker one.
        let softened = nocache.iter().any(|other| other.is_none() || other == agent);
        let mut statement = directives.to_statement(*carrier, softened);
        statement.agents = agent.iter().map(|agent| evidence_excerpt(agent)).collect();
        if !statement.uses.is_empty() || statement.note.is_some() {
            parsed.statements.push(statement);
        }
    }
    parsed
}

#[derive(Default)]
struct Directives {
    raw: Vec<String>,
    noindex: bool,
    nosnippet: bool,
    /// The smallest limit that was given. A negative value means no limit and is not kept.
    max_snippet: Option<u64>,
    noarchive: bool,
    nocache: bool,
    noai: bool,
    noimageai: bool,
}

impl Directives {
    fn add(&mut self, directive: &str, raw: &str, parsed: &mut ParsedStatements, at: &str) {
        if self.raw.last().is_none_or(|last| last != raw) {
            self.raw.push(raw.to_owned());
        }
        let (name, value) =
            directive.split_once(':').map_or((directive, ""), |(n, v)| (n.trim_end(), v.trim()));
        match name {
            "noindex" | "none" => self.noindex = true,
            "nosnippet" => self.nosnippet = true,
            "noarchive" => self.noarchive = true,
            "nocache" => self.nocache = true,
            "noai" => self.noai = true,
            "noimageai" => self.noimageai = true,
            "max-snippet" => match value.parse::<i64>() {
                Ok(limit) => {
                    if let Ok(limit) = u64::try_from(limit) {
                        self.max_snippet =
                            Some(self.max_snippet.map_or(limit, |current| current.min(limit)));
                    }
                }
                Err(_) => parsed.add_fault(
                    "max_snippet_value",
                    Weight::Warning,
                    at,
                    format!(
                        "`{}` does not give a number of characters, so it sets no limit.",
                        short_quote(directive)
                    ),
                    "max-snippet:160 (0 for none, -1 for no limit)",
                ),
            },
            _ if VALUED_DIRECTIVES.contains(&name) || KNOWN_DIRECTIVES.contains(&name) => {}
            _ => parsed.add_fault(
                "unknown_directive",
                Weight::Note,
                at,
                format!(
                    "`{}` is not a directive that any crawler documents.",
                    short_quote(directive)
                ),
                "Check the spelling, or remove it.",
            ),
        }
    }

    fn to_statement(&self, carrier: Carrier, softened: bool) -> Statement {
        let mechanism =
            if carrier == Carrier::Header { Mechanism::XRobotsTag } else { Mechanism::MetaRobots };
        let mut statement = Statement::new(mechanism, carrier, &self.raw.join(", "));
        let answers = [ContentUse::Ground, ContentUse::Summarize];
        if self.noai {
            statement.add_effect(ContentUse::Train, Effect::Disallow);
            statement.add_note("noai is an informal convention; few crawlers honour it.");
        }
        if self.noimageai {
            statement.add_note("noimageai covers images only.");
        }
        if self.noarchive || self.nocache {
            let effect = if softened { Effect::Conditional } else { Effect::Disallow };
            statement.add_effect(ContentUse::Train, effect);
            statement.add_effects(&answers, effect);
            statement.add_note(if softened {
                "nocache: Bing uses only the URL, title and snippet, also if noarchive is set."
            } else {
                "noarchive: Bing does not use the page for chat answers or training; Amazon does not use it for training."
            });
        }
        if self.nosnippet || self.max_snippet == Some(0) {
            statement.add_effects(&answers, Effect::Disallow);
            statement.add_effect(ContentUse::Cite, Effect::Conditional);
            statement.add_note("No snippet: Google does not use the page in AI answers either. It may be linked without an excerpt.");
        } else if let Some(limit) = self.max_snippet {
            statement.add_effects(&answers, Effect::Conditional);
            statement.add_effect(ContentUse::Cite, Effect::Conditional);
            statement.add_note(&format!("At most {limit} characters may be shown."));
        }
        if self.noindex {
            statement.add_effect(ContentUse::Cite, Effect::Disallow);
            statement.add_note("noindex: the page must not be listed as a search result.");
        }
        statement
    }
}

fn header_directives(value: &str) -> Vec<(Option<String>, String)> {
    parse_directives(value, true)
}

/// Directives in lower case with the agent they are for. A prefix applies until the next one.
fn parse_directives(value: &str, prefixes: bool) -> Vec<(Option<String>, String)> {
    let mut out = Vec::new();
    let mut agent: Option<String> = None;
    let mut in_date = false;
    for piece in value.split(',').take(MAX_PIECES) {
        let mut piece = piece.trim().to_ascii_lowercase();
        if prefixes
            && let Some((head, tail)) = piece.split_once(':')
            && is_agent(head.trim())
            && !VALUED_DIRECTIVES.contains(&head.trim())
            // Inside a date, only an unmistakable prefix ends the date.
            && (!in_date || is_directive(tail.trim()))
        {
            agent = Some(head.trim().to_owned());
            piece = tail.trim().to_owned();
            in_date = false;
        }
        // The date of unavailable_after may contain commas.
        if piece.is_empty() || in_date && !is_directive(&piece) {
            continue;
        }
        in_date = piece.starts_with("unavailable_after");
        out.push((agent.clone(), piece));
    }
    out
}

fn is_directive(piece: &str) -> bool {
    let name = piece.split(':').next().unwrap_or_default().trim();
    KNOWN_DIRECTIVES.contains(&name) || VALUED_DIRECTIVES.contains(&name)
}

fn is_agent(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '*'))
}

/// Whom a meta element is for: `robots` means everyone, a crawler's name means that crawler. None for
/// any other element.
fn meta_agent(name: &str) -> Option<Option<String>> {
    const CRAWLERS: [&str; 6] =
        ["slurp", "teoma", "yandex", "baiduspider", "googlebot-news", "googlebot-image"];
    let name = name.trim().to_ascii_lowercase();
    if name == "robots" {
        return Some(None);
    }
    let crawler = is_agent(&name)
        && (name.ends_with("bot")
            || name.ends_with("spider")
            || name.ends_with("crawler")
            || CRAWLERS.contains(&name.as_str()));
    crawler.then_some(Some(name))
}
