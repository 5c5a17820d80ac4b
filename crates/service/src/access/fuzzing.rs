//! For the fuzz targets in `fuzz/`. Not part of the interface.

use contract::Timestamp;
use proof::keys::DeploymentSecret;

use super::{AddressBlock, page_token};

#[must_use]
pub fn make_page_token(secret: &DeploymentSecret, now: Timestamp, block: AddressBlock) -> String {
    page_token::make_token(secret, now, block)
}

#[must_use]
pub fn is_page_token(
    secret: &DeploymentSecret,
    now: Timestamp,
    token: &str,
    block: AddressBlock,
) -> bool {
    page_token::is_valid_token(secret, now, token, block)
}
