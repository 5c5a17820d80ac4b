//! A mail address as a caller typed it.

use std::collections::BTreeSet;
use std::fmt;

/// RFC 5321: a path of 256 characters with its brackets.
const MAX_MAILBOX_CHARS: usize = 254;
const MAX_LOCAL_CHARS: usize = 64;

/// One mail address. `Debug` does not print it, so that it cannot end up in a log.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Mailbox {
    local: String,
    /// In lower case, as DNS has it.
    domain: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MailboxError {
    #[error("the mail address is longer than {MAX_MAILBOX_CHARS} characters")]
    TooLong,
    #[error("this is not one mail address such as ada@shop.example")]
    Malformed,
}

impl Mailbox {
    /// Accepts one plain address: no name, brackets, quotes, spaces or further addresses. The domain may be
    /// written in any script.
    pub(super) fn parse(text: &str) -> Result<Self, MailboxError> {
        if text.chars().count() > MAX_MAILBOX_CHARS {
            return Err(MailboxError::TooLong);
        }
        let (local, domain) = text.split_once('@').ok_or(MailboxError::Malformed)?;
        if !is_local_part(local) {
            return Err(MailboxError::Malformed);
        }
        let domain = parse_mail_domain(domain).ok_or(MailboxError::Malformed)?;
        let mailbox = Self { local: local.to_owned(), domain };
        if mailbox.address().len() > MAX_MAILBOX_CHARS {
            return Err(MailboxError::TooLong);
        }
        Ok(mailbox)
    }

    pub(super) fn address(&self) -> String {
        format!("{}@{}", self.local, self.domain)
    }

    pub(super) fn domain(&self) -> &str {
        &self.domain
    }

    /// The same text for all spellings that many providers deliver to one mailbox: `A.da+x@shop.example`
    /// counts as `ada@shop.example`.
    pub(super) fn counted_as(&self) -> String {
        let before_tag = self.local.split('+').next().unwrap_or_default();
        let plain: String = before_tag.chars().filter(|letter| *letter != '.').collect();
        let local = if plain.is_empty() { &self.local } else { &plain };
        format!("{}@{}", local.to_ascii_lowercase(), self.domain)
    }
}

impl fmt::Debug for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mailbox")
    }
}

/// A dot-atom (RFC 5322), without the characters that some mail servers take for routes and programs.
fn is_local_part(local: &str) -> bool {
    let is_word = |word: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"#$&'*+-/=?^_{}~".contains(&byte);
        !word.is_empty() && word.bytes().all(plain)
    };
    local.len() <= MAX_LOCAL_CHARS && local.split('.').all(is_word)
}

/// The name in lower case, as DNS has it. `None` for an IP address and for a name without a dot.
fn parse_mail_domain(text: &str) -> Option<String> {
    let plain = |letter: char| !letter.is_ascii() || letter.is_ascii_alphanumeric();
    if !text.chars().all(|letter| plain(letter) || letter == '-' || letter == '.') {
        return None;
    }
    let url::Host::Domain(name) = url::Host::parse(text).ok()? else { return None };
    let is_label = |label: &str| {
        (1..=63).contains(&label.len()) && !label.starts_with('-') && !label.ends_with('-')
    };
    let good = name.len() <= 253 && name.contains('.') && name.split('.').all(is_label);
    good.then_some(name)
}

/// Mail domains that get no keys, such as those of mailboxes that anybody can read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RefusedMailDomains(BTreeSet<String>);

impl RefusedMailDomains {
    /// Adds a name. False if it is not a domain.
    pub fn add(&mut self, name: &str) -> bool {
        let Some(name) = parse_mail_domain(name.trim()) else { return false };
        self.0.insert(name);
        true
    }

    /// Whether the name or a domain above it is refused.
    fn contains(&self, domain: &str) -> bool {
        let mut rest = Some(domain);
        while let Some(name) = rest {
            if self.0.contains(name) {
                return true;
            }
            rest = name.split_once('.').map(|(_, above)| above);
        }
        false
    }

