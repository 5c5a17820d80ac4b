//! The formats in which operators publish their address ranges.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedFormat {
    /// `{"prefixes": [{"ipv4Prefix": …}, {"ipv6Prefix": …}]}` and its variants.
    PrefixJson,
    /// Such JSON inside an HTML page, with or without character references.
    JsonInHtml,
    /// One prefix or address a line; `#` begins a comment.
    PlainText,
    /// RFC 8805: comma-separated, the prefix in the first column.
    Geofeed,
    /// Addresses in the text of an HTML page.
    AddressesInHtml,
    /// `route:` and `route6:` lines of a routing registry.
    RouteObjects,
}
