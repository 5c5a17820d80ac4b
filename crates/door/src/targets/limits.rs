//! The limits, and what a caller is told when one is reached.

use std::net::IpAddr;
use std::time::Duration;

use ipnet::IpNet;

/// Limits over all visits of a door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetLimits {
    /// For one IP address.
    pub address: TargetLimit,
    /// For one network: an IPv4 /24 or an IPv6 /48.
    pub network: TargetLimit,
    /// For all targets together.
    pub total: TargetLimit,
}

/// The limits of one kind of target. 0 means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetLimit {
    /// Open connections; a read waits for one until its deadline. A quarter of it is the number of
    /// visits that may read the target at a time.
    pub connections: u32,
    /// Requests in any 60 seconds.
    pub reads_per_minute: u32,
}

impl TargetLimit {
    /// The visits that may read the target at a time: so many that each of them gets a few
    /// connections. `None` for no limit.
    pub(super) fn visits(self) -> Option<u32> {
        /// A visit opens about twice as many if nobody else wants them.
        const CONNECTIONS_PER_VISIT: u32 = 4;
        (self.connections > 0).then_some((self.connections / CONNECTIONS_PER_VISIT).max(1))
    }
}

/// A limit on a target is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetRefusal {
    /// When there is room again.
    pub retry_after: Duration,
}

impl TargetLimits {
    /// No limits, for load tests of one's own servers.
    #[must_use]
    pub fn none() -> Self {
        let none = TargetLimit { connections: 0, reads_per_minute: 0 };
        Self { address: none, network: none, total: none }
    }
}

impl Default for TargetLimits {
    /// Room for a few scans of the same address at a time: many sites share the address of their
    /// host or content delivery network.
    fn default() -> Self {
        Self {
            address: TargetLimit { connections: 24, reads_per_minute: 300 },
            network: TargetLimit { connections: 48, reads_per_minute: 1_200 },
            total: TargetLimit { connections: 1_024, reads_per_minute: 30_000 },
        }
    }
}

/// The network that an address is counted with: an IPv4 /24 or an IPv6 /48.
#[must_use]
pub fn network_of(address: IpAddr) -> Option<IpNet> {
    let address = address.to_canonical();
    IpNet::new(address, if address.is_ipv4() { 24 } else { 48 }).ok().map(|network| network.trunc())
}
