//! What may be reached, and how much of it: one value for the whole door.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use contract::NamePolicy;
use ipnet::IpNet;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use crate::{DoorError, ReadKind};

/// The rules a door keeps. [`Policy::public`] is the real internet; a lab is another value.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Names and ports let through although the public rules refuse them.
    pub names: NamePolicy,
    /// Networks let through although they are special. Naming the translation prefix
    /// `64:ff9b::/96` is how an IPv6-only network with DNS64 is declared; the IPv4 address inside
    /// is still held to the rule.
    pub allow_networks: Vec<IpNet>,
    /// Networks refused besides the special ones, such as the operator's own. Wins over all else.
    pub refuse_networks: Vec<IpNet>,
    pub resolver: ResolverChoice,
    /// What port 80 of a URL really dials.
    pub http_port: u16,
    /// What port 443 of a URL really dials.
    pub https_port: u16,
    /// Trusted besides the built-in roots; see [`read_pem`].
    pub extra_ca: Vec<CertificateDer<'static>>,
    /// The address connections leave from. Only targets of its family are dialled.
    pub source_address: Option<IpAddr>,
    pub limits: Limits,
}

impl Policy {
    /// The real internet, without any allowance.
    #[must_use]
    pub fn public() -> Self {
        Self {
            names: NamePolicy::default(),
            allow_networks: Vec::new(),
            refuse_networks: Vec::new(),
            resolver: ResolverChoice::System,
            http_port: 80,
            https_port: 443,
            extra_ca: Vec::new(),
            source_address: None,
            limits: Limits::default(),
        }
    }

    /// Whether nothing is let through that the public internet's rules refuse. A caller warns
    /// loudly when this is false.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.names == NamePolicy::default()
            && self.allow_networks.is_empty()
            && self.extra_ca.is_empty()
            && (self.http_port, self.https_port) == (80, 443)
    }
}

/// Who answers questions about names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResolverChoice {
    /// The name servers of `/etc/resolv.conf`, without its search list.
    #[default]
    System,
    Server(SocketAddr),
}

/// Every bound of a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Phase times for a visit with a deadline longer than `live_budget`.
    pub full: Phases,
    /// Phase times for a visit that must answer within `live_budget`.
    pub live: Phases,
    pub live_budget: Duration,
    /// The longest URL, first or redirected to.
    pub url_bytes: usize,
    pub redirects: usize,
    /// RFC 9309 asks for five.
    pub robots_redirects: usize,
    pub head_bytes: u32,
    pub head_fields: usize,
    /// Interim (1xx) responses before the real one.
    pub interim_responses: u32,
    pub page: Caps,
    pub robots: Caps,
    pub json: Caps,
    /// For the decoded bodies of one visit together, as long as the caller keeps them.
    pub visit_bytes: u64,
    /// Beyond `ratio_from` decoded bytes, a body that grew by more than this factor is cut.
    pub ratio: u64,
    pub ratio_from: u64,
    /// The slowest body that is still read, in bytes a second, once `rate_after` has passed.
    pub rate_bytes: u64,
    pub rate_after: Duration,
    /// Requests to one host at a time.
    pub per_host: usize,
    /// Requests to one network (a /24, or a /48) at a time.
    pub per_network: usize,
    /// Addresses of one name that are tried before giving up.
    pub dial_attempts: usize,
    /// Addresses (or other records) of one name that are recorded.
    pub dns_records: usize,
    pub cname_chain: usize,
}

impl Default for Limits {
    fn default() -> Self {
        const KIB: u64 = 1024;
        const MIB: u64 = 1024 * KIB;
        let same = |bytes| Caps { wire: bytes, decoded: bytes };
        Self {
            full: Phases {
                dns: Duration::from_secs(3),
                connect: Duration::from_secs(3),
                tls: Duration::from_secs(3),
                head: Duration::from_secs(10),
            },
            live: Phases {
                dns: Duration::from_millis(300),
                connect: Duration::from_millis(300),
                tls: Duration::from_millis(400),
                head: Duration::from_millis(1000),
            },
            live_budget: contract::limits::LIVE_READ_BUDGET,
            url_bytes: 2048,
            redirects: 10,
            robots_redirects: 5,
            head_bytes: 64 * 1024,
            head_fields: 200,
            interim_responses: 8,
            page: same(2 * MIB),
            robots: same(512 * KIB),
            json: same(MIB),
            visit_bytes: 24 * MIB,
            ratio: 1000,
            ratio_from: MIB,
            rate_bytes: KIB,
            rate_after: Duration::from_secs(2),
            per_host: 12,
            per_network: 12,
            dial_attempts: 2,
            dns_records: 64,
            cname_chain: 8,
        }
    }
}

impl Limits {
    pub(crate) fn caps(&self, kind: ReadKind) -> Caps {
        match kind {
            ReadKind::Page => self.page,
            ReadKind::Robots => self.robots,
            ReadKind::Json => self.json,
        }
    }

    pub(crate) fn redirects(&self, kind: ReadKind) -> usize {
        match kind {
            ReadKind::Robots => self.robots_redirects,
            ReadKind::Page | ReadKind::Json => self.redirects,
        }
    }

    pub(crate) fn phases(&self, deadline: Duration) -> Phases {
        if deadline <= self.live_budget { self.live } else { self.full }
    }
}

/// How long each step of one hop may take. The deadline of the visit holds besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phases {
    pub dns: Duration,
    /// For one address.
    pub connect: Duration,
    pub tls: Duration,
    pub head: Duration,
}

impl Phases {
    /// The least time that any step is given; a look-up is a step for each of its tries.
    pub(crate) fn shortest(&self) -> Duration {
        (self.dns / crate::dns::TRIES).min(self.connect).min(self.tls).min(self.head)
    }
}

/// The most of a body that is read, before and after decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    pub wire: u64,
    pub decoded: u64,
}

/// The certificates in a PEM text, for [`Policy::extra_ca`].
pub fn read_pem(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, DoorError> {
    let certificates = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| DoorError::Pem(error.to_string()))?;
    if certificates.is_empty() {
        return Err(DoorError::Pem("no certificate in it".to_owned()));
    }
    Ok(certificates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_with_any_allowance_is_not_public() {
        assert!(Policy::public().is_public());
        let names = NamePolicy { allow_suffixes: vec!["lab".into()], allow_ports: vec![] };
        let ports = NamePolicy { allow_suffixes: vec![], allow_ports: vec![8443] };
        let public = Policy::public;
        for lab in [
            Policy { names, ..public() },
            Policy { names: ports, ..public() },
            Policy { allow_networks: vec!["127.0.0.0/8".parse().unwrap()], ..public() },
            Policy { http_port: 8080, ..public() },
            Policy { https_port: 8443, ..public() },
            Policy { extra_ca: vec![CertificateDer::from(vec![0])], ..public() },
        ] {
            assert!(!lab.is_public(), "{lab:?}");
        }
        let stricter = Policy {
            refuse_networks: vec!["192.0.2.0/24".parse().unwrap()],
            resolver: ResolverChoice::Server("9.9.9.9:53".parse().unwrap()),
            ..public()
        };
        assert!(stricter.is_public());
    }

    #[test]
    fn pem_without_a_certificate_is_an_error() {
        assert!(matches!(read_pem(b""), Err(DoorError::Pem(_))));
        assert!(matches!(
            read_pem(b"-----BEGIN CERTIFICATE-----\n*\n-----END CERTIFICATE-----\n"),
            Err(DoorError::Pem(_))
        ));
    }
}
