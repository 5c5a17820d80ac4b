//! The secret of a claim of control, as a bearer token.

use contract::Brand;
use http::{HeaderMap, header::AUTHORIZATION};
use service::ClaimSecret;

use crate::request::licence_key::bearer_token;

/// The secret that a request presents. Of several the first in the right format counts.
pub(crate) fn presented_secret(headers: &HeaderMap, brand: &Brand) -> Option<ClaimSecret> {
    let tokens =
        headers.get_all(AUTHORIZATION).iter().filter_map(|line| bearer_token(line.as_bytes()));
    let mut texts = tokens.filter_map(|token| std::str::from_utf8(token.trim_ascii()).ok());
    texts.find_map(|text| ClaimSecret::parse(text, brand))
}
