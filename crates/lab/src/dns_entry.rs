//! What the name server has for one name.

use std::net::IpAddr;

/// The records of a name, or how the name server fails for it.
#[derive(Debug, Clone)]
pub(crate) enum EntryData {
    Addresses(Vec<IpAddr>),
    Alias(String),
    Pointer(Vec<String>),
    ServerFailure,
    Refused,
    Late(u64, IpAddr),
    Silent,
    TcpOnly(IpAddr),
    Truncated,
    /// No address; the names in answers are in upper case.
    UpperCase,
    /// The site's own address first, then the trap's: always (`every` 0) or alternately (`every`
    /// 2).
    Alternating {
        own: IpAddr,
        every: u64,
    },
}
