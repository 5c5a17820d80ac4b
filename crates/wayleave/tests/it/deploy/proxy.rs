//! nginx and Caddy, run by a test with a configuration of `deploy/`.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::text;

/// A running nginx or Caddy, without TLS; killed when dropped.
pub(super) struct Proxy {
    child: Child,
    pub(super) address: SocketAddr,
    folder: TempDir,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn free_address() -> SocketAddr {
    TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap().local_addr().unwrap()
}

#[track_caller]
pub(super) fn with_line(text: &str, line: &str, to: &str) -> String {
    assert!(text.contains(line), "{line}: {text}");
    text.replace(line, to)
}

impl Proxy {
    /// `site` is given the address to listen on. `None` if the program is not installed.
    pub(super) fn start(program: &str, site: &dyn Fn(SocketAddr) -> String) -> Option<Self> {
        Command::new(program).arg("-v").output().ok()?;
        let mut logs = Default::default();
        // Another program may get one of the ports first: then there are other ports.
        for _ in 0..3 {
            match Self::start_once(program, site) {
                Ok(proxy) => return Some(proxy),
                Err(written) => logs = written,
            }
        }
        panic!("{program}: {logs:?}");
    }

    /// The error is what the program wrote before it ended.
    #[allow(clippy::disallowed_methods, reason = "a test speaks to its own proxy")]
    fn start_once(program: &str, site: &dyn Fn(SocketAddr) -> String) -> Result<Self, [String; 2]> {
        let folder = tempfile::tempdir().unwrap();
        let (address, at) = (free_address(), folder.path().display());
        let mut command = Command::new(program);
        let site = site(address);
        let config = if program == "nginx" {
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
    pub(super) fn send(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }
}

#[track_caller]
pub(super) fn read_until(stream: &mut TcpStream, end: &str) -> String {
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
