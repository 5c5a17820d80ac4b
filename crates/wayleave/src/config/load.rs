//! Loads the configuration: file, then environment variables, then flags; the later one wins.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use service::RetentionSettings;
use toml::{Table, Value};

use super::keys::{ConfigKey, KEYS, ValueKind};
use super::{Config, ConfigArgs, LimitsConfig, LimitsProfile};

/// Read if it exists and no `--config` was given.
const DEFAULT_FILE: &str = "wayleave.toml";

/// Clients may be offline for a month and must still find what was revoked since.
const MIN_REVOCATION_DAYS: u32 = 30;
/// A day's scans are sealed on the next day; a service that stood still must be able to catch up.
const MIN_SCAN_DAYS: u32 = 30;

/// Variables with our prefix that are no keys: of the command line, of the build, and of the tests.
const OTHER_VARIABLES: &[&str] = &[
    "WAYLEAVE_BIN",
    "WAYLEAVE_BINARY",
    "WAYLEAVE_COMMIT",
    "WAYLEAVE_CONFIG",
    "WAYLEAVE_INTEROP",
    "WAYLEAVE_KEY",
    "WAYLEAVE_MAIL_PASSWORD",
    "WAYLEAVE_MCP_PYTHON",
    "WAYLEAVE_MCP_PYTHON_1",
    "WAYLEAVE_MEMORY_CASE",
    "WAYLEAVE_NODE_MODULES",
    "WAYLEAVE_PYTHON",
    "WAYLEAVE_RUN",
    "WAYLEAVE_SCREENSHOTS",
    "WAYLEAVE_TEST_FAULT_FILE",
];

/// Kubernetes sets variables with these beginnings in every container of a namespace that has a Service
/// named `wayleave`. No key has them.
const FOREIGN_PREFIXES: &[&str] = &["WAYLEAVE_SERVICE_", "WAYLEAVE_PORT"];

/// The environment variables with our prefix.
pub(crate) fn own_variables() -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for (name, value) in std::env::vars_os() {
        let Some(name) = name.to_str().filter(|name| name.starts_with("WAYLEAVE_")) else {
            continue;
        };
        let Some(value) = value.to_str() else { bail!("{name} is not valid UTF-8") };
        found.insert(name.to_owned(), value.to_owned());
    }
    Ok(found)
}

/// Loads the effective configuration. `variables` are the environment variables with our prefix.
pub(crate) fn load_config(
    args: &ConfigArgs,
    variables: &BTreeMap<String, String>,
) -> Result<Config> {
    let mut table = match &args.file {
        Some(file) => read_toml(file)?,
        None if Path::new(DEFAULT_FILE).exists() => read_toml(Path::new(DEFAULT_FILE))?,
        None => Table::new(),
    };
    for key in KEYS {
        let name = key.env_variable();
        if let Some(text) = variables.get(&name) {
            set_key(&mut table, key, parse_value(key, text).with_context(|| name)?)?;
        }
        if let Some(text) = args.flag_values.get(&key.dotted_name()) {
            set_key(
                &mut table,
                key,
                parse_value(key, text).with_context(|| format!("--{}", key.flag_name()))?,
            )?;
        }
    }
    let given = table.get("limits").and_then(Value::as_table).cloned().unwrap_or_default();
    let mut config: Config = table.try_into().context("invalid configuration")?;
    refuse_unknown_variables(&config, variables)?;
    apply_profile(&mut config.limits, &given);
    validate(&config)?;
    Ok(config)
}

/// A misspelt security setting must be noticed.
fn refuse_unknown_variables(config: &Config, variables: &BTreeMap<String, String>) -> Result<()> {
    let is_known = |name: &str| {
        OTHER_VARIABLES.contains(&name)
            || FOREIGN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
            || KEYS.iter().any(|key| key.env_variable() == name)
            || config.accuracy.names_variable(name)
    };
    if let Some(name) = variables.keys().find(|name| !is_known(name)) {
        bail!(
            "the environment variable {name} is not a known setting (`wayleave config --keys` lists them)"
        );
    }
    Ok(())
}

fn read_toml(file: &Path) -> Result<Table> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("the configuration file {} cannot be read", file.display()))?;
    let table = text
        .parse::<Table>()
        .with_context(|| format!("the configuration file {} is not valid TOML", file.display()))?;
    // Read once more as what it must be: only this error names the line.
    let checked: Result<Config, toml::de::Error> = toml::from_str(&text);
    checked
        .map_err(|error| match error.message() {
            // Without the line, which may have the key of an engine in a wrong place.
            message if message.starts_with("accuracy.engines") => anyhow!("{message}"),
            _ => error.into(),
        })
        .with_context(|| format!("the configuration file {}", file.display()))?;
    Ok(table)
}

