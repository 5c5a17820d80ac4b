//! A recognised wall and its kind.

use serde::{Deserialize, Serialize};

/// A response that is not the requested page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wall {
    /// The vendor's name. None when the response does not show the vendor.
    pub vendor: Option<String>,
    pub vendor_id: Option<String>,
    pub kind: WallKind,
    /// True for a decisive mark, for several marks that agree, and for a status whose meaning HTTP
    /// defines. Otherwise this is only the most likely explanation.
    pub certain: bool,
    /// What was found, as text, strongest marks first.
    pub marks: Vec<String>,
    /// For [`WallKind::Payment`]: the price, as the response states it.
    pub price: Option<String>,
}

/// What a wall demands from the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WallKind {
    /// Nothing. The request is refused.
    Block,
    /// Proof of a real browser, by a script that runs without user input.
    Challenge,
    /// Proof of a human, by a puzzle.
    Captcha,
    /// Fewer requests.
    RateLimit,
    Payment,
    Login,
    /// Nothing. The page is withheld for legal reasons.
    Legal,
    /// A visitor from another country.
    Region,
    /// A statement about the visitor's age.
    Age,
    /// Consent to cookies or to the use of personal data.
    Consent,
    /// Nothing. The domain has no site and may be for sale.
    Parked,
    /// Another time: the site is being worked on or has not opened yet.
    Maintenance,
    /// Nothing. The server or host shows its own page, because there is no site.
    Placeholder,
    /// Nothing. There is no content at all.
    Empty,
}

impl WallKind {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Challenge => "challenge",
            Self::Captcha => "captcha",
            Self::RateLimit => "rate_limit",
            Self::Payment => "payment",
            Self::Login => "login",
            Self::Legal => "legal",
            Self::Region => "region",
            Self::Age => "age",
            Self::Consent => "consent",
            Self::Parked => "parked",
            Self::Maintenance => "maintenance",
            Self::Placeholder => "placeholder",
            Self::Empty => "empty",
        }
    }
}
