//! The values of a statement: bounded, in one plain line, and absent where the engine only says that it
//! does not know.

use contract::text::plain_line;

use super::address::is_web_address;

/// The most characters of each value.
pub const MAX_PHONE: usize = 64;
pub const MAX_ADDRESS: usize = 300;
pub const MAX_WEBSITE: usize = 300;
pub const MAX_HOURS: usize = 600;
/// The most sources, and the most characters of each.
pub const MAX_SOURCES: usize = 20;
pub const MAX_SOURCE: usize = 300;

/// A value as one line; `None` if it says that nothing is known.
pub(super) fn stated_value(text: &str, max_chars: usize) -> Option<String> {
    let line = plain_line(text, max_chars);
    (!is_placeholder(&line)).then_some(line)
}

/// A web address or the name of a host; `None` for anything else.
pub(super) fn stated_website(text: &str) -> Option<String> {
    whole_address(text, MAX_WEBSITE)
}

/// Addresses, each once. What is no web address is left out.
pub(super) fn source_list<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut sources: Vec<String> = Vec::new();
    for address in texts.filter_map(|text| whole_address(text, MAX_SOURCE)) {
        if sources.len() == MAX_SOURCES {
            break;
        }
        if !sources.contains(&address) {
            sources.push(address);
        }
    }
    sources
}

/// An address that is not cut: a part of one would be another one.
fn whole_address(text: &str, max_chars: usize) -> Option<String> {
    let text = text.trim();
    let is_whole = text.chars().nth(max_chars).is_none();
    (is_whole && is_web_address(text)).then(|| text.to_owned())
}

/// Words that stand in for a value.
fn is_placeholder(line: &str) -> bool {
    const WORDS: [&str; 31] = [
        "",
        "unknown",
        "n/a",
        "n.a",
        "na",
        "nil",
        "none",
        "null",
        "undefined",
        "not applicable",
        "not available",
        "unavailable",
        "not found",
        "none found",
        "no data",
        "no information",
        "no information available",
        "information not available",
        "not known",
        "not listed",
        "not specified",
        "not stated",
        "not provided",
        "not published",
        "not publicly available",
        "i don't know",
        "i do not know",
        "i don’t know",
        "tbd",
        "string",
        "could not be found",
    ];
    let is_rim = |c: char| c.is_whitespace() || "\"'`.,;:!?()[]<>{}*_-–—".contains(c);
    let word = line.trim_matches(is_rim).to_lowercase();
    WORDS.contains(&word.as_str())
}
