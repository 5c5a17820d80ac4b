//! Sends questions to a name server: over UDP, and over TCP if the answer does not fit.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::sync::Mutex;

use contract::evidence::{Failure, FailureKind, FailurePhase};
use hickory_proto::op::{Message, ResponseCode};
use hickory_proto::rr::Name;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::Instant;

use super::message::{Question, UDP_PAYLOAD};
use super::record_type::RecordType;
use crate::failure::{new_failure, phase_timeout};
use crate::mutex::lock;
use crate::read_timer::ReadTimer;

/// The server's message, or why there is none.
pub(super) type DnsReply = Result<Message, Failure>;

/// A question and the reply to it, once there is one.
#[derive(Debug)]
pub(super) struct PendingQuery {
    question: Question,
    /// The reply of the last try that got one.
    reply: Option<DnsReply>,
    /// Whether this try still has no reply.
    awaiting_reply: bool,
}

impl PendingQuery {
    pub(super) fn new(name: Name, kind: RecordType) -> Self {
        Self { question: Question { id: 0, name, kind }, reply: None, awaiting_reply: false }
    }

    /// Whether to ask again: no reply, SERVFAIL and REFUSED are worth another try; any other answer
    /// is final.
    pub(super) fn needs_another_try(&self) -> bool {
        match &self.reply {
            None | Some(Err(_)) => true,
            Some(Ok(message)) => matches!(
                message.metadata.response_code,
                ResponseCode::ServFail | ResponseCode::Refused
            ),
        }
    }

    pub(super) fn into_reply(self) -> DnsReply {
        self.reply.unwrap_or_else(|| Err(no_answer_failure()))
    }

    /// Records the result of one try. A failed try does not overwrite the message of an earlier
    /// one.
    fn record_reply(&mut self, reply: DnsReply) {
        self.awaiting_reply = false;
        if reply.is_ok() || !matches!(self.reply, Some(Ok(_))) {
            self.reply = Some(reply);
        }
    }
}

/// Stop listening after this many foreign packets: somebody is guessing message ids.
const MAX_STRAY_PACKETS: usize = 64;

pub(super) fn no_answer_failure() -> Failure {
    phase_timeout(FailurePhase::Dns)
}

/// UDP sockets to name servers.
///
/// A socket is used for one look-up and then closed, so that whoever wants to forge an answer must
/// guess its port. Only sockets to a resolver on this machine are kept: nobody outside can send to
/// a loopback address.
#[derive(Debug, Default)]
pub(super) struct IdleSockets {
    /// Sockets with no unanswered question. Any look-up may take or return one; the mutex guards
    /// the list and is never held across an await.
    idle: Mutex<Vec<(SocketAddr, UdpSocket)>>,
}

/// The most idle sockets that are kept.
const MAX_IDLE: usize = 64;

impl IdleSockets {
    fn take_idle(&self, server: SocketAddr) -> Option<UdpSocket> {
        let mut idle = lock(&self.idle);
        let at = idle.iter().position(|(to, _)| *to == server)?;
        Some(idle.swap_remove(at).1)
    }

    fn release(&self, server: SocketAddr, socket: UdpSocket) {
        let mut idle = lock(&self.idle);
        if server.ip().is_loopback() && idle.len() < MAX_IDLE {
            idle.push((server, socket));
        }
    }
}

/// Sends every question that needs another try to one server, once, from one socket.
pub(super) async fn ask_server(
    sockets: &IdleSockets,
    server: SocketAddr,
    round: &mut [PendingQuery],
    until: Instant,
    timer: &ReadTimer,
) {
    for query in round.iter_mut().filter(|query| query.needs_another_try()) {
        query.awaiting_reply = true;
        query.question.id = random_id();
    }
    let udp_result = timer.run_until(until, pin!(ask_over_udp(sockets, server, round))).await;
    for query in round {
        if query.awaiting_reply {
            query.record_reply(Err(match &udp_result {
                Some(Err(error)) => unreachable_failure(error),
                Some(Ok(())) | None => no_answer_failure(),
            }));
        } else if matches!(&query.reply, Some(Ok(message)) if message.metadata.truncation) {
            let asking = pin!(ask_over_tcp(server, &query.question));
            query.reply = Some(match timer.run_until(until, asking).await {
                None => Err(no_answer_failure()),
                Some(Err(error)) => Err(unreachable_failure(&error)),
                Some(Ok(None)) => Err(malformed_failure()),
                Some(Ok(Some(message))) => Ok(message),
            });
        }
    }
}

/// Ids come from the system's random generator: whoever cannot see the question must guess the id
/// and the source port.
fn random_id() -> u16 {
    let mut id = [0; 2];
    // The generator fails only if the system has none. Then every TLS handshake fails as well, so a
    // fixed id does no further harm.
    let _ = aws_lc_rs::rand::fill(&mut id);
    u16::from_be_bytes(id)
}

/// Opens a socket on a random port and connects it, so that the kernel drops packets from anyone
/// but the server.
#[expect(
    clippy::disallowed_methods,
    reason = "door asks the operator's resolver and no other address"
)]
async fn open_socket(server: SocketAddr) -> io::Result<UdpSocket> {
    let local: SocketAddr = match server {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(local).await?;
    socket.connect(server).await?;
    Ok(socket)
}

async fn ask_over_udp(
    sockets: &IdleSockets,
    server: SocketAddr,
    round: &mut [PendingQuery],
) -> io::Result<()> {
    let socket = match sockets.take_idle(server) {
        Some(socket) => socket,
        None => open_socket(server).await?,
    };
    for query in round.iter().filter(|query| query.awaiting_reply) {
        socket.send(&query.question.encode()).await?;
    }
    let mut packet = [0; UDP_PAYLOAD as usize];
    let mut stray = 0;
    while round.iter().any(|query| query.awaiting_reply) && stray < MAX_STRAY_PACKETS {
        let length = socket.recv(&mut packet).await?;
        let packet = packet.get(..length).unwrap_or_default();
        let found = round.iter_mut().filter(|query| query.awaiting_reply).find_map(|query| {
            let message = query.question.decode(packet)?;
            Some((query, message))
        });
        match found {
            Some((query, message)) => query.record_reply(Ok(message)),
            None => stray += 1,
        }
    }
    if stray == 0 {
        sockets.release(server, socket);
    }
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "door asks the operator's resolver and no other address"
)]
async fn ask_over_tcp(server: SocketAddr, question: &Question) -> io::Result<Option<Message>> {
    let question = Question { id: random_id(), ..question.clone() };
    let packet = question.encode();
    let Ok(length) = u16::try_from(packet.len()) else { return Ok(None) };
    let mut stream = TcpStream::connect(server).await?;
    let mut framed = length.to_be_bytes().to_vec();
    framed.extend_from_slice(&packet);
    stream.write_all(&framed).await?;
    let length = stream.read_u16().await?;
    let mut packet = vec![0; usize::from(length)];
    stream.read_exact(&mut packet).await?;
    Ok(question.decode(&packet))
}

fn unreachable_failure(error: &io::Error) -> Failure {
    let reason = match error.kind() {
        io::ErrorKind::ConnectionRefused => "resolver_refused",
        _ => "resolver_unreachable",
    };
    new_failure(FailureKind::Dns, FailurePhase::Dns, reason, "The DNS resolver cannot be reached.")
}

fn malformed_failure() -> Failure {
    new_failure(
        FailureKind::Dns,
        FailurePhase::Dns,
        "bad_dns_message",
        "The resolver's answer is not a valid DNS message.",
    )
}
