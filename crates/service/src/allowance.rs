//! What may be had for nothing: the day's scans of one address and of everybody, and the switch
//! that stops them all.

use std::net::{IpAddr, Ipv6Addr};

use proof::keys::Secret;
use store::{Day, Draw, StoreError, Switch, Switches, Taking};

use crate::Service;
use crate::scan::ScanError;

/// The name of the switch that an operator throws to stop free scans.
const SCANS_PAUSED: &str = "scans_paused";

/// What everybody may have, as the operator decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreeScans {
    /// Scans of one address and UTC day; nothing for no such limit.
    pub per_address_and_day: Option<u32>,
    /// Scans of everybody together in a UTC day.
    pub per_day: u32,
    /// Whether they are paused by configuration. The switch does the same while we run.
    pub paused: bool,
}

impl Default for FreeScans {
    fn default() -> Self {
        Self {
            per_address_and_day: Some(contract::limits::SCAN_PER_DAY),
            per_day: 10_000,
            paused: false,
        }
    }
}

/// The part of an address that one asker has to himself: a whole IPv4 address, or the 64 bits of
/// an IPv6 network, inside which anybody can take as many addresses as they like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AddressBlock(IpAddr);

impl AddressBlock {
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(whole) => Self(IpAddr::V4(whole)),
            IpAddr::V6(address) => {
                let network = address.to_bits() & (u128::from(u64::MAX) << 64);
                Self(IpAddr::V6(Ipv6Addr::from_bits(network)))
            }
        }
    }

    pub(crate) fn text(self) -> String {
        self.0.to_string()
    }
}

/// Stops or resumes free scans, for every process on this store, at once and until it is changed.
pub async fn pause_scans(
    switches: &dyn Switches,
    on: bool,
    now: contract::Timestamp,
) -> Result<(), StoreError> {
    let switch = Switch { name: SCANS_PAUSED.to_owned(), on, changed_at: now.whole_seconds() };
    switches.set_switch(switch).await
}

/// Whether the switch is on, and since when it is as it is.
pub async fn scans_paused(switches: &dyn Switches) -> Result<Option<Switch>, StoreError> {
    switches.switch(SCANS_PAUSED).await
}

/// Which allowance a draw was of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Allowance {
    Address,
    Everybody,
}

impl Service {
    pub(crate) async fn refuse_while_paused(&self) -> Result<(), ScanError> {
        let switch = scans_paused(self.store.as_ref()).await?;
        if self.settings.free_scans.paused || switch.is_some_and(|switch| switch.on) {
            return Err(ScanError::Paused { retry_after_s: PAUSE_SECONDS });
        }
        Ok(())
    }

    /// Takes one free scan of today's. Called when everything else is ready, so that only what is
    /// really begun is counted. `block` is nobody's for our own pages.
    pub(crate) async fn take_free_scan(
        &self,
        block: Option<AddressBlock>,
    ) -> Result<(), ScanError> {
        let limits = self.settings.free_scans;
        let now = self.clock.now();
        let day = Day::of(now);
        let mut draws = Vec::new();
        if let (Some(block), Some(most)) = (block, limits.per_address_and_day) {
            let what = by_address(&self.secret, day, block);
            draws.push((Allowance::Address, Draw { what, most }));
        }
        let what = self.secret.mac("scans of everybody", &[]);
        draws.push((Allowance::Everybody, Draw { what, most: limits.per_day }));
        let asked = draws.iter().map(|(_, draw)| *draw).collect();
        let Taking::Spent { which } = self.store.take(day, asked).await? else { return Ok(()) };
        let retry_after_s = seconds_up(day.ends_at().millis_since(now));
        match draws.get(which) {
            Some((Allowance::Address, _)) => Err(ScanError::DaySpent { retry_after_s }),
            _ => Err(ScanError::DailyBudget { retry_after_s }),
        }
    }

    /// Forgets whom earlier days' counts were of.
    pub async fn forget_past_days(&self) {
        match self.store.forget_before(Day::of(self.clock.now())).await {
            Ok(0) => {}
            Ok(forgotten) => tracing::info!(forgotten, "counts of past days removed"),
            Err(error) => tracing::error!(%error, "counts of past days could not be removed"),
        }
    }
}

/// Nobody knows when an operator resumes; a client that asks again after this is welcome.
const PAUSE_SECONDS: u64 = 300;

/// A name for an address that only we can make, and only for that day: what is kept cannot be
/// turned back into addresses without the secret, nor one day's compared with another's.
fn by_address(secret: &Secret, day: Day, block: AddressBlock) -> proof::Digest {
    secret.mac("scans by address", &[&day.number().to_be_bytes(), block.text().as_bytes()])
}

/// Whole seconds, never too few.
pub(crate) fn seconds_up(ms: i64) -> u64 {
    u64::try_from(ms).unwrap_or(0).div_ceil(1000).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(text: &str) -> AddressBlock {
        AddressBlock::of(text.parse().unwrap())
    }

    #[test]
    fn a_network_of_64_bits_is_one_asker() {
        assert_eq!(block("2001:db8:1:2::1"), block("2001:db8:1:2:ffff:ffff:ffff:ffff"));
        assert_ne!(block("2001:db8:1:2::1"), block("2001:db8:1:3::1"));
        assert_ne!(block("192.0.2.1"), block("192.0.2.2"));
        assert_eq!(block("::ffff:192.0.2.1"), block("192.0.2.1"));
        assert_eq!(block("2001:db8:1:2::1").text(), "2001:db8:1:2::");
    }

    #[test]
    fn a_day_and_a_deployment_name_an_address_anew() {
        let at = |text: &str| Day::of(text.parse().unwrap());
        let (one, two) = (at("2026-11-15T10:00:00Z"), at("2026-11-16T10:00:00Z"));
        let (ours, theirs) = (Secret::from_bytes(&[1; 32]), Secret::from_bytes(&[2; 32]));
        let name = by_address(&ours, one, block("192.0.2.1"));
        assert_eq!(name, by_address(&ours, one, block("192.0.2.1")));
        assert_ne!(name, by_address(&ours, two, block("192.0.2.1")));
        assert_ne!(name, by_address(&theirs, one, block("192.0.2.1")));
        assert_ne!(name, by_address(&ours, one, block("192.0.2.2")));
    }

    #[test]
    fn waits_are_rounded_up() {
        for (ms, seconds) in [(-5, 1), (0, 1), (1, 1), (1000, 1), (1001, 2), (86_400_000, 86_400)] {
            assert_eq!(seconds_up(ms), seconds, "{ms}");
        }
    }
}
