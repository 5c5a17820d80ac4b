//! What may be reached and how much of it may be read: one value for the whole door.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use contract::NamePolicy;
use ipnet::IpNet;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use crate::{DoorError, ReadKind, TargetLimits};

/// How many times an unanswered DNS question is sent.
pub(crate) const DNS_TRIES: u32 = 2;

/// The rules of a door. [`Policy::public`] is for the public internet; a lab uses another value.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Names and ports that are allowed although the public rules refuse them.
    pub names: NamePolicy,
    /// Networks that are allowed although they are special. To declare an IPv6-only network with
    /// DNS64, allow the translation prefix `64:ff9b::/96`; the IPv4 address inside must still pass
    /// the rule.
    pub allow_networks: Vec<IpNet>,
    /// Networks that are refused in addition to the special ones, such as the operator's own. This
    /// takes precedence over everything else.
    pub refuse_networks: Vec<IpNet>,
    pub resolver: ResolverChoice,
    /// The port that is dialled for port 80 of a URL.
    pub http_port: u16,
    /// The port that is dialled for port 443 of a URL.
    pub https_port: u16,
    /// The ports that URLs of MCP servers may name besides 80, 443 and those of `names`. Only visits
    /// of MCP servers may use them; see [`Policy::MCP_PORTS`].
    pub mcp_ports: Vec<u16>,
    /// Certificate authorities trusted in addition to the built-in roots; see [`read_pem`].
    pub extra_ca: Vec<CertificateDer<'static>>,
    /// The local address for outgoing connections. Only targets of the same address family are
    /// dialled.
    pub source_address: Option<IpAddr>,
    pub limits: Limits,
    /// Limits of what all visits together may do to one target.
    pub targets: TargetLimits,
}

impl Policy {
    /// The ports at which MCP servers are found in practice: 3000 in the examples of the TypeScript
    /// SDK, 3001 of the reference server "everything", 8000 of the Python SDK and of FastMCP, 8080 and
    /// 8443 where 80 and 443 are taken. No service that understands commands in plain text
    /// (mail, Redis, databases) uses one of them by default.
    pub const MCP_PORTS: [u16; 5] = [3000, 3001, 8000, 8080, 8443];

    /// The public internet, with no exceptions.
    #[must_use]
    pub fn public() -> Self {
        Self {
            names: NamePolicy::default(),
            allow_networks: Vec::new(),
            refuse_networks: Vec::new(),
            resolver: ResolverChoice::System,
            http_port: 80,
            https_port: 443,
            mcp_ports: Self::MCP_PORTS.to_vec(),
            extra_ca: Vec::new(),
            source_address: None,
            limits: Limits::default(),
            targets: TargetLimits::default(),
        }
    }

    /// Whether nothing is allowed that the rules for the public internet refuse. Callers print a
    /// warning if this is false.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.names == NamePolicy::default()
            && self.allow_networks.is_empty()
            && self.extra_ca.is_empty()
            && (self.http_port, self.https_port) == (80, 443)
    }
}

/// Which name servers to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResolverChoice {
    /// The name servers of `/etc/resolv.conf`, without its search list.
    #[default]
    System,
    Server(SocketAddr),
}

/// Every limit of a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Phase timeouts for a visit with a deadline longer than `live_budget`.
    pub full_phases: PhaseTimeouts,
    /// Phase timeouts for a visit that must answer within `live_budget`.
    pub live_phases: PhaseTimeouts,
    pub live_budget: Duration,
    /// The longest URL, for the first request and for redirects.
    pub max_url_bytes: usize,
    pub max_redirects: usize,
    /// RFC 9309 asks crawlers to follow at least five.
    pub max_robots_redirects: usize,
    pub max_head_bytes: u32,
    pub max_head_fields: usize,
    /// The most interim (1xx) responses before the final one.
    pub max_interim_responses: u32,
    pub page: BodyCaps,
    pub robots: BodyCaps,
    pub json: BodyCaps,
    pub style_sheet: BodyCaps,
    /// One answer of an MCP server, whole or as a stream that carries many answers. Callers set a lower
    /// limit for single answers.
    pub mcp: BodyCaps,
    /// The largest body of a request.
    pub max_request_body_bytes: usize,
    /// The most decoded bytes that all bodies of one visit may hold together. The caller refunds
    /// what it no longer holds.
    pub max_visit_bytes: u64,
    /// The most bytes of bodies that one visit receives, before decoding: of each kind of file, and
    /// of all together. Nothing is refunded.
    pub max_kind_wire_bytes: u64,
    pub max_visit_wire_bytes: u64,
    /// A body that expands by more than this factor is cut, once it has more than
    /// `ratio_checked_from_bytes` decoded bytes.
    pub max_decompression_ratio: u64,
    pub ratio_checked_from_bytes: u64,
    /// The slowest transfer rate that is accepted, in bytes per second, checked once
    /// `min_rate_after` has passed.
    pub min_bytes_per_second: u64,
    pub min_rate_after: Duration,
    /// The most parallel requests to one host.
    pub requests_per_host: usize,
    /// The most parallel requests to one network (an IPv4 /24 or an IPv6 /48).
    pub requests_per_network: usize,
    /// How many addresses of one name are dialled before giving up, and so the most attempts that
    /// run at the same time.
    pub dial_attempts: usize,
    /// How many addresses (or other records) of one name are recorded.
    pub max_dns_records: usize,
    pub max_cname_chain: usize,
}

