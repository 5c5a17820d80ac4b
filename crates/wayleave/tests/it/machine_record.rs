//! `GET /api/v1/machine-record`: the files, their headers, and that our own readers accept them.

use contract::records::{MachineRecord, MachineRecordFile, MachineRecordFormat, ScanRecord};
use declared::entity::read_entity;
use declared::fault::Weight;
use declared::files::{FileKind, ServedFile, inspect};
use declared::page::Page;
use declared::rights::{ContentUse, Effect, content_signal};
use declared::robots::Robots;
use declared::robots_lint::find_faults;
use serde_json::Value;

use crate::server::Server;

/// What is wrong with the files that are made of a stored scan. Nothing for a scan that was not stored.
pub(crate) fn machine_record_faults(server: &Server, scan: &Value) -> Vec<String> {
    let Some(id) = scan["id"].as_str() else { return Vec::new() };
    let reply = server.get(&format!("/api/v1/machine-record?id={id}"));
    if reply.status != 200 {
        return vec![format!("machine record: {} {}", reply.status, reply.text())];
    }
    let scan: ScanRecord = serde_json::from_value(scan.clone()).unwrap();
    let made: MachineRecord = serde_json::from_slice(&reply.body).unwrap();
    let mut faults = Vec::new();
    if made.files.len() + made.not_made.len() != MachineRecordFormat::WORDS.len() {
        faults.push("machine record: a format is neither made nor explained".to_owned());
    }
    for file in &made.files {
        let found = match file.format {
            MachineRecordFormat::JsonLd => json_ld_faults(&scan, file),
            MachineRecordFormat::LlmsTxt => file_faults(&scan, file, FileKind::LlmsTxt),
            MachineRecordFormat::AgentCard if file.missing.is_empty() => {
                file_faults(&scan, file, FileKind::AgentCard)
            }
            MachineRecordFormat::AgentCard => skeleton_faults(file),
            _ => robots_faults(&scan, file),
        };
        faults.extend(found.into_iter().map(|fault| format!("{}: {fault}", file.format)));
        if file.sources.is_empty() {
            faults.push(format!("{}: no sources", file.format));
        }
    }
    faults
}

/// Every value is read back, and is stated by the site.
fn json_ld_faults(scan: &ScanRecord, file: &MachineRecordFile) -> Vec<String> {
    let html = format!("<script type=\"application/ld+json\">{}</script>", file.untrusted_text);
    let page = Page::read(html.as_bytes(), Some("text/html; charset=utf-8"));
    let entity = read_entity(&page, scan.domain.as_str());
    let mut faults = Vec::new();
    if !entity.owner_found {
        faults.push("no owner is found in it".to_owned());
    }
    if entity.faults.iter().any(|fault| fault.weight == Weight::Error) {
        faults.push(format!("{:?}", entity.faults));
    }
    let lineage = scan.fact_lineage.as_ref().unwrap();
    let letters = |text: &str| -> String {
        text.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>().to_lowercase()
    };
    for fact in &entity.facts {
        let word = fact.fact.as_str();
        let stated = lineage.facts.iter().filter(|known| known.fact == word && known.agrees);
        let stated: Vec<String> = stated
            .flat_map(|known| &known.stated)
            .map(|known| letters(&known.untrusted_value))
            .collect();
        // Addresses are completed, and opening hours are written in another notation.
        let changed = ["url", "logo", "same_as", "hours"].contains(&word);
        if !changed && !stated.iter().any(|known| known.ends_with(&letters(&fact.value))) {
            faults.push(format!("{word}: {} is not stated by the site", fact.value));
        }
    }
    faults
}

fn file_faults(scan: &ScanRecord, file: &MachineRecordFile, kind: FileKind) -> Vec<String> {
    let is_plain = scan.transport.https == Some(false);
    let url = format!("{}://{}{}", if is_plain { "http" } else { "https" }, scan.domain, file.path);
    let inspection = inspect(
        kind,
        &ServedFile {
            requested_url: &url,
            final_url: &url,
            redirects: 0,
            status: 200,
            headers: &[("content-type".to_owned(), file.media_type.clone())],
            body: file.untrusted_text.as_bytes(),
            truncated: false,
            read_at_s: scan.scanned_at.as_millis() / 1_000,
        },
    );
    let mut faults = Vec::new();
    if !inspection.usable {
        faults.push("not usable".to_owned());
    }
    let found = inspection.faults.iter().filter(|fault| fault.weight != Weight::Note);
    // That a site has no TLS cannot be mended in a file.
    let found = found.filter(|fault| fault.code != "not_https");
    faults.extend(found.map(|fault| format!("{}: {}", fault.code, fault.problem)));
    faults
}

