//! Sends one request to a checked target and waits for the response head: reads and questions pass
//! the same guard, the same slots and the same limits of the target.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use contract::evidence::{Failure, FailureKind, FailurePhase, Hop, TlsFacts};
use hyper::body::Incoming;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinSet;
use tokio_rustls::client::TlsStream;

use crate::context::DoorContext;
use crate::failure::{
    connect_failure, deadline_failure, handshake_failure, new_failure, target_limit_failure,
};
use crate::guard::address::VettedAddress;
use crate::guard::url::CheckedTarget;
use crate::http::connect_race::{OtherAttempts, attempt_delay, race_attempts};
use crate::http::connection::{Connection, EofTolerantStream, SendFailure};
use crate::http::dial;
use crate::http::headers::RequestHeaders;
use crate::http::pool::PoolEntry;
use crate::http::request::Outgoing;
use crate::mutex::lock;
use crate::read_timer::ReadTimer;
use crate::targets::ConnectionLease;
use crate::tls::CheckedCertificates;
use crate::visit_state::{HostState, VisitState};

/// What all requests of one read or question share.
pub(crate) struct RequestSender<'a> {
    pub(crate) visit: &'a VisitState,
    pub(crate) timer: &'a ReadTimer,
    /// Connections are never shared between identities.
    pub(crate) identity: &'a str,
    pub(crate) fresh_connection: bool,
    /// Nothing is sent over TLS to a server whose certificate is not valid.
    pub(crate) trusted_only: bool,
}

/// Permits to send one request: one of the host and one of its network. The network has its own
/// limit because many names can point to the same victim.
#[derive(Debug)]
pub(crate) struct RequestSlots {
    _host: OwnedSemaphorePermit,
    _network: OwnedSemaphorePermit,
}

/// The response head of one hop, and the connection it came over. Whoever reads the body keeps the
/// slots until its end.
#[derive(Debug)]
pub(crate) struct HopResponse {
    pub(crate) response: http::Response<Incoming>,
    pub(crate) connection: Connection,
    pub(crate) pool_entry: Arc<PoolEntry>,
    pub(crate) slots: RequestSlots,
}

