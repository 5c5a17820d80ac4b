//! Calls to an address the operator typed: a server of their own, which may well be on loopback.
//!
//! Not for anything a stranger chose: there is no address guard here. Time and size are bounded all
//! the same, redirects are not followed, and certificates must hold.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::Url;

/// For the whole call; a scan takes its time.
const PATIENCE: Duration = Duration::from_secs(60);
const MAX_ANSWER_BYTES: usize = 16 << 20;

/// What came back.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
}

#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error("the address is not an http or https one")]
    Address,
    #[error("no answer within {0} seconds")]
    Timeout(u64),
    #[error("the connection failed")]
    Connect(#[from] std::io::Error),
    #[error("TLS failed: {0}")]
    Tls(String),
    #[error("the exchange failed: {0}")]
    Exchange(String),
}

/// One call in every detail.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    pub method: &'a str,
    pub url: &'a str,
    /// With its media type.
    pub body: Option<(&'a [u8], &'a str)>,
    pub accept: &'a str,
    /// Anything longer is an error, and is not read to its end.
    pub max_answer_bytes: usize,
    /// For the whole call.
    pub patience: Duration,
}

impl Call<'_> {
    pub async fn make(self) -> Result<Answer, CallError> {
        let url = Url::parse(self.url).map_err(|_| CallError::Address)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(CallError::Address);
        }
        tokio::time::timeout(self.patience, exchange(&self, &url))
            .await
            .map_err(|_| CallError::Timeout(self.patience.as_secs()))?
    }
}

/// One call; a body is sent as JSON.
pub async fn call(method: &str, url: &str, body: Option<String>) -> Result<Answer, CallError> {
    let call = Call {
        method,
        url,
        body: body.as_ref().map(|body| (body.as_bytes(), "application/json")),
        accept: "application/json, */*;q=0.5",
        max_answer_bytes: MAX_ANSWER_BYTES,
        patience: PATIENCE,
    };
    call.make().await
}

async fn exchange(call: &Call<'_>, url: &Url) -> Result<Answer, CallError> {
    let host = url.host_str().ok_or(CallError::Address)?;
    let port = url.port_or_known_default().ok_or(CallError::Address)?;
    let stream = connect(host.trim_matches(['[', ']']), port).await?;
    if url.scheme() == "http" {
        return speak(stream, call, url).await;
    }
    let name = ServerName::try_from(host.to_owned()).map_err(|_| CallError::Address)?;
    let stream = TlsConnector::from(Arc::new(tls()?))
        .connect(name, stream)
        .await
        .map_err(|e| CallError::Tls(e.to_string()))?;
    speak(stream, call, url).await
}

fn tls() -> Result<rustls::ClientConfig, CallError> {
    let roots = rustls::RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    Ok(rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| CallError::Tls(e.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the operator typed this address; no stranger chose it"
)]
async fn connect(host: &str, port: u16) -> Result<TcpStream, CallError> {
    Ok(TcpStream::connect((host, port)).await?)
}

async fn speak<S>(stream: S, call: &Call<'_>, url: &Url) -> Result<Answer, CallError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let failed = |e: &dyn std::fmt::Display| CallError::Exchange(e.to_string());
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|e| failed(&e))?;
    // Aborted when this ends in any way, a timeout included: nothing is read behind our back.
    let driver = AbortOnDrop(tokio::spawn(connection));
    let path = url.query().map_or_else(|| url.path().to_owned(), |q| format!("{}?{q}", url.path()));
    let authority = match url.port() {
        Some(port) => format!("{}:{port}", url.host_str().unwrap_or_default()),
        None => url.host_str().unwrap_or_default().to_owned(),
    };
    let mut request = http::Request::builder()
        .method(call.method)
        .uri(path)
        .header("host", authority)
        .header("user-agent", concat!("wayleave/", env!("CARGO_PKG_VERSION")))
        .header("accept", call.accept);
    let (body, media_type) = call.body.unzip();
    if let Some(media_type) = media_type {
        request = request.header("content-type", media_type);
    }
    let request = request
        .body(Full::new(Bytes::copy_from_slice(body.unwrap_or_default())))
        .map_err(|e| failed(&e))?;
    let response = sender.send_request(request).await.map_err(|e| failed(&e))?;
    let status = response.status().as_u16();
    let body = Limited::new(response.into_body(), call.max_answer_bytes)
        .collect()
        .await
        .map_err(|e| failed(&e))?
        .to_bytes()
        .to_vec();
    drop(driver);
    Ok(Answer { status, body })
}

struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
