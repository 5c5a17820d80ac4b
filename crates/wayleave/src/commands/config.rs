//! `wayleave config`: prints the effective configuration, or lists the keys.

use anyhow::Result;

use super::config_in_force;
use crate::config::ConfigArgs;
use crate::config::keys::KEYS;
use crate::{exit, output};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Prints the result of file, environment variables and flags as TOML; the output can be used as a \
                  configuration file.\n\n\
                  Exit codes: 0 printed, 2 the configuration is invalid (the message names the key)."
)]
pub(crate) struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// Print JSON instead of TOML or a table
    #[arg(long)]
    json: bool,
    /// List every key with its environment variable, default, description and how a running server takes a change (SIGHUP or a restart) instead
    #[arg(long)]
    keys: bool,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    if args.keys {
        return list_keys(args.json);
    }
    let mut config = config_in_force(&args.config)?;
    // Show the values that unset keys stand for.
    config.server.base_url = Some(config.base_url());
    config.store.data_dir = Some(config.data_dir());
    if args.json {
        output::print_json(&config)?;
    } else {
        output::print_bytes(toml::to_string(&config)?.as_bytes());
    }
    Ok(exit::PASSED)
}

fn list_keys(json: bool) -> Result<u8> {
    if json {
        let list: Vec<_> = KEYS
            .iter()
            .map(|key| {
                serde_json::json!({
                    "key": key.dotted_name(), "variable": key.env_variable(), "flag": format!("--{}", key.flag_name()),
                    "default": key.default, "reloadable": key.is_reloadable(), "help": key.help,
                })
            })
            .collect();
        output::print_json(&list)?;
        return Ok(exit::PASSED);
    }
    let mut rows = vec![
        ["KEY", "VARIABLE", "DEFAULT", "CHANGED BY", "DESCRIPTION"].map(str::to_owned).to_vec(),
    ];
    rows.extend(KEYS.iter().map(|key| {
        let changed_by = if key.is_reloadable() { "SIGHUP" } else { "restart" };
        let (name, variable) = (key.dotted_name(), key.env_variable());
        vec![name, variable, key.default.to_owned(), changed_by.to_owned(), key.help.to_owned()]
    }));
    output::print_bytes(output::format_table(&rows).as_bytes());
    Ok(exit::PASSED)
}
