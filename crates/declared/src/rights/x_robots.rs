//! `X-Robots-Tag` and `<meta name="robots">`: index and snippet controls, read for what search
//! engines and answer engines say they take from them.

use std::collections::BTreeMap;

use super::{Carrier, Effect, Heard, Mechanism, Statement, Use, Weight, word};

/// Directives with a value. They look like a user agent's prefix and are none.
const VALUED: [&str; 4] =
    ["max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"];
const PLAIN: [&str; 20] = [
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
/// Pieces read of one value, and values of one answer.
const MAX_PIECES: usize = 200;
const MAX_VALUES: usize = 64;

/// The `X-Robots-Tag` headers. Lines for named agents count only for `tokens`; for all when empty.
#[must_use]
pub fn header(values: &[&str], tokens: &[&str]) -> Heard {
    page(values, &[], tokens)
}

/// The page's meta elements, as (name, content); those that are not for robots are passed over.
#[must_use]
pub fn meta(metas: &[(&str, &str)]) -> Heard {
    page(&[], metas, &[])
}

/// Both carriers of one page together: what is in one may soften what is in the other.
#[must_use]
pub fn page(values: &[&str], metas: &[(&str, &str)], tokens: &[&str]) -> Heard {
    let mut heard = Heard::default();
    let mut found: BTreeMap<(Carrier, Option<String>), Directives> = BTreeMap::new();
    for value in values.iter().take(MAX_VALUES) {
        for (agent, directive) in header_directives(value) {
            let wanted = agent.as_ref().is_none_or(|agent| {
                tokens.is_empty() || tokens.iter().any(|token| token.eq_ignore_ascii_case(agent))
            });
            if wanted {
                let held = found.entry((Carrier::Header, agent)).or_default();
                held.take(&directive, value, &mut heard, "X-Robots-Tag");
            }
        }
    }
    for (name, content) in metas.iter().take(MAX_VALUES) {
        let Some(agent) = meta_agent(name) else { continue };
        for directive in pieces(content, false).into_iter().map(|(_, directive)| directive) {
            let held = found.entry((Carrier::Meta, agent.clone())).or_default();
            held.take(&directive, content, &mut heard, "meta robots");
        }
    }
    let nocache: Vec<Option<String>> = found
        .iter()
        .filter(|(_, directives)| directives.nocache)
        .map(|((_, agent), _)| agent.clone())
        .collect();
    for ((carrier, agent), directives) in &found {
        // Bing takes the weaker of the two when both are there.
        let softened = nocache.iter().any(|other| other.is_none() || other == agent);
        let mut statement = directives.statement(*carrier, softened);
        statement.agents = agent.iter().map(|agent| super::quoted(agent)).collect();
        if !statement.uses.is_empty() || statement.note.is_some() {
            heard.statements.push(statement);
        }
    }
    heard
}

#[derive(Default)]
struct Directives {
    raw: Vec<String>,
    noindex: bool,
    nosnippet: bool,
    /// The smallest limit that was given; below zero is no limit.
    max_snippet: Option<u64>,
    noarchive: bool,
    nocache: bool,
    noai: bool,
    noimageai: bool,
}

impl Directives {
    fn take(&mut self, directive: &str, raw: &str, heard: &mut Heard, at: &str) {
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
                            Some(self.max_snippet.map_or(limit, |held| held.min(limit)));
                    }
                }
                Err(_) => heard.fault(
                    "max_snippet_value",
                    Weight::Warning,
                    at,
                    format!(
                        "`{}` has no number of characters, so it limits nothing.",
                        word(directive)
                    ),
                    "max-snippet:160 (0 for none, -1 for no limit)",
                ),
            },
            _ if VALUED.contains(&name) || PLAIN.contains(&name) => {}
            _ => heard.fault(
                "unknown_directive",
                Weight::Note,
                at,
                format!("`{}` is no directive that crawlers document.", word(directive)),
                "Check the spelling, or leave it out.",
            ),
        }
    }

    fn statement(&self, carrier: Carrier, softened: bool) -> Statement {
        let mechanism =
            if carrier == Carrier::Header { Mechanism::XRobotsTag } else { Mechanism::MetaRobots };
        let mut statement = Statement::new(mechanism, carrier, &self.raw.join(", "));
        let answers = [Use::Ground, Use::Summarize];
        if self.noai {
            statement.says(Use::Train, Effect::Disallow);
            statement.notes("noai is a convention; few crawlers honour it.");
        }
        if self.noimageai {
            statement.notes("noimageai speaks of images alone.");
        }
        if self.noarchive || self.nocache {
            let effect = if softened { Effect::Conditional } else { Effect::Disallow };
            statement.says(Use::Train, effect);
            statement.says_all(&answers, effect);
            statement.notes(if softened {
                "nocache: Bing uses address, title and snippet alone, also beside noarchive."
            } else {
                "noarchive: Bing keeps the page out of chat answers and training, Amazon out of training."
            });
        }
        if self.nosnippet || self.max_snippet == Some(0) {
            statement.says_all(&answers, Effect::Disallow);
            statement.says(Use::Cite, Effect::Conditional);
            statement.notes("No snippet: Google also keeps the page out of AI answers; it may be linked without an excerpt.");
        } else if let Some(limit) = self.max_snippet {
            statement.says_all(&answers, Effect::Conditional);
            statement.says(Use::Cite, Effect::Conditional);
            statement.notes(&format!("At most {limit} characters may be shown."));
        }
        if self.noindex {
            statement.says(Use::Cite, Effect::Disallow);
            statement.notes("noindex: not to be listed as a result.");
        }
        statement
    }
}

fn header_directives(value: &str) -> Vec<(Option<String>, String)> {
    pieces(value, true)
}

/// Directives in lower case with the agent they are for. A prefix holds until the next one.
fn pieces(value: &str, prefixes: bool) -> Vec<(Option<String>, String)> {
    let mut out = Vec::new();
    let mut agent: Option<String> = None;
    let mut in_date = false;
    for piece in value.split(',').take(MAX_PIECES) {
        let mut piece = piece.trim().to_ascii_lowercase();
        if prefixes
            && let Some((head, tail)) = piece.split_once(':')
            && is_agent(head.trim())
            && !VALUED.contains(&head.trim())
            // Inside a date only what is clearly a prefix ends it.
            && (!in_date || is_directive(tail.trim()))
        {
            agent = Some(head.trim().to_owned());
            piece = tail.trim().to_owned();
            in_date = false;
        }
        // The date of unavailable_after may hold commas of its own.
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
    PLAIN.contains(&name) || VALUED.contains(&name)
}

fn is_agent(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '*'))
}

/// Whom a meta element is for: `robots` means everyone, a crawler's name means that one. Anything
/// else is no robots element.
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
