//! `wayleave control`: claims of control over domains, and the incidents that owners report.

use anyhow::{Result, bail};
use contract::{Clock, Domain};
use door::SystemClock;
use serde_json::{Value, json};
use service::domains::control::{
    ClaimRow, end_incident_as_operator, list_claims, read_control_event, request_recheck,
    suspend_claim,
};
use store::{Incidents, OwnerIncident};

use super::config_in_force;
use crate::config::{Config, ConfigArgs};
use crate::{audit, exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Works on store.data_dir, also while a server is running; changes take effect within seconds.\n\
                  What is changed here is recorded in the audit log (`wayleave audit`) and in the events of the \
                  domain, which everybody can read.\n\n\
                  Exit codes: 0 done, 2 nothing was changed (the message says why)."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List claims, or those of one domain
    List {
        /// Only claims of this domain
        domain: Option<String>,
        #[command(flatten)]
        common: Common,
    },
    /// Show the claims and events of a domain
    Show {
        domain: String,
        #[command(flatten)]
        common: Common,
    },
    /// Let the running server read the proof of a claim now
    Recheck {
        /// Id of the claim, as listed
        claim: String,
        #[command(flatten)]
        common: Common,
    },
    /// End a claim; the claimant can prove control again with a new token
    Suspend {
        /// Id of the claim, as listed
        claim: String,
        /// Why, in a sentence; it becomes public
        #[arg(long)]
        why: String,
        #[command(flatten)]
        common: Common,
    },
    /// List the incidents that owners reported
    Incidents {
        /// Also incidents that have ended
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        common: Common,
    },
    /// End an incident
    EndIncident {
        /// Id of the incident, as listed
        incident: String,
        /// Why, in a sentence; it becomes public
        #[arg(long)]
        why: String,
        #[command(flatten)]
        common: Common,
    },
}

