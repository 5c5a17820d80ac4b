//! The lab's name server: authoritative for `.lab` and the lab's own reverse zone, and the
//! recursive resolver that a service is pointed at, in one. UDP and TCP.

mod answer;
mod zone;

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use hickory_proto::op::Message;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, UdpSocket},
};

use self::{
    answer::{Manner, Transport},
    zone::Zone,
};
use crate::{
    http,
    world::{World, breathe},
};

/// Starts answering.
pub(crate) fn run(udp: UdpSocket, tcp: TcpListener, world: &Arc<World>) {
    let server = Arc::new(Server { zone: Zone::new(world), world: Arc::clone(world) });
    world.tasks.spawn(serve_udp(Arc::new(udp), Arc::clone(&server)));
    world.tasks.spawn(serve_tcp(tcp, server));
}

#[derive(Debug)]
struct Server {
    zone: Zone,
    world: Arc<World>,
}

impl Server {
    /// The reply to one message, after whatever delay its name asks for. Nothing for what is not a
    /// query, and for names that never answer.
    async fn reply(&self, bytes: &[u8], transport: Transport) -> Option<Vec<u8>> {
        let query = Message::from_vec(bytes).ok()?;
        let answer = answer::answer(&self.zone, &query, transport)?;
        for address in &answer.lab_addresses {
            if let Err(error) = http::open(&self.world, *address) {
                tracing::error!(%address, error, "a lab site cannot be opened");
            }
        }
        match answer.manner {
            Manner::Prompt => {}
            Manner::Late(milliseconds) => {
                tokio::time::sleep(Duration::from_millis(milliseconds)).await;
            }
            Manner::Silent => return None,
        }
        Some(answer.bytes)
    }
}

/// Longer queries than this are nobody's.
const MAX_QUERY: usize = 4096;

async fn serve_udp(socket: Arc<UdpSocket>, server: Arc<Server>) {
    let mut buffer = [0; MAX_QUERY];
    loop {
        let Ok((length, from)) = socket.recv_from(&mut buffer).await else {
            breathe().await;
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
            breathe().await;
            continue;
        };
        let connection = Arc::clone(&server);
        server.world.tasks.spawn(async move {
            // An asker that hangs up is none of the lab's business.
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
