//! `wayleave preflight`: decides whether an agent may take one action at a URL or domain now.

use std::sync::Arc;

use anyhow::{Context, Result};
use contract::records::{
    Action, CallerPolicy, Decision, DecisionReceipt, PreflightAgent, PreflightCheck,
    PreflightTemplate,
};
use door::SystemClock;

use super::config_in_force;
use super::remote::{self, KeyArg};
use crate::config::ConfigArgs;
use crate::output::{Tone, colour_for_terminal, sanitize_for_terminal};
use crate::{exit, logging, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Prints the decision, each step that led to it, obligations, and when the receipt expires.\n\
                  Without --url this program reads the site itself: the receipt is not signed or stored, and \
                  revocations are not checked.\n\n\
                  Exit codes: 0 allow (with --allow-warn also warn), 1 any other decision, 2 no decision could be \
                  made; do not act."
)]
pub(crate) struct Args {
    /// URL or domain
    target: String,
    /// Action: read, cite, connect, transact or administer
    #[arg(value_parser = parse_action)]
    action: Action,
    /// Ask the Wayleave server at this URL instead of reading the site from here
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    #[command(flatten)]
    key: KeyArg,
    /// Name of the agent, as used in robots.txt (for example GPTBot)
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Template that adds conditions: safe_citation, safe_data_retrieval, safe_api_connect, safe_mcp_tool, safe_commerce, safe_oauth or
    /// support_escalation
    #[arg(long, value_name = "NAME", value_parser = parse_template)]
    template: Option<PreflightTemplate>,
    /// Maximum age of the evidence
    #[arg(long, value_name = "HOURS")]
    max_age_hours: Option<u32>,
    /// Turn a `warn` decision into: warn, require_confirmation or block
    #[arg(long, value_name = "DECISION", value_parser = parse_decision)]
    on_warn: Option<Decision>,
    /// Your own text, returned in the receipt to tie it to this request
    #[arg(long)]
    nonce: Option<String>,
    /// Exit with 0 also for `warn`
    #[arg(long)]
    allow_warn: bool,
    /// Print the whole receipt as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let config = config_in_force(&args.config)?;
    logging::start_logging(&config.log)?;
    let check = build_check(&args);
    let bytes = wiring::runtime()?.block_on(async {
        match &args.url {
            Some(server) => preflight_by_server(server, &check, &args.key).await,
            None => Ok(serde_json::to_vec(&preflight_from_here(&config, &check).await?)?),
        }
    })?;
    let receipt: DecisionReceipt =
        serde_json::from_slice(&bytes).context("the server sent no valid receipt")?;
    if args.json {
        output::print_bytes(&bytes);
        output::print_line("");
    } else {
        print_receipt(&receipt);
    }
    let proceed = match receipt.decision {
        Decision::Allow => true,
        Decision::Warn => args.allow_warn,
        _ => false,
    };
    Ok(if proceed { exit::PASSED } else { exit::CHECK_FAILED })
}

fn build_check(args: &Args) -> PreflightCheck {
    let is_url = args.target.contains("://");
    let policy = CallerPolicy {
        max_age_hours: args.max_age_hours,
        on_warn: args.on_warn.clone(),
        ..CallerPolicy::default()
    };
    PreflightCheck {
        domain: (!is_url).then(|| args.target.clone()),
        url: is_url.then(|| args.target.clone()),
        action: Some(args.action.clone()),
        agent: args.agent.clone().map(PreflightAgent::Name),
        template: args.template.clone(),
        policy: (policy != CallerPolicy::default()).then_some(policy),
        nonce: args.nonce.clone(),
        ..PreflightCheck::default()
    }
}

async fn preflight_from_here(
    config: &crate::config::Config,
    check: &PreflightCheck,
) -> Result<DecisionReceipt> {
    let clock = Arc::new(SystemClock);
    let settings = wiring::service_settings(config)?;
    let scanner = wiring::build_scanner(config, clock.clone())?;
    Ok(scanner.preflight(check, &settings, clock.as_ref()).await?)
}

async fn preflight_by_server(
    server: &str,
    check: &PreflightCheck,
    key: &KeyArg,
) -> Result<Vec<u8>> {
    let address = format!("{}/api/v1/preflight", server.trim_end_matches('/'));
    remote::post_json(&address, serde_json::to_string(check)?, key).await
}

fn print_receipt(receipt: &DecisionReceipt) {
    let tone = match receipt.decision {
        Decision::Allow => Tone::Good,
        Decision::Warn | Decision::RequireConfirmation => Tone::Warning,
        _ => Tone::Bad,
    };
    let decision = colour_for_terminal(tone, receipt.decision.as_str());
    output::print_line(&format!("{} {}: {decision}", receipt.domain, receipt.action));
    output::print_line(&format!("  {}", sanitize_for_terminal(&receipt.meaning)));
    for step in &receipt.steps {
        output::print_line(&format!(
            "  {:<18}{:<22}{}",
            step.rule,
            step.effect,
            sanitize_for_terminal(&step.why)
        ));
    }
    for obligation in &receipt.obligations {
        let json = serde_json::to_string(obligation).unwrap_or_default();
        output::print_line(&format!("  obligation        {}", sanitize_for_terminal(&json)));
    }
    let goes_ahead = matches!(receipt.decision, Decision::Allow | Decision::Warn);
    for alternative in receipt.alternatives.iter().filter(|_| !goes_ahead) {
        output::print_line(&format!("  instead           {}", sanitize_for_terminal(alternative)));
    }
    output::print_line(&format!("  expires at {}", receipt.expires_at));
}

fn parse_action(text: &str) -> Result<Action, String> {
    Action::from_word(text).ok_or_else(|| format!("expected one of {}", Action::WORDS.join(", ")))
}

fn parse_template(text: &str) -> Result<PreflightTemplate, String> {
    let words = PreflightTemplate::WORDS.join(", ");
    PreflightTemplate::from_word(text).ok_or_else(|| format!("expected one of {words}"))
}

fn parse_decision(text: &str) -> Result<Decision, String> {
    Decision::from_word(text)
        .ok_or_else(|| format!("expected one of {}", Decision::WORDS.join(", ")))
}
