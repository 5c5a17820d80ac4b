//! The state of one visit, shared by all of its reads: resolved names, open connections, the slots
//! of each host and network, its share of what a target may be asked, and the deadline.

use std::net::IpAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use contract::evidence::{DnsAnswer, DnsReading, Failure, FailureKind, FailurePhase};
use contract::{HostName, Timestamp};
use futures_util::future::join_all;
use hickory_proto::rr::Name;
use ipnet::IpNet;
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::{Instant, timeout};

use crate::PhaseTimeouts;
use crate::byte_budget::{ByteBudget, TrafficBudget};
use crate::context::DoorContext;
use crate::dial_order::dial_order;
use crate::dns::{self, LookupAnswer, RecordType};
use crate::failure::{deadline_failure, name_refusal, new_failure, policy_refusal};
use crate::guard::address::VettedAddress;
use crate::guard::url::PortSet;
use crate::http::pool::ConnectionPool;
use crate::mutex::lock;
use crate::read_timer::{ReadTimer, elapsed_millis};
use crate::targets::{ConnectionLease, ReadReservation, TargetRefusal};
use crate::tls::CheckedCertificates;

/// Shared by all reads of a visit through an `Arc`. Each mutex guards one list, to which any read
/// may add entries; no lock is held across an await.
#[derive(Debug)]
pub(crate) struct VisitState {
    pub(crate) context: Arc<DoorContext>,
    pub(crate) deadline: Instant,
    pub(crate) phases: PhaseTimeouts,
    /// Which ports its URLs may name.
    pub(crate) ports: PortSet,
    pub(crate) pool: ConnectionPool,
    /// Handshakes run in tasks of their own, so they hold it by themselves.
    pub(crate) checked_certificates: Arc<CheckedCertificates>,
    pub(crate) byte_budget: ByteBudget,
    pub(crate) traffic: TrafficBudget,
    /// In the order of the first look-up. The TTL is ignored: all reads of a visit see the same
    /// addresses.
    names: Mutex<Vec<Arc<CachedName>>>,
    /// A short list: the hosts of the plan and of its redirects.
    hosts: Mutex<Vec<Arc<HostState>>>,
    networks: Mutex<Vec<(Option<IpNet>, Arc<Semaphore>)>>,
    /// Reads of one address that are counted ahead; see [`VisitState::reserve_reads`].
    reserved: Mutex<Option<ReadReservation>>,
}

/// The DNS answers for one name. Each cell is filled once, by the first read that needs it, and
/// only read from then on.
#[derive(Debug)]
struct CachedName {
    name: Name,
    text: String,
    addresses: OnceCell<CachedAnswers>,
    cname: OnceCell<CachedAnswers>,
    txt: OnceCell<CachedAnswers>,
    ptr: OnceCell<CachedAnswers>,
}

#[derive(Debug)]
struct CachedAnswers {
    at: Timestamp,
    took_ms: u32,
    answers: Vec<LookupAnswer>,
}

/// What all reads of one host share.
#[derive(Debug)]
pub(crate) struct HostState {
    name: HostName,
    /// Limits the parallel requests to this host.
    pub(crate) slots: Arc<Semaphore>,
    /// The address that last accepted a connection; it is tried first from then on. Written by any
    /// read that connects.
    pub(crate) last_connected: Mutex<Option<IpAddr>>,
}

impl VisitState {
    pub(crate) fn new(context: Arc<DoorContext>, limit: Duration, ports: PortSet) -> Self {
        /// The longest visit, whatever the caller asks for.
        const MOST: Duration = Duration::from_secs(24 * 60 * 60);
        let phases = context.policy.limits.phase_timeouts(limit);
        let byte_budget = ByteBudget::new(context.policy.limits.max_visit_bytes);
        Self {
            traffic: TrafficBudget::new(&context.policy.limits),
            context,
            byte_budget,
            deadline: Instant::now() + limit.min(MOST),
            phases,
            ports,
            pool: ConnectionPool::default(),
            checked_certificates: Arc::default(),
            names: Mutex::default(),
            hosts: Mutex::default(),
            networks: Mutex::default(),
            reserved: Mutex::default(),
        }
    }

