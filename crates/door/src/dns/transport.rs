//! Packets to and from a name server: UDP, and TCP for what does not fit.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Mutex;

use contract::evidence::{Failure, FailureKind, Phase};
use hickory_proto::op::{Message, ResponseCode};
use hickory_proto::rr::Name;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::{Instant, timeout_at};

use super::RecordType;
use super::message::{Question, UDP_PAYLOAD};
use crate::failure::{failure, phase_timeout};
use crate::http::pool::lock;

/// The server's message, or why there is none.
pub(super) type Reply = Result<Box<Message>, Failure>;

/// Packets that are not ours before we stop listening: somebody is guessing.
const STRAY_PACKETS: usize = 64;

pub(super) fn no_answer() -> Failure {
    phase_timeout(Phase::Dns)
}

/// Silence and a server that could not do it are worth a second try; a plain answer is not.
pub(super) fn worth_asking_again(reply: &Reply) -> bool {
    match reply {
        Err(_) => true,
        Ok(message) => {
            matches!(message.metadata.response_code, ResponseCode::ServFail | ResponseCode::Refused)
        }
    }
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

/// Asks one server several questions once, from one socket; replies come in the same order.
pub(super) async fn ask(
    sockets: &Sockets,
    server: SocketAddr,
    questions: Vec<(Name, RecordType)>,
    until: Instant,
) -> Vec<Reply> {
    let ids = random_ids(questions.len());
    let questions: Vec<Question> = questions
        .into_iter()
        .zip(ids)
        .map(|((name, kind), id)| Question { id, name, kind })
        .collect();
    let mut replies: Vec<Option<Reply>> = questions.iter().map(|_| None).collect();
    let left = match timeout_at(until, over_udp(sockets, server, &questions, &mut replies)).await {
        Ok(Err(error)) => unreachable(&error),
        Ok(Ok(())) | Err(_) => no_answer(),
    };
    let mut out = Vec::with_capacity(replies.len());
    for (question, reply) in questions.iter().zip(replies) {
        out.push(match reply {
            None => Err(left.clone()),
            Some(Ok(message)) if message.metadata.truncation => {
                match timeout_at(until, over_tcp(server, question)).await {
                    Err(_) => Err(no_answer()),
                    Ok(Err(error)) => Err(unreachable(&error)),
                    Ok(Ok(None)) => Err(malformed()),
                    Ok(Ok(Some(message))) => Ok(message),
                }
            }
            Some(reply) => reply,
        });
    }
    out
}

/// Ids come from the system's generator: whoever cannot see the question must guess them, and the
/// source port besides.
fn random_ids(count: usize) -> Vec<u16> {
    let mut bytes = vec![0; count * 2];
    // The generator of the crypto library fails only when the system has none; then every TLS
    // handshake fails as well, and a fixed id is the least of it.
    let _ = aws_lc_rs::rand::fill(&mut bytes);
    bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect()
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

async fn over_udp(
    sockets: &Sockets,
    server: SocketAddr,
    questions: &[Question],
    replies: &mut [Option<Reply>],
) -> io::Result<()> {
    let socket = match sockets.take(server) {
        Some(socket) => socket,
        None => socket(server).await?,
    };
    for question in questions {
        socket.send(&question.encode()).await?;
    }
    let mut packet = [0; UDP_PAYLOAD as usize];
    let mut stray = 0;
    while replies.iter().any(Option::is_none) && stray < STRAY_PACKETS {
        let length = socket.recv(&mut packet).await?;
        let packet = packet.get(..length).unwrap_or_default();
        let found = questions.iter().zip(replies.iter_mut()).find_map(|(question, reply)| {
            let message = question.decode(packet).filter(|_| reply.is_none())?;
            Some((reply, message))
        });
        match found {
            Some((reply, message)) => *reply = Some(Ok(Box::new(message))),
            None => stray += 1,
        }
    }
    if stray == 0 {
        sockets.give_back(server, socket);
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the door asks the operator's resolver, only it")]
async fn over_tcp(server: SocketAddr, question: &Question) -> io::Result<Option<Box<Message>>> {
    let question =
        Question { id: random_ids(1).first().copied().unwrap_or_default(), ..question.clone() };
    let packet = question.encode();
    let Ok(length) = u16::try_from(packet.len()) else { return Ok(None) };
    let mut stream = TcpStream::connect(server).await?;
    let mut framed = length.to_be_bytes().to_vec();
    framed.extend_from_slice(&packet);
    stream.write_all(&framed).await?;
    let length = stream.read_u16().await?;
    let mut packet = vec![0; usize::from(length)];
    stream.read_exact(&mut packet).await?;
    Ok(question.decode(&packet).map(Box::new))
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
