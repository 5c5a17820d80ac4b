//! The forms of the pages: scan and preflight, without scripts and only from our own pages.

use super::{FORM, start};

#[tokio::test]
async fn the_home_page_has_a_form_that_works_without_scripts() {
    let test_server = start().await;
    let home = test_server.get("/").await;
    assert!(home.text().contains(" method=\"post\" action=\"/scan\">"));
    assert_eq!(home.text().matches("<script").count(), 1, "only our own file");
    assert!(home.text().contains("<script src=\"/pages.js\" defer></script>"));

    let token = test_server.form_token("/").await;
    let fill = |domain: &str| format!("{domain}&token={token}");
    let refused = test_server.post("/scan", FORM, &fill("domain=%3Cscript%3Ex")).await;
    assert_eq!(refused.status, 400);
    assert!(
        refused.text().contains("role=\"alert\"") && refused.text().contains("&lt;script&gt;x")
    );
    assert!(!refused.text().contains("<script>"));

    let silent = test_server.post("/scan", FORM, &fill("domain=silent.com&unlisted=on")).await;
    assert_eq!(silent.status, 303);
    let shown = test_server.wait_for_scan(silent.header("location").unwrap()).await;
    assert_eq!(shown.status, 200);
    assert!(shown.text().contains("The name could not be looked up"), "{}", shown.text());
    assert_eq!(test_server.post("/scan", "application/json", "{}").await.status, 415);
    // Without a form of ours, nothing is scanned; nor for a page of another site.
    let without = test_server.post("/scan", FORM, "domain=silent.com").await;
    assert_eq!(without.status, 403);
    assert!(without.text().contains("This form has expired"));
    for header in ["Sec-Fetch-Site: cross-site\r\n", "Origin: https://other.example\r\n"] {
        let foreign =
            test_server.post_with("/scan", header, FORM, &fill("domain=silent.com")).await;
        assert_eq!((foreign.status, foreign.code().as_str()), (403, "forbidden"), "{header}");
    }
    let own = "Sec-Fetch-Site: same-origin\r\nOrigin: http://x\r\n";
    assert_eq!(
        test_server.post_with("/scan", own, FORM, &fill("domain=silent.com")).await.status,
        303
    );
    let large = format!("domain={}", "a".repeat(20_000));
    assert_eq!(test_server.post("/scan", FORM, &large).await.status, 413);
}

/// The progress of a scan is a stream of events that ends with the address to go to. Nobody finds a scan whose
/// id he does not know.
#[tokio::test]
async fn a_running_scan_can_be_watched_by_its_id_only() {
    let test_server = start().await;
    let token = test_server.form_token("/").await;
    let body = format!("domain=silent.com&unlisted=on&token={token}");
    let started = test_server.post("/scan", FORM, &body).await;
    let path = started.header("location").unwrap().to_owned();
    let id = path.strip_prefix("/scan/").unwrap();
    assert!(id.len() >= 26 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
    let events = test_server.server.get_stream(&format!("{path}/events")).await;
    assert!(events.contains("content-type: text/event-stream\r\n"), "{events}");
    assert!(!events.contains("content-encoding"), "{events}");
    assert!(events.contains(&format!("event: end\ndata: {path}\n")), "{events}");
    for unknown in
        ["/scan/aaaaaaaaaaaaaaaaaaaaaaaaaa", "/scan/..", "/scan/%00/events", "/scan/x/events"]
    {
        assert_eq!(test_server.get(unknown).await.status, 404, "{unknown}");
    }
}

#[tokio::test]
async fn the_preflight_form_answers_with_a_decision_or_the_reason_why_not() {
    let test_server = start().await;
    let ask = async |fields: &str| {
        let body = format!("{fields}&token={}", test_server.form_token("/preflight").await);
        test_server.post("/preflight", FORM, &body).await
    };
    let decided = ask("url=https%3A%2F%2Fkept.com%2Fa&action=read&agent=GPTBot").await;
    assert_eq!(decided.status, 200, "{}", decided.text());
    assert!(decided.text().contains("class=\"panel stack receipt"), "{}", decided.text());
    assert!(decided.text().contains("How we decided"));
    for (fields, status) in [
        ("url=&action=read", 400),
        ("url=http%3A%2F%2F127.0.0.1%2F&action=read", 400),
        ("url=https%3A%2F%2Fkept.com&action=fly", 400),
    ] {
        let refused = ask(fields).await;
        assert_eq!(refused.status, status, "{fields}");
        assert!(refused.text().contains("role=\"alert\""), "{fields}");
    }
    let without =
        test_server.post("/preflight", FORM, "url=https%3A%2F%2Fkept.com&action=read").await;
    assert_eq!(without.status, 403);
    let foreign =
        test_server.post_with("/preflight", "Sec-Fetch-Site: cross-site\r\n", FORM, "").await;
    assert_eq!((foreign.status, foreign.code().as_str()), (403, "forbidden"));
}

#[tokio::test]
async fn the_visitor_form_answers_with_a_verdict_or_the_reason_why_not() {
    let test_server = start().await;
    let checked = test_server.post("/visitor", FORM, "ua=GPTBot%2F1.3&ip=8.8.4.4").await;
    assert_eq!(checked.status, 200, "{}", checked.text());
    // No list was fetched here.
    assert!(checked.text().contains("Unverifiable") && checked.text().contains("How we checked"));
    let signed =
        "ua=x&ip=8.8.4.4&signature_input=sig1%3D()&signature=sig1%3D%3AAA%3D%3D%3A&host=a.example";
    assert_eq!(test_server.post("/visitor", FORM, signed).await.status, 200);
    for fields in ["", "ip=8.8.4.4", "ua=GPTBot&ip=8.8.4.4%3A443", "ua=GPTBot&ip=x"] {
        let refused = test_server.post("/visitor", FORM, fields).await;
        assert_eq!(refused.status, 400, "{fields}");
        assert!(refused.text().contains("role=\"alert\""), "{fields}");
    }
    let long = format!("ua={}", "x".repeat(9_000));
    assert_eq!(test_server.post("/visitor", FORM, &long).await.status, 400);
    assert_eq!(test_server.post("/visitor", "application/json", "{}").await.status, 415);
    let foreign =
        test_server.post_with("/visitor", "Sec-Fetch-Site: cross-site\r\n", FORM, "").await;
    assert_eq!((foreign.status, foreign.code().as_str()), (403, "forbidden"));
}
