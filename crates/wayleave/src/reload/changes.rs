//! Which keys of the configuration changed, and which of them a running server can apply.

use anyhow::{Context, Result};
use toml::{Table, Value};

use crate::config::Config;
use crate::config::keys::{ConfigKey, KEYS};

/// What a reload does.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ConfigChanges {
    /// The configuration that is in force afterwards: as before, with what can be applied.
    pub(super) config: Config,
    /// Keys that changed and are applied.
    pub(super) applied: Vec<String>,
    /// Keys that changed and keep their former value until a restart.
    pub(super) needs_restart: Vec<String>,
}

pub(super) fn compare_configs(in_force: &Config, loaded: &Config) -> Result<ConfigChanges> {
    let as_table = |config: &Config| Table::try_from(config).context("the configuration");
    let (mut table, new) = (as_table(in_force)?, as_table(loaded)?);
    // A listener cannot begin or cease to speak TLS while clients use it.
    let switches_tls = in_force.speaks_tls() != loaded.speaks_tls();
    let (mut applied, mut needs_restart) = (Vec::new(), Vec::new());
    for key in KEYS {
        let value = value_of(&new, key).cloned();
        if value_of(&table, key) == value.as_ref() {
            continue;
        }
        let is_tls = key.section == "server" && key.name.starts_with("tls_");
        if !key.is_reloadable() || is_tls && switches_tls {
            needs_restart.push(key.dotted_name());
            continue;
        }
        applied.push(key.dotted_name());
        if let Some(Value::Table(section)) = table.get_mut(key.section) {
            match value {
                Some(value) => section.insert(key.name.to_owned(), value),
                None => section.remove(key.name),
            };
        }
    }
    let config = table.try_into().context("the configuration")?;
    Ok(ConfigChanges { config, applied, needs_restart })
}

fn value_of<'a>(table: &'a Table, key: &ConfigKey) -> Option<&'a Value> {
    table.get(key.section)?.get(key.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_applied_is_and_the_rest_is_named_until_a_restart() {
        let in_force = Config::default();
        let mut loaded = in_force.clone();
        assert_eq!(
            compare_configs(&in_force, &loaded).unwrap(),
            ConfigChanges { config: in_force.clone(), applied: vec![], needs_restart: vec![] }
        );
        loaded.limits.read_per_minute = 7;
        loaded.limits.enabled = false;
        loaded.log.filter = "warn".to_owned();
        loaded.server.trusted_proxies = vec!["192.0.2.0/24".parse().unwrap()];
        loaded.server.brand = "other".to_owned();
        loaded.store.data_dir = Some("/elsewhere".into());
        let first = compare_configs(&in_force, &loaded).unwrap();
        assert_eq!(
            first.applied,
            ["server.trusted_proxies", "limits.enabled", "limits.read_per_minute", "log.filter"]
        );
        assert_eq!(first.needs_restart, ["server.brand", "store.data_dir"]);
        let mut expected = loaded.clone();
        (expected.server.brand, expected.store.data_dir) = (in_force.server.brand, None);
        assert_eq!(first.config, expected);
        // Nothing is applied twice, and what needs a restart is named again.
        let second = compare_configs(&first.config, &loaded).unwrap();
        assert_eq!((second.applied, second.needs_restart), (vec![], first.needs_restart));
    }

    #[test]
    fn other_tls_files_are_followed_and_tls_is_not_switched() {
        let with = |files: Option<(&str, &str)>| {
            let mut config = Config::default();
            config.server.tls_cert = files.map(|(certificate, _)| certificate.into());
            config.server.tls_key = files.map(|(_, key)| key.into());
            config
        };
        let (none, one, two) = (with(None), with(Some(("a", "b"))), with(Some(("c", "d"))));
        let keys = ["server.tls_cert", "server.tls_key"];
        let other = compare_configs(&one, &two).unwrap();
        assert_eq!(
            (other.applied.as_slice(), &other.config),
            (keys.map(str::to_owned).as_slice(), &two)
        );
        for (from, to) in [(&none, &one), (&one, &none)] {
            let switched = compare_configs(from, to).unwrap();
            assert_eq!(switched.needs_restart, keys);
            assert_eq!((switched.applied, &switched.config), (vec![], from));
        }
    }
}
