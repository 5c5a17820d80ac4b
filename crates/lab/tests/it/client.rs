//! A small raw HTTP client for the tests.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use lab::Lab;
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

pub(crate) const BROWSER: &str =
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
pub(crate) const GPTBOT: &str = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)";

/// How long to wait for data before the other side counts as silent.
pub(crate) const PATIENCE: Duration = Duration::from_millis(2500);

#[derive(Debug)]
pub(crate) struct ClientResponse {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl ClientResponse {
    pub(crate) fn header(&self, wanted: &str) -> Option<&str> {
        self.headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

pub(crate) async fn dial(lab: &Lab, host: &str, port: u16) -> std::io::Result<TcpStream> {
    let address: Ipv4Addr = lab.address(host).expect("a lab site");
    TcpStream::connect(SocketAddr::new(IpAddr::V4(address), port)).await
}

/// Opens a TLS connection that trusts only the lab's authority.
pub(crate) async fn tls(
    lab: &Lab,
    host: &str,
    alpn: &[&str],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(lab.network().ca_pem.as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
    let stream = dial(lab, host, lab.network().https_port).await?;
    let name = ServerName::try_from(host.to_owned()).unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

/// Sends one GET and returns everything that comes back, and whether the other side closed
/// (`Ok(true)`), fell silent (`Ok(false)`) or failed.
pub(crate) async fn raw_get<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    host: &str,
    path: &str,
    user_agent: &str,
    limit: usize,
) -> (Vec<u8>, Result<bool, std::io::ErrorKind>) {
    let fields = format!("user-agent: {user_agent}\r\n");
    raw_get_with(&mut stream, host, path, &fields, limit).await
}

/// The same with these header lines, each with its line end.
pub(crate) async fn raw_get_with<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    host: &str,
    path: &str,
    fields: &str,
    limit: usize,
) -> (Vec<u8>, Result<bool, std::io::ErrorKind>) {
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: {host}\r\n{fields}accept: */*\r\nconnection: close\r\n\r\n"
    );
    if let Err(error) = stream.write_all(request.as_bytes()).await {
        return (Vec::new(), Err(error.kind()));
    }
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 16 * 1024];
    loop {
        match timeout(PATIENCE, stream.read(&mut buffer)).await {
            Err(_) => return (bytes, Ok(false)),
            Ok(Ok(0)) => return (bytes, Ok(true)),
            Ok(Ok(length)) => bytes.extend_from_slice(&buffer[..length]),
            Ok(Err(error)) => return (bytes, Err(error.kind())),
        }
        if bytes.len() > limit {
            return (bytes, Ok(false));
        }
    }
}

/// Reads a whole response over https and HTTP/1.1.
pub(crate) async fn get(lab: &Lab, host: &str, path: &str, user_agent: &str) -> ClientResponse {
    let stream = tls(lab, host, &["http/1.1"]).await.unwrap_or_else(|e| panic!("{host}: {e}"));
    let (bytes, _) = raw_get(stream, host, path, user_agent, 1 << 20).await;
    parse(&bytes).unwrap_or_else(|| panic!("{host}{path}: no response in {bytes:?}"))
}

/// The same with one more header field.
pub(crate) async fn get_with(
    lab: &Lab,
    host: &str,
    path: &str,
    (name, value): (&str, &str),
) -> ClientResponse {
    let mut stream = tls(lab, host, &["http/1.1"]).await.unwrap_or_else(|e| panic!("{host}: {e}"));
    let fields = format!("user-agent: {BROWSER}\r\n{name}: {value}\r\n");
    let (bytes, _) = raw_get_with(&mut stream, host, path, &fields, 1 << 20).await;
    parse(&bytes).unwrap_or_else(|| panic!("{host}{path}: no response in {bytes:?}"))
}

pub(crate) async fn get_http(
    lab: &Lab,
    host: &str,
    path: &str,
    user_agent: &str,
) -> ClientResponse {
    let stream = dial(lab, host, lab.network().http_port).await.unwrap();
    let (bytes, _) = raw_get(stream, host, path, user_agent, 1 << 20).await;
    parse(&bytes).unwrap_or_else(|| panic!("{host}{path}: no response in {bytes:?}"))
}

pub(crate) fn parse(bytes: &[u8]) -> Option<ClientResponse> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines.next()?.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let rest = &bytes[end + 4..];
    let chunked =
        headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let body = if chunked { unchunked(rest) } else { rest.to_vec() };
    Some(ClientResponse { status, headers, body })
}

/// Decodes complete chunks only.
fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|window| window == b"\r\n") {
        let Ok(size) = usize::from_str_radix(&String::from_utf8_lossy(&rest[..end]), 16) else {
            break;
        };
        let start = end + 2;
        if size == 0 || rest.len() < start + size + 2 {
            break;
        }
        body.extend_from_slice(&rest[start..start + size]);
        rest = &rest[start + size + 2..];
    }
    body
}
