//! The counts of all clients under one policy, in bounded memory.
//!
//! Each client has a count of its own as long as there is room for it ([`super::cell_table`]). If there is
//! none, because very many clients came at once, new clients are counted by their coarse network, which has a
//! larger limit: a flood uses up what its own networks have, and clients that were there before it, and
//! those of other networks, are served. The number of such counts is fixed, too.

use super::{
    cell_table::{CellTable, Lookup},
    count::Count,
    exact_window::{EXACT_MAX, ExactWindow},
    gcra::Gcra,
    rate::RateLimit,
    scopes::{IPV4_CROWDS, MAX_SCOPES, RateLimitClient, Scope, Tier},
};

/// Clients and networks that are counted one by one at a time.
const MAX_COUNTS: usize = 65_536;
/// The same where each takes more memory.
const MAX_EXACT_COUNTS: usize = 32_768;
/// Counts of coarse IPv6 networks. Several may share one; which ones, nobody can foresee.
const IPV6_CROWDS: usize = 65_536;

/// The counts that one request belongs to, the narrowest first.
pub(super) type RequestCounts = [Option<(Scope, Count)>; MAX_SCOPES + 1];

#[derive(Debug)]
pub(super) struct PolicyCounts {
    limit: RateLimit,
    /// Clients, if the policy is exact.
    exact: Option<CellTable<ExactWindow>>,
    /// Clients otherwise, and networks: arrival times.
    steady: CellTable<u64>,
    /// Arrival times of coarse networks: first the IPv4 ones, each in its place, then the others. Empty
    /// until there is no room for a client for the first time.
    crowds: Vec<u64>,
}

impl PolicyCounts {
    /// A small limit can be exact.
    pub(super) fn new(limit: RateLimit, is_exact: bool) -> Self {
        let is_exact = is_exact && limit.max <= EXACT_MAX;
        Self {
            limit,
            exact: is_exact.then(|| CellTable::new(MAX_EXACT_COUNTS)),
            steady: CellTable::new(MAX_COUNTS),
            crowds: Vec::new(),
        }
    }

    /// The counts of a client. If one of them has no room, the coarse network is counted in its place.
    pub(super) fn counts_of(&self, client: RateLimitClient, now: u64) -> RequestCounts {
        let mut counts: RequestCounts = [None; MAX_SCOPES + 1];
        let mut has_room = true;
        for (count, scope) in counts.iter_mut().zip(client.scopes()) {
            let Some(scope) = scope else { continue };
            match self.find(scope, now) {
                Some(found) => *count = Some((scope, found)),
                None => has_room = false,
            }
        }
        if !has_room && let Some(last) = counts.last_mut() {
            let scope = client.crowd();
            let arrival = self.crowds.get(self.crowd_place(client)).copied().unwrap_or_default();
            let rate = Gcra::new(self.limit, scope.factor);
            *last = Some((scope, Count::Steady { rate, arrival }));
        }
        counts
    }

    /// The count of a client or of its network; `None` if it has none and there is no room.
    fn find(&self, scope: Scope, now: u64) -> Option<Count> {
        if let (Tier::Client, Some(exact)) = (scope.tier, &self.exact) {
            let window = match exact.find(scope.key, now) {
                Lookup::Known(window) => window,
                Lookup::Room => ExactWindow::default(),
                Lookup::Full => return None,
            };
            return Some(Count::Exact { limit: self.limit, window });
        }
        let arrival = match self.steady.find(scope.key, now) {
            Lookup::Known(arrival) => arrival,
            Lookup::Room => 0,
            Lookup::Full => return None,
        };
        Some(Count::Steady { rate: Gcra::new(self.limit, scope.factor), arrival })
    }

    /// Keeps a count. If several new ones of a request want the last room in the same part of the table,
    /// only the first gets it: the others are counted from the next request on.
    pub(super) fn keep(&mut self, client: RateLimitClient, scope: Scope, count: Count, now: u64) {
        match count {
            Count::Exact { window, .. } => {
                if let Some(exact) = &mut self.exact {
                    exact.put(scope.key, window, now);
                }
            }
            Count::Steady { arrival, .. } if scope.tier == Tier::Crowd => {
                if self.crowds.is_empty() {
                    self.crowds = vec![0; IPV4_CROWDS + IPV6_CROWDS];
                }
                let place = self.crowd_place(client);
                if let Some(kept) = self.crowds.get_mut(place) {
                    *kept = arrival;
                }
            }
            Count::Steady { arrival, .. } => {
                self.steady.put(scope.key, arrival, now);
            }
        }
    }

    /// The count under a scope that was counted before, if it is still there.
    pub(super) fn known(&self, client: RateLimitClient, scope: Scope, now: u64) -> Option<Count> {
        if scope.tier != Tier::Crowd {
            return self.find(scope, now);
        }
        let arrival = self.crowds.get(self.crowd_place(client)).copied()?;
        Some(Count::Steady { rate: Gcra::new(self.limit, scope.factor), arrival })
    }

    fn crowd_place(&self, client: RateLimitClient) -> usize {
        match client.ipv4_crowd() {
            Some(place) => place,
            None => IPV4_CROWDS + self.steady.hash_below(client.crowd().key, IPV6_CROWDS),
        }
    }

    #[cfg(test)]
    pub(super) fn count_clients(&self, now: u64) -> usize {
        match &self.exact {
            Some(exact) => exact.count_clients(now),
            None => self.steady.count_clients(now),
        }
    }
}
