//! The key directory of Web Bot Auth: the keys with which a bot signs its requests.

use std::collections::BTreeSet;

use serde_json::Value;

use super::http::MediaTypes;
use super::json_text::describe_value;
use super::node::{JsonNode, Requirement};
use super::report::{Report, count_with_noun, quoted};
use super::{json, jwk};
use crate::fault::Weight;

const TYPE: &str = "application/http-message-signatures-directory+json";
const TAG: &str = "tag=\"http-message-signatures-directory\"";

// With any other media type the file is unusable; `check` marks it so.
const MEDIA: MediaTypes =
    MediaTypes { accepted: &[TYPE], tolerated: &[], weight_otherwise: Weight::Error };

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    report.must_not_redirect();
    report.must_be_https();
    if report.served.status != 200 {
        report.fatal(
            "not_status_200",
            "",
            format!(
                "The response has status {}. Readers accept a key directory only with status 200.",
                report.served.status
            ),
            "Serve it with status 200.",
        );
    }
    let value = json::parse_object(report, &MEDIA)?;
    if report.served.media_type().as_deref() != Some(TYPE) {
        report.mark_unusable();
    }
    check_signature(report);
    let root = JsonNode::root(&value);
    let fix =
        "Write a key set: {\"keys\": [{\"kty\": \"OKP\", \"crv\": \"Ed25519\", \"x\": \"…\"}]}";
    let list = report.list(&root, "keys", Requirement::Vital, fix)?;
    if list.len() == 0 {
        report.fatal(
            "no_keys",
            "/keys",
            "The directory contains no keys, so it cannot verify any signature.",
            fix,
        );
    }
    let mut names = BTreeSet::new();
    let mut fine = 0;
    for key in list.items() {
        if !jwk::check(report, &key) {
            continue;
        }
        fine += 1;
        let Some(thumbprint) = jwk::thumbprint(key.value) else { continue };
        if let Some(kid) = key.member("kid")
            && kid.value.as_str() != Some(thumbprint.as_str())
        {
            report.error(
                "kid_not_thumbprint",
                kid.at,
                format!("The kid is {}, not the key's thumbprint (RFC 7638). Verifiers look up keys by thumbprint.", describe_value(kid.value)),
                format!("Write: \"kid\": \"{thumbprint}\""),
            );
        }
        check_lifetime(report, &key);
        if !names.insert(thumbprint) {
            report.warn(
                "doubled_key",
                key.at.clone(),
                "The same key is listed more than once.",
                "Remove the duplicates.",
            );
        }
        if let Some(usage) = key.text("use")
            && usage != "sig"
        {
            report.warn(
                "not_for_signing",
                key.pointer_to("use"),
                format!("The key is marked for {}, not for signatures.", quoted(usage)),
                "Write: \"use\": \"sig\"",
            );
        }
    }
    if list.len() > 0 && fine == 0 {
        report.fatal("no_usable_key", "/keys", "None of the keys can be used.", fix);
    }
    report.set_count("keys", list.len());
    Some(format!("{}.", count_with_noun(list.len(), "signing key", "signing keys")))
}

/// Checks that a signed response carries the tag for key directories.
fn check_signature(report: &mut Report<'_>) {
    if let Some(input) = report.served.header("signature-input")
        && !input.contains(TAG)
    {
        report.warn(
            "signature_without_tag",
            "Signature-Input",
            "The response is signed without the tag for key directories, so the signature proves nothing.",
            format!("Add the parameter {TAG} to Signature-Input."),
        );
    }
}

fn check_lifetime(report: &mut Report<'_>, key: &JsonNode<'_>) {
    let now = report.served.read_at_s;
    let moment = |name: &str| {
        let seconds = key.value.get(name).and_then(Value::as_i64)?;
        // Some files give milliseconds.
        Some(if seconds > 100_000_000_000 { seconds / 1_000 } else { seconds })
    };
    if moment("exp").is_some_and(|exp| exp <= now) {
        report.warn(
            "key_expired",
            key.pointer_to("exp"),
            "The key has expired.",
            "Remove it, or publish the key that you use now.",
        );
    }
    if moment("nbf").is_some_and(|nbf| nbf > now) {
        report.note(
            "key_not_yet_valid",
            key.pointer_to("nbf"),
            "The key is not valid yet.",
            "No action is needed if the key is meant for later.",
        );
    }
}
