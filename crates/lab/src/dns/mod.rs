//! The lab's name server: authoritative for `.lab`, the reverse zones and the operators' zones of
//! [`crate::reverse_dns`], and at the same time the recursive resolver that a service uses. UDP and
//! TCP.

mod answer;
mod zone;

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use hickory_proto::op::Message;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, UdpSocket},
};

use self::{
    answer::{ReplyTiming, Transport},
    zone::Zone,
};
use crate::{
    http,
    lab_state::{LabState, pause_after_error},
};

/// Starts the name server.
pub(crate) fn start(udp: UdpSocket, tcp: TcpListener, world: &Arc<LabState>) {
    let server = Arc::new(Server { zone: Zone::new(world), world: Arc::clone(world) });
    world.tasks.spawn(serve_udp(Arc::new(udp), Arc::clone(&server)));
    world.tasks.spawn(serve_tcp(tcp, server));
}

#[derive(Debug)]
struct Server {
    zone: Zone,
    world: Arc<LabState>,
}

impl Server {
    /// The reply to one message, after the delay of its name. `None` for messages that are not
    /// queries and for names that never answer.
    async fn reply(&self, bytes: &[u8], transport: Transport) -> Option<Vec<u8>> {
        let query = Message::from_vec(bytes).ok()?;
        let answer = answer::prepare_reply(&self.zone, &query, transport)?;
        for address in &answer.lab_addresses {
            if let Err(error) = http::open_site(&self.world, *address) {
                tracing::error!(%address, error, "cannot open the sockets of a lab site");
            }
        }
        match answer.timing {
            ReplyTiming::Immediate => {}
            ReplyTiming::Late(milliseconds) => {
                tokio::time::sleep(Duration::from_millis(milliseconds)).await;
            }
            ReplyTiming::Silent => return None,
        }
        Some(answer.bytes)
    }
}

/// The longest query that is read.
const MAX_QUERY_BYTES: usize = 4096;

async fn serve_udp(socket: Arc<UdpSocket>, server: Arc<Server>) {
    let mut buffer = [0; MAX_QUERY_BYTES];
    loop {
        let Ok((length, from)) = socket.recv_from(&mut buffer).await else {
            pause_after_error().await;
            continue;
        };
        let query = buffer.get(..length).unwrap_or_default().to_vec();
        server.world.tasks.spawn(answer_udp(Arc::clone(&socket), from, query, Arc::clone(&server)));
    }
}

async fn answer_udp(socket: Arc<UdpSocket>, from: SocketAddr, query: Vec<u8>, server: Arc<Server>) {
    if let Some(reply) = server.reply(&query, Transport::Udp).await {
        let _ = socket.send_to(&reply, from).await;
    }
}

async fn serve_tcp(listener: TcpListener, server: Arc<Server>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            pause_after_error().await;
            continue;
        };
        let connection = Arc::clone(&server);
        server.world.tasks.spawn(async move {
            // It does not matter if the client disconnects.
            let _ = answer_tcp(stream, connection).await;
        });
    }
}

async fn answer_tcp(mut stream: TcpStream, server: Arc<Server>) -> io::Result<()> {
    loop {
        let length = usize::from(stream.read_u16().await?);
        let mut query = vec![0; length];
        stream.read_exact(&mut query).await?;
        if let Some(reply) = server.reply(&query, Transport::Tcp).await {
            let mut framed = u16::try_from(reply.len()).unwrap_or(u16::MAX).to_be_bytes().to_vec();
            framed.extend(reply);
            stream.write_all(&framed).await?;
        }
    }
}
