//! Transport: certificates, TLS and HTTP versions, and which of the two ports answers.

use super::{SERVED, fails, pages, plain};
use crate::{
    content::{BAKERY, BOOKSHOP, CLINIC, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA, SCHOOL},
    http::Step,
    site::{Certificate, Expect, Protocol, Site, Web},
};

/// Everybody is served over a certificate with this fault.
const fn faulty(error: &'static str) -> Expect {
    Expect { tls_error: Some(error), ..SERVED }
}

pub(super) const SITES: &[Site] = &[
    Site {
        name: "expired.lab",
        behaviour: "expired",
        does: "Has a certificate that ran out in 2021.",
        says: "Everybody is served; the certificate has expired.",
        expect: faulty("expired"),
        text: &FERRY,
        certificate: Certificate::Expired,
        ..pages(plain)
    },
    Site {
        name: "not-yet-valid.lab",
        behaviour: "not_yet_valid",
        does: "Has a certificate that begins in 2097.",
        says: "Everybody is served; the certificate is not valid yet.",
        expect: faulty("not_yet_valid"),
        text: &CLINIC,
        certificate: Certificate::NotYetValid,
        ..pages(plain)
    },
    Site {
        name: "wrong-name.lab",
        behaviour: "wrong_name",
        does: "Has the certificate of another name.",
        says: "Everybody is served; the certificate is for another name.",
        expect: faulty("wrong_name"),
        text: &MUSEUM,
        certificate: Certificate::WrongName,
        ..pages(plain)
    },
    Site {
        name: "self-signed.lab",
        behaviour: "self_signed",
        does: "Has a certificate that it signed itself.",
        says: "Everybody is served; the certificate is self-signed.",
        expect: faulty("self_signed"),
        text: &BOOKSHOP,
        certificate: Certificate::SelfSigned,
        ..pages(plain)
    },
    Site {
        name: "unknown-issuer.lab",
        behaviour: "unknown_issuer",
        does: "Has a certificate of an authority that nobody knows.",
        says: "Everybody is served; nobody knows who issued the certificate.",
        expect: faulty("unknown_issuer"),
        text: &GARDEN,
        certificate: Certificate::UnknownIssuer,
        ..pages(plain)
    },
    Site {
        name: "many-names.lab",
        behaviour: "many_names",
        does: "Has a good certificate with a thousand further names.",
        says: "Everybody is served; the certificate holds more names than are recorded.",
        text: &ORCHESTRA,
        certificate: Certificate::ManyNames(1000),
        ..pages(plain)
    },
    Site {
        name: "tls12.lab",
        behaviour: "tls12",
        does: "Speaks TLS 1.2 and nothing newer.",
        says: "Everybody is served over TLS 1.2.",
        text: &CYCLES,
        protocol: Protocol::Tls12,
        ..pages(plain)
    },
    Site {
        name: "http1-only.lab",
        behaviour: "http1_only",
        does: "Speaks HTTP/1.1 and nothing newer.",
        says: "Everybody is served over HTTP/1.1.",
        text: &HOTEL,
        protocol: Protocol::Http1,
        ..pages(plain)
    },
    Site {
        name: "http-only.lab",
        behaviour: "http_only",
        does: "Answers on the http port only.",
        says: "Everybody is served, without TLS: the https port is closed.",
        text: &SCHOOL,
        http: Web::Pages(plain),
        https: Web::Closed,
        ..pages(plain)
    },
    Site {
        name: "https-only.lab",
        behaviour: "https_only",
        does: "Answers on the https port only.",
        says: "Everybody is served by https; the http port is closed.",
        text: &BAKERY,
        http: Web::Closed,
        ..pages(plain)
    },
    Site {
        name: "closed.lab",
        behaviour: "closed",
        does: "Has an address and answers on no port.",
        says: "The host refuses connections; nothing is known of the site.",
        expect: fails("connect", &["connection_refused"]),
        text: &FERRY,
        http: Web::Closed,
        https: Web::Closed,
        ..pages(plain)
    },
    Site {
        name: "tls-stalls.lab",
        behaviour: "tls_stalls",
        does: "Accepts connections on the https port and never says a word.",
        says: "The TLS handshake was not finished in time.",
        expect: fails("timeout", &["tls_timeout"]),
        text: &CLINIC,
        https: Web::Socket(|| vec![Step::Stall]),
        ..pages(plain)
    },
    Site {
        name: "not-tls.lab",
        behaviour: "not_tls",
        does: "Speaks plain HTTP on the https port.",
        says: "What answers on the https port is not TLS.",
        expect: fails("tls", &["not_tls"]),
        text: &MUSEUM,
        https: Web::Socket(|| {
            let text = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
            vec![Step::Read, Step::Send(text.into())]
        }),
        ..pages(plain)
    },
    Site {
        name: "tls-alert.lab",
        behaviour: "tls_alert",
        does: "Answers every TLS handshake with an alert.",
        says: "The host ended the TLS handshake with an alert.",
        expect: fails("tls", &["alert_received"]),
        text: &BOOKSHOP,
        https: Web::Socket(|| {
            // Fatal, handshake failure.
            vec![Step::Read, Step::Send(vec![0x15, 3, 3, 0, 2, 2, 40].into())]
        }),
        ..pages(plain)
    },
];
