//! Reads visitors from an access log: the combined format of nginx and Apache, with what distributions put
//! around it, and the JSON of Caddy.

use std::io::{self, BufRead, Read};
use std::net::IpAddr;

use serde::Deserialize;

/// The longest line that is read.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// One line: who sent the request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct LogVisitor {
    pub(super) address: IpAddr,
    pub(super) user_agent: String,
}

/// The lines of a log. Those that cannot be read are `None`.
pub(super) fn visitors(
    mut log: impl BufRead,
) -> impl Iterator<Item = io::Result<Option<LogVisitor>>> {
    let mut line = Vec::new();
    std::iter::from_fn(move || match next_line(&mut log, &mut line) {
        Ok(LineRead::End) => None,
        Ok(LineRead::Whole) => {
            Some(Ok(parse_line(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']))))
        }
        Ok(LineRead::TooLong) => Some(Ok(None)),
        Err(error) => Some(Err(error)),
    })
}

enum LineRead {
    End,
    Whole,
    /// Skipped to its end, so that no part of it is taken for a line.
    TooLong,
}

fn next_line(log: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<LineRead> {
    line.clear();
    let limit = MAX_LINE_BYTES as u64;
    if log.by_ref().take(limit).read_until(b'\n', line)? == 0 {
        return Ok(LineRead::End);
    }
    if line.len() < MAX_LINE_BYTES || line.ends_with(b"\n") {
        return Ok(LineRead::Whole);
    }
    loop {
        line.clear();
        let read = log.by_ref().take(limit).read_until(b'\n', line)?;
        if read == 0 || line.ends_with(b"\n") {
            return Ok(LineRead::TooLong);
        }
    }
}

fn parse_line(line: &str) -> Option<LogVisitor> {
    if line.starts_with('{') { parse_caddy(line) } else { parse_combined(line) }
}

/// `ADDRESS … "REQUEST" … "REFERER" "USER AGENT"`, and perhaps more behind it. The name of the virtual host may
/// stand before the address.
fn parse_combined(line: &str) -> Option<LogVisitor> {
    let mut words = line.split_ascii_whitespace();
    // Some logs begin with the forwarded addresses, of which the first is the client's.
    let first = words.next()?.trim_end_matches(',');
    let address = parse_address(first).or_else(|| parse_address(words.next()?))?;
    let user_agent = quoted_fields(line).nth(2)?;
    let user_agent = if user_agent == "-" { String::new() } else { user_agent };
    Some(LogVisitor { address, user_agent })
}

fn parse_address(word: &str) -> Option<IpAddr> {
    word.parse::<IpAddr>().ok().map(|address| address.to_canonical())
}

/// The quoted texts of a line, without their escapes: `\"` and `\\` of Apache, `\x22` of nginx.
fn quoted_fields(line: &str) -> impl Iterator<Item = String> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.get(rest.find('"')? + 1..)?;
        let mut field = String::new();
        let mut chars = rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    rest = rest.get(at + 1..)?;
                    return Some(field);
                }
                '\\' => match chars.next()?.1 {
                    'x' => {
                        let digits: String =
                            [chars.next()?.1, chars.next()?.1].into_iter().collect();
                        let code = u8::from_str_radix(&digits, 16).ok()?;
                        field.push(char::from(code));
                    }
                    escaped => field.push(escaped),
                },
                c => field.push(c),
            }
        }
        // Without its closing quotation mark.
        None
    })
}

#[derive(Deserialize)]
struct CaddyLine {
    request: CaddyRequest,
}

#[derive(Deserialize)]
struct CaddyRequest {
    /// Behind trusted proxies, the client's own address.
    client_ip: Option<String>,
    remote_ip: Option<String>,
    #[serde(default)]
    headers: std::collections::HashMap<String, Vec<String>>,
}

fn parse_caddy(line: &str) -> Option<LogVisitor> {
    let CaddyRequest { client_ip, remote_ip, mut headers } =
        serde_json::from_str::<CaddyLine>(line).ok()?.request;
    let address = parse_address(client_ip.or(remote_ip)?.as_str())?;
    let user_agent = headers.remove("User-Agent").unwrap_or_default();
    Some(LogVisitor { address, user_agent: user_agent.into_iter().next().unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(String, String)> {
        parse_line(line).map(|visitor| (visitor.address.to_string(), visitor.user_agent))
    }

    fn visitor(address: &str, user_agent: &str) -> Option<(String, String)> {
        Some((address.to_owned(), user_agent.to_owned()))
    }

    #[test]
    fn lines_of_the_common_servers_are_read() {
        let combined = r#"44.10.0.7 - - [16/Nov/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 12 "-" "GPTBot/1.3""#;
        assert_eq!(read(combined), visitor("44.10.0.7", "GPTBot/1.3"));
        // nginx as its own packages configure it: the forwarded address behind the user agent.
        let main = format!("{combined} \"203.0.113.9\"");
        assert_eq!(read(&main), visitor("44.10.0.7", "GPTBot/1.3"));
        let forwarded = combined.replacen("44.10.0.7", "44.10.0.7, 10.0.0.1", 1);
        assert_eq!(read(&forwarded), visitor("44.10.0.7", "GPTBot/1.3"));
        // Apache with the virtual host in front.
        let vhost = format!("shop.example:443 {combined}");
        assert_eq!(read(&vhost), visitor("44.10.0.7", "GPTBot/1.3"));
        let quoted = r#"::ffff:44.10.0.7 - bob [x] "GET /\"a HTTP/1.1" 200 12 "-" "a \"b\" c\\""#;
        assert_eq!(read(quoted), visitor("44.10.0.7", r#"a "b" c\"#));
        let nginx = r#"2001:db8::7 - - [x] "\x16\x03\x01" 400 0 "-" "a\x22b""#;
        assert_eq!(read(nginx), visitor("2001:db8::7", "a\"b"));
        let none = r#"44.10.0.7 - - [x] "GET / HTTP/1.1" 200 1 "-" "-""#;
        assert_eq!(read(none), visitor("44.10.0.7", ""));
        let caddy = r#"{"level":"info","request":{"remote_ip":"10.0.0.1","client_ip":"44.10.0.7","headers":{"User-Agent":["GPTBot/1.3"],"Accept":["*/*"]}},"status":200}"#;
        assert_eq!(read(caddy), visitor("44.10.0.7", "GPTBot/1.3"));
        for bad in [
            "",
            "x",
            "host - - \"a\" \"b\" \"c\"",
            "44.10.0.7 no quotes",
            "44.10.0.7",
            "\"",
            r#"44.10.0.7 - - [x] "GET / HTTP/1.1" 200 1"#,
            r#"44.10.0.7 - - [x] "GET / HTTP/1.1" 200 1 "-" "open"#,
            r#"44.10.0.7 "a" "b" "\xzz""#,
            "{}",
            r#"{"request":{"headers":{}}}"#,
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn no_part_of_a_long_line_is_taken_for_a_line() {
        let line = r#"44.10.0.7 - - [x] "GET / HTTP/1.1" 200 1 "-" "GPTBot/1.3""#;
        let log = format!("{}{line}\n{line}\n{line}", "x".repeat(MAX_LINE_BYTES));
        let found: Vec<_> = visitors(log.as_bytes()).map(|one| one.unwrap().is_some()).collect();
        assert_eq!(found, [false, true, true]);
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_read_without_a_panic(line in ".*") {
            let _ = parse_line(&line);
        }
    }
}
