//! `ADDRESS - USER [TIME] "REQUEST" STATUS BYTES "REFERER" "USER AGENT"`, and perhaps more behind it. The name
//! of the virtual host, or a list of forwarded addresses, may stand in front.

use memchr::{memchr, memchr2};

use super::cells::{conditional_by_status, dash_is_empty, parse_address, parse_status};
use super::log_text::{Coding, LogText};
use super::request::{LogRequest, RequestLine, WrittenTime};

pub(super) fn parse(line: &[u8]) -> Option<LogRequest<'_>> {
    let (first, rest) = split_word(line);
    let address = match parse_address(first) {
        Some(address) => address,
        None => parse_address(split_word(rest).0)?,
    };
    let (before, rest) = split_at(rest, b'"')?;
    let (request, rest) = quoted(rest)?;
    let (between, rest) = split_at(rest, b'"')?;
    let status = parse_status(split_word(between.trim_ascii_start()).0);
    let (_referer, rest) = quoted(rest)?;
    let (_, rest) = split_at(rest, b'"')?;
    let (user_agent, _) = quoted(rest)?;
    Some(LogRequest {
        address,
        time: WrittenTime::Bracketed(before),
        line: RequestLine::Whole(request),
        status,
        user_agent: LogText::new(dash_is_empty(user_agent), Coding::Backslashes),
        is_conditional: conditional_by_status(status),
    })
}

/// The text up to the first space, and the text behind it.
fn split_word(text: &[u8]) -> (&[u8], &[u8]) {
    split_at(text, b' ').unwrap_or((text, b""))
}

fn split_at(text: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr(byte, text)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// A text up to its closing quotation mark, and what stands behind that.
fn quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        if text.get(at) == Some(&b'"') {
            return Some((text.get(..at)?, text.get(at + 1..)?));
        }
        // The escaped character cannot end the text.
        at += 2;
    }
}
