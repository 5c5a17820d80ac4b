//! One read from its URL to its body. Every hop passes all checks of the guard again.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use contract::evidence::{
    Exchange, ExchangeOutcome, Failure, FailureKind, FailurePhase, Hop, Response, TlsFacts,
};
use http::header::LOCATION;
use hyper::body::Incoming;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::failure::{
    connect_failure, deadline_failure, handshake_failure, new_failure, policy_refusal,
    target_limit_failure,
};
use crate::guard::address::VettedAddress;
use crate::guard::url::CheckedTarget;
use crate::http::connection::{Connection, EofTolerantStream, version_label};
use crate::http::headers::{RequestHeaders, response_header_lines};
use crate::http::pool::PoolEntry;
use crate::http::{body, dial};
use crate::mutex::lock;
use crate::read_timer::{ReadTimer, elapsed_millis};
use crate::visit_state::{HostState, VisitState};
use crate::{FetchRequest, FetchResult, RedirectPolicy};

pub(crate) async fn fetch(visit: &VisitState, mut request: FetchRequest) -> FetchResult {
    let started_at = visit.context.clock.now();
    let start = Instant::now();
    let own_deadline = request.timeout.and_then(|timeout| start.checked_add(timeout));
    let deadline =
        own_deadline.map_or(visit.deadline, |own_deadline| own_deadline.min(visit.deadline));
    let timer = visit.start_timer(start, deadline);
    let fields = RequestHeaders::new(std::mem::take(&mut request.headers));
    let mut read =
        FetchState { visit, request: &request, timer, hops: Vec::new(), authority: None };
    let (result, sent) = match fields {
        Err(failure) => (Err(failure), Vec::new()),
        Ok(fields) => {
            let result = read.run(&fields).await;
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
}

/// Permits to send one request: one of the host and one of its network. The network has its own
/// limit because many names can point to the same victim.
struct RequestSlots<'h> {
    _host: tokio::sync::SemaphorePermit<'h>,
    _network: tokio::sync::OwnedSemaphorePermit,
}

/// The response head of one hop, and the connection it came over.
struct HopResponse {
    response: http::Response<Incoming>,
    connection: Connection,
    pool_entry: Arc<PoolEntry>,
}

impl FetchState<'_> {
    async fn run(&mut self, fields: &RequestHeaders) -> Result<(Response, Bytes), Failure> {
        let policy = &self.visit.context.policy;
        let mut target = match CheckedTarget::parse(&self.request.url, policy) {
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
        from.join_location(location, policy).map_err(|failure| {
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
        let host = self.visit.host_state(&target.host);
        let mut dialled = None;
        let hop_response = self.send_request(target, fields, &host, &mut hop, &mut dialled).await;
        hop.address = dialled.map(|address| address.to_string());
        let result = match hop_response {
            // Keep the slots until the body is read.
            Ok((hop_response, _slots)) => {
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

    /// Resolves and vets the host, gets a connection, sends the request and waits for the response
    /// head.
    async fn send_request<'h>(
        &self,
        target: &CheckedTarget,
        fields: &RequestHeaders,
        host: &'h HostState,
        hop: &mut Hop,
        dialled: &mut Option<SocketAddr>,
    ) -> Result<(HopResponse, RequestSlots<'h>), Failure> {
        if self.timer.is_expired() {
            return Err(deadline_failure(FailurePhase::Request));
        }
        let visit = self.visit;
        let port = target.dial_port(&visit.context.policy);
        let resolving = pin!(visit.addresses(&target.host, port, &self.timer));
        let addresses = self.timer.run_before_deadline(FailurePhase::Dns, resolving).await??;
        let of_host = self
            .timer
            .run_before_deadline(FailurePhase::Request, pin!(host.slots.acquire()))
            .await?
            .map_err(|_| deadline_failure(FailurePhase::Request))?;
        // Every read acquires the host's slot before the network's slot, so reads cannot deadlock.
        let network =
            visit.network_slots(addresses.first().map(|address| address.socket_address().ip()));
        let of_network = self
            .timer
            .run_before_deadline(FailurePhase::Request, pin!(network.acquire_owned()))
            .await?
            .map_err(|_| deadline_failure(FailurePhase::Request))?;
        let slots = RequestSlots { _host: of_host, _network: of_network };
        if let Some(first) = addresses.first() {
            let counted = visit.count_read(first.socket_address().ip());
            counted.map_err(|_| target_limit_failure())?;
        }
        let pool_entry = visit.pool.entry(target, &self.request.identity);
        let mut fresh = self.request.fresh_connection;
        loop {
            let open = self.open_connection(target, &addresses, host, dialled);
            let mut connection = if fresh {
                open.await?
            } else {
                let connecting = pin!(pool_entry.acquire(open));
                self.timer.run_before_deadline(FailurePhase::Connect, connecting).await??
            };
            hop.reused_connection = connection.reused;
            *dialled = Some(connection.address.socket_address());
            let answer = {
                let head = pin!(connection.send_get(target, fields, &visit.context.policy.limits));
                self.timer.run_within(FailurePhase::Head, visit.phases.head, head).await?
            };
            match answer {
                Ok(response) => {
                    return Ok((HopResponse { response, connection, pool_entry }, slots));
                }
                // The host may have closed a pooled connection while it was idle. That says nothing
                // about the host, so the request is repeated on a new connection.
                Err(failure) if connection.reused && failure.kind == FailureKind::Protocol => {
                    fresh = true;
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Dials the vetted addresses in turn until one accepts, then starts TLS if the URL needs it.
    async fn open_connection(
        &self,
        target: &CheckedTarget,
        addresses: &[VettedAddress],
        host: &HostState,
        dialled: &mut Option<SocketAddr>,
    ) -> Result<Connection, Failure> {
        let mut failed = None;
        for address in addresses {
            let leasing = pin!(self.visit.lease_connection(address.socket_address().ip()));
            let leased = self.timer.run_before_deadline(FailurePhase::Connect, leasing).await;
            let Ok(Ok(lease)) = leased else { return Err(target_limit_failure()) };
            *dialled = Some(address.socket_address());
            let source = self.visit.context.policy.source_address;
            let dialling = pin!(dial::dial(*address, source));
            let limit = self.visit.phases.connect;
            let stream = match self.timer.run_within(FailurePhase::Connect, limit, dialling).await {
                Ok(Ok(stream)) => stream,
                Ok(Err(error)) => {
                    failed = Some(connect_failure(&error));
                    continue;
                }
                Err(timeout) => {
                    failed = Some(timeout);
                    continue;
                }
            };
            *lock(&host.last_connected) = Some(address.socket_address().ip());
            if !target.tls {
                let limits = &self.visit.context.policy.limits;
                let opened = Connection::http1(stream, *address, None, limits).await;
                return opened.map(|connection| connection.with_lease(lease));
            }
            // Boxed: the handshake future is large, and every future around it would embed it.
            let opened = Box::pin(self.start_tls(target, *address, stream)).await;
            return opened.map(|connection| connection.with_lease(lease));
        }
        Err(failed.unwrap_or_else(|| deadline_failure(FailurePhase::Connect)))
    }

    async fn start_tls(
        &self,
        target: &CheckedTarget,
        address: VettedAddress,
        stream: TcpStream,
    ) -> Result<Connection, Failure> {
        let context = &self.visit.context;
        let limits = &context.policy.limits;
        let name = ServerName::try_from(target.host.as_str().to_owned()).map_err(|_| {
            new_failure(
                FailureKind::Tls,
                FailurePhase::Tls,
                "bad_server_name",
                "The host name is not valid as a TLS server name.",
            )
        })?;
        let handshake_future = pin!(context.tls.connector().connect(name.clone(), stream));
        let stream = self
            .timer
            .run_within(FailurePhase::Tls, self.visit.phases.tls, handshake_future)
            .await?
            .map_err(|error| handshake_failure(&error))?;
        let session = stream.get_ref().1;
        let http2 = session.alpn_protocol() == Some(b"h2");
        let facts: TlsFacts = context.tls.facts(session, &name, context.clock.now());
        let facts = Some(Arc::new(facts));
        let stream = EofTolerantStream(stream);
        if !http2 {
            return Connection::http1(stream, address, facts, limits).await;
        }
        let http2_setup = pin!(Connection::http2(stream, address, facts, limits));
        self.timer.run_within(FailurePhase::Head, self.visit.phases.head, http2_setup).await?
    }

    async fn read_response(
        &self,
        target: &CheckedTarget,
        hop_response: HopResponse,
    ) -> (Response, Bytes) {
        let limits = &self.visit.context.policy.limits;
        let HopResponse { response, mut connection, pool_entry } = hop_response;
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
        self.release_connection(read.connection_reusable, connection, &pool_entry);
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
        let HopResponse { response, mut connection, pool_entry } = hop_response;
        let limits = &self.visit.context.policy.limits;
        // An HTTP/2 stream can be cancelled without closing its connection.
        let at_end = connection.is_http2()
            || body::drain_body(response.into_body(), &mut connection.driver, limits, &self.timer)
                .await;
        self.release_connection(at_end, connection, &pool_entry);
    }

    /// Returns a connection to the pool. If other reads wait for one to the same target, it is
    /// closed instead.
    fn release_connection(&self, at_end: bool, connection: Connection, pool_entry: &PoolEntry) {
        let address = connection.address.socket_address().ip();
        let awaited = self.visit.context.targets.has_waiting_reads(address);
        if at_end && !awaited {
            pool_entry.release(connection);
            return;
        }
        drop(connection);
        if awaited {
            pool_entry.close_idle();
        }
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

fn is_redirect(status: u16) -> bool {
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

fn truncate_text(text: &str, max: usize) -> String {
    if text.len() <= max { text.to_owned() } else { text.chars().take(max).collect() }
}
