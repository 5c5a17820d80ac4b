//! The service that signs and serves the records.

use crate::{Brand, Domain};

/// Who signs and serves the records: the wire brand, and the public base address without a trailing
/// slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issuer {
    pub brand: Brand,
    pub base_url: String,
}

impl Issuer {
    /// Removes trailing slashes from `base_url`, so that [`Issuer::url`] can append a path to it.
    #[must_use]
    pub fn new(brand: Brand, base_url: &str) -> Self {
        Self { brand, base_url: base_url.trim_end_matches('/').to_owned() }
    }

    /// `svc-resolve` for `resolve`: the `kind` of a record.
    #[must_use]
    pub fn kind(&self, word: &str) -> String {
        self.brand.kind(word)
    }

    /// The address where the schema of a kind of record is served.
    #[must_use]
    pub fn schema_url(&self, word: &str) -> String {
        crate::schema_address::schema_url(word, &self.brand, &self.base_url)
    }

    /// The public address of `path` with the parameter `domain`.
    #[must_use]
    pub fn domain_url(&self, path: &str, domain: &Domain) -> String {
        format!("{}{path}?domain={domain}", self.base_url)
    }

    /// The public address of `path`, which begins with a slash: `/api/v1/core`.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_with_one_slash() {
        for base_url in ["https://svc.example", "https://svc.example/"] {
            let issuer = Issuer::new(Brand::default(), base_url);
            assert_eq!(issuer.base_url, "https://svc.example");
            assert_eq!(issuer.url("/api/v1/core"), "https://svc.example/api/v1/core");
        }
    }
}
