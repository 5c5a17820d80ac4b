//! The key directory of Web Bot Auth: with which keys a bot signs its requests.

use std::collections::BTreeSet;

use serde_json::Value;

use super::http::Media;
use super::node::{Need, Node};
use super::report::{Report, counted, quoted};
use super::{json, jwk};
use crate::fault::Weight;

const TYPE: &str = "application/http-message-signatures-directory+json";
const TAG: &str = "tag=\"http-message-signatures-directory\"";

// The label is judged here on its own: any other type makes the file void.
const MEDIA: Media = Media { right: &[TYPE], tolerated: &[], otherwise: Weight::Error };

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    report.must_not_redirect();
    report.must_be_https();
    if report.served.status != 200 {
        report.spoil(
            "not_status_200",
            "",
            format!(
                "The answer has status {}; only 200 counts for a key directory.",
                report.served.status
            ),
            "Answer with status 200.",
        );
    }
    let value = json::open_object(report, &MEDIA)?;
    if report.served.media_type().as_deref() != Some(TYPE) {
        report.void();
    }
    signature(report);
    let root = Node::root(&value);
    let fix =
        "Write a key set: {\"keys\": [{\"kty\": \"OKP\", \"crv\": \"Ed25519\", \"x\": \"…\"}]}";
    let list = report.list(&root, "keys", Need::Vital, fix)?;
    if list.len() == 0 {
        report.spoil(
            "no_keys",
            "/keys",
            "The directory holds no key, so no signature can be checked with it.",
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
                format!("The kid is {} and not the key's thumbprint (RFC 7638), by which verifiers look it up.", json::glimpse(kid.value)),
                format!("Write: \"kid\": \"{thumbprint}\""),
            );
        }
        lifetime(report, &key);
        if !names.insert(thumbprint) {
            report.warn(
                "doubled_key",
                key.at.clone(),
                "The same key stands more than once.",
                "Keep one of them.",
            );
        }
        if let Some(usage) = key.text("use")
            && usage != "sig"
        {
            report.warn(
                "not_for_signing",
                key.path("use"),
                format!("The key is for {}, not for signatures.", quoted(usage)),
                "Write: \"use\": \"sig\"",
            );
        }
    }
    if list.len() > 0 && fine == 0 {
        report.spoil("no_usable_key", "/keys", "None of the keys can be used.", fix);
    }
    report.count("keys", list.len());
    Some(format!("{}.", counted(list.len(), "signing key", "signing keys")))
}

/// The answer may be signed; if it is, it must say what for.
fn signature(report: &mut Report<'_>) {
    if let Some(input) = report.served.header("signature-input")
        && !input.contains(TAG)
    {
        report.warn(
            "signature_without_tag",
            "Signature-Input",
            "The answer is signed without the tag of key directories, so the signature proves nothing here.",
            format!("Add the parameter {TAG} to Signature-Input."),
        );
    }
}

fn lifetime(report: &mut Report<'_>, key: &Node<'_>) {
    let now = report.served.read_at_s;
    let moment = |name: &str| {
        let seconds = key.value.get(name).and_then(Value::as_i64)?;
        // Some write milliseconds.
        Some(if seconds > 100_000_000_000 { seconds / 1_000 } else { seconds })
    };
    if moment("exp").is_some_and(|exp| exp <= now) {
        report.warn(
            "key_expired",
            key.path("exp"),
            "The key has expired.",
            "Take it out, or publish the key that is used now.",
        );
    }
    if moment("nbf").is_some_and(|nbf| nbf > now) {
        report.note(
            "key_not_yet_valid",
            key.path("nbf"),
            "The key is not valid yet.",
            "Nothing must be done if it is meant for later.",
        );
    }
}
