//! The parts of an address that are compared.

/// What of an address tells which page it is.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WebAddress {
    /// In ASCII, without `www.`.
    pub(super) host: String,
    pub(super) port: Option<u16>,
    /// Decoded, without the slash at the end and the file name of a start page.
    pub(super) path: String,
    /// Sorted, without parameters that only tell where a visitor came from.
    pub(super) query: Vec<(String, String)>,
    /// The host as software reads it that does not know all letters: `ß` as `ss`.
    pub(super) old_host: String,
    /// A copy of the page, which may be old.
    pub(super) is_copy: bool,
    /// Dots say that the rest of the address was left out.
    pub(super) is_cut: bool,
    /// The part behind `#!` or `#/`, by which some sites tell their pages apart.
    pub(super) route: String,
}
