//! The feeds, by the ids that the catalogue of known agents uses.

use self::{
    FeedFormat::{AddressesInHtml, Geofeed, JsonInHtml, PlainText, PrefixJson, RouteObjects},
    Ipv4Entries::{Single, Slash24, Slash28},
};

/// A feed of the lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabFeed {
    pub id: &'static str,
    pub format: FeedFormat,
    /// The address block of its prefixes: 44.{block}.0.0/16 and 2a0e:b{block, hexadecimal}::/32.
    pub(super) block: u8,
    pub(super) ipv4: Ipv4Entries,
    /// How many IPv6 prefixes it has.
    pub(super) ipv6: u16,
    /// As the feed writes it: operators use several forms.
    pub(super) creation_time: &'static str,
}

/// The formats of the feeds, by the words of the catalogue of known agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FeedFormat {
    PrefixJson,
    JsonInHtml,
    PlainText,
    Geofeed,
    AddressesInHtml,
    RouteObjects,
}

impl FeedFormat {
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

/// How many IPv4 entries a feed has, and of which size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ipv4Entries {
    /// At most 128.
    Slash24(u16),
    /// At most 2,048.
    Slash28(u16),
    /// Addresses without a mask where the format allows it. At most 12,800.
    Single(u16),
}

/// Every feed of the lab. Operators' lists have about as many entries as these.
#[must_use]
pub fn feeds() -> &'static [LabFeed] {
    FEEDS
}

pub(super) fn find(id: &str) -> Option<&'static LabFeed> {
    FEEDS.iter().find(|feed| feed.id == id)
}

const fn feed(
    block: u8,
    id: &'static str,
    format: FeedFormat,
    (ipv4, ipv6): (Ipv4Entries, u16),
    creation_time: &'static str,
) -> LabFeed {
    LabFeed { id, format, block, ipv4, ipv6, creation_time }
}

const FEEDS: &[LabFeed] = &[
    feed(1, "openai-gptbot", PrefixJson, (Slash24(21), 0), "2026-10-30T11:00:00.000000"),
    feed(2, "openai-searchbot", PrefixJson, (Slash24(35), 0), "2026-10-02T11:00:00.000000"),
    feed(3, "openai-chatgpt-user", PrefixJson, (Slash28(204), 0), "2026-11-01T20:03:38.055838"),
    feed(4, "openai-adsbot", PrefixJson, (Slash24(2), 0), "2026-09-12T03:00:00.000000"),
    feed(
        5,
        "openai-chatgpt-connectors",
        PrefixJson,
        (Slash28(261), 0),
        "2026-11-01T20:12:18.369436",
    ),
    feed(6, "openai-chatgpt-agents", PrefixJson, (Slash28(40), 0), "2026-10-20T09:30:00.000000"),
    feed(7, "anthropic-bots", PrefixJson, (Single(26), 0), "2026-10-28T20:38:01Z"),
    feed(
        8,
        "google-common-crawlers",
        PrefixJson,
        (Slash28(169), 146),
        "2026-11-01T14:46:48.000000",
    ),
    feed(
        9,
        "google-special-crawlers",
        PrefixJson,
        (Slash28(140), 130),
        "2026-11-01T14:46:48.000000",
    ),
    feed(
        10,
        "google-user-triggered-fetchers",
        PrefixJson,
        (Slash28(556), 500),
        "2026-11-01T14:46:22.000000",
    ),
    feed(
        11,
        "google-user-triggered-fetchers-google",
        PrefixJson,
        (Slash28(247), 247),
        "2026-11-01T14:45:56.000000",
    ),
    feed(
        12,
        "google-user-triggered-agents",
        PrefixJson,
        (Slash28(12), 8),
        "2026-11-01T14:46:15.000000",
    ),
    feed(13, "bingbot", PrefixJson, (Slash24(28), 0), "2024-01-03T10:00:00.121331"),
    feed(14, "applebot", PrefixJson, (Slash24(33), 0), "2026-10-31T10:00:00.000000"),
    feed(15, "perplexitybot", PrefixJson, (Slash24(8), 0), "2025-02-07T16:56:00.000000"),
    feed(16, "perplexity-user", PrefixJson, (Slash24(4), 0), "2025-10-17T10:17:00.000000"),
    feed(17, "amazonbot", JsonInHtml, (Single(524), 0), "2026-04-30T00:00:00.000000+00:00"),
    feed(18, "amzn-searchbot", JsonInHtml, (Single(512), 0), "2025-11-21T23:40:00.471564Z"),
    feed(19, "amzn-user", JsonInHtml, (Single(1023), 0), "2025-11-04T15:57:38.092840+00:00"),
    feed(20, "ccbot", PrefixJson, (Slash24(5), 1), "2026-10-04T12:40:20Z"),
    // DuckDuckGo publishes one list at two addresses.
    feed(21, "duckduckbot", PrefixJson, (Single(481), 0), "2026-10-03T15:15:37.000000"),
    feed(21, "duckassistbot", PrefixJson, (Single(481), 0), "2026-10-03T15:15:37.000000"),
    feed(22, "mistralai-user", PrefixJson, (Slash24(4), 0), "2025-02-19T12:00:00.000000"),
    feed(23, "mistralai-index", PrefixJson, (Slash24(2), 0), "2026-04-19T12:00:00.000000"),
    feed(24, "parallel-shapbot", PrefixJson, (Slash24(10), 0), "2026-07-14T00:00:00.000000"),
    feed(25, "meta-geofeed", Geofeed, (Slash24(90), 60), "2026-11-01"),
    feed(26, "meta-radb", RouteObjects, (Slash24(120), 80), "2026-11-01"),
    feed(27, "yandex-ips", AddressesInHtml, (Slash24(18), 0), "2026-11-01"),
    feed(28, "kagi-page", AddressesInHtml, (Single(4), 0), "2026-11-01"),
    // No operator in the catalogue publishes plain text today; some did, and own catalogues may.
    feed(29, "plain-text", PlainText, (Slash24(12), 3), "2026-11-01"),
];

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn only_one_list_is_published_under_two_ids() {
        let mut by_block: HashMap<u8, Vec<&str>> = HashMap::new();
        for feed in feeds() {
            by_block.entry(feed.block).or_default().push(feed.id);
        }
        let shared: Vec<_> = by_block.values().filter(|ids| ids.len() > 1).collect();
        assert_eq!(shared, [&vec!["duckduckbot", "duckassistbot"]]);
    }
}
