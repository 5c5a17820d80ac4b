//! Calls with a key, against a TLS server whose authority only the call trusts.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use door::operator::{
    Call, CallError, KeyHeader, KeyedCall, KeyedResponse, Secret, TrustedAuthorities,
};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

const KEY: &str = "sk-the-secret";

/// A server on 127.0.0.1 that answers every request with the same bytes.
struct Server {
    url: String,
    authority: CertificateDer<'static>,
    /// The requests, as they came.
    requests: Arc<Mutex<Vec<String>>>,
}

enum Reply {
    Bytes(Vec<u8>),
    /// The head of a response, then bytes for as long as somebody reads them.
    Endless,
    /// Nothing.
    Silence,
}

impl Server {
    async fn start(reply: Reply) -> Self {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        params.is_ca = rcgen::IsCa::NoCa;
        let certificate = params.self_signed(&key).unwrap().der().clone();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.clone()],
                PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
            )
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}/v1/ask", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (acceptor, log) = (TlsAcceptor::from(Arc::new(config)), Arc::clone(&requests));
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                serve(&acceptor, stream, &reply, &log).await;
            }
        });
        Self { url, authority: certificate, requests }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    async fn call(&self, header: &KeyHeader, max: usize) -> Result<KeyedResponse, CallError> {
        let authorities =
            TrustedAuthorities::with_extra(std::slice::from_ref(&self.authority)).unwrap();
        call(&self.url, header, max, &authorities).await
    }
}

async fn call(
    url: &str,
    key_header: &KeyHeader,
    max_response_bytes: usize,
    authorities: &TrustedAuthorities,
) -> Result<KeyedResponse, CallError> {
    let key = Secret::new(KEY).unwrap();
    let call = Call {
        method: "POST",
        url,
        body: Some((b"{}", "application/json")),
        accept: "application/json",
        max_response_bytes,
        timeout: Duration::from_secs(2),
    };
    let call = KeyedCall { call, key: &key, key_header, authorities };
    assert!(!format!("{call:?}").contains("secret"));
    let result = call.send().await;
    assert!(!format!("{result:?}").contains("secret"), "{result:?}");
    result
}

async fn serve(
    acceptor: &TlsAcceptor,
    stream: TcpStream,
    reply: &Reply,
    requests: &Mutex<Vec<String>>,
) {
    // A client that does not trust the certificate leaves here.
    let Ok(mut stream) = acceptor.accept(stream).await else { return };
    let request = read_request(&mut stream).await;
    requests.lock().unwrap().push(request);
    match reply {
        Reply::Bytes(bytes) => {
            let _ = stream.write_all(bytes).await;
        }
        Reply::Endless => {
            let head = b"HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n";
            let mut written = stream.write_all(head).await;
            while written.is_ok() {
                written = stream.write_all(&[b'x'; 16_384]).await;
            }
        }
        Reply::Silence => tokio::time::sleep(Duration::from_secs(60)).await,
    }
    let _ = stream.shutdown().await;
}

async fn read_request(stream: &mut TlsStream<TcpStream>) -> String {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n{}") {
        let mut byte = [0];
        if stream.read_exact(&mut byte).await.is_err() {
            break;
        }
        bytes.push(byte[0]);
    }
    String::from_utf8(bytes).unwrap()
}

fn response(head: &str) -> Reply {
    Reply::Bytes(format!("HTTP/1.1 {head}\r\ncontent-length: 4\r\n\r\nbody").into_bytes())
}

#[tokio::test]
async fn the_key_is_in_its_field_and_the_server_is_known_by_its_own_authority() {
    let server = Server::start(response("200 OK")).await;
    let answer = server.call(&KeyHeader::Bearer, 1024).await.unwrap();
    assert_eq!((answer.status, answer.body.as_slice()), (200, &b"body"[..]));
    let named = KeyHeader::named("api-key").unwrap();
    server.call(&named, 1024).await.unwrap();
    let requests = server.requests();
    assert!(requests[0].contains("\r\nauthorization: Bearer sk-the-secret\r\n"), "{}", requests[0]);
    assert!(requests[1].contains("\r\napi-key: sk-the-secret\r\n"), "{}", requests[1]);
    assert!(!requests[1].contains("authorization"), "{}", requests[1]);

    let public = TrustedAuthorities::with_extra(&[]).unwrap();
    let refused = call(&server.url, &KeyHeader::Bearer, 1024, &public).await;
    assert!(matches!(refused, Err(CallError::Tls(_))), "{refused:?}");
    assert_eq!(server.requests().len(), 2, "nothing is sent to a server that is not trusted");
    let plain = "http://api.example/v1";
    let refused = call(plain, &KeyHeader::Bearer, 1024, &public).await;
    assert!(matches!(refused, Err(CallError::KeyWithoutTls)), "{refused:?}");
}

#[tokio::test]
async fn redirects_are_errors_and_waits_are_passed_on() {
    let elsewhere = Server::start(response("200 OK")).await;
    let head = format!("307 Temporary Redirect\r\nlocation: {}", elsewhere.url);
    let server = Server::start(response(&head)).await;
    let redirected = server.call(&KeyHeader::Bearer, 1024).await;
    assert!(matches!(redirected, Err(CallError::Redirect(307))), "{redirected:?}");
    assert!(elsewhere.requests().is_empty());

    let busy = Server::start(response("429 Too Many Requests\r\nretry-after: 7")).await;
    let answer = busy.call(&KeyHeader::Bearer, 1024).await.unwrap();
    assert_eq!((answer.status, answer.retry_after.as_deref()), (429, Some("7")));
}

#[tokio::test]
async fn size_and_time_are_bounded() {
    let endless = Server::start(Reply::Endless).await;
    let cut = endless.call(&KeyHeader::Bearer, 100_000).await;
    assert!(matches!(cut, Err(CallError::TooLarge(100_000))), "{cut:?}");
    let silent = Server::start(Reply::Silence).await;
    let start = Instant::now();
    let late = silent.call(&KeyHeader::Bearer, 1024).await;
    assert!(matches!(late, Err(CallError::Timeout(2))), "{late:?}");
    assert!(start.elapsed() < Duration::from_secs(4));
    // A response of exactly the limit is whole.
    let whole = Server::start(response("200 OK")).await;
    assert_eq!(whole.call(&KeyHeader::Bearer, 4).await.unwrap().body, b"body");
    assert!(matches!(whole.call(&KeyHeader::Bearer, 3).await, Err(CallError::TooLarge(3))));
}
