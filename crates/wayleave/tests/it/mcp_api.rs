//! MCP servers over HTTP, against the lab's servers of every era and fault.

use serde_json::{Value, json};

use crate::lab_server::{LabServer, run_all};
use crate::server::{HttpReply, Server};

const SHOP: &str = "https://mcp-both.lab/mcp";

fn address(path: &str, url: &str, more: &str) -> String {
    let query =
        url::form_urlencoded::Serializer::new(String::new()).append_pair("url", url).finish();
    format!("/api/v1/mcp/{path}?{query}{more}")
}

fn check(server: &Server, request: &Value) -> HttpReply {
    server.post_with("/api/v1/mcp/lock/check", "", &request.to_string())
}

fn checked(server: &Server, request: &Value) -> Value {
    let reply = check(server, request);
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

#[test]
fn every_server_of_the_lab_gets_its_state_and_nothing_hidden_comes_out() {
    let lab = LabServer::start(&[]);
    let states = run_all(lab::mcp_servers(), 8, |host| {
        let url = format!("https://{}{}", host.name, host.path);
        let reply = lab.server.get(&address("scan", &url, ""));
        assert_eq!(reply.status, 200, "{url}: {}", reply.text());
        let text = reply.text();
        assert!(!text.chars().any(contract::text::is_hidden), "{url}");
        reply.json()
    });
    for (host, scan) in lab::mcp_servers().iter().zip(states) {
        let state = scan["state"].as_str().unwrap();
        assert_eq!(state, host.state, "{}", host.name);
        assert_eq!(
            scan["surface"]["surface_sha256"].is_null(),
            state != "observed",
            "{}",
            host.name
        );
        assert_eq!(scan["invocation"]["tools_called"], 0);
        let rules = scan["checks"].as_array().unwrap();
        assert!(rules.len() >= 25 && rules.iter().all(|rule| rule["state"].is_string()));
        assert_ne!(scan["connect"]["decision"], "allow", "{}", host.name);
        let called = lab.lab.mcp_methods(host.name);
        for method in ["tools/call", "prompts/get", "resources/read"] {
            assert!(!called.iter().any(|one| one == method), "{}: {called:?}", host.name);
        }
    }
}

#[test]
fn a_changed_description_is_drift_and_is_published() {
    let lab = LabServer::start(&[]);
    let server = &lab.server;
    let lock = server.get(&address("lock", SHOP, "")).json();
    assert_eq!(lock["kind"], "svc-mcp-lock");
    let same = checked(server, &json!({ "lock": lock, "url": SHOP }));
    assert_eq!(
        (&same["state"], &same["verdict"], &same["decision"], &same["exit_code"]),
        (&json!("match"), &json!("unchanged"), &json!("connect"), &json!(0))
    );
    assert_eq!(same["lock"]["signature_valid"], true);
    let scanned = server.get(&address("scan", SHOP, "")).json();
    assert_eq!(scanned["basis"]["kind"], "stored");

    let name = lock["tools"][0]["name"].as_str().unwrap().to_owned();
    assert!(lab.lab.edit_mcp("mcp-both.lab", |mcp| {
        mcp.describe_tool(&name, "Now does something else.");
    }));
    let drift = checked(server, &json!({ "lock": lock, "include": ["next_lock"] }));
    assert_eq!(
        (&drift["state"], &drift["verdict"], &drift["decision"], &drift["exit_code"]),
        (&json!("drift"), &json!("changed"), &json!("block"), &json!(1))
    );
    assert_eq!(drift["modified"], json!([name]));
    assert_eq!(drift["drift"][0]["change"], "description_changed");
    assert_eq!(drift["drift"][0]["fields"], json!(["description"]));
    assert_eq!(drift["summary"]["prose_changed"], 1);
    let accepted = checked(server, &json!({ "lock": drift["next_lock"], "url": SHOP }));
    assert_eq!(accepted["state"], "match");

    // The change and the revocation of the scan before it are public.
    let changes = server.get("/api/v1/changes?domain=mcp-both.lab&section=mcp").json();
    let entry = &changes["entries"][0];
    assert_eq!(entry["field"], "mcp.surface_sha256");
    assert_eq!(entry["from"], same["current"]["surface_sha256"]);
    assert_eq!(entry["to"], drift["current"]["surface_sha256"]);
    let revocations = server.get("/api/v1/revocations?domain=mcp-both.lab").json();
    let entry = &revocations["entries"][0];
    assert_eq!(entry["reason"], "mcp_surface_changed");
    assert_eq!(entry["target"]["kind"], "mcp_scan");
    assert_eq!(entry["replaced_by"], drift["current"]["scan_sha256"]);
    let scan = server.get(&address("scan", SHOP, "")).json();
    assert_eq!(scan["history"]["changes"], 1);

    // The locks and scans of the earlier surface do not hold any longer; those of the present one do.
    let state = |record: &Value| {
        let sha256 = record["sha256"].as_str().unwrap();
        let check = server.get(&format!("/api/v1/decisions/{sha256}")).json();
        (check["of_kind"].clone(), check["state"].clone(), check["stands"].clone())
    };
    let (scans, locks) = (json!("svc-mcp-scan"), json!("svc-mcp-lock"));
    assert_eq!(state(&lock), (locks.clone(), json!("revoked"), json!(false)));
    assert_eq!(state(&scanned), (scans.clone(), json!("revoked"), json!(false)));
    assert_eq!(state(&scan).0, scans);
    assert_eq!(state(&scan).2, true);
    let new_lock = server.get(&address("lock", SHOP, "")).json();
    assert_eq!(state(&new_lock).0, locks);
    assert_eq!(state(&new_lock).2, true);
}

#[test]
fn locks_of_the_public_client_and_lists_of_the_caller_are_compared() {
    let server = Server::shared();
    let lock = server.get(&address("lock", SHOP, "")).json();
    let names = |tool: &Value| json!({ "name": tool["name"], "sha256": tool["sha256"] });
    let tools: Vec<Value> = lock["tools"].as_array().unwrap().iter().map(names).collect();
    let plain = json!({ "kind": "svc-mcp-lock", "server": { "url": SHOP }, "tools": tools,
        "tools_sha256": lock["tools_sha256"], "count": lock["count"] });
    let same = checked(server, &json!({ "lock": plain, "url": SHOP, "live": false }));
    assert_eq!((&same["state"], &same["decision"]), (&json!("match"), &json!("connect")));
    assert_eq!(
        (&same["lock"]["form"], &same["lock"]["origin"]),
        (&json!("plain"), &json!("unsigned"))
    );

    let mut forged = lock.clone();
    forged["tools"][0]["sha256"] = json!("0".repeat(64));
    let refused = checked(server, &json!({ "lock": forged, "url": SHOP, "live": false }));
    assert_eq!(
        (&refused["state"], &refused["decision"]),
        (&json!("not_comparable"), &json!("block"))
    );
    assert_eq!(refused["lock"]["signature_valid"], false);

    let own =
        [json!({ "name": "add", "description": "Adds.", "inputSchema": { "type": "object" } })];
    let reply = server.post_with("/api/v1/mcp/scan", "", &json!({ "tools": own }).to_string());
    let scan = reply.json();
    assert_eq!((&scan["basis"]["kind"], &scan["url"]), (&json!("caller_supplied"), &Value::Null));
    let observed = json!({ "tools": own });
    let drift = checked(server, &json!({ "lock": plain, "observed": observed }));
    assert_eq!(
        (&drift["state"], &drift["basis"]["kind"]),
        (&json!("drift"), &json!("caller_supplied"))
    );
    assert_eq!(drift["added"], json!(["add"]));
}

#[test]
fn bad_requests_name_what_is_wrong() {
    let server = Server::shared();
    for (url, code) in [
        ("", "bad_url"),
        ("mcp.lab", "bad_url"),
        ("https://me:secret@mcp-both.lab/mcp", "bad_url"),
        ("http://127.0.0.1:3001/mcp", "target_not_public"),
        ("https://localhost/mcp", "target_not_public"),
    ] {
        let reply = server.get(&address("scan", url, ""));
        assert_eq!((reply.status, reply.json()["code"].as_str().unwrap()), (400, code), "{url}");
    }
    let lock = |lock: Value| check(server, &json!({ "lock": lock, "url": SHOP }));
    for bad in [
        json!({}),
        json!({ "kind": "svc-scan" }),
        json!({ "kind": "svc-mcp-lock", "tools": 5 }),
        json!({ "kind": "svc-mcp-lock", "tools": [{ "name": "a", "sha256": "x" }] }),
    ] {
        let reply = lock(bad.clone());
        assert_eq!((reply.status, &reply.json()["code"]), (400, &json!("bad_lock")), "{bad}");
    }
    for (body, code) in [
        (json!({ "lock": 5 }), "bad_request"),
        (json!({ "lock": { "kind": "svc-mcp-lock", "tools": [] } }), "bad_request"),
        (json!({ "lock": {}, "locks": {} }), "unknown_field"),
        (json!({ "lock": {}, "policy": { "prose": "shrug" } }), "bad_request"),
    ] {
        let reply = check(server, &body);
        assert_eq!((reply.status, reply.json()["code"].as_str().unwrap()), (400, code), "{body}");
    }
    let incomplete = server.get(&address("lock", "https://mcp-page-2-error.lab/mcp", ""));
    assert_eq!((incomplete.status, &incomplete.json()["code"]), (409, &json!("conflict")));
    for lists in [json!({}), json!({ "tools": 5 }), json!({ "tool": [] })] {
        let reply = server.post_with("/api/v1/mcp/scan", "", &lists.to_string());
        assert_eq!(reply.status, 400, "{lists}");
    }
}

#[test]
fn a_preflight_compares_the_server_with_what_was_approved() {
    let lab = LabServer::start(&[]);
    let server = &lab.server;
    let lock = server.get(&address("lock", SHOP, "")).json();
    let ask = |mcp: Value| {
        let body = json!({ "domain": "open.lab", "action": "connect", "mcp": mcp });
        let reply = server.post_with("/api/v1/preflight", "", &body.to_string());
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    };
    let state = |mcp: Value| ask(mcp)["mcp"]["state"].as_str().unwrap().to_owned();
    let (tools, digest) = (&lock["tools_sha256"], &lock["sha256"]);
    assert_eq!(state(json!({ "url": SHOP, "tools_sha256": tools })), "match");
    assert_eq!(state(json!({ "url": SHOP, "lock_sha256": digest })), "match");
    assert_eq!(state(json!({ "url": SHOP, "surface_sha256": lock["surface_sha256"] })), "match");
    assert_eq!(state(json!({ "url": SHOP })), "not_compared");
    assert_eq!(state(json!({ "url": SHOP, "lock_sha256": "0".repeat(64) })), "not_measured");
    assert_eq!(state(json!({ "url": SHOP, "tools_sha256": "0".repeat(64) })), "drift");
    for (host, expected) in [
        ("mcp-poisoned.lab", "hard_finding"),
        ("mcp-auth.lab", "auth_required"),
        ("mcp-page-2-error.lab", "incomplete"),
        ("mcp-html.lab", "unreachable"),
        ("127.0.0.1", "not_measured"),
    ] {
        let receipt = ask(json!({ "url": format!("https://{host}/mcp"), "tools_sha256": tools }));
        assert_eq!(receipt["mcp"]["state"], expected, "{host}");
        assert!(!["allow", "warn"].contains(&receipt["decision"].as_str().unwrap()), "{host}");
    }
    // Edited a moment after it was read: agents ask in bursts, so a scan of the last seconds is used.
    std::thread::sleep(std::time::Duration::from_secs(6));
    let name = lock["tools"][0]["name"].as_str().unwrap().to_owned();
    assert!(lab.lab.edit_mcp("mcp-both.lab", |mcp| {
        mcp.describe_tool(&name, "Other.");
    }));
    let receipt = ask(json!({ "url": SHOP, "lock_sha256": digest }));
    assert_eq!(
        (&receipt["mcp"]["state"], &receipt["decision"]),
        (&json!("drift"), &json!("block"))
    );
    let steps = receipt["steps"].as_array().unwrap();
    assert!(steps.iter().any(|step| step["rule"] == "mcp.lock" && step["effect"] == "block"));
}

/// How often a server was walked: every walk begins with this question.
fn walks(lab: &LabServer, host: &str) -> usize {
    lab.lab.mcp_methods(host).iter().filter(|method| *method == "server/discover").count()
}

#[test]
fn a_hundred_callers_cause_one_walk_and_a_seventh_walk_in_an_hour_is_refused() {
    let lab = LabServer::start_configured(&[], "");
    let states = run_all(&[(); 100], 50, |()| {
        let reply = lab.server.get(&address("scan", SHOP, ""));
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()["state"].clone()
    });
    assert!(states.iter().all(|state| *state == "observed"), "{states:?}");
    assert_eq!(walks(&lab, "mcp-both.lab"), 1, "over all callers");
    for _ in 0..5 {
        assert_eq!(lab.server.get(&address("scan", SHOP, "&live=1")).status, 200);
    }
    let refused = lab.server.get(&address("scan", SHOP, "&live=1"));
    assert_eq!((refused.status, refused.json()["code"].clone()), (429, json!("rate_limited")));
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((3_000..=3_600).contains(&wait), "{wait}");
    assert_eq!(walks(&lab, "mcp-both.lab"), 6);
    // What is stored is still served, and other servers are still read.
    assert_eq!(lab.server.get(&address("scan", SHOP, "")).json()["basis"]["kind"], "stored");
    let other = lab.server.get(&address("scan", "https://mcp-modern.lab/mcp", "&live=1"));
    assert_eq!(other.json()["basis"]["kind"], "live");
}

#[test]
fn a_slow_server_keeps_nobody_from_the_others() {
    let lab = LabServer::start_configured(&[], "");
    let slow = "https://mcp-page-2-silence.lab/mcp";
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| lab.server.get(&address("scan", slow, "")).json());
        while walks(&lab, "mcp-page-2-silence.lab") == 0 && !waiting.is_finished() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let quick = lab.server.get(&address("scan", SHOP, ""));
        assert_eq!(quick.json()["state"], "observed");
        assert!(!waiting.is_finished(), "the slow one was over before the quick one");
        assert_eq!(waiting.join().unwrap()["state"], "incomplete");
    });
}

