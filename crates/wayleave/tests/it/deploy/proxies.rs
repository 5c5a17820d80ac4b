//! The files for nginx and Caddy in front of the service, run in front of an upstream of the test.

use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use super::deploy_file;
use super::proxy::{Proxy, free_address, read_until, with_line};

/// The file of `deploy/` in front of this upstream, without TLS.
fn site(program: &str, upstream: SocketAddr, address: SocketAddr) -> String {
    if program == "nginx" {
        let site = with_line(&deploy_file("nginx.conf"), "127.0.0.1:8080", &upstream.to_string());
        let site = with_line(&site, "listen 443 ssl http2;", &format!("listen {address};"));
        let site = with_line(&site, "listen 80;", &format!("listen {};", free_address()));
        let plain = |line: &&str| !line.contains("[::]") && !line.contains(" ssl_");
        site.lines().filter(plain).flat_map(|line| [line, "\n"]).collect()
    } else {
        let site = with_line(&deploy_file("Caddyfile"), "127.0.0.1:8080", &upstream.to_string());
        with_line(&site, "wayleave.example {", &format!("http://{address} {{"))
    }
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
    let upstream = start_upstream(heads, told);
    let Some(proxy) = Proxy::start(program, &|address| site(program, upstream, address)) else {
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
