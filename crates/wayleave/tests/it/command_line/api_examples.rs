//! The examples on the pages of the documentation: each operation is called on a running server, and what it
//! answers is what the page shows. `UPDATE_DOCS=1` records them again.

use contract::{Clock, Day};
use door::SystemClock;
use serde_json::Map;
use store::{Digest, Scans};
use store_sqlite::{SqliteOptions, SqliteStore};

use super::lab_control::Demo;
use super::*;
use crate::free_keys::Offering;
use crate::seals::scan_of;
use crate::server::{HttpReply, get_stream};
use crate::visitor_api::wait_for_lists;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../web/assets/examples.json");
/// A forged visitor, as a web server passes it on.
const VISITOR: &str = "user-agent: GPTBot/1.3\r\nx-forwarded-for: 8.8.4.4\r\n";
/// A page shows at most 2,000 characters of one text.
const MAX_CHARS: usize = 1_900;
/// An operation with its method, its path and its body.
type Call = (&'static str, &'static str, String, Option<Value>);

/// A server with some of everything: a sealed day, a census, a licence, a witness.
struct FullServer {
    server: Server,
    day: Day,
    licence_key: String,
    /// The id of the running program's build.
    build: String,
    _witness: RunningWitness,
    _folder: Folder,
}

impl FullServer {
    fn start() -> Self {
        let folder = Folder::new();
        let data = folder.path("data");
        let day = Day::of(SystemClock.now()).previous().previous();
        {
            let store = SqliteStore::open(Path::new(&data), SqliteOptions::default()).unwrap();
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let scan = scan_of(day, "past1", Digest::of(b"a record"));
            runtime.block_on(store.put_scan(scan)).unwrap();
        }
        let lab = LabRun::start();
        let list = folder.write("list.csv", "1,open.lab\n2,blocks-ai.lab\n");
        let data_dir = ["--store-data-dir", data.as_str()];
        let census = ["census", "run", &list, "--name", "lab", "--date", "2026-11-09"];
        let census = [&census[..], &["--config", &lab.config], &data_dir].concat();
        run(&census).expect(PASSED);
        drop(lab);
        let origin = ["--proof-origin", "log.example/one"];
        let server = Server::start_demo(&[data_dir, origin].concat());
        let log = server.get("/api/v1/log").json();
        // A server that ends while it fetches a list leaves the lease of that work behind, for two minutes.
        wait_for_lists(&server);
        drop(server);
        let witness = RunningWitness::start(&folder, log["checkpoint"]["vkey"].as_str().unwrap());
        let witnesses = ["--proof-witnesses", witness.peer.as_str()];
        let proxies = ["--server-trusted-proxies", "127.0.0.1/32"];
        let server = Server::start_demo(&[data_dir, origin, witnesses, proxies].concat());
        wait_for_lists(&server);
        let licence = ["licence", "create", "--json", "--domain", "open.lab"];
        let licence = [&licence[..], &["--network-allow-names", "lab"], &data_dir].concat();
        let licence_key = run(&licence).expect(PASSED).json()["key"].as_str().unwrap().to_owned();
        let found = |path: &str| server.get(path).status == 200;
        within(120, "the day is sealed", || found(&format!("/proof/{day}.ots")));
        // The answer about a domain makes a new head, which the witness signs.
        server.get("/api/v1/resolve?domain=minimal.lab");
        within(60, "a witness signed", || found("/api/v1/log/witness/latest"));
        let mut build = String::new();
        within(60, "the build is known", || {
            let receipt = server.post_with("/api/v1/preflight", "", &question().to_string()).json();
            build = receipt["rules"]["version_id"].as_str().unwrap().to_owned();
            found(&format!("/api/v1/builds/{build}"))
        });
        Self { server, day, licence_key, build, _witness: witness, _folder: folder }
    }
}

