//! What can be asked over the control channel.

use std::time::Duration;

use contract::Clock;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::error::ControlError;
use crate::{LabClock, LabProof, ProofKind, lab_state::LabState};

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
