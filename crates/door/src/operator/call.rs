//! One call, with or without a bearer token.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::Url;

use crate::tls::KeyPossessionVerifier;

/// For the whole call. A scan takes some time.
const TIMEOUT: Duration = Duration::from_secs(60);
const MAX_RESPONSE_BYTES: usize = 16 << 20;

/// The response to a call.
#[derive(Debug, Clone)]
pub struct CallResponse {
    pub status: u16,
    pub body: Vec<u8>,
}

#[derive(Debug, thiserror::Error)]
pub enum CallError {
    #[error("the address is not an http or https URL")]
    Address,
    #[error("the key has characters that cannot be sent")]
    Token,
    #[error("no answer within {0} seconds")]
    Timeout(u64),
    #[error("the connection failed")]
    Connect(#[from] std::io::Error),
    #[error("TLS failed: {0}")]
    Tls(String),
    #[error("the HTTP exchange failed: {0}")]
    Exchange(String),
    #[error("the response is larger than {0} bytes")]
    TooLarge(usize),
    #[error("the server redirects elsewhere (status {0})")]
    Redirect(u16),
    #[error("a key is only sent over https, or to this machine")]
    KeyWithoutTls,
}

/// One call with all its settings.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    pub method: &'a str,
    pub url: &'a str,
    /// The bytes and their media type.
    pub body: Option<(&'a [u8], &'a str)>,
    pub accept: &'a str,
    /// A longer response is an error and is not read to its end.
    pub max_response_bytes: usize,
    /// For the whole call.
    pub timeout: Duration,
}

impl Call<'_> {
    pub async fn send(self) -> Result<CallResponse, CallError> {
        self.send_with_token(None).await
    }

    /// With a bearer token for the server.
    pub async fn send_with_token(self, token: Option<&str>) -> Result<CallResponse, CallError> {
        self.send_with(token, &[]).await
    }

    /// With a bearer token for the server, and with further header fields.
    pub async fn send_with(
        self,
        token: Option<&str>,
        headers: &[(&'static str, String)],
    ) -> Result<CallResponse, CallError> {
        let url = parse_address(self.url)?;
        let token = token.map(|token| http::HeaderValue::try_from(format!("Bearer {token}")));
        let mut token = token.transpose().map_err(|_| CallError::Token)?;
        if let Some(token) = &mut token {
            token.set_sensitive(true);
        }
        let key = token.map(|token| (http::header::AUTHORIZATION, token));
        let response = exchange(&self, key, headers, &url, Trust::Authorities);
        tokio::time::timeout(self.timeout, response)
            .await
            .map_err(|_| CallError::Timeout(self.timeout.as_secs()))?
            .map(WholeResponse::into_call_response)
    }
}

pub(super) fn parse_address(url: &str) -> Result<Url, CallError> {
    let url = Url::parse(url).map_err(|_| CallError::Address)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(CallError::Address);
    }
    Ok(url)
}

/// Makes one call with the default limits; a body is sent as JSON, a token as a bearer token.
pub async fn call_json(
    method: &str,
    url: &str,
    body: Option<String>,
    token: Option<&str>,
) -> Result<CallResponse, CallError> {
    let call = Call {
        method,
        url,
        body: body.as_ref().map(|body| (body.as_bytes(), "application/json")),
        accept: "application/json, */*;q=0.5",
        max_response_bytes: MAX_RESPONSE_BYTES,
        timeout: TIMEOUT,
    };
    call.send_with_token(token).await
}

/// Asks the operator's own server on this machine, at the address that it listens on. Its certificate is
/// for its public name and not for this address, so it is not checked: send nothing secret.
pub async fn ask_own_server(
    address: SocketAddr,
    encrypted: bool,
    path: &str,
    timeout: Duration,
) -> Result<CallResponse, CallError> {
    let scheme = if encrypted { "https" } else { "http" };
    let url = Url::parse(&format!("{scheme}://{address}{path}")).map_err(|_| CallError::Address)?;
    let call = Call {
        method: "GET",
        url: url.as_str(),
        body: None,
        accept: "application/json, */*;q=0.5",
        max_response_bytes: MAX_RESPONSE_BYTES,
        timeout,
    };
    tokio::time::timeout(timeout, exchange(&call, None, &[], &url, Trust::Anybody))
        .await
        .map_err(|_| CallError::Timeout(timeout.as_secs()))?
        .map(WholeResponse::into_call_response)
}

