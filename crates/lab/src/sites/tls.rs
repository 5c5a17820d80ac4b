//! Transport: certificates, TLS and HTTP versions, and which of the two ports answers.

use super::base::{SERVED, expect_failure, plain_site, site_with_pages};
use crate::{
    content::{BAKERY, BOOKSHOP, CLINIC, CYCLES, FERRY, GARDEN, HOTEL, MUSEUM, ORCHESTRA, SCHOOL},
    http::script::ScriptStep,
    site::{CertificateKind, ExpectedRecord, HttpsProtocol, LabSite, PortBehaviour},
};

/// Every identity gets the page, and the certificate has this error.
const fn expect_certificate_error(error: &'static str) -> ExpectedRecord {
    ExpectedRecord { tls_error: Some(error), ..SERVED }
}

pub(super) const SITES: &[LabSite] = &[
    LabSite {
        name: "expired.lab",
        behaviour: "expired",
        does: "Has a certificate that expired in 2021.",
        says: "Every identity gets the page. The certificate has expired.",
        expect: expect_certificate_error("expired"),
        text: &FERRY,
        certificate: CertificateKind::Expired,
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "not-yet-valid.lab",
        behaviour: "not_yet_valid",
        does: "Has a certificate that becomes valid in 2097.",
        says: "Every identity gets the page. The certificate is not valid yet.",
        expect: expect_certificate_error("not_yet_valid"),
        text: &CLINIC,
        certificate: CertificateKind::NotYetValid,
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "wrong-name.lab",
        behaviour: "wrong_name",
        does: "Has a certificate for another name.",
        says: "Every identity gets the page. The certificate is for another name.",
        expect: expect_certificate_error("wrong_name"),
        text: &MUSEUM,
        certificate: CertificateKind::WrongName,
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "self-signed.lab",
        behaviour: "self_signed",
        does: "Has a self-signed certificate.",
        says: "Every identity gets the page. The certificate is self-signed.",
        expect: expect_certificate_error("self_signed"),
        text: &BOOKSHOP,
        certificate: CertificateKind::SelfSigned,
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "unknown-issuer.lab",
        behaviour: "unknown_issuer",
        does: "Has a certificate from an unknown authority.",
        says: "Every identity gets the page. The issuer of the certificate is unknown.",
        expect: expect_certificate_error("unknown_issuer"),
        text: &GARDEN,
        certificate: CertificateKind::UnknownIssuer,
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "many-names.lab",
        behaviour: "many_names",
        does: "Has a valid certificate with a thousand more names.",
        says: "Every identity gets the page. The certificate has more names than we record.",
        text: &ORCHESTRA,
        certificate: CertificateKind::ManyNames(1000),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "tls12.lab",
        behaviour: "tls12",
        does: "Supports TLS 1.2 and nothing newer.",
        says: "Every identity gets the page over TLS 1.2.",
        text: &CYCLES,
        protocol: HttpsProtocol::Tls12,
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "http1-only.lab",
        behaviour: "http1_only",
        does: "Supports HTTP/1.1 and nothing newer.",
        says: "Every identity gets the page over HTTP/1.1.",
        text: &HOTEL,
        protocol: HttpsProtocol::Http1,
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "http-only.lab",
        behaviour: "http_only",
        does: "Answers on the http port only.",
        says: "Every identity gets the page, without TLS. The https port is closed.",
        text: &SCHOOL,
        http: PortBehaviour::Pages(plain_site),
        https: PortBehaviour::Closed,
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "https-only.lab",
        behaviour: "https_only",
        does: "Answers on the https port only.",
        says: "Every identity gets the page over https. The http port is closed.",
        text: &BAKERY,
        http: PortBehaviour::Closed,
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "closed.lab",
        behaviour: "closed",
        does: "Has an address, but both ports are closed.",
        says: "The host refuses connections, so nothing is known about the site.",
        expect: expect_failure("connect", &["connection_refused"]),
        text: &FERRY,
        http: PortBehaviour::Closed,
        https: PortBehaviour::Closed,
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "tls-stalls.lab",
        behaviour: "tls_stalls",
        does: "Accepts connections on the https port and never sends anything.",
        says: "The TLS handshake was not finished in time.",
        expect: expect_failure("timeout", &["tls_timeout"]),
        text: &CLINIC,
        https: PortBehaviour::RawSocket(|| vec![ScriptStep::Stall]),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "not-tls.lab",
        behaviour: "not_tls",
        does: "Speaks plain HTTP on the https port.",
        says: "The https port does not answer with TLS.",
        expect: expect_failure("tls", &["not_tls"]),
        text: &MUSEUM,
        https: PortBehaviour::RawSocket(|| {
            let text = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
            vec![ScriptStep::Read, ScriptStep::Send(text.into())]
        }),
        ..site_with_pages(plain_site)
    },
    LabSite {
        name: "tls-alert.lab",
        behaviour: "tls_alert",
        does: "Answers every TLS handshake with an alert.",
        says: "The host ended the TLS handshake with an alert.",
        expect: expect_failure("tls", &["alert_received"]),
        text: &BOOKSHOP,
        https: PortBehaviour::RawSocket(|| {
            // Fatal, handshake failure.
            vec![ScriptStep::Read, ScriptStep::Send(vec![0x15, 3, 3, 0, 2, 2, 40].into())]
        }),
        ..site_with_pages(plain_site)
    },
];
