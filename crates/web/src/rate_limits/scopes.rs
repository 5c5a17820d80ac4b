//! Whom a request is counted as: its address and the networks around it, or its licence.

use std::net::IpAddr;

use contract::policies::{
    CROWD_FACTOR, CROWD_IPV4_BITS, CROWD_IPV6_BITS, NETWORK_TIERS, NetworkTier,
};
use ipnet::IpNet;
use proof::Digest;
use service::AddressBlock;

use super::cell_table::CellKey;

/// Whom a request is counted as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RateLimitClient {
    Address(AddressBlock),
    Licence {
        /// The digest of the licence's id.
        id: Digest,
        /// How many times the limit by licence it has.
        factor: u32,
    },
}

/// One of the counts that a request belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scope {
    pub(super) tier: Tier,
    pub(super) key: CellKey,
    /// How many times the limit of a client it has.
    pub(super) factor: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tier {
    Client,
    /// An element of [`NETWORK_TIERS`].
    Network(usize),
    /// A coarse network, for clients that have no room of their own.
    Crowd,
}

/// A client and the networks around it, and the crowd.
pub(super) const MAX_SCOPES: usize = NETWORK_TIERS.len() + 1;
const _: () = assert!(MAX_SCOPES == 3);

impl RateLimitClient {
    /// The counts of this client, the narrowest first.
    pub(super) fn scopes(self) -> [Option<Scope>; MAX_SCOPES] {
        let client = |key, factor| Some(Scope { tier: Tier::Client, key, factor });
        match self {
            Self::Licence { id, factor } => [client(licence_key(&id), factor), None, None],
            Self::Address(block) => match block.address() {
                IpAddr::V4(address) => {
                    [client(key(u64::from(address.to_bits()), 4), 1), None, None]
                }
                IpAddr::V6(_) => {
                    let prefix = ipv6_prefix(block);
                    let network = |number: usize, tier: NetworkTier| {
                        let key = key(prefix & mask(tier.prefix_bits), tier.prefix_bits);
                        Some(Scope { tier: Tier::Network(number), key, factor: tier.factor })
                    };
                    let [near, far] = NETWORK_TIERS;
                    [client(key(prefix, 64), 1), network(0, near), network(1, far)]
                }
            },
        }
    }

    /// The coarse network that counts this client if there is no room for it.
    pub(super) fn crowd(self) -> Scope {
        let key = match self {
            Self::Licence { id, .. } => licence_key(&id),
            Self::Address(block) => match block.address() {
                IpAddr::V4(address) => {
                    let network = address.to_bits() >> (32 - CROWD_IPV4_BITS);
                    key(u64::from(network), CROWD_IPV4_BITS)
                }
                IpAddr::V6(_) => key(ipv6_prefix(block) & mask(CROWD_IPV6_BITS), CROWD_IPV6_BITS),
            },
        };
        let factor = match self {
            Self::Licence { factor, .. } => factor.saturating_mul(CROWD_FACTOR),
            Self::Address(_) => CROWD_FACTOR,
        };
        Scope { tier: Tier::Crowd, key, factor }
    }

    /// The number of this client's IPv4 network among [`IPV4_CROWDS`].
    pub(super) fn ipv4_crowd(self) -> Option<usize> {
        let Self::Address(block) = self else { return None };
        let IpAddr::V4(address) = block.address() else { return None };
        usize::try_from(address.to_bits() >> (32 - CROWD_IPV4_BITS)).ok()
    }

    /// How many times the limit of the policy this client has.
    pub(super) fn factor(self) -> u32 {
        match self {
            Self::Licence { factor, .. } => factor,
            Self::Address(_) => 1,
        }
    }

    /// The network that a count is about; `None` if it is about one IPv4 address or a licence.
    pub(super) fn network(self, tier: Tier) -> Option<IpNet> {
        let Self::Address(block) = self else { return None };
        let address = block.address();
        let bits = match (tier, address) {
            (Tier::Client | Tier::Network(_), IpAddr::V4(_)) => return None,
            (Tier::Client, IpAddr::V6(_)) => 64,
            (Tier::Network(number), IpAddr::V6(_)) => NETWORK_TIERS.get(number)?.prefix_bits,
            (Tier::Crowd, IpAddr::V4(_)) => CROWD_IPV4_BITS,
            (Tier::Crowd, IpAddr::V6(_)) => CROWD_IPV6_BITS,
        };
        Some(IpNet::new(address, bits).ok()?.trunc())
    }
}

