//! The kinds of addresses that must not be dialled.

/// Why an address must not be dialled, as a kind.
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
    /// The stable reason code.
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