/// Whose certificates are accepted.
#[derive(Debug)]
pub(super) enum Trust {
    Authorities,
    Anybody,
    These(Arc<rustls::ClientConfig>),
}

/// A response with its header fields.
pub(super) struct WholeResponse {
    pub(super) status: u16,
    pub(super) headers: http::HeaderMap,
    pub(super) body: Vec<u8>,
}

impl WholeResponse {
    fn into_call_response(self) -> CallResponse {
        CallResponse { status: self.status, body: self.body }
    }
}

/// Name and value of the header field that has a key.
pub(super) type KeyField = (http::HeaderName, http::HeaderValue);

pub(super) async fn exchange(
    call: &Call<'_>,
    key: Option<KeyField>,
    headers: &[(&'static str, String)],
    url: &Url,
    trust: Trust,
) -> Result<WholeResponse, CallError> {
    let host = url.host_str().ok_or(CallError::Address)?;
    let port = url.port_or_known_default().ok_or(CallError::Address)?;
    let stream = connect(host.trim_matches(['[', ']']), port).await?;
    if url.scheme() == "http" {
        return send_request(stream, call, key, headers, url).await;
    }
    let name = host.trim_matches(['[', ']']).to_owned();
    let name = ServerName::try_from(name).map_err(|_| CallError::Address)?;
    let stream = TlsConnector::from(tls_config(trust)?)
        .connect(name, stream)
        .await
        .map_err(|e| CallError::Tls(e.to_string()))?;
    send_request(stream, call, key, headers, url).await
}

fn tls_config(trust: Trust) -> Result<Arc<rustls::ClientConfig>, CallError> {
    if let Trust::These(config) = trust {
        return Ok(config);
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let algorithms = provider.signature_verification_algorithms;
    let builder = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| CallError::Tls(e.to_string()))?;
    let roots = || rustls::RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    let config = match trust {
        Trust::Anybody => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(KeyPossessionVerifier(algorithms))),
        _ => builder.with_root_certificates(roots()),
    };
    Ok(Arc::new(config.with_no_client_auth()))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the operator chose this address; no third party did"
)]
async fn connect(host: &str, port: u16) -> Result<TcpStream, CallError> {
    Ok(TcpStream::connect((host, port)).await?)
}

async fn send_request<S>(
    stream: S,
    call: &Call<'_>,
    key: Option<KeyField>,
    headers: &[(&'static str, String)],
    url: &Url,
) -> Result<WholeResponse, CallError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let failed = |e: &dyn std::fmt::Display| CallError::Exchange(e.to_string());
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(|e| failed(&e))?;
    // Aborted when this function ends in any way, also by a timeout, so that no task keeps reading
    // in the background.
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
    if let Some((name, value)) = key {
        request = request.header(name, value);
    }
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    let (body, media_type) = call.body.unzip();
    if let Some(media_type) = media_type {
        request = request.header("content-type", media_type);
    }
    let request = request
        .body(Full::new(Bytes::copy_from_slice(body.unwrap_or_default())))
        .map_err(|e| failed(&e))?;
    let response = sender.send_request(request).await.map_err(|e| failed(&e))?;
    let (head, body) = response.into_parts();
    let max_bytes = call.max_response_bytes;
    let body = Limited::new(body, max_bytes).collect().await.map_err(|e| {
        if e.is::<LengthLimitError>() { CallError::TooLarge(max_bytes) } else { failed(&e) }
    })?;
    drop(driver);
    let body = body.to_bytes().to_vec();
    Ok(WholeResponse { status: head.status.as_u16(), headers: head.headers, body })
}

struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