/// Every IPv4 network of the size that crowds are counted by has a place of its own.
pub(super) const IPV4_CROWDS: usize = 1 << CROWD_IPV4_BITS;

impl From<AddressBlock> for RateLimitClient {
    fn from(block: AddressBlock) -> Self {
        Self::Address(block)
    }
}

/// The kind is never zero, so neither is the key.
fn key(network: u64, kind: u8) -> CellKey {
    CellKey([network, u64::from(kind)])
}

fn licence_key(id: &Digest) -> CellKey {
    let number = |at: usize| {
        let bytes = id.0.iter().skip(at).take(8);
        bytes.fold(0_u64, |number, byte| (number << 8) | u64::from(*byte))
    };
    CellKey([number(0), number(8) | 1])
}

/// The first 64 bits.
fn ipv6_prefix(block: AddressBlock) -> u64 {
    match block.address() {
        IpAddr::V6(address) => u64::try_from(address.to_bits() >> 64).unwrap_or_default(),
        IpAddr::V4(_) => 0,
    }
}

/// The first `bits` of 64.
fn mask(bits: u8) -> u64 {
    u64::MAX.checked_shl(64 - u32::from(bits.min(64))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(text: &str) -> RateLimitClient {
        AddressBlock::from_address(text.parse().unwrap()).into()
    }

    fn shared(one: &str, two: &str) -> [bool; 4] {
        let (one, two) = (client(one), client(two));
        let (near, far) = (one.scopes(), two.scopes());
        let same = |at: usize| near[at].is_some() && near[at] == far[at];
        [same(0), same(1), same(2), one.crowd() == two.crowd()]
    }

    #[test]
    fn ipv6_networks_contain_each_other_and_ipv4_addresses_stand_alone() {
        let home = "2001:db8:1:200::1";
        assert_eq!(shared(home, "2001:db8:1:200:ffff::9"), [true, true, true, true]);
        assert_eq!(shared(home, "2001:db8:1:2ff::1"), [false, true, true, true], "same /56");
        assert_eq!(shared(home, "2001:db8:1:300::1"), [false, false, true, true], "same /48");
        assert_eq!(shared(home, "2001:db8:2:200::1"), [false, false, false, true], "same /32");
        assert_eq!(shared(home, "2001:db9:1:200::1"), [false; 4]);
        assert_eq!(shared("192.0.2.1", "192.0.2.2"), [false, false, false, true]);
        assert_eq!(shared("192.0.2.1", "192.1.2.1"), [false; 4]);
        assert_eq!(shared("192.0.2.1", "::ffff:192.0.2.1"), [true, false, false, true]);
        // A /64, /56 and /48 with the same bits are three counts.
        let keys: Vec<CellKey> =
            client("2001:db8::1").scopes().iter().flatten().map(|scope| scope.key).collect();
        assert!(keys.len() == 3 && keys[0] != keys[1] && keys[1] != keys[2]);
        assert!(keys.iter().all(|key| *key != CellKey::default()));
    }

    #[test]
    fn networks_are_named_as_they_are_counted() {
        let names = |text: &str| {
            let tiers = [Tier::Client, Tier::Network(0), Tier::Network(1), Tier::Crowd];
            tiers.map(|tier| client(text).network(tier).map(|network| network.to_string()))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            names("2001:db8:1:2ff::1"),
            [
                some("2001:db8:1:2ff::/64"),
                some("2001:db8:1:200::/56"),
                some("2001:db8:1::/48"),
                some("2001:db8::/32")
            ]
        );
        assert_eq!(names("192.0.2.1"), [None, None, None, some("192.0.0.0/16")]);
        let licence = RateLimitClient::Licence { id: proof::sha256(b"x"), factor: 5 };
        assert_eq!(licence.network(Tier::Crowd), None);
        assert_eq!(licence.scopes()[0].map(|scope| scope.factor), Some(5));
        assert_eq!(client("192.1.2.3").ipv4_crowd(), Some((192 << 8) | 1));
        assert_eq!((mask(64), mask(32), mask(0)), (u64::MAX, u64::MAX << 32, 0));
    }
}
