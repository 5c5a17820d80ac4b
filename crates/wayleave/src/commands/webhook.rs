//! `wayleave webhook`: adds, lists and deletes the webhooks of a licence.

use anyhow::{Context, Result, bail};
use contract::Clock;
use door::SystemClock;
use serde_json::{Value, json};
use service::SystemIds;
use service::webhooks::{NewWebhook, find_webhook, register_webhook};
use store::{Delivery, Webhook};

use super::config_in_force;
use crate::config::ConfigArgs;
use crate::{audit, exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Works on store.data_dir, also while a server is running; changes take effect within seconds.\n\
                  A running server sends events to the address by POST, signed; `/docs/webhooks` says what they are and \
                  how to verify them.\n\n\
                  Exit codes: 0 done, 2 nothing was changed (the message says why)."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Add a webhook to a licence; it gets what happens from now on
    Add {
        #[command(flatten)]
        of: OfLicence,
        /// Where events are sent to: an https address
        #[arg(long)]
        url: String,
        /// Events to send, separated by commas: answer.changed, revocation, scan.finished, control.changed,
        /// accuracy.changed
        #[arg(long, value_delimiter = ',', required = true)]
        events: Vec<String>,
    },
    /// List the webhooks of a licence
    List {
        #[command(flatten)]
        of: OfLicence,
    },
    /// Delete a webhook with what waits for it
    Delete {
        /// Id of the webhook, as listed
        id: String,
        #[command(flatten)]
        of: OfLicence,
    },
    /// List what was sent to a webhook, newest first
    Deliveries {
        /// Id of the webhook, as listed
        id: String,
        #[command(flatten)]
        of: OfLicence,
        /// The most deliveries to list
        #[arg(long, value_name = "NUMBER", default_value_t = 20)]
        limit: usize,
    },
}

/// What all of these commands need.
#[derive(Debug, clap::Args)]
struct OfLicence {
    /// Id of the licence, as `wayleave licence list` shows it
    #[arg(long, value_name = "ID")]
    licence: String,
    #[command(flatten)]
    config: ConfigArgs,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    wiring::runtime()?.block_on(async {
        match args.command {
            Command::Add { of, url, events } => add(&of, &url, &events).await,
            Command::List { of } => list(&of).await,
            Command::Delete { id, of } => delete(&of, &id).await,
            Command::Deliveries { id, of, limit } => list_deliveries(&of, &id, limit).await,
        }
    })
}

async fn add(of: &OfLicence, url: &str, events: &[String]) -> Result<u8> {
    let config = config_in_force(&of.config)?;
    let policy = wiring::network_policy(&config.network)?;
    let admin = wiring::open_admin(&config)?;
    let new = NewWebhook { licence_id: &of.licence, url, events, policy: &policy };
    let (webhooks, licences) = (admin.webhooks(), admin.licences());
    let added = register_webhook(webhooks, licences, &SystemIds, SystemClock.now(), new).await;
    let added = added.context("cannot add the webhook")?;
    audit::record(admin.audit(), "webhook.add", &added.id, audit_detail(&added)).await?;
    print_webhooks(&[added], of.json)
}

/// Without the path of the address, which may have a secret in it.
fn audit_detail(webhook: &Webhook) -> Value {
    let url = url::Url::parse(&webhook.url).ok();
    let host = url.as_ref().and_then(url::Url::host_str);
    json!({ "licence": webhook.licence_id, "host": host, "events": webhook.events })
}

async fn list(of: &OfLicence) -> Result<u8> {
    let admin = wiring::open_admin(&config_in_force(&of.config)?)?;
    if admin.licences().licence(&of.licence).await?.is_none() {
        bail!("there is no licence {}", of.licence);
    }
    print_webhooks(&admin.webhooks().webhooks_of(&of.licence).await?, of.json)
}

async fn delete(of: &OfLicence, id: &str) -> Result<u8> {
    let admin = wiring::open_admin(&config_in_force(&of.config)?)?;
    let webhook = find_webhook(admin.webhooks(), &of.licence, id).await?;
    admin.webhooks().delete_webhook(id).await?;
    audit::record(admin.audit(), "webhook.delete", id, audit_detail(&webhook)).await?;
    print_webhooks(&[webhook], of.json)
}

async fn list_deliveries(of: &OfLicence, id: &str, limit: usize) -> Result<u8> {
    let admin = wiring::open_admin(&config_in_force(&of.config)?)?;
    find_webhook(admin.webhooks(), &of.licence, id).await?;
    let deliveries = admin.deliveries().deliveries_of(id, None, limit).await?;
    if of.json {
        output::print_json(&deliveries.iter().map(delivery_to_json).collect::<Vec<_>>())?;
        return Ok(exit::PASSED);
    }
    let mut rows =
        vec![["ID", "EVENT", "CREATED", "STATE", "TRIES", "LAST"].map(str::to_owned).to_vec()];
    rows.extend(deliveries.iter().map(|delivery| {
        let status = delivery.last_status.map(|status| format!("status {status}"));
        let last = delivery.last_error.clone().or(status).unwrap_or_else(|| "-".to_owned());
        vec![
            delivery.id.clone(),
            delivery.event.clone(),
            delivery.created_at.to_string(),
            delivery.state.as_str().to_owned(),
            delivery.tries.to_string(),
            output::sanitize_for_terminal(&last),
        ]
    }));
    output::print_bytes(output::format_table(&rows).as_bytes());
    Ok(exit::PASSED)
}

fn print_webhooks(webhooks: &[Webhook], json: bool) -> Result<u8> {
    if json {
        output::print_json(&webhooks.iter().map(webhook_to_json).collect::<Vec<_>>())?;
        return Ok(exit::PASSED);
    }
    let mut rows = vec![["ID", "EVENTS", "CREATED", "STATE", "URL"].map(str::to_owned).to_vec()];
    rows.extend(webhooks.iter().map(|webhook| {
        vec![
            webhook.id.clone(),
            webhook.events.join(" "),
            webhook.created_at.to_string(),
            describe_state(webhook),
            output::sanitize_for_terminal(&webhook.url),
        ]
    }));
    output::print_bytes(output::format_table(&rows).as_bytes());
    Ok(exit::PASSED)
}

fn describe_state(webhook: &Webhook) -> String {
    match (&webhook.disabled_why, webhook.failing_since) {
        (Some(why), _) => format!("off: {}", output::sanitize_for_terminal(why)),
        (None, Some(since)) => format!("failing since {since}"),
        (None, None) => "on".to_owned(),
    }
}

fn webhook_to_json(webhook: &Webhook) -> Value {
    json!({
        "id": webhook.id,
        "licence_id": webhook.licence_id,
        "url": webhook.url,
        "events": webhook.events,
        "created_at": webhook.created_at,
        "failing_since": webhook.failing_since,
        "disabled_at": webhook.disabled_at,
        "disabled_why": webhook.disabled_why,
    })
}

fn delivery_to_json(delivery: &Delivery) -> Value {
    json!({
        "id": delivery.id,
        "event": delivery.event,
        "created_at": delivery.created_at,
        "next_try_at": delivery.next_try_at,
        "state": delivery.state.as_str(),
        "tries": delivery.tries,
        "last_status": delivery.last_status,
        "last_error": delivery.last_error,
        "ended_at": delivery.ended_at,
    })
}
