//! Where the lists come from: a server at an address, read from here or by a service, or a process.

use std::sync::Arc;

use anyhow::{Context, Result};
use door::SystemClock;
use service::Scanner;
use service::mcp::LocalMcp;

use super::process::read_process;
use super::words::split_words;
use crate::commands::config_in_force;
use crate::commands::remote::KeyArg;
use crate::config::ConfigArgs;
use crate::{logging, wiring};

/// A command line, split into words.
#[derive(Debug, Clone)]
pub(super) struct ServerCommand(Vec<String>);

impl ServerCommand {
    fn parse(text: &str) -> Result<Self, String> {
        split_words(text).map(Self)
    }
}

/// How a server is read. The address is an argument of each command.
#[derive(Debug, clap::Args)]
pub(super) struct SourceArgs {
    /// Start this command here and read it over its input and output (stdio), always without a service.
    /// No shell is used; the server gets only PATH and HOME of the environment, and is ended after
    /// the lists were read
    #[arg(long, value_name = "COMMAND LINE", value_parser = ServerCommand::parse, conflicts_with = "server")]
    pub(super) command: Option<ServerCommand>,
    /// Ask the Wayleave service at this URL, which signs, instead of reading the server from here
    #[arg(long, value_name = "BASE")]
    pub(super) server: Option<String>,
    #[command(flatten)]
    pub(super) key: KeyArg,
    #[command(flatten)]
    config: ConfigArgs,
}

/// A server that is read from here.
pub(super) enum LocalSource<'a> {
    Address(&'a str),
    Process(&'a ServerCommand),
}

impl SourceArgs {
    /// Reads the server from here: nothing is signed or stored.
    pub(super) async fn read(&self, source: LocalSource<'_>) -> Result<LocalMcp> {
        let scanner = self.scanner()?;
        match source {
            LocalSource::Address(url) => {
                let server = scanner.parse_mcp_url(url)?;
                Ok(scanner.read_mcp(&server).await)
            }
            LocalSource::Process(command) => read_process(&scanner, &command.0).await,
        }
    }

    fn scanner(&self) -> Result<Scanner> {
        let config = config_in_force(&self.config)?;
        logging::start_logging(&config.log)?;
        wiring::build_scanner(&config, Arc::new(SystemClock))
    }

    /// The address of an operation of the service, with the server that it is about.
    pub(super) fn service_address(base: &str, path: &str, url: &str, live: bool) -> Result<String> {
        let base = base.trim_end_matches('/');
        let mut address = url::Url::parse(&format!("{base}/api/v1/mcp/{path}"))
            .with_context(|| format!("--server {base} is not a URL"))?;
        address.query_pairs_mut().append_pair("url", url);
        if live {
            address.query_pairs_mut().append_pair("live", "1");
        }
        Ok(address.into())
    }
}
