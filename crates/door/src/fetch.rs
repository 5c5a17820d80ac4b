//! One read from its URL to its body, hop by hop, each hop through the whole gate.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use contract::evidence::{Exchange, Failure, FailureKind, Hop, Outcome, Phase, Response, TlsFacts};
use http::header::LOCATION;
use hyper::body::Incoming;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::failure::{connect, deadline, failure, handshake, refused};
use crate::guard::address::Vetted;
use crate::guard::url::Target;
use crate::http::fields::{Fields, received};
use crate::http::pool::{Lane, lock};
use crate::http::wire::{Connection, Lenient, version};
use crate::http::{body, dial};
use crate::visit::{Host, Inner, millis};
use crate::watch::Watch;
use crate::{Fetched, Follow, Request};

pub(crate) async fn fetch(visit: &Inner, mut request: Request) -> Fetched {
    let started_at = visit.frame.clock.now();
    let start = Instant::now();
    let own = request.timeout.and_then(|timeout| start.checked_add(timeout));
    let deadline = own.map_or(visit.deadline, |own| own.min(visit.deadline));
    let watch = visit.watch(start, deadline);
    let fields = Fields::new(std::mem::take(&mut request.headers));
    let mut read = Read { visit, request: &request, watch, hops: Vec::new(), authority: None };
    let (result, sent) = match fields {
        Err(failure) => (Err(failure), Vec::new()),
        Ok(fields) => {
            let result = read.run(&fields).await;
            let sent = read.authority.take().map(|authority| fields.into_lines(authority));
            (result, sent.unwrap_or_default())
        }
    };
    let (outcome, body) = match result {
        Ok((response, body)) => (Outcome::Response(Box::new(response)), body),
        Err(failure) => (Outcome::Failed(failure), Bytes::new()),
    };
    let hops = read.hops;
    let took_ms = millis(start);
    match &outcome {
        Outcome::Response(response) => {
            tracing::debug!(url = %request.url, status = response.status, took_ms, "read");
        }
        Outcome::Failed(failure) => {
            tracing::debug!(url = %request.url, reason = %failure.reason, took_ms, "not read");
        }
    }
    let exchange = Exchange {
        method: "GET".to_owned(),
        url: bounded_text(&request.url, visit.frame.policy.limits.url_bytes),
        request_headers: sent,
        started_at,
        took_ms,
        hops,
        outcome,
    };
    Fetched { exchange, body }
}

/// The state of one read.
struct Read<'a> {
    visit: &'a Inner,
    request: &'a Request,
    watch: Watch,
    hops: Vec<Hop>,
    /// The Host of the first request, once there is one.
    authority: Option<String>,
}

/// A place among the requests to one host, and among those to one network: many names may lead to
/// one victim.
struct Slots<'h> {
    _of_host: tokio::sync::SemaphorePermit<'h>,
    _of_network: tokio::sync::OwnedSemaphorePermit,
}

/// The head of one hop's response, and what is needed to go on.
struct Answered {
    response: http::Response<Incoming>,
    connection: Connection,
    lane: Arc<Lane>,
}