    pub(super) fn refuses(&self, mailbox: &Mailbox) -> bool {
        self.contains(mailbox.domain())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_plain_address_is_accepted() {
        for (text, address, counted_as) in [
            ("ada@shop.example", "ada@shop.example", "ada@shop.example"),
            ("A.da+wl@Shop.EXAMPLE", "A.da+wl@shop.example", "ada@shop.example"),
            ("a+b+c@x.example", "a+b+c@x.example", "a@x.example"),
            ("+tag@x.example", "+tag@x.example", "+tag@x.example"),
            ("o'neil_{1}=x/y@x.example", "o'neil_{1}=x/y@x.example", "o'neil_{1}=x/y@x.example"),
            ("ada@bücher.example", "ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"),
        ] {
            let mailbox = Mailbox::parse(text).unwrap();
            assert_eq!(
                (mailbox.address(), mailbox.counted_as()),
                (address.into(), counted_as.into())
            );
            assert_eq!(format!("{mailbox:?}"), "Mailbox");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            "@",
            "ada",
            "@shop.example",
            "ada@",
            "ada@shop",
            "ada@localhost",
            "ada@192.0.2.1",
            "ada@[192.0.2.1]",
            "ada@0x7f.1",
            "ada@shop.example.",
            "ada@.shop.example",
            "ada@shop..example",
            "ada@-shop.example",
            "ada@shop%2eexample",
            "ada@eve@shop.example",
            "ada@shop.example,eve@shop.example",
            "ada@shop.example eve@shop.example",
            "ada@shop.example;eve@shop.example",
            "Ada <ada@shop.example>",
            "<ada@shop.example>",
            "\"ada\"@shop.example",
            "\"a@b\"@shop.example",
            "ada(x)@shop.example",
            " ada@shop.example",
            "ada@shop.example ",
            "ada@shop.example\r\nBcc: eve@shop.example",
            "ada\r\nBcc: eve@shop.example",
            "ada@shop.example\n",
            "ada\0@shop.example",
            "a\u{a0}da@shop.example",
            "ådå@shop.example",
            ".ada@shop.example",
            "ada.@shop.example",
            "a..da@shop.example",
            "eve%shop.example@relay.example",
            "relay.example!eve@shop.example",
            "|sh@shop.example",
        ] {
            assert_eq!(Mailbox::parse(text), Err(MailboxError::Malformed), "{text:?}");
        }
        let long = format!("{}@shop.example", "a".repeat(65));
        assert_eq!(Mailbox::parse(&long), Err(MailboxError::Malformed));
        let long = format!("ada@{}example", "shop.".repeat(50));
        assert_eq!(Mailbox::parse(&long), Err(MailboxError::TooLong));
        assert_eq!(Mailbox::parse(&"a".repeat(10_000)), Err(MailboxError::TooLong));
    }

    #[test]
    fn refused_domains_include_their_subdomains() {
        let mut refused = RefusedMailDomains::default();
        assert!(refused.add(" Throwaway.example ") && refused.add("bücher.example"));
        assert!(!refused.add("") && !refused.add("a b.example") && !refused.add("localhost"));
        let is_refused = |text: &str| refused.refuses(&Mailbox::parse(text).unwrap());
        for text in ["a@throwaway.example", "a@x.y.THROWAWAY.example", "a@xn--bcher-kva.example"] {
            assert!(is_refused(text), "{text}");
        }
        for text in ["a@example.org", "a@notthrowaway.example", "a@throwaway.example.org"] {
            assert!(!is_refused(text), "{text}");
        }
    }

    proptest! {
        /// What is accepted can be one line of a header and one recipient of SMTP.
        #[test]
        fn what_is_accepted_is_one_line(text in "[a-z+. @<>,\r\n\"%ü-]{0,40}@[a-z.ü\r\n]{0,20}") {
            if let Ok(mailbox) = Mailbox::parse(&text) {
                let address = mailbox.address();
                prop_assert!(address.bytes().all(|byte| byte.is_ascii_graphic()));
                prop_assert!(!address.contains(['<', '>', ',', '"', '%']));
                prop_assert_eq!(address.matches('@').count(), 1);
                prop_assert_eq!(Mailbox::parse(&address), Ok(mailbox));
            }
        }
    }
}
