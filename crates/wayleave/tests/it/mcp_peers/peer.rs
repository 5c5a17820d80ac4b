//! Starts, edits and stops real MCP servers, and reads what they were asked.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::lab_server::{Extension, LabServer};
use crate::server::Server;
use crate::tools::{self, McpPython};

/// Where the lab's [`lab::MCP_PEER_HOST`] leads.
const PEER_ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 77, 0, 99);
/// Importing the Python libraries takes ten seconds on an idle machine.
const START_TIME: Duration = Duration::from_secs(120);
const START_ATTEMPTS: usize = 5;

/// The sentence of `mcp_server.py` that tests edit.
pub(super) const DESCRIPTION: &str = "Adds two numbers.";

/// What a server may be asked by a scan: nothing that calls a tool, gets a prompt or reads a resource.
const HARMLESS: [&str; 8] = [
    "initialize",
    "notifications/initialized",
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    // A GET or a DELETE, which have no body.
    "-",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `@modelcontextprotocol/server-everything`, with the name of its transport.
    Everything(&'static str),
    /// `mcp_server.py` in this form.
    Python(McpPython, &'static str),
}

impl Kind {
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Everything("sse") | Self::Python(_, "sdk-sse") => "/sse",
            _ => "/mcp",
        }
    }
}

/// The name and the address that a server is reached by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) host: &'static str,
    pub(super) address: Ipv4Addr,
    pub(super) port: u16,
}

impl Place {
    pub(super) fn new() -> Self {
        Self { host: lab::MCP_PEER_HOST, address: PEER_ADDRESS, port: free_port() }
    }
}

/// A certificate for a host and its key, in PEM.
pub(super) struct Certificate {
    pub(super) certificate: PathBuf,
    key: PathBuf,
    _folder: TempDir,
}

impl Certificate {
    pub(super) fn new(host: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (certificate, key) = (folder.path().join("peer.pem"), folder.path().join("peer.key"));
        let made = rcgen::generate_simple_self_signed([host.to_owned()]).unwrap();
        std::fs::write(&certificate, made.cert.pem()).unwrap();
        std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
        Self { certificate, key, _folder: folder }
    }

    pub(super) fn pem(&self) -> String {
        std::fs::read_to_string(&self.certificate).unwrap()
    }
}

