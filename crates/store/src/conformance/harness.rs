//! What a case needs: an engine, locations for its stores, and checks that fail the case.

use std::fmt;
use std::sync::Arc;

use crate::{BoxFuture, Day, Digest, Store};

/// The engine under test.
pub trait Engine: Sync {
    /// Creates a location for a new, empty store.
    fn new_location(&self) -> BoxFuture<'_, Box<dyn StoreLocation>>;
}

/// The location of one store. It outlives the store that is opened in it.
pub trait StoreLocation: Send + Sync {
    /// Opens the store. Called again only after the previously opened store was dropped.
    fn open(&self) -> BoxFuture<'_, Arc<dyn Store>>;

    /// Changes stored bytes of an artefact without the store's knowledge, like a failing disk.
    fn damage_artifact(&self, sha256: Digest) -> BoxFuture<'_, ()>;

    /// Changes stored bytes of a scan's record without the store's knowledge. The store is closed.
    fn damage_scan<'a>(&'a self, id: &'a str) -> BoxFuture<'a, ()>;

    /// Changes stored bytes of the log or of an answer without the store's knowledge. The store is
    /// closed.
    fn damage_log(&self, part: LogPart) -> BoxFuture<'_, ()>;

    /// Changes stored bytes of a seal's statement without the store's knowledge. The store is
    /// closed.
    fn damage_seal(&self, day: Day) -> BoxFuture<'_, ()>;

    /// Changes stored bytes of a feed's content without the store's knowledge. The store is closed.
    fn damage_feed<'a>(&'a self, id: &'a str) -> BoxFuture<'a, ()>;

    /// Changes stored bytes of a registration without the store's knowledge. The store is closed.
    fn damage_registration<'a>(&'a self, domain: &'a str) -> BoxFuture<'a, ()>;

    /// Changes stored bytes of an AI-accuracy record without the store's knowledge. The store is closed.
    fn damage_accuracy(&self, sha256: Digest) -> BoxFuture<'_, ()>;

    /// Changes the stored counts of agents of a day.
    fn damage_conduct(&self, day: Day) -> BoxFuture<'_, ()>;

    /// Changes stored bytes of a scan of an MCP server without the store's knowledge. The store is closed.
    fn damage_mcp_scan(&self, scan_sha256: Digest) -> BoxFuture<'_, ()>;

    /// Changes the time of a lock of an MCP server without the store's knowledge. The store is closed.
    fn damage_mcp_lock(&self, lock_sha256: Digest) -> BoxFuture<'_, ()>;
}

/// A part of the log to damage.
#[derive(Debug, Clone, Copy)]
pub enum LogPart {
    /// The signed head of a batch.
    Head {
        batch: u64,
    },
    Leaves {
        batch: u64,
    },
    Contents {
        batch: u64,
    },
    Tile {
        level: u8,
        index: u64,
    },
    Answer {
        sha256: Digest,
    },
    /// An entry of the chain of revocations.
    Revocation {
        seq: u64,
    },
}

pub(super) type CaseResult = Result<(), String>;
pub(super) type Case = for<'a> fn(&'a dyn Engine) -> BoxFuture<'a, CaseResult>;

/// Fails the case when two values differ. Does not panic, so that the other cases still run.
macro_rules! check_eq {
    ($left:expr, $right:expr, $($why:tt)+) => {
        match (&$left, &$right) {
            (left, right) => {
                if left != right {
                    return Err(format!(
                        "{}: got {}, expected {}",
                        format_args!($($why)+),
                        $crate::conformance::sample_values::shown(left),
                        $crate::conformance::sample_values::shown(right),
                    ));
                }
            }
        }
    };
}

/// Fails the case when a condition is false.
macro_rules! check {
    ($condition:expr, $($why:tt)+) => {
        if !$condition {
            return Err(format!($($why)+));
        }
    };
}

/// Describes a store error where the case expects none.
pub(super) fn unexpected_error(error: impl fmt::Display) -> String {
    format!("unexpected error: {error}")
}

pub(super) use {check, check_eq};