/// A skeleton has none of the members that describe the agent, and a source for each that it has.
fn skeleton_faults(file: &MachineRecordFile) -> Vec<String> {
    let card: Value = serde_json::from_str(&file.untrusted_text).unwrap();
    let invented = file.missing.iter().filter(|name| card.get(name.as_str()).is_some());
    let mut faults: Vec<String> = invented.map(|name| format!("{name} is invented")).collect();
    for name in card.as_object().unwrap().keys() {
        let at = format!("/{name}");
        if !file.sources.iter().any(|source| source.at.starts_with(&at)) {
            faults.push(format!("{name} has no source"));
        }
    }
    faults
}

/// Nobody may fetch more than before, and no use is allowed that the site does not allow.
fn robots_faults(scan: &ScanRecord, file: &MachineRecordFile) -> Vec<String> {
    let robots = Robots::parse(file.untrusted_text.as_bytes());
    let mut faults: Vec<String> = find_faults(&robots)
        .into_iter()
        .filter(|fault| fault.weight == Weight::Error)
        .map(|fault| fault.problem)
        .collect();
    for rule in &scan.policy.access {
        let allowed = robots.access(&rule.agent, "/").allowed;
        if allowed != rule.allowed {
            faults.push(format!("{}: was {}, is {allowed}", rule.agent, rule.allowed));
        }
    }
    let statements = content_signal::from_robots(&robots).statements;
    for what in ContentUse::ALL {
        let declared = scan.policy.signals.iter().filter(|signal| {
            let everyone = signal.agents.is_empty() || signal.agents.iter().any(|name| name == "*");
            let effect = signal.uses.get(what.as_str()).map(String::as_str);
            everyone && matches!(effect, Some("disallow" | "conditional"))
        });
        let is_allowed = statements.iter().any(|statement| {
            let everyone = statement.agents.iter().any(|name| name == "*");
            everyone && statement.uses.contains(&(what, Effect::Allow))
        });
        if is_allowed && declared.count() > 0 {
            faults.push(format!("{} is allowed, and the site does not allow it", what.as_str()));
        }
    }
    faults
}

#[test]
fn files_are_downloads_and_the_record_is_signed() {
    let server = Server::start_demo(&[]);
    let scan = server.scan("business.lab");
    let id = scan["id"].as_str().unwrap();
    assert_eq!(machine_record_faults(&server, &scan), Vec::<String>::new());
    let path = format!("/api/v1/machine-record?id={id}");
    let reply = server.get(&path);
    let made = reply.json();
    assert_eq!(made["kind"], "svc-machine-record");
    let schema = server.get("/api/v1/schema?kind=svc-machine-record").json();
    assert!(jsonschema::draft202012::is_valid(&schema, &made), "{made}");
    let tag = format!("if-none-match: {}\r\n", reply.header("etag").unwrap());
    assert_eq!(server.get_with(&path, &tag).status, 304);
    assert_eq!(server.get(&format!("{path}&format=json")).json()["sha256"], made["sha256"]);
    for file in made["files"].as_array().unwrap() {
        let address =
            file["download"].as_str().unwrap().trim_start_matches(&server.base()).to_owned();
        let reply = server.get(&address);
        assert_eq!(reply.status, 200, "{address}");
        assert_eq!(reply.text(), file["untrusted_text"].as_str().unwrap());
        assert_eq!(reply.header("content-type"), file["media_type"].as_str());
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        let disposition = reply.header("content-disposition").unwrap();
        assert!(disposition.starts_with("attachment; filename=\""), "{disposition}");
    }
    for left in made["not_made"].as_array().unwrap() {
        let format = left["format"].as_str().unwrap();
        let reply = server.get(&format!("{path}&format={format}"));
        assert_eq!((reply.status, reply.error_code().as_str()), (404, "not_found"));
        assert_eq!(reply.json()["error"], left["why"]);
    }
    for (path, status, code) in [
        ("/api/v1/machine-record".to_owned(), 400, "bad_request"),
        ("/api/v1/machine-record?id=unknown".to_owned(), 404, "not_found"),
        (format!("{path}&format=xml"), 400, "bad_request"),
        (format!("{path}&form=json"), 400, "unknown_field"),
    ] {
        let reply = server.get(&path);
        assert_eq!((reply.status, reply.error_code().as_str()), (status, code), "{path}");
    }
    let page = server.get_with(&format!("/r/{id}"), "accept: text/html\r\n").text();
    assert!(page.contains(&format!("/api/v1/machine-record?id={id}&amp;format=jsonld")), "{page}");
}
