//! Finding ports, and opening sockets on them.
//!
//! A lab keeps each of its ports for itself by listening on it at the trap's address for as long as
//! it lives. Whoever holds that listener may open the port on every other lab address later.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use tokio::net::{TcpListener, TcpSocket, UdpSocket};

use crate::LabError;

/// Where the name server listens.
pub(crate) const RESOLVER: Ipv4Addr = Ipv4Addr::new(127, 77, 0, 53);
/// Outside the network that a service is allowed to read.
pub(crate) const TRAP: Ipv4Addr = Ipv4Addr::new(127, 88, 0, 1);

const TRIES: usize = 64;
const BACKLOG: u32 = 1024;

/// Opens one listener. Must run inside a runtime.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A port is free again at once when a lab stops, whatever connections are still winding down.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Takes one web port (0: any that is free) on every trap address: 127.88.0.1, 127.0.0.1 and,
/// where the machine has IPv6, ::1.
pub(crate) fn take_web_port(wanted: u16) -> Result<(u16, Vec<TcpListener>), LabError> {
    for _ in 0..TRIES {
        let address = SocketAddr::new(IpAddr::V4(TRAP), wanted);
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
            // Without IPv6 nothing can dial ::1 either; a port the caller chose is worth having
            // even when somebody else has it on ::1.
            Err(_) => return Ok((port, vec![first, second])),
        }
    }
    Err(LabError::NoFreePort)
}

/// The name server's two sockets, on one port.
pub(crate) async fn take_dns_port(wanted: u16) -> Result<(UdpSocket, TcpListener), LabError> {
    for _ in 0..TRIES {
        let address = SocketAddr::new(IpAddr::V4(RESOLVER), wanted);
        let failed = |source| LabError::Listen { address, source };
        let tcp = listen(address).map_err(failed)?;
        let port = tcp.local_addr().map_err(failed)?.port();
        match bind_udp(SocketAddr::new(IpAddr::V4(RESOLVER), port)).await {
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
