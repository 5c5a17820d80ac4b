//! Every limit on how often something may be asked for, in one table: limiters are built from it, the
//! documentation prints it, and tests compare the texts with it.

use std::time::Duration;

use crate::limits;

/// A limit under the name by which responses report it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    pub name: &'static str,
    /// What is counted, for people.
    pub counts: &'static str,
    /// The default; operators may set another with `setting`.
    pub max: u32,
    pub period: Period,
    pub counted_by: CountedBy,
    /// The configuration key. `None` if operators cannot change it.
    pub setting: Option<&'static str>,
}

/// In which time the requests of a policy are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// So many at once, and one more for each part of the time that has passed: never more than the
    /// maximum and what has come back meanwhile.
    Steady(Duration),
    /// At most so many in any period of this length.
    Exact(Duration),
    /// A UTC day, counted in the store.
    Day,
    /// At the same time.
    AtOnce,
}

impl Period {
    /// The length of the period; `None` if it has none.
    #[must_use]
    pub fn window(self) -> Option<Duration> {
        match self {
            Self::Steady(window) | Self::Exact(window) => Some(window),
            Self::Day => Some(Duration::from_secs(24 * 3600)),
            Self::AtOnce => None,
        }
    }
}

/// Whose requests are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountedBy {
    /// An IPv4 address, or an IPv6 /64 network and the larger networks around it ([`NETWORK_TIERS`]).
    Address,
    Licence,
    /// The registrable domain that is read, over all clients.
    Target,
    /// All clients together.
    Everybody,
}

/// An IPv6 network that is counted together, besides the /64 network of each client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkTier {
    pub prefix_bits: u8,
    /// How many times the limit of one client the network has.
    pub factor: u32,
}

/// Whoever gets an IPv6 network from a provider usually gets a /56 or a /48, and has 256 or 65,536 networks
/// of 64 bits in it. So these are counted, too.
pub const NETWORK_TIERS: [NetworkTier; 2] =
    [NetworkTier { prefix_bits: 56, factor: 4 }, NetworkTier { prefix_bits: 48, factor: 16 }];

/// If a limiter has no room for another client, new clients are counted by these networks until it has.
pub const CROWD_IPV4_BITS: u8 = 16;
pub const CROWD_IPV6_BITS: u8 = 32;
/// How many times the limit of one client such a network has.
pub const CROWD_FACTOR: u32 = 64;

const fn by_address(
    name: &'static str,
    counts: &'static str,
    max: u32,
    setting: Option<&'static str>,
) -> Policy {
    let period = Period::Steady(limits::RATE_WINDOW);
    Policy { name, counts, max, period, counted_by: CountedBy::Address, setting }
}

const fn by_licence(
    name: &'static str,
    counts: &'static str,
    max: u32,
    setting: &'static str,
) -> Policy {
    Policy { counted_by: CountedBy::Licence, ..by_address(name, counts, max, Some(setting)) }
}

const fn of_target(
    name: &'static str,
    counts: &'static str,
    max: u32,
    period: Period,
    setting: Option<&'static str>,
) -> Policy {
    Policy { name, counts, max, period, counted_by: CountedBy::Target, setting }
}

