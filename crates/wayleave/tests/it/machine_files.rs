//! What the service tells machines about itself is valid by its own validators.

use contract::Clock;
use declared::fault::Weight;
use declared::files::{FILE_LOCATIONS, FileKind, ServedFile, inspect};
use declared::robots::Robots;

use crate::server::Server;

#[test]
fn every_machine_file_is_valid_by_our_own_validators() {
    let server = Server::start_demo(&["--operator-security", "mailto:security@svc.example"]);
    let own = [
        FileKind::RobotsTxt,
        FileKind::Sitemap,
        FileKind::LlmsTxt,
        FileKind::AgentsMd,
        FileKind::AgentSkills,
        FileKind::McpServerCard,
        FileKind::ApiCatalog,
        FileKind::AgentCard,
        FileKind::AiCatalog,
        FileKind::SecurityTxt,
    ];
    for kind in own {
        let place = FILE_LOCATIONS.iter().find(|place| place.kind == kind).unwrap();
        let reply = server.get(place.path);
        assert_eq!(reply.status, 200, "{}", place.path);
        // As it is served in production: over https, under the name of the service.
        let text = reply.text().replace(&server.base(), "https://svc.example");
        let url = format!("https://svc.example{}", place.path);
        let headers: Vec<(String, String)> = ["content-type", "access-control-allow-origin"]
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), reply.header(name)?.to_owned())))
            .collect();
        let served = ServedFile {
            requested_url: &url,
            final_url: &url,
            redirects: 0,
            status: 200,
            headers: &headers,
            body: text.as_bytes(),
            truncated: false,
            read_at_s: door::SystemClock.now().as_millis() / 1000,
        };
        let inspection = inspect(kind, &served);
        let faults: Vec<_> =
            inspection.faults.iter().filter(|fault| fault.weight > Weight::Note).collect();
        assert!(faults.is_empty(), "{}: {faults:#?}", place.path);
        assert!(inspection.usable, "{}", place.path);
    }
    let robots = Robots::parse(server.get("/robots.txt").text().as_bytes());
    assert!(robots.access("GPTBot", "/docs").allowed);
    assert!(!robots.access("GPTBot", "/not-for-agents/x").allowed);
    // Every page of the sitemap is there.
    let sitemap = server.get("/sitemap.xml").text();
    for page in sitemap.split("<loc>").skip(1) {
        let url = page.split("</loc>").next().unwrap();
        let path = url.strip_prefix(&server.base()).unwrap();
        assert_eq!(server.get(path).status, 200, "{path}");
    }
}

#[test]
fn there_is_no_security_txt_without_a_contact() {
    assert_eq!(Server::shared().get("/.well-known/security.txt").status, 404);
}
