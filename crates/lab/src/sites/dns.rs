//! DNS behaviour: good answers, missing ones, lies, and addresses that must not be dialled.

use super::base::{SERVED, expect_failure, plain_site, site_with_pages};
use crate::{
    content::{BAKERY, BOOKSHOP, CLINIC, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA, SCHOOL},
    site::{DnsAddress, DnsBehaviour, LabSite, SiteDns},
};

const fn answers(answers: &'static [(&'static str, DnsBehaviour)]) -> SiteDns {
    SiteDns { answers, texts: &[], signed: false }
}

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "signed.lab",
        behaviour: "signed",
        does: "Is in a signed DNS zone. The resolver reports this to clients that ask.",
        says: "Every identity gets the page. The resolver reports the DNS answer as authenticated.",
        text: &FERRY,
        dns: SiteDns {
            answers: &[("", DnsBehaviour::Own), ("www", DnsBehaviour::Own)],
            texts: &[("", "a text record of signed.lab")],
            signed: true,
        },
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "www-only.lab",
        behaviour: "www_only",
        does: "Has an address at its www name only.",
        says: "Every identity gets the page at the www name. The bare name has no address.",
        text: &CLINIC,
        dns: answers(&[("", DnsBehaviour::Empty), ("www", DnsBehaviour::Own)]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "bare-only.lab",
        behaviour: "bare_only",
        does: "Has no www name.",
        says: "Every identity gets the page at the bare name.",
        text: &MUSEUM,
        dns: answers(&[("", DnsBehaviour::Own)]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "alias.lab",
        behaviour: "alias",
        does: "Reaches its address through several CNAME records.",
        says: "Every identity gets the page. The CNAME chain is recorded.",
        text: &BOOKSHOP,
        dns: answers(&[
            ("", DnsBehaviour::AliasChain(3)),
            ("www", DnsBehaviour::Alias("alias.lab")),
        ]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "alias-long.lab",
        behaviour: "alias_long",
        does: "Has a chain of fifty CNAME records.",
        says: "The name has a longer CNAME chain than we follow.",
        expect: expect_failure("dns", &["cname_chain_too_long"]),
        text: &GARDEN,
        dns: answers(&[("", DnsBehaviour::AliasChain(50))]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "alias-loop.lab",
        behaviour: "alias_loop",
        does: "Has CNAME records that form a loop.",
        says: "The CNAME records of the name form a loop.",
        expect: expect_failure("dns", &["cname_loop"]),
        text: &CYCLES,
        dns: answers(&[
            ("", DnsBehaviour::Alias("other.alias-loop.lab")),
            ("other", DnsBehaviour::Alias("alias-loop.lab")),
        ]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "alias-to-trap.lab",
        behaviour: "alias_to_trap",
        does: "Is a CNAME of a name with a private address.",
        says: "The name resolves to an address that is refused.",
        expect: expect_failure("refused_by_policy", &["loopback_address"]),
        text: &HOTEL,
        dns: answers(&[("", DnsBehaviour::Alias("trap.lab"))]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "alias-out.lab",
        behaviour: "alias_out",
        does: "Is a CNAME of a name that no public site can have.",
        says: "The name is a CNAME of a reserved name and was refused.",
        expect: expect_failure("refused_by_policy", &["cname_refused"]),
        text: &SCHOOL,
        dns: answers(&[("", DnsBehaviour::Alias("db.internal"))]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "no-address.lab",
        behaviour: "no_address",
        does: "Exists as a name but has no address.",
        says: "The name exists and has no address.",
        expect: expect_failure("dns", &["no_address"]),
        text: &ORCHESTRA,
        dns: answers(&[("", DnsBehaviour::Empty)]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "nowhere.lab",
        behaviour: "nowhere",
        does: "Does not exist as a name.",
        says: "The name does not exist.",
        expect: expect_failure("dns", &["nxdomain"]),
        text: &BAKERY,
        dns: answers(&[]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "servfail.lab",
        behaviour: "servfail",
        does: "Makes the name server fail (SERVFAIL).",
        says: "The DNS look-up failed, so we cannot tell whether the name exists.",
        expect: expect_failure("dns", &["servfail"]),
        text: &FERRY,
        dns: answers(&[("", DnsBehaviour::ServerFailure), ("www", DnsBehaviour::ServerFailure)]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "dns-refused.lab",
        behaviour: "dns_refused",
        does: "Makes the name server refuse the question (REFUSED).",
        says: "The DNS look-up was refused, so we cannot tell whether the name exists.",
        expect: expect_failure("dns", &["refused"]),
        text: &CLINIC,
        dns: answers(&[("", DnsBehaviour::Refused), ("www", DnsBehaviour::Refused)]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "dns-slow.lab",
        behaviour: "dns_slow",
        does: "Makes the name server answer after 0.2 seconds.",
        says: "Every identity gets the page. The DNS look-up was slow.",
        expect: SERVED,
        text: &MUSEUM,
        dns: answers(&[("", DnsBehaviour::Late(200)), ("www", DnsBehaviour::Late(200))]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "dns-late.lab",
        behaviour: "dns_late",
        does: "Makes the name server answer after five seconds.",
        says: "The resolver did not answer in time.",
        expect: expect_failure("timeout", &["dns_timeout"]),
        text: &BOOKSHOP,
        dns: answers(&[("", DnsBehaviour::Late(5000)), ("www", DnsBehaviour::Late(5000))]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "dns-silent.lab",
        behaviour: "dns_silent",
        does: "Makes the name server never answer.",
        says: "The resolver did not answer in time.",
        expect: expect_failure("timeout", &["dns_timeout"]),
        text: &GARDEN,
        dns: answers(&[("", DnsBehaviour::Silent), ("www", DnsBehaviour::Silent)]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "dns-tcp.lab",
        behaviour: "dns_tcp",
        does: "Is answered over TCP only. Over UDP the answer is truncated.",
        says: "Every identity gets the page. The DNS look-up used TCP.",
        text: &CYCLES,
        dns: answers(&[("", DnsBehaviour::TcpOnly), ("www", DnsBehaviour::TcpOnly)]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "thousand.lab",
        behaviour: "thousand",
        does: "Has a thousand addresses. The site is at the first one.",
        says: "Every identity gets the page. The name has more addresses than we record.",
        text: &HOTEL,
        dns: answers(&[("", DnsBehaviour::Many(1000))]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "rebinds.lab",
        behaviour: "rebinds",
        does: "Returns its own address at the first look-up and a private one at all later \
               look-ups.",
        says: "The first reading gets the page. Later look-ups return an address that is refused, \
               and no private address is contacted.",
        text: &SCHOOL,
        dns: answers(&[("", DnsBehaviour::OwnThenTrap), ("www", DnsBehaviour::Own)]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "alternates.lab",
        behaviour: "alternates",
        does: "Returns its own address and a private one alternately.",
        says: "Each reading is served or refused as a whole. No private address is contacted.",
        text: &ORCHESTRA,
        dns: answers(&[("", DnsBehaviour::Alternating), ("www", DnsBehaviour::Own)]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "mixed.lab",
        behaviour: "mixed",
        does: "Returns its own address and a private one in the same answer.",
        says: "One of the addresses is refused, so the name is refused.",
        expect: expect_failure("refused_by_policy", &["loopback_address"]),
        text: &BAKERY,
        dns: answers(&[("", DnsBehaviour::Addresses(&[DnsAddress::Own, DnsAddress::Trap]))]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "mixed-six.lab",
        behaviour: "mixed_six",
        does: "Has its own IPv4 address and ::1.",
        says: "One of the addresses is refused, so the name is refused.",
        expect: expect_failure("refused_by_policy", &["loopback_address"]),
        text: &FERRY,
        dns: answers(&[(
            "",
            DnsBehaviour::Addresses(&[DnsAddress::Own, DnsAddress::V6([0, 0, 0, 0, 0, 0, 0, 1])]),
        )]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "at-loopback.lab",
        behaviour: "at_loopback",
        does: "Has the address 127.0.0.1.",
        says: "The address is refused: loopback.",
        expect: expect_failure("refused_by_policy", &["loopback_address"]),
        text: &CLINIC,
        dns: answers(&[("", DnsBehaviour::Addresses(&[DnsAddress::V4([127, 0, 0, 1])]))]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "at-metadata.lab",
        behaviour: "at_metadata",
        does: "Has the cloud metadata address.",
        says: "The address is refused: metadata service.",
        expect: expect_failure("refused_by_policy", &["metadata_address"]),
        text: &MUSEUM,
        dns: answers(&[("", DnsBehaviour::Addresses(&[DnsAddress::V4([169, 254, 169, 254])]))]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "at-private.lab",
        behaviour: "at_private",
        does: "Has the address 10.0.0.1.",
        says: "The address is refused: private.",
        expect: expect_failure("refused_by_policy", &["private_address"]),
        text: &BOOKSHOP,
        dns: answers(&[("", DnsBehaviour::Addresses(&[DnsAddress::V4([10, 0, 0, 1])]))]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "at-six-loopback.lab",
        behaviour: "at_six_loopback",
        does: "Has the address ::1.",
        says: "The address is refused: loopback.",
        expect: expect_failure("refused_by_policy", &["loopback_address"]),
        text: &GARDEN,
        dns: answers(&[("", DnsBehaviour::Addresses(&[DnsAddress::V6([0, 0, 0, 0, 0, 0, 0, 1])]))]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "at-six-mapped.lab",
        behaviour: "at_six_mapped",
        does: "Has 127.0.0.1 as an IPv4-mapped IPv6 address, ::ffff:127.0.0.1.",
        says: "The address is refused: embedded IPv4 address.",
        expect: expect_failure("refused_by_policy", &["embedded_ipv4_address"]),
        text: &CYCLES,
        dns: answers(&[(
            "",
            DnsBehaviour::Addresses(&[DnsAddress::V6([0, 0, 0, 0, 0, 0xffff, 0x7f00, 1])]),
        )]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "at-six-translated.lab",
        behaviour: "at_six_translated",
        does: "Has 127.0.0.1 as an address translation (NAT64) address, 64:ff9b::7f00:1.",
        says: "The address is refused: embedded IPv4 address.",
        expect: expect_failure("refused_by_policy", &["embedded_ipv4_address"]),
        text: &HOTEL,
        dns: answers(&[(
            "",
            DnsBehaviour::Addresses(&[DnsAddress::V6([0x64, 0xff9b, 0, 0, 0, 0, 0x7f00, 1])]),
        )]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "at-six-local.lab",
        behaviour: "at_six_local",
        does: "Has a unique local IPv6 address.",
        says: "The address is refused: private.",
        expect: expect_failure("refused_by_policy", &["private_address"]),
        text: &SCHOOL,
        dns: answers(&[(
            "",
            DnsBehaviour::Addresses(&[DnsAddress::V6([0xfd00, 0, 0, 0, 0, 0, 0, 1])]),
        )]),
        ..site_with_pages(plain_site)
    },
];
