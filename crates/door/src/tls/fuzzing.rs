//! Entry points for the fuzz targets.

use contract::evidence::Certificate;
use x509_parser::prelude::{FromDer, X509Certificate};

use super::facts;

/// The recorded facts of a certificate in DER; `None` if it cannot be parsed.
#[must_use]
pub fn describe_certificate(der: &[u8]) -> Option<Certificate> {
    let (_, parsed) = X509Certificate::from_der(der).ok()?;
    Some(facts::describe_certificate(der, &parsed))
}
