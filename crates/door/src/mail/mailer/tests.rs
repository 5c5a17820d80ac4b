use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use super::*;
use crate::mail::MailLogin;

fn settings(port: u16) -> MailSettings {
    MailSettings {
        host: "127.0.0.1".to_owned(),
        port,
        security: MailSecurity::None,
        login: None,
        from: "Wayleave <keys@svc.example>".to_owned(),
        extra_ca: Vec::new(),
    }
}

fn mail(to: &str) -> OutgoingMail<'_> {
    let date = Timestamp::from_millis(1_790_000_000_000);
    OutgoingMail { to, subject: "Your key", text: "One line.\r\n.\r\nMore.\r\n", date, id: "id-1" }
}

/// A mail server that answers `RCPT` with this line, and returns everything that it was told.
async fn server(recipient_reply: &'static str) -> (u16, tokio::task::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let told = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = BufReader::new(stream);
        let (mut told, mut in_message) = (String::new(), false);
        stream.write_all(b"220 mail.example ready\r\n").await.unwrap();
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
                return told;
            }
            told.push_str(&line);
            let reply = match line.get(..4) {
                _ if in_message && line == ".\r\n" => "250 queued\r\n",
                _ if in_message => continue,
                Some("EHLO") => "250-mail.example\r\n250 AUTH PLAIN\r\n",
                Some("AUTH") => "235 welcome\r\n",
                Some("RCPT") => recipient_reply,
                Some("DATA") => "354 go on\r\n",
                Some("QUIT") => "221 bye\r\n",
                _ => "250 ok\r\n",
            };
            in_message = reply.starts_with("354");
            stream.write_all(reply.as_bytes()).await.unwrap();
        }
    });
    (port, told)
}

#[tokio::test]
async fn a_mail_is_delivered_with_its_headers() {
    let (port, told) = server("250 ok\r\n").await;
    let login = MailLogin { user: "ada".to_owned(), password: "secret words".to_owned() };
    let mailer = Mailer::new(MailSettings { login: Some(login), ..settings(port) }).unwrap();
    assert!(!format!("{mailer:?}").contains("secret words"), "{mailer:?}");
    mailer.send(&mail("ada+wl@shop.example")).await.unwrap();
    let told = told.await.unwrap();
    for line in [
        "EHLO svc.example",
        "AUTH PLAIN AGFkYQBzZWNyZXQgd29yZHM=",
        "MAIL FROM:<keys@svc.example>",
        "RCPT TO:<ada+wl@shop.example>",
        "From: Wayleave <keys@svc.example>",
        "To: ada+wl@shop.example",
        "Subject: Your key",
        "Date: Mon, 21 Sep 2026 14:13:20 +0000",
        "Message-ID: <id-1@svc.example>",
        "Auto-Submitted: auto-generated",
        "One line.",
        // A line with a dot alone does not end the message.
        "..",
        "More.",
        "QUIT",
    ] {
        assert!(told.lines().any(|had| had == line), "{line}: {told}");
    }
    assert!(told.contains("\r\nContent-Type: text/plain; charset=utf-8\r\n"), "{told}");
}

#[tokio::test]
async fn a_refusal_names_the_status_and_not_the_recipient() {
    for (reply, temporary) in
        [("550 no ada@shop.example here\r\n", false), ("451 ada@shop.example later\r\n", true)]
    {
        let (port, _told) = server(reply).await;
        let error = Mailer::new(settings(port)).unwrap().send(&mail("ada@shop.example")).await;
        let error = error.unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(shown.contains(reply.get(..3).unwrap()) && !shown.contains("ada"), "{shown}");
        assert_eq!(error.is_temporary(), temporary);
    }
}

#[tokio::test]
async fn an_answer_without_end_is_cut_and_a_closed_port_is_told() {
    let (port, _told) = server(Box::leak("250-x\r\n".repeat(20_000).into_boxed_str())).await;
    let error = Mailer::new(settings(port)).unwrap().send(&mail("ada@shop.example")).await;
    assert!(matches!(error, Err(MailError::Exchange)), "{error:?}");
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let error = Mailer::new(settings(free)).unwrap().send(&mail("ada@shop.example")).await;
    assert!(matches!(error, Err(MailError::Connect(_))), "{error:?}");
}

#[tokio::test]
async fn a_recipient_is_one_plain_address() {
    let mailer = Mailer::new(settings(1)).unwrap();
    for to in [
        "",
        "ada",
        "ada@shop.example, eve@shop.example",
        "ada@shop.example,eve@shop.example",
        "Ada <ada@shop.example>",
        "<ada@shop.example>",
        "ada@shop.example\r\nBcc: eve@shop.example",
        "ada@shop.example\n",
        " ada@shop.example",
    ] {
        let sent = mailer.send(&mail(to)).await;
        assert!(matches!(sent, Err(MailError::Message)), "{to:?}: {sent:?}");
    }
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let refused = |settings: MailSettings| Mailer::new(settings).map(|_| ()).unwrap_err();
    for host in ["mail.example", "192.0.2.1", "localhost.example"] {
        let remote = MailSettings { host: host.to_owned(), ..settings(25) };
        assert_eq!(refused(remote), MailSettingsError::NotLoopback, "{host}");
    }
    for host in ["localhost", "LOCALHOST", "127.0.0.9", "::1", "[::1]"] {
        assert!(Mailer::new(MailSettings { host: host.to_owned(), ..settings(25) }).is_ok());
    }
    for host in ["", "a b", "mail.example/x"] {
        let bad = MailSettings { host: host.to_owned(), ..settings(25) };
        assert_eq!(refused(bad), MailSettingsError::Host, "{host}");
    }
    for from in ["", "keys", "keys@", "a@b.example, c@d.example", "a@b.example\r\nBcc: c@d.example"]
    {
        let bad = MailSettings { from: from.to_owned(), ..settings(25) };
        assert_eq!(refused(bad), MailSettingsError::From, "{from}");
    }
}
