//! Where the registry is.

/// The host of the registry.
pub const RDAP_HOST: &str = "rdap.lab";

/// Where the list of registries is.
#[must_use]
pub fn rdap_bootstrap_url() -> String {
    format!("https://{RDAP_HOST}/dns.json")
}

/// Where the registration of a domain is.
#[must_use]
pub fn rdap_domain_url(domain: &str) -> String {
    format!("https://{RDAP_HOST}/lab/domain/{domain}")
}
