//! Addresses of websites, compared by host and path.

mod glued;
mod parameters;
mod parse;
mod profiles;
mod redirects;
mod remarks;
mod variants;
mod web_address;

use std::collections::HashSet;

use contract::text::is_hidden;

use super::WrittenMatch;
use super::denial::{Fact, denies};
use parse::parse_address;
use variants::HostRelation;
use web_address::WebAddress;

/// How many addresses of one text are read.
const MAX_ADDRESSES: usize = 12;
/// How many links in one another are followed.
const FOLLOWED: u8 = 3;

pub(super) fn compare_websites(
    published: &str,
    stated: &str,
    _region: Option<&str>,
) -> WrittenMatch {
    let (published, stated) = (plain_text(published), plain_text(stated));
    let (ones, others) = (stated_addresses(&published), stated_addresses(&stated));
    let found = super::compare_values(&ones, &others, compare_addresses);
    // Who says that there is no site contradicts every address.
    let is_denied = |text: &str, own: &[WebAddress], other: &[WebAddress]| {
        own.is_empty() && !other.is_empty() && denies(text, Fact::Website)
    };
    if is_denied(&published, &ones, &others) || is_denied(&stated, &others, &ones) {
        return WrittenMatch::Different;
    }
    // An address with a space in it that nobody encoded.
    let is_whole = || match (whole_address(&published), whole_address(&stated)) {
        (Some(one), Some(other)) => one == other,
        _ => false,
    };
    if found == WrittenMatch::Equal || is_whole() {
        // The address is right, but only one of the texts says that it leads nowhere.
        return if remarks::says_gone(&published) == remarks::says_gone(&stated) {
            WrittenMatch::Equal
        } else {
            WrittenMatch::Undecidable
        };
    }
    found
}

/// The text without invisible characters, letters of full width as ordinary ones.
fn plain_text(text: &str) -> String {
    let visible = text.chars().filter(|c| !is_hidden(*c) || c.is_whitespace());
    visible
        .map(|c| match c {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
            c => c,
        })
        .collect()
}

/// The addresses in a text, or those whose dots are written as words.
fn stated_addresses(text: &str) -> Vec<WebAddress> {
    let found = addresses(text);
    if !found.is_empty() || text.contains('@') {
        return found;
    }
    let lower = text.to_lowercase();
    let mut dotted = lower.clone();
    for dot in ["[dot]", "(dot)", "{dot}", "[.]", "(.)", " dot ", " punkt ", " punto ", " ponto "] {
        if dotted.contains(dot) {
            let spaced = format!(" {} ", dot.trim());
            dotted = dotted.replace(&spaced, dot).replace(dot, ".");
        }
    }
    if dotted == lower { found } else { addresses(&dotted) }
}

fn compare_addresses(one: &WebAddress, other: &WebAddress) -> WrittenMatch {
    let leads_on = |address: &WebAddress| redirects::is_redirecting(&address.host, &address.path);
    if one == other {
        return WrittenMatch::Equal;
    }
    if (one.is_cut || other.is_cut) && may_be_cut(one, other) {
        return WrittenMatch::Undecidable;
    }
    if leads_on(one) || leads_on(other) {
        // It may lead to the other.
        return WrittenMatch::Undecidable;
    }
    let found = if one.host == other.host {
        compare_pages(one, other)
    } else if one.old_host == other.old_host {
        WrittenMatch::Undecidable
    } else {
        match variants::relate_hosts(&one.host, &other.host) {
            HostRelation::Same => compare_pages(one, other),
            HostRelation::Part => WrittenMatch::Undecidable,
            HostRelation::Other => WrittenMatch::Different,
        }
    };
    if found == WrittenMatch::Equal && one.is_copy != other.is_copy {
        return WrittenMatch::Undecidable;
    }
    found
}

/// Whether one address may be the beginning of the other.
fn may_be_cut(one: &WebAddress, other: &WebAddress) -> bool {
    let whole = |address: &WebAddress| {
        let host = address.host.strip_prefix("www.").unwrap_or(&address.host);
        format!("{host}{}", address.path).to_lowercase()
    };
    let (one_text, other_text) = (whole(one), whole(other));
    one.is_cut && other_text.starts_with(&one_text)
        || other.is_cut && one_text.starts_with(&other_text)
}

