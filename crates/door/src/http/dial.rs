//! Opens sockets to vetted addresses. This is the only place in the project that connects to an
//! address chosen by a third party.

use std::io;
use std::net::{IpAddr, SocketAddr};

use tokio::net::{TcpSocket, TcpStream};

use crate::guard::address::VettedAddress;

/// What the system accepts on a connection before we read it. Enough for two megabytes a second from
/// the other side of the world.
const RECEIVE_BUFFER_BYTES: u32 = 256 * 1024;

/// Connects to exactly this address, and checks that the peer is that address.
#[expect(clippy::disallowed_methods, reason = "the type guarantees that the address was vetted")]
pub(crate) async fn dial(address: VettedAddress, source: Option<IpAddr>) -> io::Result<TcpStream> {
    let address = address.socket_address();
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    if let Some(source) = source {
        socket.bind(SocketAddr::new(source, 0))?;
    }
    // Bounds what a host can send us beyond what we read. Without it the reads still work.
    let _ = socket.set_recv_buffer_size(RECEIVE_BUFFER_BYTES);
    let stream = socket.connect(address).await?;
    if stream.peer_addr()? != address {
        return Err(io::Error::other("the peer address differs from the dialled address"));
    }
    stream.set_nodelay(true)?;
    Ok(stream)
}
