//! Command-line flags for the configuration: one per key, generated from the list of keys.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use super::keys::KEYS;

/// The configuration file and keys given on the command line.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConfigArgs {
    pub(crate) file: Option<PathBuf>,
    /// Values of the flags, by dotted key (`server.listen`).
    pub(crate) flag_values: BTreeMap<String, String>,
}

const HELP_HEADING: &str =
    "Configuration (each is also a key in the file and an environment variable)";

impl Args for ConfigArgs {
    fn augment_args(command: Command) -> Command {
        let file = Arg::new("config")
            .long("config")
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .env("WAYLEAVE_CONFIG")
            .help_heading(HELP_HEADING)
            .help("Configuration file (TOML) [default: ./wayleave.toml if it exists]");
        KEYS.iter().fold(command.arg(file), |command, key| {
            command.arg(
                Arg::new(key.dotted_name())
                    .long(key.flag_name())
                    .value_name("VALUE")
                    .help_heading(HELP_HEADING)
                    // Only in --help, not in -h: there are more than fifty.
                    .hide_short_help(true)
                    .help(format!(
                        "{} [default: {}] [env: {}]{}",
                        key.help,
                        key.default,
                        key.env_variable(),
                        if key.is_reloadable() { " [applied at SIGHUP]" } else { "" }
                    )),
            )
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ConfigArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let values = KEYS.iter().filter_map(|key| {
            let dotted = key.dotted_name();
            matches.get_one::<String>(&dotted).map(|value| (dotted.clone(), value.clone()))
        });
        Ok(Self {
            file: matches.get_one::<PathBuf>("config").cloned(),
            flag_values: values.collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
