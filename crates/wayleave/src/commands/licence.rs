//! `wayleave licence`: creates, lists, rotates and revokes licences, which raise the limits for their holders.

use anyhow::{Context, Result, bail};
use contract::{Clock, Domain, Timestamp};
use door::SystemClock;
use serde_json::{Value, json};
use service::SystemIds;
use service::access::licence::{self, LicenceTerms};
use store::{Licence, LicensedDomains};

use super::config_in_force;
use crate::config::{Config, ConfigArgs};
use crate::{audit, exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Works on store.data_dir, also while a server is running; changes take effect at once.\n\
                  A licence key raises the limits of reads, decisions and live readings, and for its domains those of \
                  scans. What else it gives, and how many calls in a month, is said by its plan (access.plans). Clients \
                  send it as `x-svc-key: KEY` or as a bearer token, and people sign in with it at /manage.\n\n\
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
        /// Plan of the licence, one of access.plans
        #[arg(long, default_value = service::access::plans::Plan::STANDARD)]
        plan: String,
        /// Days after which the licence ends; without it, it does not end
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=36_500))]
        days: Option<u32>,
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
    /// Make a new key for a licence and print it; its other keys end after a while
    Rotate {
        /// Id of the licence, as listed
        id: String,
        /// Hours for which the other keys still work; 0 ends them at once
        #[arg(long, default_value_t = licence::KEY_OVERLAP_HOURS, value_name = "HOURS",
              value_parser = clap::value_parser!(u32).range(0..=i64::from(licence::MAX_KEY_OVERLAP_HOURS)))]
        overlap: u32,
        #[command(flatten)]
        config: ConfigArgs,
        /// Print JSON instead of the key alone
        #[arg(long)]
        json: bool,
    },
    /// Revoke a licence; its keys stop working at once
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

const DAY_MS: i64 = 24 * 3600 * 1000;

/// Licences that are read from the store at once.
const LIST_PAGE: usize = 256;

pub(crate) fn run(args: Args) -> Result<u8> {
    wiring::runtime()?.block_on(async {
        match args.command {
            Command::Create { domains, all_domains, plan, days, label, config, json } => {
                let config = config_in_force(&config)?;
                if label.as_ref().is_some_and(|label| label.chars().count() > MAX_LABEL_CHARS) {
                    bail!("--label is longer than {MAX_LABEL_CHARS} characters");
                }
                let plans = wiring::plans(&config)?;
                if plans.get(&plan).is_none() {
                    let names: Vec<&str> = plans.iter().map(|plan| plan.name.as_str()).collect();
                    bail!("there is no plan {plan}; access.plans has {}", names.join(", "));
                }
                let domains = licensed_domains(&config, &domains, all_domains)?;
                let now = SystemClock.now();
                let expires_at =
                    days.map(|days| now.whole_seconds().plus_millis(i64::from(days) * DAY_MS));
                let terms = LicenceTerms { plan, domains, label, expires_at };
                let admin = wiring::open_admin(&config)?;
                let minted = licence::create_licence(admin.licences(), &SystemIds, now, terms)
                    .await
                    .context("cannot create the licence")?;
                let detail = licence_to_json(&minted.licence);
                // The key is printed also if this fails: it exists and cannot be shown again.
                let recorded =
                    audit::record(admin.audit(), "licence.create", &minted.licence.id, detail)
                        .await;
                let code = print_new_licence(&minted, json)?;
                recorded.map(|()| code)
            }
            Command::Rotate { id, overlap, config, json } => {
                let admin = wiring::open_admin(&config_in_force(&config)?)?;
                let now = SystemClock.now();
                let rotated =
                    licence::rotate_key(admin.licences(), &SystemIds, now, &id, overlap).await?;
                let Some(rotated) = rotated else {
                    bail!("there is no licence {id} that is not revoked")
                };
                let detail = json!({
                    "new_key": rotated.key.recognisable_prefix(),
                    "others_end_at": rotated.others_end_at,
                });
                let recorded = audit::record(admin.audit(), "licence.rotate", &id, detail).await;
                if json {
                    output::print_json(&json!({
                        "id": id,
                        "key": rotated.key.reveal(),
                        "others_end_at": rotated.others_end_at,
                    }))?;
                } else {
                    let end = rotated.others_end_at;
                    output::print_note(&format!("The other keys of licence {id} end at {end}."));
                    output::print_note("The new key follows. It is not stored: save it now.");
                    output::print_line(rotated.key.reveal());
                }
                recorded.map(|()| exit::PASSED)
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
                    Some(revoked) => {
                        audit::record(admin.audit(), "licence.revoke", &id, json!({})).await?;
                        print_licences(&[revoked], json)
                    }
                    None => bail!("there is no licence {id}"),
                }
            }
        }
    })
}

fn licensed_domains(
    config: &Config,
    domains: &[String],
    all_domains: bool,
) -> Result<LicensedDomains> {
    if all_domains {
        return Ok(LicensedDomains::All);
    }
    let names = wiring::network_policy(&config.network)?.names;
    let read = domains
        .iter()
        .map(|text| Domain::parse(text, &names).with_context(|| format!("--domain {text}")));
    Ok(LicensedDomains::Only(read.collect::<Result<_>>()?))
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
            "Created licence {} for {}, plan {}.",
            minted.licence.id,
            describe_domains(&minted.licence),
            minted.licence.plan
        ));
        output::print_note("Its key follows. It is not stored: save it now.");
        output::print_line(minted.key.reveal());
    }
    Ok(exit::PASSED)
}

const HEADINGS: [&str; 8] =
    ["ID", "PLAN", "DOMAINS", "CREATED", "LAST USED", "ENDS", "REVOKED", "LABEL"];

fn print_licences(licences: &[Licence], json: bool) -> Result<u8> {
    if json {
        output::print_json(&licences.iter().map(licence_to_json).collect::<Vec<_>>())?;
        return Ok(exit::PASSED);
    }
    let mut rows = vec![HEADINGS.map(str::to_owned).to_vec()];
    rows.extend(licences.iter().map(|licence| {
        vec![
            licence.id.clone(),
            licence.plan.clone(),
            describe_domains(licence),
            licence.created_at.to_string(),
            licence.last_used.map_or("-".to_owned(), |day| day.to_string()),
            licence.expires_at.map_or("-".to_owned(), |at| at.to_string()),
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
        "plan": licence.plan,
        // Null means every domain.
        "domains": domains,
        "label": licence.label,
        "created_at": licence.created_at,
        "last_used": licence.last_used,
        "expires_at": licence.expires_at.map(|at: Timestamp| at.to_string()),
        "revoked_at": licence.revoked_at.map(|at: Timestamp| at.to_string()),
    })
}
