//! A certificate chain and its private key, from PEM, and what an operator wants to know about them.

use std::{fmt, sync::Arc};

use rustls::{
    ServerConfig,
    client::verify_server_name,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
    server::ParsedCertificate,
    version::{TLS12, TLS13},
};
use x509_parser::prelude::{FromDer, GeneralName, X509Certificate};

/// The only protocol that is spoken inside TLS.
const ALPN: &[u8] = b"http/1.1";
/// Names of a certificate that are listed for people; the check of a name looks at all of them.
const MAX_LISTED_NAMES: usize = 100;

/// Why a certificate and a key cannot be used together. No text quotes anything of the key file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsPairError {
    #[error("the certificate file contains no certificate (PEM, `BEGIN CERTIFICATE`)")]
    NoCertificate,
    #[error("the certificate file is not valid PEM")]
    CertificatePem,
    #[error("the first certificate in the certificate file cannot be parsed")]
    CertificateDer,
    #[error("the key file contains no private key (PEM, `BEGIN PRIVATE KEY`)")]
    NoKey,
    #[error(
        "the key file is encrypted with a passphrase, which the server cannot ask for; store the key without one"
    )]
    EncryptedKey,
    #[error("the key file is not valid PEM")]
    KeyPem,
    #[error("the private key is of a kind that cannot be used; use ECDSA, Ed25519 or RSA")]
    KeyKind,
    #[error("the private key does not belong to the first certificate in the certificate file")]
    Mismatch,
    #[error("the certificate and the key cannot be used for TLS")]
    Unusable,
}

/// What a certificate says. Times are seconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateFacts {
    /// The names and addresses that it is for, at most 100 of them.
    pub names: Vec<String>,
    pub not_before: i64,
    pub not_after: i64,
    /// How many certificates the file contains: the server's, and those that lead to its authority.
    pub chain_length: usize,
}

/// A certificate with its key, ready to be served.
pub struct TlsPair {
    facts: CertificateFacts,
    certificate: CertificateDer<'static>,
    config: Arc<ServerConfig>,
}

/// The key stays out of logs.
impl fmt::Debug for TlsPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsPair").field("facts", &self.facts).finish_non_exhaustive()
    }
}

impl TlsPair {
    /// Reads the two files' contents. Whether the certificate is expired is for the caller to judge.
    pub fn from_pem(certificate: &[u8], key: &[u8]) -> Result<Self, TlsPairError> {
        let chain = CertificateDer::pem_slice_iter(certificate)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|_| TlsPairError::CertificatePem)?;
        let first = chain.first().cloned().ok_or(TlsPairError::NoCertificate)?;
        let facts = read_facts(&first, chain.len()).ok_or(TlsPairError::CertificateDer)?;
        let key = read_key(key)?;
        let provider = Arc::new(aws_lc_rs::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13, &TLS12])
            .map_err(|_| TlsPairError::Unusable)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|error| match error {
                rustls::Error::InconsistentKeys(_) => TlsPairError::Mismatch,
                rustls::Error::InvalidCertificate(_) => TlsPairError::CertificateDer,
                _ => TlsPairError::KeyKind,
            })?;
        config.alpn_protocols = vec![ALPN.to_vec()];
        // Tickets take no memory here, and a client that returns costs no signature. Every pair has keys
        // of its own for them, so nobody resumes into a certificate that was replaced.
        config.ticketer = aws_lc_rs::Ticketer::new().map_err(|_| TlsPairError::Unusable)?;
        Ok(Self { facts, certificate: first, config: Arc::new(config) })
    }

    #[must_use]
    pub fn facts(&self) -> &CertificateFacts {
        &self.facts
    }

    /// Whether clients that use this host name or IP address accept the certificate for it.
    #[must_use]
    pub fn covers(&self, host: &str) -> bool {
        let host = host.trim_matches(['[', ']']);
        let Ok(name) = ServerName::try_from(host) else { return false };
        ParsedCertificate::try_from(&self.certificate)
            .is_ok_and(|parsed| verify_server_name(&parsed, &name).is_ok())
    }

    /// The server's certificate in DER form.
    #[must_use]
    pub fn certificate_der(&self) -> &[u8] {
        self.certificate.as_ref()
    }

    pub(super) fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config)
    }
}

