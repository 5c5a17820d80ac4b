//! The texts of the mails.

use contract::limits::FREE_KEY_LINK_HOURS;

/// A mail, without its recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MailText {
    pub(super) subject: &'static str,
    pub(super) text: String,
}

/// The mail with a link. `host` is where the service is, for people.
pub(super) fn link_mail(host: &str, link: &str) -> MailText {
    let text = format!(
        "Somebody asked for a free API key of {host} for this mail address.\r\n\r\n\
         Open this link and press the button to see the key. The link can be used once, within \
         {FREE_KEY_LINK_HOURS} hours:\r\n\r\n\
         {link}\r\n\r\n\
         If you did not ask for it, do nothing: no key is made.\r\n"
    );
    MailText { subject: "Your API key", text }
}

/// The mail to somebody who has a key already.
pub(super) fn has_key_mail(host: &str, contact: Option<&str>) -> MailText {
    let lost = match contact {
        Some(contact) => format!("If you lost it, ask the operator for another one: {contact}"),
        None => "If you lost it, ask the operator for another one.".to_owned(),
    };
    let text = format!(
        "Somebody asked for a free API key of {host} for this mail address.\r\n\r\n\
         This address has a key already, and each address gets one. {lost}\r\n\r\n\
         If you did not ask for it, do nothing.\r\n"
    );
    MailText { subject: "You have an API key already", text }
}
