//! TLS that records a bad certificate instead of stopping at it.
//!
//! The handshake only demands proof that the peer holds the key of its certificate. Afterwards
//! chain, name and validity are checked separately from the presented certificates, so that every
//! fault is recorded and not only the first one.

mod checked_certificates;
mod facts;
pub(crate) mod fuzzing;

use std::sync::Arc;

use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, aws_lc_rs, verify_tls12_signature,
    verify_tls13_signature,
};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_rustls::TlsConnector;

use crate::DoorError;
pub(crate) use checked_certificates::CheckedCertificates;

/// The TLS configuration of a door. Shared by all connections and never changed.
#[derive(Debug)]
pub(crate) struct TlsClient {
    config: Arc<ClientConfig>,
    roots: RootCertStore,
    algorithms: WebPkiSupportedAlgorithms,
}

impl TlsClient {
    pub(crate) fn new(extra_ca: &[CertificateDer<'static>]) -> Result<Self, DoorError> {
        let provider: Arc<CryptoProvider> = Arc::new(aws_lc_rs::default_provider());
        let algorithms = provider.signature_verification_algorithms;
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        for certificate in extra_ca {
            roots.add(certificate.clone()).map_err(DoorError::Authority)?;
        }
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(DoorError::Tls)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(KeyPossessionVerifier(algorithms)))
            .with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        // A resumed session would let the host link two identities to one visitor, and it presents
        // no certificate.
        config.resumption = Resumption::disabled();
        Ok(Self { config: Arc::new(config), roots, algorithms })
    }

    pub(crate) fn connector(&self) -> TlsConnector {
        TlsConnector::from(Arc::clone(&self.config))
    }
}

/// Accepts any certificate if the peer proves that it holds the key.
#[derive(Debug)]
pub(crate) struct KeyPossessionVerifier(pub(crate) WebPkiSupportedAlgorithms);

impl ServerCertVerifier for KeyPossessionVerifier {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        // Checked after the handshake, in `facts`: a bad certificate is a fact to record.
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.0)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.0)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}
