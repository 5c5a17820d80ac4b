//! One read from its URL to its body. Every hop passes all checks of the guard again.

use std::pin::pin;

use bytes::Bytes;
use contract::evidence::{
    Exchange, ExchangeOutcome, Failure, FailureKind, FailurePhase, Hop, Response,
};
use http::header::LOCATION;
use tokio::time::Instant;

use crate::failure::{new_failure, policy_refusal};
use crate::guard::url::CheckedTarget;
use crate::http::body;
use crate::http::connection::version_label;
use crate::http::headers::{RequestHeaders, response_header_lines};
use crate::http::request::Outgoing;
use crate::read_timer::{ReadTimer, elapsed_millis};
use crate::send::{HopResponse, RequestSender, release_connection};
use crate::visit_state::VisitState;
use crate::{FetchRequest, FetchResult, RedirectPolicy};

pub(crate) async fn fetch(visit: &VisitState, mut request: FetchRequest) -> FetchResult {
    let started_at = visit.context.clock.now();
    let start = Instant::now();
    let own_deadline = request.timeout.and_then(|timeout| start.checked_add(timeout));
    let deadline =
        own_deadline.map_or(visit.deadline, |own_deadline| own_deadline.min(visit.deadline));
    let timer = visit.start_timer(start, deadline);
    let fields = RequestHeaders::new(std::mem::take(&mut request.headers));
    let mut read = FetchState {
        visit,
        request: &request,
        timer,
        hops: Vec::new(),
        authority: None,
        signature: Vec::new(),
    };
    let (result, sent) = match fields {
        Err(failure) => (Err(failure), Vec::new()),
        Ok(fields) => {
            let result = read.run(&fields).await;
            let fields = fields.with_fields(&read.signature);
            let sent = read.authority.take().map(|authority| fields.into_lines(authority));
            (result, sent.unwrap_or_default())
        }
    };
    let (outcome, body) = match result {
        Ok((response, body)) => (ExchangeOutcome::Response(Box::new(response)), body),
        Err(failure) => (ExchangeOutcome::Failed(failure), Bytes::new()),
    };
    let hops = read.hops;
    let took_ms = elapsed_millis(start);
    match &outcome {
        ExchangeOutcome::Response(response) => {
            tracing::debug!(url = %request.url, status = response.status, took_ms, "read");
        }
        ExchangeOutcome::Failed(failure) => {
            tracing::debug!(url = %request.url, reason = %failure.reason, took_ms, "not read");
        }
    }
    let exchange = Exchange {
        method: "GET".to_owned(),
        url: truncate_text(&request.url, visit.context.policy.limits.max_url_bytes),
        request_headers: sent,
        started_at,
        took_ms,
        hops,
        outcome,
    };
    FetchResult { exchange, body }
}

/// The state of one read.
struct FetchState<'a> {
    visit: &'a VisitState,
    request: &'a FetchRequest,
    timer: ReadTimer,
    hops: Vec<Hop>,
    /// The Host header of the first request, once its URL has passed the checks.
    authority: Option<String>,
    /// The fields that signed the first request, if it was signed.
    signature: Vec<(String, String)>,
}

