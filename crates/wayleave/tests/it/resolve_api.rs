//! `/api/v1/resolve` and related endpoints, through the API and the command line.

use serde_json::{Value, json};

use crate::server::{HttpReply, Server, wayleave};

fn resolve(server: &Server, domain: &str) -> HttpReply {
    server.get(&format!("/api/v1/resolve?domain={domain}"))
}

fn resolved(server: &Server, domain: &str) -> Value {
    let answer = resolve(server, domain);
    assert_eq!(answer.status, 200, "{domain}: {}", answer.text());
    answer.json()
}

/// The answer after a full scan. A live reading has one second, and a busy machine may not finish it.
fn scanned(server: &Server, domain: &str) -> Value {
    server.scan(domain);
    resolved(server, domain)
}

fn verify(server: &Server, bytes: &[u8]) -> std::process::Output {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    wayleave().args(["verify", "--keys", &server.base()]).arg(file.path()).output().unwrap()
}

/// Every member of a document, by its name.
fn names(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, inner) in members {
                found.push(name.clone());
                names(inner, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| names(item, found)),
        _ => {}
    }
}

#[test]
fn a_domain_that_nobody_read_is_read_now_decided_logged_and_signed() {
    let server = &Server::start_demo(&[]);
    let answer = resolve(server, "open.lab");
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("cache-control"), Some("public, max-age=60"));
    let document = answer.json();
    assert_eq!(document["kind"], "svc-resolve");
    assert_eq!(
        (&document["status"], &document["assurance"]),
        (&json!("partial"), &json!("partial"))
    );
    assert_eq!(document["basis"]["kind"], "just_in_time");
    assert_eq!(document["basis"]["budget_ms"], 1000);
    assert_eq!(document["upgrade"]["state"], "queued");
    assert_eq!(document["transparency"]["state"], "included");
    assert_eq!(document["actions"]["administer"]["decision"], "block");
    assert_ne!(document["actions"]["transact"]["decision"], "allow");
    assert!(["allow", "warn"].contains(&document["actions"]["read"]["decision"].as_str().unwrap()));
    let etag = format!("\"{}\"", document["sha256"].as_str().unwrap());
    assert_eq!(answer.header("etag"), Some(etag.as_str()));
    let output = verify(server, &answer.body);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));

    // Every section has its own state, and there is no overall score.
    for section in
        ["crawl_policy", "delivery", "machine_files", "capabilities", "entity", "dns", "tls"]
    {
        let state = document[section]["state"].as_str().unwrap();
        assert!(["declared", "observed", "not_measured"].contains(&state), "{section}: {state}");
        assert!(state != "not_measured" || !document[section]["why"].as_str().unwrap().is_empty());
    }
    let mut all = Vec::new();
    names(&document, &mut all);
    for forbidden in ["overall", "score", "grade", "is_safe", "trust_score"] {
        assert!(!all.iter().any(|name| name == forbidden), "{forbidden}");
    }

    // The same bytes again; with If-None-Match no body.
    let again = resolve(server, "https://www.open.lab/some/page");
    assert_eq!(again.body, answer.body);
    let known =
        server.get_with("/api/v1/resolve?domain=open.lab", &format!("if-none-match: {etag}\r\n"));
    assert_eq!((known.status, known.body.len()), (304, 0));
}

/// A cached answer is served without the router, unless the request needs more than its bytes.
#[test]
fn a_stored_answer_is_the_same_on_both_code_paths_and_counts_for_the_limit() {
    let server = Server::start_demo_with_limits(&["--limits-decide-per-minute", "6"]);
    both_code_paths_answer_alike(&server, "/api/v1/resolve?domain=open.lab");
}

#[test]
fn a_field_check_is_the_same_on_both_code_paths_and_counts_for_the_limit() {
    let server = Server::start_demo_with_limits(&["--limits-read-per-minute", "6"]);
    let path = "/api/v1/field-check?domain=business.lab&field=phone&value=%2B1%20555%20010%200000";
    both_code_paths_answer_alike(&server, path);
}

