//! Bytes of our own choice: for everything that an honest HTTP server would never send.

use std::{io, time::Duration};

use bytes::Bytes;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::server::TlsStream;

use super::{Ask, pages::Visit};
use crate::Hit;

/// One thing to do on a connection. After the last step it is closed properly.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Send(Bytes),
    /// The same bytes again and again.
    Repeat(Bytes, u64),
    /// One byte at a time, with this pause before each.
    Drip(Bytes, Duration),
    /// Nothing more, until the other side gives up.
    Stall,
    /// Waits for the first bytes of the other side, whatever they are.
    Read,
    /// Ends the connection with a TCP reset.
    Reset,
}

/// A connection whose TCP socket can be reached, below TLS or not.
pub(super) trait Connection: AsyncRead + AsyncWrite + Unpin {
    fn socket(&self) -> &TcpStream;
}

impl Connection for TcpStream {
    fn socket(&self) -> &TcpStream {
        self
    }
}

impl Connection for TlsStream<TcpStream> {
    fn socket(&self) -> &TcpStream {
        self.get_ref().0
    }
}

/// Reads one request and plays the site's answer to it.
pub(super) async fn serve<C: Connection>(
    mut stream: C,
    script: fn(&Ask<'_>) -> Vec<Step>,
    visit: Visit<'_>,
) {
    let Ok(head) = read_head(&mut stream).await else { return };
    let Some(hit) = parse_head(&head, &visit) else { return };
    let number = visit.record(hit.clone());
    play(stream, &script(&visit.ask(&hit, number))).await;
}

/// Plays a script on a connection, as far as the other side lets us.
pub(super) async fn play<C: Connection>(mut stream: C, steps: &[Step]) {
    if try_play(&mut stream, steps).await.is_ok() {
        let _ = stream.shutdown().await;
        // Until the other side closes too: what is still under way must not be cut by a reset.
        let _ = tokio::time::timeout(Duration::from_secs(1), drain(&mut stream)).await;
    }
}

async fn try_play<C: Connection>(stream: &mut C, steps: &[Step]) -> io::Result<()> {
    for step in steps {
        match step {
            Step::Send(bytes) => stream.write_all(bytes).await?,
            Step::Repeat(bytes, times) => {
                for _ in 0..*times {
                    stream.write_all(bytes).await?;
                }
            }
            Step::Drip(bytes, every) => {
                for byte in bytes {
                    tokio::time::sleep(*every).await;
                    stream.write_all(&[*byte]).await?;
                    stream.flush().await?;
                }
            }
            Step::Stall => {
                stream.flush().await?;
                drain(stream).await?;
            }
            Step::Read => {
                let _any = stream.read(&mut [0; 1024]).await?;
            }
            Step::Reset => {
                stream.flush().await?;
                stream.socket().set_zero_linger()?;
                return Err(io::ErrorKind::ConnectionReset.into());
            }
        }
    }
    stream.flush().await
}

/// Reads and forgets until the other side closes.
async fn drain<C: Connection>(stream: &mut C) -> io::Result<()> {
    let mut buffer = [0; 1024];
    while stream.read(&mut buffer).await? > 0 {}
    Ok(())
}

const MAX_HEAD: usize = 64 * 1024;

async fn read_head<C: Connection>(stream: &mut C) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut buffer = [0; 2048];
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        let length = stream.read(&mut buffer).await?;
        if length == 0 || head.len() > MAX_HEAD {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        head.extend_from_slice(buffer.get(..length).unwrap_or_default());
    }
    Ok(head)
}

fn parse_head(head: &[u8], visit: &Visit<'_>) -> Option<Hit> {
    let head = String::from_utf8_lossy(head);
    let mut lines = head.split("\r\n");
    let mut request = lines.next()?.split(' ');
    let (method, target) = (request.next()?, request.next()?);
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let field = |wanted: &str| {
        headers
            .iter()
            .find(|(name, _)| name == wanted)
            .map(|(_, value)| value.clone())
            .unwrap_or_default()
    };
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (target, None),
    };
    Some(Hit {
        order: visit.world.next_order(),
        scheme: visit.scheme.as_str(),
        version: match request.next() {
            Some("HTTP/1.0") => "1.0",
            Some(_) => "1.1",
            None => "0.9",
        },
        method: method.to_owned(),
        host: field("host"),
        path: path.to_owned(),
        query,
        user_agent: field("user-agent"),
        headers,
    })
}
