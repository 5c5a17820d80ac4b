//! `wayleave resolve`: what way an agent has at a domain, from here or by a server.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use contract::records::{Decision, ResolveAnswer, Section};
use door::{Door, SystemClock};
use service::{Scanner, SystemIds};

use super::{in_force, remote};
use crate::config::ConfigArgs;
use crate::output::{Tone, harmless, toned};
use crate::{exit, output, telemetry, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 every domain was answered and may be read (allow or warn), 1 one of them may \
                  not, 2 one could not be asked.\n\
                  Without --url the site is read from here, and the answer is neither signed nor logged."
)]
pub(crate) struct Args {
    /// Domains or addresses
    #[arg(required = true)]
    domains: Vec<String>,
    /// Ask this server instead of reading from here
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The whole answers as JSON, one a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let config = in_force(&args.config)?;
    telemetry::start(&config.log)?;
    wiring::runtime()?.block_on(async {
        let mut worst = exit::GOOD;
        for domain in &args.domains {
            let bytes = match &args.url {
                Some(server) => ask(server, domain).await?,
                None => serde_json::to_vec(&look(&config, domain).await?.0)?,
            };
            let answer: ResolveAnswer =
                serde_json::from_slice(&bytes).context("the answer cannot be read")?;
            if args.json {
                output::raw(&bytes);
                output::line("");
            } else {
                show(&answer);
            }
            if !may(&answer.actions.read.decision) {
                worst = exit::BAD;
            }
        }
        Ok(worst)
    })
}

/// Reads from here: the answer, and robots.txt where it was read.
pub(super) async fn look(
    config: &crate::config::Config,
    domain: &str,
) -> Result<(ResolveAnswer, Option<bytes::Bytes>)> {
    let clock = Arc::new(SystemClock);
    let settings = wiring::settings(config)?;
    let door = Door::new(wiring::policy(&config.network)?, clock.clone())?;
    let catalogue = wiring::catalogue(config)?;
    let scanner = Scanner::new(&settings, door, catalogue, clock.clone(), Arc::new(SystemIds));
    let domain = scanner.domain(domain)?;
    Ok(scanner.resolve(&domain, &settings, clock.as_ref()).await?)
}

async fn ask(server: &str, domain: &str) -> Result<Vec<u8>> {
    let query =
        url::form_urlencoded::Serializer::new(String::new()).append_pair("domain", domain).finish();
    let address = format!("{}/api/v1/resolve?{query}", server.trim_end_matches('/'));
    let (status, bytes) = remote::get_any(&address).await?;
    if status != 200 {
        bail!("the server answered {status}: {}", harmless(&remote::said(&bytes)));
    }
    Ok(bytes)
}

/// What an agent that is careful goes on with.
fn may(decision: &Decision) -> bool {
    matches!(decision, Decision::Allow | Decision::Warn)
}

fn show(answer: &ResolveAnswer) {
    let host = answer.subject.host.as_deref().unwrap_or("nowhere");
    output::line(&toned(Tone::Strong, &format!("{} ({})", answer.domain, harmless(host))));
    let age = match answer.freshness.age_hours {
        None => "nothing was observed".to_owned(),
        Some(0) => "read within the last hour".to_owned(),
        Some(hours) => format!("read {hours} h ago"),
    };
    output::line(&format!("  {}, assurance {}, {age}", answer.status, answer.assurance));
    let actions = &answer.actions;
    let cite = (&actions.cite.decision, &actions.cite.why, &actions.cite.doubts);
    for (name, decision, why, doubts) in [
        ("read", &actions.read.decision, &actions.read.why, &actions.read.doubts),
        ("cite", cite.0, cite.1, cite.2),
        ("connect", &actions.connect.decision, &actions.connect.why, &actions.connect.doubts),
        ("transact", &actions.transact.decision, &actions.transact.why, &actions.transact.doubts),
        (
            "administer",
            &actions.administer.decision,
            &actions.administer.why,
            &actions.administer.doubts,
        ),
    ] {
        let tone = match decision {
            Decision::Allow => Tone::Good,
            Decision::Warn | Decision::RequireConfirmation => Tone::Doubt,
            _ => Tone::Bad,
        };
        output::line(&format!(
            "  {name:<11}{} {}",
            toned(tone, &format!("{decision:<21}")),
            harmless(why)
        ));
        if !doubts.is_empty() {
            let doubts: Vec<&str> = doubts.iter().map(|doubt| doubt.as_str()).collect();
            output::line(&format!("             doubts: {}", doubts.join(", ")));
        }
    }
    for (name, state) in [
        ("crawl_policy", told(&answer.crawl_policy)),
        ("delivery", told(&answer.delivery)),
        ("machine_files", told(&answer.machine_files)),
        ("capabilities", told(&answer.capabilities)),
        ("entity", told(&answer.entity)),
        ("dns", told(&answer.dns)),
        ("tls", told(&answer.tls)),
    ] {
        output::line(&format!("  {name:<14}{}", harmless(&state)));
    }
}

fn told<T>(section: &Section<T>) -> String {
    match section {
        Section::NotMeasured { why, .. } => format!("not measured: {why}"),
        other => other.state().to_owned(),
    }
}
