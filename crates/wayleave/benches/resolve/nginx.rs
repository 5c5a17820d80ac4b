//! nginx with one static file, as the reference for the cost of serving bytes.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::machine;

pub(crate) struct Nginx {
    pub(crate) address: SocketAddr,
    child: Child,
    _folder: TempDir,
}

impl Nginx {
    /// `None` if nginx is not installed.
    pub(crate) fn start(bytes: &[u8], media_type: &str) -> Option<Self> {
        if !machine::is_installed("nginx") {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_string_lossy().into_owned();
        std::fs::write(folder.path().join("answer"), bytes).unwrap();
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        // The worker may run as another user, which must be able to read the file.
        let open = |path: &std::path::Path| {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        };
        open(folder.path());
        open(&folder.path().join("answer"));
        let configuration = format!(
            "worker_processes 1;\ndaemon off;\npid {root}/pid;\nerror_log {root}/errors;\n\
             events {{ worker_connections 4096; }}\n\
             http {{\n sendfile on; tcp_nopush on; access_log off; server_tokens off;\n \
             keepalive_timeout 60; keepalive_requests 100000000;\n \
             client_body_temp_path {root}/b; proxy_temp_path {root}/p; fastcgi_temp_path {root}/f;\n \
             uwsgi_temp_path {root}/u; scgi_temp_path {root}/s;\n types {{ }} default_type \"{media_type}\";\n \
             server {{ listen {address}; root {root}; }}\n}}\n"
        );
        let file = folder.path().join("nginx.conf");
        std::fs::write(&file, configuration).unwrap();
        let program = if std::path::Path::new("/usr/sbin/nginx").is_file() {
            "/usr/sbin/nginx"
        } else {
            "nginx"
        };
        let child = machine::command_on_core(Some(0), program)
            .arg("-c")
            .arg(&file)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Stopped by its `Drop`, also if it never answers.
        let nginx = Self { address, child, _folder: folder };
        for _ in 0..100 {
            if TcpStream::connect(address).is_ok() {
                return Some(nginx);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("nginx does not answer at {address}");
    }

    pub(crate) fn cpu(&self) -> f64 {
        machine::cpu_seconds(self.child.id())
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // SIGTERM and not SIGKILL, so that its worker stops, too.
        let pid = self.child.id().to_string();
        let _ = std::process::Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.child.wait();
    }
}
