//! Delivers one small body to an address that somebody chose. Every guard, deadline and limit of a read
//! applies. Redirects are not followed and the body of the answer is not read: only the status is told,
//! so that nobody learns by this what a server answers to us. The certificate must be valid, because the
//! body is for this receiver only.

use std::sync::Arc;

use bytes::Bytes;
use contract::evidence::{Failure, FailureKind, FailurePhase, Hop};
use http::Method;
use tokio::time::Instant;

use crate::failure::{new_failure, policy_refusal};
use crate::guard::url::CheckedTarget;
use crate::http::headers::RequestHeaders;
use crate::http::request::Outgoing;
use crate::read_timer::elapsed_millis;
use crate::send::RequestSender;
use crate::visit_state::VisitState;

/// The headers that a delivery may carry. No credential is among them.
const ALLOWED_HEADERS: [&str; 7] = [
    "user-agent",
    "accept",
    "content-type",
    "content-digest",
    "webhook-id",
    "signature",
    "signature-input",
];
/// Deliveries share no connections with reads.
const IDENTITY: &str = "delivery";

/// One delivery. The deadline is that of the visit.
#[derive(Debug, Clone)]
pub struct PostRequest {
    pub url: String,
    /// Sent in this order after Host. Only the headers of a fixed list may be sent.
    pub headers: Vec<(String, String)>,
    /// At most [`crate::Limits::max_request_body_bytes`].
    pub body: Bytes,
}

/// The status of the answer.
pub(crate) async fn post(visit: &Arc<VisitState>, request: PostRequest) -> Result<u16, Failure> {
    let start = Instant::now();
    if request.body.len() > visit.context.policy.limits.max_request_body_bytes {
        return Err(new_failure(
            FailureKind::TooLarge,
            FailurePhase::Request,
            "request_too_large",
            "The body of the request exceeds the size limit.",
        ));
    }
    check_headers(&request.headers)?;
    let fields = RequestHeaders::new(request.headers)?;
    let timer = visit.start_timer(start, visit.deadline);
    let target = CheckedTarget::parse(&request.url, &visit.context.policy, visit.ports)?;
    let mut hop = Hop {
        url: target.url.to_string(),
        address: None,
        status: None,
        location: None,
        took_ms: 0,
        reused_connection: false,
    };
    let sender = RequestSender {
        visit,
        timer: &timer,
        identity: IDENTITY,
        fresh_connection: true,
        trusted_only: true,
    };
    let outgoing = Outgoing { method: Method::POST, body: request.body };
    let sent = sender.send(&target, &fields, &outgoing, &mut hop).await;
    let took_ms = elapsed_millis(start);
    // The host only: path and query may have a secret of the receiver.
    let host = &target.host;
    match sent {
        // Dropping the answer closes the connection.
        Ok(answer) => {
            let status = answer.response.status().as_u16();
            tracing::debug!(%host, status, took_ms, "delivered to");
            Ok(status)
        }
        Err(failure) => {
            tracing::debug!(%host, reason = %failure.reason, took_ms, "not delivered to");
            Err(failure)
        }
    }
}

fn check_headers(headers: &[(String, String)]) -> Result<(), Failure> {
    let is_allowed =
        |name: &str| ALLOWED_HEADERS.iter().any(|allowed| name.eq_ignore_ascii_case(allowed));
    if headers.iter().all(|(name, _)| is_allowed(name)) {
        return Ok(());
    }
    Err(policy_refusal(
        FailurePhase::Request,
        "header_not_allowed",
        "The request has a header that deliveries must not carry.",
    ))
}
