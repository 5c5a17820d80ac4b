//! `wayleave licence`: who may ask beyond what everybody may.

use anyhow::{Context, Result, bail};
use contract::{Clock, Domain, Timestamp};
use door::SystemClock;
use serde_json::{Value, json};
use service::{SystemIds, licence};
use store::{Licence, LicensedDomains};

use super::in_force;
use crate::config::ConfigArgs;
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Works on the data directory (store.data_dir), also while a server runs on \
                        it; a running server knows of a change at once."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Make a licence and show its key, this once
    Create {
        /// A domain it is for; may be given more than once
        #[arg(long = "domain", value_name = "DOMAIN", required_unless_present = "all_domains")]
        domains: Vec<String>,
        /// For every domain
        #[arg(long, conflicts_with = "domains")]
        all_domains: bool,
        /// A note of your own
        #[arg(long)]
        label: Option<String>,
        #[command(flatten)]
        config: ConfigArgs,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// List the licences; keys are not kept and cannot be shown
    List {
        #[command(flatten)]
        config: ConfigArgs,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// End a licence; its key opens nothing from now on
    Revoke {
        /// As listed
        id: String,
        #[command(flatten)]
        config: ConfigArgs,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

/// Longer notes are for a file of your own.
const LONGEST_LABEL: usize = 200;

pub(crate) fn run(args: Args) -> Result<u8> {
    wiring::runtime()?.block_on(async {
        match args.command {
            Command::Create { domains, all_domains, label, config, json } => {
                let config = in_force(&config)?;
                if label.as_ref().is_some_and(|label| label.chars().count() > LONGEST_LABEL) {
                    bail!("--label is longer than {LONGEST_LABEL} characters");
                }
                let names = wiring::policy(&config.network)?.names;
                let domains = if all_domains {
                    LicensedDomains::All
                } else {
                    let read = domains.iter().map(|text| {
                        Domain::parse(text, &names).with_context(|| format!("--domain {text}"))
                    });
                    LicensedDomains::These(read.collect::<Result<_>>()?)
                };
                let desk = wiring::desk(&config)?;
                let now = SystemClock.now();
                let made = licence::mint(desk.licences(), &SystemIds, now, domains, label)
                    .await
                    .context("the licence was not made")?;
                show_minted(&made, json)
            }
            Command::List { config, json } => {
                let desk = wiring::desk(&in_force(&config)?)?;
                show(&desk.licences().licences().await?, json)
            }
            Command::Revoke { id, config, json } => {
                let desk = wiring::desk(&in_force(&config)?)?;
                let now = SystemClock.now().whole_seconds();
                match desk.licences().revoke_licence(&id, now).await? {
                    Some(ended) => show(&[ended], json),
                    None => bail!("there is no licence {id}"),
                }
            }
        }
    })
}

/// The key alone goes to standard output, so that a script can take it from there.
fn show_minted(made: &licence::Minted, json: bool) -> Result<u8> {
    if json {
        let mut shown = as_json(&made.licence);
        if let Value::Object(members) = &mut shown {
            members.insert("key".to_owned(), json!(made.key.reveal()));
        }
        output::json(&shown)?;
    } else {
        output::note(&format!("Licence {} for {}.", made.licence.id, domains(&made.licence)));
        output::note("Its key is shown this once and kept nowhere:");
        output::line(made.key.reveal());
    }
    Ok(exit::GOOD)
}

fn show(licences: &[Licence], json: bool) -> Result<u8> {
    if json {
        output::json(&licences.iter().map(as_json).collect::<Vec<_>>())?;
        return Ok(exit::GOOD);
    }
    let mut rows =
        vec![["ID", "DOMAINS", "CREATED", "REVOKED", "LABEL"].map(str::to_owned).to_vec()];
    rows.extend(licences.iter().map(|licence| {
        vec![
            licence.id.clone(),
            domains(licence),
            licence.created_at.to_string(),
            licence.revoked_at.map_or("-".to_owned(), |at| at.to_string()),
            output::harmless(licence.label.as_deref().unwrap_or("-")),
        ]
    }));
    output::raw(output::table(&rows).as_bytes());
    Ok(exit::GOOD)
}

fn domains(licence: &Licence) -> String {
    match &licence.domains {
        LicensedDomains::All => "every domain".to_owned(),
        LicensedDomains::These(domains) => {
            domains.iter().map(Domain::as_str).collect::<Vec<_>>().join(" ")
        }
    }
}

fn as_json(licence: &Licence) -> Value {
    let domains = match &licence.domains {
        LicensedDomains::All => Value::Null,
        LicensedDomains::These(domains) => json!(domains),
    };
    json!({
        "id": licence.id,
        // Null stands for every domain.
        "domains": domains,
        "label": licence.label,
        "created_at": licence.created_at,
        "revoked_at": licence.revoked_at.map(|at: Timestamp| at.to_string()),
    })
}
