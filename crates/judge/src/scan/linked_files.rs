//! Verifies what a file says about other files: digests of skills and signatures of agent cards.

use contract::evidence::{Reading, Response};
use declared::fault::{Fault, Weight};
use declared::files::{FileKind, Inspection, protected_header, skill_digests};
use proof::jws::{JwsResult, verify_detached};
use serde_json::{Map, Value};
use url::Url;

use super::parsed_evidence::{ParsedEvidence, is_success};

/// How many signatures of one card, and keys of one set, are tried.
const MAX_SIGNATURES: usize = 10;
const MAX_KEYS: usize = 50;
const MAX_DEPTH: usize = 64;

/// How many results of one file are listed with their reason.
const MAX_REASONS: usize = 10;

/// The result of verifying one signature or digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verification {
    Verified,
    Invalid(&'static str),
    NotChecked(&'static str),
}

/// Adds what the verification of digests and signatures showed to the inspection of a file.
pub(super) fn verify_linked_files(
    parsed: &ParsedEvidence<'_>,
    kind: FileKind,
    response: &Response,
    body: &[u8],
    inspection: &mut Inspection,
) {
    let (results, subject): (Vec<(String, Verification)>, &str) = match kind {
        FileKind::AgentSkills => (verify_skills(parsed, body, &response.url), "digests of skills"),
        FileKind::AgentCard => (verify_card(parsed, body, &response.url), "signatures"),
        _ => return,
    };
    let verified = results.iter().filter(|(_, r)| *r == Verification::Verified).count();
    if verified > 0 {
        inspection.summary = format!(
            "{} We verified {verified} of {} {subject}.",
            inspection.summary,
            results.len()
        );
    }
    report_unverified(&results, subject, inspection);
    for (at, result) in results {
        let fault = match (kind, result) {
            (_, Verification::Verified) => continue,
            (FileKind::AgentSkills, Verification::Invalid(why)) => Fault {
                code: "digest_mismatch",
                weight: Weight::Error,
                at,
                problem: why.to_owned(),
                fix: "Write the SHA-256 of the file as it is served: sha256sum SKILL.md".to_owned(),
            },
            (_, Verification::Invalid(why)) => Fault {
                code: "signature_invalid",
                weight: Weight::Error,
                at,
                problem: why.to_owned(),
                fix: "Sign the card again after every change, with the key that the key set lists under this kid.".to_owned(),
            },
            (_, Verification::NotChecked(_)) => continue,
        };
        inspection.faults.push(fault);
    }
}

/// Notes what was not verified, once for each reason.
fn report_unverified(
    results: &[(String, Verification)],
    subject: &str,
    inspection: &mut Inspection,
) {
    let mut reasons: Vec<(&'static str, &str, usize)> = Vec::new();
    for (at, result) in results {
        let Verification::NotChecked(why) = result else { continue };
        match reasons.iter_mut().find(|(known, ..)| known == why) {
            Some((.., count)) => *count += 1,
            None => reasons.push((why, at, 1)),
        }
    }
    for (why, at, count) in reasons.into_iter().take(MAX_REASONS) {
        inspection.faults.push(Fault {
            code: "not_verified",
            weight: Weight::Note,
            at: at.to_owned(),
            problem: format!("Not verified ({count} of {} {subject}): {why}", results.len()),
            fix: "No action is needed. Clients verify this themselves.".to_owned(),
        });
    }
}

fn verify_skills(
    parsed: &ParsedEvidence<'_>,
    body: &[u8],
    index_url: &str,
) -> Vec<(String, Verification)> {
    skill_digests(body, index_url)
        .into_iter()
        .enumerate()
        .map(|(n, (url, sha256))| {
            let result = match reading_of(parsed, &url, index_url) {
                Err(why) => Verification::NotChecked(why),
                Ok(response) if response.body.cut.is_some() => {
                    Verification::NotChecked("The skill was not received completely.")
                }
                // The digest of the evidence is that of the decoded bytes, which is what the index means.
                Ok(response) if response.body.sha256 == sha256 => Verification::Verified,
                Ok(_) => Verification::Invalid(
                    "The served file has another digest than the index gives, so readers must not use the skill.",
                ),
            };
            (format!("/skills/{n}/digest"), result)
        })
        .collect()
}

/// The successful response to a URL that another file refers to, or why there is none.
fn reading_of<'a>(
    parsed: &ParsedEvidence<'a>,
    url: &str,
    named_at: &str,
) -> Result<&'a Response, &'static str> {
    // Requests are made with the address as parsers write it.
    let address = Url::parse(url).map_err(|_| "The file has no valid address.")?;
    let is_of = |reading: &&Reading| reading.exchange.url == address.as_str();
    if let Some(reading) = parsed.evidence.reads.iter().rfind(is_of) {
        let response = reading.exchange.response().ok_or("The file could not be read.")?;
        return if is_success(response) {
            Ok(response)
        } else {
            Err("The server did not return the file.")
        };
    }
    Err(if !is_same_site(url, named_at) {
        "The file is on another site, which we do not read."
    } else if parsed.evidence.not_read.iter().any(|unread| url.ends_with(&unread.path)) {
        "There was no time left to read the file, or we were not allowed to."
    } else {
        "The file was not read. A full scan reads the first ones that are named."
    })
}

fn verify_card(
    parsed: &ParsedEvidence<'_>,
    body: &[u8],
    card_url: &str,
) -> Vec<(String, Verification)> {
    verify_card_signatures(body, |jku| {
        if !is_same_site(jku, card_url) {
            return Err("The keys are on another site, which proves nothing about this one.");
        }
        let response = reading_of(parsed, jku, card_url)?;
        let keys = parsed.body(response).ok_or("The key set is no longer stored.")?;
        proof::canonical::parse_strict(keys).map_err(|_| "The key set is not valid JSON.")
    })
}

/// Verifies the signatures of an agent card. `keys` gives the key set at a URL, or why there is none.
fn verify_card_signatures(
    body: &[u8],
    keys: impl Fn(&str) -> Result<Value, &'static str>,
) -> Vec<(String, Verification)> {
    let Ok(Value::Object(card)) = proof::canonical::parse_strict(body) else { return Vec::new() };
    let signatures = card.get("signatures").and_then(Value::as_array).cloned().unwrap_or_default();
    signatures
        .iter()
        .take(MAX_SIGNATURES)
        .enumerate()
        .map(|(n, signature)| {
            (format!("/signatures/{n}"), verify_signature(&card, signature, &keys))
        })
        .collect()
}

fn verify_signature(
    card: &Map<String, Value>,
    signature: &Value,
    keys: &impl Fn(&str) -> Result<Value, &'static str>,
) -> Verification {
    let text = |name: &str| signature.get(name).and_then(Value::as_str);
    let (Some(protected), Some(signed)) = (text("protected"), text("signature")) else {
        return Verification::NotChecked("The signature is incomplete.");
    };
    let Some(header) = protected_header(protected) else {
        return Verification::NotChecked("The protected header could not be read.");
    };
    let member = |name: &str| header.get(name).and_then(Value::as_str);
    let (Some(algorithm), Some(kid)) = (member("alg"), member("kid")) else {
        return Verification::NotChecked("The protected header names no algorithm or no key.");
    };
    let Some(jku) = member("jku") else {
        return Verification::NotChecked("The signature does not say where its key is.");
    };
    let keys = match keys(jku) {
        Ok(keys) => keys,
        Err(why) => return Verification::NotChecked(why),
    };
    let listed = keys.get("keys").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_named = |key: &&Value| key.get("kid").and_then(Value::as_str) == Some(kid);
    let Some(key) = listed.iter().take(MAX_KEYS).find(is_named) else {
        return Verification::Invalid(
            "The key set does not contain the key that the signature names.",
        );
    };
    let mut result = Verification::Invalid("The signature does not match the card.");
    for payload in payloads(card) {
        match verify_detached(algorithm, key, protected, &payload, signed) {
            JwsResult::Verified => return Verification::Verified,
            JwsResult::Invalid => {}
            JwsResult::WrongKey => {
                result = Verification::Invalid(
                    "The named key is not of the type that the algorithm needs.",
                );
            }
            JwsResult::UnknownAlgorithm => {
                result = Verification::NotChecked("We verify only EdDSA and ES256 signatures.");
            }
        }
    }
    result
}

/// The payloads that a card may have been signed as: without members that have their default value, as the
/// protocol requires, and as served, as many signers do.
fn payloads(card: &Map<String, Value>) -> Vec<Vec<u8>> {
    let mut served = card.clone();
    served.remove("signatures");
    let pruned = pruned(&Value::Object(served.clone()), 0);
    [pruned, Value::Object(served)]
        .iter()
        .filter_map(|payload| proof::canonical::value_to_vec(payload).ok())
        .collect()
}

/// Members that stay even with their default value: required ones, and those that tell “no” from “not said”.
const KEPT: &[&str] = &[
    "name",
    "description",
    "version",
    "supportedInterfaces",
    "capabilities",
    "defaultInputModes",
    "defaultOutputModes",
    "skills",
    "id",
    "tags",
    "url",
    "protocolBinding",
    "protocolVersion",
    "organization",
    "streaming",
    "pushNotifications",
    "extendedAgentCard",
    "documentationUrl",
    "iconUrl",
];

fn pruned(value: &Value, depth: usize) -> Value {
    match value {
        Value::Object(members) if depth < MAX_DEPTH => Value::Object(
            members
                .iter()
                .filter(|(name, value)| KEPT.contains(&name.as_str()) || !is_default(value))
                .map(|(name, value)| (name.clone(), pruned(value, depth + 1)))
                .collect(),
        ),
        Value::Array(items) if depth < MAX_DEPTH => {
            Value::Array(items.iter().map(|item| pruned(item, depth + 1)).collect())
        }
        other => other.clone(),
    }
}

fn is_default(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(truth) => !truth,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(_) => false,
    }
}

