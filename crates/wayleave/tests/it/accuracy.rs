//! What AI engines say about a business: measured after the claim, sealed, charted, and told when it changes.

use serde_json::Value;

use crate::command_line::CommandOutput;
use crate::command_line::lab_control::Demo;
use crate::control::{Challenge, wait_for};
use crate::lab_server::LabServer;
use crate::server::wayleave;
use crate::webhooks::receiver::Receiver;

const DOMAIN: &str = "business.lab";

fn record(demo: &Demo, engine: &str) -> Option<Value> {
    let path = format!("/api/v1/accuracy?domain={DOMAIN}&engine={engine}");
    let reply = demo.server().get(&path);
    assert!([200, 404].contains(&reply.status), "{}", reply.text());
    (reply.status == 200).then(|| reply.json())
}

/// The record of an engine that was made after this one.
fn next_record(demo: &Demo, engine: &str, before: Option<&Value>) -> Value {
    wait_for(engine, || match record(demo, engine) {
        Some(found) if Some(&found["sha256"]) != before.map(|before| &before["sha256"]) => {
            Ok(found)
        }
        other => Err(other.unwrap_or_default()),
    })
}

#[test]
fn a_wrong_engine_is_found_sealed_and_told() {
    let Some(receiver) = Receiver::start() else { return };
    let port = receiver.port.to_string();
    let demo = Demo::start_with(&["--no-limits", "--network-allow-ports", &port]);
    receiver.trust(&demo.server().base());
    let server = demo.server();
    assert!(record(&demo, "lab-right").is_none(), "nobody has proven control yet");
    let refused = server.get(&format!("/api/v1/accuracy?domain={DOMAIN}"));
    assert_eq!(refused.error_code(), "not_found");

    let licence =
        demo.operate(&["licence", "create", "--domain", DOMAIN, "--json"]).expect(0).json();
    let id = licence["id"].as_str().unwrap();
    let url = receiver.url("/in");
    let add = ["webhook", "add", "--licence", id, "--url", &url, "--events", "accuracy.changed"];
    demo.operate(&[&add[..], &["--network-allow-ports", &port]].concat()).expect(0);

    let owner = Challenge::prove(&demo, DOMAIN, "dns_txt");
    let right = next_record(&demo, "lab-right", None);
    assert_eq!(right["wrong"], serde_json::json!([]), "{right}");
    for field in ["phone", "address", "website"] {
        assert_eq!(right["fields"][field]["verdict"], "correct", "{field}: {right}");
    }
    // The site says nothing about Saturdays and Sundays.
    assert_eq!(right["fields"]["hours"]["verdict"], "recorded", "{right}");
    let wrong = next_record(&demo, "lab-wrong", None);
    assert_eq!(wrong["wrong"], serde_json::json!(["phone"]), "{wrong}");
    assert_ne!(wrong["fields"]["phone"]["ai"], wrong["fields"]["phone"]["declared"]);
    assert_eq!(wrong["fields"]["address"]["verdict"], "correct", "{wrong}");
    assert_eq!(wrong["prompt"]["sha256"].as_str().unwrap().len(), 64);

    // An agent that is about to dial is told the right number.
    let said = wrong["fields"]["phone"]["ai"].as_str().unwrap();
    let check = |value: &str| {
        let value: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
        server.get(&format!("/api/v1/field-check?domain={DOMAIN}&field=phone&value={value}")).json()
    };
    let answer = check(said);
    assert_eq!(answer["verdict"], "differs", "{answer}");
    let published = answer["published"][0]["untrusted_value"].as_str().unwrap().to_owned();
    assert!(answer["published"][0]["pointer"].is_string(), "{answer}");
    let answer = check(&published);
    assert_eq!(answer["verdict"], "matches", "{answer}");
    assert_eq!(answer["signature"]["alg"], "Ed25519");

    // The engine is mended: the next day's record says so, and so do a change entry and the webhook.
    demo.lab(&["engine", "wrong-phone", "right"]).expect(0);
    demo.lab(&["clock", "+25h"]).expect(0);
    let mended = next_record(&demo, "lab-wrong", Some(&wrong));
    assert_eq!(mended["wrong"], serde_json::json!([]), "{mended}");
    let changes = server.get(&format!("/api/v1/changes?domain={DOMAIN}&section=accuracy")).json();
    let entry = &changes["entries"][0];
    assert_eq!(entry["field"], "accuracy.lab-wrong.phone", "{changes}");
    assert_eq!((entry["from"].as_str(), entry["to"].as_str()), (Some("wrong"), Some("correct")));
    let told = wait_for("the webhook", || {
        let received = receiver.received();
        // The clock of the demo is a day ahead of the receiver's, which therefore doubts the signature.
        let found = received.iter().find(|one| one["unverified"]["type"] == "accuracy.changed");
        found.cloned().ok_or(Value::Array(received.clone()))
    });
    assert_eq!(told["unverified"]["data"]["to"], "correct", "{told}");

    // The first day is sealed by now, with the record.
    let sha256 = wrong["sha256"].as_str().unwrap();
    let seal = wait_for("the seal", || {
        let seal = server.get(&format!("/api/seal/lookup?sha256={sha256}")).json();
        if seal["state"] == "sealed" { Ok(seal) } else { Err(seal) }
    });
    assert_eq!(seal["subject_sha256"], sha256);
    assert!(wrong["seal"].as_str().unwrap().ends_with(seal["day"].as_str().unwrap()));

    // Verdicts over time, for machines and for the owner.
    let history = server.get(&format!("/api/v1/accuracy?domain={DOMAIN}&days=30")).json();
    assert_eq!(history["kind"], "svc-ai-accuracy-history");
    assert_eq!(history["checks"].as_array().unwrap().len(), 4, "{history}");
    let first = history["checks"].as_array().unwrap();
    let first = first.iter().find(|check| check["record_sha256"] == sha256).unwrap();
    let address = first["record"].as_str().unwrap().replace(&server.base(), "");
    assert_eq!(server.get(&address).json(), wrong, "the record of a day stays as it was signed");
    let page = server.get_with(&format!("/registry/{DOMAIN}/owner"), &owner.bearer());
    for text in ["What AI engines say about you", "lab-wrong", "class=\"days\""] {
        assert!(page.text().contains(text), "{text}: {}", page.text());
    }
    let shown =
        demo.operate_url(&["accuracy", "show", DOMAIN, "--engine", "lab-wrong", "--days", "30"]);
    assert!(shown.expect(0).out.contains("wrong"));

    // What a compromised key signed is signed again.
    let [kid, since] = ["kid", "signed_at"].map(|name| wrong["signature"][name].as_str().unwrap());
    demo.operate(&["key", "compromised", kid, since]).expect(0);
    let resigned = wait_for("another key", || {
        let found = server.get(&address).json();
        if found["signature"]["kid"] == kid { Err(found) } else { Ok(found) }
    });
    assert_eq!(resigned["fields"], wrong["fields"]);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let demo = Demo::start();
    let status = |path: &str| {
        let reply = demo.server().get(path);
        (reply.status, reply.error_code())
    };
    for (path, expected) in [
        ("/api/v1/accuracy", (400, "bad_request")),
        ("/api/v1/accuracy?domain=co.uk", (400, "bad_domain")),
        ("/api/v1/accuracy?domain=business.lab&engine=A%20B", (400, "bad_request")),
        ("/api/v1/accuracy?domain=business.lab&days=0", (400, "bad_request")),
        ("/api/v1/accuracy?domain=business.lab&days=2&day=2026-11-15", (400, "bad_request")),
        ("/api/v1/accuracy?domain=business.lab&day=yesterday", (400, "bad_request")),
        ("/api/v1/accuracy?domain=business.lab&days=2", (404, "not_found")),
        ("/api/v1/field-check?domain=business.lab&field=phone", (400, "bad_request")),
        ("/api/v1/field-check?domain=business.lab&field=phone&value=", (400, "bad_request")),
        ("/api/v1/field-check?domain=business.lab&field=phone&value=1%00", (400, "bad_request")),
        ("/api/v1/field-check?domain=business.lab&field=shoe&value=1", (400, "bad_request")),
        ("/api/v1/field-check?domain=127.0.0.1&field=phone&value=1", (400, "bad_domain")),
    ] {
        let (code, name) = expected;
        assert_eq!(status(path), (code, name.to_owned()), "{path}");
    }
    let long = "9".repeat(501);
    let path = format!("/api/v1/field-check?domain=business.lab&field=phone&value={long}");
    assert_eq!(status(&path).0, 400);
    // A site that is read for the question.
    for (field, value, verdict) in [
        ("phone", "+44 1632 960999", "differs"),
        ("phone", "maybe", "not_measured"),
        ("website", "https%3A%2F%2Fwww.business.lab", "matches"),
        ("service_area", "Leeds", "not_published"),
        ("price", "%24%24", "not_published"),
    ] {
        let value = value.replace(' ', "%20").replace('+', "%2B");
        let path = format!("/api/v1/field-check?domain=business.lab&field={field}&value={value}");
        let answer = demo.server().get(&path).json();
        assert_eq!(answer["verdict"], verdict, "{field}: {answer}");
    }
    let closed = "/api/v1/field-check?domain=closed.lab&field=phone&value=1";
    assert_eq!(demo.server().get(closed).json()["verdict"], "not_measured");
}

