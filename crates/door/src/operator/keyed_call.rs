//! Calls to a server that wants a key, such as an API that the operator pays for.
//!
//! They are stricter than other calls of the operator: the key goes to the configured address alone. A
//! redirect is an error, and without TLS the key is sent to this machine only.

use std::fmt;
use std::sync::Arc;

use http::header;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use url::{Host, Url};

use super::call::{Call, CallError, Trust, exchange, parse_address};
use super::secret::{KeyHeader, Secret};
use crate::DoorError;

/// The certificate authorities that a call trusts. Cheap to clone.
#[derive(Clone)]
pub struct TrustedAuthorities(Arc<ClientConfig>);

impl fmt::Debug for TrustedAuthorities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // There are more than a hundred.
        f.write_str("TrustedAuthorities(…)")
    }
}

impl TrustedAuthorities {
    /// The public ones and these.
    pub fn with_extra(extra: &[CertificateDer<'static>]) -> Result<Self, DoorError> {
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        for certificate in extra {
            roots.add(certificate.clone()).map_err(DoorError::Authority)?;
        }
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(DoorError::Tls)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self(Arc::new(config)))
    }
}

/// One call with a key.
#[derive(Debug, Clone, Copy)]
pub struct KeyedCall<'a> {
    pub call: Call<'a>,
    pub key: &'a Secret,
    pub key_header: &'a KeyHeader,
    pub authorities: &'a TrustedAuthorities,
}

/// The response to a call with a key. Its status is no redirect.
#[derive(Debug, Clone)]
pub struct KeyedResponse {
    pub status: u16,
    /// The header field of this name, as it was sent.
    pub retry_after: Option<String>,
    pub body: Vec<u8>,
}

impl KeyedCall<'_> {
    pub async fn send(self) -> Result<KeyedResponse, CallError> {
        let url = parse_address(self.call.url)?;
        if !may_have_key(&url) {
            return Err(CallError::KeyWithoutTls);
        }
        let key = self.key_header.field(self.key)?;
        let trust = Trust::These(Arc::clone(&self.authorities.0));
        let timeout = self.call.timeout;
        let response = exchange(&self.call, Some(key), &[], &url, trust);
        let response = tokio::time::timeout(timeout, response)
            .await
            .map_err(|_| CallError::Timeout(timeout.as_secs()))??;
        let status = response.status;
        if (300..400).contains(&status) {
            return Err(CallError::Redirect(status));
        }
        let retry_after = response.headers.get(header::RETRY_AFTER);
        let retry_after = retry_after.and_then(|value| value.to_str().ok()).map(str::to_owned);
        Ok(KeyedResponse { status, retry_after, body: response.body })
    }
}

/// Whether a key may be sent to this address: with TLS, or to this machine.
fn may_have_key(url: &Url) -> bool {
    url.scheme() == "https" || is_loopback(url)
}

/// Whether an address is one of this machine, without a look-up.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sent_with_tls_or_to_this_machine() {
        for (url, may) in [
            ("https://api.example/v1", true),
            ("http://127.0.0.1:9/v1", true),
            ("http://[::1]:9/v1", true),
            ("http://localhost/v1", true),
            ("http://api.example/v1", false),
            ("http://127.0.0.1.example/v1", false),
            ("http://localhost.example/v1", false),
            ("http://10.0.0.1/v1", false),
        ] {
            assert_eq!(may_have_key(&Url::parse(url).unwrap()), may, "{url}");
        }
    }

    #[test]
    fn what_is_no_certificate_is_no_authority() {
        let nonsense = CertificateDer::from(vec![1, 2, 3]);
        assert!(TrustedAuthorities::with_extra(&[nonsense]).is_err());
        assert!(TrustedAuthorities::with_extra(&[]).is_ok());
    }
}
