//! Visitors, against the lab's lists of addresses, names and keys.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use contract::Clock;
use door::SystemClock;
use lab::{BotRequest, BotSignature, PtrOutcome};
use serde_json::{Value, json};

use crate::server::{HttpReply, Server};

pub(crate) const FORGED: &str = "8.8.4.4";

/// The shared demo, once it has fetched its lists.
fn server() -> &'static Server {
    let server = Server::shared();
    wait_for_lists(server);
    server
}

pub(crate) fn wait_for_lists(server: &Server) {
    let begun = Instant::now();
    loop {
        let feeds = server.get("/api/v1/agents").json()["feeds"].clone();
        let feeds = feeds.as_array().unwrap();
        if feeds.iter().all(|feed| feed["state"] == "fresh") {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{feeds:?}");
        std::thread::sleep(Duration::from_millis(300));
    }
}

fn ask(server: &Server, ip: Option<&str>, ua: &str) -> Value {
    let reply = ask_raw(server, ip, ua);
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

fn ask_raw(server: &Server, ip: Option<&str>, ua: &str) -> HttpReply {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("ua", ua);
    if let Some(ip) = ip {
        query.append_pair("ip", ip);
    }
    server.get(&format!("/api/v1/visitor?{}", query.finish()))
}

fn ask_batch(server: &Server, visitors: &Value) -> HttpReply {
    server.post_with("/api/v1/visitor", "", &json!({ "visitors": visitors }).to_string())
}

/// Every agent of the catalogue, with a genuine and a forged visitor.
#[test]
fn every_agent_has_a_genuine_and_a_forged_visitor() {
    let server = server();
    let record = server.get("/api/v1/agents").json();
    let known = agents::KnownAgents::built_in().unwrap();
    let feeds: Vec<&Value> = record["feeds"].as_array().unwrap().iter().collect();
    let proves = |id: &Value| {
        let feed = feeds.iter().find(|feed| feed["id"] == *id).unwrap();
        feed["proves"].as_str().unwrap().to_owned()
    };
    assert!(record["count"].as_u64().unwrap() >= 85, "{}", record["count"]);
    let (mut verified, mut spoofed) = (0, 0);
    for agent in record["agents"].as_array().unwrap() {
        let id = agent["id"].as_str().unwrap();
        let entry = known.agents().iter().find(|entry| entry.id == id).unwrap();
        let Some(ua) = entry.user_agents.first().or(entry.user_agent_tokens.first()) else {
            continue;
        };
        let lists: Vec<&str> = agent["feeds"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|id| proves(id) != "network")
            .map(|id| id.as_str().unwrap())
            .collect();
        let suffixes = agent["reverse_dns_suffixes"].as_array().unwrap();
        for list in &lists {
            for address in lab::feed_addresses(list) {
                let answer = ask(server, Some(&address.to_string()), ua);
                assert_eq!(answer["verdict"], "verified", "{id} {address}: {answer}");
                assert_eq!(answer["verified_by"], "address_list", "{id}");
                assert_eq!(answer["operator"], agent["operator"], "{id}");
                verified += 1;
            }
        }
        for suffix in suffixes {
            let genuine = lab::ptr_cases()
                .into_iter()
                .find(|case| case.case == "genuine" && case.suffix == suffix.as_str());
            let genuine = genuine.unwrap_or_else(|| panic!("{suffix}"));
            let answer = ask(server, Some(&genuine.address.to_string()), ua);
            assert_eq!(answer["verdict"], "verified", "{id} {suffix}: {answer}");
            assert_eq!(answer["verified_by"], "reverse_dns", "{id}");
            verified += 1;
        }
        let answer = ask(server, Some(FORGED), ua);
        let expected = match (agent["purpose"].as_str(), lists.is_empty() && suffixes.is_empty()) {
            (Some("training_control"), _) => "spoofed",
            (_, true) => "unverifiable",
            _ => "spoofed",
        };
        assert_eq!(answer["verdict"], expected, "{id}: {answer}");
        spoofed += u32::from(expected == "spoofed");
        // A name for robots.txt only is judged before its address is looked at.
        let private = if entry.token_only.is_some() { expected } else { "spoofed" };
        assert_eq!(ask(server, Some("192.168.0.7"), ua)["verdict"], private, "{id}");
    }
    assert!(verified >= 60 && spoofed >= 40, "{verified} {spoofed}");
}

#[test]
fn names_of_addresses_are_confirmed_in_both_directions() {
    let server = server();
    let ua = "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)";
    let google = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
    for case in lab::ptr_cases() {
        let (agent, suffix) = match case.suffix {
            Some(suffix) if suffix.starts_with("yandex") => (ua, suffix),
            Some("googlebot.com") | None => (google, "googlebot.com"),
            Some(_) => continue,
        };
        let answer = ask(server, Some(&case.address.to_string()), agent);
        let expected = match case.outcome {
            PtrOutcome::Confirmed => "verified",
            PtrOutcome::OtherNames | PtrOutcome::NoName => "spoofed",
            PtrOutcome::LookupFails => "unverifiable",
        };
        assert_eq!(
            answer["verdict"], expected,
            "{} {suffix} {}: {answer}",
            case.case, case.address
        );
    }
}

#[test]
fn a_batch_keeps_its_order_and_a_bad_item_spoils_nothing() {
    let server = server();
    let genuine = lab::feed_addresses("openai-gptbot")[0].to_string();
    let visitors = json!([
        { "ip": genuine, "ua": "GPTBot/1.3" },
        { "ip": "not an address", "ua": "GPTBot/1.3" },
        { "ip": "8.8.4.4:443", "ua": "GPTBot/1.3" },
        { "ip": FORGED, "ua": "GPTBot/1.3" },
        { "ip": FORGED, "ua": "curl/8" },
        { "ua": "GPTBot/1.3" },
        { "ip": "", "ua": "" },
    ]);
    let reply = ask_batch(server, &visitors);
    assert_eq!(reply.status, 200, "{}", reply.text());
    let answer = reply.json();
    let verdicts: Vec<&str> = answer["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(
        verdicts,
        [
            "verified",
            "unverifiable",
            "unverifiable",
            "spoofed",
            "not_a_known_agent",
            "unverifiable",
            "not_a_known_agent"
        ],
        "{answer}"
    );
    assert_eq!((&answer["count"], &answer["kind"]), (&json!(7), &json!("svc-visitor")));
    assert!(
        answer["results"][1]["why"].as_str().unwrap().contains("not an IP address"),
        "{answer}"
    );
    assert!(answer["results"][2]["why"].as_str().unwrap().contains("port"), "{answer}");
    assert_eq!(answer["results"][4]["feeds"], json!([]));
    assert_eq!(answer["results"][4]["claimed"], Value::Null);
    assert!(answer["signature"]["sig"].is_string() && answer["ranges_as_of"].is_string());
    let none = ask_batch(server, &json!([]));
    let many = ask_batch(server, &json!(vec![json!({ "ua": "x" }); 101]));
    for reply in [none, many] {
        assert_eq!(
            (reply.status, reply.error_code().as_str()),
            (400, "batch_size"),
            "{}",
            reply.text()
        );
    }
    let hundred = ask_batch(server, &json!(vec![json!({ "ua": "x", "ip": FORGED }); 100]));
    assert_eq!(hundred.json()["count"], 100);
}

#[test]
fn bad_input_gets_a_clear_answer() {
    let server = server();
    for (ip, says) in [
        ("8.8.4.4:443", "port"),
        ("[2001:db8::1]", "brackets"),
        ("fe80::1%eth0", "zone"),
        ("8.8.4", "not an IP address"),
        ("localhost", "not an IP address"),
    ] {
        let reply = ask_raw(server, Some(ip), "GPTBot/1.3");
        assert_eq!((reply.status, reply.error_code().as_str()), (400, "bad_request"), "{ip}");
        assert!(reply.text().contains(says), "{ip}: {}", reply.text());
        assert!(!reply.text().contains(ip), "errors do not repeat the visitor: {}", reply.text());
    }
    assert_eq!(ask(server, Some("::ffff:8.8.4.4"), "GPTBot/1.3")["verdict"], "spoofed");
    assert_eq!(server.get("/api/v1/visitor?ip=8.8.4.4").status, 400);
    assert_eq!(ask(server, None, "")["verdict"], "not_a_known_agent");
    let long = "x".repeat(8192) + " GPTBot/1.3";
    let reply = ask_batch(server, &json!([{ "ua": long }]));
    assert_eq!(reply.status, 400, "{}", reply.text());
    assert_eq!(server.get("/api/v1/visitor?ua=%ff%fe%00GPTBot").status, 200);
    let reply = ask_batch(server, &json!([{ "ua": "x", "adress": "1.1.1.1" }]));
    assert_eq!(reply.error_code(), "unknown_field", "{}", reply.text());
}

/// A signature is checked with the keys of the directory; only that of the right site and time verifies.
#[test]
fn signatures_are_checked_with_the_keys_of_the_operator() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("more.json");
    let more = json!({
        "v": 1, "as_of": "2026-11-16", "agents": [{
            "id": "lab-signer", "name": "Lab signer", "operator": "The lab", "purpose": "agent",
            "key_directories": [format!("https://{}", lab::SIGNING_BOT_HOST)],
            "evidence": "operator_page", "checked_on": "2026-11-16" }],
    });
    std::fs::write(&file, more.to_string()).unwrap();
    let server = Server::start_demo(&["--agents-more-known", file.to_str().unwrap()]);
    let now = SystemClock.now().as_millis() / 1000;
    let signed = |change: &dyn Fn(&mut BotSignature)| {
        let mut signature = BotSignature::new(now);
        change(&mut signature);
        let request = BotRequest { method: "GET", authority: "shop.example", path: "/" };
        let headers: serde_json::Map<String, Value> = lab::sign_as_bot(&request, &signature)
            .to_headers()
            .into_iter()
            .map(|(name, value)| (name.to_owned(), json!(value)))
            .collect();
        headers
    };
    let check_from = |ip: &str, headers: serde_json::Map<String, Value>, authority: &str| {
        let visitor = json!([{ "ip": ip, "ua": "Mozilla/5.0 Chrome/157", "headers": headers, "authority": authority }]);
        let reply = ask_batch(&server, &visitor);
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()["results"][0].clone()
    };
    let check = |headers, authority: &str| check_from(FORGED, headers, authority);
    let good = check(signed(&|_| {}), "shop.example");
    assert_eq!(
        (&good["verdict"], &good["verified_by"]),
        (&json!("verified"), &json!("signature")),
        "{good}"
    );
    assert_eq!(good["claimed"], "Lab signer");
    let elsewhere = check(signed(&|_| {}), "other.example");
    assert_eq!(elsewhere["verdict"], "spoofed", "{elsewhere}");
    let expired = check(
        signed(&|signature| {
            signature.created = Some(now - 7200);
            signature.expires = Some(now - 3600);
        }),
        "shop.example",
    );
    assert_eq!(expired["verdict"], "spoofed", "{expired}");
    let other_tag =
        check(signed(&|signature| signature.tag = Some("other".to_owned())), "shop.example");
    assert_eq!(other_tag["verdict"], "not_a_known_agent", "{other_tag}");
    type Change = fn(&mut BotSignature);
    let changes: [(&str, Change); 6] = [
        ("of the future", |signature| {
            signature.created = signature.created.map(|at| at + 3600);
            signature.expires = signature.expires.map(|at| at + 3600);
        }),
        ("another algorithm", |signature| signature.alg = Some("hmac-sha256".to_owned())),
        ("a key of nobody", |signature| signature.key = lab::BotKey::Other),
        ("another key under the known name", |signature| {
            signature.key = lab::BotKey::Other;
            signature.keyid = Some(lab::BotKey::Published.key_id());
        }),
        ("valid for a week", |signature| {
            signature.expires = signature.expires.map(|at| at + 7 * 86_400);
        }),
        ("nothing of the host", |signature| {
            signature.components = Some(vec!["\"signature-agent\";key=\"sig1\"".to_owned()]);
        }),
    ];
    for (what, change) in changes {
        let bad = check(signed(&change), "shop.example");
        assert_ne!(bad["verdict"], "verified", "{what}: {bad}");
        assert!(bad["why"].as_str().unwrap().contains("is not valid"), "{what}: {bad}");
    }
    let hundred = (0..100).map(|n| format!("s{n}=(\"@authority\");tag=\"web-bot-auth\""));
    let hundred = json!({
        "signature-input": hundred.collect::<Vec<_>>().join(", "), "signature": "s0=:AA==:",
    });
    let many = check(hundred.as_object().unwrap().clone(), "shop.example");
    assert_eq!(many["verdict"], "not_a_known_agent", "{many}");
    // Whoever has seen a signed request can send its signature again, from his own address.
    for (nonce, copied) in [(Some("n-1".to_owned()), "spoofed"), (None, "unverifiable")] {
        let seen = signed(&|signature| {
            signature.nonce.clone_from(&nonce);
            // Another one than above.
            signature.created = signature.created.map(|at| at - 1);
        });
        for _ in 0..2 {
            let first = check_from("8.8.8.8", seen.clone(), "shop.example");
            assert_eq!(first["verdict"], "verified", "the same visitor again: {first}");
        }
        let copy = check_from("9.9.9.9", seen, "shop.example");
        assert_eq!(copy["verdict"], copied, "{copy}");
        assert!(copy["why"].as_str().unwrap().contains("from another address before"), "{copy}");
    }
}

/// Only a directory that says what it should proves a key; one that cannot be read accuses nobody.
#[test]
fn a_directory_that_cannot_be_read_accuses_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("more.json");
    let agents: Vec<Value> = lab::signing_hosts()
        .iter()
        .map(|(host, _)| {
            json!({
                "id": host.replace('.', "-"), "name": host, "operator": "The lab", "purpose": "agent",
                "key_directories": [format!("https://{host}")],
                "evidence": "operator_page", "checked_on": "2026-11-16",
            })
        })
        .collect();
    let more = json!({ "v": 1, "as_of": "2026-11-16", "agents": agents });
    std::fs::write(&file, more.to_string()).unwrap();
    let server = Server::start_demo(&["--agents-more-known", file.to_str().unwrap()]);
    let now = SystemClock.now().as_millis() / 1000;
    let visitor = |(host, _): &(&str, lab::DirectoryBehaviour)| {
        let mut signature = BotSignature::new(now);
        signature.agent = lab::SignatureAgent::Dictionary(format!("https://{host}"));
        let request = BotRequest { method: "GET", authority: "shop.example", path: "/" };
        let signed = lab::sign_as_bot(&request, &signature);
        let headers: serde_json::Map<String, Value> =
            signed.to_headers().iter().map(|(n, v)| ((*n).to_owned(), json!(v))).collect();
        json!({ "ip": FORGED, "ua": "Mozilla/5.0", "headers": headers, "authority": "shop.example" })
    };
    let visitors: Vec<Value> = lab::signing_hosts().iter().map(visitor).collect();
    let answer = ask_batch(&server, &json!(visitors)).json();
    for ((host, _), result) in
        lab::signing_hosts().iter().zip(answer["results"].as_array().unwrap())
    {
        let expected = match *host {
            "signing-bot.lab" => "verified",
            // The name of a key is computed, not believed.
            "signing-other-key.lab" | "signing-wrong-kid.lab" => "spoofed",
            _ => "unverifiable",
        };
        assert_eq!(result["verdict"], expected, "{host}: {result}");
    }
}

