//! The public handle of one visit: look-ups and reads that share names, connections and a deadline.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use contract::HostName;
use contract::evidence::{DnsAnswer, DnsReading, Failure};
use tokio::time::Instant;

use crate::context::DoorContext;
use crate::dns::{self, RecordType};
use crate::failure::name_refusal;
use crate::guard::url::PortSet;
use crate::visit_state::{VisitState, failed_answer};
use crate::{
    Answer, AskRequest, FetchRequest, FetchResult, PostRequest, ReadKind, TargetRefusal, ask,
    fetch, post,
};

/// One visit, such as one scan: names are resolved once, connections are reused, and one deadline
/// applies to everything. Cheap to clone; all clones share one state. Dropping the last clone
/// closes its connections.
#[derive(Debug, Clone)]
pub struct Visit(Arc<VisitState>);

impl Visit {
    pub(crate) fn new(context: Arc<DoorContext>, limit: Duration, ports: PortSet) -> Self {
        Self(Arc::new(VisitState::new(context, limit, ports)))
    }

    /// Looks up records of a public name (or of a service label below one). A and AAAA are always
    /// looked up together, once per visit.
    pub async fn look_up(&self, name: &str, types: &[RecordType]) -> DnsReading {
        match dns::check_name(name, &self.0.context.policy.names) {
            Ok(name) => self.0.look_up_records(name, types).await,
            Err(refusal) => self.0.failed_reading(name, types, name_refusal(refusal)),
        }
    }

    /// Looks up the TXT records of a name and returns all of them, also those beyond what a reading
    /// records.
    pub async fn look_up_texts(&self, name: &str) -> DnsAnswer {
        match dns::check_name(name, &self.0.context.policy.names) {
            Ok(name) => self.0.look_up_texts(name).await,
            Err(refusal) => failed_answer(RecordType::Txt, name_refusal(refusal)),
        }
    }

    /// Looks up the names of an address (PTR).
    pub async fn look_up_reverse(&self, address: IpAddr) -> DnsReading {
        self.0.look_up_records(dns::reverse_name(address), &[RecordType::Ptr]).await
    }

    /// Takes a place among the visits of a host's address and counts this many reads ahead, so that
    /// the visit is refused as a whole and not halfway. Reads beyond them are counted one by one.
    pub async fn reserve_reads(&self, host: &str, reads: u32) -> Result<(), TargetRefusal> {
        match HostName::parse(host, &self.0.context.policy.names) {
            Ok(host) => self.0.reserve_reads(&host, reads).await,
            Err(_) => Ok(()),
        }
    }

    /// Reads one URL. Never returns an error: a failure is recorded in the exchange.
    pub async fn fetch(&self, request: FetchRequest) -> FetchResult {
        fetch::fetch(&self.0, request).await
    }

    /// Asks one question and returns the head of the answer, whose body is still to be read. Redirects
    /// are not followed: [`crate::AnswerHead::redirect_location`] tells of one.
    pub async fn ask(&self, request: AskRequest) -> Result<Answer, Failure> {
        ask::ask(&self.0, request).await
    }

    /// Delivers a body and returns the status of the answer. Redirects are not followed.
    pub async fn post(&self, request: PostRequest) -> Result<u16, Failure> {
        post::post(&self.0, request).await
    }

    /// Closes the connections of one identity as soon as no read uses them.
    pub fn close_connections(&self, identity: &str) {
        self.0.pool.remove_identity(identity);
    }

    /// Tells the visit that the caller no longer holds this many bytes of bodies, so that others
    /// may be read.
    pub fn release_bytes(&self, bytes: usize) {
        self.0.byte_budget.refund(bytes);
    }

    /// The bytes of bodies of this kind that the visit may still receive.
    #[must_use]
    pub fn remaining_wire_bytes(&self, kind: ReadKind) -> u64 {
        self.0.traffic.remaining(kind)
    }

    /// All DNS look-ups made so far.
    #[must_use]
    pub fn dns_readings(&self) -> Vec<DnsReading> {
        self.0.dns_readings()
    }

    /// Time left before the deadline.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.0.deadline.saturating_duration_since(Instant::now())
    }
}
