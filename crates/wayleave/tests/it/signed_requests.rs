//! Our own requests are signed (Web Bot Auth), and a scan says whether that makes a difference.

use serde_json::Value;
use web_bot_auth::components::{
    CoveredComponent, DerivedComponent, HTTPField, HTTPFieldParameters,
};
use web_bot_auth::keyring::{JSONWebKeySet, KeyRing};
use web_bot_auth::message_signatures::SignedMessage;
use web_bot_auth::{SignatureAgentLink, WebBotAuthVerifier};

use crate::lab_server::{Extension, LabServer};

const BASE_URL: &str = "https://wayleave.lab";

fn start() -> LabServer {
    let extension =
        Extension { server: "base_url = \"https://wayleave.lab\"", ..Extension::default() };
    LabServer::start_extended(&[], "[targets]\nenabled = false\n", &extension)
}

/// A request of the evidence, in the form that the third-party library needs.
struct SentRequest<'a> {
    authority: &'a str,
    headers: &'a [Value],
}

impl SignedMessage for SentRequest<'_> {
    fn lookup_component(&self, name: &CoveredComponent) -> Vec<String> {
        match name {
            CoveredComponent::HTTP(HTTPField { name, parameters }) => {
                let lines = self.headers.iter().filter(|line| line["name"] == name.as_str());
                let values = lines.map(|line| line["value"].as_str().unwrap());
                // One member of a dictionary is covered without its name.
                let member = parameters.0.iter().find_map(|parameter| match parameter {
                    HTTPFieldParameters::Key(member) => Some(format!("{member}=")),
                    _ => None,
                });
                let member = member.as_deref().unwrap_or_default();
                values.map(|value| value.strip_prefix(member).unwrap_or(value).to_owned()).collect()
            }
            CoveredComponent::Derived(DerivedComponent::Authority { req: false }) => {
                vec![self.authority.to_owned()]
            }
            _ => Vec::new(),
        }
    }
}

fn has_signature(reading: &Value) -> bool {
    let headers = reading["exchange"]["request_headers"].as_array().unwrap();
    headers.iter().any(|line| line["name"].as_str().unwrap().starts_with("signature"))
}

#[test]
fn a_site_that_welcomes_signed_agents_is_recorded_as_such() {
    let started = start();
    let record = started.scan("signed-only.lab", "public").unwrap();
    let compared = &record["signed_requests"];
    assert_eq!(compared["effect"], "only_signed_served", "{compared}");
    assert_eq!(compared["readings"].as_array().unwrap().len(), 4);
    assert!(compared["means"].as_str().unwrap().contains("signed agents are welcome"));
    let page = started.server.get(&format!("/r/{}", record["id"].as_str().unwrap())).text();
    assert!(page.contains("signed agents are welcome"), "the report says so");

    let same = started.scan("minimal.lab", "public").unwrap();
    assert_eq!(same["signed_requests"]["effect"], "no_difference");
    assert_eq!(same["signed_requests"]["readings"].as_array().unwrap().len(), 2);
    let chance = started.scan("signed-by-chance.lab", "public").unwrap();
    assert_eq!(chance["signed_requests"]["effect"], "unclear", "{}", chance["signed_requests"]);
}

#[test]
fn our_signatures_hold_by_a_library_of_others_and_nobody_else_is_signed() {
    let started = start();
    let record = started.scan("minimal.lab", "public").unwrap();
    let id = record["id"].as_str().unwrap();
    let evidence = started.server.get(&format!("/r/{id}.raw.json")).json();
    let directory = started.server.get("/.well-known/http-message-signatures-directory");
    let keys: JSONWebKeySet = serde_json::from_slice(&directory.body).unwrap();
    let mut ring = KeyRing::default();
    assert!(ring.import_jwks(keys).iter().all(Option::is_none));
    let reads = evidence["reads"].as_array().or(evidence["evidence"]["reads"].as_array()).unwrap();
    let mut signed = 0;
    for reading in reads {
        let is_https = reading["exchange"]["url"].as_str().unwrap().starts_with("https:");
        let is_own = reading["identity"] == "wayleave";
        let expected = is_own && is_https && reading["target"] != "unsigned_home";
        assert_eq!(has_signature(reading), expected, "{reading}");
        if !expected {
            continue;
        }
        signed += 1;
        let headers = reading["exchange"]["request_headers"].as_array().unwrap();
        let sent = SentRequest { authority: "minimal.lab", headers };
        let verifier = WebBotAuthVerifier::parse(&sent).unwrap();
        let agents = verifier.get_signature_agents();
        assert_eq!(*agents, [SignatureAgentLink::External(BASE_URL.to_owned())]);
        verifier.verify(&ring, None).unwrap();
        let other = SentRequest { authority: "other.lab", headers };
        assert!(WebBotAuthVerifier::parse(&other).unwrap().verify(&ring, None).is_err());
    }
    assert!(signed > 10, "{signed} signed requests");

    let observers = started.server.get("/.well-known/crawlcheck-observers.json").json();
    assert!(observers["signature_agent"]["purpose"].as_str().unwrap().contains("Web Bot Auth"));
    let how = observers["verify"]["how"].to_string();
    assert!(how.contains("Web Bot Auth"), "{how}");
}

#[test]
fn without_an_https_address_of_its_own_nothing_is_signed_and_the_record_says_so() {
    let started = LabServer::start(&[]);
    let record = started.scan("signed-only.lab", "public").unwrap();
    assert_eq!(record["signed_requests"]["effect"], "not_measured");
    let observers = started.server.get("/.well-known/crawlcheck-observers.json").json();
    assert!(observers["signature_agent"]["purpose"].as_str().unwrap().contains("not signed"));
}
