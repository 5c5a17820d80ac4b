//! Why a feed is refused.

use std::fmt;

use ipnet::IpNet;

use super::limits::{MAX_FEED_BYTES, MAX_PREFIXES};

/// Why a feed is refused. The text tells people what happened; the last good copy stays in use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FeedFault {
    #[error("the file is larger than {} MB", MAX_FEED_BYTES / 1_000_000)]
    TooLarge,
    #[error("the list has more than {MAX_PREFIXES} prefixes")]
    TooManyPrefixes,
    #[error("the operator's server sent an empty file")]
    Empty,
    #[error("the operator's server sent a web page instead of the list")]
    WebPage,
    #[error("the operator's server sent a page that turns robots away instead of the list")]
    RefusalPage,
    #[error("the web page that contains the list could not be read")]
    UnreadablePage,
    #[error("the file ends in the middle of the list")]
    Truncated,
    #[error("the list is not valid JSON: {reason} (line {line}, column {column})")]
    InvalidJson { reason: &'static str, line: usize, column: usize },
    #[error("the file is JSON, but its member `prefixes` with the list is missing")]
    NotAPrefixList,
    #[error("the list has version {major} of its format; only version 1 is supported")]
    UnsupportedVersion { major: u64 },
    #[error("the web page contains no JSON with a list of prefixes")]
    NoJsonInPage,
    #[error("the list contains no address prefix")]
    NoPrefixes,
    #[error("{skipped} of {total} entries of the list are not address prefixes")]
    MostlyInvalid { skipped: usize, total: usize },
    #[error("the list contains {prefix}, which is every address")]
    EveryAddress { prefix: IpNet },
    #[error(
        "the list contains {prefix}; a prefix shorter than /{shortest} is too wide to be right"
    )]
    TooWide { prefix: IpNet, shortest: u8 },
    #[error(
        "the list contains {prefix}, which no public client can have ({block} addresses, {source_document})"
    )]
    SpecialPurpose { prefix: IpNet, block: &'static str, source_document: &'static str },
    #[error("the list contains {addresses} IPv4 addresses, too many to be right")]
    TooManyAddresses { addresses: u64 },
    #[error("the list shrank from {before} prefixes to {now}, by 90 % or more")]
    FewerPrefixes { before: usize, now: usize },
    #[error("the list shrank from {before} {family} addresses to {now}, by 90 % or more")]
    FewerAddresses { family: AddressFamily, before: u128, now: u128 },
}

/// The version of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressFamily {
    Ipv4,
    Ipv6,
}

impl fmt::Display for AddressFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ipv4 => "IPv4",
            Self::Ipv6 => "IPv6",
        })
    }
}

impl FeedFault {
    /// A word for programs: metrics, stored records.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLarge => "too_large",
            Self::TooManyPrefixes => "too_many_prefixes",
            Self::Empty => "empty",
            Self::WebPage => "web_page",
            Self::RefusalPage => "refusal_page",
            Self::UnreadablePage => "unreadable_page",
            Self::Truncated => "truncated",
            Self::InvalidJson { .. } => "invalid_json",
            Self::NotAPrefixList => "not_a_prefix_list",
            Self::UnsupportedVersion { .. } => "unsupported_version",
            Self::NoJsonInPage => "no_json_in_page",
            Self::NoPrefixes => "no_prefixes",
            Self::MostlyInvalid { .. } => "mostly_invalid",
            Self::EveryAddress { .. } => "every_address",
            Self::TooWide { .. } => "too_wide",
            Self::SpecialPurpose { .. } => "special_purpose",
            Self::TooManyAddresses { .. } => "too_many_addresses",
            Self::FewerPrefixes { .. } => "fewer_prefixes",
            Self::FewerAddresses { .. } => "fewer_addresses",
        }
    }
}
