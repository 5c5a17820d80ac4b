//! The answer of a routing registry: the prefixes of `route:` and `route6:` lines (RFC 2622, RFC
//! 4012). All other lines are ignored.

use super::collector::PrefixCollector;
use super::content::FeedContent;
use super::fault::FeedFault;
use crate::prefix_text::parse_prefix;

pub(super) fn parse(text: &str) -> Result<FeedContent, FeedFault> {
    let mut prefixes = PrefixCollector::default();
    for line in text.split(['\n', '\r']) {
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        if name.eq_ignore_ascii_case("route") || name.eq_ignore_ascii_case("route6") {
            let value = value.split('#').next().unwrap_or_default();
            prefixes.add(parse_prefix(value))?;
        }
    }
    prefixes.finish(None)
}
