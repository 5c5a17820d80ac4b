//! Free scans: the daily limit per address, the daily limit for all callers together, and the switch
//! that pauses them.

use std::net::{IpAddr, Ipv6Addr};

use contract::policies::{NETWORK_TIERS, NetworkTier};
use proof::keys::DeploymentSecret;
use store::{AllowanceDraw, AllowanceOutcome, Day, StoreError, Switch, Switches};

use crate::access::Access;

/// The stored switch with which an operator pauses free scans.
const SCANS_PAUSED: &str = "scans_paused";

/// The free scans that callers without a licence may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreeScans {
    /// Scans per address and UTC day; `None` for no limit.
    pub per_address_and_day: Option<u32>,
    /// Scans of all callers together per UTC day.
    pub per_day: u32,
    /// Paused by configuration. The stored switch pauses them without a restart.
    pub paused: bool,
}

impl Default for FreeScans {
    fn default() -> Self {
        Self {
            per_address_and_day: Some(contract::limits::SCAN_PER_DAY),
            per_day: contract::limits::SCANS_PER_DAY_TOTAL,
            paused: false,
        }
    }
}

/// The part of a client address that limits are counted by: a whole IPv4 address, or the first 64
/// bits of an IPv6 address, because one client can use any address inside its /64 network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AddressBlock(IpAddr);

impl AddressBlock {
    #[must_use]
    pub fn from_address(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(whole) => Self(IpAddr::V4(whole)),
            IpAddr::V6(address) => {
                let network = address.to_bits() & (u128::from(u64::MAX) << 64);
                Self(IpAddr::V6(Ipv6Addr::from_bits(network)))
            }
        }
    }

    /// The first address of the block.
    #[must_use]
    pub fn address(self) -> IpAddr {
        self.0
    }

    /// The IPv6 network of so many bits around the block; `None` for IPv4.
    pub(super) fn ipv6_network(self, bits: u8) -> Option<Self> {
        let IpAddr::V6(address) = self.0 else { return None };
        let mask = u128::MAX.checked_shl(128 - u32::from(bits.min(128))).unwrap_or_default();
        Some(Self(IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))))
    }

    pub(crate) fn text(self) -> String {
        self.0.to_string()
    }
}

/// Pauses or resumes free scans, at once and for every process that uses this store.
pub async fn pause_scans(
    switches: &dyn Switches,
    on: bool,
    now: contract::Timestamp,
) -> Result<(), StoreError> {
    let switch = Switch { name: SCANS_PAUSED.to_owned(), on, changed_at: now.whole_seconds() };
    switches.set_switch(switch).await
}

/// The pause switch, with the time it was last changed. `None` if it was never set.
pub async fn scans_paused(switches: &dyn Switches) -> Result<Option<Switch>, StoreError> {
    switches.switch(SCANS_PAUSED).await
}

/// Why a free scan is refused.
#[derive(Debug, thiserror::Error)]
pub enum AllowanceError {
    #[error("the daily limit of free scans for this address is reached")]
    AddressLimitReached { retry_after_s: u64 },
    #[error("the daily limit of free scans for the network {network} is reached")]
    NetworkLimitReached { network: String, retry_after_s: u64 },
    #[error("the daily limit of free scans for this service is reached")]
    ServiceLimitReached { retry_after_s: u64 },
    #[error("free scans are paused")]
    Paused { retry_after_s: u64 },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Which of the limits a draw counts against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AllowanceScope {
    Address,
    /// An IPv6 network around the address.
    Network(AddressBlock),
    Service,
}

/// Whoever has an IPv6 network of this size has 65,536 networks of 64 bits, each with the scans of an
/// address. So the network has a limit of its own.
pub(super) const DAY_TIER: NetworkTier = NETWORK_TIERS[1];

impl Access {
    pub(crate) async fn check_not_paused(&self) -> Result<(), AllowanceError> {
        let switch = scans_paused(self.store.as_ref()).await?;
        if self.free_scans.get().paused || switch.is_some_and(|switch| switch.on) {
            return Err(AllowanceError::Paused { retry_after_s: PAUSED_RETRY_SECONDS });
        }
        Ok(())
    }

    /// Counts one free scan against today's limits. Called last, so that only scans that really
    /// start are counted. `block` is `None` for our own pages, which have no limit per address.
    pub(crate) async fn draw_free_scan(
        &self,
        block: Option<AddressBlock>,
    ) -> Result<(), AllowanceError> {
        let limits = self.free_scans.get();
        let now = self.clock.now();
        let day = Day::of(now);
        let mut draws = Vec::new();
        if let (Some(block), Some(limit)) = (block, limits.per_address_and_day) {
            let key = address_counter_key(&self.secret, day, block);
            draws.push((AllowanceScope::Address, AllowanceDraw { key, limit }));
            if let Some(network) = block.ipv6_network(DAY_TIER.prefix_bits) {
                let key = network_counter_key(&self.secret, day, network);
                let limit = limit.saturating_mul(DAY_TIER.factor);
                draws.push((AllowanceScope::Network(network), AllowanceDraw { key, limit }));
            }
        }
        let key = self.secret.mac("scans of everybody", &[]);
        draws.push((AllowanceScope::Service, AllowanceDraw { key, limit: limits.per_day }));
        let requested = draws.iter().map(|(_, draw)| *draw).collect();
        let AllowanceOutcome::Exhausted { which } =
            self.store.draw_allowances(day.into(), requested).await?
        else {
            return Ok(());
        };
        let retry_after_s = ceil_seconds(day.ends_at().millis_since(now));
        match draws.get(which) {
            Some((AllowanceScope::Address, _)) => {
                Err(AllowanceError::AddressLimitReached { retry_after_s })
            }
            Some((AllowanceScope::Network(network), _)) => {
                let network = format!("{}/{}", network.text(), DAY_TIER.prefix_bits);
                Err(AllowanceError::NetworkLimitReached { network, retry_after_s })
            }
            _ => Err(AllowanceError::ServiceLimitReached { retry_after_s }),
        }
    }

