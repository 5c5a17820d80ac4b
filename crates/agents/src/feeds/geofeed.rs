//! Geofeeds (RFC 8805): comma-separated, the prefix in the first column.

use super::collector::PrefixCollector;
use super::content::FeedContent;
use super::fault::FeedFault;
use crate::prefix_text::parse_prefix;

pub(super) fn parse(text: &str) -> Result<FeedContent, FeedFault> {
    let mut prefixes = PrefixCollector::default();
    for line in text.split(['\n', '\r']) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let column = line.split([',', '#']).next().unwrap_or_default().trim();
        let unquoted = column.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        prefixes.add(parse_prefix(unquoted.unwrap_or(column)))?;
    }
    prefixes.finish(None)
}