#[test]
fn texts_are_shown_on_request_and_say_what_is_cut() {
    let server = Server::shared();
    let plain = server.get(&address("scan", SHOP, "")).json();
    assert!(
        plain.get("texts").is_none() && plain["tools"][0].get("untrusted_description").is_none()
    );
    let reply = server.get(&address("scan", SHOP, "&include=text,schemas,lock"));
    assert_eq!(reply.status, 200, "{}", reply.text());
    let scan = reply.json();
    assert_eq!(scan["texts"]["included"], json!(["text", "schemas"]));
    assert_eq!(scan["lock"]["kind"], "svc-mcp-lock");
    let tool = &scan["tools"][0];
    assert!(!tool["untrusted_description"].as_str().unwrap().is_empty(), "{tool}");
    let schema: Value =
        serde_json::from_str(tool["untrusted_input_schema"].as_str().unwrap()).unwrap();
    assert_eq!(schema["type"], "object");
    // A scan with texts is the same scan.
    let digest = scan["sha256"].as_str().unwrap();
    let standing = server.get(&format!("/api/v1/decisions/{digest}")).json();
    assert_eq!(standing["of_kind"], "svc-mcp-scan");

    for more in
        ["&include=", "&include=text,text", "&include=texts", "&include=lock,", "&include=Text"]
    {
        let reply = server.get(&address("scan", SHOP, more));
        assert_eq!((reply.status, &reply.json()["param"]), (400, &json!("include")), "{more}");
    }
}