    /// Deletes sessions and requests for keys that have expired.
    pub async fn delete_expired_access(&self) {
        let now = self.clock.now();
        if let Err(error) = self.store.delete_expired_sessions(now).await {
            tracing::error!(%error, "expired sessions could not be deleted");
        }
        if let Err(error) = self.store.delete_expired_key_requests(now).await {
            tracing::error!(%error, "expired requests for keys could not be deleted");
        }
    }

    /// Deletes the counters of past days and months.
    pub async fn delete_past_counters(&self) {
        match self.store.delete_past_allowances(self.clock.now()).await {
            Ok(0) => {}
            Ok(deleted) => tracing::info!(deleted, "counters of past days and months deleted"),
            Err(error) => {
                tracing::error!(%error, "counters of past days and months could not be deleted")
            }
        }
    }
}

/// `Retry-After` while scans are paused. A guess: nobody knows when the operator will resume them.
const PAUSED_RETRY_SECONDS: u64 = 300;

/// The counter key of an address for one day, as a MAC: without the secret, stored keys cannot be
/// turned back into addresses, and the keys of two days cannot be matched.
fn address_counter_key(secret: &DeploymentSecret, day: Day, block: AddressBlock) -> proof::Digest {
    secret.mac("scans by address", &[&day.number().to_be_bytes(), block.text().as_bytes()])
}

/// The same for an IPv6 network.
fn network_counter_key(secret: &DeploymentSecret, day: Day, block: AddressBlock) -> proof::Digest {
    secret.mac("scans by network", &[&day.number().to_be_bytes(), block.text().as_bytes()])
}

/// Milliseconds as whole seconds, rounded up, at least 1.
pub(crate) fn ceil_seconds(ms: i64) -> u64 {
    u64::try_from(ms).unwrap_or(0).div_ceil(1000).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(text: &str) -> AddressBlock {
        AddressBlock::from_address(text.parse().unwrap())
    }

    #[test]
    fn an_ipv6_network_of_64_bits_counts_as_one_client() {
        assert_eq!(block("2001:db8:1:2::1"), block("2001:db8:1:2:ffff:ffff:ffff:ffff"));
        assert_ne!(block("2001:db8:1:2::1"), block("2001:db8:1:3::1"));
        assert_ne!(block("192.0.2.1"), block("192.0.2.2"));
        assert_eq!(block("::ffff:192.0.2.1"), block("192.0.2.1"));
        assert_eq!(block("2001:db8:1:2::1").text(), "2001:db8:1:2::");
    }

    #[test]
    fn the_networks_around_an_ipv6_block() {
        let network = |text: &str, bits| block(text).ipv6_network(bits).map(AddressBlock::text);
        assert_eq!(network("2001:db8:1:2ff::1", 48).as_deref(), Some("2001:db8:1::"));
        assert_eq!(network("2001:db8:1:2ff::1", 56).as_deref(), Some("2001:db8:1:200::"));
        assert_eq!(network("2001:db8:1:2ff::1", 0).as_deref(), Some("::"));
        assert_eq!(network("192.0.2.1", 48), None);
        assert_eq!((DAY_TIER.prefix_bits, DAY_TIER.factor), (48, 16));
    }

    #[test]
    fn counter_keys_differ_by_day_and_deployment() {
        let at = |text: &str| Day::of(text.parse().unwrap());
        let (one, two) = (at("2026-11-15T10:00:00Z"), at("2026-11-16T10:00:00Z"));
        let (ours, theirs) =
            (DeploymentSecret::from_bytes(&[1; 32]), DeploymentSecret::from_bytes(&[2; 32]));
        let name = address_counter_key(&ours, one, block("192.0.2.1"));
        assert_eq!(name, address_counter_key(&ours, one, block("192.0.2.1")));
        assert_ne!(name, address_counter_key(&ours, two, block("192.0.2.1")));
        assert_ne!(name, address_counter_key(&theirs, one, block("192.0.2.1")));
        assert_ne!(name, address_counter_key(&ours, one, block("192.0.2.2")));
    }

    #[test]
    fn waits_are_rounded_up() {
        for (ms, seconds) in [(-5, 1), (0, 1), (1, 1), (1000, 1), (1001, 2), (86_400_000, 86_400)] {
            assert_eq!(ceil_seconds(ms), seconds, "{ms}");
        }
    }
}
