//! Packets to and from a name server: UDP, and TCP for what does not fit.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::sync::Mutex;

use contract::evidence::{Failure, FailureKind, Phase};
use hickory_proto::op::{Message, ResponseCode};
use hickory_proto::rr::Name;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::Instant;

use super::RecordType;
use super::message::{Question, UDP_PAYLOAD};
use crate::failure::{failure, phase_timeout};
use crate::http::pool::lock;
use crate::watch::Watch;

/// The server's message, or why there is none.
pub(super) type Reply = Result<Message, Failure>;

/// A question on its way to a reply.
#[derive(Debug)]
pub(super) struct Asked {
    question: Question,
    /// Of the last try that brought one.
    reply: Option<Reply>,
    /// Whether this try is still without a reply.
    waiting: bool,
}

impl Asked {
    pub(super) fn new(name: Name, kind: RecordType) -> Self {
        Self { question: Question { id: 0, name, kind }, reply: None, waiting: false }
    }

    /// Silence and a server that could not do it are worth a second try; a plain answer is not.
    pub(super) fn is_worth_asking(&self) -> bool {
        match &self.reply {
            None | Some(Err(_)) => true,
            Some(Ok(message)) => matches!(
                message.metadata.response_code,
                ResponseCode::ServFail | ResponseCode::Refused
            ),
        }
    }

    pub(super) fn into_reply(self) -> Reply {
        self.reply.unwrap_or_else(|| Err(no_answer()))
    }

    /// A try that brings nothing does not wipe out what an earlier one brought.
    fn settle(&mut self, reply: Reply) {
        self.waiting = false;
        if reply.is_ok() || !matches!(self.reply, Some(Ok(_))) {
            self.reply = Some(reply);
        }
    }
}

/// Packets that are not ours before we stop listening: somebody is guessing.
const STRAY_PACKETS: usize = 64;

pub(super) fn no_answer() -> Failure {
    phase_timeout(Phase::Dns)
}

/// Sockets to name servers.
///
/// A socket is used for one look-up and closed, so that its port must be guessed by whoever wants
/// to forge an answer. Only those to a resolver on this very machine are kept: nobody outside it
/// can send to a loopback address.
#[derive(Debug, Default)]
pub(super) struct Sockets {
    /// Every question sent from these was answered.
    idle: Mutex<Vec<(SocketAddr, UdpSocket)>>,
}

/// Idle sockets that are kept.
const MOST_IDLE: usize = 64;

impl Sockets {
    fn take(&self, server: SocketAddr) -> Option<UdpSocket> {
        let mut idle = lock(&self.idle);
        let at = idle.iter().position(|(to, _)| *to == server)?;
        Some(idle.swap_remove(at).1)
    }

    fn give_back(&self, server: SocketAddr, socket: UdpSocket) {
        let mut idle = lock(&self.idle);
        if server.ip().is_loopback() && idle.len() < MOST_IDLE {
            idle.push((server, socket));
        }
    }
}

/// Asks one server once what is worth asking, all of it from one socket.
pub(super) async fn ask(
    sockets: &Sockets,
    server: SocketAddr,
    round: &mut [Asked],
    until: Instant,
    watch: &Watch,
) {
    for asked in round.iter_mut().filter(|asked| asked.is_worth_asking()) {
        asked.waiting = true;
        asked.question.id = random_id();
    }
    let ended = watch.until(until, pin!(over_udp(sockets, server, round))).await;
    for asked in round {
        if asked.waiting {
            asked.settle(Err(match &ended {
                Some(Err(error)) => unreachable(error),
                Some(Ok(())) | None => no_answer(),
            }));
        } else if matches!(&asked.reply, Some(Ok(message)) if message.metadata.truncation) {
            let asking = pin!(over_tcp(server, &asked.question));
            asked.reply = Some(match watch.until(until, asking).await {
                None => Err(no_answer()),
                Some(Err(error)) => Err(unreachable(&error)),
                Some(Ok(None)) => Err(malformed()),
                Some(Ok(Some(message))) => Ok(message),
            });
        }
    }
}

/// Ids come from the system's generator: whoever cannot see the question must guess them, and the
/// source port besides.
fn random_id() -> u16 {
    let mut id = [0; 2];
    // The generator of the crypto library fails only when the system has none; then every TLS
    // handshake fails as well, and a fixed id is the least of it.
    let _ = aws_lc_rs::rand::fill(&mut id);
    u16::from_be_bytes(id)
}

/// A socket on a port the system picks at random, connected, so that the kernel drops packets of
/// everybody but the server.
#[expect(clippy::disallowed_methods, reason = "the door asks the operator's resolver, only it")]
async fn socket(server: SocketAddr) -> io::Result<UdpSocket> {
    let any: SocketAddr = match server {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any).await?;
    socket.connect(server).await?;
    Ok(socket)
}

async fn over_udp(sockets: &Sockets, server: SocketAddr, round: &mut [Asked]) -> io::Result<()> {
    let socket = match sockets.take(server) {
        Some(socket) => socket,
        None => socket(server).await?,
    };
    for asked in round.iter().filter(|asked| asked.waiting) {
        socket.send(&asked.question.encode()).await?;
    }
    let mut packet = [0; UDP_PAYLOAD as usize];
    let mut stray = 0;
    while round.iter().any(|asked| asked.waiting) && stray < STRAY_PACKETS {
        let length = socket.recv(&mut packet).await?;
        let packet = packet.get(..length).unwrap_or_default();
        let found = round.iter_mut().filter(|asked| asked.waiting).find_map(|asked| {
            let message = asked.question.decode(packet)?;
            Some((asked, message))
        });
        match found {
            Some((asked, message)) => asked.settle(Ok(message)),
            None => stray += 1,
        }
    }
    if stray == 0 {
        sockets.give_back(server, socket);
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the door asks the operator's resolver, only it")]
async fn over_tcp(server: SocketAddr, question: &Question) -> io::Result<Option<Message>> {
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

fn unreachable(error: &io::Error) -> Failure {
    let reason = match error.kind() {
        io::ErrorKind::ConnectionRefused => "resolver_refused",
        _ => "resolver_unreachable",
    };
    failure(FailureKind::Dns, Phase::Dns, reason, "The resolver cannot be reached.")
}

fn malformed() -> Failure {
    failure(
        FailureKind::Dns,
        Phase::Dns,
        "bad_dns_message",
        "The resolver's answer is not a valid DNS message.",
    )
}