/// Sets the rates that were not given to those of the profile.
fn apply_profile(limits: &mut LimitsConfig, given: &Table) {
    use contract::limits as rates;
    if limits.profile == LimitsProfile::Organisation {
        return;
    }
    for (name, rate, public) in [
        ("read_per_minute", &mut limits.read_per_minute, rates::PUBLIC_READ_PER_MINUTE),
        ("decide_per_minute", &mut limits.decide_per_minute, rates::PUBLIC_DECIDE_PER_MINUTE),
        ("live_per_minute", &mut limits.live_per_minute, rates::PUBLIC_LIVE_PER_MINUTE),
        ("visitors_per_minute", &mut limits.visitors_per_minute, rates::PUBLIC_VISITORS_PER_MINUTE),
    ] {
        if !given.contains_key(name) {
            *rate = public;
        }
    }
}

/// Parses a value from the environment or a flag.
fn parse_value(key: &ConfigKey, text: &str) -> Result<Value> {
    Ok(match key.value_kind {
        ValueKind::Text => Value::String(text.to_owned()),
        ValueKind::Number => {
            Value::Integer(text.trim().parse().context("expected a whole number")?)
        }
        ValueKind::Boolean => {
            Value::Boolean(text.trim().parse().context("expected `true` or `false`")?)
        }
        ValueKind::List => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            // Lists hold texts or, for ports and minutes, numbers.
            let item = |text: &str| {
                text.parse().map_or_else(|_| Value::String(text.to_owned()), Value::Integer)
            };
            Value::Array(items.map(item).collect())
        }
    })
}

fn set_key(table: &mut Table, key: &ConfigKey, value: Value) -> Result<()> {
    let section = table.entry(key.section.to_owned()).or_insert_with(|| Value::Table(Table::new()));
    match section {
        Value::Table(section) => {
            section.insert(key.name.to_owned(), value);
            Ok(())
        }
        _ => bail!("`{}` must be a section of the configuration file", key.section),
    }
}

/// Checks what the types cannot express.
fn validate(config: &Config) -> Result<()> {
    contract::Brand::new(&config.server.brand).context("server.brand")?;
    let url = config.base_url();
    let host = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    if host.is_none_or(|host| host.is_empty() || host.contains(['?', '#', ' ', '"', '<', '>'])) {
        bail!("server.base_url must be an http or https URL");
    }
    if config.server.tls_cert.is_some() != config.server.tls_key.is_some() {
        let (set, missing) = match &config.server.tls_cert {
            Some(_) => ("server.tls_cert", "server.tls_key"),
            None => ("server.tls_key", "server.tls_cert"),
        };
        bail!("{set} is set and {missing} is not: TLS needs both the certificate and its key");
    }
    for (name, number) in [
        ("scan.at_once", config.scan.at_once),
        ("server.max_connections", config.server.max_connections),
        ("server.max_requests", config.server.max_requests),
    ] {
        if number == 0 {
            bail!("{name} must be at least 1");
        }
    }
    for (name, days, least) in [
        ("store.unreached_days", config.store.unreached_days, 1),
        ("store.answer_days", config.store.answer_days, RetentionSettings::MIN_ANSWER_DAYS),
        ("store.domain_days", config.store.domain_days, config.store.answer_days),
        ("store.change_days", config.store.change_days, 1),
        ("store.revocation_days", config.store.revocation_days, MIN_REVOCATION_DAYS),
        ("store.receipt_days", config.store.receipt_days, 1),
    ] {
        if days < least {
            bail!("{name} must be at least {least}");
        }
    }
    for (name, days) in [
        ("store.scan_days", config.store.scan_days),
        ("store.mcp_days", config.store.mcp_days),
        ("store.conduct_days", config.store.conduct_days),
        ("store.accuracy_days", config.store.accuracy_days),
    ] {
        if (1..MIN_SCAN_DAYS).contains(&days) {
            bail!("{name} must be 0 (forever) or at least {MIN_SCAN_DAYS}");
        }
    }
    if service::answers::resolve::UpgradeWindows::new(config.resolve.upgrade_minutes.clone())
        .is_none()
    {
        bail!("resolve.upgrade_minutes must list at least one minute, each from 0 to 59");
    }
    for witness in &config.proof.witnesses {
        witness.parse::<service::log::WitnessPeer>().context("proof.witnesses")?;
    }
    if let Some(origin) = &config.proof.origin
        && proof::tlog::Checkpoint::new(origin, 0, proof::sha256(b"")).is_err()
    {
        bail!("proof.origin must be one non-empty line");
    }
    if !(100..=120_000).contains(&config.scan.deadline_ms) {
        bail!("scan.deadline_ms must be between 100 and 120000");
    }
    for (name, addresses) in
        [("proof.calendars", &config.proof.calendars), ("proof.explorers", &config.proof.explorers)]
    {
        for address in addresses {
            let good = url::Url::parse(address)
                .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
            if !good || address.contains(['?', '#', '@']) {
                bail!("{name}: {address:?} is not an http or https URL");
            }
        }
    }
    for (name, address) in [
        ("operator.contact", &config.operator.contact),
        ("operator.abuse", &config.operator.abuse),
        ("operator.security", &config.operator.security),
    ] {
        let good = |address: &String| {
            url::Url::parse(address)
                .is_ok_and(|url| matches!(url.scheme(), "http" | "https" | "mailto"))
        };
        if address.as_ref().is_some_and(|address| !good(address)) {
            bail!("{name} must be a mailto:, http: or https: URL");
        }
    }
    service::access::plans::Plans::parse(&config.access.plans).context("access.plans")?;
    validate_free_keys(config)?;
    config.registry.validate()?;
    config.accuracy.validate()?;
    validate_filter(&config.log.filter)?;
    if config.proof.upgrade_seconds == 0 {
        bail!("proof.upgrade_seconds must be at least 1");
    }
    for suffix in &config.network.allow_names {
        let plain = !suffix.is_empty()
            && suffix
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-.".contains(&b))
            && !suffix.starts_with('.');
        if !plain {
            bail!("network.allow_names: {suffix:?} is not a name suffix such as `lab`");
        }
    }
    Ok(())
}

