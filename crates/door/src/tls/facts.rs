//! What a finished handshake shows: session parameters, the leaf certificate, and all that is
//! wrong with it.

use std::time::Duration;

use contract::Timestamp;
use contract::evidence::{Certificate, TlsFacts};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConnection, ProtocolVersion};
use x509_parser::prelude::{FromDer, GeneralName, X509Certificate};

use super::Tls;
use crate::http::sha256_hex;

/// Names of a certificate that are recorded, and the longest text of any field.
const MOST_SANS: usize = 100;
const MOST_CHARS: usize = 512;

impl Tls {
    /// Reads the facts of a session for `host`, as of `now`.
    pub(crate) fn facts(
        &self,
        session: &ClientConnection,
        host: &ServerName<'_>,
        now: Timestamp,
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
        let (certificate, errors) = self.judge(chain, host, now);
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

    fn judge(
        &self,
        chain: &[CertificateDer<'_>],
        host: &ServerName<'_>,
        now: Timestamp,
    ) -> (Option<Certificate>, Vec<&'static str>) {
        let Some((leaf, intermediates)) = chain.split_first() else {
            return (None, vec!["malformed"]);
        };
        let Ok((_, parsed)) = X509Certificate::from_der(leaf) else {
            return (None, vec!["malformed"]);
        };
        let certificate = describe(leaf, &parsed);
        let mut errors = Vec::new();
        if now > certificate.not_after {
            errors.push("expired");
        }
        if now < certificate.not_before {
            errors.push("not_yet_valid");
        }
        match ParsedCertificate::try_from(leaf) {
            Err(error) => errors.push(word(&error)),
            Ok(leaf) => {
                if let Err(error) = verify_server_name(&leaf, host) {
                    errors.push(word(&error));
                }
                // At a time when the leaf was valid, so that its age hides no other fault.
                let then = now.min(certificate.not_after).max(certificate.not_before);
                if let Err(error) = verify_server_cert_signed_by_trust_anchor(
                    &leaf,
                    &self.roots,
                    intermediates,
                    unix(then),
                    self.algorithms.all,
                ) {
                    let self_issued = parsed.subject().as_raw() == parsed.issuer().as_raw();
                    errors.push(if self_issued { "self_signed" } else { word(&error) });
                }
            }
        }
        let mut once = Vec::new();
        for error in errors {
            if !once.contains(&error) {
                once.push(error);
            }
        }
        (Some(certificate), once)
    }
}

fn describe(der: &[u8], parsed: &X509Certificate<'_>) -> Certificate {
    let names = parsed.subject_alternative_name().ok().flatten();
    let names = names.iter().flat_map(|extension| &extension.value.general_names);
    let mut sans = Vec::new();
    let mut total = 0_u32;
    for name in names {
        if let GeneralName::DNSName(name) = name {
            total = total.saturating_add(1);
            if sans.len() < MOST_SANS {
                sans.push(short(name));
            }
        }
    }
    let moment = |at: i64| Timestamp::from_millis(at.saturating_mul(1000));
    Certificate {
        subject: short(&parsed.subject().to_string()),
        issuer: short(&parsed.issuer().to_string()),
        not_before: moment(parsed.validity().not_before.timestamp()),
        not_after: moment(parsed.validity().not_after.timestamp()),
        sans,
        sans_total: total,
        sha256: sha256_hex(der),
    }
}

fn short(text: &str) -> String {
    text.chars().take(MOST_CHARS).collect()
}

fn unix(at: Timestamp) -> UnixTime {
    let seconds = u64::try_from(at.as_millis().div_euclid(1000)).unwrap_or(0);
    UnixTime::since_unix_epoch(Duration::from_secs(seconds))
}

/// The word for what a verifier says.
fn word(error: &rustls::Error) -> &'static str {
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
