//! A small careful reader: names, redirects, limits and decoding, as much as is needed to check
//! what the catalogue promises. Failures are reported by kind only.

use std::{
    io::{ErrorKind, Read as _},
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex},
    time::Duration,
};

use hickory_proto::{op::ResponseCode, rr::RecordType};
use lab::Lab;
use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, timeout_at},
};
use tokio_rustls::TlsConnector;

use crate::{
    client::{ClientResponse, parse},
    resolve::{addresses, aliases, ask},
};

pub(crate) const PATIENCE: Duration = Duration::from_secs(4);
const MOST_BODY: usize = 2 << 20;
const MOST_HEAD: usize = 64 << 10;

/// The outcome of a read.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) url: String,
    pub(crate) status: Option<u16>,
    pub(crate) body: Vec<u8>,
    /// The kind of failure, before the head or in the body.
    pub(crate) failure: Option<&'static str>,
    pub(crate) tls_error: Option<String>,
}

/// Reads a URL and follows its redirects.
pub(crate) async fn read(lab: &Lab, first: &str, user_agent: &str) -> Outcome {
    let mut seen: Vec<String> = Vec::new();
    let mut url = first.to_owned();
    let mut tls_error = None;
    loop {
        let outcome =
            |failure| Outcome { url: url.clone(), failure: Some(failure), ..Outcome::default() };
        if seen.contains(&url) || seen.len() > 10 {
            return outcome("protocol");
        }
        seen.push(url.clone());
        let Some((https, host, path)) = split(&url) else { return outcome("refused_by_policy") };
        let got = match exchange(lab, https, &host, &path, user_agent, &mut tls_error).await {
            Ok(got) => got,
            Err(failure) => return Outcome { tls_error, ..outcome(failure) },
        };
        let location = got.0.header("location").map(str::to_owned);
        match location {
            Some(location) if (300..400).contains(&got.0.status) => {
                url = join(https, &host, &location);
            }
            _ => {
                let (got, body, failure) = got;
                return Outcome { url, status: Some(got.status), body, failure, tls_error };
            }
        }
    }
}

/// Scheme, host and path of a URL, if a careful reader may follow it.
fn split(url: &str) -> Option<(bool, String, String)> {
    let (https, rest) = match url.split_once("://")? {
        ("https", rest) => (true, rest),
        ("http", rest) => (false, rest),
        _ => return None,
    };
    let (host, path) = rest.split_once('/')?;
    (host.ends_with(".lab") && !host.contains([':', '@']) && url.len() <= 2048)
        .then(|| (https, host.to_owned(), format!("/{path}")))
}

fn join(https: bool, host: &str, location: &str) -> String {
    let scheme = if https { "https" } else { "http" };
    if location.starts_with("//") {
        format!("{scheme}:{location}")
    } else if location.starts_with('/') {
        format!("{scheme}://{host}{location}")
    } else {
        location.to_owned()
    }
}

/// The address to dial for a name.
pub(crate) async fn address(lab: &Lab, host: &str) -> Result<IpAddr, &'static str> {
    let mut all = Vec::new();
    for kind in [RecordType::A, RecordType::AAAA] {
        let reply = ask(lab, host, kind).await.ok_or("timeout")?;
        if reply.metadata.response_code != ResponseCode::NoError {
            return Err("dns");
        }
        let aliases = aliases(&reply);
        if aliases.iter().any(|alias| !alias.ends_with(".lab")) {
            return Err("refused_by_policy");
        }
        if aliases.len() > 8 || aliases.iter().any(|alias| alias == host) {
            return Err("dns");
        }
        all.extend(addresses(&reply));
    }
    let allowed =
        |address: &IpAddr| matches!(address, IpAddr::V4(v4) if v4.octets()[..2] == [127, 77]);
    match all.first() {
        None => Err("dns"),
        Some(_) if !all.iter().all(allowed) => Err("refused_by_policy"),
        Some(first) => Ok(*first),
    }
}

