//! Agents on the service's own site: what is counted, on which ways of an answer, and what survives.

use std::time::Duration;

use serde_json::{Value, json};

use crate::licence_api::DataDir;
use crate::server::{HttpReply, Server, wayleave};
use crate::visitor_api::{FORGED, wait_for_lists};

const GPTBOT: &str = "Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)";
const GENUINE: &str = "44.1.0.7";
/// The job writes every five seconds.
const WRITTEN: Duration = Duration::from_secs(7);

fn ask(server: &Server, address: &str, user_agent: &str, path: &str) -> HttpReply {
    ask_with(server, address, user_agent, path, "")
}

fn ask_with(server: &Server, from: &str, user_agent: &str, path: &str, more: &str) -> HttpReply {
    let headers = format!("x-forwarded-for: {from}\r\nuser-agent: {user_agent}\r\n{more}");
    server.get_with(path, &headers)
}

fn agent<'a>(record: &'a Value, list: &str, name: &str) -> &'a Value {
    let agents = record[list].as_array().unwrap();
    agents.iter().find(|agent| agent["agent"] == name).unwrap_or_else(|| panic!("{record}"))
}

#[test]
fn agents_are_counted_on_every_way_and_survive_a_kill_once() {
    let data = DataDir::new();
    let proxy = ["--server-trusted-proxies", "127.0.0.1/32"];
    let flags = [proxy.as_slice(), &data.flags()].concat();
    let mut server = Server::start_demo(&flags);
    wait_for_lists(&server);
    // The second one and all after it are sent without the router.
    let kept = "/api/v1/resolve?domain=open.lab";
    for _ in 0..50 {
        assert_eq!(ask(&server, GENUINE, GPTBOT, kept).status, 200);
    }
    let since = "if-modified-since: Sun, 15 Nov 2026 02:16:20 GMT\r\n";
    ask_with(&server, GENUINE, GPTBOT, kept, since);
    ask_with(&server, GENUINE, GPTBOT, "/docs", "if-none-match: \"x\"\r\n");
    assert_eq!(ask(&server, GENUINE, GPTBOT, "/robots.txt").status, 200);
    let trap = ask(&server, GENUINE, GPTBOT, "/not-for-agents/page");
    assert_eq!(trap.header("x-robots-tag"), Some("noindex, nofollow"));
    assert!(trap.text().contains("robots.txt disallows this page"));
    ask(&server, FORGED, GPTBOT, kept);
    ask(&server, FORGED, GPTBOT, "/not-for-agents/page");
    // Neither people, nor what a web server asks about the visitors of another site.
    ask(&server, FORGED, "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0", kept);
    ask(&server, GENUINE, GPTBOT, "/api/v1/visitor/gate");
    // Nobody can verify these.
    ask(&server, FORGED, "Mozilla/5.0 (compatible; Bytespider)", "/");
    let check = format!("/api/v1/visitor?ua=GPTBot/1.3&ip={FORGED}");
    assert_eq!(server.get(&check).json()["verdict"], "spoofed");

    let reply = server.get("/api/v1/conduct");
    assert_eq!(reply.status, 200, "{}", reply.text());
    let record = reply.json();
    let gptbot = agent(&record, "agents", "GPTBot");
    assert_eq!(gptbot["identity"]["verified_requests"], 54, "{gptbot}");
    assert_eq!(gptbot["identity"]["forged_claims"], 2);
    assert_eq!(gptbot["robots_txt"]["verdict"], "not_respected");
    assert_eq!(gptbot["robots_txt"]["robots_txt_fetches"], 1);
    assert_eq!(gptbot["robots_txt"]["disallowed_fetches"], 1);
    assert_eq!(gptbot["robots_txt"]["disallowed_rules"], json!(["/not-for-agents/"]));
    assert_eq!(gptbot["revalidation"]["conditional_requests"], 2);
    // The gate and the check.
    assert_eq!(gptbot["site_checks_14d"], json!({ "checked": 2, "verified": 1, "spoofed": 1 }));
    assert_eq!(record["thresholds"]["min_verified_requests"], 50);
    assert_eq!(record["thresholds"]["disallowed_rules"], json!(["/not-for-agents/", "/scan/"]));
    let unknown = agent(&record, "not_assessed", "Bytespider");
    assert_eq!(unknown["claimed_hits"], 1);
    assert!(unknown["why"].as_str().unwrap().contains("publishes no addresses"));

    // Asked again within a minute, it is the same document.
    let etag = reply.header("etag").unwrap();
    let again = server.get_with("/api/v1/conduct", &format!("if-none-match: {etag}\r\n"));
    assert_eq!(again.status, 304);
    assert_eq!(server.get("/api/v1/conduct?x=1").status, 400);
    let file = data.path().join("conduct.json");
    std::fs::write(&file, reply.text()).unwrap();
    let verified = wayleave().arg("verify").arg(&file).args(["--keys", &server.base()]).output();
    assert!(verified.as_ref().unwrap().status.success(), "{verified:?}");
    let page = server.get("/conduct").text();
    for text in ["GPTBot", "Not followed", "Bytespider", "href=\"/not-for-agents/page\""] {
        assert!(page.contains(text), "{text}");
    }

    // What was written survives, and nothing is counted twice.
    ask(&server, GENUINE, GPTBOT, kept);
    std::thread::sleep(WRITTEN);
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let server = Server::start_demo(&flags);
    wait_for_lists(&server);
    ask(&server, GENUINE, GPTBOT, kept);
    let record = server.get("/api/v1/conduct").json();
    assert_eq!(agent(&record, "agents", "GPTBot")["identity"]["verified_requests"], 56);

    // The end of the server writes the rest. No address is stored.
    ask(&server, GENUINE, GPTBOT, kept);
    drop(server);
    for file in ["wayleave.db", "wayleave.db-wal"] {
        let bytes = std::fs::read(data.path().join(file)).unwrap_or_default();
        for text in [GENUINE, FORGED, GPTBOT] {
            assert!(
                !bytes.windows(text.len()).any(|part| part == text.as_bytes()),
                "{file}: {text}"
            );
        }
    }
    let server = Server::start_demo(&flags);
    wait_for_lists(&server);
    let record = server.get("/api/v1/conduct").json();
    assert_eq!(agent(&record, "agents", "GPTBot")["identity"]["verified_requests"], 57);
}
