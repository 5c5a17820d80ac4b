//! One flag for every key, made from the list of keys.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use super::keys::KEYS;

/// What was said on the command line about the configuration.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConfigArgs {
    pub(crate) file: Option<PathBuf>,
    /// By dotted key.
    pub(crate) given: BTreeMap<String, String>,
}

const HEADING: &str = "Configuration (each is also a key of the file and an environment variable)";

impl Args for ConfigArgs {
    fn augment_args(command: Command) -> Command {
        let file = Arg::new("config")
            .long("config")
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .env("WAYLEAVE_CONFIG")
            .help_heading(HEADING)
            .help("Configuration file (TOML); without it ./wayleave.toml is read if it is there");
        KEYS.iter().fold(command.arg(file), |command, key| {
            command.arg(
                Arg::new(key.dotted())
                    .long(key.flag())
                    .value_name("VALUE")
                    .help_heading(HEADING)
                    // Shown with --help, not with -h: there are many.
                    .hide_short_help(true)
                    .help(format!(
                        "{} [default: {}] [env: {}]",
                        key.help,
                        key.default,
                        key.variable()
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
        let given = KEYS.iter().filter_map(|key| {
            let dotted = key.dotted();
            matches.get_one::<String>(&dotted).map(|value| (dotted.clone(), value.clone()))
        });
        Ok(Self { file: matches.get_one::<PathBuf>("config").cloned(), given: given.collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
