//! Wrong bodies, lengths and methods: each gets a 4xx error in the standard format, and none of them
//! affects other requests.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

use crate::server::{HttpReply, Server, ask};

const JSON: Option<&str> = Some("application/json");
const LIMIT: usize = 1_048_576;
/// A valid body; its name is refused, so nothing is fetched.
const READ: &[u8] = br#"{"domain":"127.0.0.1"}"#;

/// A report made before the bad requests, which must still exist afterwards.
struct StoredReport {
    address: String,
    bytes: Vec<u8>,
}

impl StoredReport {
    fn make(server: &Server) -> Self {
        let record = ask(server, &json!("open.lab")).json();
        let address = format!("/r/{}.json", record["id"].as_str().unwrap());
        let bytes = server.get(&address).body;
        assert!(serde_json::from_slice::<Value>(&bytes).unwrap()["domain"] == "open.lab");
        Self { address, bytes }
    }

    fn check(&self, server: &Server) {
        assert_eq!(server.get("/healthz").status, 200);
        assert_eq!(server.get("/readyz").status, 200);
        let now = server.get(&self.address);
        assert_eq!((now.status, now.body == self.bytes), (200, true), "{}", self.address);
        assert_eq!(ask(server, &json!("open.lab")).status, 200);
    }
}

fn check(answer: &HttpReply, status: u16, code: &str, param: Option<&str>, what: &str) {
    assert_eq!(answer.status, status, "{what}: {}", shown(&answer.body));
    assert_eq!(answer.header("content-type"), Some("application/json"), "{what}");
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{what}");
    assert_eq!(answer.error_code(), code, "{what}: {}", answer.text());
    assert_eq!(answer.json()["param"].as_str(), param, "{what}: {}", answer.text());
    assert!(answer.body.len() < 2_000, "{what}: an answer as long as the question");
}

fn shown(body: &[u8]) -> String {
    let start = String::from_utf8_lossy(&body[..body.len().min(70)]).into_owned();
    format!("{start:?} ({} bytes)", body.len())
}

