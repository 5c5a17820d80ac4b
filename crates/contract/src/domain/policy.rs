//! Which names are accepted as public sites, and why others are refused.

/// Exceptions to the public rules, set by the operator. Empty on the real internet; a lab lists its
/// own top-level domain here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamePolicy {
    /// Suffixes (without a leading dot) under which every name counts as public.
    pub allow_suffixes: Vec<String>,
    /// Ports that a URL may contain besides 80 and 443.
    pub allow_ports: Vec<u16>,
}

/// Why a text was not accepted as the name of a public site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum NameRefusal {
    #[error("the domain is missing")]
    Empty,
    #[error("the domain is too long")]
    TooLong,
    #[error("the domain contains a control character, a space or a backslash")]
    BadCharacter,
    #[error("only http and https addresses are supported")]
    Scheme,
    #[error("addresses with a user name or password are not accepted")]
    UserInfo,
    #[error("only ports 80 (http) and 443 (https) are supported")]
    Port,
    #[error("an IP address is not a domain")]
    IpAddress,
    #[error("the domain is not a valid host name")]
    Syntax,
    #[error("the name has only one label, so it is not a public domain")]
    SingleLabel,
    #[error("the domain has too many labels")]
    TooManyLabels,
    #[error("the name is reserved, so it cannot be a public site")]
    Reserved,
    #[error("the top-level domain does not exist")]
    UnknownTld,
    #[error("the name is a public suffix, not a domain that a site can use")]
    PublicSuffix,
}

impl NameRefusal {
    /// The reason as a stable word for programs.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLong => "too_long",
            Self::BadCharacter => "bad_character",
            Self::Scheme => "scheme",
            Self::UserInfo => "userinfo",
            Self::Port => "port",
            Self::IpAddress => "ip_address",
            Self::Syntax => "syntax",
            Self::SingleLabel => "single_label",
            Self::TooManyLabels => "too_many_labels",
            Self::Reserved => "reserved_name",
            Self::UnknownTld => "unknown_tld",
            Self::PublicSuffix => "public_suffix",
        }
    }
}