impl FetchState<'_> {
    async fn run(&mut self, fields: &RequestHeaders) -> Result<(Response, Bytes), Failure> {
        let policy = &self.visit.context.policy;
        let mut target = match CheckedTarget::parse(&self.request.url, policy, self.visit.ports) {
            Ok(target) => target,
            Err(failure) => {
                self.record_undialled_hop(&self.request.url.clone());
                return Err(failure);
            }
        };
        self.authority = Some(target.authority());
        let max = policy.limits.max_redirects_for(self.request.kind);
        loop {
            match self.request_hop(&target, fields).await? {
                HopOutcome::Final(response, body) => return Ok((*response, body)),
                HopOutcome::Redirect(location) => {
                    target = self.redirect_target(&target, &location)?;
                    if self.hops.iter().any(|hop| hop.url == target.url.as_str()) {
                        return Err(redirect_failure(
                            "redirect_loop",
                            "The redirects form a loop.",
                        ));
                    }
                    if self.hops.len() > max {
                        return Err(redirect_failure(
                            "too_many_redirects",
                            "The site sent more redirects than we follow.",
                        ));
                    }
                    self.check_redirect_gate(&target).await?;
                }
            }
        }
    }

    /// Checks the target of a redirect by the same rules as the first URL.
    fn redirect_target(
        &mut self,
        from: &CheckedTarget,
        location: &[u8],
    ) -> Result<CheckedTarget, Failure> {
        let policy = &self.visit.context.policy;
        let Ok(location) = std::str::from_utf8(location) else {
            return Err(redirect_failure(
                "bad_location",
                "The Location header of the redirect is not valid UTF-8.",
            ));
        };
        from.join_location(location, policy, self.visit.ports).map_err(|failure| {
            let url = from.url.join(location).map_or_else(|_| location.to_owned(), String::from);
            self.record_undialled_hop(&url);
            attribute_to_redirect(failure)
        })
    }

    /// Asks the caller's gate whether to follow a redirect. The read holds no slot and no
    /// connection while it waits, so the gate may make reads of its own.
    async fn check_redirect_gate(&mut self, target: &CheckedTarget) -> Result<(), Failure> {
        let RedirectPolicy::IfAllowed(gate) = &self.request.redirects else { return Ok(()) };
        let checking = pin!(gate.check_redirect(target.url.as_str()));
        let Some(refusal) =
            self.timer.run_before_deadline(FailurePhase::Redirect, checking).await?
        else {
            return Ok(());
        };
        self.record_undialled_hop(target.url.as_str());
        Err(policy_refusal(FailurePhase::Redirect, refusal.reason, refusal.detail))
    }

    /// Sends one request and reads its response. Records the hop whether it succeeds or fails.
    async fn request_hop(
        &mut self,
        target: &CheckedTarget,
        fields: &RequestHeaders,
    ) -> Result<HopOutcome, Failure> {
        let start = Instant::now();
        let redirected = !self.hops.is_empty();
        let mut hop = Hop {
            url: target.url.to_string(),
            address: None,
            status: None,
            location: None,
            took_ms: 0,
            reused_connection: false,
        };
        let sender = RequestSender {
            visit: self.visit,
            timer: &self.timer,
            identity: &self.request.identity,
            fresh_connection: self.request.fresh_connection,
            trusted_only: false,
        };
        let signature = self.visit.context.signature_fields(&self.request.identity, target);
        let signed = (!signature.is_empty()).then(|| fields.with_fields(&signature));
        let fields = signed.as_ref().unwrap_or(fields);
        let hop_response = sender.send(target, fields, &Outgoing::get(), &mut hop).await;
        if !redirected {
            self.signature = signature;
        }
        let result = match hop_response {
            Ok(hop_response) => {
                hop.status = Some(hop_response.response.status().as_u16());
                let location = hop_response.response.headers().get(LOCATION);
                let location = location.map(|value| value.as_bytes().to_vec());
                let max = self.visit.context.policy.limits.max_url_bytes;
                hop.location = location
                    .as_ref()
                    .map(|bytes| truncate_text(&String::from_utf8_lossy(bytes), max));
                let leads_on = is_redirect(hop_response.response.status().as_u16())
                    && !matches!(self.request.redirects, RedirectPolicy::Never);
                match location.filter(|_| leads_on) {
                    Some(location) => {
                        self.drain_redirect_body(hop_response).await;
                        Ok(HopOutcome::Redirect(location))
                    }
                    None => {
                        let (response, body) = self.read_response(target, hop_response).await;
                        Ok(HopOutcome::Final(Box::new(response), body))
                    }
                }
            }
            Err(failure) if redirected => Err(attribute_to_redirect(failure)),
            Err(failure) => Err(failure),
        };
        hop.took_ms = elapsed_millis(start);
        self.hops.push(hop);
        result
    }

    async fn read_response(
        &self,
        target: &CheckedTarget,
        hop_response: HopResponse,
    ) -> (Response, Bytes) {
        let limits = &self.visit.context.policy.limits;
        // The slots are kept until the body is read.
        let HopResponse { response, mut connection, pool_entry, slots: _slots } = hop_response;
        let (head, incoming) = response.into_parts();
        let mut caps = limits.body_caps(self.request.kind);
        caps.wire = caps.wire.min(self.request.max_wire_bytes.unwrap_or(u64::MAX));
        let bounds = body::BodyBounds {
            caps,
            limits,
            timer: &self.timer,
            kind: self.request.kind,
            byte_budget: &self.visit.byte_budget,
            traffic: &self.visit.traffic,
        };
        let read = body::read_body(&head.headers, incoming, &mut connection.driver, &bounds).await;
        let tls = connection.tls.as_deref().cloned();
        release_connection(self.visit, read.connection_reusable, connection, &pool_entry);
        let response = Response {
            url: target.url.to_string(),
            status: head.status.as_u16(),
            http: version_label(head.version).to_owned(),
            headers: response_header_lines(&head.headers),
            body: read.facts,
            tls,
        };
        (response, read.bytes)
    }

    /// Discards the body of a redirect. A small body is read to its end so that the connection can
    /// be reused.
    async fn drain_redirect_body(&self, hop_response: HopResponse) {
        // The slots are kept until the body is read.
        let HopResponse { response, mut connection, pool_entry, slots: _slots } = hop_response;
        let limits = &self.visit.context.policy.limits;
        // An HTTP/2 stream can be cancelled without closing its connection.
        let at_end = connection.is_http2()
            || body::drain_body(response.into_body(), &mut connection.driver, limits, &self.timer)
                .await;
        release_connection(self.visit, at_end, connection, &pool_entry);
    }

    fn record_undialled_hop(&mut self, url: &str) {
        self.hops.push(Hop {
            url: truncate_text(url, self.visit.context.policy.limits.max_url_bytes),
            address: None,
            status: None,
            location: None,
            took_ms: 0,
            reused_connection: false,
        });
    }
}

/// How a hop ended.
enum HopOutcome {
    Final(Box<Response>, Bytes),
    /// The Location field as received.
    Redirect(Vec<u8>),
}

pub(crate) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

fn redirect_failure(reason: &str, detail: &str) -> Failure {
    new_failure(FailureKind::Protocol, FailurePhase::Redirect, reason, detail)
}

/// If the guard refuses a redirect target, the failure belongs to the redirect and not to the URL
/// that the caller asked for.
fn attribute_to_redirect(failure: Failure) -> Failure {
    match failure.kind {
        FailureKind::RefusedByPolicy => Failure { phase: FailurePhase::Redirect, ..failure },
        _ => failure,
    }
}

pub(crate) fn truncate_text(text: &str, max: usize) -> String {
    if text.len() <= max { text.to_owned() } else { text.chars().take(max).collect() }
}
