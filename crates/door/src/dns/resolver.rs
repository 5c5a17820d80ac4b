//! The stub resolver: asks the operator's name servers and follows CNAMEs to an answer.

use std::net::SocketAddr;

use contract::NamePolicy;
use hickory_proto::rr::Name;
use tokio::time::Instant;

use super::cname_chase::{CnameChase, LookupAnswer};
use super::record_type::RecordType;
use super::resolv_conf;
use super::transport::{self, PendingQuery};
use crate::policy::DNS_TRIES;
use crate::read_timer::ReadTimer;
use crate::{DoorError, Limits, Policy, ResolverChoice};

/// Asks the operator's name servers. Shared by all visits; only `sockets` changes, and it guards
/// itself.
#[derive(Debug)]
pub(crate) struct Resolver {
    /// At least one. The second try goes to the next server.
    servers: Vec<SocketAddr>,
    sockets: transport::IdleSockets,
    names: NamePolicy,
    max_records: usize,
    max_cnames: usize,
}

impl Resolver {
    pub(crate) fn new(policy: &Policy) -> Result<Self, DoorError> {
        let servers = match policy.resolver {
            ResolverChoice::Server(server) => vec![server],
            ResolverChoice::System => resolv_conf::system_servers()?,
        };
        let Limits { max_dns_records: records, max_cname_chain: cname_chain, .. } = policy.limits;
        let sockets = transport::IdleSockets::default();
        Ok(Self {
            servers,
            sockets,
            names: policy.names.clone(),
            max_records: records,
            max_cnames: cname_chain,
        })
    }

    /// The resolver's address, as recorded.
    pub(crate) fn label(&self) -> String {
        self.servers.first().map(ToString::to_string).unwrap_or_default()
    }

    /// Looks up several record types of one name in parallel. The answers are in the order of
    /// `types`.
    pub(crate) async fn look_up(
        &self,
        name: &Name,
        types: &[RecordType],
        until: Instant,
        timer: &ReadTimer,
    ) -> Vec<LookupAnswer> {
        let mut chases: Vec<CnameChase> = types
            .iter()
            .map(|kind| CnameChase::new(name.clone(), *kind, self.max_records, self.max_cnames))
            .collect();
        // Each round moves every open look-up one step along its CNAMEs, so the loop ends.
        loop {
            let mut round: Vec<PendingQuery> =
                chases.iter().filter(|chase| chase.is_open()).map(CnameChase::question).collect();
            if round.is_empty() {
                break;
            }
            self.send_round(&mut round, until, timer).await;
            let open = chases.iter_mut().filter(|chase| chase.is_open());
            for (chase, query) in open.zip(round) {
                chase.accept_reply(query.into_reply(), &self.names);
            }
        }
        chases.into_iter().map(CnameChase::into_answer).collect()
    }

    async fn send_round(&self, round: &mut [PendingQuery], until: Instant, timer: &ReadTimer) {
        for (attempt, server) in (1..=DNS_TRIES).zip(self.servers.iter().cycle()) {
            if !round.iter().any(PendingQuery::needs_another_try) {
                break;
            }
            let now = Instant::now();
            let left = until.saturating_duration_since(now);
            let limit = now + left / (DNS_TRIES - attempt + 1);
            transport::ask_server(&self.sockets, *server, round, limit, timer).await;
        }
    }
}
