//! HTTPS: handshakes of real clients, of slow and hostile ones, and certificates that change.

use std::{
    net::SocketAddr,
    process::{Command, Output, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, IsCa, Issuer as CertificateIssuer, KeyPair,
};
use rustls::{
    ClientConfig, RootCertStore, SupportedProtocolVersion,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
    version::{TLS12, TLS13},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use web::{ServerOptions, TlsIdentity, TlsPair, WebOptions};

use crate::harness::Server;

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
/// Everything slow is closed within this time: the head's, and as much again for a busy machine.
const SOON: Duration = Duration::from_secs(10);

/// A certificate authority that clients trust.
struct Authority {
    issuer: CertificateIssuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // Of the same name as its certificates, OpenSSL would take these for self-signed ones.
        params.distinguished_name.push(DnType::CommonName, "An authority of tests");
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: CertificateIssuer::new(params, key), pem }
    }

    /// For `localhost` and the loopback address.
    fn pair(&self) -> TlsPair {
        let key = KeyPair::generate().unwrap();
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &self.issuer);
        let certificate = certificate.unwrap().pem();
        TlsPair::from_pem(certificate.as_bytes(), key.serialize_pem().as_bytes()).unwrap()
    }

    fn identity(&self) -> TlsIdentity {
        TlsIdentity::new(self.pair())
    }

    fn client(
        &self,
        versions: &[&'static SupportedProtocolVersion],
        alpn: &[&str],
    ) -> TlsConnector {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.pem.as_bytes()).unwrap()).unwrap();
        let mut config =
            ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
                .with_protocol_versions(versions)
                .unwrap()
                .with_root_certificates(roots)
                .with_no_client_auth();
        config.alpn_protocols = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
        TlsConnector::from(Arc::new(config))
    }
}

fn options(tls: &TlsIdentity) -> ServerOptions {
    ServerOptions { tls: Some(tls.clone()), ..ServerOptions::default() }
}

async fn dial(
    connector: &TlsConnector,
    address: SocketAddr,
) -> std::io::Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(address).await?;
    connector.connect(ServerName::try_from("localhost").unwrap(), stream).await
}

/// Sends a request and reads one response with a length, or what there is until the end.
async fn ask<S: AsyncReadExt + AsyncWriteExt + Unpin>(stream: &mut S, request: &[u8]) -> String {
    // A server that refuses early may close before it has read everything.
    let _ = stream.write_all(request).await;
    let mut bytes = Vec::new();
    let mut part = [0; 4_096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
            if length.is_some_and(|length| body.len() >= length.parse::<usize>().unwrap()) {
                return text;
            }
        }
        match stream.read(&mut part).await {
            Ok(count @ 1..) => bytes.extend_from_slice(&part[..count]),
            Ok(0) | Err(_) => return text,
        }
    }
}

/// Time until the server closes the connection.
async fn closed_after(mut stream: TcpStream) -> Duration {
    let begun = Instant::now();
    let mut buffer = [0; 4_096];
    let end = async { while let Ok(1..) = stream.read(&mut buffer).await {} };
    tokio::time::timeout(Duration::from_secs(20), end).await.expect("the server to hang up");
    begun.elapsed()
}

#[tokio::test]
async fn clients_of_both_versions_are_answered_and_others_are_not() {
    let authority = Authority::new();
    let tls = authority.identity();
    let server = Server::with(options(&tls), WebOptions::default()).await;
    for (versions, alpn) in [
        ([&TLS13], [].as_slice()),
        ([&TLS12], &[]),
        ([&TLS13], &["http/1.1"]),
        ([&TLS13], &["h2", "http/1.1"]),
    ] {
        let mut client = dial(&authority.client(&versions, alpn), server.address).await.unwrap();
        let chosen = client.get_ref().1.alpn_protocol().map(<[u8]>::to_vec);
        assert_eq!(chosen, (!alpn.is_empty()).then(|| b"http/1.1".to_vec()));
        for _ in 0..3 {
            let reply = ask(&mut client, GET).await;
            assert!(reply.starts_with("HTTP/1.1 200 ") && reply.ends_with("hello"), "{reply}");
            assert!(!reply.contains("strict-transport-security"), "only with `https_only`");
        }
    }
    let only_h2 = dial(&authority.client(&[&TLS13], &["h2"]), server.address).await;
    assert!(only_h2.unwrap_err().to_string().contains("NoApplicationProtocol"));
    let stranger = dial(&Authority::new().client(&[&TLS13], &[]), server.address).await;
    assert!(stranger.unwrap_err().to_string().contains("invalid peer certificate"));
}

