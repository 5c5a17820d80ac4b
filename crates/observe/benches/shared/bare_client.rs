//! A client that does nothing but make the requests of a scan, for comparison with it.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use bytes::Bytes;
use contract::evidence::ReadTarget;
use futures_util::future::join_all;
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use observe::CollectedEvidence;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// One fetch of the bare client.
#[derive(Clone)]
pub(crate) struct Ask {
    plain: bool,
    path: String,
    headers: Vec<(String, String)>,
}

/// The fetches of a scan, grouped by connection: our own reader's, one for each home page and its
/// follow-up, and one without TLS.
pub(crate) fn connections(read: &CollectedEvidence) -> Vec<Vec<Ask>> {
    let mut lanes: Vec<(String, Vec<Ask>)> = Vec::new();
    let host = read.evidence.domain.to_string();
    for reading in &read.evidence.reads {
        let url = &reading.exchange.url;
        let (scheme, rest) = url.split_once("://").unwrap();
        let ask = Ask {
            plain: scheme == "http",
            path: rest.strip_prefix(&host).unwrap().to_owned(),
            headers: reading
                .exchange
                .request_headers
                .iter()
                .filter(|line| line.name != "Host")
                .map(|line| (line.name.clone(), line.value.clone()))
                .collect(),
        };
        let own = matches!(reading.target, ReadTarget::Home | ReadTarget::PlainHome);
        let lane = lanes.iter_mut().find(|(identity, asks)| {
            *identity == reading.identity
                && !asks[0].plain
                && (asks.len() == 1 || identity == "wayleave")
        });
        match lane {
            Some((_, asks)) if !own => asks.push(ask),
            _ => lanes.push((reading.identity.clone(), vec![ask])),
        }
    }
    lanes.into_iter().map(|(_, asks)| asks).collect()
}

#[derive(Clone)]
pub(crate) struct Bare {
    tls: TlsConnector,
    http_port: u16,
    https_port: u16,
}

impl Bare {
    pub(crate) fn new(
        authority: &[CertificateDer<'static>],
        http_port: u16,
        https_port: u16,
    ) -> Self {
        let mut roots = rustls::RootCertStore::empty();
        for certificate in authority {
            roots.add(certificate.clone()).unwrap();
        }
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.resumption = rustls::client::Resumption::disabled();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Self { tls: TlsConnector::from(Arc::new(config)), http_port, https_port }
    }

    /// Makes the requests of one site, every lane on a connection of its own; returns how many.
    pub(crate) async fn site(&self, name: &str, address: Ipv4Addr, lanes: &[Vec<Ask>]) -> usize {
        let lanes = lanes.iter().map(|lane| self.lane(name, address, lane));
        join_all(lanes).await.into_iter().sum()
    }

    async fn lane(&self, name: &str, address: Ipv4Addr, asks: &[Ask]) -> usize {
        let plain = asks[0].plain;
        let port = if plain { self.http_port } else { self.https_port };
        let stream = TcpStream::connect(SocketAddr::new(address.into(), port)).await.unwrap();
        stream.set_nodelay(true).unwrap();
        if plain {
            let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
            let driver = tokio::spawn(connection);
            for ask in asks {
                let request = request(name, ask, false);
                let response = sender.send_request(request).await.unwrap();
                response.into_body().collect().await.unwrap().to_bytes();
            }
            driver.abort();
            return asks.len();
        }
        let server = ServerName::try_from(name.to_owned()).unwrap();
        let stream = self.tls.connect(server, stream).await.unwrap();
        let (sender, connection) =
            http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
        let driver = tokio::spawn(connection);
        let get = |ask| {
            let mut sender = sender.clone();
            async move {
                let response = sender.send_request(request(name, ask, true)).await.unwrap();
                response.into_body().collect().await.unwrap().to_bytes()
            }
        };
        get(&asks[0]).await;
        join_all(asks[1..].iter().map(get)).await;
        driver.abort();
        asks.len()
    }
}

fn request(name: &str, ask: &Ask, http2: bool) -> hyper::Request<Empty<Bytes>> {
    let mut request = if http2 {
        hyper::Request::get(format!("https://{name}{}", ask.path))
    } else {
        hyper::Request::get(&ask.path).header("host", name)
    };
    for (field, value) in &ask.headers {
        request = request.header(field, value);
    }
    request.body(Empty::new()).unwrap()
}
