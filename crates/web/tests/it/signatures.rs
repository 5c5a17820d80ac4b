//! Content digests and signatures of responses, as a client sees them.

use contract::Timestamp;
use proof::{
    PublicKey,
    http_signatures::{
        Component, DIRECTORY_TAG, HttpSignatureError, Message, Request, Response,
        SignatureRequirements, VerifiedSignature, content_digest, verify,
    },
};
use serde_json::{Value, json};
use service::log::builds::{BuildFacts, LoggedBuild};

use crate::{
    app::{TestServer, start},
    harness::{Reply, Server},
};

const DIRECTORY: &str = "/.well-known/http-message-signatures-directory";
/// The clock of the service under test, in seconds.
const NOW: i64 = 1_794_736_800;

fn fields(reply: &Reply) -> Vec<(String, &str)> {
    let lines = reply.head.lines().filter_map(|line| line.split_once(':'));
    lines.map(|(name, value)| (name.to_ascii_lowercase(), value.trim())).collect()
}

fn checked(
    reply: &Reply,
    method: &str,
    path: &str,
    keys: &[PublicKey],
    expected: &SignatureRequirements<'_>,
) -> Result<VerifiedSignature, HttpSignatureError> {
    let fields = fields(reply);
    let fields: Vec<(&str, &str)> =
        fields.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let target_uri = format!("https://svc.example{path}");
    let request = Request { method, target_uri: &target_uri, fields: &[("accept", "*/*")] };
    let message = Message::response(Response { status: reply.status, fields: &fields }, request);
    verify(&message, expected, &|kid| keys.iter().find(|key| key.kid() == kid).cloned())
}

fn expected(tag: Option<&str>) -> SignatureRequirements<'_> {
    let now = Timestamp::from_millis(NOW * 1000);
    SignatureRequirements { now, skew_seconds: 1, max_age_seconds: None, tag, covers: &[] }
}

async fn directory(test_server: &TestServer) -> (Reply, Vec<(String, PublicKey)>) {
    let reply = test_server.server.get(DIRECTORY, "").await;
    let keys = reply.json()["keys"].as_array().unwrap().clone();
    let keys = keys.iter().map(|key: &Value| {
        (key["svc_purpose"].as_str().unwrap().to_owned(), PublicKey::from_jwk(key).unwrap())
    });
    let keys = keys.collect();
    (reply, keys)
}

#[tokio::test]
async fn every_answer_with_a_body_carries_its_digest() {
    let test_server = start().await;
    let post = |path: &str, body: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let mut statuses = Vec::new();
    for request in [
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(),
        "GET /r/public1.json HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(),
        "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(),
        "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(),
        "GET /nowhere HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n".to_owned(),
        "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n".to_owned(),
        post("/api/scan", "{"),
        post("/api/scan", "{\"domain\":\"cannot-be-resolved.com\"}"),
    ] {
        let reply = test_server.server.ask(&request).await;
        assert!(!reply.body.is_empty(), "{request}");
        let digest = content_digest(&proof::sha256(&reply.body));
        assert_eq!(reply.header("content-digest"), Some(digest.as_str()), "{request}");
        statuses.push(reply.status);
    }
    assert_eq!(statuses, [200, 200, 200, 404, 404, 405, 400, 200]);

    let tag = test_server.server.get("/openapi.json", "").await.header("etag").unwrap().to_owned();
    let unchanged =
        test_server.server.get("/openapi.json", &format!("If-None-Match: {tag}\r\n")).await;
    let preflight = "OPTIONS /api/scan HTTP/1.1\r\nHost: x\r\nOrigin: https://a.example\r\n\
                     Access-Control-Request-Method: POST\r\n\r\n";
    let preflight = test_server.server.ask(preflight).await;
    let head =
        without_body(&test_server.server, "HEAD /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n").await;
    for (reply, status) in [(unchanged, 304), (preflight, 204), (head, 200)] {
        assert_eq!((reply.status, reply.header("content-digest")), (status, None));
    }
}