/// The lab serves every list of the catalogue, in the operator's format.
#[test]
fn the_lab_has_every_list_of_the_catalogue() {
    let served = lab::feeds();
    for feed in agents::KnownAgents::built_in().unwrap().feeds() {
        let found = served.iter().find(|served| served.id == feed.id);
        let found = found.unwrap_or_else(|| panic!("{}", feed.id));
        assert_eq!(format!("{:?}", found.format), format!("{:?}", feed.format), "{}", feed.id);
    }
}

/// The gate in front of a site: the verdict in the status and in header fields, no body.
#[test]
fn the_gate_refuses_whoever_only_pretends() {
    let server = Server::start_demo(&["--server-trusted-proxies", "127.0.0.1/32"]);
    wait_for_lists(&server);
    let genuine = lab::feed_addresses("openai-gptbot")[0].to_string();
    let pass = |ip: &str, ua: &str, path: &str| {
        let headers = format!("x-forwarded-for: {ip}\r\nuser-agent: {ua}\r\n");
        let reply = server.get_with(path, &headers);
        assert!(reply.body.is_empty(), "{}", reply.text());
        let verdict = reply.header("svc-visitor").unwrap_or_default().to_owned();
        (reply.status, verdict)
    };
    const GATE: &str = "/api/v1/visitor/gate";
    assert_eq!(pass(&genuine, "GPTBot/1.3", GATE), (204, "verified".to_owned()));
    assert_eq!(pass(FORGED, "GPTBot/1.3", GATE), (403, "spoofed".to_owned()));
    assert_eq!(pass(FORGED, "Mozilla/5.0", GATE), (204, "not_a_known_agent".to_owned()));
    assert_eq!(pass(FORGED, "Bytespider", GATE), (204, "unverifiable".to_owned()));
    assert_eq!(pass("192.168.0.7", "GPTBot/1.3", GATE), (403, "spoofed".to_owned()));
    // A visitor on the web server's own machine cannot be told from a web server that says nothing.
    assert_eq!(pass("127.0.0.1", "GPTBot/1.3", GATE), (204, "not_checked".to_owned()));
    let strict = "/api/v1/visitor/gate?refuse=spoofed,unverifiable";
    assert_eq!(pass(FORGED, "Bytespider", strict).0, 403);
    assert_eq!(pass(FORGED, "GPTBot/1.3", "/api/v1/visitor/gate?refuse=none").0, 204);
    assert_eq!(server.get("/api/v1/visitor/gate?refuse=everybody").status, 400);
    // Without the visitor's address nobody is accused.
    let bare = server.get_with(GATE, "user-agent: GPTBot/1.3\r\n");
    assert_eq!((bare.status, bare.header("svc-visitor")), (204, Some("not_checked")));
    let closed = Server::start_demo(&["--agents-gate-fails", "closed"]);
    assert_eq!(closed.get_with(GATE, "user-agent: GPTBot/1.3\r\n").status, 403);
}

