//! `/manage` over plain HTTP: signing in and out, keys, scans, data.

use super::Setup;
use crate::server::{HttpReply, Server};

const FORM: &str =
    "content-type: application/x-www-form-urlencoded\r\nsec-fetch-site: same-origin\r\n";

/// Sends a form as a browser does.
pub(super) fn post_form(
    server: &Server,
    path: &str,
    headers: &str,
    fields: &[(&str, &str)],
) -> HttpReply {
    let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    send_form(server, path, &format!("{FORM}{headers}"), &body)
}

pub(super) fn send_form(server: &Server, path: &str, headers: &str, body: &str) -> HttpReply {
    let length = body.len();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: {}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}",
        server.base().trim_start_matches("http://")
    );
    server.send(request.as_bytes())
}

/// Signs in and returns the cookie as a header line.
pub(super) fn sign_in(server: &Server, key: &str) -> String {
    let reply = post_form(server, "/manage/sign-in", "", &[("key", key)]);
    assert_eq!(
        (reply.status, reply.header("location")),
        (303, Some("/manage")),
        "{}",
        reply.text()
    );
    let cookie = reply.header("set-cookie").unwrap();
    for attribute in ["Path=/", "HttpOnly", "SameSite=Lax", "Max-Age=604800"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    assert!(!cookie.contains("Domain"), "for this host alone: {cookie}");
    format!("cookie: {}\r\n", cookie.split(';').next().unwrap())
}

/// The secret that the forms of this session carry.
pub(super) fn form_secret(server: &Server, cookie: &str) -> String {
    let page = server.get_with("/manage", cookie).text();
    let (_, rest) = page.split_once("name=\"form_secret\" value=\"").expect("a form");
    rest.split('"').next().unwrap().to_owned()
}

fn post_signed(server: &Server, path: &str, cookie: &str, fields: &[(&str, &str)]) -> HttpReply {
    let secret = form_secret(server, cookie);
    let fields = [&[("form_secret", secret.as_str())], fields].concat();
    post_form(server, path, cookie, &fields)
}

#[test]
fn a_holder_signs_in_sees_the_account_and_signs_out() {
    let setup = Setup::new(&[]);
    let server = &setup.server;
    let key = setup.key("standard");
    assert!(server.get("/manage").text().contains("Sign in with your licence key"));
    let cookie = sign_in(server, &key);
    let page = server.get_with("/manage", &cookie);
    assert_eq!(page.header("cache-control"), Some("no-store"));
    assert_eq!(page.header("access-control-allow-origin"), None);
    let text = page.text();
    for shown in ["Plan <b>standard</b>", "every domain", "of 50000 calls used", "(this one)"] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    assert!(!text.contains(&key[8..]), "the page shows no key");
    // Looking is not a call, starting a scan is.
    let scanned = server.post_with("/api/v1/scan", &cookie, r#"{"domain":"open.lab"}"#);
    assert_eq!((scanned.status, scanned.header("x-svc-quota-remaining")), (200, Some("49999")));
    assert_eq!(scanned.header("access-control-allow-origin"), None, "asked with a cookie");
    assert!(server.get_with("/manage", &cookie).text().contains("<b>1</b> of 50000"));

    let out = post_signed(server, "/manage/sign-out", &cookie, &[]);
    assert_eq!(out.status, 303);
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
    // The same cookie, sent again, is worth nothing.
    assert!(server.get_with("/manage", &cookie).text().contains("Sign in with your licence key"));
    let scan = server.post_with("/api/v1/scan", &cookie, r#"{"domain":"open.lab"}"#);
    assert_eq!(scan.status, 401);
}

#[test]
fn sessions_are_listed_ended_one_by_one_and_all_together() {
    let setup = Setup::new(&[]);
    let (server, key) = (&setup.server, setup.key("standard"));
    let cookies: Vec<String> = (0..3).map(|_| sign_in(server, &key)).collect();
    let is_signed_in =
        |cookie: &String| server.get_with("/manage", cookie).text().contains("Plan <b>");
    let page = server.get_with("/manage", &cookies[0]).text();
    let ids: Vec<&str> = page
        .split("name=\"session\" value=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert_eq!(ids.len(), 3);
    let own = page.split("(this one)").nth(1).unwrap();
    let own = own.split("name=\"session\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let other = ids.iter().find(|id| **id != own).unwrap();
    post_signed(server, "/manage/sessions/end", &cookies[0], &[("session", other)]);
    assert_eq!(cookies.iter().filter(|cookie| is_signed_in(cookie)).count(), 2);
    assert!(is_signed_in(&cookies[0]));
    post_signed(server, "/manage/sign-out-everywhere", &cookies[0], &[]);
    assert_eq!(cookies.iter().filter(|cookie| is_signed_in(cookie)).count(), 0);
}

#[test]
fn keys_are_rotated_and_revoked_and_the_last_one_stays() {
    let setup = Setup::new(&[]);
    let (server, key) = (&setup.server, setup.key("standard"));
    let cookie = sign_in(server, &key);
    let page = post_signed(server, "/manage/keys/rotate", &cookie, &[("overlap", "day")]);
    assert_eq!((page.status, page.header("cache-control")), (200, Some("no-store")));
    let text = page.text();
    let (_, rest) = text.split_once(">wl_").expect("the new key");
    let new_key = format!("wl_{}", rest.split('<').next().unwrap());
    let status = |key: &str| server.get_with("/api/v1/usage", &super::key_header(key)).status;
    assert_eq!((status(&key), status(&new_key)), (200, 200));
    let revoke = |key: &str| {
        let page = server.get_with("/manage", &cookie).text();
        let row = page.split(&format!("<code>{}…", &key[..8])).nth(1).unwrap();
        let row = row.split("</tr>").next().unwrap();
        let id = row
            .split("name=\"key\" value=\"")
            .nth(1)
            .map(|id| id.split('"').next().unwrap().to_owned());
        let id = id.unwrap_or_else(|| "0000000000000000".to_owned());
        post_signed(server, "/manage/keys/revoke", &cookie, &[("key", &id)])
    };
    assert_eq!(revoke(&new_key).status, 303);
    assert_eq!((status(&key), status(&new_key)), (200, 404));
    let refused = revoke(&key);
    assert_eq!(refused.status, 404, "the last key has no button: {}", refused.text());
    assert_eq!(status(&key), 200);
    let audit = setup.data.command(&["audit", "--json"]);
    assert_eq!(
        (&audit[0]["action"], &audit[1]["action"]),
        (&"licence.revoke_key".into(), &"licence.rotate".into())
    );
}

#[test]
fn a_private_scan_opens_for_its_session_alone() {
    let setup = Setup::new(&[]);
    let (server, key) = (&setup.server, setup.key("standard"));
    let cookie = sign_in(server, &key);
    let started = post_signed(
        server,
        "/manage/scans",
        &cookie,
        &[("domain", "minimal.lab"), ("visibility", "private")],
    );
    assert_eq!(started.status, 303, "{}", started.text());
    let progress = started.header("location").unwrap().to_owned();
    let report = loop {
        let page = server.get_with(&progress, &cookie);
        match page.header("location") {
            Some(report) => break report.to_owned(),
            None => assert_eq!(page.status, 200, "{}", page.text()),
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    };
    assert!(report.starts_with("/r/"), "{report}");
    assert_eq!(server.get_with(&report, &cookie).status, 200);
    assert_eq!(server.get(&report).status, 404);
    assert_eq!(server.get(&progress).status, 404, "nor does anybody else see its progress");
    let stranger = sign_in(server, &setup.key("standard"));
    assert_eq!(server.get_with(&report, &stranger).status, 404);
    assert!(server.get_with("/manage", &cookie).text().contains("Only this licence"));
    // A plan without private scans offers none and refuses them.
    let free = sign_in(server, &setup.key("free"));
    let page = server.get_with("/manage", &free).text();
    assert!(page.contains("Your plan has no private scans") && !page.contains("value=\"private\""));
    let refused = post_signed(
        server,
        "/manage/scans",
        &free,
        &[("domain", "minimal.lab"), ("visibility", "private")],
    );
    assert_eq!(refused.status, 403);
}

#[test]
fn data_is_exported_and_deleted() {
    let setup = Setup::new(&[]);
    let (server, key) = (&setup.server, setup.key("standard"));
    let cookie = sign_in(server, &key);
    let keyed = super::key_header(&key);
    let body = r#"{"domain":"minimal.lab","visibility":"private"}"#;
    let private = server.post_with("/api/scan", &keyed, body).json();
    let private = format!("/r/{}", private["id"].as_str().unwrap());
    let public = server.post_with("/api/v1/scan", &keyed, r#"{"domain":"open.lab"}"#).json();
    let public = format!("/r/{}", public["id"].as_str().unwrap());
    let export = server.get_with("/manage/data.json", &cookie);
    assert!(export.header("content-disposition").unwrap().contains("attachment"));
    let export = export.json();
    assert_eq!(export["scans"].as_array().unwrap().len(), 2);
    assert_eq!(export["calls"].as_array().unwrap().len(), 2);
    assert_eq!(export["sessions"].as_array().unwrap().len(), 1);
    assert!(!export.to_string().contains(&key[8..]));

    let refused = post_signed(server, "/manage/data/delete", &cookie, &[("confirm", "yes")]);
    assert_eq!(refused.status, 400);
    assert_eq!(server.get_with(&private, &keyed).status, 200, "nothing was deleted");
    let deleted = post_signed(server, "/manage/data/delete", &cookie, &[("confirm", "delete")]);
    assert_eq!(deleted.status, 303, "{}", deleted.text());
    assert_eq!(server.get_with(&private, &keyed).status, 404);
    assert_eq!(server.get(&public).status, 200, "public scans stay");
    assert_eq!(server.get_with("/api/v1/usage", &keyed).status, 404);
    assert!(server.get_with("/manage", &cookie).text().contains("Sign in with"));
    let licence = setup.data.command(&["licence", "list", "--json"]);
    assert!(licence[0]["revoked_at"].is_string() && licence[0]["label"].is_null());
}
