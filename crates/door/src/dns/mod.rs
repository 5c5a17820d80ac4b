//! Names to addresses: a stub resolver that keeps what others throw away (rcode, AD, CNAMEs).
//!
//! The questions go to the operator's resolver and nowhere else; which names may be asked about
//! and which addresses may be dialled is decided by the guard, not here.

mod chase;
mod message;
mod resolv_conf;
mod transport;

use std::net::{IpAddr, SocketAddr};

use contract::evidence::DnsAnswer;
use contract::{HostName, NamePolicy, NameRefusal};
use hickory_proto::rr::Name;
use tokio::time::Instant;

use crate::watch::Watch;
use crate::{DoorError, Limits, Policy, ResolverChoice};
use chase::Chase;
use transport::Asked;

/// The kinds of records that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RecordType {
    A,
    Aaaa,
    Cname,
    Txt,
    Ptr,
}

impl RecordType {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::Aaaa => "AAAA",
            Self::Cname => "CNAME",
            Self::Txt => "TXT",
            Self::Ptr => "PTR",
        }
    }

    fn wire(self) -> hickory_proto::rr::RecordType {
        match self {
            Self::A => hickory_proto::rr::RecordType::A,
            Self::Aaaa => hickory_proto::rr::RecordType::AAAA,
            Self::Cname => hickory_proto::rr::RecordType::CNAME,
            Self::Txt => hickory_proto::rr::RecordType::TXT,
            Self::Ptr => hickory_proto::rr::RecordType::PTR,
        }
    }
}

/// The answer to one question: the record of it, and every address it held.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) record: DnsAnswer,
    /// All of them, also those beyond what is recorded: each must be vetted.
    pub(crate) addresses: Vec<IpAddr>,
}

/// Asks the operator's name servers.
#[derive(Debug)]
pub(crate) struct Resolver {
    /// At least one; the second try goes to the next.
    servers: Vec<SocketAddr>,
    sockets: transport::Sockets,
    names: NamePolicy,
    records: usize,
    cname_chain: usize,
}

/// How often an unanswered question is asked.
pub(crate) const TRIES: u32 = 2;

impl Resolver {
    pub(crate) fn new(policy: &Policy) -> Result<Self, DoorError> {
        let servers = match policy.resolver {
            ResolverChoice::Server(server) => vec![server],
            ResolverChoice::System => resolv_conf::system_servers()?,
        };
        let Limits { dns_records: records, cname_chain, .. } = policy.limits;
        let sockets = transport::Sockets::default();
        Ok(Self { servers, sockets, names: policy.names.clone(), records, cname_chain })
    }

    /// The name of the resolver, for the record.
    pub(crate) fn label(&self) -> String {
        self.servers.first().map(ToString::to_string).unwrap_or_default()
    }

    /// Asks for several record types of one name side by side; the answers come in the same order.
    pub(crate) async fn ask(
        &self,
        name: &Name,
        types: &[RecordType],
        until: Instant,
        watch: &Watch,
    ) -> Vec<Answer> {
        let mut chases: Vec<Chase> = types
            .iter()
            .map(|kind| Chase::new(name.clone(), *kind, self.records, self.cname_chain))
            .collect();
        // Each round moves every open chase one step along its CNAMEs, so this ends.
        loop {
            let mut round: Vec<Asked> =
                chases.iter().filter(|chase| chase.is_open()).map(Chase::question).collect();
            if round.is_empty() {
                break;
            }
            self.exchange(&mut round, until, watch).await;
            let open = chases.iter_mut().filter(|chase| chase.is_open());
            for (chase, asked) in open.zip(round) {
                chase.take(asked.into_reply(), &self.names);
            }
        }
        chases.into_iter().map(Chase::into_answer).collect()
    }

    async fn exchange(&self, round: &mut [Asked], until: Instant, watch: &Watch) {
        for (attempt, server) in (1..=TRIES).zip(self.servers.iter().cycle()) {
            if !round.iter().any(Asked::is_worth_asking) {
                break;
            }
            let now = Instant::now();
            let left = until.saturating_duration_since(now);
            let limit = now + left / (TRIES - attempt + 1);
            transport::ask(&self.sockets, *server, round, limit, watch).await;
        }
    }
}

/// Checks a name that is to be asked about: a public host name, or a service label
/// (`_something.`) below one.
pub(crate) fn check_name(text: &str, policy: &NamePolicy) -> Result<Name, NameRefusal> {
    let mut host = text;
    let mut labels = String::new();
    while let Some((label, rest)) = host.split_once('.') {
        let Some(plain) = label.strip_prefix('_') else { break };
        let shaped = (1..=62).contains(&plain.len())
            && plain.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        if !shaped {
            return Err(NameRefusal::Syntax);
        }
        labels.push_str(label);
        labels.push('.');
        host = rest;
    }
    let host = HostName::parse(host, policy)?;
    to_wire(&format!("{labels}{host}").to_ascii_lowercase()).ok_or(NameRefusal::TooLong)
}

/// A host name was checked when it was made.
pub(crate) fn name_of(host: &HostName) -> Result<Name, NameRefusal> {
    to_wire(host.as_str()).ok_or(NameRefusal::TooLong)
}

/// The name under which an address is looked up in reverse.
pub(crate) fn reverse_name(address: IpAddr) -> Name {
    Name::from(address)
}

fn to_wire(text: &str) -> Option<Name> {
    let mut name = Name::from_ascii(text).ok()?;
    name.set_fqdn(true);
    Some(name)
}

/// As recorded: lower case, without the root's dot.
pub(crate) fn presented(name: &Name) -> String {
    let text = name.to_lowercase().to_ascii();
    text.strip_suffix('.').unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn service_labels_are_taken_below_public_names_only() {
        let policy = NamePolicy::default();
        for (text, presented_as) in [
            ("wikipedia.org", "wikipedia.org"),
            ("_svc.Wikipedia.org", "_svc.wikipedia.org"),
            ("_a._b.wikipedia.org.", "_a._b.wikipedia.org"),
        ] {
            assert_eq!(presented(&check_name(text, &policy).unwrap()), presented_as, "{text}");
        }
        for text in ["", "_a", "_a.corp", "_.wikipedia.org", "_a b.wikipedia.org", "_a.10.0.0.1"] {
            assert!(check_name(text, &policy).is_err(), "{text}");
        }
        let long = format!("_{}.wikipedia.org", "a".repeat(63));
        assert!(check_name(&long, &policy).is_err());
    }

    #[test]
    fn reverse_names_are_those_of_the_arpa_trees() {
        for (address, name) in [
            ("192.0.2.7", "7.2.0.192.in-addr.arpa"),
            (
                "2001:db8::1",
                "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
            ),
        ] {
            assert_eq!(presented(&reverse_name(address.parse().unwrap())), name);
        }
    }
}
