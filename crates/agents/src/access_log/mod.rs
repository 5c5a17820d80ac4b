//! Lines of access logs, as web servers write them: the combined format of nginx and Apache with what
//! distributions put around it, the JSON of Caddy, and the W3C extended format of IIS and CloudFront.
//!
//! A line is split without being copied: texts are decoded when somebody asks for them. Which format a line
//! has is decided for each line, because logs of several servers are often joined.

mod caddy;
mod combined;
mod log_text;
mod log_time;
#[cfg(test)]
mod tests;
mod w3c;

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr};

pub use log_text::LogText;

/// One request of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct LogRequest<'a> {
    pub address: IpAddr,
    /// Seconds since 1970; `None` if the line has no time that can be read.
    pub unix_seconds: Option<i64>,
    pub method: LogText<'a>,
    /// The path, with its query unless the log has a column of its own for that.
    pub target: LogText<'a>,
    /// The query, if the log has a column for it.
    pub query: &'a [u8],
    pub status: Option<u16>,
    /// Empty if the visitor sent none.
    pub user_agent: LogText<'a>,
    /// Whether the visitor asked for the page only if it changed. Most logs do not have the header: there a
    /// status of 304 shows it, and other statuses show nothing.
    pub is_conditional: Option<bool>,
}

/// What a line is.
#[derive(Debug, Clone, PartialEq)]
pub enum LogLine<'a> {
    Request(LogRequest<'a>),
    /// A line about the log, or an empty one.
    Comment,
    /// In no format that is known.
    Unreadable,
}

/// Reads the lines of one log, in their order: the W3C format names its columns in a line of its own.
#[derive(Debug, Clone, Default)]
pub struct LogParser {
    columns: Option<w3c::Columns>,
}

impl LogParser {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Parses a line, with or without its end.
    pub fn parse<'a>(&mut self, line: &'a [u8]) -> LogLine<'a> {
        let line = trim_end(line);
        let request = match line.first() {
            None => return LogLine::Comment,
            Some(b'#') => {
                if let Some(columns) = w3c::Columns::parse(line) {
                    self.columns = Some(columns);
                }
                return LogLine::Comment;
            }
            Some(b'{') => caddy::parse(line),
            Some(_) => {
                let by_columns = self.columns.as_ref().and_then(|columns| columns.request(line));
                by_columns.or_else(|| combined::parse(line))
            }
        };
        request.map_or(LogLine::Unreadable, LogLine::Request)
    }
}

fn trim_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// An address, without the port that some servers write behind it.
fn parse_address(word: &[u8]) -> Option<IpAddr> {
    if let Some(address) = parse_ipv4(word) {
        return Some(IpAddr::V4(address));
    }
    const LONGEST: usize = 64;
    let text = std::str::from_utf8(word.get(..word.len().min(LONGEST))?).ok()?;
    let text = text.trim_end_matches(',');
    let without_port = || text.parse::<std::net::SocketAddr>().ok().map(|socket| socket.ip());
    text.parse().ok().or_else(without_port).map(|address: IpAddr| address.to_canonical())
}

/// Four decimal numbers. Most addresses of a log are of this kind.
fn parse_ipv4(word: &[u8]) -> Option<Ipv4Addr> {
    let mut octets = [0_u8; 4];
    let mut octets_left = octets.iter_mut();
    let (mut number, mut digits) = (0_u16, 0);
    for &byte in word {
        match byte {
            // A leading zero would be read as octal by some.
            b'0'..=b'9' if digits < 3 && !(digits == 1 && number == 0) => {
                number = number * 10 + u16::from(byte - b'0');
                digits += 1;
            }
            b'.' if digits > 0 => {
                *octets_left.next()? = u8::try_from(number).ok()?;
                (number, digits) = (0, 0);
            }
            _ => return None,
        }
    }
    if digits == 0 {
        return None;
    }
    *octets_left.next()? = u8::try_from(number).ok()?;
    octets_left.next().is_none().then(|| Ipv4Addr::from(octets))
}

fn parse_status(word: &[u8]) -> Option<u16> {
    match word {
        [a @ b'1'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9'] => {
            Some(u16::from(a - b'0') * 100 + u16::from(b - b'0') * 10 + u16::from(c - b'0'))
        }
        _ => None,
    }
}

/// Logs that do not have the header show a conditional request only by the answer to it.
fn conditional_by_status(status: Option<u16>) -> Option<bool> {
    (status == Some(304)).then_some(true)
}

/// A dash stands for nothing.
fn dash_is_empty(text: &[u8]) -> &[u8] {
    if text == b"-" { b"" } else { text }
}

impl LogRequest<'_> {
    /// Path and query as the visitor sent them.
    #[must_use]
    pub fn path_and_query(&self) -> Cow<'_, [u8]> {
        let target = self.target.decode();
        if self.query.is_empty() {
            return target;
        }
        Cow::Owned([&*target, b"?", self.query].concat())
    }
}
