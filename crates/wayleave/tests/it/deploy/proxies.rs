//! The files for nginx and Caddy, run in front of an upstream of the test.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::{deploy_file, text};

/// nginx or Caddy with its file of `deploy/`, in front of an upstream of this test, without TLS.
struct Proxy {
    child: Child,
    address: SocketAddr,
    folder: TempDir,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_address() -> SocketAddr {
    TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap().local_addr().unwrap()
}

#[track_caller]
fn with_line(text: &str, line: &str, to: &str) -> String {
    assert!(text.contains(line), "{line}: {text}");
    text.replace(line, to)
}

impl Proxy {
    /// `None` if the program is not installed.
    fn start(program: &str, upstream: SocketAddr) -> Option<Self> {
        Command::new(program).arg("-v").output().ok()?;
        let mut logs = Default::default();
        // Another program may get one of the ports first: then there are other ports.
        for _ in 0..3 {
            match Self::start_once(program, upstream) {
                Ok(proxy) => return Some(proxy),
                Err(written) => logs = written,
            }
        }
        panic!("{program}: {logs:?}");
    }

    /// The error is what the program wrote before it ended.
    #[allow(clippy::disallowed_methods, reason = "a test speaks to its own proxy")]
    fn start_once(program: &str, upstream: SocketAddr) -> Result<Self, [String; 2]> {
        let folder = tempfile::tempdir().unwrap();
        let (address, at) = (free_address(), folder.path().display());
        let mut command = Command::new(program);
        let config = if program == "nginx" {
            let site =
                with_line(&deploy_file("nginx.conf"), "127.0.0.1:8080", &upstream.to_string());
            let site = with_line(&site, "listen 443 ssl http2;", &format!("listen {address};"));
            let site = with_line(&site, "listen 80;", &format!("listen {};", free_address()));
            let plain = |line: &&str| !line.contains("[::]") && !line.contains(" ssl_");
            let site: String = site.lines().filter(plain).flat_map(|line| [line, "\n"]).collect();
            let folders: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
                .map(|name| format!("{name}_temp_path {at}/{name};\n"))
                .concat();
            command.args(["-p", folder.path().to_str().unwrap(), "-c", "config"]);
            // One process, which ends when it is killed.
            format!(
                "daemon off; master_process off; pid {at}/pid; error_log {at}/log; events {{}}\n\
                 http {{\naccess_log off;\n{folders}{site}}}\n"
            )
        } else {
            let site =
                with_line(&deploy_file("Caddyfile"), "127.0.0.1:8080", &upstream.to_string());
            let site = with_line(&site, "wayleave.example {", &format!("http://{address} {{"));
            command.args(["run", "--adapter", "caddyfile", "--config", "config"]);
            format!("{{\n\tadmin off\n\tauto_https off\n}}\n{site}")
        };
        std::fs::write(folder.path().join("config"), config).unwrap();
        let log = std::fs::File::create(folder.path().join("stderr")).unwrap();
        command.current_dir(folder.path()).env("HOME", folder.path());
        let child = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
        let mut proxy = Self { child, address, folder };
        let begun = Instant::now();
        while TcpStream::connect(address).is_err() {
            let ended = proxy.child.try_wait().unwrap();
            let logs = ["stderr", "log"].map(|name| text(&proxy.folder, name));
            if ended.is_some() {
                return Err(logs);
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "{program}: {logs:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(proxy)
    }

    #[allow(clippy::disallowed_methods, reason = "a test speaks to its own proxy")]
    fn send(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }
}

#[track_caller]
fn read_until(stream: &mut TcpStream, end: &str) -> String {
    let (mut all, mut byte) = (Vec::new(), [0]);
    while !all.ends_with(end.as_bytes()) {
        let read = stream.read(&mut byte);
        assert!(
            matches!(read, Ok(1)),
            "{read:?} before {end:?}: {}",
            String::from_utf8_lossy(&all)
        );
        all.extend(byte);
    }
    String::from_utf8(all).unwrap()
}

/// Reports the head of every request. Sends the end of an event stream only when told to.
fn start_upstream(heads: Sender<String>, finish: Receiver<()>) -> SocketAddr {
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let head = read_until(&mut stream, "\r\n\r\n");
            let is_stream = head.contains("/events ");
            if heads.send(head).is_err() {
                return;
            }
            if !is_stream {
                let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
                continue;
            }
            let first = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                         connection: close\r\n\r\nevent: progress\n\n";
            let _ = stream.write_all(first.as_bytes());
            let _ = finish.recv_timeout(Duration::from_secs(30));
            let _ = stream.write_all(b"event: end\n\n");
        }
    });
    address
}

/// The proxies state the client's address and nobody else does, and pass the progress of a scan on at once.
#[track_caller]
fn check_proxy(program: &str, lines: &[&str]) {
    let ((heads, seen), (finish, told)) = (channel(), channel());
    let Some(proxy) = Proxy::start(program, start_upstream(heads, told)) else {
        // Not installed: at least the lines that matter are there.
        let file = deploy_file(if program == "nginx" { "nginx.conf" } else { "Caddyfile" });
        for line in lines {
            assert!(file.lines().any(|found| found.trim() == *line), "{program}: {line}");
        }
        return;
    };
    let host = format!("host: {}", proxy.address);
    let headers = format!(
        "{host}\r\nx-forwarded-for: 198.51.100.1\r\nforwarded: for=198.51.100.2\r\nconnection: close\r\n"
    );
    // The form of the home page, which must not be redirected.
    let mut form =
        proxy.send(&format!("POST /scan HTTP/1.1\r\n{headers}content-length: 0\r\n\r\n"));
    assert!(read_until(&mut form, "\r\n").starts_with("HTTP/1.1 204"), "{program}");
    let head = seen.recv().unwrap().to_ascii_lowercase();
    assert!(head.starts_with("post /scan http/1.1\r\n"), "{program}: {head}");
    assert!(head.contains("\r\nx-forwarded-for: 127.0.0.1\r\n"), "{program}: {head}");
    assert!(head.contains(&format!("\r\n{host}\r\n")), "{program}: {head}");
    assert!(!head.contains("198.51.100.") && !head.contains("\r\nforwarded:"), "{program}: {head}");
    let mut metrics = proxy.send(&format!("GET /metrics HTTP/1.1\r\n{headers}\r\n"));
    assert!(read_until(&mut metrics, "\r\n").starts_with("HTTP/1.1 404"), "{program}");
    // The first event arrives while the upstream has not sent the last one.
    let mut events = proxy.send(&format!("GET /scan/abc/events HTTP/1.1\r\n{headers}\r\n"));
    read_until(&mut events, "event: progress\n\n");
    let head = seen.recv().unwrap().to_ascii_lowercase();
    assert!(!head.contains("198.51.100.") && !head.contains("\r\nforwarded:"), "{program}: {head}");
    finish.send(()).unwrap();
    read_until(&mut events, "event: end\n\n");
}

#[test]
fn nginx_states_the_client_and_does_not_hold_back_progress() {
    check_proxy(
        "nginx",
        &[
            "proxy_set_header X-Forwarded-For $remote_addr;",
            "proxy_set_header Forwarded \"\";",
            "proxy_set_header Host $http_host;",
            "location ~ ^/scan/[^/]+/events$ {",
            "proxy_buffering off;",
            "location = /metrics { return 404; }",
        ],
    );
}

#[test]
fn caddy_states_the_client_and_does_not_hold_back_progress() {
    let lines =
        ["header_up X-Forwarded-For {remote_host}", "header_up -Forwarded", "respond /metrics 404"];
    check_proxy("caddy", &lines);
}