/// A running server; stopped when dropped.
pub(super) struct Peer {
    kind: Kind,
    pub(super) place: Place,
    tls: bool,
    /// Made once: the program, and everything that it is told.
    command: Command,
    child: Child,
    folder: TempDir,
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Peer {
    /// Nothing if what it needs is not installed.
    ///
    /// Between finding a free port and listening on it another test may take the port: then the server ends,
    /// and is started at another one.
    pub(super) fn start(kind: Kind) -> Option<Self> {
        let mut ended = String::new();
        for _ in 0..START_ATTEMPTS {
            match Self::launch(Place::new(), kind, None)? {
                Ok(peer) => return Some(peer),
                Err(why) => ended = why,
            }
        }
        panic!("{ended}");
    }

    pub(super) fn start_at(place: Place, kind: Kind, tls: Option<&Certificate>) -> Option<Self> {
        Self::launch(place, kind, tls).map(Result::unwrap)
    }

    /// An error if the server ended before it listened.
    fn launch(place: Place, kind: Kind, tls: Option<&Certificate>) -> Option<Result<Self, String>> {
        let folder = tempfile::tempdir().unwrap();
        let mut command = match kind {
            Kind::Everything(transport) => everything(folder.path(), transport, place.port)?,
            Kind::Python(python, form) => {
                let mut command = python.command()?;
                // A copy, so that a test can edit it.
                let script = folder.path().join("mcp_server.py");
                std::fs::copy(tools::script("mcp_server.py"), &script).unwrap();
                let (address, port) = (place.address.to_string(), place.port.to_string());
                command.arg(script).args([form, place.host, &address, &port]);
                command.arg(folder.path().join("asked"));
                if let Some(tls) = tls {
                    command.args([&tls.certificate, &tls.key]);
                }
                command
            }
        };
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let child = spawn(&mut command, folder.path());
        let mut peer = Self { kind, place, tls: tls.is_some(), command, child, folder };
        Some(peer.wait_until_ready().map(|()| peer))
    }

    pub(super) fn url(&self) -> String {
        let scheme = if self.tls { "https" } else { "http" };
        format!("{scheme}://{}:{}{}", self.place.host, self.place.port, self.kind.path())
    }

    /// What it was asked so far: the HTTP method, the path and the JSON-RPC method of each request.
    pub(super) fn asked(&self) -> Vec<[String; 3]> {
        let text = std::fs::read_to_string(self.folder.path().join("asked")).unwrap_or_default();
        let words = |line: &str| {
            let mut words = line.splitn(3, ' ').map(str::to_owned);
            [(); 3].map(|()| words.next().unwrap())
        };
        text.lines().map(words).collect()
    }

    /// Shows from the server's own record that it was asked for lists only, and for tools.
    pub(super) fn must_have_listed_only(&self, tools_listed: bool) {
        let asked = self.asked();
        let methods: Vec<&str> = asked.iter().map(|[_, _, method]| method.as_str()).collect();
        for method in &methods {
            assert!(HARMLESS.contains(method), "{:?} was asked {asked:?}", self.kind);
        }
        assert_eq!(methods.contains(&"tools/list"), tools_listed, "{:?}: {asked:?}", self.kind);
        assert!(!methods.is_empty(), "{:?}", self.kind);
    }

    /// Edits the description of a tool in the server's script and starts it again at the same address.
    pub(super) fn redescribe(&mut self, description: &str) {
        let script = self.folder.path().join("mcp_server.py");
        let text = std::fs::read_to_string(&script).unwrap();
        assert_eq!(text.matches(DESCRIPTION).count(), 1);
        std::fs::write(&script, text.replace(DESCRIPTION, description)).unwrap();
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.child = spawn(&mut self.command, self.folder.path());
        self.wait_until_ready().unwrap();
    }

    #[allow(clippy::disallowed_methods, reason = "a test speaks to its own server")]
    fn wait_until_ready(&mut self) -> Result<(), String> {
        let started = Instant::now();
        while TcpStream::connect((self.place.address, self.place.port)).is_err() {
            let said = || std::fs::read_to_string(self.folder.path().join("stderr")).unwrap();
            if let Some(status) = self.child.try_wait().unwrap() {
                return Err(format!("{:?} ended with {status}: {}", self.kind, said()));
            }
            assert!(started.elapsed() < START_TIME, "{:?} does not listen: {}", self.kind, said());
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }
}

fn everything(folder: &Path, transport: &str, port: u16) -> Option<Command> {
    let package = tools::node_modules()?.join("@modelcontextprotocol/server-everything");
    let script = package.join("dist/index.js");
    if !script.exists() {
        return tools::skip_test("server-everything is not among the Node packages");
    }
    let mut command = tools::node()?;
    command.arg("--require").arg(tools::script("mcp_recorder.cjs")).arg(script).arg(transport);
    command.env("PORT", port.to_string()).env("RECORD", folder.join("asked"));
    Some(command)
}

fn spawn(command: &mut Command, folder: &Path) -> Child {
    let log = std::fs::File::create(folder.join("stderr")).unwrap();
    command.stderr(log).spawn().unwrap()
}

/// A port that nobody listens on at the moment.
fn free_port() -> u16 {
    // Some of the servers listen on every address, so the port must be free on all of them.
    TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap().local_addr().unwrap().port()
}

/// A service that may ask these servers.
pub(super) fn service_for(peers: &[Peer]) -> LabServer {
    let ports = peers.iter().map(|peer| peer.place.port).collect();
    service_with(Extension { ports, ..Extension::default() })
}

pub(super) fn service_with(extension: Extension) -> LabServer {
    LabServer::start_extended(&[], "[targets]\nenabled = false\n", &extension)
}

/// `GET /api/v1/mcp/{path}?url=…`, which must succeed.
pub(super) fn ask(server: &Server, path: &str, peer: &Peer, more: &str) -> Value {
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("url", &peer.url())
        .finish();
    let reply = server.get(&format!("/api/v1/mcp/{path}?{query}{more}"));
    assert_eq!(reply.status, 200, "{}: {}", peer.url(), reply.text());
    reply.json()
}
