//! `wayleave preflight`: may this agent do this, here, now?

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use contract::records::{
    Action, AgentAsked, CallerPolicy, Decision, DecisionReceipt, PreflightCheck, PreflightTemplate,
};
use door::{Door, SystemClock};
use service::{Scanner, SystemIds};

use super::{in_force, remote};
use crate::config::ConfigArgs;
use crate::output::{Tone, harmless, toned};
use crate::{exit, output, telemetry, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 allow (or warn, with --allow-warn), 1 any other decision, 2 no decision.\n\
                  Without --url the site is read from here; the receipt is neither signed nor kept, and no \
                  revocations are looked at."
)]
pub(crate) struct Args {
    /// Address or domain
    target: String,
    /// read, cite, connect, transact or administer
    #[arg(value_parser = action)]
    action: Action,
    /// Ask this server instead of reading from here
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The agent's name, as robots.txt would call it
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// safe_citation, safe_data_retrieval, safe_api_connect, safe_mcp_tool, safe_commerce, safe_oauth or
    /// support_escalation
    #[arg(long, value_name = "NAME", value_parser = template)]
    template: Option<PreflightTemplate>,
    /// The oldest evidence you accept
    #[arg(long, value_name = "HOURS")]
    max_age_hours: Option<u32>,
    /// What a warning is to become: warn, require_confirmation or block
    #[arg(long, value_name = "DECISION", value_parser = decision)]
    on_warn: Option<Decision>,
    /// Given back in the receipt
    #[arg(long)]
    nonce: Option<String>,
    /// Take a warning for a yes
    #[arg(long)]
    allow_warn: bool,
    /// The whole receipt as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let config = in_force(&args.config)?;
    telemetry::start(&config.log)?;
    let check = check(&args);
    let bytes = wiring::runtime()?.block_on(async {
        match &args.url {
            Some(server) => ask(server, &check).await,
            None => Ok(serde_json::to_vec(&look(&config, &check).await?)?),
        }
    })?;
    let receipt: DecisionReceipt =
        serde_json::from_slice(&bytes).context("the receipt cannot be read")?;
    if args.json {
        output::raw(&bytes);
        output::line("");
    } else {
        show(&receipt);
    }
    let goes = match receipt.decision {
        Decision::Allow => true,
        Decision::Warn => args.allow_warn,
        _ => false,
    };
    Ok(if goes { exit::GOOD } else { exit::BAD })
}

fn check(args: &Args) -> PreflightCheck {
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
        agent: args.agent.clone().map(AgentAsked::Name),
        template: args.template.clone(),
        policy: (policy != CallerPolicy::default()).then_some(policy),
        nonce: args.nonce.clone(),
        ..PreflightCheck::default()
    }
}

async fn look(config: &crate::config::Config, check: &PreflightCheck) -> Result<DecisionReceipt> {
    let clock = Arc::new(SystemClock);
    let settings = wiring::settings(config)?;
    let door = Door::new(wiring::policy(&config.network)?, clock.clone())?;
    let catalogue = wiring::catalogue(config)?;
    let scanner = Scanner::new(&settings, door, catalogue, clock.clone(), Arc::new(SystemIds));
    Ok(scanner.preflight(check, &settings, clock.as_ref()).await?)
}

async fn ask(server: &str, check: &PreflightCheck) -> Result<Vec<u8>> {
    let address = format!("{}/api/v1/preflight", server.trim_end_matches('/'));
    let (status, bytes) = remote::post(&address, serde_json::to_string(check)?).await?;
    if status != 200 {
        bail!("the server answered {status}: {}", harmless(&remote::said(&bytes)));
    }
    Ok(bytes)
}

fn show(receipt: &DecisionReceipt) {
    let tone = match receipt.decision {
        Decision::Allow => Tone::Good,
        Decision::Warn | Decision::RequireConfirmation => Tone::Doubt,
        _ => Tone::Bad,
    };
    let decision = toned(tone, receipt.decision.as_str());
    output::line(&format!("{} {}: {decision}", receipt.domain, receipt.action));
    output::line(&format!("  {}", harmless(&receipt.meaning)));
    for step in &receipt.steps {
        output::line(&format!("  {:<18}{:<22}{}", step.rule, step.effect, harmless(&step.why)));
    }
    for obligation in &receipt.obligations {
        let told = serde_json::to_string(obligation).unwrap_or_default();
        output::line(&format!("  you must          {}", harmless(&told)));
    }
    output::line(&format!("  good until {}", receipt.expires_at));
}

fn action(text: &str) -> Result<Action, String> {
    Action::known(text).ok_or_else(|| format!("expected one of {}", Action::WORDS.join(", ")))
}

fn template(text: &str) -> Result<PreflightTemplate, String> {
    let words = PreflightTemplate::WORDS.join(", ");
    PreflightTemplate::known(text).ok_or_else(|| format!("expected one of {words}"))
}

fn decision(text: &str) -> Result<Decision, String> {
    Decision::known(text).ok_or_else(|| format!("expected one of {}", Decision::WORDS.join(", ")))
}
