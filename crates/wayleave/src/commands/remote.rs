//! HTTP calls to a server that the user named on the command line.

use anyhow::{Context, Result, bail};
use door::operator;

use crate::output::sanitize_for_terminal;

/// The licence key for a server, on every command that can ask one.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct KeyArg {
    /// Licence key for the server at --url; it raises the limits. Better given by the environment
    /// variable, because other users of this machine can see the flags of a process
    #[arg(long, value_name = "KEY", env = "WAYLEAVE_KEY", hide_env_values = true)]
    key: Option<String>,
}

impl KeyArg {
    fn token(&self) -> Option<&str> {
        self.key.as_deref().map(str::trim).filter(|key| !key.is_empty())
    }
}

/// Sends a GET and returns the body; any status but 200 is an error.
pub(super) async fn get_ok(url: &str) -> Result<Vec<u8>> {
    let answer = operator::call_json("GET", url, None, None)
        .await
        .with_context(|| format!("{url} cannot be read"))?;
    if answer.status != 200 {
        bail!("{url} answered with status {}", answer.status);
    }
    Ok(answer.body)
}

/// Sends a POST with a JSON body and returns the body; any status but 200 is an error.
pub(super) async fn post_json(url: &str, json: String, key: &KeyArg) -> Result<Vec<u8>> {
    call_server("POST", url, Some(json), key).await
}

/// Sends a GET and returns the body; any status but 200 is an error with the server's reason.
pub(super) async fn get_json(url: &str, key: &KeyArg) -> Result<Vec<u8>> {
    call_server("GET", url, None, key).await
}

async fn call_server(
    method: &str,
    url: &str,
    json: Option<String>,
    key: &KeyArg,
) -> Result<Vec<u8>> {
    let answer = operator::call_json(method, url, json, key.token())
        .await
        .with_context(|| format!("cannot reach {url}"))?;
    if answer.status != 200 {
        let reason = sanitize_for_terminal(&error_sentence(&answer.body));
        bail!("the server answered with status {}: {reason}", answer.status);
    }
    Ok(answer.body)
}

/// The `error` text of an error response, with the time to wait if it does not say it.
fn error_sentence(body: &[u8]) -> String {
    let body: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    let sentence = body.get("error").and_then(|error| error.as_str()).unwrap_or("no explanation");
    match body.get("retry_after_s").and_then(serde_json::Value::as_u64) {
        Some(seconds) if !sentence.contains(" in ") && !sentence.contains("UTC") => {
            format!("{sentence} Try again in {seconds} s.")
        }
        _ => sentence.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_once() {
        let said = |json: serde_json::Value| error_sentence(json.to_string().as_bytes());
        let both = serde_json::json!({"error": "Busy. Try again in 3 s.", "retry_after_s": 3});
        assert_eq!(said(both), "Busy. Try again in 3 s.");
        let apart = serde_json::json!({"error": "Busy.", "retry_after_s": 3});
        assert_eq!(said(apart), "Busy. Try again in 3 s.");
        assert_eq!(said(serde_json::json!({"error": "Not a domain."})), "Not a domain.");
        assert_eq!(error_sentence(b"<html>"), "no explanation");
    }
}
