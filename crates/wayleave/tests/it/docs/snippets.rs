//! Runs the two programs of `docs/snippets` against a demo, and against a proxy that changes
//! requests or responses.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Output};

use contract::{Brand, Timestamp};
use proof::{KeyPurpose, SigningKey, canonical, sign_document};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{remove_wayleave_variables, root};
use crate::server::Server;
use crate::tools;
use crate::verifiers::signature_changes::{SIGNATURE_CHANGES, now};

/// A folder with both programs and the Node packages.
pub(super) fn folder() -> Option<TempDir> {
    let modules = tools::node_modules()?;
    let folder = tempfile::tempdir().unwrap();
    for name in ["verify.py", "verify.mjs"] {
        std::fs::copy(root().join("docs/snippets").join(name), folder.path().join(name)).unwrap();
    }
    std::os::unix::fs::symlink(modules, folder.path().join("node_modules")).unwrap();
    Some(folder)
}

/// A proxy that changes the request, the receipt or the key directory. `name` is the expected refusal.
#[derive(Clone, Copy)]
struct TamperingProxy {
    name: &'static str,
    request: fn(Value) -> Value,
    receipt: fn(Value) -> Value,
    /// Applied to the signature block afterwards.
    signature: fn(&mut Value),
    directory: fn(Value) -> Value,
}

/// Passes everything on as it is.
const HONEST: TamperingProxy = TamperingProxy {
    name: "",
    request: same,
    receipt: same,
    signature: unchanged,
    directory: same,
};

fn same(value: Value) -> Value {
    value
}

fn unchanged(_: &mut Value) {}

fn with(mut value: Value, member: &str, to: impl Into<Value>) -> Value {
    value[member] = to.into();
    value
}

fn without(mut value: Value, member: &str) -> Value {
    value.as_object_mut().unwrap().remove(member);
    value
}

/// Recomputes digest and message, as an attacker without the key can.
fn with_new_digest(mut receipt: Value) -> Value {
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
    let published_in = "https://svc.example/.well-known/http-message-signatures-directory";
    sign_document(receipt, &own_key(), published_in, &Brand::default(), now()).unwrap().document
}

/// Publishes the attacker's key, so that a refusal must have another reason.
fn own_directory(purpose: &str) -> Value {
    let (kid, x) = (own_key().public().kid().to_owned(), own_key().public().x());
    json!({ "keys": [{ "kid": kid, "kty": "OKP", "crv": "Ed25519", "x": x, "svc_purpose": purpose }] })
}

/// Signs with a key that is published, so that a refusal must have another reason.
const WITH_OWN_KEY: TamperingProxy = TamperingProxy {
    directory: |_| own_directory("decisions"),
    receipt: signed_by_own_key,
    ..HONEST
};

const CASES: [TamperingProxy; 14] = [
    TamperingProxy {
        name: "the digest does not match",
        receipt: |receipt| with(receipt, "decision", "allow"),
        ..HONEST
    },
    TamperingProxy {
        name: "the signature is not valid",
        receipt: |receipt| with_new_digest(with(receipt, "decision", "allow")),
        ..HONEST
    },
    TamperingProxy {
        name: "the signing key is not published for decisions",
        receipt: |receipt| signed_by_own_key(with(receipt, "decision", "allow")),
        ..HONEST
    },
    TamperingProxy {
        name: "the signing key is not published for decisions",
        receipt: signed_by_own_key,
        directory: |_| own_directory("documents"),
        ..HONEST
    },
    TamperingProxy {
        name: "the receipt is for another request",
        receipt: |receipt| signed_by_own_key(with(receipt, "nonce", "an older one")),
        ..WITH_OWN_KEY
    },
    TamperingProxy {
        name: "the receipt is for another request",
        receipt: |receipt| signed_by_own_key(with(receipt, "nonce", Value::Null)),
        ..WITH_OWN_KEY
    },
    // Genuine receipts with the nonce of the request, but for another site, path or action.
    TamperingProxy {
        name: "the receipt is for another request",
        request: |request| with(request, "url", "https://open.lab/"),
        ..HONEST
    },
    TamperingProxy {
        name: "the receipt is for another request",
        request: |request| with(request, "url", "https://minimal.lab/other"),
        ..HONEST
    },
    TamperingProxy {
        name: "the receipt is for another request",
        request: |request| with(request, "action", "cite"),
        ..HONEST
    },
    TamperingProxy {
        name: "the receipt has expired",
        receipt: |receipt| {
            signed_by_own_key(with(receipt, "expires_at", "2026-01-01T00:00:00.000Z"))
        },
        ..WITH_OWN_KEY
    },
    TamperingProxy {
        name: "the receipt has no decision or no reason",
        receipt: |receipt| signed_by_own_key(without(receipt, "why")),
        ..WITH_OWN_KEY
    },
    TamperingProxy {
        name: "the receipt has no decision or no reason",
        receipt: |receipt| signed_by_own_key(without(receipt, "decision")),
        ..WITH_OWN_KEY
    },
    // No harmful change: shows that the proxy itself is not the reason for refusals.
    HONEST,
    WITH_OWN_KEY,
];

