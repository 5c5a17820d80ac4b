//! How a server speaks, apart from what it lists.

/// The versions that a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// 2026-07-28 only.
    Modern,
    /// `initialize` only.
    Legacy,
    Both,
    /// A stream of events and a second address (2024-11-05).
    EventStream,
}

/// In which form it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    Gzip,
    Sse,
    /// A stream with everything that the standard allows: a mark, comments, CR LF, several lines.
    OddSse,
    /// A notification and a request of the server before the response.
    ChattySse,
    /// All responses in an array.
    Batch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    None,
    /// Discovery is never answered.
    SilentDiscover,
    /// Unknown methods get status 200.
    DiscoverWithStatus200,
    /// Everything before `initialize` gets 400 without a JSON-RPC body.
    SessionHeaderRequired,
    /// `initialize` accepts only this version and answers others with an error.
    RefusesOtherVersions,
    UnknownVersion,
    /// Discovery says that only a later version is spoken.
    OtherModernVersion,
    BadSessionId,
    RepeatingCursor,
    EndlessPages,
    PageTwoError,
    PageTwoSilence,
    PageTwoNotFound,
    Unstable,
    UnstableOrder,
    GzipBomb,
    EndlessSse,
    EndlessMessages,
    SseWithoutResponse,
    SseSilence,
    Silence,
    Redirect,
    WrongContentType,
    Html,
    BadJson,
    DeepJson,
    IdMismatch,
    NoTools,
    ServerError,
    NotFound,
    ForeignEndpoint,
    Auth(AuthFault),
    /// The handshake is open, the lists are not.
    AuthForLists,
    /// The same with status 403.
    ForbiddenLists,
    /// The tools are open, the prompts are not.
    AuthForPrompts,
    /// Discovery also names a version of the older era.
    ListsOlderVersion,
    /// Discovery is an unknown method.
    NoDiscover,
    /// `initialize` issues a session and never answers.
    SilentInitialize,
}

/// What a server that asks for credentials publishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AuthFault {
    None,
    /// The challenge names no address; the well-known one with the path works.
    OnlyWellKnownPath,
    OnlyWellKnownRoot,
    ForeignHost,
    WrongIssuer,
    WrongResource,
    NoServers,
    Missing,
}

/// The server card that a server publishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Card {
    None,
    /// In the form of the current draft.
    Current,
    /// The same, next to the server instead of at the well-known place.
    Beside,
    /// In the earlier form, with capabilities and tools.
    Earlier,
    /// In the earlier form, about another server.
    Different,
    Huge,
    Deep,
    Array,
    Page,
    Silent,
    ServerError,
    /// Redirects to 127.0.0.1.
    Redirect,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Behaviour {
    pub(super) era: Era,
    pub(super) form: Form,
    pub(super) version: &'static str,
    pub(super) has_session: bool,
    /// 0: all items on one page.
    pub(super) page_size: usize,
    /// Whether the cursor of the second page is an empty text.
    pub(super) empty_cursor: bool,
    pub(super) fault: Fault,
    pub(super) card: Card,
}
