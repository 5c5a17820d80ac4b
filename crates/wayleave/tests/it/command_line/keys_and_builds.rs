//! Keys: rotated while a server is running, and verified by a third-party library.

use proof::http_signatures;
use web_bot_auth::components::{
    CoveredComponent, DerivedComponent, HTTPField, HTTPFieldParameters,
};
use web_bot_auth::keyring::{JSONWebKeySet, KeyRing};
use web_bot_auth::message_signatures::{MessageVerifier, SignedMessage};

use super::*;
use crate::server::HttpReply;

const DIRECTORY: &str = "/.well-known/http-message-signatures-directory";
const ROTATION: &str = "/.well-known/security-key-rotation.json";

/// A response and its request, in the form that library needs.
struct SignedReply<'a> {
    answer: &'a HttpReply,
    authority: String,
    path: &'a str,
}

impl SignedMessage for SignedReply<'_> {
    fn lookup_component(&self, name: &CoveredComponent) -> Vec<String> {
        match name {
            CoveredComponent::HTTP(HTTPField { name, parameters }) => {
                assert!(!parameters.0.contains(&HTTPFieldParameters::Req), "none was asked for");
                let lines = self.answer.headers.iter().filter(|(known, _)| known == name);
                lines.map(|(_, value)| value.clone()).collect()
            }
            CoveredComponent::Derived(DerivedComponent::Status { req: false }) => {
                vec![self.answer.status.to_string()]
            }
            CoveredComponent::Derived(DerivedComponent::Method { req: true }) => {
                vec!["GET".to_owned()]
            }
            CoveredComponent::Derived(DerivedComponent::Authority { req: true }) => {
                vec![self.authority.clone()]
            }
            CoveredComponent::Derived(DerivedComponent::TargetUri { req: true }) => {
                vec![format!("http://{}{}", self.authority, self.path)]
            }
            _ => Vec::new(),
        }
    }
}

impl SignedReply<'_> {
    /// The keyid and tag of the signature with this label, if it holds.
    fn verified(&self, label: &str, keys: &KeyRing) -> Option<(String, String)> {
        let verifier = MessageVerifier::parse(self, |(known, _)| known.as_str() == label).ok()?;
        let details = &verifier.parsed.base.parameters.details;
        let found = (details.keyid.clone()?, details.tag.clone()?);
        assert!(details.created.is_some() && details.expires > details.created, "{details:?}");
        verifier.verify(keys, None).ok().map(|_| found)
    }
}

fn key_ring(directory: &HttpReply) -> KeyRing {
    let keys: JSONWebKeySet = serde_json::from_slice(&directory.body).unwrap();
    let mut ring = KeyRing::default();
    assert!(ring.import_jwks(keys).iter().all(Option::is_none), "every key is taken");
    ring
}

fn kid_for(directory: &Value, purpose: &str) -> String {
    let keys = directory["keys"].as_array().unwrap();
    let found: Vec<&Value> = keys.iter().filter(|key| key["svc_purpose"] == purpose).collect();
    assert_eq!(found.len(), 1, "{directory}");
    found[0]["kid"].as_str().unwrap().to_owned()
}

#[test]
fn somebody_elses_program_verifies_answers_and_the_directory() {
    let server = Server::shared();
    let authority = server.address.to_string();
    let directory = server.get(DIRECTORY);
    let keys = key_ring(&directory);
    let published = directory.json();
    let count = published["keys"].as_array().unwrap().len();
    let seen = SignedReply { answer: &directory, authority: authority.clone(), path: DIRECTORY };
    let mut provers = Vec::new();
    for place in 0..count {
        let (kid, tag) = seen.verified(&format!("binding{place}"), &keys).unwrap();
        assert_eq!(tag, "http-message-signatures-directory");
        provers.push(kid);
    }
    let listed: Vec<&str> = published["keys"]
        .as_array()
        .unwrap()
        .iter()
        .map(|key| key["kid"].as_str().unwrap())
        .collect();
    assert_eq!(provers, listed, "one signature by each key");
    let elsewhere =
        SignedReply { answer: &directory, authority: "evil.example".to_owned(), path: DIRECTORY };
    assert_eq!(elsewhere.verified("binding0", &keys), None);

    let path = "/openapi.json?";
    let ask = "accept-signature: s1=(\"@status\" \"content-type\" \"content-digest\" \
               \"@method\";req \"@target-uri\";req \"@authority\";req);created;tag=\"t\"\r\n";
    let answer = server.get_with("/openapi.json", ask);
    let requests = kid_for(&published, "requests");
    let seen = SignedReply { answer: &answer, authority: authority.clone(), path: "/openapi.json" };
    assert_eq!(seen.verified("s1", &keys), Some((requests.clone(), "t".to_owned())));
    assert_eq!(SignedReply { path, ..seen }.verified("s1", &keys), None, "another address");
    let digest = http_signatures::content_digest(&proof::sha256(&answer.body));
    assert_eq!(answer.header("content-digest"), Some(digest.as_str()));

    // HTTP messages and documents are signed by different keys.
    let record = server.scan("minimal.lab");
    let documents = kid_for(&published, "documents");
    assert_eq!(record["signature"]["kid"], documents.as_str());
    assert_ne!(documents, requests);
}

