//! Public keys as JSON Web Keys (RFC 7517), and their thumbprint (RFC 7638).

use aws_lc_rs::digest;
use data_encoding::BASE64URL_NOPAD;
use serde_json::{Value, json};

use super::json_text::describe_value;
use super::node::{JsonNode, Requirement};
use super::report::{Report, quoted};

/// Members that only private or shared keys have.
const SECRET: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/// Checks one key against RFC 7517. Returns whether it is usable.
pub(super) fn check(report: &mut Report<'_>, key: &JsonNode<'_>) -> bool {
    if !key.value.is_object() {
        report.wrong_type(
            key,
            "a key (an object)",
            Requirement::Must,
            "Write each key as a JWK object.",
        );
        return false;
    }
    if let Some(secret) = SECRET.into_iter().find(|name| key.has(name)) {
        report.fatal(
            "private_key_published",
            key.pointer_to(secret),
            "A private or shared key is published here. Anybody who reads it can sign in your name.",
            "Stop using this key at once. Create a new one and publish only its public members (kty, crv, x, and y for EC).",
        );
        return false;
    }
    let fix =
        "Give every key its type, for example \"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"…\".";
    let Some(kty) = report.text(key, "kty", Requirement::Must, fix) else { return false };
    let needed: &[&str] = match kty {
        "OKP" => &["crv", "x"],
        "EC" => &["crv", "x", "y"],
        "RSA" => &["n", "e"],
        _ => {
            report.warn(
                "unknown_key_type",
                key.pointer_to("kty"),
                format!("{} is not a key type that HTTP signature verifiers support.", quoted(kty)),
                "Use an Ed25519 key: \"kty\":\"OKP\",\"crv\":\"Ed25519\".",
            );
            return false;
        }
    };
    let mut fine = true;
    for name in needed {
        let Some(text) = report.text(key, name, Requirement::Must, fix) else {
            fine = false;
            continue;
        };
        if *name == "crv" {
            continue;
        }
        let length = BASE64URL_NOPAD.decode(text.as_bytes()).ok().map(|bytes| bytes.len());
        let wanted = match key.text("crv") {
            Some("Ed25519" | "X25519" | "P-256") => Some(32),
            Some("P-384") => Some(48),
            Some("P-521") => Some(66),
            _ => None,
        };
        if length.is_none() || (kty != "RSA" && wanted.is_some() && length != wanted) {
            fine = false;
            report.error(
                "bad_key_material",
                key.pointer_to(name),
                format!(
                    "{} is not base64url (without padding) of the length that this key type requires.",
                    describe_value(key.value.get(name).unwrap_or(&Value::Null))
                ),
                "Export the public key again as a JWK with a current library.",
            );
        }
    }
    fine
}

/// The RFC 7638 thumbprint; none if the members for it are missing.
pub(super) fn thumbprint(key: &Value) -> Option<String> {
    let text = |name: &str| key.get(name)?.as_str();
    let kty = text("kty")?;
    // The members of a thumbprint in alphabetical order, as the RFC requires.
    let names: &[&str] = match kty {
        "OKP" => &["crv", "kty", "x"],
        "EC" => &["crv", "kty", "x", "y"],
        "RSA" => &["e", "kty", "n"],
        _ => return None,
    };
    let mut canonical = String::from("{");
    for (index, name) in names.iter().enumerate() {
        if index > 0 {
            canonical.push(',');
        }
        canonical.push_str(&format!("\"{name}\":{}", json!(text(name)?)));
    }
    canonical.push('}');
    let digest = digest::digest(&digest::SHA256, canonical.as_bytes());
    Some(BASE64URL_NOPAD.encode(digest.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thumbprint_is_what_other_tools_make_of_it() {
        // The key of RFC 8037, appendix A.2, and its thumbprint of A.3.
        let key = json!({
            "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "kty": "OKP", "crv": "Ed25519",
            "kid": "ignored"
        });
        assert_eq!(thumbprint(&key).unwrap(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
        assert_eq!(thumbprint(&json!({"kty": "OKP"})), None);
        assert_eq!(thumbprint(&json!({"kty": "oct", "k": "x"})), None);
    }
}
