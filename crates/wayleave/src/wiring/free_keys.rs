//! Builds what sends free keys by mail.

use anyhow::{Context, Result, bail};
use door::Policy;
use door::mail::{MailLogin, MailSecurity, MailSettings, Mailer};
use service::{FreeKeySettings, RefusedMailDomains};

use super::small_file::read_text;
use crate::config::{self, Config, MailConfig};

/// The password, if it is in no file.
const PASSWORD_VARIABLE: &str = "WAYLEAVE_MAIL_PASSWORD";
const MAX_PASSWORD_BYTES: u64 = 1_024;
/// The longest lists of disposable mailboxes have some megabytes.
const MAX_LIST_BYTES: u64 = 32 << 20;

/// `None` if free keys are switched off. The mailer trusts the authorities of the policy.
pub(super) fn free_key_settings(
    config: &Config,
    policy: &Policy,
    per_address_and_day: Option<u32>,
) -> Result<Option<FreeKeySettings>> {
    if !config.access.free_keys {
        return Ok(None);
    }
    let mailer = Mailer::new(mail_settings(config, policy)?).context("mail")?;
    Ok(Some(FreeKeySettings {
        mailer,
        refused_domains: refused_domains(config)?,
        per_address_and_day,
    }))
}

fn mail_settings(config: &Config, policy: &Policy) -> Result<MailSettings> {
    let mail = &config.mail;
    Ok(MailSettings {
        host: mail.host.clone().context("mail.host is not set")?,
        port: mail.port(),
        security: match mail.security {
            config::MailSecurity::StartTls => MailSecurity::StartTls,
            config::MailSecurity::Tls => MailSecurity::Tls,
            config::MailSecurity::None => MailSecurity::None,
        },
        login: login(mail)?,
        from: mail.from.clone().context("mail.from is not set")?,
        extra_ca: policy.extra_ca.clone(),
    })
}

fn login(mail: &MailConfig) -> Result<Option<MailLogin>> {
    let variable = std::env::var(PASSWORD_VARIABLE).ok();
    let password = match (&mail.password_file, variable) {
        (Some(_), Some(_)) => {
            bail!("mail.password_file and {PASSWORD_VARIABLE} are both set: use one of them")
        }
        (Some(file), None) => {
            let text = read_text(file, MAX_PASSWORD_BYTES).context("mail.password_file")?;
            Some(text.trim_end_matches(['\r', '\n']).to_owned())
        }
        (None, variable) => variable,
    };
    match (&mail.user, password) {
        (None, None) => Ok(None),
        (Some(user), Some(password)) => Ok(Some(MailLogin { user: user.clone(), password })),
        (Some(_), None) => {
            bail!("mail.user is set and there is no password: set mail.password_file")
        }
        (None, Some(_)) => {
            bail!("there is a password for the mail server, and mail.user is not set")
        }
    }
}

fn refused_domains(config: &Config) -> Result<RefusedMailDomains> {
    let mut refused = RefusedMailDomains::default();
    for name in &config.access.refused_mail_domains {
        refused.add(name);
    }
    let Some(file) = &config.access.refused_mail_domains_file else { return Ok(refused) };
    let text = read_text(file, MAX_LIST_BYTES).context("access.refused_mail_domains_file")?;
    for (number, line) in text.lines().enumerate() {
        let name = line.split('#').next().unwrap_or_default().trim();
        if !name.is_empty() && !refused.add(name) {
            bail!(
                "access.refused_mail_domains_file: line {} of {} is not a domain",
                number + 1,
                file.display()
            );
        }
    }
    Ok(refused)
}
