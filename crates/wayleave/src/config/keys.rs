//! Every configuration key, once: name, kind of value, default and description.
//!
//! The file, the environment variables, the flags and `wayleave config --keys` are all generated from
//! this list, and a test compares it with the table in the README.

/// What kind of value a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Text,
    Number,
    /// `true` or `false`.
    Boolean,
    /// Comma-separated in environment variables and flags.
    List,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ConfigKey {
    pub(crate) section: &'static str,
    pub(crate) name: &'static str,
    pub(crate) value_kind: ValueKind,
    /// The default, as shown to people.
    pub(crate) default: &'static str,
    pub(crate) help: &'static str,
}

impl ConfigKey {
    /// `server.listen`
    pub(crate) fn dotted_name(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    /// Whether a running server applies a changed value at SIGHUP. The others need a restart.
    pub(crate) fn is_reloadable(&self) -> bool {
        self.section == "limits" || RELOADABLE.contains(&(self.section, self.name))
    }

    /// `WAYLEAVE_SERVER_LISTEN`
    pub(crate) fn env_variable(&self) -> String {
        format!("WAYLEAVE_{}_{}", self.section, self.name).to_ascii_uppercase()
    }

    /// `--server-listen`, without the dashes in front
    pub(crate) fn flag_name(&self) -> String {
        format!("{}-{}", self.section, self.name).replace('_', "-")
    }
}

const fn key(
    section: &'static str,
    name: &'static str,
    form: ValueKind,
    default: &'static str,
    help: &'static str,
) -> ConfigKey {
    ConfigKey { section, name, value_kind: form, default, help }
}

/// What `crate::reload` applies, in addition to all of `limits`.
const RELOADABLE: &[(&str, &str)] = &[
    ("server", "trusted_proxies"),
    ("server", "tls_cert"),
    ("server", "tls_key"),
    ("access", "plans"),
    ("log", "filter"),
];

pub(crate) const KEYS: &[ConfigKey] = &[
    key("server", "listen", ValueKind::Text, "127.0.0.1:8080", "IP address and port to listen on"),
    key(
        "server",
        "base_url",
        ValueKind::Text,
        "http:// (https:// with TLS) and server.listen",
        "Public URL of this service, used in links and signed records",
    ),
    key(
        "server",
        "brand",
        ValueKind::Text,
        "svc",
        "Brand used in record kinds, header names and signed messages",
    ),
    key(
        "server",
        "trusted_proxies",
        ValueKind::List,
        "none",
        "Networks (CIDR) of reverse proxies; the client address is taken from their Forwarded or X-Forwarded-For header",
    ),
    key(
        "server",
        "max_connections",
        ValueKind::Number,
        "4096",
        "Maximum number of open connections",
    ),
    key(
        "server",
        "max_requests",
        ValueKind::Number,
        "2048",
        "Maximum number of requests in progress; further ones get 503",
    ),
    key(
        "server",
        "metrics_listen",
        ValueKind::Text,
        "not set",
        "IP address and port for /metrics alone, always as plain HTTP; the server itself then does not serve it",
    ),
    key(
        "server",
        "tls_cert",
        ValueKind::Text,
        "not set",
        "PEM file with the certificate and those that lead to its authority; with server.tls_key, the server speaks HTTPS itself",
    ),
    key(
        "server",
        "tls_key",
        ValueKind::Text,
        "not set",
        "PEM file with the private key of server.tls_cert, without a passphrase; both files are read again when they change",
    ),
    key(
        "store",
        "data_dir",
        ValueKind::Text,
        "./data",
        "Folder for the database, response bodies and keys",
    ),
    key(
        "store",
        "keys_dir",
        ValueKind::Text,
        "`keys` in store.data_dir",
        "Folder for the signing keys and the log's mark; apart from the data, a copy of the data has no keys in it",
    ),
    key(
        "store",
        "artifact_days",
        ValueKind::Number,
        "90",
        "Days to keep response bodies; 0 keeps them forever",
    ),
    key(
        "store",
        "artifact_gb",
        ValueKind::Number,
        "20",
        "Gigabytes of response bodies to keep; beyond it the oldest are removed first; 0 for no bound",
    ),
    key(
        "store",
        "unreached_days",
        ValueKind::Number,
        "1",
        "Days to keep readings and answers of names where no page was ever received",
    ),
    key(
        "store",
        "answer_days",
        ValueKind::Number,
        "8",
        "Days to keep answers that a later one replaced; at least 7",
    ),
    key(
        "store",
        "domain_days",
        ValueKind::Number,
        "90",
        "Days to keep the newest answer about a domain, and its readings; at least store.answer_days",
    ),
    key("store", "change_days", ValueKind::Number, "400", "Days to keep changes between answers"),
    key(
        "store",
        "revocation_days",
        ValueKind::Number,
        "400",
        "Days to keep revocations that are no longer in force; at least 30",
    ),
    key(
        "store",
        "receipt_days",
        ValueKind::Number,
        "30",
        "Days to keep decision receipts after they expired",
    ),
    key(
        "store",
        "scan_days",
        ValueKind::Number,
        "400",
        "Days to keep scan records and evidence; 0 keeps them forever, otherwise at least 30",
    ),
    key(
        "store",
        "mcp_days",
        ValueKind::Number,
        "400",
        "Days to keep scans of MCP servers and what they listed; 0 keeps them forever, otherwise at least 30",
    ),
    key(
        "store",
        "conduct_days",
        ValueKind::Number,
        "400",
        "Days to keep the counts of agents on this site; 0 keeps them forever, otherwise at least 30",
    ),
    key(
        "store",
        "accuracy_days",
        ValueKind::Number,
        "400",
        "Days to keep what AI engines said about businesses; 0 keeps it forever, otherwise at least 30",
    ),
    key(
        "network",
        "resolver",
        ValueKind::Text,
        "system",
        "DNS resolver: `system` or IP:PORT; preferably one that validates DNSSEC",
    ),
    key(
        "network",
        "allow_networks",
        ValueKind::List,
        "none",
        "Special networks (CIDR) that scans may connect to although refused by default",
    ),
    key(
        "network",
        "refuse_networks",
        ValueKind::List,
        "none",
        "Additional networks (CIDR) that scans must never connect to, such as your own",
    ),
    key(
        "network",
        "allow_names",
        ValueKind::List,
        "none",
        "Reserved name suffixes that may be scanned, such as `lab`",
    ),
    key("network", "http_port", ValueKind::Number, "80", "Port to connect to for http URLs"),
    key("network", "https_port", ValueKind::Number, "443", "Port to connect to for https URLs"),
    key(
        "network",
        "allow_ports",
        ValueKind::List,
        "none",
        "Additional ports that scanned URLs may use",
    ),
    key(
        "network",
        "mcp_ports",
        ValueKind::List,
        "3000, 3001, 8000, 8080, 8443",
        "Ports that URLs of MCP servers may use besides those of other URLs",
    ),
    key(
        "network",
        "extra_ca",
        ValueKind::Text,
        "none",
        "PEM file with additional trusted certificate authorities",
    ),
    key(
        "network",
        "source_address",
        ValueKind::Text,
        "none",
        "Local IP address for outgoing connections",
    ),
    key(
        "network",
        "vantage",
        ValueKind::Text,
        "unnamed",
        "Name of the place this service scans from",
    ),
    key(
        "network",
        "egress",
        ValueKind::List,
        "none",
        "Networks (CIDR) that scan requests come from; published for site owners",
    ),
    key(
        "network",
        "asn",
        ValueKind::Number,
        "not set",
        "AS number of the network that scans come from; published",
    ),
    key("network", "name", ValueKind::Text, "not set", "Name of that network; published"),
    key(
        "network",
        "rir",
        ValueKind::Text,
        "not set",
        "Regional registry of that network, such as RIPE; published",
    ),
    key(
        "network",
        "country",
        ValueKind::Text,
        "not set",
        "Country of that network (two letters); published",
    ),
    key("network", "region", ValueKind::Text, "not set", "Region of that network; published"),
    key(
        "operator",
        "name",
        ValueKind::Text,
        "not set",
        "Who runs this service; published for site owners",
    ),
    key(
        "operator",
        "contact",
        ValueKind::Text,
        "not set",
        "Contact for questions: a mailto: or https: URL; published",
    ),
    key(
        "operator",
        "abuse",
        ValueKind::Text,
        "not set",
        "Contact for abuse reports: a mailto: or https: URL; published",
    ),
    key(
        "operator",
        "security",
        ValueKind::Text,
        "not set",
        "Contact for security reports: a mailto: or https: URL; published",
    ),
    key(
        "agents",
        "catalogue",
        ValueKind::Text,
        "built in",
        "JSON file with the identities (user agents) that scans use",
    ),
    key(
        "agents",
        "known",
        ValueKind::Text,
        "built in",
        "JSON file with known agents, used instead of the built-in catalogue to check visitors",
    ),
    key(
        "agents",
        "more_known",
        ValueKind::Text,
        "none",
        "JSON file with further known agents; those with the id of a built-in one replace it",
    ),
    key(
        "agents",
        "feeds",
        ValueKind::List,
        "those of the catalogue",
        "Other addresses for lists of agents' addresses, as ID=URL; `wayleave agents feeds` shows the ids",
    ),
    key(
        "agents",
        "fetch_feeds",
        ValueKind::Boolean,
        "true",
        "Fetch the lists of agents' addresses every few hours; without them most visitors are unverifiable",
    ),
    key(
        "agents",
        "gate_fails",
        ValueKind::Text,
        "open",
        "What the gate in front of a site does with visitors that it cannot check: `open` lets them in, `closed` refuses them",
    ),
    key(
        "scan",
        "deadline_ms",
        ValueKind::Number,
        "10000",
        "Time limit for all requests of one scan, in milliseconds; from 100 to 120000",
    ),
    key(
        "scan",
        "at_once",
        ValueKind::Number,
        "32",
        "Maximum number of scans in progress; further ones wait briefly, then get 503",
    ),
    key(
        "resolve",
        "upgrade_minutes",
        ValueKind::List,
        "2,17,32,47",
        "Minutes of the hour (UTC) at which queued full scans start",
    ),
    key(
        "resolve",
        "queue_max",
        ValueKind::Number,
        "2000",
        "Full scans that may wait in the queue; one client address may have a tenth of them",
    ),
    key(
        "resolve",
        "hot_mb",
        ValueKind::Number,
        "256",
        "Memory for cached signed answers and all they hold, in megabytes",
    ),
    key(
        "resolve",
        "robots_mb",
        ValueKind::Number,
        "32",
        "Memory for parsed robots.txt files, in megabytes",
    ),
    key(
        "resolve",
        "ranking",
        ValueKind::Text,
        "built in",
        "File with well-known names for the look-alike check, best known first: one per line, or `rank,name`",
    ),
    key(
        "limits",
        "enabled",
        ValueKind::Boolean,
        "true",
        "Limits per client address and per licence; false disables them (for load tests only)",
    ),
    key(
        "limits",
        "profile",
        ValueKind::Text,
        "organisation",
        "Whom the service is for: `organisation` (its agents may share one address) or `public`; sets the defaults of limits.read_per_minute, decide_per_minute, live_per_minute and visitors_per_minute",
    ),
    key(
        "limits",
        "scan_per_10s",
        ValueKind::Number,
        "5",
        "Scan requests per client address in 10 seconds",
    ),
    key(
        "limits",
        "scan_per_minute",
        ValueKind::Number,
        "6",
        "Scan requests per client address in a minute; applies together with scan_per_10s",
    ),
    key(
        "limits",
        "scan_per_day",
        ValueKind::Number,
        "20",
        "Free scans per client address in a UTC day",
    ),
    key(
        "limits",
        "scans_daily_total",
        ValueKind::Number,
        "10000",
        "Free scans of all clients together in a UTC day",
    ),
    key(
        "limits",
        "scans_paused",
        ValueKind::Boolean,
        "false",
        "Refuse all free scans; `wayleave scans pause` does the same on a running server",
    ),
    key(
        "limits",
        "keyed_scan_per_minute",
        ValueKind::Number,
        "60",
        "Scan requests per licence in a minute",
    ),
    key(
        "limits",
        "keyed_read_per_minute",
        ValueKind::Number,
        "6000",
        "Requests for stored records per licence in a minute",
    ),
    key(
        "limits",
        "keyed_decide_per_minute",
        ValueKind::Number,
        "3000",
        "Decisions per licence in a minute; a batch counts each item",
    ),
    key(
        "limits",
        "keyed_live_per_minute",
        ValueKind::Number,
        "300",
        "Live readings of sites that one licence may start in a minute",
    ),
    key(
        "limits",
        "read_per_minute",
        ValueKind::Number,
        "1200, or 120 if limits.profile is public",
        "Requests for stored records per client address in a minute",
    ),
    key(
        "limits",
        "decide_per_minute",
        ValueKind::Number,
        "600, or 60 if limits.profile is public",
        "Decisions (resolve, preflight) per client address in a minute; a batch counts each item",
    ),
    key(
        "limits",
        "live_per_minute",
        ValueKind::Number,
        "120, or 10 if limits.profile is public",
        "Live readings of sites that one client address may start in a minute",
    ),
    key(
        "limits",
        "visitors_per_minute",
        ValueKind::Number,
        "6000, or 600 if limits.profile is public",
        "Visitors to check per client address in a minute; a batch counts each item",
    ),
    key(
        "limits",
        "feed_per_minute",
        ValueKind::Number,
        "30",
        "Requests for the log and other feeds per client address in a minute",
    ),
    key(
        "limits",
        "metrics_per_minute",
        ValueKind::Number,
        "60",
        "Requests for the metrics per client address in a minute",
    ),
    key(
        "limits",
        "wrong_keys_per_minute",
        ValueKind::Number,
        "10",
        "Licence keys that are not valid per client address in a minute",
    ),
    key(
        "limits",
        "outcomes_per_day",
        ValueKind::Number,
        "500",
        "Outcome reports per client address in a UTC day",
    ),
    key(
        "access",
        "plans",
        ValueKind::List,
        "free quota=1000, standard quota=50000 rate=5 private webhooks census, unlimited rate=20 private webhooks census",
        "What licences give, by plan: the name, calls in a month, how many times the limits per licence, and features",
    ),
    key(
        "access",
        "free_scans_v1",
        ValueKind::Boolean,
        "false",
        "Answer POST /api/v1/scan without a licence key with a free scan instead of 401",
    ),
    key(
        "access",
        "free_keys",
        ValueKind::Boolean,
        "false",
        "Let people get a free licence key by mail; needs mail.host, mail.from and server.base_url",
    ),
    key(
        "access",
        "refused_mail_domains",
        ValueKind::List,
        "none",
        "Mail domains that get no free keys, with their subdomains, such as those of disposable mailboxes",
    ),
    key(
        "access",
        "refused_mail_domains_file",
        ValueKind::Text,
        "none",
        "File with further such domains, one per line; `#` starts a comment",
    ),
    key("mail", "host", ValueKind::Text, "not set", "Name or IP address of the mail server (SMTP)"),
    key(
        "mail",
        "port",
        ValueKind::Number,
        "587, or 465 with `tls`, or 25 with `none`",
        "Port of the mail server",
    ),
    key(
        "mail",
        "security",
        ValueKind::Text,
        "starttls",
        "Encryption of the connection to the mail server: `starttls`, `tls` from the first byte, or `none` (only to this machine)",
    ),
    key("mail", "user", ValueKind::Text, "not set", "User name at the mail server"),
    key(
        "mail",
        "password_file",
        ValueKind::Text,
        "not set",
        "File with the password at the mail server; the environment variable WAYLEAVE_MAIL_PASSWORD can have it instead",
    ),
    key(
        "mail",
        "from",
        ValueKind::Text,
        "not set",
        "Sender of the mails, such as `Wayleave <keys@svc.example>`",
    ),
    key(
        "targets",
        "enabled",
        ValueKind::Boolean,
        "true",
        "Limits on what all clients together may have read of others' sites; false disables them (for load tests of your own sites only)",
    ),
    key(
        "targets",
        "address_connections",
        ValueKind::Number,
        "24",
        "Connections open to one IP address at a time, over all readings; 0 for no limit, like all keys below",
    ),
    key(
        "targets",
        "network_connections",
        ValueKind::Number,
        "48",
        "Connections open to one network (IPv4 /24, IPv6 /48) at a time",
    ),
    key(
        "targets",
        "total_connections",
        ValueKind::Number,
        "1024",
        "Connections open to all sites at a time",
    ),
    key(
        "targets",
        "address_reads_per_minute",
        ValueKind::Number,
        "300",
        "Requests to one IP address in a minute, over all readings",
    ),
    key(
        "targets",
        "network_reads_per_minute",
        ValueKind::Number,
        "1200",
        "Requests to one network in a minute",
    ),
    key(
        "targets",
        "total_reads_per_minute",
        ValueKind::Number,
        "30000",
        "Requests to all sites in a minute",
    ),
    key(
        "targets",
        "domain_live_per_hour",
        ValueKind::Number,
        "6",
        "Live readings of the names of one registrable domain in an hour, over all clients",
    ),
    key(
        "targets",
        "domain_scans_per_hour",
        ValueKind::Number,
        "12",
        "Full scans without a licence of the names of one registrable domain in an hour, over all clients",
    ),
    key(
        "targets",
        "domain_mcp_walks_per_hour",
        ValueKind::Number,
        "6",
        "Walks over the lists of the MCP servers of one registrable domain in an hour, over all clients",
    ),
    key(
        "targets",
        "total_live_per_minute",
        ValueKind::Number,
        "600",
        "Live readings of all domains in a minute, over all clients",
    ),
    key(
        "registry",
        "bootstrap",
        ValueKind::Text,
        "https://data.iana.org/rdap/dns.json",
        "URL of the list of registries (RFC 9224) for registration data of domains; empty to read no registries",
    ),
    key(
        "registry",
        "cache_hours",
        ValueKind::Number,
        "24",
        "Hours for which registration data of a domain is served without reading it again",
    ),
    key(
        "registry",
        "reads_per_minute",
        ValueKind::Number,
        "20",
        "Reads of the server of one registry in a minute, over all clients; 0 for no limit",
    ),
    key(
        "accuracy",
        "engines",
        ValueKind::List,
        "none",
        "AI engines to ask about businesses, each as NAME=BASE_URL model=MODEL key_env=VARIABLE (or key_file=PATH), and if needed search, ca=PEMFILE and key_header=NAME; in the file also as tables",
    ),
    key(
        "accuracy",
        "calls_per_day",
        ValueKind::Number,
        "2000",
        "Questions to all AI engines together in a UTC day",
    ),
    key(
        "accuracy",
        "tokens_per_day",
        ValueKind::Number,
        "2000000",
        "Tokens that all AI engines together may count in a UTC day",
    ),
    key(
        "proof",
        "calendars",
        ValueKind::List,
        "four public calendars",
        "URLs of OpenTimestamps calendars for the daily seals; an empty list disables timestamps",
    ),
    key(
        "proof",
        "explorers",
        ValueKind::List,
        "none",
        "URLs of block explorers (Esplora API) used to confirm timestamps",
    ),
    key(
        "proof",
        "upgrade_seconds",
        ValueKind::Number,
        "3600",
        "Seconds between requests to a calendar for a finished timestamp",
    ),
    key(
        "proof",
        "origin",
        ValueKind::Text,
        "base URL and log id",
        "Name of the log in checkpoints; do not change it once witnesses know it",
    ),
    key(
        "proof",
        "witnesses",
        ValueKind::List,
        "none",
        "Witnesses that cosign the log, each as VKEY=URL",
    ),
    key(
        "log",
        "filter",
        ValueKind::Text,
        "info",
        "Log level or tracing filter, such as `info` or `warn,web=debug`",
    ),
    key("log", "format", ValueKind::Text, "text", "Log format: `text` or `json`"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_lists_every_key_with_its_default() {
        let readme = include_str!("../../../../README.md");
        for key in KEYS {
            let row = readme.lines().find(|line| {
                line.starts_with("| ") && line.contains(&format!("`{}`", key.dotted_name()))
            });
            let row = row.unwrap_or_else(|| panic!("{} is not in the README", key.dotted_name()));
            let default = key.default.split([' ', ',']).next().unwrap();
            assert!(row.contains(default), "{row} does not say {default}");
        }
    }

    #[test]
    fn the_readme_names_the_keys_that_can_be_reloaded() {
        let readme = include_str!("../../../../README.md");
        let named = readme.lines().find(|line| line.contains("SIGHUP")).unwrap();
        assert!(named.contains("`limits.*`"), "{named}");
        for key in KEYS.iter().filter(|key| key.section != "limits") {
            let name = format!("`{}`", key.dotted_name());
            assert_eq!(named.contains(&name), key.is_reloadable(), "{name}: {named}");
        }
        for (section, name) in RELOADABLE {
            let exists = |key: &ConfigKey| (key.section, key.name) == (*section, *name);
            assert!(KEYS.iter().any(exists), "{section}.{name}");
        }
    }

    #[test]
    fn one_name_in_three_forms() {
        let key = KEYS.iter().find(|key| key.name == "allow_names").unwrap();
        assert_eq!(key.dotted_name(), "network.allow_names");
        assert_eq!(key.env_variable(), "WAYLEAVE_NETWORK_ALLOW_NAMES");
        assert_eq!(key.flag_name(), "network-allow-names");
    }
}
