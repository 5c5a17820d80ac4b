//! The registrable part of a host name.

/// The registrable domain of a host: its public suffix and one more label. The host itself where it has
/// no more labels than that.
pub(crate) fn registrable(host: &str) -> &str {
    psl::domain_str(host).unwrap_or(host)
}
