//! One scan: names resolved once, connections reused, one deadline for everything.

use std::net::IpAddr;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use contract::evidence::{DnsAnswer, DnsReading, Failure, FailureKind, Phase};
use contract::{HostName, Timestamp};
use futures_util::future::join_all;
use hickory_proto::rr::Name;
use ipnet::IpNet;
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::Instant;

use crate::dns::{self, Answer, RecordType};
use crate::failure::{deadline, failure, refused, refused_name};
use crate::guard::address::Vetted;
use crate::http::pool::{Pool, lock};
use crate::watch::Watch;
use crate::{Fetched, Frame, Phases, Request, fetch};

/// One scan. Cheap to clone; all clones are the same visit. When the last one is dropped, so are
/// its connections.
#[derive(Debug, Clone)]
pub struct Visit(Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) frame: Arc<Frame>,
    pub(crate) deadline: Instant,
    pub(crate) phases: Phases,
    pub(crate) pool: Pool,
    pub(crate) room: Room,
    /// In the order they were first asked about. A time to live is not looked at: all reads of a
    /// visit see the same addresses.
    names: Mutex<Vec<Arc<Known>>>,
    /// Few: those of the plan and of its redirects.
    hosts: Mutex<Vec<Arc<Host>>>,
    networks: Mutex<Vec<(Option<IpNet>, Arc<Semaphore>)>>,
}

/// What is known about one name. Each cell is filled once and then only read.
#[derive(Debug)]
struct Known {
    name: Name,
    text: String,
    addresses: OnceCell<Asked>,
    cname: OnceCell<Asked>,
    txt: OnceCell<Asked>,
    ptr: OnceCell<Asked>,
}

#[derive(Debug)]
struct Asked {
    at: Timestamp,
    took_ms: u32,
    answers: Vec<Answer>,
}

/// What all reads of one host share.
#[derive(Debug)]
pub(crate) struct Host {
    name: HostName,
    /// Requests under way.
    pub(crate) slots: Semaphore,
    /// The address that took a connection, tried first from then on.
    pub(crate) answered: Mutex<Option<IpAddr>>,
}

impl Visit {
    pub(crate) fn new(frame: Arc<Frame>, limit: Duration) -> Self {
        /// No visit is longer, whatever is asked for.
        const MOST: Duration = Duration::from_secs(24 * 60 * 60);
        let phases = frame.policy.limits.phases(limit);
        let room = Room::new(frame.policy.limits.visit_bytes);
        Self(Arc::new(Inner {
            frame,
            room,
            deadline: Instant::now() + limit.min(MOST),
            phases,
            pool: Pool::default(),
            names: Mutex::default(),
            hosts: Mutex::default(),
            networks: Mutex::default(),
        }))
    }

    /// Asks for records of a public name (or of a service label below one). A and AAAA are always
    /// asked for together, once per visit.
    pub async fn look_up(&self, name: &str, types: &[RecordType]) -> DnsReading {
        match dns::check_name(name, &self.0.frame.policy.names) {
            Ok(name) => self.0.read_name(name, types).await,
            Err(refusal) => self.0.refused_reading(name, types, refused_name(refusal)),
        }
    }

    /// Asks for the names of an address.
    pub async fn reverse(&self, address: IpAddr) -> DnsReading {
        self.0.read_name(dns::reverse_name(address), &[RecordType::Ptr]).await
    }

    /// Reads one URL. Never fails: what went wrong is in the exchange.
    pub async fn fetch(&self, request: Request) -> Fetched {
        fetch::fetch(&self.0, request).await
    }

    /// Closes what one identity has open, as soon as nothing of it is being read.
    pub fn hang_up(&self, identity: &str) {
        self.0.pool.forget(identity);
    }

    /// Says that so many bytes of bodies are no longer kept, so that others may be read.
    pub fn let_go(&self, bytes: usize) {
        self.0.room.give_back(bytes);
    }

    /// Everything that was resolved so far.
    #[must_use]
    pub fn dns_readings(&self) -> Vec<DnsReading> {
        let names = lock(&self.0.names).clone();
        names.iter().filter_map(|known| self.0.reading(known, None)).collect()
    }

    /// Time left before the deadline.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.0.deadline.saturating_duration_since(Instant::now())
    }
}

/// Decoded bytes that may still be read. Reads side by side may each go beyond it by the piece
/// they have in hand; what was taken too much is owed, so that giving back makes up for it first.
#[derive(Debug)]
pub(crate) struct Room(AtomicI64);

