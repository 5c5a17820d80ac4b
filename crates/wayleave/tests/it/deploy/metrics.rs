//! The metrics: each has a description, an address of their own serves them, and the dashboard of `deploy/`
//! shows only metrics that exist.

use std::path::Path;

use super::deploy_file;
use crate::server::Server;

/// Every metric that the code names has a description, which becomes its HELP line.
#[test]
fn every_metric_has_help() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let described = std::fs::read_to_string(crates.join("web/src/http_metrics.rs")).unwrap();
    let mut folders = vec![crates.to_owned()];
    let mut names = std::collections::BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir()
                && !["tests", "benches", "assets"].iter().any(|name| path.ends_with(name))
            {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let code = std::fs::read_to_string(&path).unwrap();
                for literal in code.split('"').skip(1).step_by(2) {
                    let ours = ["wayleave_", "log_", "http_"]
                        .iter()
                        .any(|start| literal.starts_with(start));
                    let ends = [
                        "_total",
                        "_seconds",
                        "_bytes",
                        "_entries",
                        "_open",
                        "_length",
                        "_in_flight",
                        "_decided",
                        "_tracked",
                    ];
                    let plain =
                        literal.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
                    if ours && plain && ends.iter().any(|end| literal.ends_with(end)) {
                        names.insert(literal.to_owned());
                    }
                }
            }
        }
    }
    assert!(names.len() > 25, "{names:?}");
    for name in names {
        assert!(described.contains(&format!("\"{name}\"")), "{name} has no description");
    }
}

/// The metrics on an address of their own, with HELP for each, and not on the server's.
#[test]
#[allow(clippy::disallowed_methods, reason = "a test speaks to its own server")]
fn metrics_have_their_own_address() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let server = Server::start_demo(&["--server-metrics-listen", &address]);
    assert_eq!(server.scan("open.lab")["grade"], "A");
    assert_eq!(server.get("/metrics").status, 404);
    let mut stream = std::net::TcpStream::connect(&address).unwrap();
    let request = "GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut stream, &mut text).unwrap();
    let named = |word: &str| -> std::collections::BTreeSet<String> {
        let lines = text.lines().filter_map(|line| line.strip_prefix(word));
        lines.filter_map(|line| Some(line.split_once(' ')?.0.to_owned())).collect()
    };
    assert!(text.contains("wayleave_scans_total{outcome=\"answered\"} 1"), "{text}");
    assert_eq!(named("# TYPE "), named("# HELP "), "{text}");
    // What the dashboard shows exists.
    let dashboard = deploy_file("grafana-dashboard.json");
    let dashboard: serde_json::Value = serde_json::from_str(&dashboard).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    assert!(panels.len() >= 10);
    let known = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/src/http_metrics.rs"),
    );
    let known = known.unwrap();
    for panel in panels {
        for target in panel["targets"].as_array().unwrap() {
            let expression = target["expr"].as_str().unwrap();
            let words = expression.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            let ours = words.filter(|word| {
                ["wayleave_", "log_", "http_"].iter().any(|start| word.starts_with(start))
            });
            for name in ours {
                let name = name.trim_end_matches("_bucket").trim_end_matches("_sum");
                assert!(known.contains(&format!("\"{name}\"")), "{name} in {expression}");
            }
        }
    }
}