impl RequestSender<'_> {
    /// Sends the request and notes in `hop` which address it went to.
    pub(crate) async fn send(
        &self,
        target: &CheckedTarget,
        fields: &RequestHeaders,
        outgoing: &Outgoing,
        hop: &mut Hop,
    ) -> Result<HopResponse, Failure> {
        let mut dialled = None;
        let sent = self.send_to(target, fields, outgoing, hop, &mut dialled).await;
        hop.address = dialled.map(|address| address.to_string());
        sent
    }

    /// Resolves and vets the host, gets a connection, sends the request and waits for the response
    /// head.
    async fn send_to(
        &self,
        target: &CheckedTarget,
        fields: &RequestHeaders,
        outgoing: &Outgoing,
        hop: &mut Hop,
        dialled: &mut Option<SocketAddr>,
    ) -> Result<HopResponse, Failure> {
        if self.timer.is_expired() {
            return Err(deadline_failure(FailurePhase::Request));
        }
        let visit = self.visit;
        let port = target.dial_port(&visit.context.policy);
        let resolving = pin!(visit.addresses(&target.host, port, self.timer));
        let addresses = self.timer.run_before_deadline(FailurePhase::Dns, resolving).await??;
        let host = visit.host_state(&target.host);
        let of_host = self
            .timer
            .run_before_deadline(
                FailurePhase::Request,
                pin!(Arc::clone(&host.slots).acquire_owned()),
            )
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
        let pool_entry = visit.pool.entry(target, self.identity);
        let mut fresh = self.fresh_connection;
        loop {
            // Boxed when it is needed: the future is large, and every future around it would embed
            // it several times.
            let open =
                async { Box::pin(self.open_connection(target, &addresses, &host, dialled)).await };
            let mut connection = if fresh {
                open.await?
            } else {
                let connecting = pin!(pool_entry.acquire(open));
                self.timer.run_before_deadline(FailurePhase::Connect, connecting).await??
            };
            hop.reused_connection = connection.reused;
            *dialled = Some(connection.address.socket_address());
            let answer = {
                let head =
                    pin!(connection.send(target, fields, outgoing, &visit.context.policy.limits,));
                self.timer.run_within(FailurePhase::Head, visit.phases.head, head).await?
            };
            match answer {
                Ok(response) => {
                    return Ok(HopResponse { response, connection, pool_entry, slots });
                }
                // The host may have closed a pooled connection while it was idle. That says nothing
                // about the host, so the request is repeated on a new connection, unless the host
                // may have acted on it and acting twice is not the same as acting once.
                Err(SendFailure { failure, unsent })
                    if connection.reused
                        && failure.kind == FailureKind::Protocol
                        && (unsent || outgoing.is_repeatable()) =>
                {
                    fresh = true;
                }
                Err(SendFailure { failure, .. }) => return Err(failure),
            }
        }
    }

    /// Connects to the first vetted address that accepts, then starts TLS if the URL needs it.
    async fn open_connection(
        &self,
        target: &CheckedTarget,
        addresses: &[VettedAddress],
        host: &HostState,
        dialled: &mut Option<SocketAddr>,
    ) -> Result<Connection, Failure> {
        let OpenSocket { stream, address, lease } = self.connect(addresses, dialled).await?;
        *dialled = Some(address.socket_address());
        *lock(&host.last_connected) = Some(address.socket_address().ip());
        if !target.tls {
            let limits = &self.visit.context.policy.limits;
            let opened = Connection::http1(stream, address, None, limits).await;
            return opened.map(|connection| connection.with_lease(lease));
        }
        self.start_tls(target, OpenSocket { stream, address, lease }).await
    }

    /// Dials the addresses as RFC 8305 describes. On failure, `dialled` is the address that failed
    /// last.
    async fn connect(
        &self,
        addresses: &[VettedAddress],
        dialled: &mut Option<SocketAddr>,
    ) -> Result<OpenSocket, Failure> {
        let delay = attempt_delay(self.visit.phases.connect);
        let race = race_attempts(addresses, delay, self.timer, |address, others| {
            // A further attempt may save time, but does not wait for a connection to be closed:
            // others need it more, and the attempt that holds one could wait for itself.
            let lease = match others {
                OtherAttempts::None => None,
                OtherAttempts::InProgress => {
                    Some(self.visit.try_lease_connection(address.socket_address().ip())?)
                }
            };
            Some(self.attempt(*address, lease))
        });
        race.await.map_err(|failures| {
            if let Some(address) = failures.iter().rev().find_map(|failed| failed.address) {
                *dialled = Some(address);
            }
            let last = failures.into_iter().next_back().map(|failed| failed.failure);
            last.unwrap_or_else(|| deadline_failure(FailurePhase::Connect))
        })
    }

    /// Dials one address. Without a lease it waits for one first.
    async fn attempt(
        &self,
        address: VettedAddress,
        lease: Option<ConnectionLease>,
    ) -> Result<OpenSocket, ConnectFailure> {
        let lease = match lease {
            Some(lease) => lease,
            None => {
                let leasing = pin!(self.visit.lease_connection(address.socket_address().ip()));
                let leased = self.timer.run_before_deadline(FailurePhase::Connect, leasing).await;
                let Ok(Ok(lease)) = leased else {
                    return Err(ConnectFailure { address: None, failure: target_limit_failure() });
                };
                lease
            }
        };
        let source = self.visit.context.policy.source_address;
        let dialling = pin!(dial::dial(address, source));
        let limit = self.visit.phases.connect;
        let dialled = self.timer.run_within(FailurePhase::Connect, limit, dialling).await;
        match dialled.and_then(|dialled| dialled.map_err(|error| connect_failure(&error))) {
            Ok(stream) => Ok(OpenSocket { stream, address, lease }),
            Err(failure) => {
                Err(ConnectFailure { address: Some(address.socket_address()), failure })
            }
        }
    }

    async fn start_tls(
        &self,
        target: &CheckedTarget,
        socket: OpenSocket,
    ) -> Result<Connection, Failure> {
        let limits = &self.visit.context.policy.limits;
        let address = socket.address;
        let name = ServerName::try_from(target.host.as_str().to_owned()).map_err(|_| {
            new_failure(
                FailureKind::Tls,
                FailurePhase::Tls,
                "bad_server_name",
                "The host name is not valid as a TLS server name.",
            )
        })?;
        // The computations of a handshake take longer than everything else of a read together. In a
        // task of its own they run beside those of the other reads of the visit. Dropping the set
        // ends the task.
        let mut handshake = JoinSet::new();
        let context = Arc::clone(&self.visit.context);
        let checked = Arc::clone(&self.visit.checked_certificates);
        handshake.spawn(shake_hands(context, checked, name, socket));
        let finished = pin!(handshake.join_next());
        let finished =
            self.timer.run_within(FailurePhase::Tls, self.visit.phases.tls, finished).await?;
        let Some(Ok(result)) = finished else {
            return Err(handshake_failure(&io::Error::other("the handshake was not finished")));
        };
        let TlsSession { stream, facts, lease } = result?;
        if self.trusted_only && !facts.trusted {
            return Err(new_failure(
                FailureKind::Tls,
                FailurePhase::Tls,
                "untrusted_certificate",
                "The certificate of the host is not valid for its name.",
            ));
        }
        let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        let facts = Some(Arc::new(facts));
        let stream = EofTolerantStream(stream);
        let opened = if http2 {
            let http2_setup = pin!(Connection::http2(stream, address, facts, limits));
            self.timer.run_within(FailurePhase::Head, self.visit.phases.head, http2_setup).await?
        } else {
            Connection::http1(stream, address, facts, limits).await
        };
        opened.map(|connection| connection.with_lease(lease))
    }
}

/// A finished handshake. The lease is kept with the socket, so that it counts until the socket is
/// closed.
struct TlsSession {
    stream: TlsStream<TcpStream>,
    facts: TlsFacts,
    lease: ConnectionLease,
}

async fn shake_hands(
    context: Arc<DoorContext>,
    checked: Arc<CheckedCertificates>,
    name: ServerName<'static>,
    OpenSocket { stream, lease, .. }: OpenSocket,
) -> Result<TlsSession, Failure> {
    let connecting = context.tls.connector().connect(name.clone(), stream);
    let stream = connecting.await.map_err(|error| handshake_failure(&error))?;
    let facts = context.tls.facts(stream.get_ref().1, &name, context.clock.now(), &checked);
    Ok(TlsSession { stream, facts, lease })
}

/// A socket that accepted a connection, and the lease that counts it.
struct OpenSocket {
    stream: TcpStream,
    address: VettedAddress,
    lease: ConnectionLease,
}

/// Why an address was not connected to.
struct ConnectFailure {
    /// `None` if nothing was dialled.
    address: Option<SocketAddr>,
    failure: Failure,
}

/// Returns a connection to the pool. If other reads wait for one to the same target, it is
/// closed instead.
pub(crate) fn release_connection(
    visit: &VisitState,
    at_end: bool,
    connection: Connection,
    pool_entry: &PoolEntry,
) {
    let address = connection.address.socket_address().ip();
    let awaited = visit.context.targets.has_waiting_reads(address);
    if at_end && !awaited {
        pool_entry.release(connection);
        return;
    }
    drop(connection);
    if awaited {
        pool_entry.close_idle();
    }
}
