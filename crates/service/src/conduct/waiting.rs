//! Requests of agents that only a DNS name can still confirm or deny. They wait in memory for the next turn of the
//! job: an answer never waits for a name.

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::PoisonError;

use agents::AgentIndex;
use contract::{Day, Timestamp};
use futures_util::StreamExt;
use judge::conduct::{Claim, Sighting};
use store::StoreError;

use super::Conduct;
use crate::visitors::VisitorDescription;

/// Requests that wait at once. What comes beyond counts as not verifiable.
const MAX_WAITING: usize = 256;
/// Addresses whose names are looked up in one turn, and at once.
const MAX_ADDRESSES: usize = 16;
const LOOK_UPS_AT_ONCE: usize = 8;

/// A request that waits, with what is to be counted of it.
#[derive(Debug)]
pub(super) struct WaitingRequest {
    pub(super) agent: AgentIndex,
    pub(super) user_agent: Vec<u8>,
    pub(super) address: IpAddr,
    pub(super) at: Timestamp,
    pub(super) is_robots_txt: bool,
    pub(super) is_conditional: bool,
    pub(super) broken_rule: Option<String>,
}

impl WaitingRequest {
    pub(super) fn sighting(&self, claim: Claim) -> Sighting<'_> {
        Sighting {
            claim,
            at: Some(self.at),
            is_robots_txt: self.is_robots_txt,
            is_conditional: self.is_conditional,
            broken_rule: self.broken_rule.as_deref(),
        }
    }
}

impl Conduct {
    /// Lets a request wait, or counts it as not verifiable if too many wait.
    pub(super) fn let_wait(&self, request: WaitingRequest) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < MAX_WAITING {
            waiting.push(request);
        } else {
            drop(waiting);
            self.add(&request, Claim::Unverifiable);
        }
    }

    /// Looks up the names of the addresses that wait, and counts their requests.
    pub async fn look_up_waiting(&self) {
        let mut addresses = HashSet::new();
        let (looked_up, others): (Vec<_>, Vec<_>) =
            self.take_waiting().into_iter().partition(|request| {
                addresses.contains(&request.address)
                    || (addresses.len() < MAX_ADDRESSES && addresses.insert(request.address))
            });
        for request in &others {
            self.add(request, Claim::Unverifiable);
        }
        let mut checks = Vec::with_capacity(looked_up.len());
        for request in looked_up {
            checks.push(self.check_and_count(request));
        }
        futures_util::stream::iter(checks)
            .buffered(LOOK_UPS_AT_ONCE)
            .for_each(|()| std::future::ready(()))
            .await;
    }

    async fn check_and_count(&self, request: WaitingRequest) {
        let checked = self.visitors.check(VisitorDescription {
            user_agent: &request.user_agent,
            address: Some(request.address),
            headers: None,
            authority: None,
        });
        let verdict = checked.await.verdict;
        let claim = self.claim_of(&verdict, request.address).unwrap_or(Claim::Unverifiable);
        self.add(&request, claim);
    }

    /// Counts and writes everything, at the end of the process. Nothing is looked up any more.
    pub async fn close(&self) -> Result<(), StoreError> {
        for request in self.take_waiting() {
            self.add(&request, Claim::Unverifiable);
        }
        self.write_counts().await
    }

    fn take_waiting(&self) -> Vec<WaitingRequest> {
        std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn add(&self, request: &WaitingRequest, claim: Claim) {
        self.lock_live().add(Day::of(request.at), request.agent, &request.sighting(claim));
    }
}