#[test]
fn a_day_costs_no_more_than_the_operator_allows() {
    let demo = Demo::start_with(&["--no-limits", "--accuracy-calls-per-day", "1"]);
    Challenge::prove(&demo, DOMAIN, "dns_txt");
    let asked = || ["lab-right", "lab-wrong"].map(|engine| record(&demo, engine).is_some());
    let count = || asked().iter().filter(|found| **found).count();
    wait_for("the first record", || match count() {
        0 => Err(Value::Null),
        found => Ok(Value::from(found)),
    });
    // The other engine's turn is right after the first.
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert_eq!(count(), 1, "{:?}", asked());
    let metrics = demo.server().get("/metrics").text();
    let calls = metrics.lines().filter(|line| line.starts_with("wayleave_engine_calls_total{"));
    assert_eq!(calls.count(), 1, "{metrics}");
}

/// What `accuracy run` says about one behaviour of the lab's engine: exit code, and the record.
fn run_engine(lab: &LabServer, behaviour: &str) -> (i32, Value) {
    let network = lab.lab.network();
    let engine = format!("one={} model={behaviour} key_env=LAB_ENGINE_KEY", network.engine);
    let configuration = lab.configuration();
    let mut command = wayleave();
    command.env("LAB_ENGINE_KEY", &network.engine_key).env("WAYLEAVE_ACCURACY_ENGINES", &engine);
    command.args(["accuracy", "run", DOMAIN, "--json", "--config"]).arg(configuration);
    let output = CommandOutput::of(command.output().unwrap());
    assert!(!output.err.contains(&network.engine_key), "{}", output.err);
    let record = serde_json::from_str(&output.out);
    (output.code, record.unwrap_or(Value::String(output.err)))
}

