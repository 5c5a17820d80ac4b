//! The handshake of one connection.

use tokio::{io::AsyncWriteExt, net::TcpStream, time::timeout};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use super::{handshake_budget::HandshakeBudget, identity::TlsIdentity};
use crate::{
    http_metrics::{self, HandshakeResult},
    server::{
        lingering_close::lingering_close, options::ServerOptions, write_timeout::WriteTimeoutStream,
    },
};

/// The write timeout is below TLS: above it, the bytes that wait in the buffer of the library would
/// count as written.
pub(in crate::server) type EncryptedStream = TlsStream<HandshakeBudget<WriteTimeoutStream>>;

/// Completes the handshake within the time of a request head. `None` if there is none: then the
/// connection is closed.
pub(in crate::server) async fn accept_tls(
    stream: TcpStream,
    tls: &TlsIdentity,
    options: &ServerOptions,
) -> Option<EncryptedStream> {
    let (result, stream) =
        match timeout(options.head_timeout, handshake(stream, tls, options)).await {
            Ok(done) => done,
            Err(_) => (HandshakeResult::TimedOut, None),
        };
    if options.counts_connections {
        http_metrics::count_handshake(result);
    }
    stream
}

async fn handshake(
    stream: TcpStream,
    tls: &TlsIdentity,
    options: &ServerOptions,
) -> (HandshakeResult, Option<EncryptedStream>) {
    let mut first = [0_u8];
    match stream.peek(&mut first).await {
        // A handshake begins with 22, a request with the letter of its method.
        Ok(1..) if first.iter().all(u8::is_ascii_alphabetic) => {
            explain_https(stream, options).await;
            return (HandshakeResult::PlainHttp, None);
        }
        Ok(1..) => {}
        Ok(0) | Err(_) => return (HandshakeResult::Failed, None),
    }
    let stream = HandshakeBudget::new(WriteTimeoutStream::new(stream, options.write_allowance));
    let acceptor = TlsAcceptor::from(tls.current().config());
    // Boxed: its state is large, and most of the life of a connection comes after it.
    match Box::pin(acceptor.accept(stream)).await {
        Ok(mut stream) => {
            stream.get_mut().0.end();
            (HandshakeResult::Completed, Some(stream))
        }
        Err(error) => {
            tracing::debug!(%error, "a TLS handshake failed");
            (HandshakeResult::Failed, None)
        }
    }
}

/// Answers a client that speaks plain HTTP. Its request is not read, so the answer is always the flat
/// JSON shape, whatever it accepts.
async fn explain_https(mut stream: TcpStream, options: &ServerOptions) {
    const BODY: &str = "{\"error\":\"This port speaks HTTPS only. Use https:// in the address.\",\
                        \"code\":\"bad_request\",\"retryable\":false}";
    let answer = format!(
        "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n{BODY}",
        BODY.len()
    );
    if stream.write_all(answer.as_bytes()).await.is_ok() {
        lingering_close(stream, options.linger_timeout).await;
    }
}