#[test]
fn examples_are_current() {
    let full = FullServer::start();
    let server = &full.server;
    let mut examples = Map::new();
    // Free keys need an address of the service that is known before, which the examples must not show.
    let free_keys = Offering::start(1, &["--mail-security", "none"]).server;
    for (operation, method, path, body) in calls(&full) {
        let needs_key = ["scanDomainV1", "getCensusExport", "getUsage"].contains(&operation);
        let key = needs_key.then_some(full.licence_key.as_str());
        let header = key.map(|key| format!("authorization: Bearer {key}\r\n")).unwrap_or_default();
        let reply = match &body {
            Some(body) if operation == "requestFreeKey" => {
                free_keys.post_with(&path, "", &body.to_string())
            }
            None if operation == "getCensusExport" => get_stream(server, &path, &header),
            None if operation == "visitorGate" => server.get_with(&path, VISITOR),
            Some(body) => server.post_with(&path, &header, &body.to_string()),
            None => server.get_with(&path, &format!("{header}accept: application/json\r\n")),
        };
        let (status, text) = (reply.status, reply.text());
        let expected = if operation == "visitorGate" { 403..404 } else { 200..300 };
        assert!(expected.contains(&status), "{operation}: {status} {text:.300}");
        let mut request = command(method, &path, key.is_some(), body.as_ref());
        if operation == "visitorGate" {
            request.push_str(" -A 'GPTBot/1.3' -H 'X-Forwarded-For: 8.8.4.4'");
        }
        let example = json!({ "request": request, "response": shown(&reply).replace(&server.base(), "{base}") });
        assert!(examples.insert(operation.to_owned(), example).is_none(), "{operation} twice");
    }
    for (operation, request, response) in owner_examples() {
        let example = json!({ "request": request, "response": response });
        assert!(examples.insert(operation.to_owned(), example).is_none(), "{operation} twice");
    }
    let document = free_keys.get("/openapi.json").json();
    for item in document["paths"].as_object().unwrap().values() {
        for operation in item.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(examples.contains_key(id), "{id} has no example");
        }
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let text = serde_json::to_string_pretty(&Value::Object(examples)).unwrap();
        std::fs::write(FILE, text + "\n").unwrap();
        return;
    }
    let recorded: Value = serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap();
    assert_eq!(recorded.as_object().unwrap().len(), examples.len(), "UPDATE_DOCS=1 records them");
    for (operation, example) in &examples {
        // Times, digests and ids change; the names of the members do not.
        let [before, now] = [&recorded[operation], example]
            .map(|example| names(example["response"].as_str().unwrap()));
        assert_eq!(before, now, "{operation}: UPDATE_DOCS=1 records it");
    }
}

