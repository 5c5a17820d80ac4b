//! Names of addresses, confirmed in both directions.

use std::net::IpAddr;
use std::time::Duration;

use agents::AgentIndex;
use agents::verdict::{NameDenial, ReverseDns, VisitorChecker};
use contract::Timestamp;
use contract::evidence::DnsReading;
use door::{Door, RecordType};
use tokio::sync::Semaphore;

use super::Visitors;
use crate::bounded_cache::BoundedCache;

/// Look-ups at once, over all requests.
const MAX_LOOK_UPS: usize = 64;
/// For all look-ups of one visitor together.
const LOOK_UP_TIME: Duration = Duration::from_millis(1_500);
/// Names of one address that are looked up; an address may have any number.
const MAX_NAMES: usize = 4;
const MAX_CACHE_BYTES: usize = 8 << 20;
/// How long a result is used: names of crawlers do not change from hour to hour.
const CONFIRMED_FOR_MS: i64 = 3_600_000;
const DENIED_FOR_MS: i64 = 600_000;
const FAILED_FOR_MS: i64 = 30_000;

/// Results by address and agent, in memory only, and the bound of look-ups at once.
#[derive(Debug)]
pub(super) struct ReverseNames {
    cache: BoundedCache<(IpAddr, AgentIndex), ReverseDns>,
    permits: Semaphore,
}

impl Default for ReverseNames {
    fn default() -> Self {
        Self {
            cache: BoundedCache::new("reverse_names", MAX_CACHE_BYTES),
            permits: Semaphore::new(MAX_LOOK_UPS),
        }
    }
}

impl Visitors {
    /// Whether a name of the address confirms this agent, if that was looked up lately.
    pub(super) fn cached_name(&self, agent: AgentIndex, address: IpAddr) -> Option<ReverseDns> {
        self.reverse_names.cache.get(&(address, agent), self.clock.now())
    }

    /// Whether a name of the address confirms this agent.
    pub(super) async fn look_up_name(
        &self,
        checker: &VisitorChecker,
        agent: AgentIndex,
        address: IpAddr,
    ) -> ReverseDns {
        if let Some(known) = self.cached_name(agent, address) {
            return known;
        }
        let (names, now) = (&self.reverse_names, self.clock.now());
        let look_up = async {
            let Ok(_permit) = names.permits.acquire().await else {
                return ReverseDns::Failed { why: "was not made" };
            };
            confirm_name(self.scanner.door(), LOOK_UP_TIME, checker, agent, address).await
        };
        let found = tokio::time::timeout(LOOK_UP_TIME, look_up).await;
        let found = found.unwrap_or(ReverseDns::Failed { why: "took too long" });
        let valid_ms = match &found {
            ReverseDns::Confirmed { .. } => CONFIRMED_FOR_MS,
            ReverseDns::Denied(_) => DENIED_FOR_MS,
            ReverseDns::Failed { .. } | ReverseDns::NotLookedUp => FAILED_FOR_MS,
        };
        let until: Timestamp = now.plus_millis(valid_ms);
        names.cache.put(
            (address, agent),
            found.clone(),
            size_of_result(&found),
            until,
            now,
            |_| true,
        );
        found
    }
}

/// Whether a name of the address confirms this agent, by look-ups in both directions.
pub(super) async fn confirm_name(
    door: &Door,
    time: Duration,
    checker: &VisitorChecker,
    agent: AgentIndex,
    address: IpAddr,
) -> ReverseDns {
    let visit = door.visit(time);
    let reverse = visit.look_up_reverse(address).await;
    let names = match records_of(&reverse, RecordType::Ptr) {
        Ok(names) => names,
        Err(why) => return ReverseDns::Failed { why },
    };
    let Some(first) = names.first() else { return ReverseDns::Denied(NameDenial::NoName) };
    let documented = names.iter().filter(|name| checker.is_documented_name(agent, name));
    let family = if address.is_ipv4() { RecordType::A } else { RecordType::Aaaa };
    let mut unconfirmed = None;
    let mut failed = None;
    for name in documented.take(MAX_NAMES) {
        let forward = visit.look_up(name, &[RecordType::A, RecordType::Aaaa]).await;
        match records_of(&forward, family) {
            Ok(addresses) => {
                let is_it = |text: &String| {
                    text.parse::<IpAddr>().is_ok_and(|one| one.to_canonical() == address)
                };
                if addresses.iter().any(is_it) {
                    return ReverseDns::Confirmed { name: name.clone() };
                }
                unconfirmed.get_or_insert(name.clone());
            }
            Err(why) => failed = Some(why),
        }
    }
    match (failed, unconfirmed) {
        (Some(why), _) => ReverseDns::Failed { why },
        (None, Some(name)) => ReverseDns::Denied(NameDenial::NotConfirmed(name)),
        (None, None) => ReverseDns::Denied(NameDenial::OtherName(first.clone())),
    }
}

/// The records of this type; empty if the name or the records do not exist. An error if the resolver gave
/// no usable answer.
fn records_of(reading: &DnsReading, wanted: RecordType) -> Result<Vec<String>, &'static str> {
    let answer = reading.answers.iter().find(|answer| answer.record_type == wanted.as_str());
    let answer = answer.ok_or("got no answer")?;
    match answer.rcode.as_deref() {
        // Such as aliases that lead in a circle.
        Some("NOERROR") if answer.failure.is_some() && answer.records.is_empty() => {
            Err("got an answer that leads nowhere")
        }
        Some("NOERROR" | "NXDOMAIN") => {
            let records = answer.records.iter().map(|record| record.trim_end_matches('.'));
            Ok(records.map(str::to_owned).collect())
        }
        Some(_) => Err("got an error from the name server"),
        None => Err("got no answer"),
    }
}

fn size_of_result(result: &ReverseDns) -> usize {
    let name = match result {
        ReverseDns::Confirmed { name } => name.len(),
        ReverseDns::Denied(NameDenial::OtherName(name) | NameDenial::NotConfirmed(name)) => {
            name.len()
        }
        _ => 0,
    };
    200 + name
}
