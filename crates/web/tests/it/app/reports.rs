//! Stored reports, their forms and pictures, and who may read them.

use super::{KEY, OTHER_KEY, RECORD, start};

#[tokio::test]
async fn reports_have_three_forms_and_private_ones_are_not_found() {
    let test_server = start().await;
    assert_eq!(test_server.get("/r/public1.json").await.text(), RECORD);
    let reply = test_server.server.get("/r/public1", "Accept: application/json\r\n").await;
    assert_eq!((reply.text(), reply.header("vary")), (RECORD, Some("Accept")));
    let page = test_server.get("/r/public1").await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.header("content-security-policy").unwrap().contains("default-src 'none'"));
    assert!(page.text().contains("href=\"/r/public1.json\""));
    assert_eq!(test_server.get("/r/public1.raw.json").await.text(), "{\"v\":1}");

    let unlisted = test_server.get("/r/unlisted1.json").await;
    assert_eq!(unlisted.header("x-robots-tag"), Some("noindex"));
    assert!(unlisted.header("cache-control").unwrap().starts_with("private"));

    for end in ["", ".json", ".raw.json"] {
        let private = test_server.get(&format!("/r/private1{end}")).await;
        let unknown = test_server.get(&format!("/r/unknown1{end}")).await;
        assert_eq!((private.status, unknown.status), (404, 404), "{end}");
        assert_eq!(private.json()["error"], unknown.json()["error"], "{end}");
    }
    for odd in ["/r/..%2f..%2fetc", "/r/%00", "/r/.json", "/r/.raw.json", "/r/a%20b", "/r/%ff"] {
        let reply = test_server.get(odd).await;
        assert!([400, 404].contains(&reply.status), "{odd}: {}", reply.status);
        assert!(reply.json()["code"].is_string(), "{odd}");
    }
}

#[tokio::test]
async fn a_private_report_opens_with_a_key_for_its_domain() {
    let test_server = start().await;
    for (headers, status) in [
        (format!("X-Svc-Key: {KEY}\r\n"), 200),
        (format!("Authorization: Bearer {KEY}\r\n"), 200),
        (format!("X-Svc-Key: {OTHER_KEY}\r\n"), 404),
        (format!("X-Svc-Key: {OTHER_KEY}\r\nAuthorization: Bearer {KEY}\r\n"), 404),
        ("X-Svc-Key: wl_\r\n".to_owned(), 404),
    ] {
        for path in ["/r/private1", "/r/private1.json", "/r/private1.raw.json"] {
            let reply = test_server.server.get(path, &headers).await;
            assert_eq!(reply.status, status, "{path} {headers}");
            if status == 200 {
                assert_eq!(reply.header("cache-control"), Some("private, no-store"), "{path}");
                assert_eq!(reply.header("x-robots-tag"), Some("noindex"), "{path}");
            }
        }
    }
    // A public report needs no key, and an invalid key is ignored.
    assert_eq!(test_server.server.get("/r/public1", "X-Svc-Key: x\r\n").await.status, 200);
}

#[tokio::test]
async fn a_badge_shows_the_latest_public_scan_and_is_never_broken() {
    let test_server = start().await;
    let badge = test_server.get("/badge/old.com.svg").await;
    assert!(badge.text().contains("B 70"), "{}", badge.text());
    assert_eq!(badge.header("content-security-policy"), Some("default-src 'none'"));
    let unknown = test_server.get("/badge/never-scanned.com.svg").await;
    assert_eq!(unknown.status, 200);
    assert!(unknown.text().contains("no scan"));
    for odd in ["/badge/old.com", "/badge/..svg", "/badge/%3Cscript%3E.svg", "/badge/::1.svg"] {
        assert_eq!(test_server.get(odd).await.status, 404, "{odd}");
    }
    // Like the report itself: a private one is not there, and a record of another version has no picture.
    assert_eq!(test_server.get("/og/private1.png").await.status, 404);
    assert_eq!(test_server.get("/og/public1.png").await.status, 404);
}