#[tokio::test]
async fn every_answer_can_tell_browsers_to_use_https_alone() {
    let authority = Authority::new();
    let options = ServerOptions { https_only: true, ..options(&authority.identity()) };
    let server = Server::with(options, WebOptions::default()).await;
    let mut client = dial(&authority.client(&[&TLS13], &[]), server.address).await.unwrap();
    for path in ["/", "/nowhere", "/fault", "/panic"] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let reply = ask(&mut client, request.as_bytes()).await;
        assert!(reply.contains("strict-transport-security: max-age=31536000\r\n"), "{reply}");
    }
}

#[tokio::test]
async fn plain_http_gets_a_400_that_says_what_to_do() {
    let authority = Authority::new();
    let server = Server::with(options(&authority.identity()), WebOptions::default()).await;
    let begun = Instant::now();
    for request in [
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(),
        "POST /ask HTTP/1.1\r\n".to_owned(),
        "g".to_owned(),
        format!("PUT / HTTP/1.1\r\nContent-Length: 100000\r\n\r\n{}", "x".repeat(100_000)),
    ] {
        let reply = server.ask(&request).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "bad_request"));
        assert_eq!(reply.header("connection"), Some("close"));
        assert!(reply.text().contains("https://"), "{}", reply.text());
        assert_eq!(reply.json()["retryable"], false);
    }
    assert!(begun.elapsed() < SOON);
}

#[tokio::test]
async fn handshakes_that_do_not_end_are_closed_in_time() {
    let authority = Authority::new();
    let mut server = Server::with(options(&authority.identity()), WebOptions::default()).await;
    let with = async |bytes: Vec<u8>, drip: bool| {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(&bytes).await.unwrap();
        if drip {
            let (mut reader, mut writer) = stream.into_split();
            let begun = Instant::now();
            let drip = async {
                while writer.write_all(&[0]).await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(300)).await;
                }
            };
            let mut part = [0; 64];
            let end = async { while let Ok(1..) = reader.read(&mut part).await {} };
            tokio::select! { () = drip => {}, () = end => {} }
            return begun.elapsed();
        }
        closed_after(stream).await
    };
    // The head of a handshake message of 16,000 bytes, in a record of 16,000.
    let begin = vec![22, 3, 1, 62, 128, 1, 0, 62, 124, 3, 3];
    let (silent, half, dripping) =
        tokio::join!(with(vec![], false), with(begin.clone(), false), with(begin, true));
    for (case, took) in [("silent", silent), ("half", half), ("dripping", dripping)] {
        assert!(took < SOON && took > Duration::from_secs(2), "{case}: {took:?}");
    }
    // What is no TLS, or too long, is closed at once.
    let endless: Vec<u8> = std::iter::repeat_n(
        [[22, 3, 1, 64, 0, 1, 0, 255, 255].as_slice(), &[0; 16_379]].concat(),
        3,
    )
    .flatten()
    .collect();
    for bytes in [vec![0; 100], vec![128, 46, 1, 3, 1], b"\x16\x03\x01\xff\xff".to_vec(), endless] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        // It may be closed while it is still being written.
        let _ = stream.write_all(&bytes).await;
        let took = closed_after(stream).await;
        assert!(took < Duration::from_secs(3), "{took:?}");
    }
    // One that leaves at once costs nothing.
    drop(TcpStream::connect(server.address).await.unwrap());
    let mut good = dial(&authority.client(&[&TLS13], &[]), server.address).await.unwrap();
    assert!(ask(&mut good, GET).await.ends_with("hello"));
    server.begin_stop();
    drop(good);
    assert_eq!(server.report().await.aborted, 0);
}

#[tokio::test]
async fn a_thousand_unfinished_handshakes_are_bounded_and_stop_nobody() {
    const CAP: usize = 64;
    let authority = Authority::new();
    // Only the cap can close them while the test runs.
    let options = ServerOptions {
        max_connections: CAP,
        head_timeout: Duration::from_secs(120),
        ..options(&authority.identity())
    };
    let mut server = Server::with(options, WebOptions::default()).await;
    let connector = authority.client(&[&TLS13], &[]);
    let mut unfinished = Vec::new();
    for number in 0..1_000 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        if number % 2 == 0 {
            stream.write_all(&[22, 3, 1, 62, 128, 1, 0, 62, 124, 3, 3]).await.unwrap();
        }
        unfinished.push(stream);
        if number % 50 == 0 {
            let mut good = dial(&connector, server.address).await.unwrap();
            assert!(ask(&mut good, GET).await.ends_with("hello"), "after {number}");
        }
    }
    // All but the last ones have been closed.
    let mut open = 0;
    for stream in &mut unfinished {
        let mut part = [0; 1];
        let read = tokio::time::timeout(Duration::from_millis(5), stream.read(&mut part)).await;
        open += usize::from(read.is_err());
    }
    assert!(open <= CAP + CAP / 4 + 1, "{open}");
    server.begin_stop();
    let begun = Instant::now();
    let report = server.report().await;
    assert!(begun.elapsed() < SOON, "the stop does not wait for them");
    assert_eq!((report.refused, report.aborted), (0, 0), "{report:?}");
    assert!(report.evicted > 900, "{report:?}");
}