pub const SCAN_BURST: Policy = Policy {
    period: Period::Exact(limits::SCAN_BURST_WINDOW),
    ..by_address(
        "scan-10s",
        "Scan requests, by the API and by the form",
        limits::SCAN_BURST,
        Some("limits.scan_per_10s"),
    )
};
pub const SCAN: Policy = Policy {
    period: Period::Exact(limits::SCAN_MINUTE_WINDOW),
    ..by_address(
        "scan",
        "Scan requests, by the API and by the form",
        limits::SCAN_PER_MINUTE,
        Some("limits.scan_per_minute"),
    )
};
pub const SCAN_DAY: Policy = Policy {
    period: Period::Day,
    ..by_address(
        "scan-day",
        "Free scans by the API",
        limits::SCAN_PER_DAY,
        Some("limits.scan_per_day"),
    )
};
pub const SCAN_DAY_TOTAL: Policy = Policy {
    name: "scans-of-everybody",
    counts: "Free scans",
    max: limits::SCANS_PER_DAY_TOTAL,
    period: Period::Day,
    counted_by: CountedBy::Everybody,
    setting: Some("limits.scans_daily_total"),
};
pub const KEYED_SCAN: Policy = by_licence(
    "keyed-scan",
    "Scan requests with a licence key",
    limits::KEYED_SCANS_PER_MINUTE,
    "limits.keyed_scan_per_minute",
);
pub const READ: Policy = by_address(
    "read",
    "Requests for stored records, reports, seals, schemas, keys, badges and pages",
    limits::READ_PER_MINUTE,
    Some("limits.read_per_minute"),
);
pub const KEYED_READ: Policy = by_licence(
    "keyed-read",
    "The same with a licence key",
    limits::KEYED_READS_PER_MINUTE,
    "limits.keyed_read_per_minute",
);
pub const DECIDE: Policy = by_address(
    "decide",
    "Decisions (resolve, preflight, checks of MCP servers); a batch counts as its number of items",
    limits::DECIDE_PER_MINUTE,
    Some("limits.decide_per_minute"),
);
pub const KEYED_DECIDE: Policy = by_licence(
    "keyed-decide",
    "The same with a licence key",
    limits::KEYED_DECISIONS_PER_MINUTE,
    "limits.keyed_decide_per_minute",
);
pub const LIVE: Policy = by_address(
    "live",
    "Requests that make us read a site",
    limits::LIVE_PER_MINUTE,
    Some("limits.live_per_minute"),
);
pub const KEYED_LIVE: Policy = by_licence(
    "keyed-live",
    "The same with a licence key",
    limits::KEYED_LIVE_PER_MINUTE,
    "limits.keyed_live_per_minute",
);
pub const VISITORS: Policy = by_address(
    "visitors",
    "Visitors to check; a batch counts as its number of items",
    limits::VISITORS_PER_MINUTE,
    Some("limits.visitors_per_minute"),
);
pub const FEED: Policy = Policy {
    period: Period::Steady(limits::FEED_WINDOW),
    ..by_address(
        "feed",
        "Requests for feeds, for the log below /api/v1, and for pictures and bundles that must be made first",
        limits::FEED_PER_MINUTE,
        Some("limits.feed_per_minute"),
    )
};
pub const LOG_FILE: Policy = by_address(
    "log-file",
    "Files of the log below /log/; enough for a copy of 50,000 entries in a second",
    limits::LOG_FILES_PER_MINUTE,
    None,
);
pub const OUTCOME: Policy =
    by_address("outcome", "Outcome reports", limits::OUTCOMES_PER_MINUTE, None);
pub const OUTCOME_DAY: Policy = Policy {
    period: Period::Day,
    ..by_address(
        "outcome-day",
        "Outcome reports",
        limits::OUTCOMES_PER_DAY,
        Some("limits.outcomes_per_day"),
    )
};
pub const CLOCK_DAY: Policy = Policy {
    period: Period::Day,
    ..by_address(
        "clock-day",
        "Content clocks that are started",
        limits::CLOCKS_PER_ADDRESS_A_DAY,
        None,
    )
};
pub const FREE_KEY_DAY: Policy = Policy {
    period: Period::Day,
    ..by_address(
        "free-key-day",
        "Requests for a free key by mail, if this service offers them",
        limits::FREE_KEYS_PER_ADDRESS_A_DAY,
        None,
    )
};
pub const CLAIM_CHECK_DAY: Policy = Policy {
    period: Period::Day,
    ..by_address(
        "claim-check-day",
        "Reads of the proofs of one domain, at the request of a claimant",
        limits::CLAIM_CHECKS_PER_DAY,
        None,
    )
};
pub const FREE_KEY_DAY_TOTAL: Policy = Policy {
    name: "free-keys-of-everybody",
    counts: "Requests for a free key by mail, if this service offers them",
    max: limits::FREE_KEY_MAILS_PER_DAY,
    period: Period::Day,
    counted_by: CountedBy::Everybody,
    setting: None,
};
pub const STREAM: Policy = Policy {
    period: Period::AtOnce,
    ..by_address("stream", "Open streams of the progress of a scan", limits::STREAMS_AT_ONCE, None)
};
pub const MCP: Policy = by_address(
    "mcp",
    "Messages to /mcp; a tool call also counts as the operation that it calls",
    limits::MCP_PER_MINUTE,
    None,
);
pub const READINESS: Policy = by_address(
    "readiness",
    "Readiness checks, which write to the store",
    limits::READINESS_PER_MINUTE,
    None,
);
pub const METRICS: Policy = by_address(
    "metrics",
    "Requests for the metrics",
    limits::METRICS_PER_MINUTE,
    Some("limits.metrics_per_minute"),
);
pub const WRONG_KEY: Policy = by_address(
    "wrong-key",
    "Licence keys that are not valid",
    limits::WRONG_KEYS_PER_MINUTE,
    Some("limits.wrong_keys_per_minute"),
);
pub const TARGET_LIVE: Policy = of_target(
    "target-live",
    "Live readings of one site",
    limits::TARGET_LIVE_PER_HOUR,
    Period::Exact(limits::TARGET_WINDOW),
    Some("targets.domain_live_per_hour"),
);
pub const TARGET_LIVE_AT_ONCE: Policy =
    of_target("target-live-at-once", "Live readings of one site", 1, Period::AtOnce, None);
