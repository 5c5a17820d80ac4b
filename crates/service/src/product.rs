//! The product name and version that scans send and records state.

pub const PRODUCT: &str = "wayleave";
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