/// The vectors of the specification hold.
#[test]
fn the_vectors_of_the_specification_hold() {
    let server = server();
    let spec = server.get_with("/spec/visitor-resolve", "accept: application/json\r\n").json();
    assert_eq!((&spec["kind"], &spec["id"]), (&json!("svc-spec"), &json!("visitor-resolve")));
    let vectors = spec["test_vectors"].as_array().unwrap();
    assert!(vectors.len() > 150, "{}", vectors.len());
    for part in vectors.chunks(100) {
        let visitors: Vec<Value> = part
            .iter()
            .map(|vector| {
                let mut visitor = json!({ "ua": vector["ua"] });
                if let Some(ip) = vector["ip"].as_str() {
                    visitor["ip"] = json!(ip);
                }
                visitor
            })
            .collect();
        let answer = ask_batch(server, &json!(visitors)).json();
        for (vector, result) in part.iter().zip(answer["results"].as_array().unwrap()) {
            assert_eq!(result["verdict"], vector["expected"], "{vector}: {result}");
        }
    }
    let page = server.get_with("/spec/visitor-resolve", "accept: text/html\r\n");
    assert!(page.text().contains("How visitors are checked"));
    let markdown = server.get_with("/spec/visitor-resolve", "accept: text/markdown\r\n");
    assert!(markdown.text().starts_with("# How visitors are checked"));
}

