//! HTTP calls to a server that the user named on the command line.

use anyhow::{Context, Result, bail};
use door::operator;

use crate::output::sanitize_for_terminal;

/// The licence key for a server, on every command that can ask one.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct KeyArg {
    /// Licence key for the Wayleave server that is asked; it raises the limits. Better given by the environment
    /// variable, because other users of this machine can see the flags of a process
    #[arg(long, value_name = "KEY", env = "WAYLEAVE_KEY", hide_env_values = true)]
    key: Option<String>,
}

impl KeyArg {
    pub(super) fn token(&self) -> Option<&str> {
        self.key.as_deref().map(str::trim).filter(|key| !key.is_empty())
    }
}

/// Sends a GET without a key and returns the body; any status but 200 is an error that names the URL.
pub(super) async fn get_ok(url: &str) -> Result<Vec<u8>> {
    let answer = operator::call_json("GET", url, None, None)
        .await
        .with_context(|| format!("{url} cannot be read"))?;
    match answer.status {
        200 => Ok(answer.body),
        status => bail!("{}", describe_refusal(url, status, &answer.body)),
    }
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
    match answer.status {
        200 => Ok(answer.body),
        status => bail!("{}", describe_refusal("the server", status, &answer.body)),
    }
}

/// Status, reason and wait of a response that is not a success.
fn describe_refusal(who: &str, status: u16, body: &[u8]) -> String {
    let reason = error_sentence(body).unwrap_or_else(|| "no explanation".to_owned());
    format!("{who} answered with status {status}: {}", sanitize_for_terminal(&reason))
}

/// The `error` text of an error response, with the time to wait if it does not say it.
fn error_sentence(body: &[u8]) -> Option<String> {
    let body: serde_json::Value = serde_json::from_slice(body).ok()?;
    let sentence = body.get("error")?.as_str()?;
    // `Try again in 3 s.`, or `it resets at 00:00 UTC.`
    let says_when = sentence.contains("Try again in") || sentence.contains("UTC");
    Some(match body.get("retry_after_s").and_then(serde_json::Value::as_u64) {
        Some(seconds) if !says_when => format!("{sentence} Try again in {seconds} s."),
        _ => sentence.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_once() {
        let said = |json: serde_json::Value| error_sentence(json.to_string().as_bytes()).unwrap();
        let both = serde_json::json!({"error": "Busy. Try again in 3 s.", "retry_after_s": 3});
        assert_eq!(said(both), "Busy. Try again in 3 s.");
        let apart = serde_json::json!({"error": "Busy.", "retry_after_s": 3});
        assert_eq!(said(apart), "Busy. Try again in 3 s.");
        let other_in = serde_json::json!({"error": "Too many in a minute.", "retry_after_s": 3});
        assert_eq!(said(other_in), "Too many in a minute. Try again in 3 s.");
        let reset = serde_json::json!({"error": "It resets at 00:00 UTC.", "retry_after_s": 3});
        assert_eq!(said(reset), "It resets at 00:00 UTC.");
        assert_eq!(said(serde_json::json!({"error": "Not a domain."})), "Not a domain.");
        assert_eq!(error_sentence(b"<html>"), None);
    }

    #[test]
    fn a_refusal_has_status_reason_and_wait() {
        let body = br#"{"error":"Rate limit reached.","retry_after_s":7}"#;
        let text =
            "https://a.example/x answered with status 429: Rate limit reached. Try again in 7 s.";
        assert_eq!(describe_refusal("https://a.example/x", 429, body), text);
        let text = "the server answered with status 502: no explanation";
        assert_eq!(describe_refusal("the server", 502, b"<html>"), text);
    }
}
