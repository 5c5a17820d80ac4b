//! Hosts that belong to the internet that a service needs, but that nobody scans: they promise no
//! record.

use std::sync::LazyLock;

use super::base::{plain_site, site_with_pages};
use crate::{
    feeds::FEEDS_HOST,
    forwards::FORWARDED_HOST,
    mcp::{MCP_PEER_HOST, mcp_servers},
    rdap::RDAP_HOST,
    signing_bot::signing_hosts,
    site::{DnsAddress, DnsBehaviour, HttpsProtocol, LabSite, PortBehaviour, SiteDns},
};

const PEER_DNS: SiteDns = SiteDns {
    answers: &[("", DnsBehaviour::Addresses(&[DnsAddress::V4([127, 77, 0, 99])]))],
    texts: &[],
    signed: false,
};

pub(super) static HOSTS: LazyLock<Vec<LabSite>> = LazyLock::new(|| {
    let feeds = LabSite {
        name: FEEDS_HOST,
        behaviour: "feeds",
        does: "Serves the address lists of the operators of agents, good ones and faulty ones.",
        says: "Not scanned.",
        https: PortBehaviour::Feeds,
        ..site_with_pages(plain_site)
    };
    let registry = LabSite {
        name: RDAP_HOST,
        behaviour: "rdap",
        does: "Serves registrations of the lab's domains, in the forms in which registries send them.",
        says: "Not scanned.",
        http: PortBehaviour::Rdap,
        https: PortBehaviour::Rdap,
        ..site_with_pages(plain_site)
    };
    let key_directory = |name: &'static str| LabSite {
        name,
        behaviour: "key_directory",
        does: "Serves the directory of the keys with which an agent signs its requests.",
        says: "Not scanned.",
        https: PortBehaviour::KeyDirectory,
        ..site_with_pages(plain_site)
    };
    let directories = signing_hosts().iter().map(|(name, _)| key_directory(name));
    let mcp_servers = mcp_servers().iter().map(|server| LabSite {
        name: server.name,
        behaviour: "mcp_server",
        does: server.does,
        says: "Not scanned as a site.",
        https: PortBehaviour::Mcp,
        // The older form holds a stream open while it is asked; most such servers speak HTTP/1.1.
        protocol: HttpsProtocol::Http1,
        ..site_with_pages(plain_site)
    });
    let peer = LabSite {
        name: MCP_PEER_HOST,
        behaviour: "mcp_peer",
        does: "Leads to an address where tests run real MCP servers.",
        says: "Not scanned.",
        dns: PEER_DNS,
        http: PortBehaviour::Closed,
        https: PortBehaviour::Closed,
        ..site_with_pages(plain_site)
    };
    let forwarded = LabSite {
        name: FORWARDED_HOST,
        behaviour: "forwarded",
        does: "Leads to a server that a test started, such as the service itself.",
        says: "Whatever that server deserves.",
        https: PortBehaviour::Forward,
        protocol: HttpsProtocol::Http1,
        ..site_with_pages(plain_site)
    };
    [feeds, registry]
        .into_iter()
        .chain(directories)
        .chain(mcp_servers)
        .chain([peer, forwarded])
        .collect()
});
