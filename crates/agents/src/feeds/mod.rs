//! The lists of addresses that operators of agents publish: from bytes to prefixes, and whether they
//! may replace the last good copy.
//!
//! [`parse_feed`] accepts what operators write in practice and refuses what is not a list.
//! [`check_feed`] refuses a list that cannot be right. Both take linear time; a feed of
//! [`MAX_FEED_BYTES`] needs less than 100 MB of memory while it is read.

mod acceptance;
mod addresses_in_html;
mod collector;
mod content;
mod fault;
mod geofeed;
mod json_in_html;
mod limits;
mod page_text;
mod plain_text;
mod prefix_json;
mod route_objects;
#[cfg(test)]
mod tests;

pub use acceptance::{MAX_IPV4_ADDRESSES, check_feed};
pub use content::FeedContent;
pub use fault::{AddressFamily, FeedFault};
pub use limits::{MAX_FEED_BYTES, MAX_PREFIXES};

use crate::feed_format::FeedFormat;

/// Reads a feed. Any bytes are accepted; what is not a list of prefixes is a fault.
pub fn parse_feed(format: FeedFormat, bytes: &[u8]) -> Result<FeedContent, FeedFault> {
    if bytes.len() > MAX_FEED_BYTES {
        return Err(FeedFault::TooLarge);
    }
    // Prefixes are ASCII: other encodings only spoil the text around them.
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace());
    if text.is_empty() {
        return Err(FeedFault::Empty);
    }
    let is_page = text.starts_with('<');
    match format {
        FeedFormat::JsonInHtml => json_in_html::parse(text),
        FeedFormat::AddressesInHtml => addresses_in_html::parse(text),
        _ if is_page => Err(FeedFault::WebPage),
        FeedFormat::PrefixJson => prefix_json::parse(text),
        FeedFormat::PlainText => plain_text::parse(text),
        FeedFormat::Geofeed => geofeed::parse(text),
        FeedFormat::RouteObjects => route_objects::parse(text),
    }
}

impl FeedFormat {
    /// The word for the format in data files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PrefixJson => "prefix_json",
            Self::JsonInHtml => "json_in_html",
            Self::PlainText => "plain_text",
            Self::Geofeed => "geofeed",
            Self::AddressesInHtml => "addresses_in_html",
            Self::RouteObjects => "route_objects",
        }
    }
}
