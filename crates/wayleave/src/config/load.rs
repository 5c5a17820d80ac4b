//! Loads the configuration: file, then environment variables, then flags; the later one wins.

use std::path::Path;

use anyhow::{Context, Result, bail};
use service::RetentionSettings;
use toml::{Table, Value};

use super::keys::{ConfigKey, KEYS, ValueKind};
use super::{Config, ConfigArgs};

/// Read if it exists and no `--config` was given.
const DEFAULT_FILE: &str = "wayleave.toml";

/// Clients may be offline for a month and must still find what was revoked since.
const MIN_REVOCATION_DAYS: u32 = 30;
/// A day's scans are sealed on the next day; a service that stood still must be able to catch up.
const MIN_SCAN_DAYS: u32 = 30;

/// Loads the effective configuration. `variable` looks up an environment variable; tests pass their own.
pub(crate) fn load_config(
    args: &ConfigArgs,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Config> {
    let mut table = match &args.file {
        Some(file) => read_toml(file)?,
        None if Path::new(DEFAULT_FILE).exists() => read_toml(Path::new(DEFAULT_FILE))?,
        None => Table::new(),
    };
    for key in KEYS {
        let name = key.env_variable();
        if let Some(text) = variable(&name) {
            set_key(&mut table, key, parse_value(key, &text).with_context(|| name)?)?;
        }
        if let Some(text) = args.flag_values.get(&key.dotted_name()) {
            set_key(
                &mut table,
                key,
                parse_value(key, text).with_context(|| format!("--{}", key.flag_name()))?,
            )?;
        }
    }
    let config: Config = table.try_into().context("invalid configuration")?;
    validate(&config)?;
    Ok(config)
}

fn read_toml(file: &Path) -> Result<Table> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("the configuration file {} cannot be read", file.display()))?;
    text.parse::<Table>()
        .with_context(|| format!("the configuration file {} is not valid TOML", file.display()))
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
    if (1..MIN_SCAN_DAYS).contains(&config.store.scan_days) {
        bail!("store.scan_days must be 0 (forever) or at least {MIN_SCAN_DAYS}");
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
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        load_config(&args, &variable)
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
            ("[limits]\nscan_per_day = -1", vec![], "scan_per_day"),
            ("", vec![("WAYLEAVE_PROOF_WITNESSES", "https://w.example")], "proof.witnesses"),
            ("[proof]\norigin = \"\"", vec![], "proof.origin"),
            ("[store]\nanswer_days = 6", vec![], "store.answer_days"),
            ("[store]\ndomain_days = 7", vec![], "store.domain_days"),
            ("[store]\nscan_days = 29", vec![], "store.scan_days"),
        ] {
            let error = format!("{:#}", with(file, &variables, &[]).unwrap_err());
            assert!(error.contains(named), "{file:?} {variables:?}: {error}");
        }
    }

    /// Keys that have no default value in the file.
    const OPTIONAL: &[&str] = &[
        "server.base_url",
        "store.data_dir",
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
        "resolve.ranking",
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