#[test]
fn keys_are_replaced_while_a_server_runs() {
    let folder = Folder::new();
    let data = folder.path("data");
    let flags = ["--store-data-dir", data.as_str()];
    let server = Server::start_demo(&flags);
    let base = server.base();
    let keep = |name: &str| {
        let answer = server.post_scan(br#"{"domain":"minimal.lab"}"#);
        assert_eq!(answer.status, 200, "{}", answer.text());
        let kid = answer.json()["signature"]["kid"].as_str().unwrap().to_owned();
        (folder.write(name, &answer.body), kid)
    };
    let before = server.get(DIRECTORY).json();
    let (first, old) = keep("first.json");
    assert_eq!(old, kid_for(&before, "documents"));

    // A new key is published before it signs documents; until then it only signs the directory.
    run(&["key", "rotate", "decisions", "--after", "86400", flags[0], flags[1]]).expect(PASSED);
    within(60, "the waiting key is published", || {
        server.get(DIRECTORY).json()["keys"].as_array().unwrap().len() == 5
    });
    let waiting = server.get(DIRECTORY);
    let ring = key_ring(&waiting);
    let seen =
        SignedReply { answer: &waiting, authority: server.address.to_string(), path: DIRECTORY };
    for place in 0..5 {
        assert!(seen.verified(&format!("binding{place}"), &ring).is_some(), "{place}");
    }
    let (between, still_old) = keep("between.json");
    assert_eq!(still_old, old);

    for purpose in ["documents", "log heads"] {
        run(&["key", "rotate", purpose, "--after", "0", flags[0], flags[1]]).expect(PASSED);
    }
    within(60, "the new key signs", || keep("new.json").1 != old);
    let (new, kid) = keep("new.json");
    let list = || run(&["key", "list", "--json", flags[0], flags[1]]).expect(PASSED).json();
    let listed = list();
    assert_eq!(listed.as_array().map(Vec::len), Some(7), "{listed}");
    within(60, "the old keys are retired", || {
        server.get(ROTATION).json()["retired"].as_array().unwrap().len() == 2
    });
    let after = server.get(DIRECTORY).json();
    assert_eq!(kid_for(&after, "documents"), kid);
    assert_eq!(kid_for(&after, "requests"), kid_for(&before, "requests"));
    assert_ne!(kid_for(&after, "log heads"), kid_for(&before, "log heads"));
    for record in [&first, &between, &new] {
        run(&["verify", "--keys", &base, record]).expect(PASSED);
    }

    // The active key is compromised: it stops signing, and its signatures are no longer accepted.
    let since = "2020-01-01T00:00:00Z";
    run(&["key", "compromised", &kid, since, flags[0], flags[1]]).expect(PASSED);
    within(60, "the compromise is told", || {
        let rotation = server.get(ROTATION).json();
        rotation["compromised"]
            .as_array()
            .unwrap()
            .iter()
            .any(|key| key["thumbprint"] == kid.as_str())
    });
    run(&["verify", "--keys", &base, &new]).expect(CHECK_FAILED);
    run(&["verify", "--keys", &base, &first]).expect(PASSED);
    let (last, third) = keep("last.json");
    assert!(third != kid && third != old, "{third}");
    run(&["verify", "--keys", &base, &last]).expect(PASSED);
    let listed = list();
    let key_status =
        listed.as_array().unwrap().iter().find(|key| key["kid"] == kid.as_str()).unwrap();
    assert_eq!(key_status["compromised_since"], since, "{listed}");
    assert!(key_status["stopped_signing_at"].is_string(), "{listed}");
}

#[test]
fn the_running_program_names_its_build() {
    let server = Server::shared();
    let listen = server.address.to_string();
    let folder = Folder::new();
    let data = folder.path("data");
    let probe = ["--network-resolver", "127.0.0.1:1", "--store-data-dir", &data];
    let examine = |listen: &str| {
        let checks = run(&[&["doctor", "--json", "--server-listen", listen][..], &probe].concat());
        let checks = checks.expect(CHECK_FAILED).json();
        let build = checks.as_array().unwrap().iter().find(|check| check["name"] == "build");
        build.unwrap().clone()
    };
    // The server hashes its binary in the background.
    within(60, "the build is known", || {
        !examine(&listen)["says"].as_str().unwrap().starts_with("differs")
    });
    let check = examine(&listen);
    let says = check["says"].as_str().unwrap();
    assert!(says.starts_with("not logged yet") || says.starts_with("same as log entry"), "{says}");
    let name = says.split("build ").nth(1).unwrap().split(',').next().unwrap();
    let answer = server.get(&format!("/api/v1/builds/{name}"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("cache-control"), Some("public, max-age=300"));
    let record = answer.json();
    assert_eq!(record["kind"], "svc-build");
    assert_eq!(record["version_id"], name);
    let program = std::fs::read(env!("CARGO_BIN_EXE_wayleave")).unwrap();
    let sha256 = proof::sha256(&program).to_hex();
    assert_eq!(record["artifact"]["artifact_sha256"], sha256.as_str());
    assert_eq!(record["artifact"]["bytes"], program.len());
    assert_eq!(record["script_sha16"], &sha256[..16]);
    let lock = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock")).unwrap();
    assert_eq!(record["toolchain"]["cargo_lock_sha256"], proof::sha256(&lock).to_hex());
    assert!(record["toolchain"]["rustc"].as_str().unwrap().starts_with("rustc 1."), "{record}");
    assert_ne!(record["state"], "attested", "a build of a test is nothing to trust");
    let schema = server.get("/api/v1/schema?kind=svc-build").json();
    assert!(jsonschema::draft202012::is_valid(&schema, &record), "{record}");
    let file = folder.write("build.json", &answer.body);
    run(&["verify", "--keys", &server.base(), &file]).expect(PASSED);

    assert_eq!(server.get(&format!("/api/v1/builds/{}", "0".repeat(64))).status, 404);
    let alone = examine("127.0.0.1:0");
    assert_eq!(alone["state"], "doubt", "{alone}");
    assert!(alone["says"].as_str().unwrap().contains("no service answers"), "{alone}");
}
