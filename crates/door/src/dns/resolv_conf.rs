//! The system's name servers.

use std::net::{IpAddr, SocketAddr};

use crate::DoorError;

const RESOLV_CONF: &str = "/etc/resolv.conf";
/// The C library reads this many as well.
const MAX_SERVERS: usize = 3;
const DNS_PORT: u16 = 53;

pub(super) fn system_servers() -> Result<Vec<SocketAddr>, DoorError> {
    let text = std::fs::read_to_string(RESOLV_CONF).map_err(DoorError::ResolverFile)?;
    let servers = parse_name_servers(&text);
    if servers.is_empty() { Err(DoorError::NoResolver) } else { Ok(servers) }
}

/// Only `nameserver` lines count. The search list is ignored on purpose: a name is looked up
/// exactly as written. Servers with a zone index are skipped.
pub(super) fn parse_name_servers(text: &str) -> Vec<SocketAddr> {
    text.lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let address = words.next().filter(|word| *word == "nameserver").and(words.next())?;
            address.parse::<IpAddr>().ok()
        })
        .take(MAX_SERVERS)
        .map(|address| SocketAddr::new(address, DNS_PORT))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_name_servers_and_nothing_else() {
        let text = "# nameserver 9.9.9.9\nsearch corp.example\nnameserver 127.0.0.53\n\
                    options edns0\nnameserver\nnameserver fe80::1%eth0\nnameserver ::1 # local\n\
                    nameserver 10.0.0.2\nnameserver 10.0.0.3\n";
        let servers: Vec<String> =
            parse_name_servers(text).iter().map(ToString::to_string).collect();
        assert_eq!(servers, ["127.0.0.53:53", "[::1]:53", "10.0.0.2:53"]);
        assert!(parse_name_servers("").is_empty());
    }
}
