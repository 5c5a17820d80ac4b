//! `wayleave census`: scans a list; a server then publishes the records.

use super::*;

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
    // The answer names the census as its basis.
    let answer = server.get("/api/v1/resolve?domain=open.lab").json();
    assert_eq!((&answer["basis"]["kind"], &answer["basis"]["rank"]), (&json!("census"), &json!(1)));
}
