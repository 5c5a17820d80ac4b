//! What others try with sessions: forged forms, fixed and stolen cookies, guessed keys.

use std::time::Instant;

use super::{
    Setup, key_header,
    manage::{form_secret, post_form, send_form, sign_in},
};
use crate::server::Server;

const PLAIN_FORM: &str = "content-type: application/x-www-form-urlencoded\r\n";

fn is_signed_in(server: &Server, cookie: &str) -> bool {
    server.get_with("/manage", cookie).text().contains("Plan <b>")
}

#[test]
fn forms_of_other_sites_change_nothing() {
    let setup = Setup::new(&[]);
    let (server, key) = (&setup.server, setup.key("standard"));
    let cookie = sign_in(server, &key);
    let secret = form_secret(server, &cookie);
    let with_secret = format!("form_secret={secret}");
    for (origin, body) in [
        ("sec-fetch-site: cross-site\r\n", with_secret.as_str()),
        ("sec-fetch-site: same-site\r\n", &with_secret),
        ("origin: https://evil.example\r\n", &with_secret),
        ("origin: null\r\n", &with_secret),
        // From our own origin, but without the secret, or with that of another session.
        ("sec-fetch-site: same-origin\r\n", ""),
        ("sec-fetch-site: same-origin\r\n", "form_secret=x"),
        ("", "form_secret="),
    ] {
        let reply =
            send_form(server, "/manage/sign-out", &format!("{PLAIN_FORM}{cookie}{origin}"), body);
        assert!(matches!(reply.status, 303 | 403), "{origin} {body}: {}", reply.status);
        assert_ne!(
            reply.header("set-cookie").map(|cookie| cookie.contains("Max-Age=0")),
            Some(true)
        );
        assert!(is_signed_in(server, &cookie), "{origin} {body}");
    }
    let other = sign_in(server, &setup.key("standard"));
    let foreign = form_secret(server, &other);
    let reply = post_form(server, "/manage/sign-out", &cookie, &[("form_secret", &foreign)]);
    assert_eq!(reply.status, 403);
    // A script of another site, with the browser's cookie: refused as if nobody were signed in.
    for origin in ["sec-fetch-site: cross-site\r\n", "origin: https://evil.example\r\n"] {
        let headers = format!("{cookie}{origin}");
        let scan = server.post_with("/api/v1/scan", &headers, r#"{"domain":"open.lab"}"#);
        assert_eq!(scan.status, 401, "{origin}");
        assert_eq!(scan.header("access-control-allow-origin"), None);
    }
    let preflight = "OPTIONS /manage/sign-out HTTP/1.1\r\nhost: x\r\norigin: https://evil.example\r\n\
         access-control-request-method: POST\r\nconnection: close\r\n\r\n";
    assert_eq!(server.send(preflight.as_bytes()).header("access-control-allow-origin"), None);
    // Signing a visitor in with another's key from another site does not work either.
    let body = format!("key={key}");
    let forced = format!("{PLAIN_FORM}sec-fetch-site: cross-site\r\n");
    let reply = send_form(server, "/manage/sign-in", &forced, &body);
    assert_eq!((reply.status, reply.header("set-cookie")), (403, None));
}

#[test]
fn a_cookie_that_was_there_before_is_never_used() {
    let setup = Setup::new(&[]);
    let (server, key) = (&setup.server, setup.key("standard"));
    let fixed = format!("cookie: svc_session={}\r\n", "f".repeat(43));
    let reply = post_form(server, "/manage/sign-in", &fixed, &[("key", &key)]);
    let cookie = reply.header("set-cookie").unwrap();
    assert!(!cookie.contains(&"f".repeat(43)));
    assert!(!is_signed_in(server, &fixed));
    // A session ends with its key.
    let cookie = format!("cookie: {}\r\n", cookie.split(';').next().unwrap());
    assert!(is_signed_in(server, &cookie));
    let list = setup.data.command(&["licence", "list", "--json"]);
    setup.data.command(&["licence", "revoke", list[0]["id"].as_str().unwrap(), "--json"]);
    assert!(!is_signed_in(server, &cookie));
    for odd in ["cookie: svc_session=\r\n", "cookie: svc_session=../../x\r\n", "cookie: \u{fe}\r\n"]
    {
        assert!(!is_signed_in(server, odd));
    }
    let long = format!("cookie: svc_session={}\r\n", "x".repeat(8_000));
    assert!(!is_signed_in(server, &long));
}

/// Guesses are refused, and whoever has the key still signs in from the same address.
#[test]
fn guessing_is_slowed_and_locks_nobody_out() {
    let data = crate::licence_api::DataDir::new();
    let server = Server::start_demo_with_limits(&data.flags());
    let key = crate::licence_api::licence(&data, &["--all-domains"]);
    let guess = |number: u32| format!("wl_{number:043}");
    let started = Instant::now();
    let mut refused = 0;
    for number in 0..60 {
        let reply = post_form(&server, "/manage/sign-in", "", &[("key", &guess(number))]);
        assert!(matches!(reply.status, 401 | 429), "{}", reply.status);
        assert_eq!(reply.header("set-cookie"), None);
        refused += u32::from(reply.status == 429);
    }
    assert_eq!(refused, 50, "ten wrong keys a minute");
    // Each refusal waits a little, so that 10,000 guesses on one connection take minutes.
    let per_guess = started.elapsed() / 60;
    assert!(per_guess.as_millis() >= 50, "{per_guess:?}");
    let cookie = sign_in(&server, &key);
    assert!(is_signed_in(&server, &cookie));
    assert_eq!(server.get_with("/api/v1/usage", &key_header(&key)).status, 200);
}