impl TamperingProxy {
    /// Runs until the end of the tests and returns the proxy's URL.
    fn start(self, server: &'static Server) -> String {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                self.answer_request(stream, server);
            }
        });
        format!("http://{address}")
    }

    fn answer_request(&self, mut stream: TcpStream, server: &Server) {
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
        let mut request = vec![0; length];
        reader.read_exact(&mut request).unwrap();
        let response = if path == "/api/v1/preflight" {
            let request = (self.request)(serde_json::from_slice(&request).unwrap()).to_string();
            let receipt = server.post(&path, Some("application/json"), request.as_bytes()).json();
            let mut receipt = (self.receipt)(receipt);
            (self.signature)(&mut receipt["signature"]);
            receipt
        } else {
            (self.directory)(server.get(&path).json())
        };
        let response = response.to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n",
            response.len()
        );
        let _ = stream.write_all(&[head.as_bytes(), response.as_bytes()].concat());
    }
}

/// Runs the program directly and behind each proxy, and checks what it accepts.
#[track_caller]
fn accepts_only_signed_receipts(run: impl Fn() -> Command) {
    let server = Server::shared();
    // A live reading has one second, and a busy machine may not finish it.
    for domain in ["minimal.lab", "blocks-ai.lab"] {
        server.scan(domain);
    }
    let run_against = |base: &str| -> Output {
        let mut command = run();
        remove_wayleave_variables(&mut command);
        command.args([base, "https://minimal.lab/", "read"]).output().unwrap()
    };
    let output = run_against(&server.base());
    let first_output = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        first_output.starts_with("warn until 2") && first_output.contains("robots.txt"),
        "{first_output}"
    );
    // Only a decision that lets the agent act is 0; every refusal has its reason.
    let base = server.base();
    for (arguments, code, out, err) in [
        (vec![base.as_str(), "https://blocks-ai.lab/", "read"], 1, "block until 2", ""),
        (vec![base.as_str(), "https://no-such-site.lab/", "read"], 1, "unsupported until 2", ""),
        (vec![], 2, "", "refused: usage: "),
        (vec![base.as_str(), "https://minimal.lab/"], 2, "", "refused: usage: "),
        (
            vec!["minimal.lab", "https://minimal.lab/", "read"],
            2,
            "",
            "refused: SERVICE must start with http",
        ),
        (vec![base.as_str(), "minimal", "read"], 2, "", "status 400: The name has only one label"),
        (
            vec![base.as_str(), "https://minimal.lab/", "reed"],
            2,
            "",
            "status 400: Member `action`: expected one of: read",
        ),
        (
            vec!["http://127.0.0.1:1", "https://minimal.lab/", "read"],
            2,
            "",
            "refused: no usable reply from http://127.0.0.1:1/",
        ),
    ] {
        let mut command = run();
        remove_wayleave_variables(&mut command);
        let output = command.args(&arguments).output().unwrap();
        let shown = [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {shown:?}");
        assert!(shown[0].starts_with(out) && shown[1].contains(err), "{arguments:?}: {shown:?}");
        assert!(!shown[1].contains("Traceback") && shown[1].lines().count() <= 1, "{shown:?}");
    }
    let changes = SIGNATURE_CHANGES.iter().map(|case| TamperingProxy {
        name: match case.fails {
            None => "",
            Some("signature members") => "the signature has a wrong or unknown member",
            Some("signing time") => "the receipt was not signed when it was decided",
            Some(other) => panic!("{other}"),
        },
        signature: case.change,
        ..HONEST
    });
    for case in CASES.into_iter().chain(changes) {
        let output = run_against(&case.start(server));
        let (out, err) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if case.name.is_empty() {
            assert!(
                output.status.success() && out == with_time_of(&first_output, &out),
                "{out}{err}"
            );
        } else {
            assert!(!output.status.success() && out.is_empty(), "{}: {out}", case.name);
            assert_eq!(err.trim_end(), format!("refused: {}", case.name));
        }
    }
}

/// The first text with the time of the second.
fn with_time_of(first: &str, then: &str) -> String {
    let time = |text: &str| text.split_whitespace().nth(2).unwrap_or_default().to_owned();
    first.replace(&time(first), &time(then))
}

#[test]
fn python_snippet_accepts_only_signed_receipts() {
    let (Some(python), Some(folder)) = (tools::python(), folder()) else { return };
    accepts_only_signed_receipts(|| {
        let mut command = Command::new(python.get_program());
        command.arg(folder.path().join("verify.py"));
        command
    });
}

#[test]
fn javascript_snippet_accepts_only_signed_receipts() {
    let (Some(node), Some(folder)) = (tools::node(), folder()) else { return };
    accepts_only_signed_receipts(|| {
        let mut command = Command::new(node.get_program());
        command.arg(folder.path().join("verify.mjs"));
        command
    });
}
