//! Who answers the messages: this process, or a service elsewhere.

use std::time::Duration;

use door::operator::Call;
use web::App;

use super::message::LineMessage;
use crate::commands::remote::KeyArg;

/// A scan takes some time.
const TIMEOUT: Duration = Duration::from_secs(130);
const MAX_ANSWER_BYTES: usize = 16 << 20;

#[derive(Debug)]
pub(super) enum ToolServer {
    Local(App),
    Remote {
        /// The address of its `/mcp`.
        url: String,
        key: KeyArg,
    },
}

impl ToolServer {
    /// Status and body, or why there is no answer.
    pub(super) async fn ask(&self, message: &LineMessage) -> Result<(u16, Vec<u8>), String> {
        match self {
            Self::Local(app) => {
                let body = message.bytes.clone();
                let reply = web::answer_local_message(app, &message.headers, body).await;
                Ok((reply.status, reply.body))
            }
            Self::Remote { url, key } => {
                let call = Call {
                    method: "POST",
                    url,
                    body: Some((&message.bytes, "application/json")),
                    accept: "application/json, text/event-stream",
                    max_response_bytes: MAX_ANSWER_BYTES,
                    timeout: TIMEOUT,
                };
                let answer = call.send_with(key.token(), &message.headers).await;
                let answer = answer.map_err(|error| format!("{url} cannot be asked: {error}"))?;
                Ok((answer.status, answer.body))
            }
        }
    }
}
