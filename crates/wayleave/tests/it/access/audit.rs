//! What operators and holders do is recorded and stays.

use super::{Setup, key_header};

#[test]
fn what_operators_do_is_listed_newest_first_and_names_no_secret() {
    let setup = Setup::new(&[]);
    let created =
        setup.data.command(&["licence", "create", "--all-domains", "--label", "Ada", "--json"]);
    let (id, key) = (created["id"].as_str().unwrap(), created["key"].as_str().unwrap());
    let rotated = setup.data.command(&["licence", "rotate", id, "--overlap", "1", "--json"]);
    let new_key = rotated["key"].as_str().unwrap();
    // Both keys work during the overlap.
    for key in [key, new_key] {
        assert_eq!(setup.server.get_with("/api/v1/usage", &key_header(key)).status, 200);
    }
    let last_used = setup.data.command(&["licence", "list", "--json"])[0]["last_used"].clone();
    assert_eq!(last_used.as_str().unwrap().len(), 10, "to the day: {last_used}");
    setup.data.command(&["scans", "pause", "--json"]);
    setup.data.command(&["scans", "resume", "--json"]);
    setup.data.command(&["licence", "revoke", id, "--json"]);
    for key in [key, new_key] {
        assert_eq!(setup.server.get_with("/api/v1/usage", &key_header(key)).status, 404);
    }
    let entries = setup.data.command(&["audit", "--json"]);
    let actions: Vec<&str> =
        entries.as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(
        actions,
        ["licence.revoke", "scans.resume", "scans.pause", "licence.rotate", "licence.create"]
    );
    assert_eq!(entries[0]["subject"], id);
    assert!(entries[0]["actor"].as_str().unwrap().starts_with("operator "));
    let text = entries.to_string();
    assert!(!text.contains(&key[8..]) && !text.contains(&new_key[8..]), "{text}");
}

#[test]
fn a_key_replaced_at_once_ends_at_once() {
    let setup = Setup::new(&[]);
    let created = setup.data.command(&["licence", "create", "--all-domains", "--json"]);
    let (id, key) = (created["id"].as_str().unwrap(), created["key"].as_str().unwrap());
    let rotated = setup.data.command(&["licence", "rotate", id, "--overlap", "0", "--json"]);
    let status = |key: &str| setup.server.get_with("/api/v1/usage", &key_header(key)).status;
    assert_eq!((status(key), status(rotated["key"].as_str().unwrap())), (404, 200));
}
