//! A preflight as a tool call of the MCP server, compared with the plain request: the CPU time of the server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use bench_table::{Goal, report_ratio};
use serde_json::json;

use crate::server::Server;

const MAX_TOOL_RATIO: f64 = 1.3;
const ROUNDS: usize = 8;
const REQUESTS: usize = 500;

pub(crate) fn measure(server: &Server) {
    let check = json!({ "domain": "open.lab", "action": "read" });
    let params = json!({ "name": "preflight", "arguments": check });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let requests = [("/api/v1/preflight", check.to_string()), ("/mcp", call.to_string())];
    let mut connection = BufReader::new(TcpStream::connect(server.address).unwrap());
    let mut spent = [0.0, 0.0];
    // The first round is a warm-up.
    for round in 0..=ROUNDS {
        for ((path, body), spent) in requests.iter().zip(&mut spent) {
            let before = server.cpu();
            for _ in 0..REQUESTS {
                let answer = post(&mut connection, path, body);
                assert!(answer.contains("\"decision\""), "{answer}");
            }
            if round > 0 {
                *spent += server.cpu() - before;
            }
        }
    }
    let number = (ROUNDS * REQUESTS) as f64;
    let [plain, tool] = spent.map(|seconds| seconds * 1e6 / number);
    println!("tools   a preflight costs {plain:.0} µs of CPU time, as a tool call {tool:.0} µs");
    let goal = Goal::AtMost(MAX_TOOL_RATIO);
    report_ratio("preflight as a tool call", "the same request by the API", tool / plain, goal);
}

/// One request on a connection that stays open.
fn post(connection: &mut BufReader<TcpStream>, path: &str, body: &str) -> String {
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    connection.get_mut().write_all(request.as_bytes()).unwrap();
    let mut length = 0;
    loop {
        let mut line = String::new();
        connection.read_line(&mut line).unwrap();
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut answer = vec![0; length];
    connection.read_exact(&mut answer).unwrap();
    String::from_utf8(answer).unwrap()
}