#[test]
fn a_body_that_is_no_request_is_refused_with_its_reason() {
    let server = Server::shared();
    let stored_report = StoredReport::make(server);
    let bad = "bad_request";
    let unknown = "unknown_field";
    let deep = |open: &str, close: &str, levels: usize| {
        format!(r#"{{"domain":{}{}}}"#, open.repeat(levels), close.repeat(levels)).into_bytes()
    };
    let long_name = "x".repeat(10_000);
    let cut_name = format!("{}…", "x".repeat(128));
    let rows: Vec<(Vec<u8>, &str, Option<&str>)> = vec![
        // Nothing, or not JSON.
        (b"".to_vec(), bad, None),
        (b" ".to_vec(), bad, None),
        (b"\0".to_vec(), bad, None),
        (b"open.lab".to_vec(), bad, None),
        (b"domain=open.lab".to_vec(), bad, None),
        (b"<domain>open.lab</domain>".to_vec(), bad, None),
        (b"{".to_vec(), bad, None),
        (b"{\"domain\":".to_vec(), bad, None),
        (b"{\"domain\":\"open.lab\"".to_vec(), bad, None),
        (b"{\"domain\":\"open.lab".to_vec(), bad, None),
        (b"{\"domain\":\"open.lab\",}".to_vec(), bad, None),
        (b"{domain:\"open.lab\"}".to_vec(), bad, None),
        (b"{'domain':'open.lab'}".to_vec(), bad, None),
        (b"{\"domain\":\"open.lab\"} // x".to_vec(), bad, None),
        (b"{\"domain\":\"open.lab\"} x".to_vec(), bad, None),
        (b"{\"domain\":\"open.lab\"}\0".to_vec(), bad, None),
        (b"{\"domain\":\"open.lab\"}{\"domain\":\"open.lab\"}".to_vec(), bad, None),
        (b"{\"domain\":NaN}".to_vec(), bad, None),
        (b"{\"domain\":undefined}".to_vec(), bad, None),
        (b"{\"domain\":\"open\nlab\"}".to_vec(), bad, None),
        (b"{\"domain\":\"\\x6fpen.lab\"}".to_vec(), bad, None),
        // Invalid UTF-8.
        (b"\xef\xbb\xbf{\"domain\":\"open.lab\"}".to_vec(), bad, None),
        (b"\xff\xfe{\0\"\0d\0".to_vec(), bad, None),
        (b"{\"domain\":\"\xff\xfe\"}".to_vec(), bad, None),
        (b"{\"domain\":\"\xc0\xaf\"}".to_vec(), bad, None),
        (b"{\"domain\":\"\xed\xa0\x80\"}".to_vec(), bad, None),
        (b"{\"domain\":\"open.lab\xe2\x82\"}".to_vec(), bad, None),
        (br#"{"domain":"\ud800"}"#.to_vec(), bad, None),
        (br#"{"domain":"\udc00\ud800"}"#.to_vec(), bad, None),
        (br#"{"domain":"\ud800x"}"#.to_vec(), bad, None),
        // Another shape.
        (b"null".to_vec(), bad, None),
        (b"true".to_vec(), bad, None),
        (b"7".to_vec(), bad, None),
        (b"\"open.lab\"".to_vec(), bad, None),
        (b"{}".to_vec(), bad, Some("domain")),
        (b"{\"visibility\":\"public\"}".to_vec(), bad, Some("domain")),
        (b"{\"domain\":\"open.lab\",\"visibility\":7}".to_vec(), bad, Some("visibility")),
        (b"{\"domain\":\"open.lab\",\"visibility\":\"PUBLIC\"}".to_vec(), bad, Some("visibility")),
        (b"{\"domain\":\"open.lab\",\"visibility\":[]}".to_vec(), bad, Some("visibility")),
        // Numbers out of range.
        (b"{\"domain\":123456789012345678901234567890}".to_vec(), bad, Some("domain")),
        (b"{\"domain\":-0.0}".to_vec(), bad, Some("domain")),
        (b"{\"domain\":1e9999}".to_vec(), bad, None),
        (format!("{{\"domain\":{}}}", "9".repeat(100_000)).into_bytes(), bad, None),
        // Deeply nested.
        (deep("[", "]", 200), bad, None),
        (deep("[", "]", 100_000), bad, None),
        (deep("[", "", 100_000), bad, None),
        (deep("{\"domain\":", "}", 200), bad, None),
        (deep("{\"a\":", "}", 100_000), bad, None),
        ("[".repeat(100_000).into_bytes(), bad, None),
        // Duplicate members.
        (b"{\"domain\":\"127.0.0.1\",\"domain\":\"open.lab\"}".to_vec(), bad, Some("domain")),
        (b"{\"domain\":\"open.lab\",\"domain\":\"open.lab\"}".to_vec(), bad, Some("domain")),
        (br#"{"domain":"open.lab","\u0064omain":"127.0.0.1"}"#.to_vec(), bad, Some("domain")),
        (b"{\"domain\":\"open.lab\",\"x\":{\"y\":1,\"y\":2}}".to_vec(), bad, Some("y")),
        // Unknown members.
        (b"{\"domain\":\"open.lab\",\"url\":\"x\"}".to_vec(), unknown, Some("url")),
        (b"{\"Domain\":\"open.lab\"}".to_vec(), unknown, Some("Domain")),
        (b"{\"domain\":\"open.lab\",\"domain \":1}".to_vec(), unknown, Some("domain ")),
        (b"{\"domain\":\"open.lab\",\"visibilty\":\"x\"}".to_vec(), unknown, Some("visibilty")),
        (b"{\"domain\":\"open.lab\",\"__proto__\":{}}".to_vec(), unknown, Some("__proto__")),
        (b"{\"domain\":\"open.lab\",\"\":1}".to_vec(), unknown, Some("")),
        (br#"{"domain":"open.lab","\u0000":1}"#.to_vec(), unknown, Some("\0")),
        (br#"{"domain":"open.lab","a\r\nb: c":1}"#.to_vec(), unknown, Some("a\r\nb: c")),
        (br#"{"domain":"open.lab","<script>":1}"#.to_vec(), unknown, Some("<script>")),
        (
            format!("{{\"domain\":\"open.lab\",\"{long_name}\":1}}").into_bytes(),
            unknown,
            Some(&cut_name),
        ),
        // An array instead of an object.
        (b"[]".to_vec(), bad, None),
        (b"[\"open.lab\"]".to_vec(), bad, None),
        (b"[\"open.lab\",\"unlisted\"]".to_vec(), bad, None),
        (b"[{\"domain\":\"open.lab\"}]".to_vec(), bad, None),
    ];
    for (body, code, param) in rows {
        check(&server.post_scan(&body), 400, code, param, &shown(&body));
    }
    stored_report.check(server);
}

/// A missing body is 400, a body of another type is 415.
#[test]
fn only_json_is_taken_for_json() {
    let server = Server::shared();
    let stored_report = StoredReport::make(server);
    let refused = [
        (None, READ, 400, "bad_request"),
        (None, b"".as_slice(), 400, "bad_request"),
        (Some("text/plain"), b"".as_slice(), 400, "bad_request"),
        (Some(""), READ, 415, "unsupported_media_type"),
        (Some("text/plain"), READ, 415, "unsupported_media_type"),
        (Some("text/json"), READ, 415, "unsupported_media_type"),
        (Some("application/x-www-form-urlencoded"), READ, 415, "unsupported_media_type"),
        (
            Some("application/x-www-form-urlencoded"),
            b"domain=open.lab".as_slice(),
            415,
            "unsupported_media_type",
        ),
        (
            Some("multipart/form-data; boundary=b"),
            b"--b\r\ncontent-disposition: form-data; name=\"domain\"\r\n\r\nopen.lab\r\n--b--\r\n",
            415,
            "unsupported_media_type",
        ),
        (Some("application/xml"), READ, 415, "unsupported_media_type"),
        (Some("application/octet-stream"), READ, 415, "unsupported_media_type"),
        (Some("application/jsonp"), READ, 415, "unsupported_media_type"),
        (Some("application/json, text/plain"), READ, 415, "unsupported_media_type"),
        (Some("application/json; charset=utf-16"), READ, 415, "unsupported_media_type"),
        (Some("application/json\r\ncontent-type: text/plain"), READ, 415, "unsupported_media_type"),
        (Some("application/json\r\ncontent-encoding: gzip"), READ, 415, "unsupported_media_type"),
        (Some("*/*"), READ, 415, "unsupported_media_type"),
        (Some("json"), READ, 415, "unsupported_media_type"),
    ];
    for (content_type, body, status, code) in refused {
        let what = format!("{content_type:?} {}", shown(body));
        check(&server.post("/api/scan", content_type, body), status, code, None, &what);
    }
    for taken in [
        "application/json",
        "APPLICATION/JSON",
        "application/json; charset=UTF-8",
        "application/json ; charset=\"utf-8\"",
        "application/ld+json",
    ] {
        let answer = server.post("/api/scan", Some(taken), READ);
        check(&answer, 400, "bad_domain", Some("domain"), taken);
    }
    stored_report.check(server);
}

#[test]
fn the_largest_body_is_one_mebibyte_to_the_byte() {
    let server = Server::shared();
    let stored_report = StoredReport::make(server);
    let padded = |body: &[u8], size: usize| {
        let mut bytes = body.to_vec();
        bytes.resize(size, b' ');
        bytes
    };
    // A body of exactly the limit is read to its end.
    let answer = server.post_scan(&padded(READ, LIMIT));
    check(&answer, 400, "bad_domain", Some("domain"), "spaces to the limit");
    let name = format!(r#"{{"domain":"{}"}}"#, "a".repeat(LIMIT - r#"{"domain":""}"#.len()));
    check(&server.post_scan(name.as_bytes()), 400, "bad_domain", Some("domain"), "a long name");
    let good = server.post_scan(&padded(br#"{"domain":"open.lab"}"#, LIMIT));
    assert!([200, 429].contains(&good.status), "{}", good.text());

    for size in [LIMIT + 1, LIMIT + 70_000, 3 * LIMIT] {
        let answer = server.post_scan(&padded(READ, size));
        check(&answer, 413, "body_too_large", None, &format!("{size} bytes"));
        assert_eq!(answer.header("connection"), Some("close"));
    }
    // A body that is too large is refused whatever its content type.
    let answer = server.post("/api/scan", Some("text/plain"), &padded(READ, LIMIT + 1));
    check(&answer, 413, "body_too_large", None, "text");
    stored_report.check(server);
}

fn head(lines: &str) -> Vec<u8> {
    format!(
        "POST /api/scan HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
         connection: close\r\n{lines}\r\n"
    )
    .into_bytes()
}

fn chunked(body: &[u8], size: usize) -> Vec<u8> {
    let mut bytes = head("transfer-encoding: chunked\r\n");
    for chunk in body.chunks(size) {
        bytes.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
        bytes.extend(chunk);
        bytes.extend(b"\r\n");
    }
    bytes.extend(b"0\r\n\r\n");
    bytes
}

#[test]
fn a_body_in_chunks_is_measured_as_it_comes() {
    let server = Server::shared();
    let stored_report = StoredReport::make(server);
    let mut body = READ.to_vec();
    for (size, chunk, status, code) in [
        (READ.len(), 1, 400, "bad_domain"),
        (LIMIT, 60_000, 400, "bad_domain"),
        (LIMIT + 1, 60_000, 413, "body_too_large"),
        (LIMIT + 1, LIMIT + 1, 413, "body_too_large"),
        (3 * LIMIT, 100_000, 413, "body_too_large"),
    ] {
        body.resize(size, b' ');
        let answer = server.send(&chunked(&body, chunk));
        let what = format!("{size} bytes in chunks of {chunk}");
        let param = (code == "bad_domain").then_some("domain");
        check(&answer, status, code, param, &what);
    }
    for broken in ["zz\r\n{}\r\n0\r\n\r\n", "-1\r\n{}\r\n", "2 2\r\n{}\r\n", "\r\n{}\r\n0\r\n\r\n"]
    {
        let request = [head("transfer-encoding: chunked\r\n"), broken.into()].concat();
        check(&server.send(&request), 400, "bad_request", None, broken);
    }
    stored_report.check(server);
}

/// Sends the request, closes the sending side, and returns the whole response.
#[allow(clippy::disallowed_methods, reason = "a test speaks to its own server")]
fn send_and_close(server: &Server, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let _ = stream.write_all(request);
    stream.shutdown(Shutdown::Write).unwrap();
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn a_length_that_lies_is_found_out() {
    let server = Server::shared();
    let stored_report = StoredReport::make(server);
    let with_length = |length: &str| head(&format!("content-length: {length}\r\n"));

    // Length too small: the rest is not parsed as a second request.
    let request = [with_length("10"), READ.to_vec()].concat();
    check(&server.send(&request), 400, "bad_request", None, "too short");
    // Declared length too large: refused before the body arrives.
    check(&server.send(&with_length("1048577")), 413, "body_too_large", None, "said too large");
    check(&server.send(&with_length("99999999999")), 413, "body_too_large", None, "said huge");
    // Length larger than what is sent: the server waits, with a time limit.
    let request = [with_length("100"), READ.to_vec()].concat();
    check(&server.send(&request), 408, "bad_request", None, "too long");
    // The client closes the connection before the declared length.
    for request in [
        request,
        [head("transfer-encoding: chunked\r\n"), b"16\r\n".to_vec(), READ.to_vec()].concat(),
    ] {
        let response = send_and_close(server, &request);
        assert!(response.starts_with("HTTP/1.1 400 "), "{response}");
        assert!(response.contains(r#""code":"bad_request""#), "{response}");
    }
    // No length means no body.
    check(&server.send(&[head(""), READ.to_vec()].concat()), 400, "bad_request", None, "none");

    // Two different lengths could smuggle a request past a proxy. The framing is broken, so these are
    // refused without an error body, and the connection is closed.
    for lines in [
        "content-length: 22\r\ncontent-length: 23\r\n",
        "content-length: 22, 23\r\n",
        "content-length: -1\r\n",
        "content-length: +22\r\n",
        "content-length: 0x16\r\n",
        "content-length: 2 2\r\n",
        "content-length: x\r\n",
        "content-length: 18446744073709551615\r\n",
        "content-length: 18446744073709551638\r\n",
        "transfer-encoding: gzip\r\n",
        "transfer-encoding: identity\r\ncontent-length: 22\r\n",
    ] {
        let answer = server.send(&[head(lines), READ.to_vec()].concat());
        assert!([400, 413, 431, 501].contains(&answer.status), "{lines:?}: {answer:?}");
        assert_eq!(answer.header("connection"), Some("close"), "{lines:?}: {answer:?}");
    }
    // Content-Length together with chunks: one of them is used, and nothing after it is processed.
    let two = b"POST /api/scan HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
        content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n16\r\n{\"domain\":\"127.0.0.1\"}\r\n\
        0\r\n\r\nGET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let response = send_and_close(server, two);
    assert!(response.starts_with("HTTP/1.1 400 "), "{response}");
    assert_eq!(response.matches("HTTP/1.1 ").count(), 1, "{response}");
    stored_report.check(server);
}

#[test]
fn a_head_that_is_none_is_refused_and_never_our_fault() {
    let server = Server::shared();
    let stored_report = StoredReport::make(server);
    let many = "x: y\r\n".repeat(150);
    let rows: Vec<(Vec<u8>, &[u16])> = vec![
        (b"G@T /healthz HTTP/1.1\r\nhost: x\r\n\r\n".to_vec(), &[400]),
        (b"GET /healthz HTTP/9.9\r\nhost: x\r\n\r\n".to_vec(), &[400, 505]),
        (b"GET /\x01 HTTP/1.1\r\nhost: x\r\n\r\n".to_vec(), &[400]),
        (b"GET /healthz HTTP/1.1\r\nho st: x\r\n\r\n".to_vec(), &[400]),
        (b"GET /healthz HTTP/1.1\r\n host: x\r\n\r\n".to_vec(), &[400]),
        (b"GET /healthz HTTP/1.1\r\nhost: x\0y\r\n\r\n".to_vec(), &[400]),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".to_vec(), &[400]),
        (b"\0\0\0\0\r\n\r\n".to_vec(), &[400]),
        (
            format!("GET /healthz HTTP/1.1\r\nx: {}\r\n\r\n", "a".repeat(20_000)).into_bytes(),
            &[431],
        ),
        (format!("GET /healthz HTTP/1.1\r\n{many}\r\n").into_bytes(), &[431]),
        (format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(70_000)).into_bytes(), &[414, 431]),
    ];
    for (request, statuses) in rows {
        let answer = server.send(&request);
        assert!(statuses.contains(&answer.status), "{}: {answer:?}", shown(&request));
        assert_eq!(answer.header("connection"), Some("close"), "{}", shown(&request));
    }
    stored_report.check(server);
}

/// A request of this method for this path, without a body.
fn bare(method: &str, path: &str, lines: &str) -> Vec<u8> {
    format!(
        "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n{lines}\r\n"
    )
    .into_bytes()
}

#[test]
fn a_wrong_method_gets_the_allowed_ones() {
    let server = Server::shared();
    let stored_report = StoredReport::make(server);
    let reads: &[&str] = &["GET", "HEAD"];
    let rows: &[(&str, &[&str])] = &[
        ("/api/scan", &["POST"]),
        ("/scan", &["POST"]),
        ("/healthz", reads),
        ("/metrics", reads),
        ("/api/v1/core", reads),
        ("/api/v1/schema", reads),
        ("/api/v1/schema/svc-scan", reads),
        ("/openapi.json", reads),
        ("/.well-known/http-message-signatures-directory", reads),
        ("/.well-known/security-key-rotation.json", reads),
        ("/crawlcheck-verify.mjs", reads),
        ("/docs", reads),
        ("/", reads),
        (&stored_report.address, reads),
    ];
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "BREW"];
    for (path, takes) in rows {
        for method in methods.into_iter().filter(|method| !takes.contains(method)) {
            let what = format!("{method} {path}");
            let answer = server.send(&bare(method, path, ""));
            check(&answer, 405, "method_not_allowed", None, &what);
            let allow = answer.header("allow").unwrap_or_default();
            let allowed: BTreeSet<&str> = allow.split(',').map(str::trim).collect();
            assert_eq!(allowed, takes.iter().copied().collect(), "{what}");
        }
    }
    // HEAD responses have no body.
    for (path, status) in [("/api/scan", 405), ("/healthz", 200), ("/nowhere", 404), ("/docs", 200)]
    {
        let answer = server.send(&bare("HEAD", path, ""));
        assert_eq!((answer.status, answer.body.len()), (status, 0), "HEAD {path}");
        assert!(answer.header("x-request-id").is_some(), "HEAD {path}");
    }
    for path in ["/nowhere", "/api/scan/", "/api/scan/x", "//api/scan", "/API/SCAN", "/api/%73can/"]
    {
        let answer = server.post(path, JSON, READ);
        check(&answer, 404, "not_found", None, path);
    }
    // CORS preflight is answered for public routes, and not for operator routes.
    let asks = "origin: https://elsewhere.org\r\naccess-control-request-method: POST\r\n";
    let answer = server.send(&bare("OPTIONS", "/api/scan", asks));
    assert_eq!((answer.status, answer.body.len()), (204, 0));
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    assert_eq!(answer.header("access-control-allow-credentials"), None);
    let answer = server.send(&bare("OPTIONS", "/metrics", asks));
    check(&answer, 405, "method_not_allowed", None, "preflight of /metrics");
    assert_eq!(answer.header("access-control-allow-origin"), None);
    stored_report.check(server);
}

/// Input is never echoed as markup.
#[test]
fn an_error_page_holds_no_markup_of_the_callers() {
    let server = Server::shared();
    let body = br#"{"domain":"open.lab","<script>alert(1)</script>":1}"#;
    let head = head(&format!("accept: text/html\r\ncontent-length: {}\r\n", body.len()));
    let answer = server.send(&[head, body.to_vec()].concat());
    assert_eq!(answer.status, 400);
    assert!(answer.header("content-type").unwrap().starts_with("text/html"), "{answer:?}");
    assert!(answer.text().contains("&lt;script&gt;"), "{}", answer.text());
    assert!(!answer.text().contains("<script>"), "{}", answer.text());
}

/// Many bad bodies at once: each gets an error in the standard format.
#[test]
fn a_crowd_of_bad_bodies_is_answered_one_by_one() {
    let server = Server::shared();
    let stored_report = StoredReport::make(server);
    let deep = "[".repeat(100_000);
    let large = vec![b' '; LIMIT + 1];
    std::thread::scope(|scope| {
        for turn in 0..24 {
            let (deep, large) = (&deep, &large);
            scope.spawn(move || match turn % 3 {
                0 => check(&server.post_scan(deep.as_bytes()), 400, "bad_request", None, "deep"),
                1 => check(&server.post_scan(large), 413, "body_too_large", None, "large"),
                _ => check(&server.post_scan(b"\xff"), 400, "bad_request", None, "letters"),
            });
        }
    });
    stored_report.check(server);
}
