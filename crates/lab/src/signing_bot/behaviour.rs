//! How a key directory behaves.

/// How a key directory behaves. Except where it says otherwise, it contains the published key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectoryBehaviour {
    Good,
    /// Redirects to the good directory.
    Redirect,
    /// The media type is `application/json`.
    WrongType,
    /// 1,000 keys, the published one last.
    ManyKeys,
    /// Eight megabytes, with the keys at the end.
    Huge,
    /// One byte a second.
    Slow,
    /// 404.
    Missing,
    /// 503.
    Down,
    /// Only another key.
    OtherKey,
    /// Another key under the id of the published one.
    WrongKid,
    /// Text that is not JSON.
    NotJson,
}