#[test]
fn nothing_hidden_is_in_scans_with_texts_or_in_sarif() {
    let lab = LabServer::start(&[]);
    let more = ["&include=text,schemas,lock", "&format=sarif"];
    run_all(lab::mcp_servers(), 8, |host| {
        for more in more {
            let reply = lab.server.get(&address("scan", &host.url(), more));
            assert_eq!(reply.status, 200, "{}: {}", host.name, reply.text());
            assert!(!reply.text().chars().any(contract::text::is_hidden), "{}{more}", host.name);
        }
    });
}

#[test]
fn findings_are_served_as_sarif() {
    let server = Server::shared();
    let poisoned = "https://mcp-poisoned.lab/mcp";
    let scan = server.get(&address("scan", poisoned, "")).json();
    let reply = server.get(&address("scan", poisoned, "&format=sarif"));
    assert_eq!(reply.header("content-type"), Some("application/sarif+json"));
    let log = reply.json();
    assert_eq!((&log["version"], log["runs"].as_array().unwrap().len()), (&json!("2.1.0"), 1));
    let run = &log["runs"][0];
    let findings = scan["findings"].as_array().unwrap();
    assert_eq!(run["results"].as_array().unwrap().len(), findings.len());
    assert_eq!(run["results"][0]["ruleId"], findings[0]["rule"]);
    let digest = run["properties"]["record_sha256"].as_str().unwrap();
    let standing = server.get(&format!("/api/v1/decisions/{digest}")).json();
    assert_eq!(standing["of_kind"], "svc-mcp-scan");
    assert!(log.get("signature").is_none());
    let accepted =
        server.get_with(&address("scan", poisoned, ""), "accept: application/sarif+json\r\n");
    assert_eq!(accepted.header("content-type"), Some("application/sarif+json"));
    let refused = server.get(&address("scan", poisoned, "&format=xml"));
    assert_eq!(
        (refused.status, &refused.json()["code"], &refused.json()["param"]),
        (406, &json!("not_acceptable"), &json!("format"))
    );
}

