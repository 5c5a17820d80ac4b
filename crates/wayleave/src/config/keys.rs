//! Every configuration key, once: its name, its form, and what it is for.
//!
//! The file, the environment, the flags and `wayleave config` all come from this list, and the
//! README's table is held against it.

/// The form of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Number,
    /// `true` or `false`.
    Flag,
    /// Separated by commas in the environment and in flags.
    List,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    pub(crate) section: &'static str,
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    /// What holds when nothing is given, as shown to people.
    pub(crate) default: &'static str,
    pub(crate) help: &'static str,
}

impl Key {
    /// `server.listen`
    pub(crate) fn dotted(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    /// `WAYLEAVE_SERVER_LISTEN`
    pub(crate) fn variable(&self) -> String {
        format!("WAYLEAVE_{}_{}", self.section, self.name).to_ascii_uppercase()
    }

    /// `--server-listen`, without the dashes in front
    pub(crate) fn flag(&self) -> String {
        format!("{}-{}", self.section, self.name).replace('_', "-")
    }
}

const fn key(
    section: &'static str,
    name: &'static str,
    form: Form,
    default: &'static str,
    help: &'static str,
) -> Key {
    Key { section, name, form, default, help }
}

pub(crate) const KEYS: &[Key] = &[
    key("server", "listen", Form::Text, "127.0.0.1:8080", "Address and port to serve on"),
    key(
        "server",
        "base_url",
        Form::Text,
        "http:// and server.listen",
        "Our own address as others see it",
    ),
    key("server", "brand", Form::Text, "svc", "The brand segment of kinds, headers and messages"),
    key(
        "server",
        "trusted_proxies",
        Form::List,
        "none",
        "Networks whose forwarded header names the client",
    ),
    key("server", "max_connections", Form::Number, "4096", "Connections held open at once"),
    key("server", "max_requests", Form::Number, "2048", "Requests answered at once; more get 503"),
    key(
        "store",
        "data_dir",
        Form::Text,
        "./data",
        "Where the store, the bodies and the keys are kept",
    ),
    key(
        "store",
        "artifact_days",
        Form::Number,
        "90",
        "Days bodies are kept; 0 keeps them for ever",
    ),
    key("network", "resolver", Form::Text, "system", "DNS resolver: `system` or IP:PORT"),
    key(
        "network",
        "allow_networks",
        Form::List,
        "none",
        "Networks (CIDR) let through although special",
    ),
    key(
        "network",
        "refuse_networks",
        Form::List,
        "none",
        "Further networks (CIDR) never to be dialled",
    ),
    key("network", "allow_names", Form::List, "none", "Reserved suffixes let through"),
    key("network", "http_port", Form::Number, "80", "The port dialled for http"),
    key("network", "https_port", Form::Number, "443", "The port dialled for https"),
    key("network", "allow_ports", Form::List, "none", "Further ports an address may name"),
    key("network", "extra_ca", Form::Text, "none", "PEM file with further trusted authorities"),
    key("network", "source_address", Form::Text, "none", "Local address to read from"),
    key("network", "vantage", Form::Text, "unnamed", "Name of the place we look from"),
    key(
        "network",
        "egress",
        Form::List,
        "none",
        "Networks (CIDR) our requests come from, published for site owners",
    ),
    key("network", "asn", Form::Number, "not told", "Number of the network we look from"),
    key("network", "name", Form::Text, "not told", "Name of that network"),
    key("network", "rir", Form::Text, "not told", "Registry of that network, as RIPE"),
    key("network", "country", Form::Text, "not told", "Country of that network, two letters"),
    key("network", "region", Form::Text, "not told", "Region of that network"),
    key("operator", "name", Form::Text, "not told", "Who runs this service, for site owners"),
    key("operator", "contact", Form::Text, "not told", "Where to ask: a mailto: or web address"),
    key("operator", "abuse", Form::Text, "not told", "Where to complain"),
    key("operator", "security", Form::Text, "not told", "Where to report a weakness"),
    key("agents", "catalogue", Form::Text, "built in", "File with the identities to ask as"),
    key("scan", "deadline_ms", Form::Number, "10000", "Time for all reads of one scan together"),
    key(
        "scan",
        "at_once",
        Form::Number,
        "32",
        "Scans running at once; more wait a little, then get 503",
    ),
    key(
        "resolve",
        "upgrade_minutes",
        Form::List,
        "2,17,32,47",
        "Minutes of the hour (UTC) at which queued full scans begin",
    ),
    key("resolve", "hot_mb", Form::Number, "256", "Megabytes of signed answers kept in memory"),
    key(
        "resolve",
        "ranking",
        Form::Text,
        "a list that is built in",
        "Names that others imitate, the best known first: one a line, or `rank,name`",
    ),
    key(
        "limits",
        "enabled",
        Form::Flag,
        "true",
        "Limits by address; false switches them off, for load tests alone",
    ),
    key("limits", "scan_per_10s", Form::Number, "5", "Requests to scan of one address in 10 s"),
    key(
        "limits",
        "scan_per_minute",
        Form::Number,
        "6",
        "Requests to scan of one address in a minute; both rates hold",
    ),
    key("limits", "scan_per_day", Form::Number, "20", "Free scans of one address in a UTC day"),
    key(
        "limits",
        "scans_daily_total",
        Form::Number,
        "10000",
        "Free scans of everybody together in a UTC day",
    ),
    key(
        "limits",
        "scans_paused",
        Form::Flag,
        "false",
        "No free scans at all; `wayleave scans pause` does so while a server runs",
    ),
    key(
        "limits",
        "keyed_scan_per_minute",
        Form::Number,
        "60",
        "Requests to scan of one licence in a minute",
    ),
    key(
        "limits",
        "read_per_minute",
        Form::Number,
        "120",
        "Requests for kept records of one address in a minute",
    ),
    key(
        "limits",
        "decide_per_minute",
        Form::Number,
        "60",
        "Decisions for one address in a minute; a batch counts its items",
    ),
    key(
        "limits",
        "live_per_minute",
        Form::Number,
        "10",
        "Reads of a site that one address may make us begin in a minute",
    ),
    key(
        "limits",
        "feed_per_minute",
        Form::Number,
        "30",
        "Requests for the log and other feeds of one address in a minute",
    ),
    key(
        "limits",
        "outcomes_per_day",
        Form::Number,
        "500",
        "Outcome reports of one address in a UTC day",
    ),
    key(
        "proof",
        "calendars",
        Form::List,
        "four public pools",
        "OpenTimestamps calendars that seals are anchored at; an empty list anchors nothing",
    ),
    key(
        "proof",
        "explorers",
        Form::List,
        "none",
        "Block explorers (Esplora's form) whose headers confirm a timestamp",
    ),
    key(
        "proof",
        "upgrade_seconds",
        Form::Number,
        "3600",
        "Pause before a calendar is asked again for a finished timestamp",
    ),
    key(
        "proof",
        "origin",
        Form::Text,
        "base address and log id",
        "The log's name in checkpoints; never change it once witnesses know it",
    ),
    key(
        "proof",
        "witnesses",
        Form::List,
        "none",
        "Witnesses that cosign the log, each as VKEY=URL",
    ),
    key("log", "filter", Form::Text, "info", "What is logged, as tracing filter directives"),
    key("log", "format", Form::Text, "text", "`text` or `json`"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_tells_every_key_with_its_default() {
        let readme = include_str!("../../../../README.md");
        for key in KEYS {
            let row = readme.lines().find(|line| {
                line.starts_with("| ") && line.contains(&format!("`{}`", key.dotted()))
            });
            let row = row.unwrap_or_else(|| panic!("{} is not in the README", key.dotted()));
            let default = key.default.split(' ').next().unwrap();
            assert!(row.contains(default), "{row} does not say {default}");
        }
    }

    #[test]
    fn one_name_in_three_forms() {
        let key = KEYS.iter().find(|key| key.name == "allow_names").unwrap();
        assert_eq!(key.dotted(), "network.allow_names");
        assert_eq!(key.variable(), "WAYLEAVE_NETWORK_ALLOW_NAMES");
        assert_eq!(key.flag(), "network-allow-names");
    }
}
