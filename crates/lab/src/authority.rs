//! The lab's certificate authority: made at start, thrown away at the end. One leaf key serves all
//! sites; what differs is the certificate.
//!
//! Validity is written as fixed dates, so that no clock is needed: what is good is good from 2020
//! to 2098, what is bad is bad on any day in between.

use std::{fmt, sync::Arc};

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, date_time_ymd,
};
use rustls::{
    ServerConfig,
    crypto::CryptoProvider,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer},
};

use crate::{
    LabError,
    site::{Certificate, Protocol},
};

pub(crate) struct Authority {
    ca_pem: String,
    issuer: Issuer<'static, KeyPair>,
    /// An authority that nobody was told about.
    stranger: Issuer<'static, KeyPair>,
    leaf: KeyPair,
    provider: Arc<CryptoProvider>,
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authority").finish_non_exhaustive()
    }
}

impl Authority {
    pub(crate) fn new() -> Result<Self, LabError> {
        Self::make().map_err(|error| LabError::Certificates(error.to_string()))
    }

    fn make() -> Result<Self, rcgen::Error> {
        let (ca_pem, issuer) = authority("Lab Authority")?;
        let (_, stranger) = authority("Authority That Nobody Knows")?;
        Ok(Self {
            ca_pem,
            issuer,
            stranger,
            leaf: KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256)?,
            provider: Arc::new(rustls::crypto::aws_lc_rs::default_provider()),
        })
    }

    pub(crate) fn ca_pem(&self) -> &str {
        &self.ca_pem
    }

    /// How a site of this name speaks TLS.
    pub(crate) fn server(
        &self,
        name: &str,
        certificate: Certificate,
        protocol: Protocol,
    ) -> Result<ServerConfig, String> {
        let leaf = self.issue(name, certificate).map_err(|error| error.to_string())?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(self.leaf.serialize_der()));
        let versions: &[&rustls::SupportedProtocolVersion] = match protocol {
            Protocol::Tls12 => &[&rustls::version::TLS12],
            _ => &[&rustls::version::TLS13, &rustls::version::TLS12],
        };
        let mut config = ServerConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_protocol_versions(versions)
            .map_err(|error| error.to_string())?
            .with_no_client_auth()
            .with_single_cert(vec![leaf], key)
            .map_err(|error| error.to_string())?;
        config.alpn_protocols = match protocol {
            Protocol::Http2 | Protocol::Tls12 => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
            Protocol::Http1 => vec![b"http/1.1".to_vec()],
        };
        Ok(config)
    }

    fn issue(
        &self,
        name: &str,
        certificate: Certificate,
    ) -> Result<CertificateDer<'static>, rcgen::Error> {
        let mut names = vec![name.to_owned(), format!("www.{name}")];
        match certificate {
            Certificate::WrongName => names = vec!["somebody-else.lab".to_owned()],
            Certificate::ManyNames(count) => {
                names.extend((1..=count).map(|number| format!("name{number}.{name}")));
            }
            _ => {}
        }
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name = common_name(name);
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2098, 1, 1);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.use_authority_key_identifier_extension = true;
        match certificate {
            Certificate::Expired => params.not_after = date_time_ymd(2021, 1, 1),
            Certificate::NotYetValid => params.not_before = date_time_ymd(2097, 1, 1),
            _ => {}
        }
        let made = match certificate {
            Certificate::SelfSigned => params.self_signed(&self.leaf)?,
            Certificate::UnknownIssuer => params.signed_by(&self.leaf, &self.stranger)?,
            _ => params.signed_by(&self.leaf, &self.issuer)?,
        };
        Ok(made.der().clone())
    }
}

fn authority(name: &str) -> Result<(String, Issuer<'static, KeyPair>), rcgen::Error> {
    let key = KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256)?;
    let mut params = CertificateParams::new(Vec::new())?;
    params.distinguished_name = common_name(name);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(2099, 1, 1);
    let pem = params.self_signed(&key)?.pem();
    Ok((pem, Issuer::new(params, key)))
}

fn common_name(name: &str) -> DistinguishedName {
    let mut distinguished = DistinguishedName::new();
    distinguished.push(DnType::CommonName, name);
    distinguished
}
