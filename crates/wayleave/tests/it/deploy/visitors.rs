//! The files that let nginx and Caddy check the visitors of a site, run in front of a site of the test.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};

use super::deploy_file;
use super::proxy::{Proxy, read_until, with_line};
use crate::server::Server;
use crate::visitor_api::{FORGED, wait_for_lists};

/// A site that answers every request, with the verdict that it was told.
fn start_site() -> SocketAddr {
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let head = read_until(&mut stream, "\r\n\r\n").to_ascii_lowercase();
            let verdict =
                head.split("\r\nsvc-visitor: ").nth(1).and_then(|rest| rest.lines().next());
            let body = format!("the site, told {}", verdict.unwrap_or("nothing"));
            let _ = stream.write_all(
                format!(
                    "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                )
                .as_bytes(),
            );
        }
    });
    address
}

/// The test says whose request it is by a header; in the file it is the address of the connection.
fn site(program: &str, gate: SocketAddr, site: SocketAddr, address: SocketAddr) -> String {
    if program == "nginx" {
        let file = deploy_file("visitors/nginx.conf");
        let file = with_line(&file, "127.0.0.1:8080", &gate.to_string());
        let file = with_line(&file, "127.0.0.1:3000", &site.to_string());
        let file = with_line(
            &file,
            "X-Forwarded-For $remote_addr",
            "X-Forwarded-For $http_x_test_address",
        );
        format!("server {{\nlisten {address};\n{file}}}\n")
    } else {
        let file = deploy_file("visitors/Caddyfile");
        let file = with_line(&file, "127.0.0.1:8080", &gate.to_string());
        let file = with_line(&file, "127.0.0.1:3000", &site.to_string());
        let file = with_line(&file, "{remote_host}", "{header.X-Test-Address}");
        let site = format!("http://site.example:{} {{\n\tbind {}", address.port(), address.ip());
        with_line(&file, "site.example {", &site)
    }
}

fn check_gate(program: &str) {
    let server = Server::start_demo(&["--server-trusted-proxies", "127.0.0.1/32"]);
    wait_for_lists(&server);
    let (gate, behind) = (server.address, start_site());
    let start = || Proxy::start(program, &|address| site(program, gate, behind, address));
    let Some(proxy) = start() else {
        let _: Option<()> = crate::tools::skip_test(&format!("{program} is not installed"));
        return;
    };
    let visit = |ip: &str, ua: &str| {
        let mut stream = proxy.send(&format!(
            "GET /page HTTP/1.1\r\nhost: site.example\r\nuser-agent: {ua}\r\nx-test-address: {ip}\r\n\
             svc-visitor: forged by the visitor\r\nconnection: close\r\n\r\n"
        ));
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status: u16 = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer.rsplit("\r\n").next().unwrap().to_owned())
    };
    let genuine = lab::feed_addresses("openai-gptbot")[0].to_string();
    let (status, told) = visit(&genuine, "GPTBot/1.3");
    assert_eq!((status, told.as_str()), (200, "the site, told verified"), "{program}");
    let (status, _) = visit(FORGED, "GPTBot/1.3");
    assert_eq!(status, 403, "{program}: a forged GPTBot");
    let (status, told) = visit(FORGED, "Mozilla/5.0 Firefox/158.0");
    assert_eq!((status, told.as_str()), (200, "the site, told not_a_known_agent"), "{program}");
    if program == "nginx" {
        // Without Wayleave, visitors are let in.
        drop(server);
        let (status, told) = visit(FORGED, "GPTBot/1.3");
        assert_eq!((status, told.as_str()), (200, "the site, told nothing"), "{program}");
    }
}

#[test]
fn nginx_refuses_whoever_only_pretends() {
    check_gate("nginx");
}

#[test]
fn caddy_refuses_whoever_only_pretends() {
    check_gate("caddy");
}
