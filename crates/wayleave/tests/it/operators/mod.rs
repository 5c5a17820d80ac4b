//! What operators do with a running server: TLS files, SIGHUP.

mod doctor;
mod sighup;
mod tls_files;

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tempfile::TempDir;

use crate::server::{HttpReply, Server, wayleave};

/// The name that the certificates are for.
const HOST: &str = "wayleave.test";

/// An authority that the clients of these tests trust.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    config: Arc<ClientConfig>,
}

/// A certificate and its key, as PEM.
#[derive(Clone)]
struct Pair {
    certificate: String,
    key: String,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // Of the same name as its certificates, OpenSSL would take these for self-signed ones.
        params.distinguished_name.push(DnType::CommonName, "An authority of tests");
        let certificate = params.self_signed(&key).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(certificate.der().clone()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        Self { issuer: Issuer::new(params, key), config: Arc::new(config) }
    }

    fn pair(&self) -> Pair {
        self.pair_until(2100)
    }

    /// A pair that ends on the first day of this year.
    fn pair_until(&self, year: i32) -> Pair {
        self.pair_for(&[HOST], (year, 1, 1))
    }

    fn pair_for(&self, names: &[&str], (year, month, day): (i32, u8, u8)) -> Pair {
        let key = KeyPair::generate().unwrap();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.not_before = rcgen::date_time_ymd(2001, 1, 1);
        params.not_after = rcgen::date_time_ymd(year, month, day);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Pair { certificate: certificate.pem(), key: key.serialize_pem() }
    }

    /// One request on its own connection, and the certificate that the server presented.
    #[allow(clippy::disallowed_methods, reason = "a test speaks to its own server")]
    fn get(&self, address: SocketAddr, path: &str) -> Result<(HttpReply, Vec<u8>), String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let socket = TcpStream::connect(address).map_err(|error| text(&error))?;
        socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let name = ServerName::try_from(HOST).unwrap();
        let client = ClientConnection::new(Arc::clone(&self.config), name).unwrap();
        let mut stream = StreamOwned::new(client, socket);
        let head = format!("GET {path} HTTP/1.1\r\nhost: {HOST}\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).map_err(|error| text(&error))?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).map_err(|error| text(&error))?;
        let presented = stream.conn.peer_certificates().unwrap()[0].to_vec();
        Ok((HttpReply::parse(&bytes), presented))
    }
}

impl Pair {
    fn der(&self) -> Vec<u8> {
        CertificateDer::from_pem_slice(self.certificate.as_bytes()).unwrap().to_vec()
    }
}

/// A folder with a configuration, TLS files, data, and what the server logs.
struct Installation {
    folder: TempDir,
}

impl Installation {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `sections` is TOML with `[server]` first; what every test needs is added.
    fn configure(&self, server: &str, sections: &str) {
        let data = self.file("data");
        let text = format!(
            "[server]\nlisten = \"127.0.0.1:0\"\n{server}\n[store]\ndata_dir = {data:?}\n\
             [proof]\ncalendars = []\n[agents]\nfetch_feeds = false\n{sections}\n"
        );
        self.write_config(&text);
    }

    /// As editors and tools replace a file. A file that is being written is empty for a moment, and an
    /// empty one is a valid configuration.
    fn write_config(&self, text: &str) {
        fs::write(self.file("new.toml"), text).unwrap();
        fs::rename(self.file("new.toml"), self.file("wayleave.toml")).unwrap();
    }

    /// Lines for `[server]` that use the TLS files of this folder.
    fn tls_lines(&self) -> String {
        let (certificate, key) = (self.file("cert.pem"), self.file("key.pem"));
        format!("tls_cert = {certificate:?}\ntls_key = {key:?}\nbase_url = \"https://{HOST}\"\n")
    }

    fn write_pair(&self, pair: &Pair) {
        self.write_secret("key.pem", &pair.key);
        fs::write(self.file("cert.pem"), &pair.certificate).unwrap();
    }

    fn write_secret(&self, name: &str, text: &str) {
        use std::os::unix::fs::OpenOptionsExt;
        let mut options = fs::File::options();
        let file = options.create(true).write(true).truncate(true).mode(0o600);
        file.open(self.file(name)).unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn command(&self) -> Command {
        let mut command = wayleave();
        let log = fs::File::options().create(true).append(true).open(self.file("log")).unwrap();
        command.args(["serve", "--json", "--config"]).arg(self.file("wayleave.toml"));
        command.stdout(Stdio::piped()).stderr(log);
        command
    }

    fn start(&self) -> Server {
        Server::wait_until_ready(self.command().spawn().unwrap())
    }

    fn log(&self) -> String {
        fs::read_to_string(self.file("log")).unwrap_or_default()
    }

    /// Waits until the log has so many lines with this text.
    #[track_caller]
    fn wait_for_lines(&self, text: &str, count: usize) {
        let until = Instant::now() + Duration::from_secs(25);
        while self.log().matches(text).count() < count {
            assert!(Instant::now() < until, "{count} times {text:?}: {}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn send_hangup(server: &Server) {
    let sent = Command::new("kill").arg("-HUP").arg(server.child.id().to_string()).status();
    assert!(sent.unwrap().success());
}