/// The operations of somebody who claims a domain, in their order.
fn owner_examples() -> Vec<(&'static str, String, String)> {
    let demo = Demo::start();
    let server = demo.server();
    let host = server.base().replace("http://", "");
    let mut examples = Vec::new();
    let mut call = |operation, method: &str, path: &str, secret: &str, body: Option<Value>| {
        let text = body.as_ref().map(Value::to_string).unwrap_or_default();
        let bearer = match secret {
            "" => String::new(),
            secret => format!("authorization: Bearer {secret}\r\n"),
        };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\naccept: application/json\r\n{bearer}content-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n{text}",
            text.len()
        );
        let reply = server.send(head.as_bytes());
        assert!((200..300).contains(&reply.status), "{operation}: {}", reply.text());
        let mut request = command(method, path, false, body.as_ref());
        if method == "DELETE" {
            request = request.replacen("curl ", "curl -X DELETE ", 1);
        }
        if !bearer.is_empty() {
            request.push_str(" \\\n  -H \"authorization: Bearer $CLAIM_SECRET\"");
        }
        let value = serde_json::from_slice(&reply.body).unwrap_or(Value::Null);
        let response = match reply.status {
            204 => "HTTP/1.1 204".to_owned(),
            _ => shown(&reply).replace(&server.base(), "{base}"),
        };
        examples.push((operation, request, response));
        value
    };
    let claim = "/registry/yours.lab/claim";
    call("getClaimOffer", "GET", claim, "", None);
    let begun = call("beginClaim", "POST", claim, "", Some(json!({ "method": "dns_txt" })));
    let secret = begun["claim_secret"].as_str().unwrap().to_owned();
    demo.lab(&["publish", "yours.lab", "--txt", begun["value"].as_str().unwrap()]).expect(PASSED);
    let check = json!({ "claim_id": begun["claim_id"], "organization": "Example Shop Ltd" });
    call("verifyClaim", "POST", &format!("{claim}/verify"), &secret, Some(check));
    call("getDomainControl", "GET", "/api/v1/domain/control?domain=yours.lab", "", None);
    let incident = "/registry/yours.lab/incident";
    let what = json!({ "what": "Somebody changed our checkout page." });
    call("reportIncident", "POST", incident, &secret, Some(what));
    call("endIncident", "DELETE", incident, &secret, None);
    let scan = server.scan("yours.lab");
    let dispute = json!({ "record": scan["id"], "reason": "Our firewall was being replaced." });
    let dispute =
        call("fileDispute", "POST", "/registry/yours.lab/dispute", &secret, Some(dispute));
    let dispute = dispute["id"].as_str().unwrap().to_owned();
    call("getDispute", "GET", &format!("/registry/yours.lab/dispute/{dispute}"), "", None);
    // Engines are asked soon after the claim.
    let accuracy = "/api/v1/accuracy?domain=yours.lab";
    let start = std::time::Instant::now();
    while server.get(accuracy).status != 200 && start.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    call("getAccuracy", "GET", accuracy, "", None);
    call("withdrawClaim", "DELETE", claim, &secret, None);
    examples
}

/// A question before an action.
fn question() -> Value {
    json!({ "url": "https://open.lab/visit", "action": "cite", "agent": "Claude-User" })
}