impl Read<'_> {
    async fn run(&mut self, fields: &Fields) -> Result<(Response, Bytes), Failure> {
        let policy = &self.visit.frame.policy;
        let mut target = match Target::parse(&self.request.url, policy) {
            Ok(target) => target,
            Err(failure) => {
                self.not_dialled(&self.request.url.clone());
                return Err(failure);
            }
        };
        self.authority = Some(target.authority());
        let most = policy.limits.redirects(self.request.kind);
        loop {
            match self.hop(&target, fields).await? {
                Step::Done(response, body) => return Ok((*response, body)),
                Step::Redirect(location) => {
                    target = self.follow(&target, &location)?;
                    if self.hops.iter().any(|hop| hop.url == target.url.as_str()) {
                        return Err(redirect_failure(
                            "redirect_loop",
                            "The redirects lead in a circle.",
                        ));
                    }
                    if self.hops.len() > most {
                        return Err(redirect_failure(
                            "too_many_redirects",
                            "There are more redirects than are followed.",
                        ));
                    }
                    self.ask_gate(&target).await?;
                }
            }
        }
    }

    /// The target of a redirect, through the same gate as the first URL.
    fn follow(&mut self, from: &Target, location: &[u8]) -> Result<Target, Failure> {
        let policy = &self.visit.frame.policy;
        let Ok(location) = std::str::from_utf8(location) else {
            return Err(redirect_failure("bad_location", "The redirect's target is not text."));
        };
        from.join(location, policy).map_err(|failure| {
            let url = from.url.join(location).map_or_else(|_| location.to_owned(), String::from);
            self.not_dialled(&url);
            at_redirect(failure)
        })
    }

    /// Nothing is held meanwhile: no slot and no connection, so a gate may read for itself.
    async fn ask_gate(&mut self, target: &Target) -> Result<(), Failure> {
        let Follow::If(gate) = &self.request.follow else { return Ok(()) };
        let asking = pin!(gate.refuses(target.url.as_str()));
        let Some(refusal) = self.watch.in_time(Phase::Redirect, asking).await? else {
            return Ok(());
        };
        self.not_dialled(target.url.as_str());
        Err(refused(Phase::Redirect, refusal.reason, refusal.detail))
    }

    /// One request and its response. Records the hop, however it ends.
    async fn hop(&mut self, target: &Target, fields: &Fields) -> Result<Step, Failure> {
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
        let host = self.visit.host(&target.host);
        let mut dialled = None;
        let answered = self.ask(target, fields, &host, &mut hop, &mut dialled).await;
        hop.address = dialled.map(|address| address.to_string());
        let result = match answered {
            // The slots are held until the body is read.
            Ok((answered, _slots)) => {
                hop.status = Some(answered.response.status().as_u16());
                let location = answered.response.headers().get(LOCATION);
                let location = location.map(|value| value.as_bytes().to_vec());
                let most = self.visit.frame.policy.limits.url_bytes;
                hop.location = location
                    .as_ref()
                    .map(|bytes| bounded_text(&String::from_utf8_lossy(bytes), most));
                let leads_on = is_redirect(answered.response.status().as_u16())
                    && !matches!(self.request.follow, Follow::Nothing);
                match location.filter(|_| leads_on) {
                    Some(location) => {
                        self.drain(answered).await;
                        Ok(Step::Redirect(location))
                    }
                    None => {
                        let (response, body) = self.finish(target, answered).await;
                        Ok(Step::Done(Box::new(response), body))
                    }
                }
            }
            Err(failure) if redirected => Err(at_redirect(failure)),
            Err(failure) => Err(failure),
        };
        hop.took_ms = millis(start);
        self.hops.push(hop);
        result
    }

    /// Gate, connection, request, head.
    async fn ask<'h>(
        &self,
        target: &Target,
        fields: &Fields,
        host: &'h Host,
        hop: &mut Hop,
        dialled: &mut Option<SocketAddr>,
    ) -> Result<(Answered, Slots<'h>), Failure> {
        if self.watch.is_over() {
            return Err(deadline(Phase::Request));
        }
        let visit = self.visit;
        let port = target.dial_port(&visit.frame.policy);
        let resolving = pin!(visit.addresses(&target.host, port, &self.watch));
        let addresses = self.watch.in_time(Phase::Dns, resolving).await??;
        let of_host = self
            .watch
            .in_time(Phase::Request, pin!(host.slots.acquire()))
            .await?
            .map_err(|_| deadline(Phase::Request))?;
        // The host's slot first, the network's second, by everybody: nobody waits in a circle.
        let network = visit.network(addresses.first().map(|address| address.socket().ip()));
        let of_network = self
            .watch
            .in_time(Phase::Request, pin!(network.acquire_owned()))
            .await?
            .map_err(|_| deadline(Phase::Request))?;
        let slots = Slots { _of_host: of_host, _of_network: of_network };
        let lane = visit.pool.lane(target, &self.request.identity);
        let mut fresh = self.request.fresh_connection;
        loop {
            let open = self.open(target, &addresses, host, dialled);
            let mut connection = if fresh {
                open.await?
            } else {
                let connecting = pin!(lane.connection(open));
                self.watch.in_time(Phase::Connect, connecting).await??
            };
            hop.reused_connection = connection.used;
            *dialled = Some(connection.address.socket());
            let answer = {
                let head = pin!(connection.get(target, fields, &visit.frame.policy.limits));
                self.watch.within(Phase::Head, visit.phases.head, head).await?
            };
            match answer {
                Ok(response) => return Ok((Answered { response, connection, lane }, slots)),
                // A kept connection may have been closed while it was idle; that says nothing
                // about the host, so the request is made again on a new one.
                Err(failure) if connection.used && failure.kind == FailureKind::Protocol => {
                    fresh = true;
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Dials the vetted addresses in turn until one accepts, and speaks TLS if it is asked for.
    async fn open(
        &self,
        target: &Target,
        addresses: &[Vetted],
        host: &Host,
        dialled: &mut Option<SocketAddr>,
    ) -> Result<Connection, Failure> {
        let mut failed = None;
        for address in addresses {
            *dialled = Some(address.socket());
            let source = self.visit.frame.policy.source_address;
            let dialling = pin!(dial::dial(*address, source));
            let limit = self.visit.phases.connect;
            let stream = match self.watch.within(Phase::Connect, limit, dialling).await {
                Ok(Ok(stream)) => stream,
                Ok(Err(error)) => {
                    failed = Some(connect(&error));
                    continue;
                }
                Err(timeout) => {
                    failed = Some(timeout);
                    continue;
                }
            };
            *lock(&host.answered) = Some(address.socket().ip());
            if !target.tls {
                let limits = &self.visit.frame.policy.limits;
                return Connection::http1(stream, *address, None, limits).await;
            }
            // On the heap: a handshake is large, and every layer around it would hold it again.
            return Box::pin(self.speak_tls(target, *address, stream)).await;
        }
        Err(failed.unwrap_or_else(|| deadline(Phase::Connect)))
    }

    async fn speak_tls(
        &self,
        target: &Target,
        address: Vetted,
        stream: TcpStream,
    ) -> Result<Connection, Failure> {
        let frame = &self.visit.frame;
        let limits = &frame.policy.limits;
        let name = ServerName::try_from(target.host.as_str().to_owned()).map_err(|_| {
            failure(
                FailureKind::Tls,
                Phase::Tls,
                "bad_server_name",
                "The host's name cannot be asked for in TLS.",
            )
        })?;
        let shaking = pin!(frame.tls.connector().connect(name.clone(), stream));
        let stream = self
            .watch
            .within(Phase::Tls, self.visit.phases.tls, shaking)
            .await?
            .map_err(|error| handshake(&error))?;
        let session = stream.get_ref().1;
        let http2 = session.alpn_protocol() == Some(b"h2");
        let facts: TlsFacts = frame.tls.facts(session, &name, frame.clock.now());
        let facts = Some(Arc::new(facts));
        let stream = Lenient(stream);
        if !http2 {
            return Connection::http1(stream, address, facts, limits).await;
        }
        let greeting = pin!(Connection::http2(stream, address, facts, limits));
        self.watch.within(Phase::Head, self.visit.phases.head, greeting).await?
    }

    async fn finish(&self, target: &Target, answered: Answered) -> (Response, Bytes) {
        let limits = &self.visit.frame.policy.limits;
        let Answered { response, mut connection, lane } = answered;
        let (head, incoming) = response.into_parts();
        let caps = limits.caps(self.request.kind);
        let bounds = body::Bounds { caps, limits, watch: &self.watch, room: &self.visit.room };
        let read = body::read(&head.headers, incoming, &mut connection.driver, &bounds).await;
        let tls = connection.tls.as_deref().cloned();
        self.keep(read.at_end, connection, &lane);
        let response = Response {
            url: target.url.to_string(),
            status: head.status.as_u16(),
            http: version(head.version).to_owned(),
            headers: received(&head.headers),
            body: read.facts,
            tls,
        };
        (response, read.bytes)
    }

    /// The body of a redirect is not wanted; a small one is read away for the connection's sake.
    async fn drain(&self, answered: Answered) {
        let Answered { response, mut connection, lane } = answered;
        let limits = &self.visit.frame.policy.limits;
        // A stream can be given up without its connection.
        let at_end = connection.is_http2()
            || body::drain(response.into_body(), &mut connection.driver, limits, &self.watch).await;
        self.keep(at_end, connection, &lane);
    }

    fn keep(&self, at_end: bool, connection: Connection, lane: &Lane) {
        if at_end {
            lane.give_back(connection);
        }
    }

    fn not_dialled(&mut self, url: &str) {
        self.hops.push(Hop {
            url: bounded_text(url, self.visit.frame.policy.limits.url_bytes),
            address: None,
            status: None,
            location: None,
            took_ms: 0,
            reused_connection: false,
        });
    }
}

/// Where a hop led.
enum Step {
    Done(Box<Response>, Bytes),
    /// The Location field as received.
    Redirect(Vec<u8>),
}

fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

fn redirect_failure(reason: &str, detail: &str) -> Failure {
    failure(FailureKind::Protocol, Phase::Redirect, reason, detail)
}

/// A refusal behind a redirect is the redirect's fault, not that of what was asked for.
fn at_redirect(failure: Failure) -> Failure {
    match failure.kind {
        FailureKind::RefusedByPolicy => Failure { phase: Phase::Redirect, ..failure },
        _ => failure,
    }
}

fn bounded_text(text: &str, most: usize) -> String {
    if text.len() <= most { text.to_owned() } else { text.chars().take(most).collect() }
}