/// What all of these commands need.
#[derive(Debug, clap::Args)]
struct Common {
    #[command(flatten)]
    config: ConfigArgs,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// The longest reason, in characters.
const MAX_WHY_CHARS: usize = 500;
/// Events and incidents that are read from the store at once.
const PAGE: usize = 256;

pub(crate) fn run(args: Args) -> Result<u8> {
    wiring::runtime()?.block_on(async {
        match args.command {
            Command::List { domain, common } => list(domain.as_deref(), &common).await,
            Command::Show { domain, common } => show(&domain, &common).await,
            Command::Recheck { claim, common } => recheck(&claim, &common).await,
            Command::Suspend { claim, why, common } => suspend(&claim, &why, &common).await,
            Command::Incidents { all, common } => list_incidents(all, &common).await,
            Command::EndIncident { incident, why, common } => {
                end_incident(&incident, &why, &common).await
            }
        }
    })
}

fn parse_domain(config: &Config, text: &str) -> Result<Domain> {
    let names = wiring::network_policy(&config.network)?.names;
    Domain::parse(text, &names).map_err(|refusal| anyhow::anyhow!("{text}: {refusal}"))
}

async fn list(domain: Option<&str>, common: &Common) -> Result<u8> {
    let config = config_in_force(&common.config)?;
    let domain = domain.map(|domain| parse_domain(&config, domain)).transpose()?;
    let admin = wiring::open_admin(&config)?;
    let rows = list_claims(admin.control(), domain.as_ref(), SystemClock.now()).await?;
    print_claims(&rows, common.json)
}

fn print_claims(rows: &[ClaimRow], json: bool) -> Result<u8> {
    if json {
        output::print_json(&rows.iter().map(claim_to_json).collect::<Vec<_>>())?;
        return Ok(exit::PASSED);
    }
    let mut table = vec![
        ["CLAIM", "DOMAIN", "STATE", "METHOD", "PROOF SEEN", "NEXT CHECK", "CONTACT"]
            .map(str::to_owned)
            .to_vec(),
    ];
    table.extend(rows.iter().map(|row| {
        let claim = &row.held.claim;
        let text = |text: &Option<String>| {
            text.as_ref().map_or("-".to_owned(), |text| output::sanitize_for_terminal(text))
        };
        vec![
            row.held.id.clone(),
            row.held.domain.to_string(),
            row.state.to_string(),
            claim.method.to_string(),
            claim.last_verified_at.to_string(),
            claim.next_check_at.map_or("-".to_owned(), |at| at.to_string()),
            text(&row.held.contact),
        ]
    }));
    output::print_bytes(output::format_table(&table).as_bytes());
    Ok(exit::PASSED)
}

fn claim_to_json(row: &ClaimRow) -> Value {
    let claim = &row.held.claim;
    json!({
        "claim": row.held.id,
        "domain": row.held.domain,
        "state": row.state,
        "grants_access": row.grants_access,
        "method": claim.method,
        "claimed_at": claim.claimed_at,
        "last_verified_at": claim.last_verified_at,
        "last_check_at": claim.last_check_at,
        "next_check_at": claim.next_check_at,
        "grace_ends_at": claim.grace_ends_at,
        "organization": row.held.organization,
        "contact": row.held.contact,
    })
}

async fn show(domain: &str, common: &Common) -> Result<u8> {
    let config = config_in_force(&common.config)?;
    let domain = parse_domain(&config, domain)?;
    let admin = wiring::open_admin(&config)?;
    let rows = list_claims(admin.control(), Some(&domain), SystemClock.now()).await?;
    let mut events = Vec::new();
    for stored in admin.control().control_events_of(&domain, None, PAGE).await?.iter().rev() {
        events.push(read_control_event(stored)?);
    }
    if common.json {
        let claims: Vec<Value> = rows.iter().map(claim_to_json).collect();
        output::print_json(&json!({ "domain": domain, "claims": claims, "events": events }))?;
        return Ok(exit::PASSED);
    }
    print_claims(&rows, false)?;
    let mut table = vec![["AT", "EVENT", "STATE AFTER IT", "WHY"].map(str::to_owned).to_vec()];
    table.extend(events.iter().map(|event| {
        vec![
            event.at.to_string(),
            event.event.to_string(),
            event.to_state.to_string(),
            output::sanitize_for_terminal(&event.why),
        ]
    }));
    output::print_bytes(format!("\n{}", output::format_table(&table)).as_bytes());
    Ok(exit::PASSED)
}

async fn recheck(claim: &str, common: &Common) -> Result<u8> {
    let admin = wiring::open_admin(&config_in_force(&common.config)?)?;
    match request_recheck(admin.control(), claim, SystemClock.now()).await? {
        None => bail!("there is no claim {claim}"),
        Some(false) => bail!("the claim {claim} was lost; its claimant must prove control anew"),
        Some(true) => {}
    }
    audit::record(admin.audit(), "control.recheck", claim, json!({})).await?;
    output::print_note("A running server reads the proof within seconds.");
    Ok(exit::PASSED)
}

async fn suspend(claim: &str, why: &str, common: &Common) -> Result<u8> {
    let why = checked_reason(why)?;
    let admin = wiring::open_admin(&config_in_force(&common.config)?)?;
    match suspend_claim(admin.control(), claim, why, SystemClock.now()).await? {
        None => bail!("there is no claim {claim}"),
        Some(false) => bail!("the claim {claim} was lost already"),
        Some(true) => {}
    }
    audit::record(admin.audit(), "control.suspend", claim, json!({ "why": why })).await?;
    output::print_note("The claim has ended. A running server notices within seconds.");
    Ok(exit::PASSED)
}

fn checked_reason(why: &str) -> Result<&str> {
    let why = why.trim();
    if why.is_empty() || why.chars().count() > MAX_WHY_CHARS {
        bail!("--why needs 1 to {MAX_WHY_CHARS} characters");
    }
    Ok(why)
}

async fn all_incidents(store: &dyn Incidents) -> Result<Vec<OwnerIncident>> {
    let mut found: Vec<OwnerIncident> = Vec::new();
    loop {
        let page = store.incidents(found.last().map(|last| last.id.clone()), PAGE).await?;
        if page.is_empty() {
            return Ok(found);
        }
        found.extend(page);
    }
}

async fn list_incidents(all: bool, common: &Common) -> Result<u8> {
    let admin = wiring::open_admin(&config_in_force(&common.config)?)?;
    let now = SystemClock.now();
    let mut incidents = all_incidents(admin.incidents()).await?;
    incidents.retain(|incident| all || incident.is_open(now));
    if common.json {
        let list: Vec<Value> = incidents.iter().map(incident_to_json).collect();
        output::print_json(&list)?;
        return Ok(exit::PASSED);
    }
    let mut table =
        vec![["INCIDENT", "DOMAIN", "SINCE", "ENDS", "WHAT"].map(str::to_owned).to_vec()];
    table.extend(incidents.iter().map(|incident| {
        vec![
            incident.id.clone(),
            incident.domain.to_string(),
            incident.since.to_string(),
            incident.ended_at.map_or(incident.ends_at.to_string(), |at| format!("ended {at}")),
            output::sanitize_for_terminal(&incident.what),
        ]
    }));
    output::print_bytes(output::format_table(&table).as_bytes());
    Ok(exit::PASSED)
}

fn incident_to_json(incident: &OwnerIncident) -> Value {
    json!({
        "incident": incident.id,
        "domain": incident.domain,
        "claim": incident.claim_id,
        "what": incident.what,
        "since": incident.since,
        "reported_at": incident.reported_at,
        "ends_at": incident.ends_at,
        "ended_at": incident.ended_at,
        "ended_by": incident.ended_by,
    })
}

async fn end_incident(id: &str, why: &str, common: &Common) -> Result<u8> {
    let why = checked_reason(why)?;
    let admin = wiring::open_admin(&config_in_force(&common.config)?)?;
    let incidents = all_incidents(admin.incidents()).await?;
    let Some(incident) = incidents.iter().find(|incident| incident.id == id) else {
        bail!("there is no incident {id}");
    };
    if !end_incident_as_operator(admin.incidents(), incident, why, SystemClock.now()).await? {
        bail!("the incident {id} has ended already");
    }
    audit::record(admin.audit(), "incident.end", id, json!({ "why": why })).await?;
    output::print_note("The incident has ended. A running server notices within seconds.");
    Ok(exit::PASSED)
}