/// For a route of which six requests a minute are allowed.
fn both_code_paths_answer_alike(server: &Server, path: &str) {
    let first = server.get(path);
    assert_eq!(first.header("ratelimit").unwrap().split(';').nth(1), Some("r=5"));
    let headers_of = |answer: &HttpReply| {
        assert_eq!(answer.status, 200, "{}", answer.text());
        [
            "content-type",
            "content-digest",
            "etag",
            "cache-control",
            "content-length",
            "access-control-allow-origin",
            "access-control-expose-headers",
            "x-content-type-options",
            "ratelimit-policy",
            "vary",
        ]
        .map(|name| answer.header(name).map(str::to_owned))
    };
    let short = server.get(path);
    // An option that does not apply changes only the code path.
    let long = server.get_with(path, "range: bytes=0-5\r\n");
    assert_eq!(headers_of(&short), headers_of(&long));
    assert_eq!((&short.body, &first.body), (&long.body, &long.body));
    assert!(short.header("ratelimit").unwrap().contains(";r=4;"));
    assert!(long.header("ratelimit").unwrap().contains(";r=3;"));
    for left in (0..3).rev() {
        let answer = server.get(path);
        assert!(answer.header("ratelimit").unwrap().contains(&format!(";r={left};")), "{left}");
    }
    let refused = server.get(path);
    assert_eq!((refused.status, refused.json()["code"].as_str()), (429, Some("rate_limited")));
    let metrics = server.get("/metrics");
    let (route, _) = path.split_once('?').unwrap();
    let counted =
        format!("http_requests_total{{route=\"{route}\",method=\"GET\",status=\"2xx\"}} 6");
    assert!(metrics.text().contains(&counted), "{}", metrics.text());
}

#[test]
fn each_way_of_a_site_has_its_decision() {
    let server = Server::shared();
    let decision = |domain: &str, action: &str| {
        let document = scanned(server, domain);
        document["actions"][action]["decision"].as_str().unwrap().to_owned()
    };
    for closed in ["robots-closed.lab", "robots-no-ai.lab", "blocks-ai.lab", "blocks-all.lab"] {
        assert_eq!(decision(closed, "read"), "block", "{closed}");
        assert_eq!(decision(closed, "cite"), "block", "{closed}");
    }
    for unsure in ["minimal.lab", "blocks-training.lab", "robots-500.lab"] {
        assert_ne!(decision(unsure, "read"), "allow", "{unsure}");
    }
    assert_eq!(decision("minimal.lab", "connect"), "unsupported");
    for domain in ["open.lab", "minimal.lab", "business.lab", "robots-closed.lab"] {
        assert_eq!(decision(domain, "administer"), "block");
        assert_ne!(decision(domain, "transact"), "allow");
    }
}

#[test]
fn what_was_cut_off_is_neither_absent_nor_refused() {
    let server = Server::shared();
    for domain in ["stalls-before-head.lab", "drips-head.lab"] {
        let document = resolved(server, domain);
        let cut = document["basis"]["not_read_in_budget"].as_array().unwrap();
        assert!(!cut.is_empty(), "{domain}");
        let absent: Vec<&str> = document["absences"]
            .as_array()
            .unwrap()
            .iter()
            .map(|absence| absence["path"].as_str().unwrap())
            .collect();
        for name in cut.iter().filter_map(|name| name.as_str()?.strip_prefix("machine_files")) {
            assert!(!absent.contains(&name), "{domain}: {name}");
        }
        assert_ne!(document["actions"]["read"]["decision"], "allow", "{domain}");
    }
}

#[test]
fn absences_name_everything_that_was_checked() {
    let document = scanned(Server::shared(), "minimal.lab");
    let absences = document["absences"].as_array().unwrap();
    assert!(absences.len() >= 6, "{absences:?}");
    for absence in absences {
        assert_eq!(absence["result"], "absent");
        let checked = absence["checked"].as_array().unwrap();
        assert!(!checked.is_empty() && checked.iter().all(|check| check["status"].is_u64()));
    }
    // A refused request is not reported as absent.
    let refused = scanned(Server::shared(), "refused-files.lab");
    assert_eq!(refused["absences"].as_array().unwrap().len(), 0, "{}", refused["absences"]);
}

