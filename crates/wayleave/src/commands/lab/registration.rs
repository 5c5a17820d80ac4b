//! `wayleave lab registration`: changes what the registry of a running lab says about a domain.

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::control_call::LabArg;
use crate::output::sanitize_for_terminal;
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(after_help = "Without options, the registration is shown as it is. Examples:\n  \
                  wayleave lab registration yours.lab --registrar 'Other Names Inc.' --iana-id 9993\n  \
                  wayleave lab registration yours.lab --expires 2026-01-31\n\
                  The service keeps what it read for a day, so move its clock to see the change: \
                  wayleave lab clock +25h.\n\n\
                  Exit codes: 0 done, 2 not done.")]
pub(super) struct Args {
    /// A site of the lab, such as yours.lab or open.lab
    domain: String,
    /// The registrar; without --iana-id, one without an id
    #[arg(long, value_name = "NAME")]
    registrar: Option<String>,
    /// The IANA id of the registrar
    #[arg(long, value_name = "NUMBER")]
    iana_id: Option<String>,
    /// When the domain was registered, such as 2026-01-31
    #[arg(long, value_name = "DATE")]
    created: Option<String>,
    /// When the registration ends
    #[arg(long, value_name = "DATE")]
    expires: Option<String>,
    /// When it was transferred: an event in the registry's document
    #[arg(long, value_name = "DATE")]
    transferred: Option<String>,
    /// A status in the words of RDAP, such as "redemption period"; can be repeated
    #[arg(long, value_name = "WORDS")]
    status: Vec<String>,
    /// The domain is not registered any more (none), the registry does not answer about it (silent), or
    /// everything is as when the lab was started (original)
    #[arg(long, value_parser = ["none", "silent", "original"], conflicts_with_all =
        ["registrar", "iana_id", "created", "expires", "transferred", "status"])]
    state: Option<String>,
    /// Print JSON: domain, state, registrar, registrar_iana_id, created, expires, status
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    lab: LabArg,
}

pub(super) fn run(args: Args) -> Result<u8> {
    let mut change = Map::new();
    for (name, value) in [
        ("domain", Some(args.domain)),
        ("registrar", args.registrar),
        ("registrar_iana_id", args.iana_id),
        ("created", args.created),
        ("expires", args.expires),
        ("transferred", args.transferred),
        ("state", args.state),
    ] {
        if let Some(value) = value {
            change.insert(name.to_owned(), Value::String(value));
        }
    }
    if !args.status.is_empty() {
        change.insert("status".to_owned(), json!(args.status));
    }
    let call = args.lab.call("POST", "registration", Some(Value::Object(change)));
    let registration = wiring::runtime()?.block_on(call)?;
    if args.json {
        output::print_json(&registration)?;
    } else {
        output::print_line(&describe(&registration));
    }
    Ok(exit::PASSED)
}

fn describe(registration: &Value) -> String {
    let text = |name: &str| {
        sanitize_for_terminal(registration.get(name).and_then(Value::as_str).unwrap_or_default())
    };
    let domain = text("domain");
    match text("state").as_str() {
        "none" => format!("The lab's registry says that {domain} is not registered."),
        "silent" => format!("The lab's registry does not answer about {domain}."),
        _ => format!(
            "The lab's registry says that {domain} was registered on {} with {} and expires on {}.",
            text("created"),
            text("registrar"),
            text("expires")
        ),
    }
}
