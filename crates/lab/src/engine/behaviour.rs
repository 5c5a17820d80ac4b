//! How the engine answers.

/// How the engine answers questions for one model. The word of a behaviour is also the name of a model
/// that behaves so unless it is changed ([`crate::Lab::set_engine_behaviour`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineBehaviour {
    /// States what the site publishes.
    Right,
    /// The same, with sources beside the text if a web search is asked for.
    Search,
    /// The same without a schema: a request that has one is rejected (400).
    NoSchema,
    /// The same by newer rules: the limit of the answer has another name, and the older one is rejected
    /// (400).
    NewerLimit,
    /// Right in sentences, whatever form was asked for.
    Prose,
    /// Right but for the telephone number.
    WrongPhone,
    /// Right but for the address.
    WrongAddress,
    /// Right but for the website.
    WrongWebsite,
    /// Knows nothing: every value is null.
    Unknowing,
    /// Values with instructions, markup and characters that change the direction of text.
    Injected,
    /// Ten megabytes.
    Huge,
    /// One byte each second.
    Slow,
    /// Too many requests (429), with `Retry-After`.
    Busy,
    /// Redirects to the trap.
    Redirect,
    /// Something that is not of the protocol, with status 200.
    Garbage,
    /// Status 500.
    ServerError,
    /// The model declines to answer.
    Declines,
}

impl EngineBehaviour {
    pub const ALL: [Self; 17] = [
        Self::Right,
        Self::Search,
        Self::NoSchema,
        Self::NewerLimit,
        Self::Prose,
        Self::WrongPhone,
        Self::WrongAddress,
        Self::WrongWebsite,
        Self::Unknowing,
        Self::Injected,
        Self::Huge,
        Self::Slow,
        Self::Busy,
        Self::Redirect,
        Self::Garbage,
        Self::ServerError,
        Self::Declines,
    ];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Search => "search",
            Self::NoSchema => "no-schema",
            Self::NewerLimit => "newer-limit",
            Self::Prose => "prose",
            Self::WrongPhone => "wrong-phone",
            Self::WrongAddress => "wrong-address",
            Self::WrongWebsite => "wrong-website",
            Self::Unknowing => "unknowing",
            Self::Injected => "injected",
            Self::Huge => "huge",
            Self::Slow => "slow",
            Self::Busy => "busy",
            Self::Redirect => "redirect",
            Self::Garbage => "garbage",
            Self::ServerError => "server-error",
            Self::Declines => "declines",
        }
    }

    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|behaviour| behaviour.as_str() == word)
    }
}
