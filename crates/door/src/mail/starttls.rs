//! The first lines of a connection that begins in the clear: greeting, EHLO and STARTTLS (RFC 3207).
//!
//! Not done by the SMTP client, because what somebody puts behind the answer to STARTTLS would be read by it
//! as if it had come encrypted.

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::error::MailError;

/// The longest answer in the clear.
const MAX_REPLY_BYTES: usize = 4 * 1024;

/// Asks for TLS. Afterwards the next byte on the stream is TLS. Returns the server's greeting.
pub(super) async fn begin_tls<S>(stream: &mut S, hello: &str) -> Result<Bytes, MailError>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let greeting = read_reply(stream, 220).await?;
    write_line(stream, &format!("EHLO {hello}\r\n")).await?;
    let extensions = read_reply(stream, 250).await?;
    if !offers_starttls(&extensions) {
        return Err(MailError::NoStartTls);
    }
    write_line(stream, "STARTTLS\r\n").await?;
    read_reply(stream, 220).await?;
    Ok(greeting)
}

async fn write_line<S: AsyncWrite + Unpin>(stream: &mut S, line: &str) -> Result<(), MailError> {
    stream.write_all(line.as_bytes()).await.map_err(|_| MailError::Exchange)
}

/// Reads one answer with this status. More than one answer at once is an error: nothing was asked that it
/// could answer.
async fn read_reply<S: AsyncRead + Unpin>(stream: &mut S, status: u16) -> Result<Bytes, MailError> {
    let mut reply = Vec::new();
    loop {
        if let Some((given, length)) = parse_reply(&reply)? {
            return match given == status {
                true if length == reply.len() => Ok(reply.into()),
                true => Err(MailError::Exchange),
                false => Err(MailError::Refused(given)),
            };
        }
        if reply.len() >= MAX_REPLY_BYTES {
            return Err(MailError::Exchange);
        }
        let mut part = [0; 1024];
        match stream.read(&mut part).await {
            Ok(length @ 1..) => reply.extend(part.iter().take(length)),
            _ => return Err(MailError::Exchange),
        }
    }
}

/// The status of the first whole answer, and its length. `None` if it is not complete yet.
fn parse_reply(bytes: &[u8]) -> Result<Option<(u16, usize)>, MailError> {
    let mut length = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if !line.ends_with(b"\n") {
            return Ok(None);
        }
        length += line.len();
        let (status, rest) = line.split_at_checked(3).ok_or(MailError::Exchange)?;
        if !status.iter().all(u8::is_ascii_digit) {
            return Err(MailError::Exchange);
        }
        match rest.first() {
            Some(b'-') => {}
            Some(b' ' | b'\r' | b'\n') => {
                let number = |sum: u16, digit: &u8| sum * 10 + u16::from(digit - b'0');
                return Ok(Some((status.iter().fold(0, number), length)));
            }
            _ => return Err(MailError::Exchange),
        }
    }
    Ok(None)
}

fn offers_starttls(reply: &[u8]) -> bool {
    let mut lines = reply.split(|byte| *byte == b'\n').filter_map(|line| line.get(4..));
    lines.any(|word| word.trim_ascii().eq_ignore_ascii_case(b"STARTTLS"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of a server that says this, answer by answer.
    async fn begin(replies: &[&'static str]) -> Result<Bytes, MailError> {
        let (mut ours, mut theirs) = tokio::io::duplex(64 * 1024);
        let replies = replies.to_vec();
        let server = tokio::spawn(async move {
            for reply in replies {
                theirs.write_all(reply.as_bytes()).await.unwrap();
                let mut asked = [0; 256];
                if theirs.read(&mut asked).await.unwrap_or(0) == 0 {
                    return;
                }
            }
        });
        let begun = begin_tls(&mut ours, "svc.example").await;
        drop(ours);
        server.await.unwrap();
        begun
    }

    #[tokio::test]
    async fn tls_begins_after_the_answer_to_starttls() {
        let hello = "250-mail.example\r\n250-SIZE 1000\r\n250-STARTTLS\r\n250 HELP\r\n";
        let greeting = begin(&["220-mail\r\n220 ready\r\n", hello, "220 go\r\n"]).await.unwrap();
        assert_eq!(greeting, "220-mail\r\n220 ready\r\n");
        for (replies, wanted) in [
            (vec!["220 ready\r\n", "250 mail.example\r\n"], "does not offer STARTTLS"),
            (vec!["220 ready\r\n", "250 STARTTLSX\r\n"], "does not offer STARTTLS"),
            (vec!["220 ready\r\n", hello, "454 not now\r\n"], "status 454"),
            (vec!["554 go away\r\n"], "status 554"),
            // What is put behind the answer in the clear is not taken for an encrypted answer.
            (vec!["220 ready\r\n", hello, "220 go\r\n250 injected\r\n"], "not SMTP"),
            (vec!["220 ready\r\n250 too early\r\n"], "not SMTP"),
            (vec!["HTTP/1.1 400 Bad Request\r\n"], "not SMTP"),
            (vec!["22\n"], "not SMTP"),
            (vec!["220_x\r\n"], "not SMTP"),
        ] {
            let error = begin(&replies).await.unwrap_err().to_string();
            assert!(error.contains(wanted), "{replies:?}: {error}");
        }
    }

    #[tokio::test]
    async fn an_endless_answer_is_cut() {
        let endless = "220-more\r\n".repeat(MAX_REPLY_BYTES / 8).leak();
        assert!(matches!(begin(&[endless]).await, Err(MailError::Exchange)));
        let long = "2".repeat(MAX_REPLY_BYTES + 10).leak();
        assert!(matches!(begin(&[long]).await, Err(MailError::Exchange)));
    }
}
