//! The connection to the mail server: encrypted, with a password, and when it is down.

use super::*;

/// A certificate for 127.0.0.1, signed by itself.
fn certificate(folder: &tempfile::TempDir) -> (String, String) {
    let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    (write("cert.pem", made.cert.pem()), write("key.pem", made.signing_key.serialize_pem()))
}

#[test]
fn mails_go_over_tls_with_a_password() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = certificate(&folder);
    let password = folder.path().join("password");
    std::fs::write(&password, "two words\n").unwrap();
    let tls = ["--certificate", &certificate, "--key", &key, "--login", "ada", "two words"];
    for (security, implicit) in [("starttls", None), ("tls", Some("--implicit"))] {
        let arguments: Vec<&str> = tls.iter().copied().chain(implicit).collect();
        let Some(mails) = MailServer::start(&arguments) else { return };
        let login = [
            "--mail-security",
            security,
            "--mail-user",
            "ada",
            "--mail-password-file",
            password.to_str().unwrap(),
        ];
        let trusted = [&login[..], &["--network-extra-ca", &certificate]].concat();
        let offering = Offering::start(mails.port, &trusted);
        offering.take("eve@mail.lab");
        let mail = mails.wait_for(1);
        assert_eq!(
            (&mail["encrypted"], &mail["login"]),
            (&json!(true), &json!(true)),
            "{security}"
        );
        assert_eq!(mail["to"], json!(["eve@mail.lab"]));
        assert!(!offering.log().contains("two words"), "the password is not logged");

        // A certificate that nobody vouches for: the password is not sent.
        let strangers = Offering::start(mails.port, &login);
        strangers.take("eve@mail.lab");
        strangers.wait_for_mails("failed", 1);
        let log = strangers.log();
        assert!(log.contains("TLS with the mail server failed"), "{security}");
        assert!(!log.contains("eve@"));
        assert_eq!(mails.received().len(), 1);
    }
}

#[test]
fn a_server_that_offers_no_encryption_gets_no_mail() {
    let Some(mails) = MailServer::start(&[]) else { return };
    let offering = Offering::start(mails.port, &["--mail-security", "starttls"]);
    offering.take("ada@mail.lab");
    offering.wait_for_mails("failed", 1);
    assert!(offering.log().contains("does not offer STARTTLS"));
    assert!(mails.received().is_empty());
}

#[test]
fn a_mail_waits_for_a_server_that_is_down() {
    // A port that is free now.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let offering = Offering::start(port, &["--mail-security", "none"]);
    offering.take("zoequill@mail.lab");
    offering.wait_for_mails("failed", 1);
    let log = offering.log();
    assert!(log.contains("no connection to the mail server"), "{log}");
    assert!(!log.contains("zoequill"), "the mailbox is not logged");
    let Some(mails) = MailServer::start(&["--port", &port.to_string()]) else { return };
    let mail = mails.wait_for(1);
    assert_eq!(offering.server.get(&link_path(&mail)).status, 200);
    offering.wait_for_mails("sent", 1);
}

#[test]
fn settings_that_cannot_work_stop_the_start_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    let start = |arguments: &[&str]| {
        let output = wayleave()
            .args(["serve", "--server-listen", "127.0.0.1:0", "--store-data-dir", &data])
            .args(["--access-free-keys", "true"])
            .args(arguments)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let base = ["--server-base-url", "https://svc.example"];
    let mail = ["--mail-host", "mail.example", "--mail-from", "keys@svc.example"];
    let all = [&base[..], &mail].concat();
    for (arguments, named) in [
        (vec![], "server.base_url is not set"),
        (base.to_vec(), "mail.host is not set"),
        ([&all[..], &["--mail-security", "none"]].concat(), "to this machine only"),
        ([&all[..], &["--mail-user", "ada"]].concat(), "there is no password"),
        (
            [&all[..], &["--mail-user", "ada", "--mail-password-file", "/nowhere"]].concat(),
            "/nowhere cannot be read",
        ),
        ([&base[..], &mail[..2], &["--mail-from", "keys"]].concat(), "not a mail address"),
        (
            [&all[..], &["--access-refused-mail-domains-file", "/nowhere"]].concat(),
            "access.refused_mail_domains_file",
        ),
    ] {
        let error = start(&arguments);
        assert!(error.contains(named), "{arguments:?}: {error}");
    }
}