/// Nothing about a visitor is in the store, the logs, the metrics or an error.
#[test]
fn nothing_about_a_visitor_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = Server::start_demo(&[
        "--store-data-dir",
        data.to_str().unwrap(),
        "--log-filter",
        "trace",
        "--server-trusted-proxies",
        "127.0.0.1/32",
    ]);
    wait_for_lists(&server);
    let (ip, word) = ("45.83.64.219", "ZebraFishUserAgent");
    let address: IpAddr = ip.parse().unwrap();
    for ua in [format!("{word} GPTBot/1.3"), format!("{word} Googlebot/2.1"), word.to_owned()] {
        ask(&server, Some(ip), &ua);
        assert_eq!(ask_batch(&server, &json!([{ "ip": ip, "ua": ua }])).status, 200);
        server.get_with(
            "/api/v1/visitor/gate",
            &format!("x-forwarded-for: {ip}\r\nuser-agent: {ua}\r\n"),
        );
    }
    ask_raw(&server, Some(&format!("{ip}:99999")), word);
    let metrics = server.get("/metrics").text();
    let stderr = server.stderr_so_far();
    drop(server);
    let mut kept =
        vec![("metrics".to_owned(), metrics.into_bytes()), ("log".to_owned(), stderr.into_bytes())];
    let mut folders = vec![data];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                kept.push((path.display().to_string(), std::fs::read(&path).unwrap()));
            }
        }
    }
    assert!(kept.len() > 4, "{kept:?}");
    let reversed = "219.64.83.45";
    for (place, bytes) in kept {
        let text = String::from_utf8_lossy(&bytes);
        for secret in [ip, word, reversed] {
            assert!(!text.contains(secret), "{place} has {secret} ({address})");
        }
    }
}
