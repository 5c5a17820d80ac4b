//! `wayleave mcp serve --stdio`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::lab_server::LabServer;
use crate::server::wayleave;

pub(super) fn command(lab: &LabServer, data_dir: &Path) -> Command {
    let mut command = wayleave();
    command.args(["mcp", "serve", "--stdio", "--config"]).arg(lab.configuration());
    command.arg("--store-data-dir").arg(data_dir);
    command
}

struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Session {
    fn start(mut command: Command) -> Self {
        let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = streams.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { input: child.stdin.take(), child, output }
    }

    fn write(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.write(&message.to_string());
        self.read()
    }

    /// Closes its input, and returns the exit code.
    fn end(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().unwrap().code()
    }
}

fn request(id: i64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

#[test]
fn a_session_over_standard_input_and_output() {
    let lab = LabServer::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start(command(&lab, folder.path()));
    let opened = session.ask(&request(1, "initialize", json!({ "protocolVersion": "2025-11-25" })));
    assert_eq!(opened["result"]["protocolVersion"], "2025-11-25");
    session.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    // Bad lines are answered, and the session goes on.
    session.write("{");
    assert_eq!(session.read()["error"]["code"], -32700);
    session.write(&format!("\"{}\"", "x".repeat(2_000_000)));
    assert_eq!(session.read()["error"]["code"], -32700);
    session.write("");
    let arguments = json!({ "domain": "open.lab", "action": "read" });
    let call = json!({ "name": "preflight", "arguments": arguments });
    let answer = session.ask(&request(2, "tools/call", call));
    assert_eq!(answer["id"], 2);
    let record = &answer["result"]["structuredContent"];
    assert_eq!(record["decision"], "allow", "{answer}");
    let verify = json!({ "name": "verify", "arguments": { "document": record } });
    let verdict = session.ask(&request(3, "tools/call", verify));
    assert_eq!(verdict["result"]["structuredContent"]["accepted"], true, "{verdict}");
    // What is asked last is answered before the end.
    session.write(&request(4, "ping", json!({})).to_string());
    assert_eq!(session.read()["id"], 4);
    assert_eq!(session.end(), Some(0));
}

#[test]
fn a_cancelled_call_is_not_answered() {
    let lab = LabServer::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start(command(&lab, folder.path()));
    // Its name server never answers, so reading it takes seconds.
    let scan = json!({ "name": "scan", "arguments": { "domain": "dns-silent.lab" } });
    session.write(&request(1, "tools/call", scan).to_string());
    session
        .write(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    session.write(&request(2, "ping", json!({})).to_string());
    assert_eq!(session.read()["id"], 2);
    drop(session.input.take());
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut session.output, &mut rest).unwrap();
    assert_eq!(rest, "");
    assert_eq!(session.child.wait().unwrap().code(), Some(0));
}

#[test]
fn messages_can_be_passed_on_to_a_service() {
    let lab = LabServer::start(&[]);
    let mut command = wayleave();
    command.args(["mcp", "serve", "--stdio", "--server", &lab.server.base()]);
    let mut session = Session::start(command);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let call = json!({ "name": "resolve", "arguments": { "domain": "open.lab" }, "_meta": meta });
    let answer = session.ask(&request(1, "tools/call", call));
    let record = &answer["result"]["structuredContent"];
    // It is the very answer of the service.
    assert_eq!(record["sha256"], lab.resolve("open.lab").unwrap()["sha256"], "{answer}");
    assert_eq!(session.end(), Some(0));
    let mut nobody = wayleave();
    nobody.args(["mcp", "serve", "--stdio", "--server", "http://127.0.0.1:9"]);
    let mut session = Session::start(nobody);
    let answer = session.ask(&request(1, "tools/list", json!({})));
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    assert_eq!(session.end(), Some(0));
}

#[test]
fn clients_at_the_same_time_get_folders_of_their_own() {
    let home = tempfile::tempdir().unwrap();
    let start = || {
        let mut command = wayleave();
        command.args(["mcp", "serve", "--stdio", "--agents-fetch-feeds", "false"]);
        Session::start({
            command.env("XDG_DATA_HOME", home.path());
            command
        })
    };
    let (mut one, mut other) = (start(), start());
    for session in [&mut one, &mut other] {
        assert_eq!(session.ask(&request(1, "ping", json!({})))["result"], json!({}));
    }
    assert_eq!((one.end(), other.end()), (Some(0), Some(0)));
    for folder in ["wayleave/mcp/keys", "wayleave/mcp-2/keys"] {
        assert!(home.path().join(folder).is_dir(), "{folder}");
    }
}
