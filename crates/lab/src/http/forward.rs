//! Sites that lead to a server outside the lab, as a proxy that ends TLS does.

use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// Copies bytes in both directions until one side ends. Without a target the connection is closed.
#[expect(clippy::disallowed_methods, reason = "the lab leads to a server that a test started")]
pub(super) async fn serve<S>(mut stream: S, target: Option<SocketAddr>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let Some(target) = target else { return };
    let Ok(mut server) = TcpStream::connect(target).await else { return };
    let _ = tokio::io::copy_bidirectional(&mut stream, &mut server).await;
}