    pub(crate) fn dns_readings(&self) -> Vec<DnsReading> {
        let names = lock(&self.names).clone();
        names.iter().filter_map(|cached| self.dns_reading(cached, None)).collect()
    }

    /// The vetted addresses of a host in the order to dial them. If one address is refused, all
    /// are: a name that mixes public and private addresses is treated
    /// as an attack.
    pub(crate) async fn addresses(
        &self,
        host: &HostName,
        port: u16,
        timer: &ReadTimer,
    ) -> Result<Vec<VettedAddress>, Failure> {
        let cached = self.cached_name(dns::to_dns_name(host).map_err(name_refusal)?);
        let answers_of_type = self.query_once(&cached, RecordType::Aaaa, timer).await;
        let found: Vec<IpAddr> =
            answers_of_type.answers.iter().flat_map(|answer| &answer.addresses).copied().collect();
        if found.is_empty() {
            return Err(no_address_failure(&answers_of_type.answers));
        }
        let vetted = found
            .into_iter()
            .map(|address| self.context.address_rule.vet_socket(address, port))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|refusal| {
                let detail = format!(
                    "The name has an address that is not public ({}, {}).",
                    refusal.block, refusal.source
                );
                policy_refusal(FailurePhase::Address, refusal.reason(), &detail)
            })?;
        let connected_before = *lock(&self.host_state(host).last_connected);
        let policy = &self.context.policy;
        let most = policy.limits.dial_attempts.max(1);
        let order = dial_order(&vetted, connected_before, policy.source_address, most);
        if order.is_empty() {
            return Err(new_failure(
                FailureKind::Connect,
                FailurePhase::Connect,
                "no_address_of_this_family",
                "The host has no address of the address family that we connect from.",
            ));
        }
        Ok(order)
    }

    pub(crate) fn start_timer(&self, start: Instant, deadline: Instant) -> ReadTimer {
        ReadTimer::new(
            start,
            self.phases.shortest().min(self.context.policy.limits.min_rate_after),
            deadline,
        )
    }

    pub(crate) fn host_state(&self, host: &HostName) -> Arc<HostState> {
        let mut hosts = lock(&self.hosts);
        if let Some(cached) = hosts.iter().find(|cached| cached.name == *host) {
            return Arc::clone(cached);
        }
        let new = Arc::new(HostState {
            name: host.clone(),
            slots: Arc::new(Semaphore::new(self.context.policy.limits.requests_per_host.max(1))),
            last_connected: Mutex::new(None),
        });
        hosts.push(Arc::clone(&new));
        new
    }

    /// Takes a place among the visits of a host's address and counts this many reads ahead, so that
    /// other visits cannot stop this one halfway. A host without a usable address needs none.
    pub(crate) async fn reserve_reads(
        &self,
        host: &HostName,
        reads: u32,
    ) -> Result<(), TargetRefusal> {
        let timer = self.start_timer(Instant::now(), self.deadline);
        let port = self.context.policy.https_port;
        let Ok(addresses) = self.addresses(host, port, &timer).await else { return Ok(()) };
        let Some(first) = addresses.first() else { return Ok(()) };
        let address = first.socket_address().ip();
        let reservation = ReadReservation::new(&self.context.targets, address, reads)?;
        *lock(&self.reserved) = Some(reservation);
        Ok(())
    }

    /// Counts one read of an address: a reserved one, or a new one.
    pub(crate) fn count_read(&self, address: IpAddr) -> Result<(), TargetRefusal> {
        let reserved = lock(&self.reserved).as_mut().is_some_and(|held| held.use_one(address));
        if reserved {
            return Ok(());
        }
        self.context.targets.count_reads(address, 1).map(|_| ())
    }

    /// The right to open one connection. While it waits, this visit closes the connections that it
    /// does not use: otherwise its reads could wait for each other.
    pub(crate) async fn lease_connection(
        &self,
        address: IpAddr,
    ) -> Result<ConnectionLease, TargetRefusal> {
        const CLOSE_IDLE_INTERVAL: Duration = Duration::from_millis(20);
        let targets = &self.context.targets;
        if let Some(lease) = ConnectionLease::try_acquire(targets, address)? {
            return Ok(lease);
        }
        let mut waiting = pin!(ConnectionLease::acquire(targets, address));
        loop {
            self.pool.close_idle();
            if let Ok(lease) = timeout(CLOSE_IDLE_INTERVAL, waiting.as_mut()).await {
                return lease;
            }
        }
    }

    /// The right to open one connection, if there is one now.
    pub(crate) fn try_lease_connection(&self, address: IpAddr) -> Option<ConnectionLease> {
        ConnectionLease::try_acquire(&self.context.targets, address).ok().flatten()
    }

    /// The request slots of an address's network: an IPv4 /24 or an IPv6 /48.
    pub(crate) fn network_slots(&self, address: Option<IpAddr>) -> Arc<Semaphore> {
        let network = address.and_then(|address| {
            IpNet::new(address, if address.is_ipv4() { 24 } else { 48 }).ok().map(|net| net.trunc())
        });
        let mut networks = lock(&self.networks);
        if let Some((_, slots)) = networks.iter().find(|(cached, _)| *cached == network) {
            return Arc::clone(slots);
        }
        let slots =
            Arc::new(Semaphore::new(self.context.policy.limits.requests_per_network.max(1)));
        networks.push((network, Arc::clone(&slots)));
        slots
    }

    fn cached_name(&self, name: Name) -> Arc<CachedName> {
        let mut names = lock(&self.names);
        if let Some(cached) = names.iter().find(|cached| cached.name == name) {
            return Arc::clone(cached);
        }
        let cached = Arc::new(CachedName {
            text: dns::to_recorded_text(&name),
            name,
            addresses: OnceCell::new(),
            cname: OnceCell::new(),
            txt: OnceCell::new(),
            ptr: OnceCell::new(),
        });
        names.push(Arc::clone(&cached));
        cached
    }

    async fn query_once<'a>(
        &self,
        cached: &'a CachedName,
        kind: RecordType,
        timer: &ReadTimer,
    ) -> &'a CachedAnswers {
        let types: &[RecordType] = match kind {
            RecordType::A | RecordType::Aaaa => &[RecordType::A, RecordType::Aaaa],
            RecordType::Cname => &[RecordType::Cname],
            RecordType::Txt => &[RecordType::Txt],
            RecordType::Ptr => &[RecordType::Ptr],
        };
        cached
            .cell(kind)
            .get_or_init(|| async {
                let at = self.context.clock.now();
                let start = Instant::now();
                let left = self.deadline.saturating_duration_since(start);
                let limit = self.phases.dns.min(left);
                let answers =
                    self.context.resolver.look_up(&cached.name, types, start + limit, timer).await;
                CachedAnswers { at, took_ms: elapsed_millis(start), answers }
            })
            .await
    }

    pub(crate) async fn look_up_records(&self, name: Name, types: &[RecordType]) -> DnsReading {
        let cached = self.cached_name(name);
        let start = Instant::now();
        join_all(types.iter().map(|kind| async {
            let timer = self.start_timer(start, self.deadline);
            self.query_once(&cached, *kind, &timer).await;
        }))
        .await;
        self.dns_reading(&cached, Some(types)).unwrap_or_else(|| {
            self.failed_reading(&cached.text, types, deadline_failure(FailurePhase::Dns))
        })
    }

    /// The TXT records of a name, all of them.
    pub(crate) async fn look_up_texts(&self, name: Name) -> DnsAnswer {
        let cached = self.cached_name(name);
        let timer = self.start_timer(Instant::now(), self.deadline);
        let found = self.query_once(&cached, RecordType::Txt, &timer).await;
        match found.answers.first() {
            Some(answer) => DnsAnswer { records: answer.texts.clone(), ..answer.record.clone() },
            None => failed_answer(RecordType::Txt, deadline_failure(FailurePhase::Dns)),
        }
    }

    /// The recorded answers for a name, of these types or of all.
    fn dns_reading(&self, cached: &CachedName, types: Option<&[RecordType]>) -> Option<DnsReading> {
        const ALL: &[RecordType] =
            &[RecordType::A, RecordType::Aaaa, RecordType::Cname, RecordType::Txt, RecordType::Ptr];
        let mut reading: Option<DnsReading> = None;
        for kind in types.unwrap_or(ALL) {
            let Some(answers_of_type) = cached.cell(*kind).get() else { continue };
            let reading = reading.get_or_insert_with(|| DnsReading {
                name: cached.text.clone(),
                resolver: self.context.resolver.label(),
                asked_at: answers_of_type.at,
                took_ms: answers_of_type.took_ms,
                answers: Vec::new(),
            });
            reading.asked_at = reading.asked_at.min(answers_of_type.at);
            reading.took_ms = reading.took_ms.max(answers_of_type.took_ms);
            let of_kind = answers_of_type
                .answers
                .iter()
                .filter(|answer| answer.record.record_type == kind.as_str());
            reading.answers.extend(of_kind.map(|answer| answer.record.clone()));
        }
        reading
    }

    pub(crate) fn failed_reading(
        &self,
        name: &str,
        types: &[RecordType],
        failure: Failure,
    ) -> DnsReading {
        let answers = types.iter().map(|kind| failed_answer(*kind, failure.clone()));
        DnsReading {
            name: name.chars().take(self.context.policy.limits.max_url_bytes).collect(),
            resolver: self.context.resolver.label(),
            asked_at: self.context.clock.now(),
            took_ms: 0,
            answers: answers.collect(),
        }
    }
}

