//! What the name server says: good answers, none, lies, and addresses that must not be dialled.

use super::{SERVED, fails, pages, plain};
use crate::{
    content::{BAKERY, BOOKSHOP, CLINIC, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA, SCHOOL},
    site::{Address, Answer, Names, Site},
};

const fn answers(answers: &'static [(&'static str, Answer)]) -> Names {
    Names { answers, texts: &[], signed: false }
}

pub(super) const SITES: &[Site] = &[
    Site {
        name: "signed.lab",
        behaviour: "signed",
        does: "Lies in a signed zone, and says so to those who ask.",
        says: "Everybody is served; the resolver says that the answer is authenticated.",
        text: &FERRY,
        names: Names {
            answers: &[("", Answer::Own), ("www", Answer::Own)],
            texts: &[("", "a text record of signed.lab")],
            signed: true,
        },
        ..pages(plain)
    },
    Site {
        name: "www-only.lab",
        behaviour: "www_only",
        does: "Has an address at its www name only.",
        says: "Everybody is served at the www name; the bare name has no address.",
        text: &CLINIC,
        names: answers(&[("", Answer::Empty), ("www", Answer::Own)]),
        ..pages(plain)
    },
    Site {
        name: "bare-only.lab",
        behaviour: "bare_only",
        does: "Has no www name.",
        says: "Everybody is served at the bare name.",
        text: &MUSEUM,
        names: answers(&[("", Answer::Own)]),
        ..pages(plain)
    },
    Site {
        name: "alias.lab",
        behaviour: "alias",
        does: "Is an alias of an alias of a name with an address.",
        says: "Everybody is served; the aliases passed on the way are recorded.",
        text: &BOOKSHOP,
        names: answers(&[("", Answer::AliasChain(3)), ("www", Answer::Alias("alias.lab"))]),
        ..pages(plain)
    },
    Site {
        name: "alias-long.lab",
        behaviour: "alias_long",
        does: "Has fifty aliases in a row.",
        says: "The name has more aliases in a row than are followed.",
        expect: fails("dns", &["cname_chain_too_long"]),
        text: &GARDEN,
        names: answers(&[("", Answer::AliasChain(50))]),
        ..pages(plain)
    },
    Site {
        name: "alias-loop.lab",
        behaviour: "alias_loop",
        does: "Is an alias of a name that is an alias of it.",
        says: "The aliases of the name lead in a circle.",
        expect: fails("dns", &["cname_loop"]),
        text: &CYCLES,
        names: answers(&[
            ("", Answer::Alias("other.alias-loop.lab")),
            ("other", Answer::Alias("alias-loop.lab")),
        ]),
        ..pages(plain)
    },
    Site {
        name: "alias-to-trap.lab",
        behaviour: "alias_to_trap",
        does: "Is an alias of a name whose address is private.",
        says: "The name leads to an address that is refused.",
        expect: fails("refused_by_policy", &["loopback_address"]),
        text: &HOTEL,
        names: answers(&[("", Answer::Alias("trap.lab"))]),
        ..pages(plain)
    },
    Site {
        name: "alias-out.lab",
        behaviour: "alias_out",
        does: "Is an alias of a name that no public site can have.",
        says: "The name is an alias of a reserved name and was refused.",
        expect: fails("refused_by_policy", &["cname_refused"]),
        text: &SCHOOL,
        names: answers(&[("", Answer::Alias("db.internal"))]),
        ..pages(plain)
    },
    Site {
        name: "no-address.lab",
        behaviour: "no_address",
        does: "Exists as a name and has no address.",
        says: "The name exists and has no address.",
        expect: fails("dns", &["no_address"]),
        text: &ORCHESTRA,
        names: answers(&[("", Answer::Empty)]),
        ..pages(plain)
    },
    Site {
        name: "nowhere.lab",
        behaviour: "nowhere",
        does: "Does not exist as a name.",
        says: "The name does not exist.",
        expect: fails("dns", &["nxdomain"]),
        text: &BAKERY,
        names: answers(&[]),
        ..pages(plain)
    },
    Site {
        name: "servfail.lab",
        behaviour: "servfail",
        does: "Makes the name server fail (SERVFAIL).",
        says: "The name could not be looked up; that is no absence.",
        expect: fails("dns", &["servfail"]),
        text: &FERRY,
        names: answers(&[("", Answer::ServerFailure), ("www", Answer::ServerFailure)]),
        ..pages(plain)
    },
    Site {
        name: "dns-refused.lab",
        behaviour: "dns_refused",
        does: "Makes the name server refuse the question.",
        says: "The name could not be looked up; that is no absence.",
        expect: fails("dns", &["refused"]),
        text: &CLINIC,
        names: answers(&[("", Answer::Refused), ("www", Answer::Refused)]),
        ..pages(plain)
    },
    Site {
        name: "dns-slow.lab",
        behaviour: "dns_slow",
        does: "Answers questions about its name after two tenths of a second.",
        says: "Everybody is served; the look-up took its time.",
        expect: SERVED,
        text: &MUSEUM,
        names: answers(&[("", Answer::Late(200)), ("www", Answer::Late(200))]),
        ..pages(plain)
    },
    Site {
        name: "dns-late.lab",
        behaviour: "dns_late",
        does: "Answers questions about its name after five seconds.",
        says: "The resolver did not answer in time.",
        expect: fails("timeout", &["dns_timeout"]),
        text: &BOOKSHOP,
        names: answers(&[("", Answer::Late(5000)), ("www", Answer::Late(5000))]),
        ..pages(plain)
    },
    Site {
        name: "dns-silent.lab",
        behaviour: "dns_silent",
        does: "Makes the name server say nothing at all.",
        says: "The resolver did not answer in time.",
        expect: fails("timeout", &["dns_timeout"]),
        text: &GARDEN,
        names: answers(&[("", Answer::Silent), ("www", Answer::Silent)]),
        ..pages(plain)
    },
    Site {
        name: "dns-tcp.lab",
        behaviour: "dns_tcp",
        does: "Is answered over TCP only; over UDP the answer is cut off.",
        says: "Everybody is served; the look-up went on over TCP.",
        text: &CYCLES,
        names: answers(&[("", Answer::TcpOnly), ("www", Answer::TcpOnly)]),
        ..pages(plain)
    },
    Site {
        name: "thousand.lab",
        behaviour: "thousand",
        does: "Has a thousand addresses; its site lives at the first.",
        says: "Everybody is served; more addresses were given than are recorded.",
        text: &HOTEL,
        names: answers(&[("", Answer::Many(1000))]),
        ..pages(plain)
    },
    Site {
        name: "rebinds.lab",
        behaviour: "rebinds",
        does: "Has its good address at the first look-up and a private one ever after.",
        says: "The first reading is served; later look-ups give an address that is refused, and \
               nothing private is dialled.",
        text: &SCHOOL,
        names: answers(&[("", Answer::ThenTrap), ("www", Answer::Own)]),
        ..pages(plain)
    },
    Site {
        name: "alternates.lab",
        behaviour: "alternates",
        does: "Has a good and a private address in turn, look-up by look-up.",
        says: "A reading is served or refused as a whole; nothing private is dialled.",
        text: &ORCHESTRA,
        names: answers(&[("", Answer::Alternating), ("www", Answer::Own)]),
        ..pages(plain)
    },
    Site {
        name: "mixed.lab",
        behaviour: "mixed",
        does: "Has a good address and a private one in the same answer.",
        says: "One of the addresses is refused, so the name is.",
        expect: fails("refused_by_policy", &["loopback_address"]),
        text: &BAKERY,
        names: answers(&[("", Answer::Addresses(&[Address::Own, Address::Trap]))]),
        ..pages(plain)
    },
    Site {
        name: "mixed-six.lab",
        behaviour: "mixed_six",
        does: "Has a good IPv4 address and ::1.",
        says: "One of the addresses is refused, so the name is.",
        expect: fails("refused_by_policy", &["loopback_address"]),
        text: &FERRY,
        names: answers(&[(
            "",
            Answer::Addresses(&[Address::Own, Address::V6([0, 0, 0, 0, 0, 0, 0, 1])]),
        )]),
        ..pages(plain)
    },
    Site {
        name: "at-loopback.lab",
        behaviour: "at_loopback",
        does: "Has the address 127.0.0.1.",
        says: "The address is refused: loopback.",
        expect: fails("refused_by_policy", &["loopback_address"]),
        text: &CLINIC,
        names: answers(&[("", Answer::Addresses(&[Address::V4([127, 0, 0, 1])]))]),
        ..pages(plain)
    },
    Site {
        name: "at-metadata.lab",
        behaviour: "at_metadata",
        does: "Has the metadata address of cloud machines.",
        says: "The address is refused: a metadata service.",
        expect: fails("refused_by_policy", &["metadata_address"]),
        text: &MUSEUM,
        names: answers(&[("", Answer::Addresses(&[Address::V4([169, 254, 169, 254])]))]),
        ..pages(plain)
    },
    Site {
        name: "at-private.lab",
        behaviour: "at_private",
        does: "Has the address 10.0.0.1.",
        says: "The address is refused: private.",
        expect: fails("refused_by_policy", &["private_address"]),
        text: &BOOKSHOP,
        names: answers(&[("", Answer::Addresses(&[Address::V4([10, 0, 0, 1])]))]),
        ..pages(plain)
    },
    Site {
        name: "at-six-loopback.lab",
        behaviour: "at_six_loopback",
        does: "Has the address ::1.",
        says: "The address is refused: loopback.",
        expect: fails("refused_by_policy", &["loopback_address"]),
        text: &GARDEN,
        names: answers(&[("", Answer::Addresses(&[Address::V6([0, 0, 0, 0, 0, 0, 0, 1])]))]),
        ..pages(plain)
    },
    Site {
        name: "at-six-mapped.lab",
        behaviour: "at_six_mapped",
        does: "Has 127.0.0.1 in its IPv6 form, ::ffff:127.0.0.1.",
        says: "The address is refused: an IPv4 address in disguise.",
        expect: fails("refused_by_policy", &["embedded_ipv4_address"]),
        text: &CYCLES,
        names: answers(&[(
            "",
            Answer::Addresses(&[Address::V6([0, 0, 0, 0, 0, 0xffff, 0x7f00, 1])]),
        )]),
        ..pages(plain)
    },
    Site {
        name: "at-six-translated.lab",
        behaviour: "at_six_translated",
        does: "Has 127.0.0.1 in the form of address translation, 64:ff9b::7f00:1.",
        says: "The address is refused: an IPv4 address in disguise.",
        expect: fails("refused_by_policy", &["embedded_ipv4_address"]),
        text: &HOTEL,
        names: answers(&[(
            "",
            Answer::Addresses(&[Address::V6([0x64, 0xff9b, 0, 0, 0, 0, 0x7f00, 1])]),
        )]),
        ..pages(plain)
    },
    Site {
        name: "at-six-local.lab",
        behaviour: "at_six_local",
        does: "Has a unique local IPv6 address.",
        says: "The address is refused: private.",
        expect: fails("refused_by_policy", &["private_address"]),
        text: &SCHOOL,
        names: answers(&[("", Answer::Addresses(&[Address::V6([0xfd00, 0, 0, 0, 0, 0, 0, 1])]))]),
        ..pages(plain)
    },
];
