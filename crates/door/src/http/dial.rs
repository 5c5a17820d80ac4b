//! Sockets to vetted addresses. The only place of this project that connects to an address a
//! stranger chose.

use std::io;
use std::net::{IpAddr, SocketAddr};

use tokio::net::{TcpSocket, TcpStream};

use crate::guard::address::Vetted;

/// Connects to exactly this address, and makes sure that it did.
#[expect(clippy::disallowed_methods, reason = "the address was vetted: its type says so")]
pub(crate) async fn dial(address: Vetted, source: Option<IpAddr>) -> io::Result<TcpStream> {
    let address = address.socket();
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    if let Some(source) = source {
        socket.bind(SocketAddr::new(source, 0))?;
    }
    let stream = socket.connect(address).await?;
    if stream.peer_addr()? != address {
        return Err(io::Error::other("the peer is not the address that was dialled"));
    }
    stream.set_nodelay(true)?;
    Ok(stream)
}