#[test]
fn the_declared_servers_of_a_domain_are_scanned() {
    let lab = LabServer::start(&[]);
    let server = &lab.server;
    let ask = |more: &str| server.get(&format!("/api/v1/mcp/scan?domain=open.lab{more}"));
    let unread = ask("");
    assert_eq!(unread.status, 200, "{}", unread.text());
    assert_eq!(unread.json()["kind"], "svc-mcp-domain-scans");
    assert_eq!(unread.json()["state"], "not_measured");
    assert!(unread.json()["why"].as_str().unwrap().contains("/api/v1/resolve?domain=open.lab"));
    assert_eq!(unread.header("cache-control"), Some("no-store"));

    lab.scan("open.lab", "public").unwrap();
    assert_eq!(server.get("/api/v1/resolve?domain=open.lab").status, 200);
    let scans = ask("&include=text").json();
    assert_eq!(scans["state"], "observed", "{scans}");
    assert_eq!(scans["endpoints"].as_array().unwrap().len(), 1);
    let endpoint = &scans["endpoints"][0];
    assert_eq!(endpoint["url"], "https://open.lab/mcp");
    assert_eq!(endpoint["source"], "/.well-known/mcp/server-card.json");
    assert_eq!(endpoint["state"], endpoint["scan"]["state"]);
    assert!(endpoint["scan"]["signature"].is_object() && scans["signature"].is_object());
    assert!(scans["declared_at"].is_string());
    // The scan is the one of the server itself.
    let alone = server.get(&address("scan", "https://open.lab/mcp", "")).json();
    assert_eq!(alone["scanned_at"], endpoint["scan"]["scanned_at"]);
    let log = ask("&format=sarif").json();
    assert_eq!(log["runs"].as_array().unwrap().len(), 1);

    for path in ["?domain=open.lab&url=https://mcp-both.lab/mcp", "", "?live=1", "?domain="] {
        let reply = server.get(&format!("/api/v1/mcp/scan{path}"));
        assert_eq!(reply.status, 400, "{path}");
    }
}

