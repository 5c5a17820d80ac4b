//! Which addresses may be dialled.
//!
//! Rule: an IPv4 address must lie in no special block. An IPv6 address must be global unicast, lie
//! in no special block, and carry no IPv4 address in its interface identifier. What an operator
//! allows is let through in that very form only: a mapped or translated spelling of an allowed
//! IPv4 address stays refused. What an operator refuses is refused before anything else.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ipnet::IpNet;

use super::blocks::{GLOBAL_UNICAST, NAT64, V4, V6};

/// What sort of address it is that may not be dialled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressKind {
    Unspecified,
    Loopback,
    Private,
    Shared,
    LinkLocal,
    Metadata,
    Protocol,
    Documentation,
    Benchmarking,
    Multicast,
    Broadcast,
    Reserved,
    EmbeddedIpv4,
    Unallocated,
    Operator,
}

impl AddressKind {
    /// A stable word for machines.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Unspecified => "unspecified_address",
            Self::Loopback => "loopback_address",
            Self::Private => "private_address",
            Self::Shared => "shared_address",
            Self::LinkLocal => "link_local_address",
            Self::Metadata => "metadata_address",
            Self::Protocol => "protocol_address",
            Self::Documentation => "documentation_address",
            Self::Benchmarking => "benchmarking_address",
            Self::Multicast => "multicast_address",
            Self::Broadcast => "broadcast_address",
            Self::Reserved => "reserved_address",
            Self::EmbeddedIpv4 => "embedded_ipv4_address",
            Self::Unallocated => "unallocated_address",
            Self::Operator => "operator_refused_address",
        }
    }
}

/// Why an address may not be dialled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressRefusal {
    pub address: IpAddr,
    pub kind: AddressKind,
    /// What the block is for.
    pub block: &'static str,
    /// The document that sets it apart.
    pub source: &'static str,
}

impl AddressRefusal {
    #[must_use]
    pub fn reason(&self) -> &'static str {
        self.kind.reason()
    }
}

impl fmt::Display for AddressRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not a public address ({}, {})", self.address, self.block, self.source)
    }
}

/// An address that passed the rule. Only [`AddressRule::vetted`] makes one, and only these can be
/// dialled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Vetted(SocketAddr);

impl Vetted {
    pub(crate) fn socket(self) -> SocketAddr {
        self.0
    }
}

/// The rule with an operator's exceptions.
#[derive(Debug, Clone, Default)]
pub struct AddressRule {
    allow: Vec<IpNet>,
    refuse: Vec<IpNet>,
}

impl AddressRule {
    #[must_use]
    pub fn new(allow: &[IpNet], refuse: &[IpNet]) -> Self {
        Self { allow: allow.to_vec(), refuse: refuse.to_vec() }
    }

    pub(crate) fn vetted(&self, address: IpAddr, port: u16) -> Result<Vetted, AddressRefusal> {
        self.vet(address).map(|()| Vetted(SocketAddr::new(address, port)))
    }

    /// Whether this very address may be dialled.
    pub fn vet(&self, address: IpAddr) -> Result<(), AddressRefusal> {
        let bare = unmapped(address);
        if self.refuse.iter().any(|net| net.contains(&address) || net.contains(&bare)) {
            return Err(AddressRefusal {
                address,
                kind: AddressKind::Operator,
                block: "refused by the operator",
                source: "configuration",
            });
        }
        let special = match address {
            IpAddr::V4(v4) => special_v4(v4),
            IpAddr::V6(v6) => special_v6(v6),
        };
        match special {
            None => Ok(()),
            Some(refusal) if self.allows(&refusal) => match address {
                IpAddr::V6(v6) if NAT64.holds(v6) => {
                    let inner = IpAddr::V4(Ipv4Addr::from_bits(low_32_bits(v6)));
                    self.vet(inner).map_err(|refusal| AddressRefusal { address, ..refusal })
                }
                _ => Ok(()),
            },
            Some(refusal) => Err(refusal),
        }
    }

    /// A wide allowance does not reach a metadata service; only one that names it does. A mapped
    /// form is never what an operator meant.
    fn allows(&self, refusal: &AddressRefusal) -> bool {
        unmapped(refusal.address) == refusal.address
            && self.allow.iter().any(|net| {
                net.contains(&refusal.address)
                    && (refusal.kind != AddressKind::Metadata
                        || net.prefix_len() == net.max_prefix_len())
            })
    }
}

/// The IPv4 address behind an IPv4-mapped one; every other address as it is.
fn unmapped(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

fn low_32_bits(address: Ipv6Addr) -> u32 {
    let [.., a, b, c, d] = address.octets();
    u32::from_be_bytes([a, b, c, d])
}

fn special_v4(address: Ipv4Addr) -> Option<AddressRefusal> {
    let block = V4.iter().find(|block| block.holds(address))?;
    Some(AddressRefusal {
        address: IpAddr::V4(address),
        kind: block.kind,
        block: block.name,
        source: block.source,
    })
}

fn special_v6(address: Ipv6Addr) -> Option<AddressRefusal> {
    let refusal = |kind, block, source| {
        Some(AddressRefusal { address: IpAddr::V6(address), kind, block, source })
    };
    if let Some(block) = V6.iter().find(|block| block.holds(address)) {
        return refusal(block.kind, block.name, block.source);
    }
    if !GLOBAL_UNICAST.holds(address) {
        return refusal(GLOBAL_UNICAST.kind, GLOBAL_UNICAST.name, GLOBAL_UNICAST.source);
    }
    if let [_, _, _, _, 0 | 0x200, 0x5efe, _, _] = address.segments() {
        return refusal(AddressKind::EmbeddedIpv4, "ISATAP", "RFC 5214");
    }
    None
}

#[cfg(test)]
mod tests;
