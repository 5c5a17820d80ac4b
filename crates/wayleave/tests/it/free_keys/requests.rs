//! What is accepted as a request, and how often.

use super::*;
use crate::utc_day::wait_if_day_ends_within;

#[test]
fn what_is_not_one_mail_address_is_refused_and_nothing_is_sent() {
    let Some(mails) = MailServer::start(&[]) else { return };
    let offering = Offering::start(mails.port, &["--mail-security", "none"]);
    let long = format!("{}@mail.lab", "a".repeat(10_000));
    for mailbox in [
        "",
        "ada",
        "ada@",
        "ada@mail",
        "ada@127.0.0.1",
        "ada@mail.lab\r\nBcc: eve@mail.lab",
        "ada@mail.lab\n",
        "ada\u{0}@mail.lab",
        "ada@mail.lab, eve@mail.lab",
        "ada@mail.lab,eve@mail.lab",
        "ada@mail.lab eve@mail.lab",
        "<ada@mail.lab>",
        "Ada <ada@mail.lab>",
        "\"ada\"@mail.lab",
        "eve%mail.lab@relay.lab",
        &long,
    ] {
        let reply = offering.request(mailbox);
        assert_eq!(reply.status, 400, "{mailbox:.60?}: {}", reply.text());
        assert_eq!(reply.error_code(), "bad_request");
        assert_eq!(reply.json()["param"], "email");
    }
    for (body, status, code) in [
        ("{}", 400, "bad_request"),
        ("[]", 400, "bad_request"),
        (r#"{"email":["a@mail.lab","b@mail.lab"]}"#, 400, "bad_request"),
        (r#"{"email":null}"#, 400, "bad_request"),
        (r#"{"email":"a@mail.lab","name":"x"}"#, 400, "unknown_field"),
        (r#"{"email":"a@mail.lab","email":"b@mail.lab"}"#, 400, "bad_request"),
        ("email=a@mail.lab", 400, "bad_request"),
    ] {
        let reply = offering.server.post_with(PATH, "", body);
        assert_eq!((reply.status, reply.error_code().as_str()), (status, code), "{body}");
    }
    assert_eq!(offering.server.get(PATH).status, 405);
    // The only mail is that of the request that is right.
    offering.take("ada@bücher.lab");
    let mail = mails.wait_for(1);
    assert_eq!(mail["to"], json!(["ada@xn--bcher-kva.lab"]));
    assert_eq!(mails.received().len(), 1);
    assert!(!offering.log().contains("ada@"), "no mail address is logged");
}

#[test]
fn a_mailbox_gets_one_mail_and_the_answer_does_not_tell() {
    let Some(mails) = MailServer::start(&[]) else { return };
    let offering = Offering::start(mails.port, &["--mail-security", "none"]);
    let body = |mailbox: &str| {
        let reply = offering.request(mailbox);
        assert_eq!(reply.status, 202);
        reply.body
    };
    let first = body("ada@mail.lab");
    mails.wait_for(1);
    for again in ["ada@mail.lab", "A.D.A+two@MAIL.lab", "never-seen@mail.lab"] {
        assert_eq!(body(again), first, "{again}");
    }
    offering.wait_for_mails("withheld", 2);
    offering.wait_for_mails("sent", 2);
    let mail = mails.wait_for(2);
    assert_eq!(mail["to"], json!(["never-seen@mail.lab"]));
    assert_eq!((mails.received().len(), offering.mails("sent")), (2, 2));
}

#[test]
fn an_address_can_ask_once_a_day() {
    wait_if_day_ends_within(Duration::from_secs(120));
    let Some(mails) = MailServer::start(&[]) else { return };
    let offering = Offering::start_with_limits(mails.port, &["--mail-security", "none"]);
    assert_eq!(offering.request("not one").status, 400, "it does not count");
    offering.take("ada@mail.lab");
    for mailbox in ["eve@mail.lab", "ada@mail.lab"] {
        let refused = offering.request(mailbox);
        assert_eq!((refused.status, refused.error_code().as_str()), (429, "rate_limited"));
        let wait: u32 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=86_400).contains(&wait), "{wait}");
    }
    mails.wait_for(1);
    assert_eq!(mails.received().len(), 1);
}

#[test]
fn refused_domains_get_no_mail() {
    let Some(mails) = MailServer::start(&[]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("names");
    std::fs::write(&file, "# disposable\nburner.lab\n\nB\u{fc}cher.lab # in any script\n").unwrap();
    let file = file.to_str().unwrap();
    let lists = [
        "--access-refused-mail-domains",
        "throwaway.lab",
        "--access-refused-mail-domains-file",
        file,
    ];
    let arguments = [&["--mail-security", "none"][..], &lists].concat();
    let offering = Offering::start(mails.port, &arguments);
    for mailbox in [
        "a@throwaway.lab",
        "a@x.THROWAWAY.lab",
        "a@burner.lab",
        "a@bücher.lab",
        "a@xn--bcher-kva.lab",
    ] {
        let refused = offering.request(mailbox);
        assert_eq!((refused.status, refused.error_code().as_str()), (400, "bad_request"));
        assert!(refused.text().contains("Use another mail address"), "{}", refused.text());
    }
    offering.take("a@notthrowaway.lab");
    assert_eq!(mails.wait_for(1)["to"], json!(["a@notthrowaway.lab"]));
}

#[test]
fn the_form_of_the_page_sends_a_link() {
    let Some(mails) = MailServer::start(&[]) else { return };
    let offering = Offering::start(mails.port, &["--mail-security", "none"]);
    let server = &offering.server;
    let page = server.get_with("/keys/free", "accept: text/html\r\n");
    assert_eq!((page.status, page.header("cache-control")), (200, Some("no-store")));
    let text = page.text();
    let (_, rest) = text.split_once("name=\"token\" value=\"").unwrap();
    let token = rest.split('"').next().unwrap();
    let form = Some("application/x-www-form-urlencoded");
    let send = |token: &str, mailbox: &str| {
        let body = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("token", token)
            .append_pair("email", mailbox)
            .finish();
        server.post("/keys/free", form, body.as_bytes())
    };
    assert_eq!(send("", "ada@mail.lab").status, 403, "a form that we did not issue");
    let bad = send(token, "<b>@mail.lab\nx");
    assert_eq!(bad.status, 400);
    assert!(bad.text().contains("not one mail address") && !bad.text().contains("<b>@"));
    let sent = send(token, " ada@mail.lab ");
    assert_eq!(sent.status, 200);
    assert!(sent.text().contains("Look into your mailbox"), "{}", sent.text());
    let mail = mails.wait_for(1);
    assert_eq!(server.get(&link_path(&mail)).status, 200);
}
