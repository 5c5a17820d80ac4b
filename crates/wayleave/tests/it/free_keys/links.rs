//! From the request to a key that works.

use super::*;

#[test]
fn a_link_shows_one_key_once_and_the_key_works() {
    let Some(mails) = MailServer::start(&[]) else { return };
    let offering = Offering::start(mails.port, &["--mail-security", "none"]);
    let server = &offering.server;
    let accepted = offering.take("Zoe.Quill+wl@mail.lab");
    assert_eq!((&accepted["accepted"], &accepted["link_valid_hours"]), (&json!(true), &json!(24)));
    let mail = mails.wait_for(1);
    assert_eq!(mail["to"], json!(["Zoe.Quill+wl@mail.lab"]));
    assert_eq!(mail["from"], "keys@svc.example");
    let header = |name: &str| {
        let headers = mail["headers"].as_array().unwrap();
        let found = headers.iter().find(|header| header[0] == name);
        found.unwrap_or_else(|| panic!("{name}: {mail}"))[1].as_str().unwrap().to_owned()
    };
    assert_eq!(header("To"), "Zoe.Quill+wl@mail.lab");
    assert_eq!(header("From"), "Wayleave <keys@svc.example>");
    assert_eq!(header("Auto-Submitted"), "auto-generated");
    let link = link_path(&mail);
    let token = link.strip_prefix("/keys/free/").unwrap();
    assert_eq!(token.len(), 43, "{link}");

    // Scanners of mail open links: that uses nothing up.
    for _ in 0..3 {
        let page = server.get_with(&link, "accept: text/html\r\n");
        assert_eq!((page.status, page.header("cache-control")), (200, Some("no-store")));
        assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
        assert!(page.text().contains("<form class=\"stack\" method=\"post\">"), "{}", page.text());
        assert!(!page.text().contains("wl_"), "no key yet");
    }
    let press = |headers: &str| {
        let head = format!(
            "POST {link} HTTP/1.1\r\nhost: x\r\naccept: text/html\r\n{headers}\
             content-type: application/x-www-form-urlencoded\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        );
        server.send(head.as_bytes())
    };
    assert_eq!(press("sec-fetch-site: cross-site\r\n").status, 403, "the form of another site");
    let page = press("sec-fetch-site: same-origin\r\n");
    assert_eq!((page.status, page.header("cache-control")), (200, Some("no-store")));
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    let text = page.text();
    let key = &text[text.find("wl_").unwrap()..][..46];
    for again in [press(""), server.get_with(&link, "accept: text/html\r\n")] {
        assert_eq!(again.status, 404);
        assert!(again.text().contains("This link is not valid") && !again.text().contains("wl_"));
    }

    let scan = |headers: &str| {
        server.post_with("/api/v1/scan", headers, &json!({ "domain": "open.lab" }).to_string())
    };
    assert_eq!(scan("").status, 401);
    for headers in [format!("x-svc-key: {key}\r\n"), format!("authorization: Bearer {key}\r\n")] {
        let reply = scan(&headers);
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
    let listed = wayleave()
        .args(["licence", "list", "--json", "--store-data-dir"])
        .arg(offering.folder.path().join("data"))
        .output()
        .unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(!listed.to_lowercase().contains("quill"), "{listed}");

    // Neither the mailbox nor the secrets are in a log or in the store.
    let (log, data) = (offering.log(), offering.data());
    assert!(log.contains("/keys/free/{token}"), "the log names the route");
    for secret in ["Quill", "quill", token, key] {
        assert!(!log.contains(secret), "{secret} is in the log");
        assert!(!contains(&data, secret), "{secret} is in the store");
    }
}

#[test]
fn links_that_are_none_are_not_found() {
    let offering = Offering::start(1, &["--mail-security", "none"]);
    let unknown = format!("/keys/free/{}", "a".repeat(43));
    let long = format!("/keys/free/{}", "a".repeat(5_000));
    let odd = ["/keys/free/%00", "/keys/free/..%2f", "/keys/free/a.b", "/keys/free/%ff"];
    for path in [unknown.as_str(), &long].into_iter().chain(odd) {
        for accept in ["text/html", "application/json"] {
            let reply = offering.server.get_with(path, &format!("accept: {accept}\r\n"));
            assert_eq!(reply.status, 404, "{path}: {}", reply.text());
            assert!(reply.text().contains("This link is not valid"), "{}", reply.text());
            assert_eq!(reply.header("cache-control"), Some("no-store"));
        }
        let form = Some("application/x-www-form-urlencoded");
        assert_eq!(offering.server.post(path, form, b"").status, 404, "{path}");
    }
}
