//! Addresses in the text of a web page.
//!
//! Only a word that is nothing but an address or prefix counts, so that versions (`Bot/1.0.0.120`)
//! and parts of other words do not.

use ipnet::IpNet;

use super::collector::PrefixCollector;
use super::content::FeedContent;
use super::fault::FeedFault;
use super::page_text::{TextPieces, page_text};
use crate::prefix_text::parse_prefix;

/// Pages with such a text turn robots away, and many of them name the address of the robot.
const REFUSALS: &[&str] = &[
    "access denied",
    "are you a robot",
    "enable javascript and cookies",
    "ray id",
    "verify you are human",
    "verifying you are human",
    "your ip address",
    "your ip:",
];

/// After these words, four numbers with dots are a version.
const VERSION_WORDS: &[&str] = &["build", "release", "v", "ver", "version"];

pub(super) fn parse(html: &str) -> Result<FeedContent, FeedFault> {
    let text = page_text(html, TextPieces::Visible)?;
    let lower_case = text.to_ascii_lowercase();
    if REFUSALS.iter().any(|refusal| lower_case.contains(refusal)) {
        return Err(FeedFault::RefusalPage);
    }
    let mut prefixes = PrefixCollector::default();
    let mut previous = "";
    for word in lower_case.split(is_separator).map(without_full_stop) {
        if !word.is_empty() {
            let is_version = VERSION_WORDS.contains(&previous);
            match parse_prefix(word).filter(is_plausible) {
                Some(prefix) if !is_version => prefixes.add(Some(prefix))?,
                None if is_dotted_number(word) => prefixes.add(None)?,
                _ => {}
            }
            previous = word;
        }
    }
    prefixes.finish(None)
}

fn is_separator(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, ',' | ';' | '|' | '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '•')
}

/// The word without what ends a sentence or a heading. `2a00::` keeps its colons.
fn without_full_stop(word: &str) -> &str {
    let word = word.trim_end_matches('.');
    match word.strip_suffix(':') {
        Some(heading) if !heading.contains(':') => heading,
        _ => word,
    }
}

/// Words with colons can look like IPv6 addresses by chance (`dead::beef`); public ones begin with 2
/// or 3.
fn is_plausible(prefix: &IpNet) -> bool {
    match prefix {
        IpNet::V4(_) => true,
        IpNet::V6(net) => net.network().segments().first().is_some_and(|part| part >> 13 == 1),
    }
}

/// Numbers with three dots that are no address, such as 3.455.766.537.
fn is_dotted_number(word: &str) -> bool {
    let digits_and_dots = |c: char| c.is_ascii_digit() || matches!(c, '.' | '/');
    word.chars().all(digits_and_dots) && word.matches('.').count() == 3
}
