//! Checks every visitor of an access log, and counts the verdicts by agent.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::path::Path;

use agents::SearchableAgents;
use agents::access_log::LogLine;
use anyhow::{Context, Result, bail};
use contract::records::{VisitorQuery, VisitorResult, VisitorVerdict};
use futures_util::StreamExt;
use serde::Serialize;

use super::{Args, check_locally, local_checker};
use crate::access_logs::{LogBlocks, open_log};
use crate::commands::remote::{self, KeyArg};
use crate::commands::scan_progress;
use crate::config::Config;
use crate::output::sanitize_for_terminal;
use crate::{exit, output, wiring};

/// Different visitors that are held in memory.
const MAX_VISITORS: usize = 1_000_000;
/// Visitors whose names are looked up at once.
const CHECKED_AT_ONCE: usize = 32;

/// Who sent a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct LogVisitor {
    address: IpAddr,
    user_agent: String,
}

/// The verdicts about the visitors of a log that claim to be one agent.
#[derive(Debug, Default, Serialize)]
struct AgentCounts {
    operator: String,
    requests: BTreeMap<&'static str, u64>,
    /// One reason why requests were found spoofed.
    #[serde(skip_serializing_if = "Option::is_none")]
    spoofed_because: Option<String>,
}

#[derive(Debug, Default, Serialize)]
struct LogSummary {
    /// Without comments and empty lines.
    lines: u64,
    /// Lines in no known format.
    unreadable_lines: u64,
    not_a_known_agent: u64,
    agents: BTreeMap<String, AgentCounts>,
}

pub(super) async fn run(config: &Config, file: &Path, args: &Args) -> Result<u8> {
    let mut summary = LogSummary::default();
    match &args.url {
        Some(server) => {
            // Which agents the server knows, it knows best.
            let visitors = count_visitors(file, &mut summary, |_| true)?;
            check_by_server(server, &visitors, &args.key, &mut summary).await?;
        }
        None => {
            let agents = SearchableAgents::new(wiring::load_known_agents(config)?);
            let names_agent =
                |visitor: &LogVisitor| agents.find(visitor.user_agent.as_bytes()).first().is_some();
            let visitors = count_visitors(file, &mut summary, names_agent)?;
            check_from_here(config, &visitors, &mut summary).await?;
        }
    }
    if args.json {
        output::print_json(&summary)?;
    } else {
        print_summary(&summary);
    }
    let is_spoofed = summary.agents.values().any(|agent| agent.requests.contains_key("spoofed"));
    Ok(if is_spoofed { exit::CHECK_FAILED } else { exit::PASSED })
}

/// The different visitors of a log that are worth checking, and how often each came, in order.
fn count_visitors(
    file: &Path,
    summary: &mut LogSummary,
    is_wanted: impl Fn(&LogVisitor) -> bool,
) -> Result<Vec<(LogVisitor, u64)>> {
    let mut counts: HashMap<LogVisitor, u64> = HashMap::new();
    let mut blocks = LogBlocks::new(open_log(file)?.text);
    let unreadable = || format!("{} cannot be read", file.display());
    let mut buffer = Vec::new();
    while let Some(block) = blocks.next_block(buffer).with_context(unreadable)? {
        let too_long = block.for_each_line(|parser, line| match parser.parse(line) {
            LogLine::Comment => {}
            LogLine::Unreadable => summary.unreadable_lines += 1,
            LogLine::Request(request) => {
                summary.lines += 1;
                let user_agent = String::from_utf8_lossy(&request.user_agent.decode()).into_owned();
                let visitor = LogVisitor { address: request.address, user_agent };
                if is_wanted(&visitor) {
                    *counts.entry(visitor).or_default() += 1;
                } else {
                    summary.not_a_known_agent += 1;
                }
            }
        });
        summary.unreadable_lines += too_long;
        buffer = block.into_buffer();
        if counts.len() > MAX_VISITORS {
            bail!("{} has more than {MAX_VISITORS} different visitors: split it", file.display());
        }
    }
    summary.unreadable_lines += blocks.skipped_lines;
    summary.lines += summary.unreadable_lines;
    let mut visitors: Vec<(LogVisitor, u64)> = counts.into_iter().collect();
    visitors.sort();
    Ok(visitors)
}

