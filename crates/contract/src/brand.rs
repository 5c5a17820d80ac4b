//! The operator's brand, and every identifier on the wire that contains it.

use std::fmt;

/// The brand segment of wire identifiers: lower-case letters and digits, `svc` by default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brand(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a brand must be 1 to 32 lower-case ASCII letters and digits, starting with a letter")]
pub struct BadBrand;

impl Brand {
    pub const DEFAULT: &str = "svc";

    pub fn new(text: &str) -> Result<Self, BadBrand> {
        let good = (1..=32).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            && text.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
        if good { Ok(Self(text.to_owned())) } else { Err(BadBrand) }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `svc-resolve` for `resolve`.
    #[must_use]
    pub fn kind(&self, word: &str) -> String {
        format!("{}-{word}", self.0)
    }

    /// The first line of every signed message, with its line feed. The hex digest follows it.
    #[must_use]
    pub fn message_prefix(&self) -> String {
        format!("{}-data-v1\n", self.0)
    }

    /// The prefix of a staple's message.
    #[must_use]
    pub fn staple_prefix(&self) -> String {
        format!("{}-dns-v1\n", self.0)
    }

    #[must_use]
    pub fn log_id(&self) -> String {
        format!("{}-resolve-log-v1", self.0)
    }

    /// The request header that carries a licence key.
    #[must_use]
    pub fn key_header(&self) -> String {
        format!("x-{}-key", self.0)
    }

    /// `x-svc-quota-` + `name`.
    #[must_use]
    pub fn quota_header(&self, name: &str) -> String {
        format!("x-{}-quota-{name}", self.0)
    }

    /// `svc_purpose` for `purpose`: a member of the key directory.
    #[must_use]
    pub fn member(&self, name: &str) -> String {
        format!("{}_{name}", self.0)
    }

    /// The label of the TXT record that proves control of a domain: `_svc-challenge`.
    #[must_use]
    pub fn challenge_label(&self) -> String {
        format!("_{}-challenge", self.0)
    }

    /// The name of the meta element that proves control of a domain: `svc-verification`.
    #[must_use]
    pub fn verification_name(&self) -> String {
        format!("{}-verification", self.0)
    }

    /// The path of the file that proves control of a domain: `/.well-known/svc-challenge.txt`.
    #[must_use]
    pub fn challenge_path(&self) -> String {
        format!("/.well-known/{}-challenge.txt", self.0)
    }

    /// `Svc-Receipt` for `Receipt`.
    #[must_use]
    pub fn header(&self, name: &str) -> String {
        let mut letters = self.0.chars();
        let first = letters.next().map(|c| c.to_ascii_uppercase());
        format!("{}{}-{name}", first.map(String::from).unwrap_or_default(), letters.as_str())
    }
}

impl Default for Brand {
    fn default() -> Self {
        Self(Self::DEFAULT.to_owned())
    }
}

impl fmt::Display for Brand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_used_in_every_identifier_of_the_interface() {
        let brand = Brand::new("crawlcheck").unwrap();
        assert_eq!(brand.kind("log-sth"), "crawlcheck-log-sth");
        assert_eq!(brand.message_prefix(), "crawlcheck-data-v1\n");
        assert_eq!(brand.key_header(), "x-crawlcheck-key");
        assert_eq!(brand.quota_header("limit"), "x-crawlcheck-quota-limit");
        assert_eq!(brand.log_id(), "crawlcheck-resolve-log-v1");
        assert_eq!(brand.challenge_label(), "_crawlcheck-challenge");
        assert_eq!(brand.verification_name(), "crawlcheck-verification");
        assert_eq!(brand.challenge_path(), "/.well-known/crawlcheck-challenge.txt");
        assert_eq!(brand.member("signs_from"), "crawlcheck_signs_from");
        assert_eq!(Brand::default().header("Receipt"), "Svc-Receipt");
    }

    #[test]
    fn refuses_characters_that_would_break_a_header_or_a_message() {
        for bad in ["", "Svc", "s vc", "s-vc", "1svc", "svc\n", &"s".repeat(33), "sväc"] {
            assert_eq!(Brand::new(bad), Err(BadBrand), "{bad:?}");
        }
    }
}