#[test]
fn a_stored_scan_is_compared_with_a_lock_and_texts_word_by_word() {
    let lab = LabServer::start(&[]);
    let server = &lab.server;
    let lock = server.get(&address("lock", SHOP, "")).json();
    let before = server.get(&address("scan", SHOP, "")).json();
    let name = lock["tools"][0]["name"].as_str().unwrap().to_owned();
    assert!(lab.lab.edit_mcp("mcp-both.lab", |mcp| {
        mcp.describe_tool(&name, "Now does something\u{200b} else.");
    }));
    let after = server.get(&address("scan", SHOP, "&live=1")).json();
    // The scan that the lock was made from still matches it, although the server changed.
    let same = checked(server, &json!({ "lock": lock, "scan_sha256": before["sha256"] }));
    assert_eq!((&same["state"], &same["basis"]["kind"]), (&json!("match"), &json!("stored")));
    assert_eq!(same["url"], SHOP);
    let request =
        json!({ "lock": lock, "scan_sha256": after["sha256"], "include": ["text", "next_lock"] });
    let drift = checked(server, &request);
    assert_eq!((&drift["state"], &drift["exit_code"]), (&json!("drift"), &json!(1)));
    assert_eq!(drift["text_comparison"]["state"], "observed");
    let parts = drift["drift"][0]["untrusted_diff"]["parts"].as_array().unwrap();
    let added: String = parts
        .iter()
        .filter(|part| part["change"] != "removed")
        .map(|part| part["untrusted_text"].as_str().unwrap())
        .collect();
    assert_eq!(added, "Now does something\\u{200B} else.");
    assert!(parts.iter().any(|part| part["change"] == "removed"));
    assert_eq!(drift["next_lock"]["surface_sha256"], after["surface"]["surface_sha256"]);
    let supplied =
        checked(server, &json!({ "lock": lock, "observed": { "tools": [] }, "include": ["text"] }));
    assert_eq!(supplied["text_comparison"]["state"], "not_measured");

    let digest = before["sha256"].clone();
    for (body, status) in [
        (json!({ "lock": lock, "scan_sha256": "0".repeat(64) }), 404),
        (json!({ "lock": lock, "scan_sha256": "xyz" }), 400),
        (json!({ "lock": lock, "scan_sha256": digest, "live": true }), 400),
        (json!({ "lock": lock, "scan_sha256": digest, "observed": { "tools": [] } }), 400),
        (
            json!({ "lock": lock, "scan_sha256": digest, "url": "https://mcp-poisoned.lab/mcp" }),
            400,
        ),
        (json!({ "lock": lock, "include": ["text", "text"] }), 400),
        (json!({ "lock": lock, "include": ["texts"] }), 400),
    ] {
        let reply = check(server, &body);
        assert_eq!(reply.status, status, "{}", reply.text());
    }
}

