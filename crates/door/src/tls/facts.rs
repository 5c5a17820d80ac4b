//! What a finished handshake shows: session parameters, the leaf certificate, and every fault of
//! it.

use std::sync::Arc;

use contract::Timestamp;
use contract::evidence::{Certificate, TlsFacts};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConnection, ProtocolVersion};
use x509_parser::prelude::{FromDer, GeneralName, X509Certificate};

use super::TlsClient;
use super::checked_certificates::{CertificateCheck, CheckedCertificates, checking_time};
use crate::http::sha256_hex;

/// How many names of a certificate are recorded, and the longest text of any field.
const MAX_SANS: usize = 100;
const MAX_CHARS: usize = 512;

impl TlsClient {
    /// The facts of a session with `host`, as of `now`.
    pub(crate) fn facts(
        &self,
        session: &ClientConnection,
        host: &ServerName<'static>,
        now: Timestamp,
        checked: &CheckedCertificates,
    ) -> TlsFacts {
        let version = match session.protocol_version() {
            Some(ProtocolVersion::TLSv1_2) => "TLS1.2",
            Some(ProtocolVersion::TLSv1_3) => "TLS1.3",
            _ => "unknown",
        };
        let cipher = session
            .negotiated_cipher_suite()
            .and_then(|suite| suite.suite().as_str())
            .unwrap_or("unknown");
        let chain = session.peer_certificates().unwrap_or_default();
        let (certificate, errors) = self.assess_certificate(chain, host, now, checked);
        TlsFacts {
            version: version.to_owned(),
            cipher: cipher.to_owned(),
            alpn: session.alpn_protocol().map(|it| String::from_utf8_lossy(it).into_owned()),
            certificate,
            chain_length: u32::try_from(chain.len()).unwrap_or(u32::MAX),
            trusted: errors.is_empty(),
            errors: errors.into_iter().map(str::to_owned).collect(),
        }
    }

    fn assess_certificate(
        &self,
        chain: &[CertificateDer<'static>],
        host: &ServerName<'static>,
        now: Timestamp,
        checked: &CheckedCertificates,
    ) -> (Option<Certificate>, Vec<&'static str>) {
        let check = match checked.find(chain, host, now) {
            Some(check) => check,
            None => {
                let Some(check) = self.check_chain(chain, host, now) else {
                    return (None, vec!["malformed"]);
                };
                let check = Arc::new(check);
                checked.store(chain, host, &check);
                check
            }
        };
        let mut errors = Vec::new();
        if now > check.certificate.not_after {
            errors.push("expired");
        }
        if now < check.certificate.not_before {
            errors.push("not_yet_valid");
        }
        for error in &check.errors {
            if !errors.contains(error) {
                errors.push(error);
            }
        }
        (Some(check.certificate.clone()), errors)
    }

    /// Checks signatures and name of a chain. `None` if its first certificate cannot be parsed.
    fn check_chain(
        &self,
        chain: &[CertificateDer<'static>],
        host: &ServerName<'static>,
        now: Timestamp,
    ) -> Option<CertificateCheck> {
        let (leaf, intermediates) = chain.split_first()?;
        let (_, parsed) = X509Certificate::from_der(leaf).ok()?;
        let certificate = describe_certificate(leaf, &parsed);
        let checked_at = checking_time(&certificate, now);
        let mut errors = Vec::new();
        match ParsedCertificate::try_from(leaf) {
            Err(error) => errors.push(certificate_error_code(&error)),
            Ok(leaf) => {
                if let Err(error) = verify_server_name(&leaf, host) {
                    errors.push(certificate_error_code(&error));
                }
                if let Err(error) = verify_server_cert_signed_by_trust_anchor(
                    &leaf,
                    &self.roots,
                    intermediates,
                    checked_at,
                    self.algorithms.all,
                ) {
                    let self_issued = parsed.subject().as_raw() == parsed.issuer().as_raw();
                    errors.push(if self_issued {
                        "self_signed"
                    } else {
                        certificate_error_code(&error)
                    });
                }
            }
        }
        Some(CertificateCheck { certificate, checked_at, errors })
    }
}

pub(super) fn describe_certificate(der: &[u8], parsed: &X509Certificate<'_>) -> Certificate {
    let names = parsed.subject_alternative_name().ok().flatten();
    let names = names.iter().flat_map(|extension| &extension.value.general_names);
    let mut sans = Vec::new();
    let mut total = 0_u32;
    for name in names {
        if let GeneralName::DNSName(name) = name {
            total = total.saturating_add(1);
            if sans.len() < MAX_SANS {
                sans.push(truncate(name));
            }
        }
    }
    let moment = |at: i64| Timestamp::from_millis(at.saturating_mul(1000));
    Certificate {
        subject: truncate(&parsed.subject().to_string()),
        issuer: truncate(&parsed.issuer().to_string()),
        not_before: moment(parsed.validity().not_before.timestamp()),
        not_after: moment(parsed.validity().not_after.timestamp()),
        sans,
        sans_total: total,
        sha256: sha256_hex(der),
    }
}

fn truncate(text: &str) -> String {
    text.chars().take(MAX_CHARS).collect()
}

/// The recorded code for a verification error.
fn certificate_error_code(error: &rustls::Error) -> &'static str {
    let rustls::Error::InvalidCertificate(error) = error else { return "other" };
    match error {
        CertificateError::BadEncoding => "malformed",
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "expired",
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "not_yet_valid"
        }
        CertificateError::UnknownIssuer => "unknown_issuer",
        CertificateError::BadSignature => "bad_signature",
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "wrong_name"
        }
        _ => "other",
    }
}

#[cfg(test)]
mod tests;
