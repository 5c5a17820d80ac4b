//! Runs `wayleave demo` and talks to it over real sockets.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use contract::Clock;
use door::SystemClock;
use serde_json::{Value, json};

/// The minutes of the hour at which queued scans start.
const UPGRADE_MINUTES: &str = "--resolve-upgrade-minutes";

/// The program under test.
pub(crate) fn wayleave() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wayleave"));
    // Ignore variables that a developer may have set.
    for (name, _) in std::env::vars() {
        if name.starts_with("WAYLEAVE_") {
            command.env_remove(name);
        }
    }
    command.current_dir(std::env::temp_dir());
    command
}

/// A running demo; stopped when dropped.
///
/// A reader thread appends standard error to `said`; the mutex guards it.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    /// Standard error since the server was ready.
    stderr_bytes: Arc<Mutex<Vec<u8>>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        // SIGTERM and not SIGKILL, so that it deletes its temporary folder.
        let _ = Command::new("kill")
            .arg("-TERM")
            .arg(self.child.id().to_string())
            .stderr(Stdio::null())
            .status();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Starts a demo without limits per client address and per target, because all tests use the same
    /// address and read the same sites.
    pub(crate) fn start_demo(arguments: &[&str]) -> Self {
        let off = ["--limits-enabled", "false", "--targets-enabled", "false"];
        Self::start_demo_with_limits(&[off.as_slice(), arguments].concat())
    }

    /// Starts a demo with the default limits. Queued scans start in 50 minutes, so that they change no
    /// answers while a test runs, unless the arguments say when.
    pub(crate) fn start_demo_with_limits(arguments: &[&str]) -> Self {
        let mut command = wayleave();
        command.args(["demo", "--server-listen", "127.0.0.1:0"]).args(arguments);
        if !arguments.contains(&UPGRADE_MINUTES) {
            let minute = (SystemClock.now().as_millis() / 60_000 + 50) % 60;
            command.args([UPGRADE_MINUTES, &minute.to_string()]);
        }
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut reader = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        let address = loop {
            line.clear();
            assert!(
                reader.read_line(&mut line).unwrap() > 0,
                "the demo stopped before it was ready"
            );
            if let Some(rest) = line.split("running at http://").nth(1) {
                break rest.split(' ').next().unwrap().parse().unwrap();
            }
        };
        // Keep reading, so that the server never blocks.
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let writer = Arc::clone(&stderr);
        std::thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut part) {
                writer.lock().unwrap().extend_from_slice(&part[..count]);
            }
        });
        Self { child, address, stderr_bytes: stderr }
    }

    /// Starts `wayleave serve` with this configuration, and waits until it says where it serves.
    pub(crate) fn start_serve(configuration: &std::path::Path) -> Self {
        let child = wayleave()
            .args(["serve", "--json", "--config"])
            .arg(configuration)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self::wait_until_ready(child)
    }

    /// A server that was started with `--json`, once it says where it serves.
    pub(crate) fn wait_until_ready(mut child: Child) -> Self {
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).expect("it says where it serves");
        let address = ready["listen"].as_str().unwrap().parse().unwrap();
        Self::at(child, address)
    }

    /// A server that is ready at this address.
    pub(crate) fn at(child: Child, address: SocketAddr) -> Self {
        Self { child, address, stderr_bytes: Arc::default() }
    }

    /// The demo shared by tests that do not change its configuration or data.
    #[allow(clippy::zombie_processes, reason = "the watcher outlives this process on purpose")]
    pub(crate) fn shared() -> &'static Self {
        static SHARED: OnceLock<Server> = OnceLock::new();
        SHARED.get_or_init(|| {
            let server = Self::start_demo(&[]);
            // Statics are not dropped, so a watcher process stops the server when the tests end.
            let (pid, me) = (server.child.id(), std::process::id());
            Command::new("sh")
                .arg("-c")
                .arg(format!("while kill -0 {me} 2>/dev/null; do sleep 1; done; kill {pid}"))
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            server
        })
    }

    pub(crate) fn stderr_so_far(&self) -> String {
        String::from_utf8_lossy(&self.stderr_bytes.lock().unwrap()).into_owned()
    }

    /// The folder after "Data is stored in", which a demo prints at its start.
    pub(crate) fn stated_data_dir(&self) -> String {
        for _ in 0..500 {
            let printed = self.stderr_so_far();
            let stated = printed.split_once("Data is stored in ");
            if let Some((folder, _)) = stated.and_then(|(_, rest)| rest.split_once(".\n")) {
                return folder.to_owned();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the demo does not say where its data is: {}", self.stderr_so_far());
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn get(&self, path: &str) -> HttpReply {
        self.get_with(path, "")
    }

    /// With further header lines, each with its line end.
    pub(crate) fn get_with(&self, path: &str, headers: &str) -> HttpReply {
        let head = format!("GET {path} HTTP/1.1\r\nhost: x\r\n{headers}connection: close\r\n\r\n");
        self.send(head.as_bytes())
    }

    /// A JSON body with further header lines, each with its line end.
    pub(crate) fn post_with(&self, path: &str, headers: &str, body: &str) -> HttpReply {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\n{headers}content-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        self.send(head.as_bytes())
    }

    /// `POST /api/scan` with this body as JSON.
    pub(crate) fn post_scan(&self, body: &[u8]) -> HttpReply {
        self.post("/api/scan", Some("application/json"), body)
    }

    pub(crate) fn post(&self, path: &str, content_type: Option<&str>, body: &[u8]) -> HttpReply {
        let content_type =
            content_type.map(|t| format!("content-type: {t}\r\n")).unwrap_or_default();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\n{content_type}content-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        self.send(&[head.as_bytes(), body].concat())
    }

    /// Scans a domain and expects a record. Waits if another test is scanning the same site.
    pub(crate) fn scan(&self, domain: &str) -> Value {
        let answer = ask(self, &json!(domain));
        assert_eq!(answer.status, 200, "{domain}: {}", answer.text());
        answer.json()
    }

    #[allow(clippy::disallowed_methods, reason = "a test speaks to its own server")]
    pub(crate) fn send(&self, request: &[u8]) -> HttpReply {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        // A server that refuses early may close before it has read everything.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        HttpReply::parse(&bytes)
    }
}

/// A response of unknown length: asked for by HTTP/1.0, whose responses end with the connection.
pub(crate) fn get_stream(server: &Server, path: &str, headers: &str) -> HttpReply {
    server.send(format!("GET {path} HTTP/1.0\r\nhost: x\r\n{headers}\r\n").as_bytes())
}

/// `POST /api/scan`. Another test may be scanning the same site of the shared server, which is
/// answered with 429; then this one waits for its turn.
pub(crate) fn ask(server: &Server, domain: &Value) -> HttpReply {
    let body = json!({ "domain": domain }).to_string();
    for _ in 0..60 {
        let answer = server.post_scan(body.as_bytes());
        if answer.status != 429 {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    panic!("{domain}: a scan of it never ended");
}

/// One HTTP response.
#[derive(Debug)]
pub(crate) struct HttpReply {
    pub(crate) status: u16,
    /// Lower-case names.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl HttpReply {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|w| w == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(bytes)));
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let body = bytes[end + 4..].to_vec();
        assert!(
            !headers.iter().any(|(name, _)| name == "transfer-encoding"),
            "answers have a length"
        );
        Self { status, headers, body }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    /// The error code, after checking the format of the error response.
    pub(crate) fn error_code(&self) -> String {
        let body = self.json();
        let sentence = body["error"].as_str().unwrap_or_else(|| panic!("no sentence: {body}"));
        assert!(sentence.ends_with('.') && sentence.len() > 10, "not a sentence: {sentence:?}");
        assert_eq!(body["request_id"].as_str(), self.header("x-request-id"), "{body}");
        body["code"].as_str().unwrap_or_else(|| panic!("no code: {body}")).to_owned()
    }
}