async fn check_from_here(
    config: &Config,
    visitors: &[(LogVisitor, u64)],
    summary: &mut LogSummary,
) -> Result<()> {
    let user_agents = visitors.iter().map(|(visitor, _)| visitor.user_agent.as_bytes());
    let checker = local_checker(config, user_agents).await?;
    let bar = scan_progress::visitors_bar(visitors.len() as u64);
    let checks = visitors.iter().map(|(visitor, count)| {
        let checker = &checker;
        async move {
            let user_agent = visitor.user_agent.as_bytes();
            (check_locally(checker, user_agent, Some(visitor.address)).await, *count)
        }
    });
    let mut checks = futures_util::stream::iter(checks).buffered(CHECKED_AT_ONCE);
    while let Some((result, count)) = checks.next().await {
        summary.add(result, count);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}

async fn check_by_server(
    server: &str,
    visitors: &[(LogVisitor, u64)],
    key: &KeyArg,
    summary: &mut LogSummary,
) -> Result<()> {
    #[derive(serde::Deserialize)]
    struct Answer {
        results: Vec<VisitorResult>,
    }
    let address = format!("{}/api/v1/visitor", server.trim_end_matches('/'));
    let bar = scan_progress::visitors_bar(visitors.len() as u64);
    for part in visitors.chunks(contract::limits::VISITOR_BATCH_MAX) {
        let query = |(visitor, _): &(LogVisitor, u64)| VisitorQuery {
            ip: Some(visitor.address.to_string()),
            ua: visitor.user_agent.chars().take(8192).collect(),
            headers: None,
            authority: None,
        };
        let queries: Vec<VisitorQuery> = part.iter().map(query).collect();
        let body = serde_json::json!({ "visitors": queries }).to_string();
        let bytes = remote::post_json(&address, body, key).await?;
        let answer: Answer =
            serde_json::from_slice(&bytes).context("the server sent no valid answer")?;
        if answer.results.len() != part.len() {
            bail!("the server did not answer about every visitor");
        }
        for (result, (_, count)) in answer.results.into_iter().zip(part) {
            summary.add(result, *count);
        }
        bar.inc(part.len() as u64);
    }
    bar.finish_and_clear();
    Ok(())
}

impl LogSummary {
    fn add(&mut self, result: VisitorResult, count: u64) {
        let verdict = match result.verdict {
            VisitorVerdict::Verified => "verified",
            VisitorVerdict::Spoofed => "spoofed",
            VisitorVerdict::Unverifiable => "unverifiable",
            _ => {
                self.not_a_known_agent += count;
                return;
            }
        };
        let agent = self.agents.entry(result.claimed.unwrap_or_default()).or_default();
        agent.operator = result.operator.unwrap_or_default();
        *agent.requests.entry(verdict).or_default() += count;
        if verdict == "spoofed" {
            agent.spoofed_because.get_or_insert(result.why);
        }
    }
}

fn print_summary(summary: &LogSummary) {
    let header = ["AGENT", "OPERATOR", "VERIFIED", "SPOOFED", "UNVERIFIABLE"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for (name, agent) in &summary.agents {
        let count = |verdict| agent.requests.get(verdict).copied().unwrap_or(0).to_string();
        rows.push(vec![
            sanitize_for_terminal(name),
            sanitize_for_terminal(&agent.operator),
            count("verified"),
            count("spoofed"),
            count("unverifiable"),
        ]);
    }
    output::print_bytes(output::format_table(&rows).as_bytes());
    output::print_line(&format!(
        "{} requests, {} of them by no known agent; {} lines could not be read.",
        summary.lines, summary.not_a_known_agent, summary.unreadable_lines
    ));
}
