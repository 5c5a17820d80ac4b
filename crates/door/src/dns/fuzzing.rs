//! Entry points for the fuzz targets.

use std::net::{IpAddr, SocketAddr};

use contract::NamePolicy;
use contract::evidence::DnsAnswer;

use super::cname_chase::CnameChase;
use super::message::Question;
use super::{RecordType, check_name, resolv_conf, to_recorded_text};

/// What was read from a packet.
#[derive(Debug)]
pub struct ParsedDnsAnswer {
    pub record: DnsAnswer,
    pub addresses: Vec<IpAddr>,
}

/// Reads a packet as the answer to a question about `name`; `None` if it does not answer it.
#[must_use]
pub fn parse_dns_answer(
    name: &str,
    kind: RecordType,
    id: u16,
    packet: &[u8],
    (max_records, max_cnames): (usize, usize),
    names: &NamePolicy,
) -> Option<ParsedDnsAnswer> {
    let name = check_name(name, names).ok()?;
    let message = Question { id, name: name.clone(), kind }.decode(packet)?;
    let mut chase = CnameChase::new(name, kind, max_records, max_cnames);
    chase.accept_reply(Ok(message), names);
    let answer = chase.into_answer();
    Some(ParsedDnsAnswer { record: answer.record, addresses: answer.addresses })
}

/// The text of a name as it is recorded; `None` if it may not be looked up.
#[must_use]
pub fn parse_name(text: &str, names: &NamePolicy) -> Option<String> {
    Some(to_recorded_text(&check_name(text, names).ok()?))
}

/// The name servers of a `resolv.conf`.
#[must_use]
pub fn parse_name_servers(text: &str) -> Vec<SocketAddr> {
    resolv_conf::parse_name_servers(text)
}
