//! Who grants the calls of declared operations.

use contract::Domain;
use futures_util::future::BoxFuture;

/// Counts the calls of a site over all scans and callers.
pub trait CallAllowance: Send + Sync {
    /// Counts one call of this site before it is made. False if there may be no more today.
    fn draw<'a>(&'a self, domain: &'a Domain) -> BoxFuture<'a, bool>;
}