#[tokio::test]
async fn when_all_connections_are_busy_a_new_one_is_closed() {
    let authority = Authority::new();
    let options = ServerOptions { max_connections: 1, ..options(&authority.identity()) };
    let mut server = Server::with(options, WebOptions::default()).await;
    let connector = authority.client(&[&TLS13], &[]);
    let mut busy = dial(&connector, server.address).await.unwrap();
    busy.write_all(b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    server.arrived.notified().await;
    assert!(dial(&connector, server.address).await.is_err());
    server.release.notify_waiters();
    assert!(ask(&mut busy, b"").await.ends_with("released"));
    server.begin_stop();
    assert_eq!(server.report().await.refused, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replaced_certificate_is_for_new_connections_and_loses_no_request() {
    let authority = Authority::new();
    let tls = authority.identity();
    let server = Server::with(options(&tls), WebOptions::default()).await;
    let presented = |client: &TlsStream<TcpStream>| {
        client.get_ref().1.peer_certificates().unwrap()[0].as_ref().to_vec()
    };
    let connector = authority.client(&[&TLS13], &[]);
    let mut old = dial(&connector, server.address).await.unwrap();
    assert_eq!(presented(&old), tls.current().certificate_der());
    tls.replace(authority.pair());
    assert!(ask(&mut old, GET).await.ends_with("hello"), "an open connection goes on");
    // The client has a ticket of the former pair, which must not bring that back.
    let mut new = dial(&connector, server.address).await.unwrap();
    assert_eq!(presented(&new), tls.current().certificate_der());
    assert_ne!(presented(&new), presented(&old));
    assert!(ask(&mut new, GET).await.ends_with("hello"));

    // Under load, with both versions.
    let pairs: Vec<TlsPair> = (0..30).map(|_| authority.pair()).collect();
    let clients: Vec<_> = [&TLS12, &TLS13, &TLS12, &TLS13]
        .into_iter()
        .map(|version| {
            let (connector, address) = (authority.client(&[version], &[]), server.address);
            tokio::spawn(async move {
                for number in 0..60 {
                    let mut client = dial(&connector, address).await.unwrap();
                    for _ in 0..3 {
                        let reply = ask(&mut client, GET).await;
                        assert!(reply.ends_with("hello"), "{number}: {reply}");
                    }
                }
            })
        })
        .collect();
    for pair in pairs {
        tls.replace(pair);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    for client in clients {
        client.await.unwrap();
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_is_given_up() {
    let authority = Authority::new();
    let options = ServerOptions {
        write_allowance: Duration::from_millis(600),
        ..options(&authority.identity())
    };
    let mut server = Server::with(options, WebOptions::default()).await;
    let mut client = dial(&authority.client(&[&TLS13], &[]), server.address).await.unwrap();
    client.write_all(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.begin_stop();
    let begun = Instant::now();
    let report = server.report().await;
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    assert_eq!(report.aborted, 0);
}

#[tokio::test]
async fn a_refused_upload_still_gets_its_answer() {
    let authority = Authority::new();
    let server = Server::with(options(&authority.identity()), WebOptions::default()).await;
    let mut client = dial(&authority.client(&[&TLS13], &[]), server.address).await.unwrap();
    let head = "POST /ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
                Content-Length: 2000000\r\n\r\n";
    let upload = [head.as_bytes(), &[b' '; 300_000]].concat();
    let reply = ask(&mut client, &upload).await;
    assert!(reply.starts_with("HTTP/1.1 413 "), "{reply}");
}

#[tokio::test]
async fn the_stop_finishes_handshakes_and_requests() {
    let authority = Authority::new();
    let mut server = Server::with(options(&authority.identity()), WebOptions::default()).await;
    let connector = authority.client(&[&TLS13], &[]);
    let mut working = dial(&connector, server.address).await.unwrap();
    working.write_all(b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    server.arrived.notified().await;
    let begun = TcpStream::connect(server.address).await.unwrap();
    // Accepted, but without a handshake when the stop begins.
    tokio::time::sleep(Duration::from_millis(50)).await;
    server.begin_stop();
    let late = async {
        let name = ServerName::try_from("localhost").unwrap();
        let mut client = connector.connect(name, begun).await.unwrap();
        ask(&mut client, GET).await
    };
    let reply = late.await;
    assert!(reply.starts_with("HTTP/1.1 200 ") && reply.ends_with("hello"), "{reply}");
    server.release.notify_waiters();
    assert!(ask(&mut working, b"").await.ends_with("released"));
    assert_eq!(server.report().await.aborted, 0);
}

/// Runs a program of the distribution; `None` if it is not installed.
#[allow(clippy::print_stdout, reason = "shows which checks were skipped")]
async fn run(
    program: &'static str,
    arguments: Vec<String>,
    input: &'static [u8],
) -> Option<Output> {
    tokio::task::spawn_blocking(move || {
        use std::io::Write;
        let mut child = Command::new(program)
            .args(&arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| println!("skipped: {program}: {error}"))
            .ok()?;
        // A client that is refused does not read it.
        let _ = child.stdin.take().unwrap().write_all(input);
        Some(child.wait_with_output().unwrap())
    })
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn curl_and_openssl_are_answered() {
    let authority = Authority::new();
    let server = Server::with(options(&authority.identity()), WebOptions::default()).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, &authority.pem).unwrap();
    let (ca, at) = (file.display().to_string(), server.address);
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
    for version in ["--tlsv1.2 --tls-max 1.2", "--tlsv1.3", "--http1.1", "--http2"] {
        let arguments = words(&format!(
            "-sS --max-time 20 {version} --cacert {ca} https://{at}/ https://{at}/"
        ));
        let Some(output) = run("curl", arguments, b"").await else { break };
        let (out, err) = (output.stdout, String::from_utf8_lossy(&output.stderr).into_owned());
        assert_eq!(String::from_utf8_lossy(&out), "hellohello", "{version}: {err}");
    }
    let plain = words(&format!("-sS --max-time 20 -w %{{http_code}} http://{at}/"));
    if let Some(output) = run("curl", plain, b"").await {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("https://") && text.ends_with("400"), "{text}");
    }
    for (version, works) in [("-tls1_3", true), ("-tls1_2", true), ("-tls1_1", false)] {
        let arguments = words(&format!(
            "s_client -connect {at} -servername localhost -CAfile {ca} -verify_return_error -quiet {version}"
        ));
        let request = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let Some(output) = run("openssl", arguments, request).await else { break };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(text.contains("hello"), works, "{version}: {text} {:?}", output.stderr);
    }
}

/// Keys in the forms in which OpenSSL writes them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pairs_made_by_openssl_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let words = |text: String| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
    for kind in ["rsa:2048", "ec -pkeyopt ec_paramgen_curve:P-256", "ed25519"] {
        let request = words(format!(
            "req -x509 -newkey {kind} -nodes -days 30 -subj /CN=localhost -addext \
             subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout {} -out {}",
            at("key.pem"),
            at("cert.pem")
        ));
        let Some(made) = run("openssl", request, b"").await else { return };
        assert!(made.status.success(), "{kind}: {}", String::from_utf8_lossy(&made.stderr));
        let mut files = vec![at("key.pem")];
        // The older forms: PKCS #1, and SEC 1 with its parameters before it.
        let older = match kind {
            "rsa:2048" => {
                Some(format!("rsa -traditional -in {} -out {}", at("key.pem"), at("old.pem")))
            }
            "ed25519" => None,
            _ => Some(format!("ec -in {} -out {}", at("key.pem"), at("old.pem"))),
        };
        if let Some(older) = older {
            assert!(run("openssl", words(older), b"").await.unwrap().status.success());
            files.push(at("old.pem"));
        }
        let certificate = std::fs::read(at("cert.pem")).unwrap();
        for key in files {
            let pair = TlsPair::from_pem(&certificate, &std::fs::read(key).unwrap()).unwrap();
            assert!(pair.covers("localhost") && pair.covers("127.0.0.1"));
            let tls = TlsIdentity::new(pair);
            let server = Server::with(options(&tls), WebOptions::default()).await;
            let (ca, address) = (at("cert.pem"), server.address);
            let get = words(format!("-sS --max-time 20 --cacert {ca} https://{address}/"));
            let Some(got) = run("curl", get, b"").await else { return };
            let said = String::from_utf8_lossy(&got.stderr).into_owned();
            assert_eq!(String::from_utf8_lossy(&got.stdout), "hello", "{kind}: {said}");
        }
    }
}