/// Free keys need a mail server, and the address that the links in the mails begin with.
fn validate_free_keys(config: &Config) -> Result<()> {
    for name in &config.access.refused_mail_domains {
        if !service::RefusedMailDomains::default().add(name) {
            bail!("access.refused_mail_domains: {name:?} is not a domain such as mail.example");
        }
    }
    if !config.access.free_keys {
        return Ok(());
    }
    for (key, is_set, why) in [
        (
            "server.base_url",
            config.server.base_url.is_some(),
            "the links in the mails begin with it",
        ),
        ("mail.host", config.mail.host.is_some(), "free keys are sent by mail"),
        ("mail.from", config.mail.from.is_some(), "mails need a sender"),
    ] {
        if !is_set {
            bail!(
                "access.free_keys is true and {key} is not set: {why}. Set it, or switch free keys off"
            );
        }
    }
    Ok(())
}

/// The parser of filters takes a misspelt level for the name of a module, and then logs nothing.
fn validate_filter(filter: &str) -> Result<()> {
    const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
    // A span (`web[request{id=1}]=info`) may contain commas; only the parser understands those.
    if filter.contains('[') {
        return Ok(());
    }
    for part in filter.split(',') {
        let level = part.rsplit('=').next().unwrap_or(part).trim().to_ascii_lowercase();
        if !LEVELS.contains(&level.as_str()) {
            bail!(
                "log.filter: {part:?} is not a level ({}), nor a module and a level such as `web=debug`",
                LEVELS.join(", ")
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(file: &str, variables: &[(&str, &str)], flags: &[(&str, &str)]) -> Result<Config> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.toml");
        std::fs::write(&path, file).unwrap();
        let args = ConfigArgs {
            file: Some(path),
            flag_values: flags.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        };
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        load_config(&args, &variables.iter().map(own).collect())
    }

    #[test]
    fn a_profile_sets_what_was_not_given() {
        let rates = |file: &str| {
            let limits = with(file, &[], &[]).unwrap().limits;
            (limits.read_per_minute, limits.decide_per_minute, limits.live_per_minute)
        };
        assert_eq!(rates(""), (1200, 600, 120));
        assert_eq!(rates("[limits]\nprofile = \"organisation\""), (1200, 600, 120));
        assert_eq!(rates("[limits]\nprofile = \"public\""), (120, 60, 10));
        let some = "[limits]\nprofile = \"public\"\ndecide_per_minute = 600";
        assert_eq!(rates(some), (120, 600, 10), "600 was given, although it is the other default");
        let flags = [("limits.profile", "public"), ("limits.live_per_minute", "7")];
        assert_eq!(with("", &[], &flags).unwrap().limits.live_per_minute, 7);
    }

    #[test]
    fn an_unknown_key_of_the_file_names_file_and_line() {
        let error = with("[server]\nbrand = \"abc\"\nlisten_on = 1\n", &[], &[]).unwrap_err();
        let text = format!("{error:#}");
        for part in ["c.toml", "line 3", "listen_on"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn flags_beat_variables_beat_the_file() {
        let file = "[server]\nlisten = \"127.0.0.1:1\"\nbrand = \"abc\"\n[network]\nhttp_port = 81";
        let config = with(
            file,
            &[
                ("WAYLEAVE_SERVER_LISTEN", "127.0.0.1:2"),
                ("WAYLEAVE_NETWORK_ALLOW_NETWORKS", "127.77.0.0/16, ::1/128"),
            ],
            &[("server.listen", "127.0.0.1:3"), ("network.allow_ports", "8443,8444")],
        )
        .unwrap();
        assert_eq!(config.server.listen.port(), 3);
        assert_eq!(config.server.brand, "abc");
        assert_eq!(config.network.http_port, 81);
        assert_eq!(config.network.allow_networks.len(), 2);
        assert_eq!(config.network.allow_ports, [8443, 8444]);
        assert_eq!(config.base_url(), "http://127.0.0.1:3");
    }

    #[test]
    fn tls_makes_the_base_url_https_and_only_a_whole_host_is_bound_to_it() {
        const TLS: &str = "tls_cert = \"c\"\ntls_key = \"k\"\n";
        for (base_url, tls, shown, https_only) in [
            (None, "", "http://127.0.0.1:8080", false),
            (None, TLS, "https://127.0.0.1:8080", false),
            (Some("https://a.example/"), TLS, "https://a.example", true),
            (Some("https://a.example:443"), TLS, "https://a.example:443", true),
            (Some("https://a.example:8443"), TLS, "https://a.example:8443", false),
            (Some("https://localhost"), TLS, "https://localhost", false),
            (Some("https://192.0.2.1"), TLS, "https://192.0.2.1", false),
            (Some("http://a.example"), TLS, "http://a.example", false),
            (Some("https://a.example"), "", "https://a.example", false),
        ] {
            let url = base_url.map(|url| format!("base_url = \"{url}\"\n")).unwrap_or_default();
            let config = with(&format!("[server]\n{url}{tls}"), &[], &[]).unwrap();
            assert_eq!((config.base_url().as_str(), config.https_only()), (shown, https_only));
        }
    }

    #[test]
    fn an_empty_configuration_is_the_default() {
        assert_eq!(with("", &[], &[]).unwrap(), Config::default());
    }

    #[test]
    fn invalid_values_are_refused_and_named() {
        for (file, variables, named) in [
            ("[server]\nlisten_on = 1", vec![], "listen_on"),
            ("surprise = 1", vec![], "surprise"),
            ("server = 1", vec![("WAYLEAVE_SERVER_BRAND", "x")], "server"),
            ("[network]\nallow_networks = [\"nonsense\"]", vec![], "allow_networks"),
            ("not toml", vec![], "not valid TOML"),
            ("", vec![("WAYLEAVE_SCAN_AT_ONCE", "many")], "WAYLEAVE_SCAN_AT_ONCE"),
            ("", vec![("WAYLEAVE_SCAN_AT_ONCE", "0")], "scan.at_once"),
            ("", vec![("WAYLEAVE_SERVER_BRAND", "Not Good")], "server.brand"),
            ("", vec![("WAYLEAVE_SERVER_BASE_URL", "ftp://x")], "server.base_url"),
            ("", vec![("WAYLEAVE_NETWORK_ALLOW_NAMES", ".lab")], "network.allow_names"),
            ("", vec![("WAYLEAVE_SCAN_DEADLINE_MS", "1")], "scan.deadline_ms"),
            ("", vec![("WAYLEAVE_LIMITS_ENABLED", "no")], "WAYLEAVE_LIMITS_ENABLED"),
            ("", vec![("WAYLEAVE_SERVER_LISTENS", "x")], "WAYLEAVE_SERVER_LISTENS"),
            ("[limits]\nprofile = \"everyone\"", vec![], "profile"),
            ("", vec![("WAYLEAVE_LOG_FILTER", "wrn")], "log.filter: \"wrn\""),
            ("", vec![("WAYLEAVE_LOG_FILTER", "info,web=debgu")], "log.filter: \"web=debgu\""),
            ("", vec![("WAYLEAVE_LOG_FILTER", "info,,warn")], "log.filter"),
            ("[limits]\nscan_per_day = -1", vec![], "scan_per_day"),
            ("", vec![("WAYLEAVE_ACCESS_PLANS", "big quota=none")], "access.plans"),
            ("[access]\nplans = []", vec![], "access.plans"),
            ("", vec![("WAYLEAVE_PROOF_WITNESSES", "https://w.example")], "proof.witnesses"),
            ("[proof]\norigin = \"\"", vec![], "proof.origin"),
            ("[server]\ntls_cert = \"c.pem\"", vec![], "server.tls_key is not"),
            ("[server]\ntls_key = \"k.pem\"", vec![], "server.tls_cert is not"),
            ("[store]\nanswer_days = 6", vec![], "store.answer_days"),
            ("[store]\ndomain_days = 7", vec![], "store.domain_days"),
            ("[store]\nscan_days = 29", vec![], "store.scan_days"),
            ("[store]\nmcp_days = 29", vec![], "store.mcp_days"),
            ("[store]\nconduct_days = 29", vec![], "store.conduct_days"),
            ("[store]\naccuracy_days = 29", vec![], "store.accuracy_days"),
            ("[access]\nrefused_mail_domains = [\"a b\"]", vec![], "access.refused_mail_domains"),
            ("[access]\nfree_keys = true", vec![], "server.base_url is not set: the links"),
            (
                "[access]\nfree_keys = true\n[server]\nbase_url = \"https://svc.example\"",
                vec![],
                "mail.host is not set: free keys are sent by mail",
            ),
            ("[mail]\nsecurity = \"ssl\"", vec![], "security"),
            ("[mail]\npassword = \"x\"", vec![], "password"),
        ] {
            let error = format!("{:#}", with(file, &variables, &[]).unwrap_err());
            assert!(error.contains(named), "{file:?} {variables:?}: {error}");
        }
    }

    #[test]
    fn variables_of_kubernetes_are_not_taken_for_settings() {
        let variables = [
            ("WAYLEAVE_SERVICE_HOST", "10.0.0.1"),
            ("WAYLEAVE_SERVICE_PORT", "80"),
            ("WAYLEAVE_SERVICE_PORT_HTTP", "80"),
            ("WAYLEAVE_PORT", "tcp://10.0.0.1:80"),
            ("WAYLEAVE_PORT_80_TCP_ADDR", "10.0.0.1"),
        ];
        assert_eq!(with("", &variables, &[]).unwrap(), Config::default());
        for key in KEYS {
            let name = key.env_variable();
            assert!(!FOREIGN_PREFIXES.iter().any(|prefix| name.starts_with(prefix)), "{name}");
        }
        let error = with("", &[("WAYLEAVE_SERVE_LISTEN", "x")], &[]).unwrap_err().to_string();
        assert!(error.contains("WAYLEAVE_SERVE_LISTEN is not a known setting"), "{error}");
    }

    /// Keys that have no default value in the file.
    const OPTIONAL: &[&str] = &[
        "server.base_url",
        "server.metrics_listen",
        "server.tls_cert",
        "server.tls_key",
        "store.data_dir",
        "store.keys_dir",
        "network.extra_ca",
        "network.source_address",
        "network.asn",
        "network.name",
        "network.rir",
        "network.country",
        "network.region",
        "operator.name",
        "operator.contact",
        "operator.abuse",
        "operator.security",
        "agents.catalogue",
        "agents.known",
        "agents.more_known",
        "resolve.ranking",
        "access.refused_mail_domains_file",
        "mail.host",
        "mail.port",
        "mail.user",
        "mail.password_file",
        "mail.from",
        "proof.origin",
    ];

    #[test]
    fn every_key_of_the_list_is_a_key_of_the_file() {
        let defaults = Table::try_from(Config::default()).unwrap();
        for key in KEYS {
            let section = defaults.get(key.section).and_then(Value::as_table).unwrap();
            let optional = OPTIONAL.contains(&key.dotted_name().as_str());
            assert!(section.contains_key(key.name) || optional, "{}", key.dotted_name());
        }
        let listed: usize = defaults.values().filter_map(Value::as_table).map(Table::len).sum();
        assert_eq!(listed + OPTIONAL.len(), KEYS.len(), "a key is missing in KEYS");
    }
}
