//! Answers a query from the zone. Pure, except for names that alternate between addresses.

use std::net::{IpAddr, Ipv4Addr};

use hickory_proto::{
    op::{Edns, Message, MessageType, Metadata, OpCode, Query, ResponseCode},
    rr::{
        Name, RData, Record, RecordType,
        rdata::{CNAME, PTR, SOA, TXT},
    },
};

use super::zone::{Zone, ZoneEntry};
use crate::dns_entry::EntryData;
use crate::reverse_dns::{forward_zones, is_special};

/// A reply, when to send it, and the addresses in it.
#[derive(Debug)]
pub(super) struct PreparedReply {
    pub(super) bytes: Vec<u8>,
    pub(super) timing: ReplyTiming,
    /// The IPv4 addresses in the reply, which the client may dial next.
    pub(super) lab_addresses: Vec<Ipv4Addr>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplyTiming {
    Immediate,
    Late(u64),
    Silent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    Udp,
    Tcp,
}

/// Short, so that nobody caches the answers; 0 for names that alternate.
const TTL: u32 = 5;
const MAX_ALIASES: usize = 64;
const CLASSIC_UDP: u16 = 512;

/// `None` for messages that are not queries: a name server does not answer responses.
pub(super) fn prepare_reply(
    zone: &Zone,
    query: &Message,
    transport: Transport,
) -> Option<PreparedReply> {
    if query.metadata.message_type != MessageType::Query {
        return None;
    }
    let mut reply = Message::new(query.metadata.id, MessageType::Response, OpCode::Query);
    reply.metadata = Metadata::response_from_request(&query.metadata);
    reply.metadata.recursion_available = true;
    if let Some(request_edns) = &query.edns {
        let mut edns = Edns::new();
        edns.set_dnssec_ok(request_edns.flags().dnssec_ok);
        edns.set_max_payload(1232);
        reply.set_edns(edns);
    }
    let mut manner = ReplyTiming::Immediate;
    let mut addresses = Vec::new();
    match query.queries.as_slice() {
        _ if query.metadata.op_code != OpCode::Query => {
            reply.metadata.response_code = ResponseCode::NotImp;
        }
        [question] => {
            reply.add_query(question.clone());
            let found = look_up(zone, question, transport);
            manner = found.timing;
            reply.metadata.response_code = found.code;
            reply.metadata.truncation = found.truncated;
            reply.metadata.authoritative = found.code != ResponseCode::Refused;
            let wants = query.metadata.authentic_data
                || query.edns.as_ref().is_some_and(|edns| edns.flags().dnssec_ok);
            reply.metadata.authentic_data = wants && found.signed;
            addresses = found.lab_addresses();
            if found.is_known_empty || (found.records.is_empty() && !found.truncated) {
                reply.add_authorities(start_of_authority(found.code, found.zone));
            }
            reply.add_answers(found.records);
        }
        _ => reply.metadata.response_code = ResponseCode::FormErr,
    }
    let mut bytes = reply.to_vec().ok()?;
    let limit = query.edns.as_ref().map_or(CLASSIC_UDP, |edns| edns.max_payload().max(CLASSIC_UDP));
    if transport == Transport::Udp && bytes.len() > usize::from(limit) {
        bytes = reply.truncate().to_vec().ok()?;
    }
    Some(PreparedReply { bytes, timing: manner, lab_addresses: addresses })
}

struct LookupResult {
    code: ResponseCode,
    /// The zone of the last name that was looked up.
    zone: &'static str,
    records: Vec<Record>,
    signed: bool,
    truncated: bool,
    /// Whether the name at the end of the aliases exists in the lab and has no such record.
    is_known_empty: bool,
    timing: ReplyTiming,
}

impl LookupResult {
    fn lab_addresses(&self) -> Vec<Ipv4Addr> {
        let addresses = self.records.iter().filter_map(|record| record.data.ip_addr());
        addresses
            .filter_map(|address| match address {
                IpAddr::V4(address) => Some(address),
                IpAddr::V6(_) => None,
            })
            .collect()
    }
}

fn look_up(zone: &Zone, question: &Query, transport: Transport) -> LookupResult {
    let mut found = LookupResult {
        code: ResponseCode::NoError,
        zone: "lab",
        records: Vec::new(),
        signed: true,
        truncated: false,
        is_known_empty: false,
        timing: ReplyTiming::Immediate,
    };
    let mut name = question.name().to_lowercase().to_ascii().trim_end_matches('.').to_owned();
    let mut passed: Vec<String> = Vec::new();
    loop {
        let Some(apex) = zone_of(&name) else {
            // An alias may point outside the lab, where nothing is known.
            found.code =
                if passed.is_empty() { ResponseCode::Refused } else { ResponseCode::NoError };
            found.signed = false;
            return found;
        };
        found.zone = apex;
        let wants_txt = question.query_type() == RecordType::TXT;
        let Some(entry) = zone.find(&name) else {
            let texts = zone.txt_records(&name);
            if !texts.is_empty() {
                found.signed &= zone.is_published_signed(&name);
                if wants_txt {
                    push_texts(&mut found.records, &name, texts);
                }
                return found;
            }
            if !zone.has_below(&name) {
                found.code = ResponseCode::NXDomain;
            }
            found.signed = false;
            return found;
        };
        found.signed &= entry.signed;
        match &entry.data {
            EntryData::Silent => found.timing = ReplyTiming::Silent,
            EntryData::Late(milliseconds, _) => found.timing = ReplyTiming::Late(*milliseconds),
            EntryData::ServerFailure => found.code = ResponseCode::ServFail,
            EntryData::Refused => found.code = ResponseCode::Refused,
            EntryData::TcpOnly(_) if transport == Transport::Udp => found.truncated = true,
            EntryData::Truncated => found.truncated = true,
            _ => {}
        }
        if found.truncated || found.code != ResponseCode::NoError {
            return found;
        }
        if let EntryData::Alias(target) = &entry.data {
            push_record(&mut found.records, &name, TTL, cname_data(target));
            passed.push(std::mem::replace(&mut name, target.clone()));
            let end = question.query_type() == RecordType::CNAME
                || passed.contains(target)
                || passed.len() == MAX_ALIASES;
            if end {
                return found;
            }
            continue;
        }
        let texts = if wants_txt { zone.txt_records(&name) } else { Vec::new() };
        if matches!(entry.data, EntryData::UpperCase) {
            name.make_ascii_uppercase();
        }
        let aliases = found.records.len();
        for data in records(entry, question.query_type()) {
            let ttl = if matches!(entry.data, EntryData::Alternating { .. }) { 0 } else { TTL };
            push_record(&mut found.records, &name, ttl, Some(data));
        }
        push_texts(&mut found.records, &name, texts);
        found.is_known_empty = found.records.len() == aliases;
        return found;
    }
}

/// The zone of this name; `None` for names that the lab does not know about.
fn zone_of(name: &str) -> Option<&'static str> {
    let mut zones = ["lab", "in-addr.arpa", "ip6.arpa"].into_iter().chain(forward_zones());
    let is_below = |zone: &str| {
        name.strip_suffix(zone).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    zones.find(|zone| is_below(zone)).filter(|_| !is_special(name))
}

fn records(entry: &ZoneEntry, wanted: RecordType) -> Vec<RData> {
    match wanted {
        RecordType::A | RecordType::AAAA => entry
            .addresses(wanted == RecordType::A)
            .into_iter()
            .map(|address| match address {
                IpAddr::V4(address) => RData::A(address.into()),
                IpAddr::V6(address) => RData::AAAA(address.into()),
            })
            .collect(),
        RecordType::PTR => match &entry.data {
            EntryData::Pointer(targets) => targets
                .iter()
                .filter_map(|target| Name::from_ascii(format!("{target}.")).ok())
                .map(|name| RData::PTR(PTR(name)))
                .collect(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// One record for each text. A string of a TXT record has at most 255 bytes.
fn push_texts(records: &mut Vec<Record>, name: &str, texts: Vec<Vec<String>>) {
    for strings in texts {
        let short = strings.iter().flat_map(|string| string.as_bytes().chunks(255)).collect();
        push_record(records, name, TTL, Some(RData::TXT(TXT::from_bytes(short))));
    }
}

fn cname_data(target: &str) -> Option<RData> {
    Name::from_ascii(format!("{target}.")).ok().map(|name| RData::CNAME(CNAME(name)))
}

fn push_record(records: &mut Vec<Record>, name: &str, ttl: u32, data: Option<RData>) {
    if let (Ok(name), Some(data)) = (Name::from_ascii(format!("{name}.")), data) {
        records.push(Record::from_rdata(name, ttl, data));
    }
}

/// The SOA record for "no such name" and "no such record", without which resolvers do not accept
/// the answer.
fn start_of_authority(code: ResponseCode, zone: &str) -> Option<Record> {
    if !matches!(code, ResponseCode::NoError | ResponseCode::NXDomain) {
        return None;
    }
    let zone = Name::from_ascii(format!("{zone}.")).ok()?;
    let server = Name::from_ascii("ns.lab.").ok()?;
    let mailbox = Name::from_ascii("hostmaster.lab.").ok()?;
    let data = SOA::new(server, mailbox, 1, 3600, 600, 86_400, TTL);
    Some(Record::from_rdata(zone, TTL, RData::SOA(data)))
}