fn calls(full: &FullServer) -> Vec<Call> {
    let FullServer { server, day, build, .. } = full;
    let id = server.scan("open.lab")["id"].as_str().unwrap().to_owned();
    let receipt = server.post_with("/api/v1/preflight", "", &question().to_string()).json();
    let decision = receipt["sha256"].as_str().unwrap().to_owned();
    let answer = server.get("/api/v1/resolve?domain=open.lab").json();
    let batch = answer["transparency"]["batch"].as_u64().unwrap();
    let leaf = answer["transparency"]["leaf_hash"].as_str().unwrap_or_default().to_owned();
    let log = server.get("/api/v1/log").json();
    let size = log["tree_size"].as_u64().unwrap();
    let head = server.get(&format!("/api/v1/log/sth/{batch}")).json();
    let get = |operation, path: String| -> Call { (operation, "GET", path, None) };
    let plain = |operation, path: &str| -> Call { (operation, "GET", path.to_owned(), None) };
    let post =
        |operation, path: &str, body| -> Call { (operation, "POST", path.to_owned(), Some(body)) };
    vec![
        post("scanDomain", "/api/scan", json!({ "domain": "open.lab" })),
        get("getReport", format!("/r/{id}")),
        get("getReportRecord", format!("/r/{id}.json")),
        get("getReportEvidence", format!("/r/{id}.raw.json")),
        get("getReportManifest", format!("/r/{id}.manifest.json")),
        get("getReportBundle", format!("/r/{id}.zip")),
        post("scanDomainV1", "/api/v1/scan", json!({ "domain": "open.lab" })),
        get("proofDay", format!("/proof/{day}.json")),
        get("proofTimestamps", format!("/proof/{day}.ots")),
        get("getBuild", format!("/api/v1/builds/{build}")),
        plain("getLogWitness", "/api/v1/log/witness/latest"),
        get("getGraph", format!("/api/graph/{id}")),
        get("getMachineRecord", format!("/api/v1/machine-record?id={id}")),
        plain("getChanges", "/api/v1/changes?domain=open.lab"),
        plain("getCorroboration", "/api/corroboration?domain=open.lab"),
        plain("resolveDomainV1", "/api/v1/resolve?domain=open.lab"),
        post("resolveBatchV1", "/api/v1/resolve", json!({ "domains": ["open.lab"] })),
        plain("resolvePrefixV1", "/api/v1/resolve-prefix/00"),
        post("preflightV1", "/api/v1/preflight", question()),
        get("decisionCheckV1", format!("/api/v1/decisions/{decision}")),
        plain("revocations", "/api/v1/revocations"),
        plain("staple", "/api/v1/staple?domain=open.lab"),
        post(
            "postOutcome",
            "/api/v1/outcome",
            json!({ "domain": "open.lab", "action": "read", "status": 200 }),
        ),
        plain("getOutcomes", "/api/v1/outcomes?domain=open.lab"),
        plain("visitorResolveV1", "/api/v1/visitor?ua=GPTBot/1.3&ip=8.8.4.4"),
        post(
            "visitorResolveBatchV1",
            "/api/v1/visitor",
            json!({ "visitors": [{ "ip": "8.8.4.4", "ua": "GPTBot/1.3" }] }),
        ),
        plain("visitorGate", "/api/v1/visitor/gate"),
        plain("getKnownAgents", "/api/v1/agents"),
        plain("getConduct", "/api/v1/conduct"),
        plain("visitorSpec", "/spec/visitor-resolve"),
        plain("getRights", "/api/v1/rights?domain=open.lab"),
        plain("getReadEquivalence", "/api/v1/read-equivalence?url=https://open.lab/"),
        plain("getClaims", "/api/v1/claims?domain=open.lab"),
        plain("getContentClock", "/api/v1/content-clock?url=https://open.lab/"),
        plain("getDomain", "/api/v1/domain?domain=open.lab"),
        plain(
            "checkField",
            "/api/v1/field-check?domain=open.lab&field=phone&value=%2B44%2020%207946%200000",
        ),
        plain("mcpScanUrl", "/api/v1/mcp/scan?url=https://mcp-both.lab/mcp"),
        post(
            "mcpScanLists",
            "/api/v1/mcp/scan",
            json!({ "tools": [{ "name": "add", "description": "Adds two numbers." }] }),
        ),
        plain("mcpLock", "/api/v1/mcp/lock?url=https://mcp-both.lab/mcp"),
        post(
            "mcpLockCheck",
            "/api/v1/mcp/lock/check",
            json!({
                "lock": { "kind": "svc-mcp-lock", "tools": [{ "name": "add", "sha256": "0".repeat(64) }] },
                "url": "https://mcp-both.lab/mcp",
            }),
        ),
        plain("getUsage", "/api/v1/usage"),
        plain("getCensusRecords", "/api/census/records"),
        plain("getCensusExport", "/api/v1/census/export?format=csv"),
        post("requestFreeKey", "/api/v1/keys/free", json!({ "email": "ada@shop.example" })),
        plain("getObservers", "/.well-known/crawlcheck-observers.json"),
        get("sealLookup", format!("/api/seal/lookup?id={id}")),
        plain("proof", "/proof"),
        plain("proofIndex", "/proof.json"),
        plain("coreContract", "/api/v1/core"),
        plain("getSchema", "/api/v1/schema?kind=svc-decision"),
        plain("getSchemaByKind", "/api/v1/schema/svc-resolve"),
        plain("openapiDocument", "/openapi.json"),
        plain("graphContext", "/spec/graph-context.jsonld"),
        plain("keyDirectory", "/.well-known/http-message-signatures-directory"),
        plain("keyRotation", "/.well-known/security-key-rotation.json"),
        plain("offlineVerifier", "/crawlcheck-verify.mjs"),
        plain("getLog", "/api/v1/log"),
        get("getLogHead", format!("/api/v1/log/sth/{batch}")),
        plain("getLogHeads", "/api/v1/log/sths"),
        get("getLogLeaves", format!("/api/v1/log/leaves/{batch}")),
        get("getLogInclusion", format!("/api/v1/log/inclusion?leaf={leaf}")),
        get("getLogConsistency", format!("/api/v1/log/consistency?from=1&to={size}")),
        plain(
            "getLogAbsence",
            &format!("/api/v1/log/absence?batch={batch}&leaf={}", "0".repeat(64)),
        ),
        plain("getLogCheckpoint", "/api/v1/log/checkpoint"),
        post("postLogGossip", "/api/v1/log/gossip", json!({ "sths": [head] })),
        plain("getLogTile", "/log/tile/0/000.p/1"),
        plain("getLogHeadsFile", "/log/sths/000000000.jsonl"),
        plain("healthz", "/healthz"),
        plain("readyz", "/readyz"),
        plain("metrics", "/metrics"),
    ]
}

