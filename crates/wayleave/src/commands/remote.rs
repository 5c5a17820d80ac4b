//! HTTP calls to a server that the user named on the command line.

use anyhow::{Context, Result, bail};
use door::operator;

/// Sends a GET and returns the body; any status but 200 is an error.
pub(super) async fn get_ok(url: &str) -> Result<Vec<u8>> {
    let answer = operator::call_json("GET", url, None)
        .await
        .with_context(|| format!("{url} cannot be read"))?;
    if answer.status != 200 {
        bail!("{url} answered with status {}", answer.status);
    }
    Ok(answer.body)
}

/// Sends a POST with a JSON body and returns status and body.
pub(super) async fn post_json(url: &str, json: String) -> Result<(u16, Vec<u8>)> {
    let answer = operator::call_json("POST", url, Some(json))
        .await
        .with_context(|| format!("cannot reach {url}"))?;
    Ok((answer.status, answer.body))
}

/// Sends a GET and returns status and body, whatever the status.
pub(super) async fn get_with_status(url: &str) -> Result<(u16, Vec<u8>)> {
    let answer = operator::call_json("GET", url, None)
        .await
        .with_context(|| format!("cannot reach {url}"))?;
    Ok((answer.status, answer.body))
}

/// The `error` text of an error response.
pub(super) fn error_sentence(body: &[u8]) -> String {
    let body: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    body.get("error").and_then(|e| e.as_str()).unwrap_or("no explanation").to_owned()
}
