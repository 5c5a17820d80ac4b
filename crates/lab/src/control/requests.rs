//! What can be asked over the control channel.

use std::time::Duration;

use contract::Clock;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::error::ControlError;
use crate::{EngineBehaviour, LabClock, LabProof, ProofKind, lab_state::LabState};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Advance {
    advance_s: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Publish {
    domain: String,
    kind: String,
    value: String,
    name: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Remove {
    domain: String,
    kind: Option<String>,
    value: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetEngine {
    model: String,
    behaviour: String,
}

pub(super) fn show_clock(world: &LabState) -> Result<Value, ControlError> {
    clock(world).map(describe_clock)
}

pub(super) fn advance_clock(world: &LabState, body: &[u8]) -> Result<Value, ControlError> {
    let clock = clock(world)?;
    let Advance { advance_s } = parse(body)?;
    clock.advance(Duration::from_secs(advance_s)).map_err(|error| bad(&error.to_string()))?;
    Ok(describe_clock(clock))
}

pub(super) fn publish_proof(world: &LabState, body: &[u8]) -> Result<Value, ControlError> {
    let Publish { domain, kind, value, name } = parse(body)?;
    let proof = LabProof::new(parse_kind(&kind)?, &value);
    let proof = match name {
        Some(name) => proof.named(&name),
        None => proof,
    };
    let published = world.publish(&domain, proof).map_err(|error| bad(&error.to_string()))?;
    Ok(json!({
        "kind": published.kind.as_str(), "name": published.name, "value": published.value(),
    }))
}

pub(super) fn remove_proofs(world: &LabState, body: &[u8]) -> Result<Value, ControlError> {
    let Remove { domain, kind, value } = parse(body)?;
    let kind = kind.map(|kind| parse_kind(&kind)).transpose()?;
    Ok(json!({ "removed": world.unpublish(&domain, kind, value.as_deref()) }))
}

pub(super) fn list_proofs(world: &LabState) -> Value {
    let sites = world.sites.iter().map(|running_site| running_site.site.name);
    let proofs: Vec<Value> = sites
        .flat_map(|site| world.published.of_site(site).into_iter().map(move |proof| (site, proof)))
        .map(|(site, proof)| {
            json!({ "domain": site, "kind": proof.kind.as_str(), "name": proof.name,
                    "value": proof.value() })
        })
        .collect();
    json!({ "proofs": proofs })
}

/// Every model of the AI engine with its behaviour, and how many requests came.
pub(super) fn show_engine(world: &LabState) -> Value {
    let models: Vec<Value> = world
        .engine
        .models()
        .iter()
        .map(|(model, behaviour)| json!({ "model": model, "behaviour": behaviour.as_str() }))
        .collect();
    json!({ "models": models, "requests": world.engine.requests().len() })
}

pub(super) fn set_engine(world: &LabState, body: &[u8]) -> Result<Value, ControlError> {
    const MAX_MODEL_CHARS: usize = 100;
    let SetEngine { model, behaviour } = parse(body)?;
    let behaviour = EngineBehaviour::from_word(&behaviour).ok_or_else(|| {
        let words = EngineBehaviour::ALL.map(EngineBehaviour::as_str).join(", ");
        bad(&format!("A behaviour is one of these: {words}."))
    })?;
    let is_name = !model.is_empty() && model.chars().count() <= MAX_MODEL_CHARS;
    if !is_name || !world.engine.set(&model, behaviour) {
        return Err(bad(
            "The name of a model has 1 to 100 characters, and there are 1,000 at most.",
        ));
    }
    Ok(json!({ "model": model, "behaviour": behaviour.as_str() }))
}

fn clock(world: &LabState) -> Result<&LabClock, ControlError> {
    let clock = world.clock.get().map(AsRef::as_ref);
    clock.ok_or_else(|| {
        bad("This lab runs without a service, so it has no clock. Use `wayleave demo`.")
    })
}

fn describe_clock(clock: &LabClock) -> Value {
    json!({ "now": clock.now().to_string(), "ahead_s": clock.offset().as_secs() })
}

pub(super) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, ControlError> {
    serde_json::from_slice(body).map_err(|error| bad(&format!("The body is not valid: {error}.")))
}

fn parse_kind(word: &str) -> Result<ProofKind, ControlError> {
    ProofKind::from_word(word).ok_or_else(|| bad("A kind is meta, txt or file."))
}

pub(super) fn bad(sentence: &str) -> ControlError {
    ControlError::Bad(sentence.to_owned())
}
