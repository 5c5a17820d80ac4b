//! Calls of the control channel of a running lab.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use door::operator::{Call, CallError, CallResponse};
use serde_json::Value;

use super::control_file::{find_files, read_url};
use crate::output::sanitize_for_terminal;

const TIMEOUT: Duration = Duration::from_secs(10);
const MAX_RESPONSE_BYTES: usize = 1 << 20;

/// Which lab is meant.
#[derive(Debug, clap::Args)]
pub(super) struct LabArg {
    /// The lab to use, if you run several: the file or the URL that it printed. Without it, the lab that
    /// was started last
    #[arg(long, value_name = "FILE|URL")]
    lab: Option<String>,
}

impl LabArg {
    /// Makes one call and returns the answer. An error of the lab is an error with its sentence.
    pub(super) async fn call(
        &self,
        method: &str,
        action: &str,
        body: Option<Value>,
    ) -> Result<Value> {
        let body = body.map(|body| body.to_string());
        let response = match &self.lab {
            Some(url) if url.starts_with("http://") => send(url, method, action, body.as_deref())
                .await
                .context("the lab cannot be reached")?,
            Some(file) => {
                let url = read_url(Path::new(file))?;
                send(&url, method, action, body.as_deref())
                    .await
                    .with_context(|| format!("the lab of {file} cannot be reached"))?
            }
            None => call_newest(method, action, body.as_deref()).await?,
        };
        let value: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        if response.status == 200 {
            return Ok(value);
        }
        let sentence = value.get("error").and_then(Value::as_str).unwrap_or("no explanation");
        bail!("the lab refused: {}", sanitize_for_terminal(sentence))
    }
}

/// Calls the newest lab that runs.
async fn call_newest(method: &str, action: &str, body: Option<&str>) -> Result<CallResponse> {
    for file in find_files() {
        let Ok(url) = read_url(&file) else { continue };
        match send(&url, method, action, body).await {
            Ok(response) => return Ok(response),
            // A file that a killed lab left behind.
            Err(CallError::Connect(_)) => {}
            Err(error) => return Err(error).context("the lab cannot be reached"),
        }
    }
    bail!(
        "no lab of yours is running. Start one with `wayleave demo` or `wayleave lab run`, or name it \
         with --lab"
    )
}

async fn send(
    base: &str,
    method: &str,
    action: &str,
    body: Option<&str>,
) -> Result<CallResponse, CallError> {
    let url = format!("{}/{action}", base.trim_end_matches('/'));
    let call = Call {
        method,
        url: &url,
        body: body.map(|body| (body.as_bytes(), "application/json")),
        accept: "application/json",
        max_response_bytes: MAX_RESPONSE_BYTES,
        timeout: TIMEOUT,
    };
    call.send().await
}
