//! Which mail server is used, and how.

use std::fmt;
use std::net::IpAddr;

use rustls::pki_types::CertificateDer;

/// The operator's mail server.
#[derive(Debug, Clone)]
pub struct MailSettings {
    /// A name or an IP address.
    pub host: String,
    pub port: u16,
    pub security: MailSecurity,
    pub login: Option<MailLogin>,
    /// The address that mails come from, with or without a name: `Wayleave <keys@svc.example>`.
    pub from: String,
    /// Certificate authorities trusted in addition to the built-in roots; see [`crate::read_pem`].
    pub extra_ca: Vec<CertificateDer<'static>>,
}

/// How the connection to the mail server is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailSecurity {
    /// Begins in the clear and continues with TLS, or ends.
    StartTls,
    /// TLS from the first byte.
    Tls,
    /// In the clear; only to this machine.
    None,
}

/// `Debug` does not print the password.
#[derive(Clone, PartialEq, Eq)]
pub struct MailLogin {
    pub user: String,
    pub password: String,
}

impl fmt::Debug for MailLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MailLogin").finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MailSettingsError {
    #[error("the host is neither a name nor an IP address")]
    Host,
    #[error("mails in the clear are sent to this machine only: localhost, 127.0.0.1 or ::1")]
    NotLoopback,
    #[error("the sender is not a mail address such as keys@svc.example")]
    From,
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
}

impl MailSettings {
    /// Whether the host is this machine, by its name. The address is compared after connecting.
    pub(super) fn is_loopback(&self) -> bool {
        let address = self.host.trim_matches(['[', ']']).parse::<IpAddr>();
        self.host.eq_ignore_ascii_case("localhost")
            || address.is_ok_and(|address| address.to_canonical().is_loopback())
    }
}