impl Default for Limits {
    fn default() -> Self {
        const KIB: u64 = 1024;
        const MIB: u64 = 1024 * KIB;
        let same = |bytes| BodyCaps { wire: bytes, decoded: bytes };
        Self {
            full_phases: PhaseTimeouts {
                dns: Duration::from_secs(3),
                connect: Duration::from_secs(3),
                tls: Duration::from_secs(3),
                head: Duration::from_secs(10),
            },
            live_phases: PhaseTimeouts {
                dns: Duration::from_millis(300),
                connect: Duration::from_millis(300),
                tls: Duration::from_millis(400),
                head: Duration::from_millis(1000),
            },
            live_budget: contract::limits::LIVE_READ_BUDGET,
            max_url_bytes: 2048,
            max_redirects: 10,
            max_robots_redirects: 5,
            max_head_bytes: 64 * 1024,
            max_head_fields: 200,
            max_interim_responses: 8,
            page: same(2 * MIB),
            robots: same(512 * KIB),
            json: same(MIB),
            style_sheet: same(256 * KIB),
            mcp: same(8 * MIB),
            max_request_body_bytes: 64 * 1024,
            max_visit_bytes: 24 * MIB,
            max_kind_wire_bytes: 8_000_000,
            max_visit_wire_bytes: 24_000_000,
            max_decompression_ratio: 1000,
            ratio_checked_from_bytes: MIB,
            min_bytes_per_second: KIB,
            min_rate_after: Duration::from_secs(2),
            requests_per_host: 12,
            requests_per_network: 12,
            dial_attempts: 2,
            max_dns_records: 64,
            max_cname_chain: 8,
        }
    }
}

impl Limits {
    pub(crate) fn body_caps(&self, kind: ReadKind) -> BodyCaps {
        match kind {
            ReadKind::Page | ReadKind::OtherPage => self.page,
            ReadKind::Robots => self.robots,
            ReadKind::Json => self.json,
            ReadKind::StyleSheet => self.style_sheet,
            ReadKind::Mcp => self.mcp,
        }
    }

    pub(crate) fn max_redirects_for(&self, kind: ReadKind) -> usize {
        match kind {
            ReadKind::Robots => self.max_robots_redirects,
            ReadKind::Page
            | ReadKind::OtherPage
            | ReadKind::Json
            | ReadKind::StyleSheet
            | ReadKind::Mcp => self.max_redirects,
        }
    }

    pub(crate) fn phase_timeouts(&self, deadline: Duration) -> PhaseTimeouts {
        if deadline <= self.live_budget { self.live_phases } else { self.full_phases }
    }
}

/// The timeout of each phase of one hop. The deadline of the visit applies as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhaseTimeouts {
    pub dns: Duration,
    /// Per address.
    pub connect: Duration,
    pub tls: Duration,
    pub head: Duration,
}

impl PhaseTimeouts {
    /// The shortest timeout of any phase. A DNS look-up counts one phase for each try.
    pub(crate) fn shortest(&self) -> Duration {
        (self.dns / DNS_TRIES).min(self.connect).min(self.tls).min(self.head)
    }
}

/// The most bytes of a body that are read, before and after decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyCaps {
    pub wire: u64,
    pub decoded: u64,
}

/// Parses the certificates of a PEM text, for [`Policy::extra_ca`].
pub fn read_pem(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, DoorError> {
    let certificates = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| DoorError::Pem(error.to_string()))?;
    if certificates.is_empty() {
        return Err(DoorError::Pem("it contains no certificate".to_owned()));
    }
    Ok(certificates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_with_any_exception_is_not_public() {
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
