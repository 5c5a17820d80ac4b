//! One prefix or address a line. `#` or `;` begins a comment.

use super::collector::PrefixCollector;
use super::content::FeedContent;
use super::fault::FeedFault;
use crate::prefix_text::{is_zero_width, parse_prefix};

pub(super) fn parse(text: &str) -> Result<FeedContent, FeedFault> {
    let mut prefixes = PrefixCollector::default();
    for line in text.split(['\n', '\r']) {
        let content = line.split(['#', ';']).next().unwrap_or_default();
        let mut words = content
            .split(|c: char| c.is_whitespace() || c == ',')
            .filter(|word| !word.chars().all(is_zero_width));
        // A line that begins with another word is a sentence, even if it names an address.
        let Some(first) = words.next() else {
            continue;
        };
        let first = parse_prefix(first);
        prefixes.add(first)?;
        if first.is_some() {
            for prefix in words.filter_map(parse_prefix) {
                prefixes.add(Some(prefix))?;
            }
        }
    }
    prefixes.finish(None)
}