fn is_same_site(one: &str, other: &str) -> bool {
    let site = |url: &str| {
        let url = Url::parse(url).ok()?;
        let host = url.host_str()?.to_owned();
        Some(psl::domain_str(&host).unwrap_or(&host).to_owned())
    };
    site(one).is_some_and(|one| Some(one) == site(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use data_encoding::BASE64URL_NOPAD;
    use serde_json::json;

    const JKU: &str = "https://ferry.lab/keys.json";

    fn card() -> Value {
        json!({"name": "Ferry", "description": "", "version": "1", "skills": [], "extensions": [],
            "capabilities": {"streaming": false, "extensions": []}})
    }

    /// A card signed over `payload`, and the key set.
    fn signed(payload: &Value, algorithm: &str) -> (Value, Value) {
        let start = "2026-01-01T00:00:00Z".parse().unwrap();
        let key =
            proof::SigningKey::from_seed(&[7; 32], proof::KeyPurpose::Documents, start).unwrap();
        let header = json!({"alg": algorithm, "kid": "k1", "jku": JKU});
        let protected = BASE64URL_NOPAD.encode(header.to_string().as_bytes());
        let payload = BASE64URL_NOPAD.encode(&proof::canonical::value_to_vec(payload).unwrap());
        let signature =
            BASE64URL_NOPAD.encode(&key.sign(format!("{protected}.{payload}").as_bytes()).unwrap());
        let mut card = card();
        card["signatures"] = json!([{"protected": protected, "signature": signature}]);
        let mut jwk = key.public().jwk();
        jwk["kid"] = json!("k1");
        (card, json!({"keys": [jwk]}))
    }

    fn verify(card: &Value, keys: &Value) -> Verification {
        let found = verify_card_signatures(card.to_string().as_bytes(), |jku| {
            if jku == JKU { Ok(keys.clone()) } else { Err("The key set was not read.") }
        });
        found.into_iter().next().unwrap().1
    }

    #[test]
    fn signatures_of_cards_are_verified_in_both_forms() {
        let pruned = json!({"name": "Ferry", "description": "", "version": "1", "skills": [],
            "capabilities": {"streaming": false}});
        for payload in [pruned, card()] {
            let (signed_card, keys) = signed(&payload, "EdDSA");
            assert_eq!(verify(&signed_card, &keys), Verification::Verified);
            let mut changed = signed_card.clone();
            changed["name"] = json!("Other");
            assert!(matches!(verify(&changed, &keys), Verification::Invalid(_)));
            assert!(matches!(verify(&signed_card, &json!({"keys": []})), Verification::Invalid(_)));
        }
        let (card, keys) = signed(&card(), "RS256");
        assert!(matches!(verify(&card, &keys), Verification::NotChecked(_)));
        assert!(is_same_site("https://a.ferry.lab/k", "https://ferry.lab/"));
        assert!(!is_same_site("https://other.example/k", "https://ferry.lab/"));
    }

    #[test]
    fn digests_of_skills_are_compared_with_what_was_served() {
        use crate::scan::tests::EvidenceBuilder;
        let index = |digest: &str| {
            format!(
                r#"{{"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":[{{"name":"book","type":"skill-md","description":"Books.","url":"book/SKILL.md","digest":"sha256:{digest}"}}]}}"#
            )
        };
        const INDEX: &str = "/.well-known/agent-skills/index.json";
        let right = proof::sha256(b"# Book").to_hex();
        for (digest, code) in [(right, None), ("0".repeat(64), Some("digest_mismatch"))] {
            let record = EvidenceBuilder::new()
                .control_path(404, "none")
                .file(INDEX, 200, &index(&digest))
                .file("/.well-known/agent-skills/book/SKILL.md", 200, "# Book")
                .build_record();
            let check = record.checks.iter().find(|check| check.path == INDEX).unwrap();
            let found = check.faults.iter().find(|fault| fault.code == "digest_mismatch");
            assert_eq!(found.map(|fault| fault.code.as_str()), code, "{check:#?}");
            assert_eq!(check.summary.as_ref().unwrap().contains("verified 1 of 1"), code.is_none());
        }
        for (status, reason) in [(Some(404), "did not return"), (None, "was not read")] {
            let mut site = EvidenceBuilder::new().control_path(404, "none").file(
                INDEX,
                200,
                &index(&"0".repeat(64)),
            );
            if let Some(status) = status {
                site = site.file("/.well-known/agent-skills/book/SKILL.md", status, "");
            }
            let record = site.build_record();
            let check = record.checks.iter().find(|check| check.path == INDEX).unwrap();
            let fault = check.faults.iter().find(|fault| fault.code == "not_verified").unwrap();
            assert!(fault.problem.starts_with("Not verified (1 of 1 digests of skills)"));
            assert!(fault.problem.contains(reason), "{fault:?}");
        }
    }
}