type Answer = (ClientResponse, Vec<u8>, Option<&'static str>);

async fn exchange(
    lab: &Lab,
    https: bool,
    host: &str,
    path: &str,
    user_agent: &str,
    tls_error: &mut Option<String>,
) -> Result<Answer, &'static str> {
    let network = lab.network();
    let port = if https { network.https_port } else { network.http_port };
    let address = SocketAddr::new(address(lab, host).await?, port);
    let deadline = Instant::now() + PATIENCE;
    let stream = TcpStream::connect(address).await.map_err(|_| "connect")?;
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: {host}\r\nuser-agent: {user_agent}\r\naccept: */*\r\n\
         accept-encoding: gzip, br, zstd, deflate\r\nconnection: close\r\n\r\n"
    );
    if !https {
        return receive(stream, &request, deadline).await;
    }
    let (config, seen) = lenient(&network.ca_pem);
    let name = ServerName::try_from(host.to_owned()).unwrap();
    let connecting = TlsConnector::from(Arc::new(config)).connect(name, stream);
    let stream =
        timeout_at(deadline, connecting).await.map_err(|_| "timeout")?.map_err(|_| "tls")?;
    *tls_error = seen.lock().unwrap().take();
    receive(stream, &request, deadline).await
}

async fn receive<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    request: &str,
    deadline: Instant,
) -> Result<Answer, &'static str> {
    stream.write_all(request.as_bytes()).await.map_err(|_| "protocol")?;
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    let mut failure = None;
    let mut head = None;
    while failure.is_none() {
        match timeout_at(deadline, stream.read(&mut buffer)).await {
            Err(_) => failure = Some("timeout"),
            Ok(Ok(0)) => break,
            // An end without close_notify counts as a normal end; the announced length decides
            // whether it was too early.
            Ok(Err(error)) if error.kind() == ErrorKind::UnexpectedEof => break,
            Ok(Err(_)) => failure = Some("protocol"),
            Ok(Ok(length)) => bytes.extend_from_slice(&buffer[..length]),
        }
        head = head.or_else(|| bytes.windows(4).position(|window| window == b"\r\n\r\n"));
        if bytes.starts_with(b"HTTP/1.1 103") && bytes.len() > 4096 {
            return Err("protocol");
        }
        match head {
            None if bytes.len() > MOST_HEAD => return Err("too_large"),
            Some(end) if bytes.len() - end > MOST_BODY => failure = Some("too_large"),
            _ => {}
        }
    }
    if head.is_none() {
        let begun =
            bytes.is_empty() || bytes.starts_with(b"HTTP/1.1 ") || b"HTTP/1.1 ".starts_with(&bytes);
        return Err(if begun { failure.unwrap_or("protocol") } else { "protocol" });
    }
    let got = parse(&bytes).ok_or("protocol")?;
    let lengths: Vec<usize> = got
        .headers
        .iter()
        .filter(|(name, _)| name == "content-length")
        .map(|(_, value)| value.parse().unwrap())
        .collect();
    if lengths.len() > 1 {
        return Err("protocol");
    }
    let mut body = got.body.clone();
    if let Some(length) = lengths.first() {
        body.truncate(*length);
        failure = failure.or((body.len() < *length).then_some("protocol"));
    } else {
        let unfinished = failure.is_none() && !bytes.ends_with(b"0\r\n\r\n");
        let odd = ["\r\nzebra\r\n", "\r\n0\r\nx-more"].iter().any(|odd| contains(&bytes, odd));
        failure = if unfinished || odd { Some("protocol") } else { failure };
    }
    if let Some(coding) = got.header("content-encoding") {
        let (decoded, wrong) = decode(coding, &body);
        body = decoded;
        // The decompression limit is checked before anything later on the wire.
        failure = if wrong == Some("too_large") { wrong } else { failure.or(wrong) };
    }
    Ok((got, body, failure))
}

fn contains(bytes: &[u8], text: &str) -> bool {
    let start = &bytes[..bytes.len().min(4096)];
    start.windows(text.len()).any(|window| window == text.as_bytes())
}

fn decode(coding: &str, packed: &[u8]) -> (Vec<u8>, Option<&'static str>) {
    let packed = std::io::Cursor::new(packed.to_vec());
    let reader: Box<dyn std::io::Read> = match coding {
        "gzip" => Box::new(flate2::read::GzDecoder::new(packed)),
        "deflate" => Box::new(flate2::read::ZlibDecoder::new(packed)),
        "br" => Box::new(brotli_decompressor::Decompressor::new(packed, 4096)),
        "zstd" => Box::new(zstd::Decoder::new(packed).unwrap()),
        _ => return (Vec::new(), Some("protocol")),
    };
    let mut body = Vec::new();
    let end = reader.take(MOST_BODY as u64 + 1).read_to_end(&mut body);
    let failure = match end {
        _ if body.len() > MOST_BODY => Some("too_large"),
        Err(_) => Some("protocol"),
        Ok(_) => None,
    };
    (body, failure)
}

/// Accepts any certificate and remembers its errors.
fn lenient(ca_pem: &str) -> (ClientConfig, Arc<Mutex<Option<String>>>) {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(ca_pem.as_bytes()).unwrap()).unwrap();
    let strict =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .build()
            .unwrap();
    let seen = Arc::new(Mutex::new(None));
    let verifier = Arc::new(Lenient { strict, seen: Arc::clone(&seen) });
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    (config, seen)
}

#[derive(Debug)]
struct Lenient {
    strict: Arc<WebPkiServerVerifier>,
    seen: Arc<Mutex<Option<String>>>,
}

impl ServerCertVerifier for Lenient {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if let Err(error) = self.strict.verify_server_cert(leaf, others, name, ocsp, now) {
            *self.seen.lock().unwrap() = Some(error.to_string());
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.strict.verify_tls12_signature(message, leaf, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.strict.verify_tls13_signature(message, leaf, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.strict.supported_verify_schemes()
    }
}