#[test]
fn a_scan_replaces_the_answer_and_the_change_is_reported() {
    let server = Server::start_demo(&[]);
    let before = resolved(&server, "business.lab");
    assert_eq!(before["status"], "partial");
    assert_eq!(server.post_scan(br#"{"domain":"business.lab"}"#).status, 200);
    let after = resolved(&server, "business.lab");
    assert_eq!((&after["status"], &after["assurance"]), (&json!("measured"), &json!("full")));
    assert!(after.get("upgrade").is_none(), "{}", after["upgrade"]);
    assert!(after["evidence"]["report"].as_str().unwrap().contains("/r/"));
    assert!(after["served_from"].as_str().unwrap().contains("stored reading"));
    let changes = server.get("/api/v1/changes?domain=business.lab");
    assert_eq!(changes.status, 200, "{}", changes.text());
    let changes = changes.json();
    let assurance = changes["entries"]
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["section"] == "assurance")
        .unwrap_or_else(|| panic!("{changes}"));
    assert_eq!((&assurance["from"], &assurance["to"]), (&json!("partial"), &json!("full")));
    assert_eq!(assurance["cause"], "upgrade");
    assert_eq!(assurance["after"]["answer_sha256"], after["sha256"]);

    // Scans that are not public do not change answers.
    let body = br#"{"domain":"two-phones.lab","visibility":"unlisted"}"#;
    assert_eq!(server.post_scan(body).status, 200);
    let unlisted = server.get("/api/v1/resolve?domain=two-phones.lab&live=never");
    assert_eq!((unlisted.status, unlisted.json()["code"].as_str()), (404, Some("not_tracked")));
}

#[test]
fn many_are_answered_in_order_and_the_bad_ones_are_named() {
    let server = Server::shared();
    let ask = |body: Value| server.post_with("/api/v1/resolve", "", &body.to_string());
    let names = json!(["open.lab", "10.0.0.1", "minimal.lab", "OPEN.lab", "", "no-such-name.lab"]);
    // What is stored is answered whatever else the machine does.
    for domain in ["open.lab", "minimal.lab"] {
        server.scan(domain);
    }
    let answer = ask(json!({ "domains": names }));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let batch = answer.json();
    assert!(verify(server, &answer.body).status.success());
    let domains: Vec<&str> = batch["answers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| answer["domain"].as_str().unwrap())
        .collect();
    assert_eq!(domains, ["open.lab", "minimal.lab", "open.lab", "no-such-name.lab"]);
    let wrong: Vec<(u64, &str)> = batch["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| (error["index"].as_u64().unwrap(), error["code"].as_str().unwrap()))
        .collect();
    assert_eq!(wrong, [(1, "bad_domain"), (4, "bad_domain")]);
    assert_eq!(batch["answers"][0], batch["answers"][2], "asked twice, answered once");
    for answer in batch["answers"].as_array().unwrap() {
        let output = verify(server, answer.to_string().as_bytes());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    // A name that does not exist gets an answer, without a reading.
    assert_eq!(batch["answers"][3]["dns"]["exists"], false);
    assert_eq!(batch["answers"][3]["delivery"]["state"], "not_measured");

    let excerpt = ask(json!({ "domains": ["open.lab"], "fields": ["actions"] })).json();
    assert_eq!(excerpt["answers"].as_array().unwrap().len(), 0);
    let members = excerpt["results"][0]["excerpt"].as_object().unwrap();
    assert_eq!(members.keys().collect::<Vec<_>>(), ["actions"]);

    for (body, code) in [
        (json!({ "domains": [] }), "batch_size"),
        (json!({ "domains": vec!["open.lab"; 101] }), "batch_size"),
        (json!({ "domains": ["open.lab"], "livee": "never" }), "unknown_field"),
        (json!({ "domains": ["open.lab"], "live": "maybe" }), "bad_request"),
        (json!({ "domains": "open.lab" }), "bad_request"),
        (json!({ "domains": ["open.lab"], "fields": ["nothing"] }), "bad_request"),
        (json!({ "domains": ["open.lab"], "fields": vec!["actions"; 1_000] }), "batch_size"),
        (json!({ "domains": ["open.lab"], "max_age_hours": 87_601 }), "bad_request"),
    ] {
        let answer = ask(body);
        assert_eq!((answer.status, answer.json()["code"].as_str()), (400, Some(code)));
    }
}

#[test]
fn a_domain_is_looked_up_without_being_named() {
    let server = Server::start_demo(&[]);
    let digest = proof::sha256(b"open.lab").to_hex();
    let bucket =
        |digits: usize| server.get(&format!("/api/v1/resolve-prefix/{}", &digest[..digits]));
    assert_eq!(bucket(8).json()["in_bucket"], 0, "nothing is read for it");
    let answer = resolved(&server, "open.lab");
    let found = bucket(2).json();
    assert_eq!(found["in_bucket"], 1);
    assert_eq!(found["answers"][0]["domain_sha256"], digest);
    assert_eq!(found["answers"][0]["answer"]["sha256"], answer["sha256"]);
    for bad in ["a", "AB", "zz", "012345678", "ab%20", "a/b"] {
        let status = server.get(&format!("/api/v1/resolve-prefix/{bad}")).status;
        assert!(matches!(status, 400 | 404), "{bad}: {status}");
    }
}

#[test]
fn invalid_queries_are_refused_with_a_reason() {
    let server = Server::shared();
    for (query, status, code) in [
        ("", 400, "bad_request"),
        ("?domain=", 400, "bad_domain"),
        ("?domain=127.0.0.1", 400, "bad_domain"),
        ("?domain=localhost", 400, "bad_domain"),
        ("?domain=open.lab&domain=minimal.lab", 400, "bad_request"),
        ("?domain=open.lab&live=often", 400, "bad_request"),
        ("?domain=open.lab&max_age_hours=-1", 400, "bad_request"),
        ("?domain=open.lab&max_age_hours=99999999", 400, "bad_request"),
        ("?domian=open.lab", 400, "unknown_field"),
        ("?domain=never-asked.lab&live=never", 404, "not_tracked"),
    ] {
        let answer = server.get(&format!("/api/v1/resolve{query}"));
        let found = (answer.status, answer.json()["code"].as_str().unwrap().to_owned());
        assert_eq!(found, (status, code.to_owned()), "{query}");
    }
}

#[test]
fn the_command_line_answers_from_here_and_by_a_server() {
    let server = Server::shared();
    let run = |arguments: &[&str]| wayleave().arg("resolve").args(arguments).output().unwrap();
    // A live reading has one second, and a busy machine may not finish it.
    for domain in ["open.lab", "robots-closed.lab"] {
        server.scan(domain);
    }
    let by_server = run(&["open.lab", "--url", &server.base()]);
    let text = String::from_utf8_lossy(&by_server.stdout).into_owned();
    assert_eq!(by_server.status.code(), Some(0), "{text}");
    assert!(text.contains("open.lab") && text.contains("administer") && text.contains("block"));
    let closed = run(&["robots-closed.lab", "--url", &server.base(), "--json"]);
    assert_eq!(closed.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&closed.stdout).unwrap();
    assert_eq!(document["actions"]["read"]["decision"], "block");
    assert_eq!(run(&["10.0.0.1", "--url", &server.base()]).status.code(), Some(2));
}

/// The members of an answer, without those that depend on the time of the response.
fn standing(answer: &Value) -> serde_json::Map<String, Value> {
    let mut members = answer.as_object().unwrap().clone();
    for moment in ["answered_at", "served_from", "transparency", "code", "sha256", "signature"] {
        members.remove(moment);
    }
    members
}

#[test]
fn a_kill_loses_no_queued_scan_and_reports_change_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let minutes: Vec<String> = (0..60).map(|minute| minute.to_string()).collect();
    let arguments = ["--store-data-dir", data, "--resolve-upgrade-minutes", &minutes.join(",")];
    let mut server = Server::start_demo(&arguments);
    let first = resolved(&server, "robots-empty.lab");
    assert_eq!(first["status"], "partial");
    let expected = first["upgrade"]["expected"].as_str().unwrap().to_owned();
    for status in [403, 429, 200, 403] {
        let report = json!({
            "domain": "robots-empty.lab", "action": "read", "status": status,
            "blocked": status != 200, "agent": "somebody", "resolve_sha256": first["sha256"],
        });
        let taken = server.post_with("/api/v1/outcome", "", &report.to_string());
        assert_eq!(taken.status, 202, "{}", taken.text());
    }
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    drop(server);

    let server = Server::start_demo(&arguments);
    let counted = server.get("/api/v1/outcomes?domain=robots-empty.lab").json();
    assert_eq!((&counted["n"], &counted["blocked"]), (&json!(4), &json!(3)));
    let second = resolved(&server, "robots-empty.lab");
    if second["status"] == "partial" {
        assert!(second["served_from"].as_str().unwrap().contains("live reading"), "{second}");
        assert_eq!(second["upgrade"]["expected"], expected.as_str(), "it was queued once");
        let (mut before, mut after) = (standing(&first), standing(&second));
        // Ages in hours may change, and the base URL has another port.
        for members in [&mut before, &mut after] {
            members.retain(|name, _| {
                ["actions", "crawl_policy", "delivery", "entity", "dns", "tls", "basis"]
                    .contains(&name.as_str())
            });
        }
        assert_eq!(before, after);
    }
    // The queued scan starts within a minute.
    for _ in 0..120 {
        let answer = resolved(&server, "robots-empty.lab");
        if answer["status"] == "measured" {
            assert_eq!(answer["assurance"], "full");
            return;
        }
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
    panic!("the queued scan was never made: {}", server.stderr_so_far());
}
