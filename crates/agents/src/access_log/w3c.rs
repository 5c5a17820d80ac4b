//! The W3C extended format: a `#Fields:` line names the columns. IIS separates them by spaces, CloudFront by
//! tabs.

use std::net::IpAddr;

use memchr::memchr_iter;

use super::cells::{conditional_by_status, dash_is_empty, parse_address, parse_status};
use super::log_text::{Coding, LogText};
use super::request::{LogRequest, RequestLine, WrittenTime};

/// More columns than any server writes.
const MAX_COLUMNS: usize = 128;

/// The places of the columns that are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Columns {
    date: Option<usize>,
    time: Option<usize>,
    address: Option<usize>,
    forwarded: Option<usize>,
    method: Option<usize>,
    path: Option<usize>,
    query: Option<usize>,
    status: Option<usize>,
    user_agent: Option<usize>,
}

impl Columns {
    /// The columns that a line names, if it is one that does.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let names = line.strip_prefix(b"#Fields:")?;
        let mut columns = Self::default();
        let names = names.split(u8::is_ascii_whitespace).filter(|name| !name.is_empty());
        for (at, name) in names.enumerate().take(MAX_COLUMNS) {
            let place = match name.to_ascii_lowercase().as_slice() {
                b"date" => &mut columns.date,
                b"time" => &mut columns.time,
                b"c-ip" => &mut columns.address,
                b"x-forwarded-for" | b"cs(x-forwarded-for)" => &mut columns.forwarded,
                b"cs-method" => &mut columns.method,
                b"cs-uri-stem" | b"cs-uri" => &mut columns.path,
                b"cs-uri-query" => &mut columns.query,
                b"sc-status" => &mut columns.status,
                b"cs(user-agent)" => &mut columns.user_agent,
                _ => continue,
            };
            place.get_or_insert(at);
        }
        (columns.address.is_some() && columns.user_agent.is_some()).then_some(columns)
    }

    pub(super) fn request<'a>(&self, line: &'a [u8]) -> Option<LogRequest<'a>> {
        let has_tabs = memchr::memchr(b'\t', line).is_some();
        let (separator, coding) =
            if has_tabs { (b'\t', Coding::Percent) } else { (b' ', Coding::Plus) };
        let mut cells: [&[u8]; MAX_COLUMNS] = [b""; MAX_COLUMNS];
        let mut start = 0;
        let ends = memchr_iter(separator, line).chain(std::iter::once(line.len()));
        for (cell, end) in cells.iter_mut().zip(ends) {
            *cell = line.get(start..end).unwrap_or_default();
            start = end + 1;
        }
        let cell = |at: Option<usize>| {
            let cell = at.and_then(|at| cells.get(at).copied()).unwrap_or_default();
            dash_is_empty(cell)
        };
        let status = parse_status(cell(self.status));
        Some(LogRequest {
            address: self.address(cell(self.address), cell(self.forwarded))?,
            time: WrittenTime::DateAndTime(cell(self.date), cell(self.time)),
            line: RequestLine::Columns {
                method: LogText::new(cell(self.method), Coding::Plain),
                // The path is written as it came.
                target: LogText::new(cell(self.path), Coding::Plain),
                query: cell(self.query),
            },
            status,
            user_agent: LogText::new(cell(self.user_agent), coding),
            is_conditional: conditional_by_status(status),
        })
    }

    /// CloudFront's own column for forwarded addresses is what the visitor claims, so the address of the
    /// connection counts. Servers behind a load balancer see only the balancer: there, the operator logs the
    /// forwarded address as a header.
    fn address(&self, connection: &[u8], forwarded: &[u8]) -> Option<IpAddr> {
        let address = parse_address(connection)?;
        let is_inside = match address {
            IpAddr::V4(address) => address.is_private() || address.is_loopback(),
            IpAddr::V6(address) => address.is_unique_local() || address.is_loopback(),
        };
        if !is_inside {
            return Some(address);
        }
        // The nearest forwarded address is the one that the balancer itself saw.
        let nearest = forwarded.rsplit(|byte| matches!(byte, b',' | b'+' | b' ')).next();
        Some(nearest.and_then(parse_address).unwrap_or(address))
    }
}