#[test]
fn the_card_is_compared_with_the_live_server() {
    let lab = LabServer::start(&[]);
    let scan =
        |host: &str| lab.server.get(&address("scan", &format!("https://{host}/mcp"), "")).json();
    for host in ["mcp-card.lab", "mcp-card-beside.lab", "mcp-card-earlier.lab"] {
        let card = scan(host)["card"].clone();
        assert_eq!((&card["state"], &card["matches_live"]), (&json!("observed"), &json!(true)));
        assert_eq!(card["differences"], json!([]), "{host}");
        assert!(card["source"].as_str().unwrap().starts_with(&format!("https://{host}/")));
    }
    let card = scan("mcp-card-differs.lab")["card"].clone();
    assert_eq!(card["matches_live"], false);
    assert_eq!(
        card["differences"],
        json!([
            "The card gives the name \"bank\\u{202E}\", the server gives \"bakery\".",
            "The card gives the version \"9.9\", the server gives \"1.0\".",
            "The card names another address than the one that was scanned: https://mcp-legacy.lab/mcp.",
            "The card lists 1 capability: logging. The server does not.",
            "The server lists 1 capability: resources. The card does not.",
            "The card lists 1 tool: transfer\\u{200B}_money. The server does not.",
            "The server lists 1 tool: cancel_order. The card does not.",
        ])
    );
    for host in ["mcp-modern.lab", "mcp-card-huge.lab", "mcp-card-silent.lab", "mcp-auth.lab"] {
        let card = scan(host)["card"].clone();
        assert_eq!(card["state"], "not_measured", "{host}");
        assert_eq!(card["matches_live"], "not_measured", "{host}");
        assert!(card["why"].as_str().is_some_and(|why| !why.is_empty()), "{host}");
    }
    let both = scan("mcp-both.lab");
    assert_eq!(both["transport"]["era"], "both");
    assert_eq!(both["transport"]["protocol_version"], "2026-07-28");
    let late = scan("mcp-auth-lists.lab");
    assert_eq!(late["auth"]["resource_metadata"]["source"], "header");
    assert_eq!(late["auth"]["resource_metadata"]["issuer_match"], true);
}
