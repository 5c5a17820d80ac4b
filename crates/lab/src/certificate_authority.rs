//! The lab's certificate authority, created at the start and discarded at the end. All sites share
//! one leaf key; only the certificates differ.
//!
//! Validity dates are fixed, so that no clock is needed: valid certificates are valid from 2020 to
//! 2098, and faulty ones are faulty on every day in between.

use std::{fmt, net::IpAddr, sync::Arc};

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
    site::{CertificateKind, HttpsProtocol},
};

pub(crate) struct CertificateAuthority {
    ca_pem: String,
    issuer: Issuer<'static, KeyPair>,
    /// An authority that no client trusts.
    untrusted_issuer: Issuer<'static, KeyPair>,
    leaf_key: KeyPair,
    provider: Arc<CryptoProvider>,
}

impl fmt::Debug for CertificateAuthority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authority").finish_non_exhaustive()
    }
}

impl CertificateAuthority {
    pub(crate) fn new() -> Result<Self, LabError> {
        Self::generate().map_err(|error| LabError::Certificates(error.to_string()))
    }

    fn generate() -> Result<Self, rcgen::Error> {
        let (ca_pem, issuer) = generate_issuer("Lab Authority")?;
        let (_, stranger) = generate_issuer("Unknown Authority")?;
        Ok(Self {
            ca_pem,
            issuer,
            untrusted_issuer: stranger,
            leaf_key: KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256)?,
            provider: Arc::new(rustls::crypto::aws_lc_rs::default_provider()),
        })
    }

    pub(crate) fn ca_pem(&self) -> &str {
        &self.ca_pem
    }

    /// The TLS server configuration of a site.
    pub(crate) fn server_config(
        &self,
        name: &str,
        certificate: CertificateKind,
        protocol: HttpsProtocol,
    ) -> Result<ServerConfig, String> {
        let leaf = self.issue_certificate(name, certificate).map_err(|error| error.to_string())?;
        self.config_with(leaf, protocol)
    }

    /// The TLS server configuration of a server that is known by its address.
    pub(crate) fn address_server_config(&self, address: IpAddr) -> Result<ServerConfig, String> {
        let name = address.to_string();
        let leaf = self.issue_for_names(&name, vec![name.clone()], CertificateKind::Good);
        self.config_with(leaf.map_err(|error| error.to_string())?, HttpsProtocol::Http1)
    }

    fn config_with(
        &self,
        leaf: CertificateDer<'static>,
        protocol: HttpsProtocol,
    ) -> Result<ServerConfig, String> {
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(self.leaf_key.serialize_der()));
        let versions: &[&rustls::SupportedProtocolVersion] = match protocol {
            HttpsProtocol::Tls12 => &[&rustls::version::TLS12],
            _ => &[&rustls::version::TLS13, &rustls::version::TLS12],
        };
        let mut config = ServerConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_protocol_versions(versions)
            .map_err(|error| error.to_string())?
            .with_no_client_auth()
            .with_single_cert(vec![leaf], key)
            .map_err(|error| error.to_string())?;
        config.alpn_protocols = match protocol {
            HttpsProtocol::Http2 | HttpsProtocol::Tls12 => {
                vec![b"h2".to_vec(), b"http/1.1".to_vec()]
            }
            HttpsProtocol::Http1 => vec![b"http/1.1".to_vec()],
        };
        Ok(config)
    }

    fn issue_certificate(
        &self,
        name: &str,
        certificate: CertificateKind,
    ) -> Result<CertificateDer<'static>, rcgen::Error> {
        let mut names = vec![name.to_owned(), format!("www.{name}")];
        match certificate {
            CertificateKind::WrongName => names = vec!["somebody-else.lab".to_owned()],
            CertificateKind::ManyNames(count) => {
                names.extend((1..=count).map(|number| format!("name{number}.{name}")));
            }
            _ => {}
        }
        self.issue_for_names(name, names, certificate)
    }

    fn issue_for_names(
        &self,
        name: &str,
        names: Vec<String>,
        certificate: CertificateKind,
    ) -> Result<CertificateDer<'static>, rcgen::Error> {
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name = common_name(name);
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2098, 1, 1);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.use_authority_key_identifier_extension = true;
        match certificate {
            CertificateKind::Expired => params.not_after = date_time_ymd(2021, 1, 1),
            CertificateKind::NotYetValid => params.not_before = date_time_ymd(2097, 1, 1),
            _ => {}
        }
        let signed = match certificate {
            CertificateKind::SelfSigned => params.self_signed(&self.leaf_key)?,
            CertificateKind::UnknownIssuer => {
                params.signed_by(&self.leaf_key, &self.untrusted_issuer)?
            }
            _ => params.signed_by(&self.leaf_key, &self.issuer)?,
        };
        Ok(signed.der().clone())
    }
}

fn generate_issuer(name: &str) -> Result<(String, Issuer<'static, KeyPair>), rcgen::Error> {
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