/// Compares two pages of one site.
fn compare_pages(one: &WebAddress, other: &WebAddress) -> WrittenMatch {
    let is_same_place = one.port == other.port && one.route == other.route;
    // Pages that a script shows by what is behind the `#`, each with another number or name.
    let has_other_route =
        one.path == other.path && variants::are_other_routes(&one.route, &other.route);
    let is_same_query = one.query == other.query;
    let is_same_path =
        one.path == other.path || variants::is_start_page_in_language(&one.path, &other.path);
    let is_same_page = is_same_query && is_same_path || profiles::is_same_profile(one, other);
    // Two services of one machine, if neither is the usual one.
    let has_other_port = one.port.is_some() && other.port.is_some() && one.port != other.port;
    let selects_other =
        one.path == other.path && parameters::select_others(&one.query, &other.query);
    if is_same_place && is_same_page {
        WrittenMatch::Equal
    } else if has_other_port || selects_other || has_other_route {
        WrittenMatch::Different
    } else if !is_same_place
        || profiles::may_be_same_profile(one, other)
        || one.path.to_lowercase() == other.path.to_lowercase()
        || is_within(&one.path, &other.path)
        || is_within(&other.path, &one.path)
        || variants::without_language(&one.path) == variants::without_language(&other.path)
        || variants::without_ending(&one.path) == variants::without_ending(&other.path)
    {
        WrittenMatch::Undecidable
    } else {
        WrittenMatch::Different
    }
}

/// Whether the second path is the first one or a part of the site below it.
fn is_within(path: &str, other: &str) -> bool {
    other.strip_prefix(path).is_some_and(|rest| path.is_empty() || rest.starts_with('/'))
}

/// The addresses in a text, each once.
fn addresses(text: &str) -> Vec<WebAddress> {
    let mut found: Vec<WebAddress> = Vec::new();
    let is_end = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '<' | '>'
                    | '"'
                    | '('
                    | ')'
                    | '['
                    | ']'
                    | '{'
                    | '}'
                    | '|'
                    | '`'
                    | '„'
                    | '“'
                    | '”'
                    | '«'
                    | '»'
                    | '、'
                    | '，'
                    | '「'
                    | '」'
                    | '『'
                    | '』'
                    | '【'
                    | '】'
                    | '〈'
                    | '〉'
                    | '《'
                    | '》'
            )
    };
    let is_only_one = text.split_whitespace().take(2).count() == 1;
    let mut seen: HashSet<&str> = HashSet::new();
    for word in text.split(is_end).filter(|word| seen.insert(word)) {
        let is_cut = word.ends_with("...") || word.ends_with('…');
        let word = trim_punctuation(word);
        if !word.contains('.') && !word.contains("://") && !word.contains('。') {
            continue;
        }
        for part in without_label(word).split(',') {
            let Some(mut address) = parse_address(
                trim_punctuation(glued::without_sentence(part, is_only_one)),
                is_only_one,
                FOLLOWED,
            ) else {
                continue;
            };
            address.is_cut = is_cut;
            if !found.contains(&address) {
                found.push(address);
            }
        }
        if found.len() > MAX_ADDRESSES {
            return Vec::new();
        }
    }
    found
}

/// A word without the label that touches its address: `Web:https://…`, `官网:www.…`.
fn without_label(word: &str) -> &str {
    let start = ["https://", "http://", "www."].iter().find_map(|mark| {
        let at = word.find(mark)?;
        let before = word.get(..at)?;
        // Within an address, such a mark is part of its path.
        let is_label = !before.contains(['.', '/', '@', '?', '='])
            && before.ends_with(|c: char| c == ':' || !c.is_ascii());
        is_label.then_some(at)
    });
    let word = start.and_then(|start| word.get(start..)).unwrap_or(word);
    match word.split_once(':') {
        Some((label, rest))
            if !label.contains(['.', '/', '@', '['])
                && rest.starts_with(char::is_alphabetic)
                && !label.eq_ignore_ascii_case("mailto") =>
        {
            rest
        }
        _ => word,
    }
}

fn trim_punctuation(word: &str) -> &str {
    let word = word.trim_start_matches(
        ['\'', '‘', '’', '*', '_', ',', ';', ':', '.', '-', '–', '—', '•', '@'].as_slice(),
    );
    let word = word.trim_end_matches(
        ['\'', '‘', '’', '*', '_', ',', ';', ':', '!', '?', '。', '…', '–', '—'].as_slice(),
    );
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
    word.trim_end_matches(['.', ',', ';', ':', '!', '?'].as_slice())
}

/// A text that is an address from its beginning to its end, spaces included.
fn whole_address(text: &str) -> Option<WebAddress> {
    let text = text.trim();
    let has_scheme = ["http://", "https://"].iter().any(|scheme| {
        text.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    });
    let is_one = !text.contains('\n') && text.matches("://").count() == 1;
    if has_scheme && is_one { parse_address(text, false, FOLLOWED) } else { None }
}
