//! Case files as sites of a running lab.

use std::path::PathBuf;

use lab::{CaseError, Lab, LabOptions, case_sites};

use crate::client::{BROWSER, GPTBOT, get, get_http};

/// A folder with these files; deleted when dropped.
struct CaseFolder(PathBuf);

impl CaseFolder {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let path = std::env::temp_dir().join(format!("lab-cases-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        for (file, text) in files {
            std::fs::write(path.join(file), text).unwrap();
        }
        Self(path)
    }
}

impl Drop for CaseFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const LOGIN: &str = "kind: gate.login\nname: A portal\nwhy: A form and no content.\n\
    expect: gate=login\n--- all | 200 | text/html; charset=utf-8 | X-Case: {{host}}\n\
    <form><input type=\"password\"></form>\n--- ai | 403 | text/plain\nno\n";
const PLAIN: &str = "kind: redirect\nname: To http\nwhy: It leaves TLS.\nexpect: read!=allow\n\
    --- all | 302 | text/html | Location: http://{{host}}/en/\n--- all /en/ | 200 | text/html\nhi\n";

#[tokio::test]
async fn cases_are_served_beside_the_catalogue() {
    let folder =
        CaseFolder::new("good", &[("a-login.case", LOGIN), ("b-plain.case", PLAIN), ("c.txt", "")]);
    let cases = case_sites(&folder.0).unwrap();
    let names: Vec<&str> = cases.iter().map(|case| case.site.name).collect();
    assert_eq!(names, ["c001.lab", "c002.lab"]);
    assert_eq!((&*cases[0].kind, cases[0].expectations.len()), ("gate.login", 1));
    let sites: Vec<_> = cases.iter().map(|case| case.site).collect();
    let lab = Lab::start_with_sites(LabOptions::default(), &sites).await.unwrap();
    let home = get(&lab, "c001.lab", "/", BROWSER).await;
    assert_eq!((home.status, home.header("x-case")), (200, Some("c001.lab")));
    assert_eq!(get(&lab, "c001.lab", "/", GPTBOT).await.status, 403);
    assert_eq!(get_http(&lab, "c001.lab", "/x", BROWSER).await.status, 301);
    let away = get(&lab, "c002.lab", "/", BROWSER).await;
    assert_eq!((away.status, away.header("location")), (302, Some("http://c002.lab/en/")));
    assert_eq!(get_http(&lab, "c002.lab", "/en/", BROWSER).await.text(), "hi\n");
    assert_eq!(get(&lab, "open.lab", "/", BROWSER).await.status, 200);
    assert!(lab::catalogue().iter().all(|site| !names.contains(&site.name)));
}

#[test]
fn every_mistake_is_named_with_file_and_line() {
    let folder = CaseFolder::new(
        "bad",
        &[
            ("a.case", LOGIN),
            ("b.case", &LOGIN.replace("gate=login", "gate=door")),
            ("c.case", &LOGIN.replace("| X-Case:", "| colour | X-Case:")),
            ("D.case", LOGIN),
        ],
    );
    let mistakes = case_sites(&folder.0).unwrap_err();
    let lines: Vec<String> = mistakes.iter().map(CaseError::to_string).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("b.case:4: ")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("c.case:5: ")), "{lines:?}");
}
