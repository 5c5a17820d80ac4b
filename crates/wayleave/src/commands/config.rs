//! `wayleave config`: what is in force, and what can be set.

use anyhow::Result;

use super::in_force;
use crate::config::ConfigArgs;
use crate::config::keys::KEYS;
use crate::{exit, output};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// As JSON
    #[arg(long)]
    json: bool,
    /// List every key with its environment variable, flag and default instead
    #[arg(long)]
    keys: bool,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    if args.keys {
        return keys(args.json);
    }
    let mut config = in_force(&args.config)?;
    // Said in full, so that nobody has to know what "unset" means.
    config.server.base_url = Some(config.base_url());
    config.store.data_dir = Some(config.data_dir());
    if args.json {
        output::json(&config)?;
    } else {
        output::raw(toml::to_string(&config)?.as_bytes());
    }
    Ok(exit::GOOD)
}

fn keys(json: bool) -> Result<u8> {
    if json {
        let list: Vec<_> = KEYS
            .iter()
            .map(|key| {
                serde_json::json!({
                    "key": key.dotted(), "variable": key.variable(), "flag": format!("--{}", key.flag()),
                    "default": key.default, "help": key.help,
                })
            })
            .collect();
        output::json(&list)?;
        return Ok(exit::GOOD);
    }
    let mut rows =
        vec![["KEY", "VARIABLE", "DEFAULT", "WHAT IT IS FOR"].map(str::to_owned).to_vec()];
    rows.extend(KEYS.iter().map(|key| {
        vec![key.dotted(), key.variable(), key.default.to_owned(), key.help.to_owned()]
    }));
    output::raw(output::table(&rows).as_bytes());
    Ok(exit::GOOD)
}
