//! The two programs of `docs/snippets`, run against a demo, and against somebody in between who
//! changes what the demo says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Output};

use contract::{Brand, Timestamp};
use proof::{KeyPurpose, SigningKey, canonical, sign_document};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{clean, root};
use crate::server::Server;
use crate::tools;

/// A folder with both programs, and the packages beside the one that needs some.
pub(super) fn folder() -> Option<TempDir> {
    let modules = tools::node_modules()?;
    let folder = tempfile::tempdir().unwrap();
    for name in ["verify.py", "verify.mjs"] {
        std::fs::copy(root().join("docs/snippets").join(name), folder.path().join(name)).unwrap();
    }
    std::os::unix::fs::symlink(modules, folder.path().join("node_modules")).unwrap();
    Some(folder)
}

/// What the one in between changes: the receipt and the key directory, before they are sent on.
#[derive(Clone, Copy)]
struct Between {
    name: &'static str,
    receipt: fn(Value) -> Value,
    directory: fn(Value) -> Value,
}

fn same(value: Value) -> Value {
    value
}

fn with(mut value: Value, member: &str, to: impl Into<Value>) -> Value {
    value[member] = to.into();
    value
}

/// Digest and message made anew, as they would have to be; only the key is missing.
fn digested(mut receipt: Value) -> Value {
    let members = receipt.as_object_mut().unwrap();
    let (signature, _) = (members.remove("signature").unwrap(), members.remove("sha256"));
    let digest = proof::Digest::of(&canonical::value_to_vec(&receipt).unwrap()).to_hex();
    receipt["signature"] = signature;
    receipt["signature"]["message"] = format!("svc-data-v1\n{digest}").into();
    receipt["sha256"] = digest.into();
    receipt
}

fn own_key() -> SigningKey {
    SigningKey::from_seed(&[7; 32], KeyPurpose::Decisions, Timestamp::from_millis(0)).unwrap()
}

fn signed_by_own_key(mut receipt: Value) -> Value {
    for member in ["sha256", "signature"] {
        receipt.as_object_mut().unwrap().remove(member);
    }
    let at = Timestamp::from_millis(1_794_733_200_000);
    sign_document(receipt, &own_key(), "https://svc.example", &Brand::default(), at)
        .unwrap()
        .document
}

/// As if the own key were the service's: what is refused then is refused for another reason.
fn own_directory(purpose: &str) -> Value {
    let (kid, x) = (own_key().public().kid().to_owned(), own_key().public().x());
    json!({ "keys": [{ "kid": kid, "kty": "OKP", "crv": "Ed25519", "x": x, "svc_purpose": purpose }] })
}

const CASES: [Between; 8] = [
    Between {
        name: "its digest is another",
        receipt: |receipt| with(receipt, "decision", "allow"),
        directory: same,
    },
    Between {
        name: "its signature is not of that key",
        receipt: |receipt| digested(with(receipt, "decision", "allow")),
        directory: same,
    },
    Between {
        name: "its key is not published for decisions",
        receipt: |receipt| signed_by_own_key(with(receipt, "decision", "allow")),
        directory: same,
    },
    Between {
        name: "its key is not published for decisions",
        receipt: signed_by_own_key,
        directory: |_| own_directory("documents"),
    },
    Between {
        name: "it answers something else",
        receipt: |receipt| signed_by_own_key(with(receipt, "nonce", "an older one")),
        directory: |_| own_directory("decisions"),
    },
    Between {
        name: "it answers something else",
        receipt: |receipt| signed_by_own_key(with(receipt, "nonce", Value::Null)),
        directory: |_| own_directory("decisions"),
    },
    Between {
        name: "it is no longer good",
        receipt: |receipt| {
            signed_by_own_key(with(receipt, "expires_at", "2026-01-01T00:00:00.000Z"))
        },
        directory: |_| own_directory("decisions"),
    },
    // And nothing of the kind: it is the change that is refused, not the one in between.
    Between { name: "", receipt: signed_by_own_key, directory: |_| own_directory("decisions") },
];

impl Between {
    /// Stands between until the tests are over, and gives the address.
    fn start(self, server: &'static Server) -> String {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                self.speak(stream, server);
            }
        });
        format!("http://{address}")
    }

    fn speak(&self, mut stream: TcpStream, server: &Server) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let path = line.split(' ').nth(1).unwrap().to_owned();
        let mut length = 0;
        while line.trim_end() != "" {
            line.clear();
            reader.read_line(&mut line).unwrap();
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap();
            }
        }
        let mut asked = vec![0; length];
        reader.read_exact(&mut asked).unwrap();
        let told = if path == "/api/v1/preflight" {
            (self.receipt)(server.post(&path, Some("application/json"), &asked).json())
        } else {
            (self.directory)(server.get(&path).json())
        };
        let told = told.to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n",
            told.len()
        );
        let _ = stream.write_all(&[head.as_bytes(), told.as_bytes()].concat());
    }
}

/// The program, refused or not, for each one in between.
#[track_caller]
fn believes_only_what_is_signed(run: impl Fn() -> Command) {
    let server = Server::shared();
    let asked = |base: &str| -> Output {
        let mut command = run();
        clean(&mut command);
        command.args([base, "https://minimal.lab/", "read"]).output().unwrap()
    };
    let told = asked(&server.base());
    let said = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    assert!(said.starts_with("warn until 2") && said.contains("robots.txt"), "{said}");
    for case in CASES {
        let told = asked(&case.start(server));
        let (out, err) =
            (String::from_utf8_lossy(&told.stdout), String::from_utf8_lossy(&told.stderr));
        if case.name.is_empty() {
            assert!(told.status.success() && out == said_again(&said, &out), "{out}{err}");
        } else {
            assert!(!told.status.success() && out.is_empty(), "{}: {out}", case.name);
            assert_eq!(err.trim_end(), format!("refused: {}", case.name));
        }
    }
}

/// The same words with the other time.
fn said_again(first: &str, then: &str) -> String {
    let time = |text: &str| text.split_whitespace().nth(2).unwrap_or_default().to_owned();
    first.replace(&time(first), &time(then))
}

#[test]
fn the_python_program_believes_only_what_is_signed() {
    let (Some(python), Some(folder)) = (tools::python(), folder()) else { return };
    believes_only_what_is_signed(|| {
        let mut command = Command::new(python.get_program());
        command.arg(folder.path().join("verify.py"));
        command
    });
}

#[test]
fn the_javascript_program_believes_only_what_is_signed() {
    let (Some(node), Some(folder)) = (tools::node(), folder()) else { return };
    believes_only_what_is_signed(|| {
        let mut command = Command::new(node.get_program());
        command.arg(folder.path().join("verify.mjs"));
        command
    });
}