fn read_key(pem: &[u8]) -> Result<PrivateKeyDer<'static>, TlsPairError> {
    use rustls::pki_types::pem::Error;
    PrivateKeyDer::from_pem_slice(pem).map_err(|error| match error {
        Error::NoItemsFound if pem.windows(9).any(|word| word == b"ENCRYPTED") => {
            TlsPairError::EncryptedKey
        }
        Error::NoItemsFound => TlsPairError::NoKey,
        _ => TlsPairError::KeyPem,
    })
}

fn read_facts(certificate: &CertificateDer<'_>, chain_length: usize) -> Option<CertificateFacts> {
    let (_, parsed) = X509Certificate::from_der(certificate.as_ref()).ok()?;
    let validity = parsed.validity();
    let alternative = parsed.subject_alternative_name().ok().flatten();
    let listed = alternative.iter().flat_map(|extension| &extension.value.general_names);
    let names = listed.filter_map(|name| match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => ip_text(bytes),
        _ => None,
    });
    Some(CertificateFacts {
        names: names.take(MAX_LISTED_NAMES).collect(),
        not_before: validity.not_before.timestamp(),
        not_after: validity.not_after.timestamp(),
        chain_length,
    })
}

fn ip_text(bytes: &[u8]) -> Option<String> {
    use std::net::IpAddr;
    let v4 = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    let address = v4.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from)).ok()?;
    Some(address.to_string())
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair};

    use super::*;

    fn pair(names: &[&str]) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.not_before = rcgen::date_time_ymd(2026, 1, 1);
        params.not_after = rcgen::date_time_ymd(2027, 1, 1);
        let certificate = params.self_signed(&key).unwrap();
        (certificate.pem(), key.serialize_pem())
    }

    #[test]
    fn a_pair_says_what_it_is_for_and_how_long() {
        let (certificate, key) = pair(&["a.example", "*.b.example", "127.0.0.1", "::1"]);
        let read = TlsPair::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap();
        let facts = read.facts();
        assert_eq!(facts.names, ["a.example", "*.b.example", "127.0.0.1", "::1"]);
        assert_eq!((facts.not_before, facts.not_after), (1_767_225_600, 1_798_761_600));
        assert_eq!(facts.chain_length, 1);
        for (host, covered) in [
            ("a.example", true),
            ("A.Example", true),
            ("x.b.example", true),
            ("b.example", false),
            ("x.y.b.example", false),
            ("c.example", false),
            ("127.0.0.1", true),
            ("127.0.0.2", false),
            ("[::1]", true),
            ("not a name", false),
        ] {
            assert_eq!(read.covers(host), covered, "{host}");
        }
        assert!(!format!("{read:?}").contains("key"), "{read:?}");
    }

    #[test]
    fn what_cannot_be_served_is_refused_with_its_reason_and_without_the_key() {
        let ((certificate, key), (_, other)) = (pair(&["a.example"]), pair(&["a.example"]));
        let encrypted = key.replace("BEGIN PRIVATE", "BEGIN ENCRYPTED PRIVATE");
        let encrypted = encrypted.replace("END PRIVATE", "END ENCRYPTED PRIVATE");
        let half = key.get(..key.len() / 2).unwrap();
        let damaged = "-----BEGIN CERTIFICATE-----\nMAAA\n-----END CERTIFICATE-----\n";
        let no_key = "-----BEGIN PRIVATE KEY-----\nMAAA\n-----END PRIVATE KEY-----\n";
        for (certificate, key, why) in [
            ("", key.as_str(), TlsPairError::NoCertificate),
            (key.as_str(), key.as_str(), TlsPairError::NoCertificate),
            (damaged, key.as_str(), TlsPairError::CertificateDer),
            (certificate.as_str(), "", TlsPairError::NoKey),
            (certificate.as_str(), certificate.as_str(), TlsPairError::NoKey),
            (certificate.as_str(), encrypted.as_str(), TlsPairError::EncryptedKey),
            (certificate.as_str(), half, TlsPairError::KeyPem),
            (certificate.as_str(), no_key, TlsPairError::KeyKind),
            (certificate.as_str(), other.as_str(), TlsPairError::Mismatch),
        ] {
            let error = TlsPair::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap_err();
            assert_eq!(error, why);
            let secret = key.lines().nth(1).filter(|line| line.len() > 20);
            let text = format!("{error} {error:?}");
            assert!(secret.is_none_or(|secret| !text.contains(secret)), "{text}");
        }
        let cut = certificate.get(..certificate.len() / 2).unwrap();
        let error = TlsPair::from_pem(cut.as_bytes(), key.as_bytes()).unwrap_err();
        assert_eq!(error, TlsPairError::CertificatePem);
    }
}
