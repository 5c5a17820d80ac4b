//! `wayleave agents`: the known agents, and the lists of addresses by which visitors are verified.

use std::sync::Arc;

use agents::{KnownAgent, KnownAgents};
use anyhow::{Context, Result, bail};
use contract::Clock;
use contract::records::{AgentFeedEntry, KnownAgentsRecord};
use door::SystemClock;
use service::visitors::{FeedCopies, FeedRefresh, FeedRefresher, feed_entries};

use super::config_in_force;
use super::remote::{self, KeyArg};
use crate::config::{Config, ConfigArgs};
use crate::output::sanitize_for_terminal;
use crate::{exit, logging, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Without a subcommand: the agents of the catalogue, and how each of them can be verified.\n\n\
                  Exit codes: 0 listed, 1 a list could not be refreshed, 2 it could not be done."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<AgentsCommand>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

#[derive(Debug, clap::Subcommand)]
enum AgentsCommand {
    /// Show the lists of agents' addresses: how old and how large each copy is, and its last fault
    Feeds(FeedsArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Shows the copies in store.data_dir, or those of a server with --url.\n\
                  --refresh fetches them now, also while a server is running, which uses them within a minute. \
                  A running server fetches each list every six hours by itself.")]
struct FeedsArgs {
    /// Fetch all lists now, or those with these ids
    #[arg(long, value_name = "ID", num_args = 0..)]
    refresh: Option<Vec<String>>,
    /// Ask the Wayleave server at this URL
    #[arg(long, value_name = "URL", conflicts_with = "refresh")]
    url: Option<String>,
    #[command(flatten)]
    key: KeyArg,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    match args.command {
        Some(AgentsCommand::Feeds(feeds)) => run_feeds(feeds),
        None => {
            let config = config_in_force(&args.config)?;
            list_agents(&wiring::load_known_agents(&config)?, args.json)
        }
    }
}

fn list_agents(known: &KnownAgents, json: bool) -> Result<u8> {
    if json {
        output::print_json(&known.agents())?;
        return Ok(exit::PASSED);
    }
    let header = ["NAME", "OPERATOR", "PURPOSE", "VERIFIED BY", "USER AGENT HAS"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    rows.extend(known.agents().iter().map(|agent| {
        vec![
            agent.name.clone(),
            agent.operator.clone(),
            agent.purpose.as_str().to_owned(),
            methods_of(known, agent),
            agent.user_agent_tokens.join(", "),
        ]
    }));
    output::print_bytes(output::format_table(&rows).as_bytes());
    Ok(exit::PASSED)
}

fn methods_of(known: &KnownAgents, agent: &KnownAgent) -> String {
    let methods = agents::verdict::verification_methods(known, agent);
    let words: Vec<&str> = methods.iter().map(|method| method.as_str()).collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ").replace('_', " ") }
}

fn run_feeds(args: FeedsArgs) -> Result<u8> {
    let config = config_in_force(&args.config)?;
    logging::start_logging(&config.log)?;
    wiring::runtime()?.block_on(async {
        if let Some(server) = &args.url {
            return show_server_feeds(server, &args).await;
        }
        show_stored_feeds(&config, &args).await
    })
}

async fn show_server_feeds(server: &str, args: &FeedsArgs) -> Result<u8> {
    let address = format!("{}/api/v1/agents", server.trim_end_matches('/'));
    let bytes = remote::get_json(&address, &args.key).await?;
    let record: KnownAgentsRecord =
        serde_json::from_slice(&bytes).context("the server sent no valid answer")?;
    print_feeds(&record.feeds, args.json)?;
    Ok(exit::PASSED)
}

fn print_feeds(feeds: &[AgentFeedEntry], json: bool) -> Result<()> {
    if json {
        return output::print_json(&feeds);
    }
    let header = ["FEED", "STATE", "PREFIXES", "FETCHED", "LAST FAULT"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    rows.extend(feeds.iter().map(|feed| {
        vec![
            sanitize_for_terminal(&feed.id),
            feed.state.as_str().replace('_', " "),
            feed.prefixes.to_string(),
            feed.fetched_at.map_or("-".to_owned(), |at| at.to_string()),
            sanitize_for_terminal(feed.last_fault.as_deref().unwrap_or("")),
        ]
    }));
    output::print_bytes(output::format_table(&rows).as_bytes());
    Ok(())
}

async fn show_stored_feeds(config: &Config, args: &FeedsArgs) -> Result<u8> {
    let known = wiring::load_known_agents(config)?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let admin = wiring::open_admin(config)?;
    let mut has_failed = false;
    if let Some(ids) = &args.refresh {
        for id in ids {
            if known.feed_index(id).is_none() {
                bail!("{id:?} is not a feed of the catalogue. `wayleave agents feeds` lists them");
            }
        }
        let scanner = wiring::build_scanner(config, Arc::clone(&clock))?;
        let refresher = FeedRefresher { scanner, clock: Arc::clone(&clock) };
        let wanted = known.feeds().iter().filter(|feed| ids.is_empty() || ids.contains(&feed.id));
        for feed in wanted.filter(|feed| feed.url.starts_with("https://")) {
            let (refresh, _) = refresher.refresh(feed, admin.feeds()).await?;
            let result = match &refresh {
                FeedRefresh::Unchanged => "unchanged".to_owned(),
                FeedRefresh::Replaced { prefixes } => format!("{prefixes} prefixes"),
                FeedRefresh::Failed { why } => format!("failed: {}", sanitize_for_terminal(why)),
            };
            has_failed |= matches!(refresh, FeedRefresh::Failed { .. });
            output::print_note(&format!("{}: {result}", feed.id));
        }
    }
    let copies = FeedCopies::load(&known, admin.feeds(), clock.now()).await?;
    print_feeds(&feed_entries(&known, &copies.reports), args.json)?;
    Ok(if has_failed { exit::CHECK_FAILED } else { exit::PASSED })
}
