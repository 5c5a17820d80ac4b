//! Lists of registries.

use serde_json::{Value, json};

use super::super::bootstrap::{Bootstrap, BootstrapFault, MAX_BOOTSTRAP_BYTES};

fn parse(file: &Value) -> Result<Bootstrap, BootstrapFault> {
    Bootstrap::parse(file.to_string().as_bytes())
}

#[test]
fn the_longest_entry_with_whole_labels_wins_and_https_is_preferred() {
    let file = parse(&json!({
        "version": "1.0",
        "publication": "2026-11-15T00:00:00Z",
        "services": [
            [["example"], ["http://a.example/rdap/", "https://a.example/rdap"]],
            [["co.example", "NET"], ["https://co.example/"]],
            [["xn--p1ai"], ["http://only.example/"]],
        ],
    }))
    .unwrap();
    for (name, expected) in [
        ("shop.example", Some("https://a.example/rdap/")),
        ("example", Some("https://a.example/rdap/")),
        ("shop.co.example", Some("https://co.example/")),
        ("shopco.example", Some("https://a.example/rdap/")),
        ("a.net", Some("https://co.example/")),
        ("a.xn--p1ai", Some("http://only.example/")),
        ("anexample", None),
        ("shop.lab", None),
        ("", None),
    ] {
        assert_eq!(file.server(name), expected, "{name}");
    }
    assert!(file.is_complete && file.len() == 4 && !file.is_empty());
    assert_eq!(file.published.map(|at| at.to_string()).as_deref(), Some("2026-11-15T00:00:00Z"));
}

#[test]
fn entries_that_cannot_be_used_are_left_out() {
    let service = |address: &str| json!([["a"], [address]]);
    for address in [
        "ftp://a.example/",
        "https://user@a.example/",
        "https://:p@a.example/",
        "https://a.example/?q=",
        "https://a.example/#f",
        "//a.example/",
        "",
        &format!("https://a.example/{}", "x".repeat(600)),
    ] {
        let file = json!({"services": [service(address)]});
        assert_eq!(parse(&file), Err(BootstrapFault::Empty), "{address}");
    }
    let odd = json!({"services": [1, [], [["a"]], [null, ["https://a.example/"]], [["a b", 5, ""], ["https://a.example/"]], [["b"], ["https://b.example/"]]]});
    let odd = parse(&odd).unwrap();
    assert_eq!(
        (odd.len(), odd.server("x.b"), odd.published),
        (1, Some("https://b.example/"), None)
    );
}

#[test]
fn what_is_not_such_a_file_is_refused() {
    for body in ["", "<html>", "{\"services\": ["] {
        assert_eq!(Bootstrap::parse(body.as_bytes()), Err(BootstrapFault::NotJson), "{body}");
    }
    let large = format!("{{\"services\": [], \"x\": \"{}\"}}", "x".repeat(MAX_BOOTSTRAP_BYTES));
    assert_eq!(Bootstrap::parse(large.as_bytes()), Err(BootstrapFault::NotJson));
    for file in [json!({}), json!({"services": {}}), json!([]), json!(null)] {
        assert_eq!(parse(&file), Err(BootstrapFault::NotABootstrapFile), "{file}");
    }
    assert_eq!(parse(&json!({"services": []})), Err(BootstrapFault::Empty));
}

#[test]
fn the_built_in_copy_lists_common_names_and_says_that_it_is_not_complete() {
    let built_in = Bootstrap::built_in();
    assert!(!built_in.is_complete);
    assert!(built_in.len() > 80, "{}", built_in.len());
    assert!(built_in.published.is_some());
    assert_eq!(built_in.server("example.com"), Some("https://rdap.verisign.com/com/v1/"));
    assert_eq!(built_in.server("bbc.co.uk"), Some("https://rdap.nominet.uk/uk/"));
    assert_eq!(built_in.server("example.lab"), None);
    // Every address is https, and no name is listed twice.
    let file: Value =
        serde_json::from_slice(include_bytes!("../../../data/rdap-services.json")).unwrap();
    let mut names = 0;
    for service in file["services"].as_array().unwrap() {
        names += service[0].as_array().unwrap().len();
        let address = service[1][0].as_str().unwrap();
        assert!(address.starts_with("https://") && address.ends_with('/'), "{address}");
        assert_eq!(built_in.server(service[0][0].as_str().unwrap()), Some(address));
    }
    assert_eq!(built_in.len(), names);
}