pub const TARGET_SCAN: Policy = of_target(
    "target-scan",
    "Full scans of one site without a licence",
    limits::TARGET_SCANS_PER_HOUR,
    Period::Exact(limits::TARGET_WINDOW),
    Some("targets.domain_scans_per_hour"),
);
pub const TARGET_SCAN_AT_ONCE: Policy =
    of_target("target-scan-at-once", "Full scans of one site", 1, Period::AtOnce, None);
pub const TARGET_MCP: Policy = of_target(
    "target-mcp",
    "Readings of the lists of one site's MCP servers",
    limits::TARGET_MCP_WALKS_PER_HOUR,
    Period::Exact(limits::TARGET_WINDOW),
    Some("targets.domain_mcp_walks_per_hour"),
);
pub const TOTAL_LIVE: Policy = Policy {
    name: "total-live",
    counts: "Live readings of all sites",
    max: limits::TOTAL_LIVE_PER_MINUTE,
    period: Period::Exact(limits::RATE_WINDOW),
    counted_by: CountedBy::Everybody,
    setting: Some("targets.total_live_per_minute"),
};
pub const REGISTRY: Policy = Policy {
    name: "registry",
    counts: "Reads of the server of one registry",
    max: limits::REGISTRY_READS_PER_MINUTE,
    period: Period::Exact(limits::RATE_WINDOW),
    counted_by: CountedBy::Everybody,
    setting: Some("registry.reads_per_minute"),
};

/// Every policy, in the order in which the documentation prints them.
pub const POLICIES: [Policy; 32] = [
    SCAN_BURST,
    SCAN,
    SCAN_DAY,
    SCAN_DAY_TOTAL,
    KEYED_SCAN,
    READ,
    KEYED_READ,
    DECIDE,
    KEYED_DECIDE,
    LIVE,
    KEYED_LIVE,
    VISITORS,
    FEED,
    LOG_FILE,
    OUTCOME,
    OUTCOME_DAY,
    CLOCK_DAY,
    FREE_KEY_DAY,
    CLAIM_CHECK_DAY,
    FREE_KEY_DAY_TOTAL,
    STREAM,
    MCP,
    READINESS,
    METRICS,
    WRONG_KEY,
    TARGET_LIVE,
    TARGET_LIVE_AT_ONCE,
    TARGET_SCAN,
    TARGET_SCAN_AT_ONCE,
    TARGET_MCP,
    TOTAL_LIVE,
    REGISTRY,
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_policy_is_there_once_under_a_name_that_headers_can_carry() {
        let names: BTreeSet<&str> = POLICIES.iter().map(|policy| policy.name).collect();
        assert_eq!(names.len(), POLICIES.len());
        for policy in POLICIES {
            let plain =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            assert!(policy.name.bytes().all(plain), "{}", policy.name);
            assert!(policy.max > 0 && !policy.counts.ends_with('.'), "{}", policy.name);
            assert!(policy.period.window() != Some(Duration::ZERO), "{}", policy.name);
        }
    }

    /// The limits that the interface states as numbers.
    #[test]
    fn the_limits_of_the_interface() {
        assert_eq!(
            (SCAN_BURST.max, SCAN_BURST.period),
            (5, Period::Exact(Duration::from_secs(10)))
        );
        assert_eq!((SCAN.max, SCAN.period), (6, Period::Exact(Duration::from_secs(60))));
        assert_eq!((SCAN_DAY.max, OUTCOME_DAY.max), (20, 500));
    }

    /// The defaults in the README's table of settings are those of the table here.
    #[test]
    fn the_readme_states_the_defaults() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
        let readme = std::fs::read_to_string(path).unwrap();
        for policy in POLICIES {
            let Some(setting) = policy.setting else { continue };
            let quoted = format!("`{setting}`");
            let row = readme.lines().find(|line| line.starts_with("| ") && line.contains(&quoted));
            let row = row.unwrap_or_else(|| panic!("{setting} is not in the README"));
            let mut cells = row.split('|').skip(1);
            let (names, values) = (cells.next().unwrap(), cells.next().unwrap());
            let place = names.split(", ").position(|name| name.trim() == quoted).unwrap();
            // Values for a public service are in brackets.
            let mut plain = String::new();
            for part in values.split('(') {
                plain.push_str(part.split_once(')').map_or(part, |(_, rest)| rest));
            }
            let value = plain.split(',').nth(place).unwrap().trim();
            assert_eq!(value, policy.max.to_string(), "{setting}");
        }
        for network in NETWORK_TIERS {
            assert!(readme.contains(&format!("/{}", network.prefix_bits)));
        }
        assert!(readme.contains("have 4 and 16 times the limit"));
    }
}
