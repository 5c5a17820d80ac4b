//! Decides which addresses may be dialled.
//!
//! Rule: an IPv4 address must lie in no special block. An IPv6 address must be global unicast, lie
//! in no special block, and carry no IPv4 address in its interface identifier. A network that the
//! operator allows is allowed only in exactly that form: a mapped or translated spelling of an
//! allowed IPv4 address stays refused. A network that the operator refuses is refused before any
//! other rule.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ipnet::IpNet;

use super::address_blocks::{GLOBAL_UNICAST, IPV4_BLOCKS, IPV6_BLOCKS, NAT64};
use super::address_kind::AddressKind;

/// Why an address may not be dialled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressRefusal {
    pub address: IpAddr,
    pub kind: AddressKind,
    /// What the block is reserved for.
    pub block: &'static str,
    /// The document that reserves it.
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

/// An address that passed the rule. Only [`AddressRule::vet_socket`] creates one, and `http::dial`
/// accepts nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VettedAddress(SocketAddr);

impl VettedAddress {
    pub(crate) fn socket_address(self) -> SocketAddr {
        self.0
    }
}

/// The address rule, with the networks that the operator allows or refuses.
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

    pub(crate) fn vet_socket(
        &self,
        address: IpAddr,
        port: u16,
    ) -> Result<VettedAddress, AddressRefusal> {
        self.vet(address).map(|()| VettedAddress(SocketAddr::new(address, port)))
    }

    /// Checks whether this exact address may be dialled.
    pub fn vet(&self, address: IpAddr) -> Result<(), AddressRefusal> {
        let bare = unmap_ipv4(address);
        if self.refuse.iter().any(|net| net.contains(&address) || net.contains(&bare)) {
            return Err(AddressRefusal {
                address,
                kind: AddressKind::Operator,
                block: "refused by the operator",
                source: "configuration",
            });
        }
        let special = match address {
            IpAddr::V4(v4) => special_ipv4(v4),
            IpAddr::V6(v6) => special_ipv6(v6),
        };
        match special {
            None => Ok(()),
            Some(refusal) if self.allows(&refusal) => match address {
                IpAddr::V6(v6) if NAT64.contains(v6) => {
                    let inner = IpAddr::V4(Ipv4Addr::from_bits(low_32_bits(v6)));
                    self.vet(inner).map_err(|refusal| AddressRefusal { address, ..refusal })
                }
                _ => Ok(()),
            },
            Some(refusal) => Err(refusal),
        }
    }

    /// A wide allowed network does not include a metadata service; only a single-address network
    /// does. A mapped address is never allowed, because an operator does not mean that form.
    fn allows(&self, refusal: &AddressRefusal) -> bool {
        unmap_ipv4(refusal.address) == refusal.address
            && self.allow.iter().any(|net| {
                net.contains(&refusal.address)
                    && (refusal.kind != AddressKind::Metadata
                        || net.prefix_len() == net.max_prefix_len())
            })
    }
}

/// The IPv4 address inside an IPv4-mapped address; every other address unchanged.
fn unmap_ipv4(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

fn low_32_bits(address: Ipv6Addr) -> u32 {
    let [.., a, b, c, d] = address.octets();
    u32::from_be_bytes([a, b, c, d])
}

fn special_ipv4(address: Ipv4Addr) -> Option<AddressRefusal> {
    let block = IPV4_BLOCKS.iter().find(|block| block.contains(address))?;
    Some(AddressRefusal {
        address: IpAddr::V4(address),
        kind: block.kind,
        block: block.name,
        source: block.source,
    })
}

fn special_ipv6(address: Ipv6Addr) -> Option<AddressRefusal> {
    let refusal = |kind, block, source| {
        Some(AddressRefusal { address: IpAddr::V6(address), kind, block, source })
    };
    if let Some(block) = IPV6_BLOCKS.iter().find(|block| block.contains(address)) {
        return refusal(block.kind, block.name, block.source);
    }
    if !GLOBAL_UNICAST.contains(address) {
        return refusal(GLOBAL_UNICAST.kind, GLOBAL_UNICAST.name, GLOBAL_UNICAST.source);
    }
    if let [_, _, _, _, 0 | 0x200, 0x5efe, _, _] = address.segments() {
        return refusal(AddressKind::EmbeddedIpv4, "ISATAP", "RFC 5214");
    }
    None
}

#[cfg(test)]
mod tests;
