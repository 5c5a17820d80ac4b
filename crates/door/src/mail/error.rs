//! Why a mail could not be sent.

use std::io;

/// Has no text of the server in it: servers repeat the recipient.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    #[error("the message cannot be written")]
    Message,
    #[error("the mail server did not finish within {0} seconds")]
    Timeout(u64),
    #[error("no connection to the mail server")]
    Connect(#[source] io::Error),
    #[error("the mail server is not on this machine, and mail.security is none")]
    NotLoopback,
    #[error("the mail server does not offer STARTTLS")]
    NoStartTls,
    #[error("TLS with the mail server failed: {0}")]
    Tls(String),
    #[error("the mail server refused with status {0}")]
    Refused(u16),
    #[error("the mail server answered something that is not SMTP, or closed the connection")]
    Exchange,
}

impl MailError {
    /// Whether the same mail may be accepted later.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Timeout(_) | Self::Connect(_) | Self::Exchange => true,
            Self::Refused(status) => (400..500).contains(status),
            Self::Message | Self::NotLoopback | Self::NoStartTls | Self::Tls(_) => false,
        }
    }
}

impl From<lettre::transport::smtp::Error> for MailError {
    fn from(error: lettre::transport::smtp::Error) -> Self {
        match error.status() {
            Some(status) => Self::Refused(u16::from(status)),
            None => Self::Exchange,
        }
    }
}
