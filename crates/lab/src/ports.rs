//! Finds free ports and opens sockets on them.
//!
//! A lab reserves each of its ports by listening on it at the trap's address for as long as it
//! runs. It may then open the same port on every other lab address later.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use tokio::net::{TcpListener, TcpSocket, UdpSocket};

use crate::LabError;

/// The address of the name server.
pub(crate) const RESOLVER_ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 77, 0, 53);
/// The address of the trap, outside the network that a service may read.
pub(crate) const TRAP_ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 88, 0, 1);

const TRIES: usize = 64;
const BACKLOG: u32 = 1024;

/// The ports of one lab.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ports {
    pub(crate) http: u16,
    pub(crate) https: u16,
    /// A port on which only the trap listens.
    pub(crate) trap_only: u16,
}

/// Opens one listener. Must be called inside a runtime.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    listen_with_send_buffer(address, None)
}

/// The same for connections that hold at most about this many bytes that the client does not read.
pub(crate) fn listen_with_send_buffer(
    address: SocketAddr,
    send_buffer: Option<u32>,
) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    if let Some(bytes) = send_buffer {
        socket.set_send_buffer_size(bytes)?;
    }
    // Makes the port available again as soon as a lab stops, even if connections are still closing.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Reserves one web port (0: any free port) on every trap address: 127.88.0.1, 127.0.0.1 and, if
/// the machine has IPv6, ::1.
pub(crate) fn take_web_port(wanted: u16) -> Result<(u16, Vec<TcpListener>), LabError> {
    for _ in 0..TRIES {
        let address = SocketAddr::new(IpAddr::V4(TRAP_ADDRESS), wanted);
        let first = listen(address).map_err(|source| {
            if source.kind() == io::ErrorKind::AddrNotAvailable {
                LabError::Loopback(source)
            } else {
                LabError::Listen { address, source }
            }
        })?;
        let port =
            first.local_addr().map_err(|source| LabError::Listen { address, source })?.port();
        let loopback = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
        let second = match listen(loopback) {
            Ok(listener) => listener,
            Err(source) if wanted != 0 => {
                return Err(LabError::Listen { address: loopback, source });
            }
            Err(_) => continue,
        };
        let loopback = SocketAddr::new(IpAddr::V6(Ipv6Addr::LOCALHOST), port);
        match listen(loopback) {
            Ok(third) => return Ok((port, vec![first, second, third])),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && wanted == 0 => {}
            // Without IPv6 nothing can dial ::1 either. A port that the caller chose is used even
            // if another process has it on ::1.
            Err(_) => return Ok((port, vec![first, second])),
        }
    }
    Err(LabError::NoFreePort)
}

/// Opens the name server's UDP and TCP sockets on one port.
pub(crate) async fn take_dns_port(wanted: u16) -> Result<(UdpSocket, TcpListener), LabError> {
    for _ in 0..TRIES {
        let address = SocketAddr::new(IpAddr::V4(RESOLVER_ADDRESS), wanted);
        let failed = |source| LabError::Listen { address, source };
        let tcp = listen(address).map_err(failed)?;
        let port = tcp.local_addr().map_err(failed)?.port();
        match bind_udp(SocketAddr::new(IpAddr::V4(RESOLVER_ADDRESS), port)).await {
            Ok(udp) => return Ok((udp, tcp)),
            Err(source) if wanted != 0 => return Err(LabError::Listen { address, source }),
            Err(_) => {}
        }
    }
    Err(LabError::NoFreePort)
}

#[expect(clippy::disallowed_methods, reason = "the lab's name server speaks UDP")]
async fn bind_udp(address: SocketAddr) -> io::Result<UdpSocket> {
    UdpSocket::bind(address).await
}
