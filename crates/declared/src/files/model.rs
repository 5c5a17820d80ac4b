//! A file as it was received, and what an inspection gives back.

use std::collections::BTreeMap;

use super::kind::FileKind;
use crate::fault::Fault;

/// A file as it was received.
#[derive(Debug, Clone, Copy)]
pub struct ServedFile<'a> {
    pub requested_url: &'a str,
    pub final_url: &'a str,
    pub redirects: usize,
    pub status: u16,
    /// Names in lower case.
    pub headers: &'a [(String, String)],
    pub body: &'a [u8],
    /// Whether the body was not received completely.
    pub truncated: bool,
    /// When it was received, in seconds since 1970.
    pub read_at_s: i64,
}

/// What a file contains and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    pub kind: FileKind,
    /// Whether no fault makes the whole file unusable. If `add_not_read_whole` is among the faults, false
    /// means only that this is unknown.
    pub usable: bool,
    /// The version or format, recognised by the content: `A2A 1.0`, `urlset`.
    pub version: Option<String>,
    /// The platform or plug-in that probably generated the file. The owner may then not have decided
    /// to publish it.
    pub generator: Option<String>,
    /// The newest date that a sitemap gives for an entry, as written.
    pub newest_date: Option<String>,
    /// A one-line summary of the content.
    pub summary: String,
    pub counts: BTreeMap<&'static str, u64>,
    /// URLs that the file declares, unchecked, at most [`MAX_ADDRESSES`].
    pub addresses: Vec<String>,
    pub faults: Vec<Fault>,
}

/// How many URLs of one file are returned.
pub const MAX_ADDRESSES: usize = 100;
