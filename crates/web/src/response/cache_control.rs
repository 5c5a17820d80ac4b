//! The `Cache-Control` values of responses.

/// Of documents that only a new release changes.
pub(crate) const CACHE_ONE_HOUR: &str = "public, max-age=3600";
/// Of documents that an operator may change at any time.
pub(crate) const CACHE_FIVE_MINUTES: &str = "public, max-age=300";
/// Of documents that may be replaced at any time, but rarely are.
pub(crate) const CACHE_ONE_MINUTE: &str = "public, max-age=60";
/// Of documents that many clients poll at once.
pub(crate) const CACHE_ONE_MINUTE_STALE_OK: &str = "public, max-age=60, stale-while-revalidate=60";
/// Of lists that grow.
pub(crate) const CACHE_THIRTY_SECONDS: &str = "public, max-age=30";
/// Of the newest checkpoint and the newest file of heads.
pub(crate) const CACHE_FIVE_SECONDS: &str = "public, max-age=5";
/// Of documents that are complete, but may still be withdrawn.
pub(crate) const CACHE_ONE_DAY_IMMUTABLE: &str = "public, max-age=86400, immutable";
/// The same, for documents that only the client may cache: reports of unlisted scans.
pub(crate) const CACHE_PRIVATE_ONE_DAY_IMMUTABLE: &str = "private, max-age=86400, immutable";
/// Of documents that never change.
pub(crate) const CACHE_FOREVER: &str = "public, max-age=31536000, immutable";
/// Of responses that must not be cached.
pub(crate) const NO_STORE: &str = "no-store";
/// The same, for responses to the holder of a licence.
pub(crate) const PRIVATE_NO_STORE: &str = "private, no-store";