impl CachedName {
    fn cell(&self, kind: RecordType) -> &OnceCell<CachedAnswers> {
        match kind {
            RecordType::A | RecordType::Aaaa => &self.addresses,
            RecordType::Cname => &self.cname,
            RecordType::Txt => &self.txt,
            RecordType::Ptr => &self.ptr,
        }
    }
}

/// The answer to a question that was not asked, or not answered.
pub(crate) fn failed_answer(kind: RecordType, failure: Failure) -> DnsAnswer {
    DnsAnswer {
        record_type: kind.as_str().to_owned(),
        rcode: None,
        authenticated_data: false,
        records: Vec::new(),
        cnames: Vec::new(),
        failure: Some(failure),
    }
}

/// Why a name has no address: a failed look-up, an error code of the resolver, or no record.
fn no_address_failure(answers: &[LookupAnswer]) -> Failure {
    if let Some(failure) = answers.iter().find_map(|answer| answer.record.failure.clone()) {
        return failure;
    }
    let rcode = answers
        .iter()
        .filter_map(|answer| answer.record.rcode.as_deref())
        .find(|rcode| *rcode != "NOERROR");
    let (reason, detail) = match rcode {
        Some("NXDOMAIN") => ("nxdomain", "The name does not exist in DNS."),
        Some("SERVFAIL") => ("servfail", "The resolver failed to look up the name (SERVFAIL)."),
        Some("REFUSED") => ("refused", "The resolver refused to look up the name (REFUSED)."),
        Some(_) => ("dns_error", "The resolver answered with an error."),
        None => ("no_address", "The name has no address (A or AAAA record)."),
    };
    new_failure(FailureKind::Dns, FailurePhase::Dns, reason, detail)
}
