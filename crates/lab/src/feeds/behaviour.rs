//! What a feed serves: its good list, a changed one, or a fault.

/// What a feed serves instead of its good list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum FeedBehaviour {
    #[default]
    Good,
    /// The good list and one more prefix ([`FeedBehaviour::ADDED_PREFIX`]).
    Grown,
    /// The first twentieth of the list, at least one prefix.
    Shrunken,
    /// The first half of the bytes.
    Truncated,
    /// No bytes.
    Empty,
    /// A correct document without a prefix.
    NoPrefixes,
    /// The good list with entries between them that are no prefixes, one of them a prefix with a
    /// zero-width space inside.
    Dirty,
    /// The good list, 0.0.0.0/0 and ::/0.
    SlashZero,
    /// The good list and 44.0.0.0/8.
    TooBroad,
    /// The good list and networks of private, loopback and documentation space.
    PrivateSpace,
    /// An HTML page with an error text and status 200.
    HtmlErrorPage,
    /// The good list, declared as a picture.
    WrongType,
    /// A gzip body of one megabyte that expands to one gibibyte.
    Bomb,
    /// A list of ten million lines.
    TenMillionLines,
    /// The good list, one byte a second.
    Slow,
    /// 403 with an HTML page.
    Status403,
    /// 500 with an HTML page.
    Status500,
    /// A redirect to the same address.
    RedirectLoop,
    /// A redirect to the good list.
    RedirectOnce,
    /// 304 to every request, also to one without a condition.
    NotModifiedWithoutEtag,
    /// This body, in the media type of the feed's format.
    Body(String),
}

impl FeedBehaviour {
    /// The prefix that [`FeedBehaviour::Grown`] adds.
    pub const ADDED_PREFIX: &'static str = "44.99.0.0/24";

    /// The faults by the word in `/bad/{kind}`.
    #[must_use]
    pub fn faults() -> &'static [(&'static str, Self)] {
        FAULTS
    }

    pub(super) fn from_word(word: &str) -> Option<Self> {
        FAULTS.iter().find(|(known, _)| *known == word).map(|(_, behaviour)| behaviour.clone())
    }
}

const FAULTS: &[(&str, FeedBehaviour)] = &[
    ("shrunken", FeedBehaviour::Shrunken),
    ("truncated", FeedBehaviour::Truncated),
    ("empty", FeedBehaviour::Empty),
    ("no_prefixes", FeedBehaviour::NoPrefixes),
    ("dirty", FeedBehaviour::Dirty),
    ("slash_zero", FeedBehaviour::SlashZero),
    ("too_broad", FeedBehaviour::TooBroad),
    ("private_space", FeedBehaviour::PrivateSpace),
    ("html_error_200", FeedBehaviour::HtmlErrorPage),
    ("wrong_type", FeedBehaviour::WrongType),
    ("bomb", FeedBehaviour::Bomb),
    ("ten_million_lines", FeedBehaviour::TenMillionLines),
    ("slow", FeedBehaviour::Slow),
    ("status_403", FeedBehaviour::Status403),
    ("status_500", FeedBehaviour::Status500),
    ("redirect_loop", FeedBehaviour::RedirectLoop),
    ("redirect_once", FeedBehaviour::RedirectOnce),
    ("not_modified_without_etag", FeedBehaviour::NotModifiedWithoutEtag),
];
