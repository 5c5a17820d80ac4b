//! The product name and version that scans send and records state.

pub const PRODUCT: &str = "wayleave";
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The user agent of this service's own reader, as in the built-in catalogue.
#[must_use]
pub fn reader_user_agent(base_url: &str) -> String {
    let catalogue = agents::Catalogue::built_in().ok();
    let catalogue = catalogue.map(|all| all.with_placeholders_filled(VERSION, base_url));
    let own = catalogue.as_ref().and_then(|all| all.identity_with_role(agents::Role::Own));
    own.map(|identity| identity.user_agent.clone()).unwrap_or_default()
}