impl Room {
    fn new(bytes: u64) -> Self {
        Self(AtomicI64::new(i64::try_from(bytes).unwrap_or(i64::MAX)))
    }

    pub(crate) fn is_used_up(&self) -> bool {
        self.0.load(Ordering::Relaxed) <= 0
    }

    pub(crate) fn use_up(&self, bytes: usize) {
        self.0.fetch_sub(bytes as i64, Ordering::Relaxed);
    }

    fn give_back(&self, bytes: usize) {
        self.0.fetch_add(bytes as i64, Ordering::Relaxed);
    }
}

impl Inner {
    /// The vetted addresses of a host, in the order to try them. One bad address spoils them all:
    /// whoever mixes them means no good.
    pub(crate) async fn addresses(
        &self,
        host: &HostName,
        port: u16,
        watch: &Watch,
    ) -> Result<Vec<Vetted>, Failure> {
        let known = self.known(dns::name_of(host).map_err(refused_name)?);
        let asked = self.ask(&known, RecordType::Aaaa, watch).await;
        let found: Vec<IpAddr> =
            asked.answers.iter().flat_map(|answer| &answer.addresses).copied().collect();
        if found.is_empty() {
            return Err(no_address(&asked.answers));
        }
        let vetted = found
            .into_iter()
            .map(|address| self.frame.rule.vetted(address, port))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|refusal| {
                let detail = format!(
                    "An address of this name is not public ({}, {}).",
                    refusal.block, refusal.source
                );
                refused(Phase::Address, refusal.reason(), &detail)
            })?;
        self.in_order(&vetted, host)
    }

    /// The address that answered before, else IPv6 before IPv4 and the first of each.
    fn in_order(&self, vetted: &[Vetted], host: &HostName) -> Result<Vec<Vetted>, Failure> {
        let source = self.frame.policy.source_address;
        let fits = |address: &&Vetted| {
            source.is_none_or(|source| source.is_ipv6() == address.socket().is_ipv6())
        };
        let first_of = |v6: bool| {
            vetted.iter().filter(fits).find(move |address| address.socket().is_ipv6() == v6)
        };
        let answered = *lock(&self.host(host).answered);
        let before =
            vetted.iter().filter(fits).find(|address| Some(address.socket().ip()) == answered);
        let mut order: Vec<Vetted> = Vec::new();
        let candidates = before
            .into_iter()
            .chain(first_of(true))
            .chain(first_of(false))
            .chain(vetted.iter().filter(fits));
        for address in candidates {
            if !order.contains(address) {
                order.push(*address);
            }
            if order.len() == self.frame.policy.limits.dial_attempts.max(1) {
                break;
            }
        }
        if order.is_empty() {
            return Err(failure(
                FailureKind::Connect,
                Phase::Connect,
                "no_address_of_this_family",
                "The host has no address of the family we look from.",
            ));
        }
        Ok(order)
    }

    pub(crate) fn watch(&self, start: Instant, deadline: Instant) -> Watch {
        Watch::new(start, self.phases.shortest().min(self.frame.policy.limits.rate_after), deadline)
    }

    pub(crate) fn host(&self, host: &HostName) -> Arc<Host> {
        let mut hosts = lock(&self.hosts);
        if let Some(known) = hosts.iter().find(|known| known.name == *host) {
            return Arc::clone(known);
        }
        let new = Arc::new(Host {
            name: host.clone(),
            slots: Semaphore::new(self.frame.policy.limits.per_host.max(1)),
            answered: Mutex::new(None),
        });
        hosts.push(Arc::clone(&new));
        new
    }

    /// The slots of an address's network: a /24, or a /48.
    pub(crate) fn network(&self, address: Option<IpAddr>) -> Arc<Semaphore> {
        let network = address.and_then(|address| {
            IpNet::new(address, if address.is_ipv4() { 24 } else { 48 }).ok().map(|net| net.trunc())
        });
        let mut networks = lock(&self.networks);
        if let Some((_, slots)) = networks.iter().find(|(known, _)| *known == network) {
            return Arc::clone(slots);
        }
        let slots = Arc::new(Semaphore::new(self.frame.policy.limits.per_network.max(1)));
        networks.push((network, Arc::clone(&slots)));
        slots
    }

    fn known(&self, name: Name) -> Arc<Known> {
        let mut names = lock(&self.names);
        if let Some(known) = names.iter().find(|known| known.name == name) {
            return Arc::clone(known);
        }
        let known = Arc::new(Known {
            text: dns::presented(&name),
            name,
            addresses: OnceCell::new(),
            cname: OnceCell::new(),
            txt: OnceCell::new(),
            ptr: OnceCell::new(),
        });
        names.push(Arc::clone(&known));
        known
    }

    async fn ask<'a>(&self, known: &'a Known, kind: RecordType, watch: &Watch) -> &'a Asked {
        let types: &[RecordType] = match kind {
            RecordType::A | RecordType::Aaaa => &[RecordType::A, RecordType::Aaaa],
            RecordType::Cname => &[RecordType::Cname],
            RecordType::Txt => &[RecordType::Txt],
            RecordType::Ptr => &[RecordType::Ptr],
        };
        known
            .cell(kind)
            .get_or_init(|| async {
                let at = self.frame.clock.now();
                let start = Instant::now();
                let left = self.deadline.saturating_duration_since(start);
                let limit = self.phases.dns.min(left);
                let answers =
                    self.frame.resolver.ask(&known.name, types, start + limit, watch).await;
                Asked { at, took_ms: millis(start), answers }
            })
            .await
    }

    async fn read_name(&self, name: Name, types: &[RecordType]) -> DnsReading {
        let known = self.known(name);
        let start = Instant::now();
        join_all(types.iter().map(|kind| async {
            let watch = self.watch(start, self.deadline);
            self.ask(&known, *kind, &watch).await;
        }))
        .await;
        self.reading(&known, Some(types))
            .unwrap_or_else(|| self.refused_reading(&known.text, types, deadline(Phase::Dns)))
    }

    /// What is known about a name: of these types, or of all.
    fn reading(&self, known: &Known, types: Option<&[RecordType]>) -> Option<DnsReading> {
        const ALL: &[RecordType] =
            &[RecordType::A, RecordType::Aaaa, RecordType::Cname, RecordType::Txt, RecordType::Ptr];
        let mut reading: Option<DnsReading> = None;
        for kind in types.unwrap_or(ALL) {
            let Some(asked) = known.cell(*kind).get() else { continue };
            let reading = reading.get_or_insert_with(|| DnsReading {
                name: known.text.clone(),
                resolver: self.frame.resolver.label(),
                asked_at: asked.at,
                took_ms: asked.took_ms,
                answers: Vec::new(),
            });
            reading.asked_at = reading.asked_at.min(asked.at);
            reading.took_ms = reading.took_ms.max(asked.took_ms);
            let of_kind =
                asked.answers.iter().filter(|answer| answer.record.record_type == kind.as_str());
            reading.answers.extend(of_kind.map(|answer| answer.record.clone()));
        }
        reading
    }

    fn refused_reading(&self, name: &str, types: &[RecordType], failure: Failure) -> DnsReading {
        let answers = types.iter().map(|kind| DnsAnswer {
            record_type: kind.as_str().to_owned(),
            rcode: None,
            authenticated_data: false,
            records: Vec::new(),
            cnames: Vec::new(),
            failure: Some(failure.clone()),
        });
        DnsReading {
            name: name.chars().take(self.frame.policy.limits.url_bytes).collect(),
            resolver: self.frame.resolver.label(),
            asked_at: self.frame.clock.now(),
            took_ms: 0,
            answers: answers.collect(),
        }
    }
}

