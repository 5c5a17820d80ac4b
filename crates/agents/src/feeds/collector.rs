//! Collects the prefixes of a feed while it is read.

use contract::Timestamp;
use ipnet::IpNet;

use super::content::FeedContent;
use super::fault::FeedFault;
use super::limits::MAX_PREFIXES;

#[derive(Debug, Default)]
pub(super) struct PrefixCollector {
    prefixes: Vec<IpNet>,
    skipped: usize,
}

impl PrefixCollector {
    /// Adds an entry; `None` is one without a valid prefix.
    pub(super) fn add(&mut self, prefix: Option<IpNet>) -> Result<(), FeedFault> {
        match prefix {
            Some(_) if self.prefixes.len() >= MAX_PREFIXES => {
                return Err(FeedFault::TooManyPrefixes);
            }
            Some(prefix) => self.prefixes.push(prefix),
            None => self.skipped += 1,
        }
        Ok(())
    }

    pub(super) fn finish(self, created_at: Option<Timestamp>) -> Result<FeedContent, FeedFault> {
        if self.prefixes.is_empty() {
            return Err(FeedFault::NoPrefixes);
        }
        Ok(FeedContent {
            entries: self.prefixes.len(),
            prefixes: self.prefixes.into_iter().collect(),
            created_at,
            skipped: self.skipped,
        })
    }
}
