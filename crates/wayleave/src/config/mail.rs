//! Free keys by mail, and the mail server that sends them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The mail server. Its password is in a file or in `WAYLEAVE_MAIL_PASSWORD`, so that `wayleave config` does
/// not print it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct MailConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) host: Option<String>,
    /// Unset means the usual port of `security`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) port: Option<u16>,
    pub(crate) security: MailSecurity,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) user: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) password_file: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MailSecurity {
    StartTls,
    Tls,
    None,
}

impl Default for MailConfig {
    fn default() -> Self {
        Self {
            host: None,
            port: None,
            security: MailSecurity::StartTls,
            user: None,
            password_file: None,
            from: None,
        }
    }
}

impl MailConfig {
    pub(crate) fn port(&self) -> u16 {
        self.port.unwrap_or(match self.security {
            MailSecurity::StartTls => 587,
            MailSecurity::Tls => 465,
            MailSecurity::None => 25,
        })
    }
}
