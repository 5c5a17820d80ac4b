//! `wayleave census`: scans a list; a server then publishes the records.

use super::*;
use crate::server::get_stream;

#[test]
fn a_list_is_measured_once_and_served_page_by_page() {
    let lab = LabRun::start();
    let folder = Folder::new();
    let data = folder.path("data");
    let list =
        folder.write("list.csv", "1,open.lab\n2,blocks-ai.lab\n3,no-such-name.lab\n4,not a name\n");
    let census = |list: &str| {
        run(&[
            "census",
            "run",
            list,
            "--name",
            "lab",
            "--date",
            "2026-11-09",
            "--config",
            &lab.config,
            "--store-data-dir",
            &data,
        ])
    };
    let output = census(&list).expect(PASSED);
    assert!(output.out.contains("run 1: 3 domains, 2 scanned now"), "{}", output.out);
    assert!(output.err.contains("skipped 1 lines"), "{}", output.err);
    // A finished run is not continued: the same list starts a new one.
    assert!(census(&list).expect(PASSED).out.contains("run 2: 3 domains"));

    let server = Server::start_demo(&["--store-data-dir", &data]);
    let page = server.get("/api/census/records?run=1&limit=2");
    assert_eq!(page.header("cache-control"), Some("public, max-age=86400, immutable"));
    assert!(page.header("link").unwrap().contains("rel=\"next\""));
    let page = page.json();
    assert_eq!(
        (&page["count"], &page["total_in_run"], &page["has_more"]),
        (&json!(2), &json!(3), &json!(true))
    );
    assert_eq!(page["run"]["frame"]["date"], "2026-11-09");
    assert_eq!(page["records"][0]["domain"], "open.lab");
    assert_eq!(page["records"][0]["status"], "measured");
    let next = format!("/api/census/records?cursor={}", page["cursor"].as_str().unwrap());
    let last = server.get(&next).json();
    assert_eq!(
        (&last["records"][0]["status"], &last["cursor"]),
        (&json!("unreachable"), &json!(null))
    );
    let blocked = server.get("/api/census/records?decision=read:block").json();
    assert_eq!(blocked["records"][0]["domain"], "blocks-ai.lab");
    assert_eq!(blocked["count"], 1);

    let lines = server.get("/api/census/records?run=1&format=ndjson").text();
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((rows.len(), &rows[0]["run"], &rows[4]["records"]), (5, &json!(1), &json!(3)));
    let before = lines.rfind("\n{").unwrap() + 1;
    assert_eq!(rows[4]["rows_sha256"], proof::sha256(&lines.as_bytes()[..before]).to_hex());
    check_export(&server, &data);
    // The answer names the census as its basis.
    let answer = server.get("/api/v1/resolve?domain=open.lab").json();
    assert_eq!((&answer["basis"]["kind"], &answer["basis"]["rank"]), (&json!("census"), &json!(1)));
}

/// The same records as a file, for holders of a licence only.
fn check_export(server: &Server, data: &str) {
    const PATH: &str = "/api/v1/census/export";
    let licence = ["licence", "create", "--all-domains", "--json", "--store-data-dir", data];
    let created = run(&licence).expect(PASSED).json();
    let key = format!("authorization: Bearer {}\r\n", created["key"].as_str().unwrap());
    let export = |query: &str| {
        let reply = get_stream(server, &format!("{PATH}{query}"), &key);
        assert_eq!((reply.status, reply.header("cache-control")), (200, Some("private, no-store")));
        (reply.header("content-disposition").unwrap().to_owned(), reply.text())
    };
    let (name, file) = export("?run=1");
    assert_eq!(name, "attachment; filename=\"census-1.ndjson\"");
    // The page by page form has the same lines; only the signature of the last one is another.
    let paged = server.get("/api/census/records?run=1&format=ndjson").text();
    let rows = |text: &str| text.lines().take(4).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows(&file), rows(&paged));
    let end: Value = serde_json::from_str(file.lines().last().unwrap()).unwrap();
    let before = file.rfind("\n{").unwrap() + 1;
    assert_eq!(end["rows_sha256"], proof::sha256(&file.as_bytes()[..before]).to_hex());
    assert_eq!((&end["records"], file.lines().count()), (&json!(3), 5));
    assert!(end["signature"].is_object());
    let (name, file) = export("?format=csv");
    assert_eq!(name, "attachment; filename=\"census-2.csv\"");
    let lines: Vec<&str> = file.split_terminator("\r\n").collect();
    assert!(lines[0].starts_with("rank,domain,status,measured_at,host,read,"), "{file}");
    assert!(lines[1].starts_with("1,open.lab,measured,20"), "{file}");
    assert!(lines[2].starts_with("2,blocks-ai.lab,") && lines[2].contains(",block,"), "{file}");
    assert!(lines[3].starts_with("3,no-such-name.lab,unreachable,,"), "{file}");
    assert_eq!(lines.len(), 4);
    for query in ["?format=json", "?run=x", "?limit=1", "?run=99"] {
        let reply = server.get_with(&format!("{PATH}{query}"), &key);
        assert_eq!(reply.status, if query == "?run=99" { 404 } else { 400 }, "{query}");
    }

    // To everybody else it is an address like any unknown one.
    let wrong = format!("x-svc-key: wl_{}\r\n", "a".repeat(43));
    let revoke = ["licence", "revoke", created["id"].as_str().unwrap(), "--store-data-dir", data];
    run(&revoke).expect(PASSED);
    for headers in ["", &wrong, "x-svc-key: x\r\n", &key] {
        for accept in ["", "accept: text/html\r\n"] {
            let headers = format!("{headers}{accept}x-request-id: same\r\n");
            let bare = |path: &str| {
                let mut reply = server.get_with(path, &headers);
                reply.headers.retain(|(name, _)| name != "date");
                (reply.status, reply.headers, reply.body)
            };
            assert_eq!(bare(PATH), bare("/api/v1/no-such-address"), "{headers}");
        }
    }
}