impl Known {
    fn cell(&self, kind: RecordType) -> &OnceCell<Asked> {
        match kind {
            RecordType::A | RecordType::Aaaa => &self.addresses,
            RecordType::Cname => &self.cname,
            RecordType::Txt => &self.txt,
            RecordType::Ptr => &self.ptr,
        }
    }
}

/// Milliseconds since `start`.
pub(crate) fn millis(start: Instant) -> u32 {
    u32::try_from(start.elapsed().as_millis()).unwrap_or(u32::MAX)
}

/// Why a name has no address: the resolver's own failure, its verdict, or simply none.
fn no_address(answers: &[Answer]) -> Failure {
    if let Some(failure) = answers.iter().find_map(|answer| answer.record.failure.clone()) {
        return failure;
    }
    let rcode = answers
        .iter()
        .filter_map(|answer| answer.record.rcode.as_deref())
        .find(|rcode| *rcode != "NOERROR");
    let (reason, detail) = match rcode {
        Some("NXDOMAIN") => ("nxdomain", "The name does not exist."),
        Some("SERVFAIL") => ("servfail", "The resolver could not find out about the name."),
        Some("REFUSED") => ("refused", "The resolver refused to answer the question."),
        Some(_) => ("dns_error", "The resolver answered with an error."),
        None => ("no_address", "The name has no address."),
    };
    failure(FailureKind::Dns, Phase::Dns, reason, detail)
}
