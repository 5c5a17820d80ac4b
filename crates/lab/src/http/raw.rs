//! Raw connections: for everything that a correct HTTP server would never send.

use std::{io, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::server::TlsStream;

use super::pages::SiteConnection;
use super::reply::SiteRequest;
use super::script::ScriptStep;
use crate::Hit;

/// A connection, with or without TLS, that gives access to its TCP socket.
pub(super) trait RawConnection: AsyncRead + AsyncWrite + Unpin {
    fn socket(&self) -> &TcpStream;
}

impl RawConnection for TcpStream {
    fn socket(&self) -> &TcpStream {
        self
    }
}

impl RawConnection for TlsStream<TcpStream> {
    fn socket(&self) -> &TcpStream {
        self.get_ref().0
    }
}

/// Reads one request and plays the site's script in answer.
pub(super) async fn serve<C: RawConnection>(
    mut stream: C,
    script: fn(&SiteRequest<'_>) -> Vec<ScriptStep>,
    connection: SiteConnection<'_>,
) {
    let Ok(head) = read_head(&mut stream).await else { return };
    let Some(hit) = parse_head(&head, &connection) else { return };
    let number = connection.record_hit(hit.clone());
    play_script(stream, &script(&connection.site_request(&hit, number, &[], &[]))).await;
}

/// Plays a script on a connection, as far as the other side allows.
pub(super) async fn play_script<C: RawConnection>(mut stream: C, steps: &[ScriptStep]) {
    if try_play(&mut stream, steps).await.is_ok() {
        let _ = stream.shutdown().await;
        // Waits until the other side closes too, because a reset would cut off data that is still
        // in transit.
        let _ = tokio::time::timeout(Duration::from_secs(1), drain(&mut stream)).await;
    }
}

async fn try_play<C: RawConnection>(stream: &mut C, steps: &[ScriptStep]) -> io::Result<()> {
    for step in steps {
        match step {
            ScriptStep::Send(bytes) => stream.write_all(bytes).await?,
            ScriptStep::Repeat(bytes, times) => {
                for _ in 0..*times {
                    stream.write_all(bytes).await?;
                }
            }
            ScriptStep::Drip(bytes, every) => {
                for byte in bytes {
                    tokio::time::sleep(*every).await;
                    stream.write_all(&[*byte]).await?;
                    stream.flush().await?;
                }
            }
            ScriptStep::Stall => {
                stream.flush().await?;
                drain(stream).await?;
            }
            ScriptStep::Read => {
                let _any = stream.read(&mut [0; 1024]).await?;
            }
            ScriptStep::Reset => {
                stream.flush().await?;
                stream.socket().set_zero_linger()?;
                return Err(io::ErrorKind::ConnectionReset.into());
            }
        }
    }
    stream.flush().await
}

/// Reads and forgets until the other side closes.
async fn drain<C: RawConnection>(stream: &mut C) -> io::Result<()> {
    let mut buffer = [0; 1024];
    while stream.read(&mut buffer).await? > 0 {}
    Ok(())
}

const MAX_HEAD_BYTES: usize = 64 * 1024;

async fn read_head<C: RawConnection>(stream: &mut C) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut buffer = [0; 2048];
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        let length = stream.read(&mut buffer).await?;
        if length == 0 || head.len() > MAX_HEAD_BYTES {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        head.extend_from_slice(buffer.get(..length).unwrap_or_default());
    }
    Ok(head)
}

fn parse_head(head: &[u8], connection: &SiteConnection<'_>) -> Option<Hit> {
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
        order: connection.world.next_request_number(),
        scheme: connection.scheme.as_str(),
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