#[test]
fn whatever_an_engine_answers_is_read_or_refused() {
    let lab = LabServer::start(&[]);
    for (behaviour, code, wrong) in [
        ("right", 0, vec![]),
        ("no-schema", 0, vec![]),
        ("newer-limit", 0, vec![]),
        ("prose", 0, vec![]),
        ("unknowing", 0, vec![]),
        ("wrong-phone", 1, vec!["phone"]),
        ("wrong-address", 1, vec!["address"]),
        ("wrong-website", 1, vec!["website"]),
    ] {
        let (found, record) = run_engine(&lab, behaviour);
        let expected = (code, &serde_json::json!(wrong));
        assert_eq!((found, &record["wrong"]), expected, "{behaviour}: {record}");
    }
    for behaviour in ["huge", "busy", "redirect", "garbage", "server-error", "declines"] {
        let (found, record) = run_engine(&lab, behaviour);
        assert!(found == 2 && record.is_string(), "{behaviour}: {found} {record}");
    }
    // Orders, markup and hidden characters are at most values, each in one short line.
    let (_, record) = run_engine(&lab, "injected");
    for (name, field) in record["fields"].as_object().unwrap() {
        let text = field["ai"].as_str().unwrap_or_default();
        assert!(text.chars().count() <= 300, "{name}: {text}");
        assert!(!text.chars().any(|c| c.is_control() || contract::text::is_hidden(c)), "{text:?}");
    }
}
