//! HTTP/2 from a test server with an untrusted certificate.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::PrivatePkcs8KeyDer;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::setup::{door, lab, listen, page, response, stopped};

type Answer = fn(hyper::Request<Incoming>) -> hyper::Response<Full<Bytes>>;

fn serve(listener: TcpListener, answer: Answer) {
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = rcgen::CertificateParams::new(vec!["elsewhere.lab".to_owned()])
        .unwrap()
        .self_signed(&key)
        .unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
        )
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(stream).await else { return };
                let service =
                    service_fn(move |request| async move { Ok::<_, Infallible>(answer(request)) });
                let _ = hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            });
        }
    });
}

#[tokio::test]
async fn the_request_has_the_headers_of_the_identity_and_no_connection_headers() {
    let lab = lab().await;
    let (listener, policy, base) = listen(&lab, "open.lab").await;
    serve(listener, |request| {
        let names: Vec<&str> = request.headers().keys().map(|name| name.as_str()).collect();
        let text = format!("{} {}", request.uri(), names.join(","));
        hyper::Response::new(Full::from(text))
    });
    let base = base.replace("http:", "https:");
    let mut request = page(&format!("{base}/a?b"));
    request.headers.push(("Connection".to_owned(), "keep-alive".to_owned()));
    let read = door(policy).visit(Duration::from_secs(5)).fetch(request).await;
    let answer = response(&read.exchange);
    assert_eq!(answer.http, "2");
    let expected = format!("{base}/a?b user-agent,accept,accept-encoding");
    assert_eq!(String::from_utf8_lossy(&read.body), expected);
    let tls = answer.tls.as_ref().unwrap();
    assert_eq!(tls.errors, ["wrong_name", "self_signed"]);
}

#[tokio::test]
async fn heads_have_the_same_bounds_as_in_http1() {
    fn with_fields(count: usize, length: usize) -> hyper::Response<Full<Bytes>> {
        let mut response = hyper::Response::new(Full::default());
        for field in 0..count {
            let name = hyper::header::HeaderName::try_from(format!("x-{field}")).unwrap();
            response.headers_mut().insert(name, "y".repeat(length).parse().unwrap());
        }
        response
    }
    let cases: [(Answer, bool); 3] = [
        (|_| with_fields(150, 1), true),
        (|_| with_fields(300, 1), false),
        (|_| with_fields(10, 20_000), false),
    ];
    let lab = lab().await;
    for (answer, good) in cases {
        let (listener, policy, base) = listen(&lab, "open.lab").await;
        serve(listener, answer);
        let url = base.replace("http:", "https:");
        let read = door(policy).visit(Duration::from_secs(5)).fetch(page(&url)).await;
        assert_eq!(stopped(&read.exchange).is_none(), good, "{:?}", read.exchange.outcome);
    }
}

#[tokio::test]
async fn a_body_above_the_cap_is_cut_at_the_cap() {
    let lab = lab().await;
    let (listener, mut policy, base) = listen(&lab, "open.lab").await;
    policy.limits.page.wire = 100_000;
    serve(listener, |_| hyper::Response::new(Full::from(vec![b'x'; 3_000_000])));
    let url = base.replace("http:", "https:");
    let visit = door(policy).visit(Duration::from_secs(5));
    for _ in 0..2 {
        let read = visit.fetch(page(&url)).await;
        assert_eq!(read.body.len(), 100_000);
        assert_eq!(stopped(&read.exchange).unwrap().reason, "wire_limit");
    }
}
