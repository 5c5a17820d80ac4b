//! JSON lists as search engines introduced them, with the variants of other operators and of the
//! drafts of a standard for them (draft-illyes-webbotauth-jafar).
//!
//! A feed is an object with the member `prefixes` or `ipv6_prefixes`, or both. Each is an array of
//! objects with one prefix, or of texts. Unknown members are ignored.

use contract::Timestamp;
use contract::json::{self, Bom, Builder, DuplicateMember, Limits};
use ipnet::IpNet;
use serde_json::Number;

use super::collector::PrefixCollector;
use super::content::FeedContent;
use super::fault::FeedFault;
use super::limits::MAX_FEED_BYTES;
use crate::prefix_text::parse_prefix;

const LIMITS: Limits = Limits {
    bytes: MAX_FEED_BYTES,
    depth: 64,
    // Five for each prefix: the object, the prefix, and a list of services.
    values: 1_000_000,
    max_integer: None,
    bom: Bom::Reject,
};

pub(super) fn parse(text: &str) -> Result<FeedContent, FeedFault> {
    let bytes = text.as_bytes();
    match json::build(bytes, &LIMITS, &mut FeedBuilder) {
        Ok(JsonPart::Feed(feed)) => feed.into_content(),
        Ok(_) => Err(FeedFault::NotAPrefixList),
        Err(error) if error.offset >= bytes.len() => Err(FeedFault::Truncated),
        Err(error) => Err(FeedFault::InvalidJson {
            reason: error.kind.as_str(),
            line: error.line,
            column: error.column,
        }),
    }
}

/// What is kept of a value. An array or object is reduced as soon as it is complete, so that a feed
/// never takes much more memory than its bytes.
enum JsonPart {
    Text(String),
    /// An object without lists, with its prefix if it has a valid one.
    Entry(Option<IpNet>),
    /// The prefixes of the items of an array.
    List(Vec<Option<IpNet>>),
    /// An object with a list.
    Feed(Box<FeedMembers>),
    Other,
}

#[derive(Default)]
struct ObjectMembers {
    /// How many members name a prefix.
    prefix_members: usize,
    prefix: Option<IpNet>,
    feed: Option<Box<FeedMembers>>,
}

#[derive(Default)]
struct FeedMembers {
    prefixes: Option<Vec<Option<IpNet>>>,
    ipv6_prefixes: Option<Vec<Option<IpNet>>>,
    created_at: Option<Timestamp>,
    major_version: Option<u64>,
}

impl FeedMembers {
    fn into_content(self) -> Result<FeedContent, FeedFault> {
        if let Some(major) = self.major_version.filter(|major| *major > 1) {
            return Err(FeedFault::UnsupportedVersion { major });
        }
        let mut prefixes = PrefixCollector::default();
        for entry in self.prefixes.into_iter().chain(self.ipv6_prefixes).flatten() {
            prefixes.add(entry)?;
        }
        prefixes.finish(self.created_at)
    }
}

struct FeedBuilder;

impl Builder for FeedBuilder {
    type Value = JsonPart;
    type Members = ObjectMembers;

    fn null(&mut self) -> JsonPart {
        JsonPart::Other
    }

    fn boolean(&mut self, _: bool) -> JsonPart {
        JsonPart::Other
    }

    fn number(&mut self, _: Number) -> JsonPart {
        JsonPart::Other
    }

    fn text(&mut self, value: String) -> JsonPart {
        JsonPart::Text(value)
    }

    fn array(&mut self, items: Vec<JsonPart>) -> JsonPart {
        let prefix_of = |item: JsonPart| match item {
            JsonPart::Text(text) => parse_prefix(&text),
            JsonPart::Entry(prefix) => prefix,
            JsonPart::List(_) | JsonPart::Feed(_) | JsonPart::Other => None,
        };
        JsonPart::List(items.into_iter().map(prefix_of).collect())
    }

    fn object(&mut self, members: ObjectMembers) -> JsonPart {
        match members.feed {
            Some(feed) if feed.prefixes.is_some() || feed.ipv6_prefixes.is_some() => {
                JsonPart::Feed(feed)
            }
            // An entry with two prefixes is invalid (section 2.3 of the draft).
            _ => JsonPart::Entry(members.prefix.filter(|_| members.prefix_members == 1)),
        }
    }

    fn add_member(
        &mut self,
        members: &mut ObjectMembers,
        name: String,
        value: JsonPart,
    ) -> Result<(), DuplicateMember> {
        match (name.as_str(), value) {
            (
                "ipv4Prefix" | "ipv6Prefix" | "ip_prefix" | "ipv4_prefix" | "ipv6_prefix",
                JsonPart::Text(text),
            ) if !text.is_empty() => {
                members.prefix_members += 1;
                members.prefix = parse_prefix(&text);
                Ok(())
            }
            ("prefixes", JsonPart::List(list)) => {
                set_once(&mut members.feed.get_or_insert_default().prefixes, list)
            }
            ("ipv6_prefixes", JsonPart::List(list)) => {
                set_once(&mut members.feed.get_or_insert_default().ipv6_prefixes, list)
            }
            ("creationTime", JsonPart::Text(text)) => {
                members.feed.get_or_insert_default().created_at = parse_time(&text);
                Ok(())
            }
            ("formatVersion", JsonPart::Text(text)) => {
                let major = text.split('.').next().unwrap_or_default().parse().ok();
                members.feed.get_or_insert_default().major_version = major;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// A second list of the same name would replace the first one unnoticed.
fn set_once<T>(member: &mut Option<T>, value: T) -> Result<(), DuplicateMember> {
    match member {
        Some(_) => Err(DuplicateMember),
        None => {
            *member = Some(value);
            Ok(())
        }
    }
}

/// A time with or without zone and fraction, or a day. Without a zone it is UTC.
fn parse_time(text: &str) -> Option<Timestamp> {
    let text = text.trim().replacen(' ', "T", 1);
    Timestamp::from_rfc3339(&text)
        .or_else(|_| Timestamp::from_rfc3339(&format!("{text}Z")))
        .or_else(|_| Timestamp::from_rfc3339(&format!("{text}T00:00:00Z")))
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_operators_write_them() {
        for (text, millis) in [
            ("2026-01-02T11:00:00.000000", "2026-01-02T11:00:00Z"),
            ("2026-01-02T11:00:00", "2026-01-02T11:00:00Z"),
            ("2026-01-02T11:00:00Z", "2026-01-02T11:00:00Z"),
            ("2026-01-02T11:00:00.471564Z", "2026-01-02T11:00:00.471Z"),
            ("2026-01-02T11:00:00.500000+00:00", "2026-01-02T11:00:00.5Z"),
            ("2026-01-02T12:00:00+01:00", "2026-01-02T11:00:00Z"),
            (" 2026-01-02 11:00:00 ", "2026-01-02T11:00:00Z"),
            ("2026-01-02", "2026-01-02T00:00:00Z"),
        ] {
            assert_eq!(parse_time(text), Some(millis.parse().unwrap()), "{text}");
        }
        for text in ["", "yesterday", "2026-13-02T11:00:00", "1767351600", "2026-01-02-11-00-00"] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }
}
