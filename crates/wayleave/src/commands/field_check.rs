//! `wayleave field-check`: whether a value is what a business publishes, by reading its site from here or by asking a
//! server.

use std::sync::Arc;

use anyhow::{Context, Result};
use contract::records::{CheckedField, FieldCheck, FieldVerdict};
use contract::{Clock, Issuer};
use door::SystemClock;
use service::{MeasureError, build_field_check};

use super::config_in_force;
use super::remote::{self, KeyArg};
use crate::config::{Config, ConfigArgs};
use crate::output::{Tone, colour_for_terminal, sanitize_for_terminal};
use crate::{exit, logging, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Values are compared by meaning: `020 7946 0000` and `+44 20 7946 0000` are the same number of a \
                  business in Great Britain. Example:\n  \
                  wayleave field-check example.com phone '+44 20 7946 0000'\n\
                  Without --url this program reads the site itself: the answer is not signed.\n\n\
                  Exit codes: 0 it matches, 1 it differs or is not published, 2 it could not be checked."
)]
pub(crate) struct Args {
    /// Domain or URL of the business
    domain: String,
    /// What the value is
    #[arg(value_parser = CheckedField::WORDS.to_vec())]
    field: String,
    /// The value to check
    #[arg(allow_hyphen_values = true)]
    value: String,
    /// Ask the Wayleave server at this URL instead of reading the site from here
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    #[command(flatten)]
    key: KeyArg,
    /// Print the whole answer as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let config = config_in_force(&args.config)?;
    logging::start_logging(&config.log)?;
    wiring::runtime()?.block_on(async {
        let bytes = match &args.url {
            Some(server) => ask_server(server, &args).await?,
            None => serde_json::to_vec(&check_from_here(&config, &args).await?)?,
        };
        let answer: FieldCheck =
            serde_json::from_slice(&bytes).context("the server sent no valid answer")?;
        if args.json {
            output::print_bytes(&bytes);
            output::print_line("");
        } else {
            print_answer(&answer);
        }
        Ok(match answer.verdict {
            FieldVerdict::Matches => exit::PASSED,
            FieldVerdict::Differs | FieldVerdict::NotPublished => exit::CHECK_FAILED,
            _ => exit::COULD_NOT_CHECK,
        })
    })
}

async fn ask_server(server: &str, args: &Args) -> Result<Vec<u8>> {
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("domain", &args.domain)
        .append_pair("field", &args.field)
        .append_pair("value", &args.value)
        .finish();
    let address = format!("{}/api/v1/field-check?{query}", server.trim_end_matches('/'));
    remote::get_json(&address, &args.key).await
}

async fn check_from_here(config: &Config, args: &Args) -> Result<FieldCheck> {
    let clock = Arc::new(SystemClock);
    let settings = wiring::service_settings(config)?;
    let scanner = wiring::build_scanner(config, clock.clone())?;
    let domain = scanner.parse_domain(&args.domain)?;
    let field = CheckedField::from_word(&args.field).context("this field is not known")?;
    let facts = match scanner.read_published_facts(&domain, &settings).await {
        Ok(facts) => Some(facts),
        Err(MeasureError::SiteNotRead) => None,
        Err(error) => return Err(error.into()),
    };
    let issuer = Issuer::new(settings.brand.clone(), &settings.base_url);
    Ok(build_field_check(&issuer, &domain, facts.as_ref(), &field, &args.value, clock.now()))
}

fn print_answer(answer: &FieldCheck) {
    let tone = match answer.verdict {
        FieldVerdict::Matches => Tone::Good,
        FieldVerdict::Differs => Tone::Bad,
        _ => Tone::Warning,
    };
    let verdict = sanitize_for_terminal(answer.verdict.as_str()).replace('_', " ");
    output::print_line(&format!(
        "{} {}: {}",
        answer.domain,
        answer.field,
        colour_for_terminal(tone, &verdict)
    ));
    output::print_line(&format!("  {}", sanitize_for_terminal(&answer.why)));
    for published in &answer.published {
        let place = published.pointer.as_deref().or(published.place.as_deref());
        let place = place.unwrap_or(&published.url);
        output::print_line(&format!(
            "  published   {} ({}, {})",
            sanitize_for_terminal(&published.untrusted_value),
            sanitize_for_terminal(&published.carrier),
            sanitize_for_terminal(place)
        ));
    }
    if let (Some(read_at), Some(age)) = (answer.read_at, answer.age_s) {
        output::print_line(&format!("  read        {read_at}, {age} s ago"));
    }
}