fn command(method: &str, path: &str, with_key: bool, body: Option<&Value>) -> String {
    match body {
        Some(body) => {
            let body = shorten(body, 0);
            let key =
                if with_key { " \\\n  -H \"authorization: Bearer $WAYLEAVE_KEY\"" } else { "" };
            format!(
                "curl -X {method} '{{base}}{path}'{key} \\\n  -H 'content-type: application/json' \\\n  -d '{body}'"
            )
        }
        None if with_key => {
            format!("curl '{{base}}{path}' \\\n  -H \"authorization: Bearer $WAYLEAVE_KEY\"")
        }
        None => format!("curl '{{base}}{path}'"),
    }
}

/// The response in a form that fits a page: lists by their first item, long texts cut.
fn shown(reply: &HttpReply) -> String {
    let media_type = reply.header("content-type").unwrap_or_default();
    let is_json = media_type.contains("json");
    if reply.body.is_empty() {
        let fields =
            ["svc-visitor", "svc-visitor-agent", "svc-visitor-operator", "svc-visitor-why"];
        let lines =
            fields.iter().map(|name| format!("{name}: {}", reply.header(name).unwrap_or("")));
        return format!("HTTP/1.1 {}\n{}", reply.status, lines.collect::<Vec<_>>().join("\n"));
    }
    if !is_json && !media_type.starts_with("text/") {
        return format!("(bytes of {media_type})");
    }
    let text = match serde_json::from_slice::<Value>(&reply.body) {
        Ok(value) if is_json => serde_json::to_string_pretty(&shorten(&value, 0)).unwrap(),
        _ => reply.text().lines().take(12).collect::<Vec<_>>().join("\n"),
    };
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}\n…", &text[..end]),
        None => text,
    }
}

fn shorten(value: &Value, depth: usize) -> Value {
    match value {
        Value::Object(members) if depth >= 2 && !members.is_empty() => json!("{…}"),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.clone(), shorten(member, depth + 1)))
            .collect(),
        Value::Array(items) => match items.as_slice() {
            [] => json!([]),
            [one] => json!([shorten(one, depth + 1)]),
            [first, ..] => json!([shorten(first, depth + 1), "…"]),
        },
        Value::String(text) if text.chars().count() > 60 => {
            json!(text.chars().take(56).chain(['…']).collect::<String>())
        }
        other => other.clone(),
    }
}

/// The names of members in a shortened response, as far as it goes.
fn names(response: &str) -> Vec<&str> {
    let name = |line: &str| line.trim().starts_with('"') && line.contains("\": ");
    let lines = response.lines().filter(|line| name(line));
    // Only the first ones: what is cut off depends on the length of values.
    lines
        .filter(|line| line.starts_with("  \""))
        .map(|line| line.split('"').nth(1).unwrap())
        .take(5)
        .collect()
}
