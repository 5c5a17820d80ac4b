//! `wayleave licence`: creates, lists and revokes licences, which raise the limits for their holders.

use anyhow::{Context, Result, bail};
use contract::{Clock, Domain, Timestamp};
use door::SystemClock;
use serde_json::{Value, json};
use service::SystemIds;
use service::access::licence;
use store::{Licence, LicensedDomains};

use super::config_in_force;
use crate::config::ConfigArgs;
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Works on store.data_dir, also while a server is running; changes take effect at once.\n\
                  A licence key raises the limits of reads, decisions and live readings, and for its domains those of \
                  scans, and allows private scans of them. Clients send it as `x-svc-key: KEY` or as a bearer token.\n\n\
                  Exit codes: 0 done, 2 nothing was changed (the message says why)."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Create a licence and print its key; the key is not stored and cannot be shown again
    Create {
        /// Domain the licence is valid for; can be repeated
        #[arg(long = "domain", value_name = "DOMAIN", required_unless_present = "all_domains")]
        domains: Vec<String>,
        /// Make the licence valid for every domain
        #[arg(long, conflicts_with = "domains")]
        all_domains: bool,
        /// Your own note, shown in the list
        #[arg(long)]
        label: Option<String>,
        #[command(flatten)]
        config: ConfigArgs,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// List the licences; their keys are not stored and cannot be shown
    List {
        #[command(flatten)]
        config: ConfigArgs,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Revoke a licence; its key stops working at once
    Revoke {
        /// Id of the licence, as listed
        id: String,
        #[command(flatten)]
        config: ConfigArgs,
        /// Print JSON instead of a table
        #[arg(long)]
        json: bool,
    },
}

/// The longest label, in characters.
const MAX_LABEL_CHARS: usize = 200;

/// Licences that are read from the store at once.
const LIST_PAGE: usize = 256;

pub(crate) fn run(args: Args) -> Result<u8> {
    wiring::runtime()?.block_on(async {
        match args.command {
            Command::Create { domains, all_domains, label, config, json } => {
                let config = config_in_force(&config)?;
                if label.as_ref().is_some_and(|label| label.chars().count() > MAX_LABEL_CHARS) {
                    bail!("--label is longer than {MAX_LABEL_CHARS} characters");
                }
                let names = wiring::network_policy(&config.network)?.names;
                let domains = if all_domains {
                    LicensedDomains::All
                } else {
                    let read = domains.iter().map(|text| {
                        Domain::parse(text, &names).with_context(|| format!("--domain {text}"))
                    });
                    LicensedDomains::Only(read.collect::<Result<_>>()?)
                };
                let admin = wiring::open_admin(&config)?;
                let now = SystemClock.now();
                let minted =
                    licence::create_licence(admin.licences(), &SystemIds, now, domains, label)
                        .await
                        .context("cannot create the licence")?;
                print_new_licence(&minted, json)
            }
            Command::List { config, json } => {
                let admin = wiring::open_admin(&config_in_force(&config)?)?;
                let mut all = Vec::new();
                loop {
                    let after = all.last().map(Licence::cursor);
                    let page = admin.licences().licences(after, LIST_PAGE).await?;
                    if page.is_empty() {
                        break;
                    }
                    all.extend(page);
                }
                print_licences(&all, json)
            }
            Command::Revoke { id, config, json } => {
                let admin = wiring::open_admin(&config_in_force(&config)?)?;
                let now = SystemClock.now().whole_seconds();
                match admin.licences().revoke_licence(&id, now).await? {
                    Some(revoked) => print_licences(&[revoked], json),
                    None => bail!("there is no licence {id}"),
                }
            }
        }
    })
}

/// Without `--json` only the key goes to standard output, so that scripts can capture it.
fn print_new_licence(minted: &licence::NewLicence, json: bool) -> Result<u8> {
    if json {
        let mut shown = licence_to_json(&minted.licence);
        if let Value::Object(members) = &mut shown {
            members.insert("key".to_owned(), json!(minted.key.reveal()));
        }
        output::print_json(&shown)?;
    } else {
        output::print_note(&format!(
            "Created licence {} for {}.",
            minted.licence.id,
            describe_domains(&minted.licence)
        ));
        output::print_note("Its key follows. It is not stored: save it now.");
        output::print_line(minted.key.reveal());
    }
    Ok(exit::PASSED)
}

fn print_licences(licences: &[Licence], json: bool) -> Result<u8> {
    if json {
        output::print_json(&licences.iter().map(licence_to_json).collect::<Vec<_>>())?;
        return Ok(exit::PASSED);
    }
    let mut rows =
        vec![["ID", "DOMAINS", "CREATED", "REVOKED", "LABEL"].map(str::to_owned).to_vec()];
    rows.extend(licences.iter().map(|licence| {
        vec![
            licence.id.clone(),
            describe_domains(licence),
            licence.created_at.to_string(),
            licence.revoked_at.map_or("-".to_owned(), |at| at.to_string()),
            output::sanitize_for_terminal(licence.label.as_deref().unwrap_or("-")),
        ]
    }));
    output::print_bytes(output::format_table(&rows).as_bytes());
    Ok(exit::PASSED)
}

fn describe_domains(licence: &Licence) -> String {
    match &licence.domains {
        LicensedDomains::All => "every domain".to_owned(),
        LicensedDomains::Only(domains) => {
            domains.iter().map(Domain::as_str).collect::<Vec<_>>().join(" ")
        }
    }
}

fn licence_to_json(licence: &Licence) -> Value {
    let domains = match &licence.domains {
        LicensedDomains::All => Value::Null,
        LicensedDomains::Only(domains) => json!(domains),
    };
    json!({
        "id": licence.id,
        // Null means every domain.
        "domains": domains,
        "label": licence.label,
        "created_at": licence.created_at,
        "revoked_at": licence.revoked_at.map(|at: Timestamp| at.to_string()),
    })
}