/// A response to HEAD has the length of a body that is not sent.
async fn without_body(server: &Server, request: &str) -> Reply {
    use tokio::io::AsyncReadExt;
    let mut client = server.dial().await;
    client.send(request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n").as_bytes()).await;
    let mut head = String::new();
    client.stream.read_to_string(&mut head).await.unwrap();
    assert!(head.ends_with("\r\n\r\n"), "no body: {head}");
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Reply { status, head, body: Vec::new() }
}

#[tokio::test]
async fn responses_are_signed_on_request() {
    let test_server = start().await;
    let (_, keys) = directory(&test_server).await;
    let of = |purpose: &str| {
        let key = keys.iter().find(|(known, _)| known == purpose).unwrap();
        key.1.clone()
    };
    let (requests, documents) = (of("requests"), of("documents"));
    assert_ne!(requests.kid(), documents.kid());

    let ask = "Accept: */*\r\nAccept-Signature: sig1=(\"@status\" \"content-type\" \
               \"content-digest\" \"x-request-id\" \"@method\";req \"@target-uri\";req \
               \"@authority\";req \"accept\";req);created;nonce=\"n1\";tag=\"mine\"\r\n";
    for (path, status) in
        [("/openapi.json", 200), ("/r/public1.json?x=1", 200), ("/nowhere", 404), ("/", 200)]
    {
        let reply = test_server.server.get(path, ask).await;
        assert_eq!(reply.status, status, "{path}");
        let all = [requests.clone()];
        let good = checked(&reply, "GET", path, &all, &expected(Some("mine"))).unwrap();
        assert_eq!((good.label.as_str(), good.params.nonce.as_deref()), ("sig1", Some("n1")));
        assert_eq!(good.params.keyid.as_deref(), Some(requests.kid()));
        assert_eq!(good.components.len(), 8);
        let digest = content_digest(&proof::sha256(&reply.body));
        assert_eq!(reply.header("content-digest"), Some(digest.as_str()));
        for (method, elsewhere) in [("POST", path), ("GET", "/elsewhere")] {
            let forged = checked(&reply, method, elsewhere, &all, &expected(None));
            assert_eq!(forged, Err(HttpSignatureError::BadSignature), "{path}");
        }
    }
    // Without a request for a signature, or with one that cannot be met, the response is unsigned.
    for ask in [
        "",
        "Accept-Signature: sig1=(\"@status\" \"no-such-field\")\r\n",
        "Accept-Signature: sig1=(\"content-digest\")\r\n",
        "Accept-Signature: sig1=(\"@status\");keyid=\"another\"\r\n",
        "Accept-Signature: sig1=(\"@status\");tag=\"http-message-signatures-directory\"\r\n",
        "Accept-Signature: ((((\r\n",
        "Accept-Signature: \u{fc}\r\n",
    ] {
        let reply = test_server.server.get("/openapi.json", ask).await;
        assert_eq!(reply.status, 200, "{ask}");
        assert_eq!(reply.header("signature"), None, "{ask}");
        assert_eq!(reply.header("signature-input"), None, "{ask}");
    }
}

#[tokio::test]
async fn every_key_of_the_directory_proves_that_we_hold_it() {
    let test_server = start().await;
    let (reply, keys) = directory(&test_server).await;
    assert_eq!(
        reply.header("content-type"),
        Some("application/http-message-signatures-directory+json")
    );
    let tag = reply.header("etag").unwrap();
    let covers =
        [Component::of_request("@authority").unwrap(), Component::new("content-digest").unwrap()];
    let expected = SignatureRequirements { covers: &covers, ..expected(Some(DIRECTORY_TAG)) };
    assert_eq!(keys.len(), 4);
    for (purpose, key) in &keys {
        let one = [key.clone()];
        let good = checked(&reply, "GET", DIRECTORY, &one, &expected).expect(purpose);
        assert_eq!(good.params.created, Some(NOW));
        assert_eq!(good.params.expires, Some(NOW + 24 * 3600));
    }
    let digest = content_digest(&proof::sha256(&reply.body));
    assert_eq!(reply.header("content-digest"), Some(digest.as_str()));
    // A cached copy gets fresh signatures.
    let unchanged = test_server.server.get(DIRECTORY, &format!("If-None-Match: {tag}\r\n")).await;
    assert_eq!(unchanged.status, 304);
    assert_eq!(unchanged.header("signature"), reply.header("signature"));
    // It can also be signed on request, in addition to its own signatures.
    let ask = "Accept-Signature: mine=(\"@status\" \"content-digest\");tag=\"mine\"\r\n";
    let both = test_server.server.get(DIRECTORY, ask).await;
    let all: Vec<PublicKey> = keys.into_iter().map(|(_, key)| key).collect();
    let ours = SignatureRequirements { tag: Some("mine"), covers: &[], ..expected };
    assert_eq!(checked(&both, "GET", DIRECTORY, &all, &ours).unwrap().label, "mine");
    assert!(checked(&both, "GET", DIRECTORY, &all, &expected).is_ok());
}

#[tokio::test]
async fn scripts_of_other_sites_may_read_digests_and_signatures() {
    let test_server = start().await;
    let reply = test_server.server.get("/openapi.json", "Origin: https://a.example\r\n").await;
    let exposed = reply.header("access-control-expose-headers").unwrap();
    for name in ["Content-Digest", "Signature", "Signature-Input"] {
        assert!(exposed.split(", ").any(|known| known == name), "{exposed}");
    }
}

#[tokio::test]
async fn a_build_is_found_by_its_id_with_its_log_entry() {
    let test_server = start().await;
    let facts = BuildFacts {
        profile: "release".to_owned(),
        commit: Some("c0ffee".to_owned()),
        clean: Some(true),
        ..BuildFacts::default()
    };
    let build = test_server.service.builds.identify_running_build(facts).await.unwrap();
    let path = format!("/api/v1/builds/{}", build.version_id());
    let before = test_server.server.get(&path, "").await;
    assert_eq!(before.status, 200);
    assert_eq!(before.header("cache-control"), Some("public, max-age=300"));
    let record = before.json();
    assert_eq!(
        (&record["state"], &record["build_log_entry"]),
        (&json!("unattested"), &json!(null))
    );
    let tag = before.header("etag").unwrap();
    assert_eq!(
        test_server.server.get(&path, &format!("If-None-Match: {tag}\r\n")).await.status,
        304
    );

    // Told of the entry of another build, nothing is claimed; told of its own, it is.
    let entry = LoggedBuild { content: "{}".into(), log_index: 5, logged_at: None };
    test_server.service.builds.set_logged_build(entry.clone());
    assert_eq!(test_server.server.get(&path, "").await.json()["state"], "unattested");
    test_server.service.builds.set_logged_build(LoggedBuild { content: build.entry(), ..entry });
    let record = test_server.server.get(&path, "").await.json();
    assert_eq!((&record["state"], &record["build_log_entry"]), (&json!("attested"), &json!(5)));
    let code = serde_json::to_value(&*test_server.service.builds.code().unwrap()).unwrap();
    for (name, value) in code.as_object().unwrap() {
        assert_eq!(&record[name], value, "{name}");
    }
}

#[tokio::test]
async fn an_unknown_build_is_not_found() {
    let test_server = start().await;
    for name in ["0".repeat(64), "A".repeat(64), "0".repeat(63), "x".to_owned()] {
        let reply = test_server.server.get(&format!("/api/v1/builds/{name}"), "").await;
        assert_eq!((reply.status, reply.code().as_str()), (404, "not_found"), "{name}");
    }
}
