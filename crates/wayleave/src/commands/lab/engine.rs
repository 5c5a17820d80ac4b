//! `wayleave lab engine`: shows or changes how the AI engine of a running lab answers.

use anyhow::Result;
use serde_json::{Value, json};

use super::control_call::LabArg;
use crate::output::sanitize_for_terminal;
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "A demo asks its lab's engine twice: as lab-right with the model `right`, and as lab-wrong with the model \
                  `wrong-phone`. Without arguments, the command lists all models; the name of a model says how it \
                  answers until it is changed. Example:\n  \
                  wayleave lab engine wrong-phone right\n\n\
                  Exit codes: 0 done, 2 not done."
)]
pub(super) struct Args {
    /// The model to change
    #[arg(requires = "behaviour")]
    model: Option<String>,
    /// How it answers from now on, such as right, wrong-phone, prose, slow, injected, huge or busy
    behaviour: Option<String>,
    /// Print JSON: models with model and behaviour, requests
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    lab: LabArg,
}

pub(super) fn run(args: &Args) -> Result<u8> {
    let change = args.model.as_ref().zip(args.behaviour.as_ref());
    let change = change.map(|(model, behaviour)| json!({ "model": model, "behaviour": behaviour }));
    let method = if change.is_some() { "POST" } else { "GET" };
    let is_change = change.is_some();
    let answer = wiring::runtime()?.block_on(args.lab.call(method, "engine", change))?;
    if args.json {
        output::print_json(&answer)?;
    } else if is_change {
        let (model, behaviour) = (text_of(&answer, "model"), text_of(&answer, "behaviour"));
        output::print_line(&format!("The model {model} is now {behaviour}."));
    } else {
        list_models(&answer);
    }
    Ok(exit::PASSED)
}

fn list_models(answer: &Value) {
    let mut rows = vec![["MODEL", "BEHAVIOUR"].map(str::to_owned).to_vec()];
    for model in answer.get("models").and_then(Value::as_array).into_iter().flatten() {
        rows.push(["model", "behaviour"].map(|key| text_of(model, key)).to_vec());
    }
    output::print_bytes(output::format_table(&rows).as_bytes());
    let requests = answer.get("requests").and_then(Value::as_u64).unwrap_or_default();
    output::print_line(&format!("Requests so far: {requests}."));
}

fn text_of(value: &Value, key: &str) -> String {
    sanitize_for_terminal(value.get(key).and_then(Value::as_str).unwrap_or_default())
}
