//! Asking a server that the operator named on the command line.

use anyhow::{Context, Result, bail};
use door::operator;

/// The body of a successful GET.
pub(super) async fn get(url: &str) -> Result<Vec<u8>> {
    let answer =
        operator::call("GET", url, None).await.with_context(|| format!("{url} cannot be read"))?;
    if answer.status != 200 {
        bail!("{url} answered {}", answer.status);
    }
    Ok(answer.body)
}

/// Status and body of a POST with a JSON body.
pub(super) async fn post(url: &str, json: String) -> Result<(u16, Vec<u8>)> {
    let answer = operator::call("POST", url, Some(json))
        .await
        .with_context(|| format!("{url} cannot be asked"))?;
    Ok((answer.status, answer.body))
}

/// Status and body of a GET.
pub(super) async fn get_any(url: &str) -> Result<(u16, Vec<u8>)> {
    let answer =
        operator::call("GET", url, None).await.with_context(|| format!("{url} cannot be asked"))?;
    Ok((answer.status, answer.body))
}

/// The sentence of an error answer.
pub(super) fn said(body: &[u8]) -> String {
    let said: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    said.get("error").and_then(|e| e.as_str()).unwrap_or("no explanation").to_owned()
}
